"""``gymposium rooms``: made, drawn, checked and converted from the command line."""

import json
import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image

from gymposium.cli.rooms_make import _scenario
from gymposium.envs.rooms.contacts import collisions, outside
from gymposium.envs.rooms.files import read, write
from gymposium.envs.rooms.layout import layout

from ..agents.language.http_server import completion, send, serving
from ..envs.rooms.files.test_front import house
from ..envs.rooms.samples import furnished
from .test_cli import call, call_json

SMALL = ("--view", "plan", "--width", 64, "--height", 48)
SETTLED = 1.0 if find_spec("pybullet") else None


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "room.json").write_text(json.dumps(layout(furnished(), digits=4)))
    (tmp_path / "house.json").write_text(json.dumps(house()))
    return tmp_path


def test_a_room_is_made_by_the_planner_at_hand_and_again_by_the_same_seed(here):
    words = ("rooms", "make", "a small bathroom", "-p", "passes=5", *SMALL, "--seed", 3)
    made = call_json(*words, "--steps", 3, "--out", "new/bath.glb", "--run", "one")
    assert made["planner"] == "scripted:room_planner"
    assert made["files"] == [
        f"new/bath{end}" for end in (".glb", ".json", "-figures.json", "-plan.png")
    ]
    scene = read("new/bath.glb").scene
    assert scene.room.type == "bathroom"
    assert len(scene) > 3
    assert not collisions(scene)
    assert not outside(scene)
    assert read("new/bath.json").scene == scene
    assert Image.open("new/bath-plan.png").size == (64, 64)
    figures = json.loads((here / "new/bath-figures.json").read_text())
    assert figures["request"] == "a small bathroom"
    assert figures["metrics"]["objects"] == made["match"]["objects"]
    assert figures["metrics"]["settled_share"] == SETTLED
    assert figures["steps"][0]["tool"].startswith("init_")
    assert figures["steps"][-1]["tool"] == "terminate"
    assert call_json(*words, "--steps", 3, "--out", "again.glb", "--run", "two")["files"]
    assert (here / "again.glb").read_bytes() == (here / "new/bath.glb").read_bytes()
    page = (here / "one" / "report.html").read_text()
    for row in figures["steps"]:
        assert row["tool"] in page
        assert row["plan"][:30] in page
    assert "accepted" in page
    assert "data:image/png" in page
    assert "scripted:room_planner" in call("report", "one").stdout
    assert "steps as recorded" in call("replay", "one").stdout


def test_any_agent_can_plan_and_what_was_done_is_told(here):
    said = call(
        "rooms", "make", "somewhere to wash", "--type", "bathroom", "--planner", "random",
        "--steps", 2, "-p", "passes=5", "--out", "bath.json", "--run", "run", *SMALL,
    ).stdout  # fmt: skip
    assert "step by step" in said
    assert "terminate" in said
    assert "rule-based grades (not a judge's)" in said
    assert "as edited, 0 after the optimiser, 0 things deleted" in said
    first = said.index("stable share")
    assert first < said.index("navigability") < said.index("collisions ")
    assert "bath.json" in said
    assert not (here / "bath.glb").exists()
    assert read("bath.json").scene.room.type == "bathroom"


def test_a_language_model_plans_and_its_plan_is_in_the_report(here):
    calls = [
        {"tool": "init_gpt", "ideas": "Begin with a bed & two stands."},
        {"tool": "remove_object", "ideas": "<b>Take</b> the rug out.", "edit": {"ids": ["9_x"]}},
        {"tool": "terminate", "ideas": "It is good."},
    ]

    async def says(server, request, writer):
        send(writer, completion(json.dumps(calls[min(len(server.asked) - 1, 2)])))

    with serving(says) as server:
        made = call_json(
            "rooms", "make", "a bedroom", "--planner", f"llm:one@{server.url}", "--steps", 4,
            "-p", "passes=5", "--out", "a.json", "--run", "run", "--no-cache", *SMALL,
        )  # fmt: skip
    assert made["steps"][0]["plan"] == "Begin with a bed & two stands."
    assert [row["result"] for row in made["steps"]][:2] == ["accepted", "refused"]
    assert made["steps"][-1]["tool"] == "terminate"
    page = (here / "run" / "report.html").read_text()
    assert "Begin with a bed &amp; two stands." in page
    assert "&lt;b&gt;Take&lt;/b&gt; the rug out." in page
    assert "refused" in page


