"""Files of rooms: written whole, read from anybody, refused with the file and the field."""

from __future__ import annotations

import copy
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.rooms.contacts import collisions, outside
from gymposium.envs.rooms.execute import execute
from gymposium.envs.rooms.files import FORMATS, read, write
from gymposium.envs.rooms.files.imported import MOST_LEFT_OUT
from gymposium.envs.rooms.files.reading import MOST_BYTES
from gymposium.envs.rooms.files.sceneweaver import layout_room
from gymposium.envs.rooms.implied import with_implied_relations
from gymposium.envs.rooms.layout import layout
from gymposium.envs.rooms.scene import RelationKind, Scene
from gymposium.errors import GymposiumError, UnknownName, UsageError

from ..samples import furnished, random_edit


def test_rooms_free_of_contacts_stay_so_in_files(tmp_path: Path) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        room = execute(random_edit(furnished(), rng), rng, passes=10).scene
        for name in ("a.json", "a.glb"):
            write(room, tmp_path / name)
            again = read(tmp_path / name).scene
            assert not collisions(again)
            assert not outside(again)


def test_digits_are_chosen(tmp_path: Path) -> None:
    scene = furnished().moved("5_chair", (4.123456, 2.5, 0.0), 0.123456)
    for digits in (2, 4, 6):
        write(scene, tmp_path / "a.json", digits=digits)
        chair = read(tmp_path / "a.json").scene["5_chair"]
        assert chair.location[0] == round(4.123456, digits)
        assert chair.rotation == round(0.123456, digits)
    with pytest.raises(UsageError, match="digits"):
        write(scene, tmp_path / "a.json", digits=13)


def test_folders_are_made_and_nothing_is_left_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "new" / "folder" / "room.json"
    assert write(furnished(), target) == [target]
    before = target.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(GymposiumError, match=r"room\.json cannot be written: the disk is full"):
        write(furnished().without("8_rug"), target)
    assert [path.name for path in target.parent.iterdir()] == ["room.json"]
    assert target.read_bytes() == before


def test_two_who_write_one_file_are_not_in_each_others_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, plain, seen = tmp_path / "room.json", Path.replace, []

    def replace_late(part: Path, path: Path) -> Path:
        if not seen:
            seen.append(part)
            write(furnished(), target)  # another one writes and tidies up meanwhile
        return plain(part, path)

    monkeypatch.setattr(Path, "replace", replace_late)
    write(furnished().without("8_rug"), target)
    assert "8_rug" not in read(target).scene
    assert list(tmp_path.iterdir()) == [target]


def test_of_several_files_all_are_written_or_none(tmp_path: Path) -> None:
    (tmp_path / "room_meshes").write_text("in the way")
    with pytest.raises(GymposiumError, match=r"room_meshes.* what should be a folder"):
        write(furnished(), tmp_path / "room.urdf")
    (tmp_path / "sub.urdf").mkdir()
    with pytest.raises(GymposiumError, match=r"sub\.urdf is a folder; choose another name"):
        write(furnished(), tmp_path / "sub.urdf")
    assert {path.name for path in tmp_path.iterdir()} == {"room_meshes", "sub.urdf"}


def test_meshes_lie_beside_what_names_them(tmp_path: Path) -> None:
    files = write(furnished(), tmp_path / "my room.urdf")
    assert files[-1] == tmp_path / "my room.urdf"
    assert {file.parent.name for file in files[:-1]} == {"my room_meshes"}
    assert all(file.exists() for file in files)


def test_other_endings_and_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"\.glb"):
        write(furnished(), tmp_path / "room.gltf")
    (tmp_path / "file").write_text("")
    with pytest.raises(GymposiumError, match="file"):
        write(furnished(), tmp_path / "file" / "room.json")
    assert set(FORMATS) == {".json", ".glb", ".sdf", ".urdf"}


