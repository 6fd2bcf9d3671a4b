"""The tools of scene weaver: cards, ideas in words, edits as data, and what each does to a room."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from gymposium.agents.language.backends.scripted import Dice, sample
from gymposium.envs.rooms.catalogue import CATEGORIES, category
from gymposium.envs.rooms.contacts import collisions
from gymposium.envs.rooms.execute import Physics, counts, execute
from gymposium.envs.rooms.grammar import shell
from gymposium.envs.rooms.metrics import is_stable
from gymposium.envs.rooms.relations import broken
from gymposium.envs.rooms.room_types import room_type, room_types
from gymposium.envs.rooms.scene import ROOM, Item, Relation, Scene
from gymposium.envs.rooms.tools import generators, toolbox
from gymposium.envs.rooms.tools.calling import Done, call
from gymposium.envs.rooms.tools.card import Card, Edited, Family, Task, Tool
from gymposium.envs.rooms.tools.ideas import named, phrases, read
from gymposium.envs.rooms.tools.library import ROOM_TYPES, closest, finished
from gymposium.envs.rooms.tools.motifs import motifs
from gymposium.envs.rooms.tools.toolbox import BUILT_IN
from gymposium.errors import UsageError

from .samples import FLOOR, K, furnished, room

TOOLS = {kind.card.name: kind() for kind in BUILT_IN}
BEDROOM = room_type("bedroom")


def task(scene: Scene, ideas: str = "", edit: object = None, seed: int = 0) -> Task:
    kind = room_type(scene.room.type)
    return Task(scene, kind, "bedroom", ideas, edit, np.random.default_rng(seed))  # type: ignore[arg-type]


def use(name: str, scene: Scene, ideas: str = "", edit: object = None) -> Done:
    return call(TOOLS[name], task(scene, ideas, edit))


def test_every_card_says_what_planners_must_know() -> None:
    for tool in TOOLS.values():
        card = tool.card
        told = card.words()
        assert card.name in told
        assert card.description
        assert card.use_cases
        assert card.strengths
        assert card.weaknesses
        assert set(card.supported_room_types) <= set(room_types())
    costs = {name: tool.card.cost for name, tool in TOOLS.items()}
    assert costs["terminate"] == 0
    assert costs["init_gpt"] == max(costs.values())


def test_physics_is_off_where_the_paper_leaves_it_off() -> None:
    off = {name for name, tool in TOOLS.items() if tool.physics is Physics.OFF}
    assert off == {"init_metascene", "init_physcene", "add_acdc", "terminate"}
    assert TOOLS["add_relation"].physics is Physics.ONCE


def test_the_page_lists_every_tool_as_its_card_has_it() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rooms.md").read_text(encoding="utf-8")
    for name, tool in TOOLS.items():
        card = tool.card
        line = f"| `{name}` | {card.family} | {card.cost} | {tool.physics} | {card.description} |"
        assert line in page


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("a bed", {"double_bed": 1}),
        ("two armchairs and a coffee table", {"armchair": 2, "coffee_table": 1}),
        ("3 office chairs, one whiteboard", {"office_chair": 3, "whiteboard": 1}),
        ("plants", {"plant": 2}),
        ("a room with a reading corner", {"armchair": 1, "floor_lamp": 1, "bookshelf": 1}),
        ("a large round dining table", {"dining_table": 1}),
        ("nothing stands on 4_desk", {}),
        ("99 chairs", {"chair": 8}),
        ("bookshelves", {"bookshelf": 2}),
        (
            "a reading corner: two armchairs, a floor lamp and a plant",
            {"armchair": 2, "floor_lamp": 1, "bookshelf": 1, "plant": 1},
        ),
        (
            "a reading corner and a seating area",
            {"armchair": 3, "floor_lamp": 1, "bookshelf": 1, "coffee_table": 1},
        ),
    ],
)  # fmt: skip
def test_words_ask_for_furniture(words: str, counts: dict[str, int]) -> None:
    found = read(words)
    assert dict(found.counts) == counts
    assert not found.unwanted


def test_what_is_forbidden_is_not_asked_for() -> None:
    found = read("a desk, no rug and without a mirror")
    assert found.unwanted == {"rug", "mirror"}
    assert found.counts == {"desk": 1}


def test_ids_are_found_whole() -> None:
    assert named("move 12_desk, then 2_chair", ["2_desk", "2_chair", "12_desk"]) == [
        "12_desk",
        "2_chair",
    ]


def test_phrases_and_motifs_name_categories_of_the_catalogue() -> None:
    for things in phrases().values():
        assert set(things) <= set(CATEGORIES)
    for motif in motifs().values():
        assert {spot.category for spot in motif.things} <= set(CATEGORIES)
        assert set(motif.upon) <= set(CATEGORIES)


def test_schemas_are_schemas_and_what_they_allow_never_breaks_a_tool() -> None:
    scene, dice = furnished(), Dice(3)
    ids = [item.id for item in scene]
    done = Counter[bool]()
    for name, tool in TOOLS.items():
        schema = tool.parameters(BEDROOM, ids)
        jsonschema.Draft202012Validator.check_schema(schema)
        edit_schema = tool.edit_schema(BEDROOM, ids)
        if edit_schema is None or name == "init_physcene":
            continue
        for _ in range(4):
            edit = sample(edit_schema, dice)
            jsonschema.validate(edit, edit_schema)
            found = use(name, scene, "", edit)
            assert "failed" not in found.words, found.words
            done[found.scene is not None] += 1
    assert min(done.values()) >= 8  # some pass, some are refused


HOSTILE = [
    ("add_gpt", {"objects": [{"category": "desk", "location": [float("nan"), 0, 0]}]}, "location"),
    ("add_gpt", {"objects": [{"category": "desk", "size": [-1, 1, 1]}]}, "size"),
    ("add_gpt", {"objects": [{"category": "desk", "size": [1, 1, 1e9]}]}, "size"),
    ("add_gpt", {"objects": [{"category": "desk"}] * 41}, "objects"),
    ("add_gpt", {"objects": [{"category": "../../etc/passwd"}]}, "category"),
    ("add_gpt", {"objects": [{"category": "desk", "id": "../x"}]}, "id"),
    ("add_gpt", {"objects": [{"category": "desk", "id": "1_bed"}]}, "id"),
    ("add_gpt", {"objects": [{"category": "desk", "id": ["a"]}]}, "id"),
    ("add_gpt", {"objects": [{"category": "desk", "run": "rm"}]}, "run"),
    ("add_gpt", {"objects": [{"category": "cup", "parent": [["nobody", "ontop"]]}]}, "parent"),
    ("add_gpt", {"objects": [{"category": "cup", "parent": [["4_desk", "beside"]]}]}, "parent"),
    (
        "add_gpt",
        {
            "objects": [
                {"category": "cup", "id": "a", "parent": [["b", "ontop"]]},
                {"category": "cup", "id": "b", "parent": [["a", "ontop"]]},
            ]
        },
        "parent",
    ),
    ("add_gpt", {"objects": {"category": "desk"}}, "objects"),
    ("add_gpt", {"objects": ["desk"]}, "objects"),
    ("init_gpt", {"roomsize": [1e9, 3], "objects": [{"category": "desk"}]}, "roomsize"),
    ("init_gpt", {"roomsize": [True, 3], "objects": [{"category": "desk"}]}, "roomsize"),
    ("update_layout", {"objects": [{"id": "nobody", "location": [0, 0, 0]}]}, "id"),
    ("update_layout", {"objects": [{"id": "4_desk", "location": [1, 2]}]}, "location"),
    ("update_rotation", {"objects": [{"id": "4_desk", "rotation": "east"}]}, "rotation"),
    ("update_rotation", {"objects": [{"id": "4_desk", "location": [0, 0, 0]}]}, "location"),
    ("update_size", {"objects": [{"id": "4_desk", "size": [1, 1, 0]}]}, "size"),
    ("update_size", {"objects": [{"id": {}, "size": [1, 1, 1]}]}, "id"),
    ("remove_object", {"ids": ["1_bed", "nobody"]}, "ids"),
    ("remove_object", {"ids": "1_bed"}, "ids"),
    ("add_relation", {"relations": [{"id": "1_bed", "parent": "3_lamp", "relation": "ontop"}]}, ""),
    ("add_relation", {"relations": [{"id": "1_bed", "parent": None, "relation": 3}]}, "parent"),
    ("add_crowd", {"parent": "4_desk", "objects": [{"category": "cup", "count": 10**9}]}, "count"),
    ("add_crowd", {"parent": "8_rug", "objects": [{"category": "cup", "count": 1}]}, ""),
    ("add_acdc", {"parent": "4_desk", "motif": "__import__"}, "motif"),
    ("add_rule", {"categories": ["../desk"]}, "categories"),
    ("terminate", {"now": True}, "edit"),
]


@pytest.mark.parametrize(("name", "edit", "field"), HOSTILE)
def test_hostile_edits_are_refused_with_the_field_named(
    name: str, edit: object, field: str
) -> None:
    found = use(name, furnished(), "", edit)
    assert found.scene is None
    assert "refused" in found.words
    assert field in found.words


def test_an_edit_places_what_has_no_location_and_leaves_what_has_one() -> None:
    entries = [
        {"id": "9_dresser", "category": "dresser", "parent": [["room", "against_wall"]]},
        {"id": "10_vase", "category": "vase", "parent": [["9_dresser", "ontop"]]},
        {"category": "plant", "location": [2.5, 4.0, 0], "size": [0.4, 0.4, 1.0]},
    ]
    found = use("add_gpt", furnished(), "", {"objects": entries})
    assert found.scene is not None
    assert found.scene["10_vase"].supporter == "9_dresser"
    assert not broken(found.scene, found.scene["9_dresser"])
    assert [i.location for i in found.scene if i.category == "plant"] == [(2.5, 4.0, 0.0)]


def test_init_gpt_grants_the_wishes_of_the_request() -> None:
    kind = room_type("living_room")
    rng = np.random.default_rng(4)
    empty = shell(kind, rng)
    wanted = Task(empty, kind, "a living room with a piano and two plants, no rug", "", None, rng)
    made = call(TOOLS["init_gpt"], wanted).scene
    assert made is not None
    there = Counter(item.category for item in made)
    assert there["piano"] >= 1
    assert there["plant"] >= 2
    assert there["rug"] == 0


def test_init_gpt_builds_the_room_in_the_size_of_the_edit() -> None:
    edit = {"roomsize": [6.5, 3.0], "objects": [{"category": "double_bed"}]}
    found = use("init_gpt", Scene(room()), "", edit)
    assert found.scene is not None
    assert found.scene.room.size == (6.5, 3.0)
    assert [item.category for item in found.scene] == ["double_bed"]


def test_the_library_gives_the_same_valid_room_each_time_and_the_nearest_in_size() -> None:
    one = finished("bathroom", 2)
    finished.cache_clear()
    assert finished("bathroom", 2) == one
    assert counts(one) == (0, 0)
    kind = room_type("bathroom")
    assert closest(kind, one, ()) == 2
    assert set(ROOM_TYPES) <= set(room_types())
    assert len(ROOM_TYPES) == 9


def test_add_gpt_brings_what_the_room_is_for() -> None:
    empty = Scene(room(), furnished().openings)
    found = use("add_gpt", empty, "what the room is for is missing")
    assert found.scene is not None
    assert BEDROOM.filled(found.scene) == {"bed": True, "storage": True}


def test_a_crowd_goes_on_the_thing_that_is_named() -> None:
    found = use("add_crowd", furnished(), "books on 4_desk")
    assert found.scene is not None
    new = found.scene.items[len(furnished()) :]
    assert new
    assert {item.supporter for item in new} == {"4_desk"}


def test_a_laid_out_top_holds_and_does_not_collide() -> None:
    found = use("add_acdc", furnished(), "a work set on 4_desk")
    assert found.scene is not None
    new = found.scene.items[len(furnished()) :]
    assert {item.category for item in new} >= {"laptop", "pen_holder"}
    for item in new:
        assert not broken(found.scene, item)
        assert is_stable(found.scene, item)
    assert not collisions(found.scene)
    again = use("add_acdc", found.scene, "", {"parent": "4_desk", "motif": "tea set"})
    assert again.scene is None  # only empty tops


def test_update_size_brings_sizes_into_their_range() -> None:
    big = furnished().resized("3_lamp", (1.5, 1.5, 1.5))
    found = use("update_size", big)
    assert found.scene is not None
    size = found.scene["3_lamp"].size
    assert all(s <= high for s, high in zip(size, category("table_lamp").high, strict=True))


def test_update_rotation_turns_a_seat_to_its_table() -> None:
    averted = furnished().moved("5_chair", rotation=np.pi)
    found = use("update_rotation", averted)
    assert found.scene is not None
    assert found.scene["5_chair"].rotation == pytest.approx(0.0, abs=1e-6)


def test_update_layout_frees_the_door() -> None:
    plant = Item("9_plant", "plant", (5.0, 0.4, 0.0), 0.0, (0.4, 0.4, 1.0), FLOOR)
    found = use("update_layout", furnished().with_items(plant))
    assert found.scene is not None
    assert found.scene["9_plant"].location != plant.location
    assert execute(found.scene, np.random.default_rng(0)).after == (0, 0)


def test_remove_object_takes_strangers_and_never_what_the_room_is_for_by_itself() -> None:
    oven = Item("9_oven", "oven", (3.0, 2.0, 0.0), 0.0, category("oven").middle, FLOOR)
    found = use("remove_object", furnished().with_items(oven))
    assert found.scene is not None
    assert "9_oven" not in found.scene
    assert use("remove_object", furnished()).scene is None
    asked = replace(task(furnished().with_items(oven)), request="a bedroom with an oven")
    assert call(TOOLS["remove_object"], asked).scene is None
    told = use("remove_object", furnished(), "", {"ids": ["2_stand", "3_lamp"]})
    assert told.scene is not None
    assert len(told.scene) == len(furnished()) - 2


def test_add_relation_writes_down_only_what_holds() -> None:
    loose = furnished()
    loose = loose.replaced(replace(loose["6_wardrobe"], relations=FLOOR))
    found = use("add_relation", loose)
    assert found.scene is not None
    assert Relation(ROOM, K.AGAINST_WALL) in found.scene["6_wardrobe"].relations
    far = {"id": "5_chair", "parent": "room", "relation": "against_wall"}
    assert use("add_relation", loose, "", {"relations": [far]}).scene is None


def test_generators_are_asked_by_name_once_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "_known", {})
    assert not TOOLS["init_physcene"].knows(BEDROOM)
    generators.register_generator("twin", f"{__name__}:sampled", ("bedroom",))
    assert TOOLS["init_physcene"].knows(BEDROOM)
    assert not TOOLS["init_physcene"].knows(room_type("gym"))
    found = use("init_physcene", Scene(room()), "", {"model": "twin"})
    assert found.scene is not None
    assert [item.id for item in found.scene] == ["1_double_bed"]
    generators.register_generator("gone", "no_such_module:f", ("bedroom",))
    assert use("init_physcene", Scene(room()), "", {"model": "gone"}).scene is None


def sampled(scene: Scene, rng: np.random.Generator) -> Scene:
    bed = Item("1_double_bed", "double_bed", (3, 2, 0), 0.0, (2.0, 1.6, 1.0), FLOOR)
    return replace(scene, items=(bed,))


class Wild(Tool):
    """A user's tool that raises, or gives nonsense."""

    card = Card("wild", Family.REFINER, "Goes wrong.", ("tests",), (), "none.", "all.")

    def act(self, task: Task) -> Edited:
        if task.ideas == "raise":
            raise ZeroDivisionError("oh")
        if task.ideas == "nan":
            bad = Item("9_x", "plant", (float("nan"), 0, 0), 0.0, (1, 1, 1), FLOOR)
            return Edited(task.scene.with_items(bad), "")
        if task.ideas == "stranger":
            other = Item("9_x", "spaceship", (1, 1, 0), 0.0, (1, 1, 1), FLOOR)
            return Edited(task.scene.with_items(other), "")
        if task.ideas == "gym":
            return Edited(replace(task.scene, room=room(kind="gym")), "")
        return None  # type: ignore[return-value]