@pytest.mark.parametrize("stop", ["endpoint", "ctrl-c"])
def test_what_stops_in_the_middle_is_gone_on_with_by_the_same_command(here, monkeypatch, stop):
    calls = [
        {"tool": "init_gpt", "ideas": "A bedroom."},
        {"tool": "terminate", "ideas": "It is good."},
    ]
    down = [True]

    async def says(server, request, writer):
        if "Last call" not in str(request.body):
            return send(writer, completion(json.dumps(calls[0])))
        if down[0]:
            return send(writer, {"error": {"message": "bad key"}}, status="401 Unauthorized")
        return send(writer, completion(json.dumps(calls[1])))

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with serving(says) as server:
        words = (
            "rooms", "make", "a bedroom", "--planner", f"llm:one@{server.url}", "--steps", 4,
            "-p", "passes=5", "--out", "a.json", "--run", "run", "--cache", "cache", *SMALL,
        )  # fmt: skip
        with monkeypatch.context() as patch:
            if stop == "ctrl-c":
                patch.setattr("gymposium.arenas.run.run", interrupted)
            result = call(*words, code=130 if stop == "ctrl-c" else 1)
        assert "the same command with `--run run` goes on, and writes the room" in result.stderr
        assert "gymposium resume" not in result.stderr
        assert not (here / "a.json").exists()
        down[0] = False
        made = call_json(*words)
    assert [row["tool"] for row in made["steps"]] == ["init_gpt", "terminate"]
    assert (here / "a.json").exists()


def test_a_step_that_spoils_the_room_is_told_as_rolled_back(here):
    (here / "spoiler.py").write_text(
        "import json\n"
        "def spoiler(turn):\n"
        "    room = json.loads(turn.observation['layout'])['objects']\n"
        "    bed = [name for name in room if name.endswith('bed')]\n"
        "    if not room:\n"
        "        call = {'tool': 'init_gpt', 'ideas': 'a double bed'}\n"
        "    elif 'rolled back' in turn.observation['report']:\n"
        "        call = {'tool': 'terminate', 'ideas': 'the bed stays'}\n"
        "    else:\n"
        "        call = {'tool': 'remove_object', 'ideas': 'out with it', 'edit': {'ids': bed}}\n"
        "    return json.dumps(call)\n"
    )
    words = ("rooms", "make", "a bedroom", "--planner", "spoiler.py:spoiler", "--steps", 4)
    said = call(*words, "-p", "passes=5", "--out", "a.json", "--run", "run", *SMALL).stdout
    results = re.findall(r"^(\S+) +(\w+) +(accepted|refused|rolled back) ", said, re.M)
    assert results == [
        ("1", "init_gpt", "accepted"),
        ("2", "remove_object", "rolled back"),
        ("2.2", "terminate", "accepted"),
    ]
    assert any(item.category.endswith("bed") for item in read("a.json").scene)
    told = re.sub(r"\s+", " ", (here / "run" / "report.html").read_text())
    assert told.count('<dt>result</dt><dd class="bad">rolled back</dd>') == 1
    assert told.count("<dt>result</dt><dd>accepted</dd>") == 2
    assert "<dt>plan</dt><dd>out with it</dd>" in told
    assert "<dt>tool</dt><dd>remove_object</dd>" in told
    assert "<span>function <b>5.00</b></span>" in told