def glb_with(tree: object) -> bytes:
    text = json.dumps(tree).encode()
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a JSON document"),
        (b"{", "not a JSON document"),
        (b"[1, 2]", "is no room"),
        (b"{}", "is no room"),
        (b"\xff\xfe\x00", "neither glTF nor JSON"),
        (b'{"roomsize": [4, NaN]}', "finite"),
        (b'{"roomsize": [4, 3], "roomsize": [4, 3]}', "twice"),
        (b'{"roomsize": [4, 3]}', "objects"),
        (b"[" * 100_000, "not a JSON document"),
        (b'{"roomsize": [4, 3], "x": "' + b"a" * 2_000_001 + b'"}', "at most 2,000,000"),
        (b'{"x": 1' + b"0" * 5000 + b"}", "too many digits"),
        (b"glTF", "cut short"),
        (b"glTF" + bytes(16), "cut short"),
        (glb_with({"scenes": []}), "no layout"),
        (glb_with([]), "no layout"),
        (glb_with({"scenes": [{"extras": {"layout": {"roomsize": [4, -3]}}}]}), r"roomsize\[1\]"),
        (glb_with({"scenes": [{"extras": {"layout": "a" * 2_000_001}}]}), "more than 2,000,000"),
    ],
)
def test_a_file_that_is_no_room_is_refused_with_its_name(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "given.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        read(file)
    assert str(file) in str(caught.value)


def test_no_file_a_folder_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match="is a folder"):
        read(tmp_path)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UsageError, match="larger than"):
        read(huge)
    write(furnished(), tmp_path / "a.json")
    with pytest.raises(UsageError, match="leave out the name"):
        read(tmp_path / "a.json", room="Bedroom-1")


