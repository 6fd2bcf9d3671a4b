"""Tasks, rewards, words and beliefs of primitive_skill-v0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.envs.registry import make_world
from gymposium.envs.visual.primitive_tasks import TARGETS, TASKS, stage_score
from gymposium.envs.visual.primitive_words import Skill, read_skill, score_places
from gymposium.errors import UsageError

SEAT = "player_0"


def begun(seed=0, **params):
    world = make_world("primitive_skill-v0", **{"size": 16, **params})
    return world, world.reset(seed)[SEAT]


def at(place):
    return ",".join(str(round(part)) for part in place)


def test_two_turns_of_pick_and_place_stack_three_cubes():
    for seed in range(5):
        world, turn = begun(seed)
        state = turn.info["state"]
        x, y, _ = state["green_cube"]
        world.step_parsed([f"pick({at(state['red_cube'])})", f"place({x},{y},60)"])
        assert world.rewards[SEAT] == pytest.approx(0.5)
        world.step_parsed([f"pick({at(state['purple_cube'])})", f"place({x},{y},100)"])
        assert world.rewards[SEAT] == pytest.approx(0.5 + 10 - 0.4)
        assert world.outcome.terminated[SEAT]
        assert world.outcome.metrics["success"] == 1


def test_two_turns_of_pick_and_place_align_two_cubes():
    world, turn = begun(3, task="align")
    for name in ("red_cube", "green_cube"):
        x, y, z = turn.info["state"][name]
        world.step_parsed([f"pick({x},{y},{z})", f"place(0,{y},20)"])
    assert world.outcome.returns[SEAT] == pytest.approx(10 - 0.4 + 2 * 0.5)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(8))
def test_things_start_where_the_task_says(task, seed):
    _, turn = begun(seed, task=task)
    state = turn.info["state"]
    if task == "align":
        assert 100 <= state["red_cube"][0] <= 150
        assert -200 <= state["red_cube"][1] <= 100 <= state["green_cube"][1] <= 200
    if task == "place":
        assert all(-100 <= state[name][0] <= 0 for name in ("red_cube", "green_cube"))
        assert state["left_target"] == [80, -100, 0]
    if task == "drawer":
        low = [limit[0] for limit in TASKS[task].limits]
        high = [limit[1] for limit in TASKS[task].limits]
        assert (np.array(state["apple"]) >= low).all()
        assert (np.array(state["apple"]) <= high).all()
    cubes = [place for name, place in state.items() if name.endswith("_cube")]
    for index, one in enumerate(cubes):
        for two in cubes[:index]:
            assert np.abs(np.subtract(one, two)).max() > 40


def test_the_end_pays_for_the_highest_stage_less_the_skills():
    world, turn = begun(1, task="place", turns=1)
    red = turn.info["state"]["red_cube"]
    world.step_parsed([f"pick({at(red)})", f"place({at(TARGETS['left_target'])})"])
    assert world.outcome.truncated[SEAT]
    assert world.outcome.returns[SEAT] == pytest.approx(0.5 + 2 - 0.2)
    assert world.outcome.metrics["stage"] == 1


def test_legacy_stage_keys_credit_stages_in_align_only():
    for task, name, goal, worth in (
        ("place", "red_cube", (80, -100, 20), 0),
        ("align", "green_cube", (0, 150, 20), 4),
        ("align", "red_cube", (0, -50, 20), 2),
    ):
        world, turn = begun(1, task=task)
        table = world.table
        table.pick(turn.info["state"][name])
        table.put(goal)
        assert stage_score(TASKS[task], table, legacy=True) == worth
        assert stage_score(TASKS[task], table, legacy=False) == (worth or 2)


def test_a_held_cube_is_on_no_target():
    world, turn = begun(2, task="place")
    table = world.table
    for name, target in (("red_cube", "left_target"), ("green_cube", "right_target")):
        table.pick(turn.info["state"][name])
        table.put(TARGETS[target])
    assert all(TASKS["place"].reached(table))
    table.pick((80, 100, 20))
    assert TASKS["place"].reached(table) == (True, False)


def test_ten_skills_end_a_match_as_a_limit_does():
    world, _ = begun(0)
    for _ in range(5):
        world.step_parsed(["pick(150,200,200)", "pick(150,200,200)"])
    outcome = world.outcome
    assert outcome.truncated[SEAT]
    assert outcome.metrics["wasted"] == 10
    assert outcome.returns[SEAT] == pytest.approx(5 * 0.5 - 1.0)


def test_places_are_told_without_names_in_an_order_that_the_seed_draws():
    orders = set()
    for seed in range(12):
        _, turn = begun(seed)
        state = turn.info["state"]
        names = ("red_cube", "green_cube", "purple_cube")
        told = turn.text.partition("in no order: ")[2].partition(".\n")[0]
        places = ["(" + ", ".join(map(str, state[name])) + ")" for name in names]
        assert sorted(places) == sorted(f"({part}" for part in told[1:].split(", ("))
        assert not any(word in told for word in ("red", "green", "purple"))
        orders.add(tuple(sorted(range(3), key=lambda i: told.index(places[i]))))
    assert len(orders) > 3


def test_a_skill_that_met_nothing_is_said_until_one_meets_something():
    world, turn = begun(0)
    assert "met nothing" not in turn.text
    assert "met nothing" in world.step_parsed(["pick(150,200,200)"])[SEAT].text
    red = at(turn.info["state"]["red_cube"])
    assert "met nothing" not in world.step_parsed([f"pick({red})"])[SEAT].text


def test_text_tells_what_the_picture_shows():
    _, turn = begun(0, shows="text")
    state = turn.info["state"]
    assert f"red cube at ({', '.join(map(str, state['red_cube']))})" in turn.text
    assert "no order" not in turn.text
    assert not turn.images


@pytest.mark.parametrize(
    ("word", "skill"),
    [
        ("pick(62, -55, 20)", Skill("pick", (62, -55, 20))),
        (" PLACE( 1,2,3 ) ", Skill("place", (1, 2, 3))),
        ("push(1,2,3,4,5,6)", Skill("push", (1, 2, 3, 4, 5, 6))),
        ("push(1,2,3)", None),
        ("pick(1,2)", None),
        ("pick(1,2,)", None),
        ("pick(1.5,2,3)", None),
        ("pick 1 2 3", None),
        ("throw(1,2,3)", None),
        ("pick(1,2,3) now", None),
        ("pick(1 1,2,3)", None),
        ("", None),
    ],
)
def test_a_skill_is_a_name_and_its_whole_numbers(word, skill):
    assert read_skill(word) == skill


def test_a_wrong_skill_ends_the_turn_and_costs_the_format_reward():
    world, _ = begun(0)
    turn = world.step_parsed(["pick(0,0,20)", "pick(0,0)"])[SEAT]
    assert world.rewards[SEAT] == 0
    assert turn.info["executed"] == ["pick(0,0,20)"]


TRUTH = {"red_cube": [10, -20, 20], "green_cube": [100, 50, 60], "held": ""}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The red cube is at (10, -20, 20) and the green cube at (100, 50, 60).", 1),
        ("The red cube is at (20, -30, 10).", 1),
        ("The red cube is at (21, -20, 20).", 0),
        ("The red one is at [10, -20, 20]; green: (100,50,60)", 1),
        ("red_cube (100, 50, 60), green_cube (10, -20, 20)", 0),
        ("At (10, -20, 20) stands the red cube.", 1),
        ("The red cube is on the left.", 0),
        ("The blue cube is at (10, -20, 20).", 0),
        ("", 0),
    ],
)
def test_a_belief_in_words_is_right_if_every_place_it_names_is(text, right):
    assert score_places(text, TRUTH, "natural") == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"red_cube": (10, -20, 20), "green_cube": (100, 50, 60)}', 1),
        ('{"Red Cube": [12, -11, 20]}', 1),
        ('{"red_cube": (10, -20, 31)}', 0),
        ('{"red_cube": (10, -20)}', 0),
        ('{"blue_cube": (10, -20, 20)}', 0),
        ('{"held": "x"}', 0),
        ("[1, 2]", 0),
        ("{}", 0),
        ("the red cube is at (10, -20, 20)", 0),
        ("[" * 5000, 0),
    ],
)
def test_a_belief_in_json_is_right_if_every_place_it_names_is(text, right):
    assert score_places(text, TRUTH, "structured") == right


@given(st.text(alphabet='(){}[]redcubgn_",:0123456789.- \n', max_size=80))
def test_reading_skills_and_beliefs_takes_any_text(text):
    skill = read_skill(text)
    assert skill is None or len(skill.at) in (3, 6)
    for representation in ("natural", "structured"):
        assert score_places(text, TRUTH, representation) in (0, 1)


@pytest.mark.parametrize(
    "params",
    [{"task": "pour"}, {"physics": "magic"}, {"size": 2}, {"representation": "symbolic"}],
)
def test_values_that_do_not_do_are_refused(params):
    with pytest.raises(UsageError):
        make_world("primitive_skill-v0", **params)