def test_a_model_that_runs_here_is_told_briefly_unless_the_user_wants_all():
    def told(planner, **params):
        (world,) = _scenario("a bedroom", None, planner, 0, params).worlds
        return world.params.get("words", "full")

    assert told("llm:smollm2") == told("llm:smollm2?context=8192") == "brief"
    assert told("llm:some/model.gguf") == "brief"
    assert told("llm:smollm2", words="full") == "full"
    for planner in ("scripted", "random", "llm:one@http://localhost:1/v1", "llm:vllm/one"):
        assert told(planner) == "full"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a bedroom", "--out", "a.obj"), "unknown format of rooms '.obj'"),
        (("somewhere nice", "--out", "a.glb"), "'somewhere nice' names no type of room"),
        (("somewhere nice", "--out", "a.glb"), "by --type: bathroom, bedroom"),
        (("寝室", "--out", "a.glb"), "'寝室' names no type of room"),
        ((" ", "--out", "a.glb"), "'' names no type of room"),
        (("a bedroom" + " with a lamp" * 900, "--out", "a.glb"), "at most 400 characters"),
        (("a room", "--type", "bath", "--out", "a.glb"), "unknown type of room 'bath'"),
        (("a bedroom", "--planner", "scripted:plannr", "--out", "a.glb"), "plannr"),
        (("a bedroom", "--planner", "", "--out", "a.glb"), "agents[0]"),
        (("a bedroom", "--out", ".", ), "format"),
        (("a bedroom", "-p", "pases=3", "--out", "a.glb"), "pases"),
        (("a bedroom", "--view", "side", "--out", "a.glb"), "unknown view 'side'"),
        (("a bedroom",), "--out"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused_in_a_sentence(here, words, said):
    before = sorted(here.iterdir())
    result = call("rooms", "make", *words, "--run", "run", code=2)
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(here.iterdir()) == before


def test_views_are_drawn_into_a_folder(here):
    drawn = call_json("rooms", "render", "room.json", "--out", "a/pics", "--view", "corner", *SMALL)
    assert drawn == {"corner": "a/pics/corner.png", "plan": "a/pics/plan.png"}
    picture = Image.open("a/pics/corner.png")
    assert picture.size == (64, 48)
    assert len(picture.getcolors(10_000)) > 50


def test_a_room_is_checked(here):
    good = call_json("rooms", "check", "room.json")
    assert good["metrics"]["objects"] == 7
    assert good["grades"]["function"]["grade"] == 10
    assert (good["contacts"], good["out"]) == ([], [])
    crowded = furnished().moved("5_chair", (5.6, 2.5, 0.0)).moved("6_wardrobe", (3.0, 4.9, 0.0))
    write(crowded, "bad.json")
    bad = call_json("rooms", "check", "bad.json", code=1)
    assert [(pair["a"], pair["b"]) for pair in bad["contacts"]] == [("4_desk", "5_chair")]
    assert bad["out"] == ["6_wardrobe"]
    said = call("rooms", "check", "bad.json", code=1).stdout
    assert "4_desk  5_chair" in said
    assert "outside the room" in said
    odd = replace(furnished(), room=replace(furnished().room, type="stable"))
    write(odd, "odd.json")
    assert "grades" not in call_json("rooms", "check", "odd.json")
    assert "say --type" in call("rooms", "check", "odd.json").stdout
    assert "grades" in call_json("rooms", "check", "odd.json", "--type", "bedroom")


def test_of_many_contacts_the_deepest_are_listed_and_the_rest_counted(here, monkeypatch):
    monkeypatch.setattr("gymposium.cli.rooms._MOST_SHOWN", 1)
    crowded = furnished().moved("5_chair", (5.6, 2.5, 0.0)).moved("6_wardrobe", (1.0, 2.5, 0.0))
    write(crowded, "bad.json")
    depths = [pair["depth"] for pair in call_json("rooms", "check", "bad.json", code=1)["contacts"]]
    assert len(depths) > 1
    said = call("rooms", "check", "bad.json", code=1).stdout
    assert f"{1000 * max(depths):.1f}" in said
    assert f"and {len(depths) - 1} more, less deep: --json has all" in said


def test_rooms_are_converted_and_what_is_left_out_is_said(here):
    said = call("rooms", "convert", "house.json", "flat.glb").stdout
    assert "left out: scene.room[0].children[3]: nothing in the catalogue is like 'curtain'" in said
    assert "flat.glb: 4 things" in said
    told = call_json("rooms", "convert", "flat.glb", "flat.urdf")
    assert told["left_out"] == []
    assert told["files"][-1] == "flat.urdf"
    call("rooms", "convert", "flat.glb", "flat.json", "--digits", 3)
    assert json.loads((here / "flat.json").read_text())["roomsize"] == [4.0, 3.0]
    one = call_json("rooms", "convert", "house.json", "b.json", "--room", "MasterBedroom-1")
    assert len(one["left_out"]) == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "nowhere.json"), "nowhere.json cannot be read"),
        (("render", "broken.json", "--out", "x"), "broken.json: the file is not a JSON document"),
        (("check", "room.sdf"), "room.sdf: is XML; SDF and URDF are written here, not read"),
        (("convert", "room.urdf", "a.glb"), "room.urdf: is XML; SDF and URDF are written here"),
        (("convert", "room.json", "room.txt"), "unknown format of rooms '.txt'"),
        (("convert", "house.json", "a.json", "--room", "Attic"), "unknown room 'Attic'"),
        (("check", "room.json", "--type", "bedrom"), "did you mean 'bedroom'"),
        (("check", "evil.json"), "objects.1_chair.size[0] must lie in"),
    ],
)
def test_files_that_are_no_rooms_are_refused_in_a_sentence(here, words, said):
    (here / "broken.json").write_text("{")
    for name in ("room.sdf", "room.urdf"):
        write(furnished(), here / name)
    evil = layout(furnished())
    evil["objects"] = {"1_chair": {**evil["objects"]["5_chair"], "size": [-1, 1, 1], "parent": []}}
    (here / "evil.json").write_text(json.dumps(evil))
    result = call("rooms", *words, code=2)
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_target_that_cannot_be_written_is_a_failure(here):
    for words in (
        ("convert", "room.json", "room.json/x.json"),
        ("render", "room.json", "--out", "room.json/x", *SMALL),
        ("make", "a bedroom", "--out", "room.json/x.glb", "--run", "run"),
    ):
        said = call("rooms", *words, code=1).stderr
        assert "room.json" in said
        assert said.count("\n") == 1
    assert not (here / "run").exists()


