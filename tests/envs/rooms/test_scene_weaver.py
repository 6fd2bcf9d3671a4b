"""scene_weaver-v0: who may call what, what is recorded and told, and that physics holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import gymnasium
import jsonschema
import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.envs import registry
from gymposium.envs.rooms.layout import scene_of_text
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.scene_weaver import SceneWeaver
from gymposium.envs.rooms.tools.toolbox import BUILT_IN
from gymposium.envs.rooms.weaving import Limits, Weaving
from gymposium.errors import GymposiumError, IllegalAction, UsageError

from .samples import furnished

SEAT = "player_0"
INITIALISERS = {"init_gpt", "init_metascene", "init_physcene"}


def world(**params: Any) -> SceneWeaver:
    made = registry.make_world("scene_weaver-v0", **{"shows": "text", **params})
    assert isinstance(made, SceneWeaver)
    return made


def doing(made: SceneWeaver, *calls: str | Mapping[str, Any], seed: int = 0) -> Any:
    """The turn (None at the end) after calls in words."""
    turns = made.reset(seed)
    for one in calls:
        turn = turns[SEAT]
        said = json.dumps({"tool": one, "ideas": ""} if isinstance(one, str) else dict(one))
        turns = made.step({SEAT: made.parse(SEAT, said, turn.observation, turn.info)})
    return turns.get(SEAT)


def offered(turn: Any) -> set[str]:
    return set(turn.info["offered"])


@pytest.fixture(scope="module")
def library() -> SceneWeaver:
    made = world()
    doing(made, "init_metascene")
    return made


def test_the_first_step_offers_initialisers_only_and_the_last_only_the_end() -> None:
    made = world(steps=3)
    assert offered(doing(made)) == INITIALISERS
    middle = doing(made, "init_metascene")
    assert not offered(middle) & INITIALISERS
    assert {"add_gpt", "update_layout", "terminate"} <= offered(middle)
    assert offered(doing(made, "init_metascene", "update_size")) == {"terminate"}


def test_after_add_acdc_only_update_size_is_offered() -> None:
    made = world()
    desk = {"tool": "add_gpt", "ideas": "a console table"}
    acdc = {"tool": "add_acdc", "ideas": "a tea set"}
    last = doing(made, "init_metascene", desk, acdc, seed=1)
    assert made.rows[-1]["result"] == "accepted"
    assert offered(last) == {"update_size"}
    assert offered(doing(made, "init_metascene", desk, acdc, "update_size", seed=1)) > {"terminate"}


def test_what_is_not_offered_is_refused_and_changes_nothing() -> None:
    made = world()
    doing(made)
    before = made.fingerprint()
    with pytest.raises(IllegalAction, match="init_gpt"):
        made.step({SEAT: {"tool": 3, "ideas": "", "edit": ""}})
    assert made.fingerprint() == before


def test_the_match_ends_by_terminate_or_with_the_steps() -> None:
    made = world(steps=2)
    assert doing(made, "init_metascene", "terminate") is None
    assert made.ended == (True, False)
    made.reset(0)
    for _ in range(6):  # no answer is a refused call; three of them use a step up
        turns = made.step({SEAT: None})
    assert not turns
    assert made.ended == (False, True)
    assert made.outcome.metrics["refused"] == 6
    assert made.outcome.metrics["objects"] == 0


@pytest.mark.parametrize("batch", range(4))
def test_after_fifty_wild_edits_nothing_collides_and_nothing_is_outside(batch: int) -> None:
    rng = np.random.default_rng(batch)
    tools = [kind() for kind in BUILT_IN]
    names = [tool.card.name for tool in tools]
    kind = room_type("bedroom")
    for _ in range(50):
        loop = Weaving(kind, "bedroom", tools, furnished(), Limits(passes=5))
        loop.step = 1
        name = ("update_layout", "update_size", "update_rotation", "add_gpt")[rng.integers(4)]
        loop.attempt(names.index(name), "", json.dumps({"objects": wild(name, rng)}), rng)
        row = loop.rows[-1]
        assert row["result"] in ("accepted", "rolled back"), row["said"]
        assert (row["collisions_left"], row["outside_left"]) == (0, 0)


def wild(name: str, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Changes to half the room, or four new things, anywhere in and about it."""
    entries = []
    ids = [item.id for item in furnished()]
    for number in range(4):
        where = rng.uniform((-1, -1, 0), (7, 6, 1)).tolist()
        size, turn = rng.uniform(0.1, 2.5, 3).tolist(), float(rng.uniform(-3, 3))
        thing = {"location": where, "size": size, "rotation": turn}
        if name == "add_gpt":
            categories = ("desk", "chair", "plant", "sofa", "vase")
            thing |= {"category": categories[rng.integers(5)], "id": f"{20 + number}_new"}
        else:
            field = name.removeprefix("update_")
            kept = {"layout": thing, "size": {"size": size}, "rotation": {"rotation": turn}}
            thing = {"id": ids[rng.integers(len(ids))], **kept[field]}
        entries.append(thing)
    return entries