@pytest.mark.parametrize("ideas", ["raise", "nan", "stranger", "gym", ""])
def test_whatever_a_users_tool_does_is_told_and_not_raised(ideas: str) -> None:
    found = call(Wild(), task(furnished(), ideas))
    assert found.scene is None
    assert found.words.startswith(("wild failed", "wild refused"))


class _Entry:
    def __init__(self, name: str, made: object) -> None:
        self.name, self.value, self._made = name, f"{name}:it", made

    def load(self) -> object:
        if isinstance(self._made, Exception):
            raise self._made
        return self._made


def test_installed_tools_come_behind_ours_and_broken_ones_are_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = [_Entry("z", Wild), _Entry("bad", ImportError("no")), _Entry("odd", 3)]
    monkeypatch.setattr(toolbox, "entry_points", lambda group: entries)
    toolbox._plugins.cache_clear()
    try:
        with pytest.warns(UserWarning, match="bad") as warned:
            names = [tool.card.name for tool in toolbox.toolbox()]
        assert names == [*TOOLS, "wild"]
        assert len(warned) == 1
        assert set(toolbox.broken_tools()) == {"bad", "odd"}
        toolbox.toolbox()  # it is said once
    finally:
        toolbox._plugins.cache_clear()


def test_a_users_file_gives_a_tool_and_a_wrong_one_is_a_sentence(tmp_path: object) -> None:
    with pytest.raises(UsageError, match=r"FILE\.py:CLASS"):
        toolbox.toolbox(["nothing"])
    with pytest.raises(UsageError, match="cannot be loaded"):
        toolbox.toolbox(["no_such_file.py:Tool"])
    with pytest.raises(UsageError, match="is no Tool"):
        toolbox.toolbox(["json:dumps"])
    assert json.dumps([t.card.name for t in toolbox.toolbox([f"{__name__}:Wild"])][-1]) == '"wild"'