def test_names_that_a_room_needs_beside_it_are_looked_at_before_the_planner_works(here):
    for name in ("new.glb", "new.json", "new-figures.json", "new-plan.png"):
        (here / name).mkdir()
        said = call(
            "rooms", "make", "a bedroom", "--out", "new.glb", "--run", "run", *SMALL, code=1
        )
        assert f"{name} is a folder; choose another name" in said.stderr
        (here / name).rmdir()
    long = "x" * 249 + ".glb"  # a name of its own, but not with -figures.json at its end
    said = call("rooms", "make", "a bedroom", "--out", long, "--run", "run", *SMALL, code=1).stderr
    assert "-figures.json cannot be written: file name too long" in said
    assert sorted(path.name for path in here.iterdir()) == ["house.json", "room.json"]


@pytest.mark.parametrize(("error", "code"), [(OSError(28, "full"), 1), (KeyboardInterrupt(), 130)])
def test_of_a_room_that_cannot_be_written_whole_nothing_is_left(here, monkeypatch, error, code):
    plain, written = Path.write_bytes, []

    def write_bytes(path, data):
        if path.suffix == ".part" and len(written) == 3:  # the picture, after three files
            plain(path, data[:10])
            raise error
        written.append(path)
        return plain(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    words = ("rooms", "make", "a bathroom", "--steps", 2, "-p", "passes=5", *SMALL)
    said = call(*words, "--out", "new/bath.glb", "--run", "run", code=code).stderr
    if code == 1:
        assert "new/bath-plan.png cannot be written: the disk is full; make room" in said
    assert not list((here / "new").iterdir())


def test_names_in_a_file_cannot_reach_the_terminal_as_control_characters(here):
    rooms = house()
    for room in rooms["scene"]["room"]:
        room["instanceid"] = "a\x1b[2J"
    (here / "evil.json").write_text(json.dumps(rooms))
    said = call("rooms", "check", "evil.json", "--room", "b\x1b[2J", code=2).stderr
    assert "unknown room" in said
    assert said.strip().isprintable()