@pytest.mark.parametrize(
    "edit",
    ["[1]", "{", '"x"', "3", '{"ids": NaN}', '{"ids": ["1"], "ids": ["2"]}', "[" * 3000, "\n{]"],
)
def test_an_edit_that_is_no_object_is_a_refusal(library: SceneWeaver, edit: str) -> None:
    loop = Weaving(room_type("bedroom"), "", [kind() for kind in BUILT_IN], library.scene, Limits())
    loop.step = 1
    assert loop.attempt(11, "", edit, np.random.default_rng(0)) == 0
    assert loop.rows[-1]["result"] == "refused"
    assert (
        "edit" in loop.rows[-1]["said"]
        or "finite" in loop.rows[-1]["said"]
        or "stands twice" in loop.rows[-1]["said"]
    )
    assert loop.now.scene == library.scene


def test_without_physics_what_collides_stays_and_costs() -> None:
    edit = {
        "objects": [
            {"category": "double_bed", "location": [2, 2, 0]},
            {"category": "wardrobe", "location": [2, 2, 0]},
        ]
    }
    first = {"tool": "init_gpt", "ideas": "", "edit": edit}
    loose, held = world(physics=False), world()
    doing(loose, first)
    doing(held, first)
    assert loose.rows[-1]["collisions_left"] == 1
    assert held.rows[-1]["collisions_left"] == 0
    assert held.rows[-1]["collisions_edit"] == 1


def test_what_misses_its_place_is_put_right_by_physics_only() -> None:
    loose, held = (world(physics=physics, slip=0.15) for physics in (False, True))
    for made in (loose, held):
        doing(made, "init_gpt", seed=1)
    (loose_row,), (held_row,) = loose.rows, held.rows
    assert loose_row["collisions_left"] + loose_row["outside_left"] > 0
    assert held_row["collisions_edit"] == loose_row["collisions_edit"]
    assert held_row["collisions_left"] + held_row["outside_left"] == 0


def test_the_record_tells_every_call_and_gives_the_room_back() -> None:
    made = world()
    assert (
        doing(made, "init_metascene", {"tool": "add_gpt", "ideas": "a chair"}, "terminate") is None
    )
    steps = made.outcome.tables["turns"]
    assert steps["tool"] == ["init_metascene", "add_gpt", "terminate"]
    assert steps["plan"][1] == "a chair"
    assert {len(column) for column in steps.values()} == {3}
    (text,) = made.outcome.tables["room"]["layout"]
    again = scene_of_text(text)
    assert [item.id for item in again] == [item.id for item in made.scene]
    for one, other in zip(again, made.scene, strict=True):
        assert one.location == pytest.approx(other.location, abs=1e-4)
    assert set(made.outcome.metrics) == set(SceneWeaver.metric_names)


def test_a_call_in_words_is_read_back_also_with_its_edit() -> None:
    made = world()
    turn = doing(made, "init_metascene")
    said = {
        "tool": "remove_object",
        "ideas": "too – much",
        "edit": {"ids": ["1_double_bed"]},
    }
    action = made.parse(SEAT, json.dumps(said), turn.observation, turn.info)
    assert action["edit"] == '{"ids":["1_double_bed"]}'
    assert made.in_space(SEAT, action)
    again = made.parse(SEAT, made.format(SEAT, action), turn.observation, turn.info)
    assert again == action
    jsonschema.validate({**said, "ideas": "x"}, turn.schema)
    with pytest.raises(IllegalAction, match="init_gpt"):
        made.parse(SEAT, '{"tool": "init_gpt", "ideas": ""}', turn.observation, turn.info)


def test_the_schema_names_the_things_that_are_there_and_the_tools_offered(
    library: SceneWeaver,
) -> None:
    turn = doing(world(), "init_metascene")
    forms = {form["properties"]["tool"]["const"]: form for form in turn.schema["anyOf"]}
    assert set(forms) == offered(turn)
    ids = forms["remove_object"]["properties"]["edit"]["properties"]["ids"]["items"]["enum"]
    assert ids == [item.id for item in library.scene]
    assert "edit" not in forms["terminate"]["properties"]