def test_hostile_sizes_and_names_are_refused_soon_and_printably(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("{" + ",".join(f'"{n}":1' for n in range(100_000)) + ',"99999":2}')
    with pytest.raises(UsageError, match="'99999' stands twice"):
        read(file)  # in minutes, were each name compared with all before it
    thing = {"label": "qqq", "size": [0.3, 0.4, 0.3], "theta": 0, "position": [1, 0, 1]}
    file.write_text(json.dumps({"ThreedFront": {"a\x1b[2J\n": [thing]}}))
    assert read(file).left_out[0].isprintable()
    file.write_text(json.dumps({"ThreedFront": {"a": [thing] * (MOST_LEFT_OUT + 1)}}))
    with pytest.raises(UsageError, match=rf"a\[{MOST_LEFT_OUT}\]: .* is no room"):
        read(file)


def foreign() -> dict[str, Any]:
    """As SceneWeaver's executor writes: Euler angles, classes of Infinigen, a room of its own."""

    def thing(location: list[float], size: list[float], *parent: list[str]) -> dict[str, Any]:
        return {"location": location, "rotation": [0, 0, 1.57], "size": size, "parent": parent}

    objects = {
        "1204_BedFactory": thing([2, 1.1, 0], [2.1, 1.8, 1], ["newroom_0-0", "on_floor"]),
        "33_SidetableDeskFactory": thing([4, 2, 0], [0.6, 1.2, 0.75], ["newroom_0-0", "on_floor"]),
        "34_MonitorFactory": thing(
            [4, 2, 0.75], [0.2, 0.5, 0.4], ["33_SidetableDeskFactory", "ontop"]
        ),
        "71_nightstnd": thing([1, 3, 0], [0.4, 0.5, 0.5], ["newroom_0-0", "StableAgainst"]),
        "90_AquariumTankFactory": thing([4, 3, 0], [0.4, 0.9, 0.5], ["newroom_0-0", "on_floor"]),
        "91_PillowFactory": thing([4, 3, 0.5], [0.3, 0.3, 0.1], ["1204_BedFactory", "ontop"]),
        "92_BowlFactory": thing([4, 3, 0.5], [0.2, 0.2, 0.1], ["90_AquariumTankFactory", "ontop"]),
    }
    entrance = {"location": [2, 0, 0], "rotation": [0, 0, 1.57], "size": [0.1, 0.9, 2]}
    document = {"roomsize": [5, 4], "structure": {"entrance_1": entrance}, "objects": objects}
    return json.loads(json.dumps(document))


def test_a_foreign_layout_is_taken_over_and_what_is_not_is_listed() -> None:
    made = layout_room(foreign())
    assert [item.category for item in made.scene] == [
        "double_bed", "desk", "monitor", "nightstand", "bowl"
    ]  # fmt: skip
    assert made.scene["34_MonitorFactory"].supporter == "33_SidetableDeskFactory"
    assert len(made.left_out) == 4
    said = "\n".join(made.left_out)
    assert "objects.90_AquariumTankFactory: nothing in the catalogue is like" in said
    assert "objects.91_PillowFactory: nothing in the catalogue is like" in said
    assert "objects.92_BowlFactory.parent: 'ontop' '90_AquariumTankFactory'" in said
    assert "objects.71_nightstnd.parent: 'StableAgainst' 'newroom_0-0'" in said
    assert any("'71_nightstnd' was taken for 'nightstand'" in note for note in made.notes)


def _put(*way: str) -> Callable[[dict[str, Any], Any], None]:
    def put(document: dict[str, Any], value: Any) -> None:
        for step in way[:-1]:
            document = document[step]
        document[way[-1]] = value

    return put


BED = ("objects", "1204_BedFactory")


@pytest.mark.parametrize(
    ("put", "value", "said"),
    [
        (_put(*BED, "location"), [float("nan"), 0, 0], r"1204_BedFactory\.location\[0\]"),
        (_put(*BED, "size"), [2, -1, 1], r"1204_BedFactory\.size\[1\]"),
        (_put(*BED, "parent"), [["33_SidetableDeskFactory", "ontop"]] * 9, "at most 8"),
        (_put(*BED, "parent"), [["nobody", "ontop"]], r"parent\[0\]"),
        (_put(*BED), [], "1204_BedFactory must be an object"),
        (_put("objects", "../../etc/passwd_chair"), {}, "objects: .*cannot be an id"),
        (_put("objects", "../../etc/nothing_known"), {}, "objects: .*cannot be an id"),
        (_put("objects", "9_x\x1b[2J\n"), {}, r"objects: '9_x\\x1b\[2J\\n' cannot be an id"),
        (_put("objects"), {f"{n}_chair": {} for n in range(10_000)}, "10,000 entries"),
        (_put("objects"), None, "objects must be an object"),
        (_put("roomsize"), [5, 1e6], r"roomsize\[1\]"),
    ],
)
def test_a_wrong_field_of_a_foreign_layout_is_refused_by_name(
    put: Callable[[dict[str, Any], Any], None], value: Any, said: str
) -> None:
    document = foreign()
    put(document, value)
    with pytest.raises(UsageError, match=said):
        layout_room(document)


def test_a_circle_of_support_is_refused() -> None:
    document = foreign()
    document["objects"]["33_SidetableDeskFactory"]["parent"] = [["34_MonitorFactory", "ontop"]]
    with pytest.raises(UsageError, match="lead back to itself"):
        layout_room(document)


_ANY = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
_FIELDS = ("location", "rotation", "size", "parent", "category", "style")
_FOREIGN = foreign()


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(sorted(_FOREIGN["objects"])), st.sampled_from(_FIELDS), _ANY)
def test_a_foreign_layout_with_anything_anywhere_is_a_room_or_is_refused(
    name: str, field: str, value: Any
) -> None:
    document = copy.deepcopy(_FOREIGN)
    document["objects"][name][field] = value
    try:
        made = layout_room(document)
    except UsageError:
        return
    assert layout_room(layout(made.scene, digits=6)).left_out == ()


def test_relations_that_hold_are_found_again() -> None:
    scene = furnished()
    bare = replace(scene, items=tuple(replace(item, relations=()) for item in scene))
    found = with_implied_relations(bare)
    for old, new in zip(scene, found, strict=True):
        missing = set(old.relations) - set(new.relations)
        assert {relation.kind for relation in missing} <= {RelationKind.LEFTRIGHT}
    assert with_implied_relations(found) == found
    assert with_implied_relations(Scene(scene.room)) == Scene(scene.room)


def test_no_relation_is_found_that_leads_back_to_itself() -> None:
    for seed in range(10):
        scene = random_edit(furnished(), np.random.default_rng(seed))
        again = layout_room(layout(with_implied_relations(scene), digits=6))  # refuses circles
        assert len(again.scene) == len(scene)