def test_a_budget_takes_what_costs_more_out_of_the_offer() -> None:
    made = world(budget=3)
    assert offered(doing(made)) == {"init_metascene", "init_physcene"}
    left = doing(made, "init_metascene")
    assert "add_acdc" not in offered(left)
    assert "add_gpt" in offered(left)
    with pytest.raises(UsageError, match="does not pay"):
        world(budget=1, without=["init_metascene", "init_physcene"])


def test_families_of_tools_can_be_left_out() -> None:
    turn = doing(world(without=["implementer", "remove_object"]), "init_metascene")
    assert not any(name.startswith("add_g") or name == "remove_object" for name in offered(turn))
    for without in (["initialiser"], ["terminate"]):
        with pytest.raises(UsageError, match="nothing to begin"):
            world(without=without)


@pytest.mark.parametrize(
    "params",
    [
        {"room": "spaceship"},
        {"room": ""},
        {"steps": 1},
        {"steps": True},
        {"budget": 0},
        {"costs": [0.1]},
        {"costs": [0.1, 0.1, -1]},
        {"control": "voice"},
        {"shows": "sound"},
        {"size": 16},
        {"tools": "x.py:Y"},
        {"tools": ["x"]},
        {"without": ["add_magic"]},
        {"physics": 1},
        {"slip": -0.1},
    ],
)
def test_a_wrong_parameter_is_one_sentence(params: dict[str, Any]) -> None:
    with pytest.raises(GymposiumError):
        world(**params)


def test_gymnasium_makes_it_with_a_demand_and_a_picture() -> None:
    demand = "a hallway with a mirror and two plants"
    env = gymnasium.make("gymposium/SceneWeaver-v0", room=demand, steps=2, size=128)
    seen, _ = env.reset(seed=3)
    assert demand in seen["report"]
    empty = seen["image"].copy()
    seen, reward, *_ = env.step({"tool": 0, "ideas": "", "edit": ""})
    assert reward > 0.5
    there = json.loads(seen["layout"])["objects"].values()
    assert sum(thing["category"] == "plant" for thing in there) >= 2
    assert (seen["image"] != empty).any()


def test_what_was_asked_for_and_is_not_there_is_reported() -> None:
    made = world(room="a hallway with a piano and two plants, no rug")
    turn = doing(made)
    assert sorted(turn.info["unmet"]) == ["piano", "plant", "plant"]
    only_plants = {
        "tool": "init_gpt",
        "ideas": "",
        "edit": {"objects": [{"category": "plant"}] * 2},
    }
    turn = doing(made, only_plants)
    assert turn.info["unmet"] == ("piano",)
    assert "Asked for and not there: piano." in turn.text


def test_choices_are_the_same_game_in_numbers() -> None:
    made, plain = world(control="choice", room="hallway"), world(room="hallway")
    turns, others = made.reset(5), plain.reset(5)
    while turns:
        number = int(np.flatnonzero(turns[SEAT].action_mask)[-1])
        turns = made.step({SEAT: number})
        others = plain.step({SEAT: {"tool": number, "ideas": "", "edit": ""}})
        assert made.scene == plain.scene
        assert made.rewards == plain.rewards
    assert not others


def test_any_room_is_drawn_by_the_seed() -> None:
    made = world(room="any", control="choice")
    kinds = set()
    for seed in range(6):
        made.reset(seed)
        kinds.add(made.scene.room.type)
    assert len(kinds) > 2


def test_a_language_model_plans_by_one_schema_and_writes_edits_of_its_own() -> None:
    made = world(steps=8, room="bathroom")
    agent, turns = resolve("llm:scripted/legal?think=true").create(), made.reset(3)
    agent.reset(made.seats[SEAT], 3)
    while turns:
        said: Any = asyncio.run(agent.act(turns[SEAT]))  # type: ignore[arg-type]
        call = json.dumps(json.loads(said.text)["action"])
        turn = turns[SEAT]
        turns = made.step({SEAT: made.parse(SEAT, call, turn.observation, turn.info)})
    assert any(row["edit"] for row in made.rows)
    assert {row["result"] for row in made.rows} >= {"accepted", "refused"}
    assert not any("failed" in row["said"] for row in made.rows)
