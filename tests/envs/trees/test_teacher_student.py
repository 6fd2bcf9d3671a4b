"""The curriculum as a game of two seats."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium
from gymposium.agents.registry import resolve
from gymposium.envs.trees.teacher_student import TeacherStudent
from gymposium.errors import IllegalAction, UsageError


def play(world, teacher, student, seed=0):
    agents = {"teacher": resolve(teacher).create(), "student": resolve(student).create()}
    for seat, agent in agents.items():
        agent.reset(world.seats[seat], seed)
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
    return world.outcome


def descend(world, budget, branches):
    world.step({"teacher": budget})
    paid = 0.0
    for branch in branches:
        world.step({"student": branch})
        paid += world.rewards["student"]
    return paid, world.rewards["teacher"]


def test_the_student_is_paid_within_the_teachers_budget_and_the_teacher_for_the_target():
    world = TeacherStudent(depth=2, rounds=9, window=3, buckets=4, shuffle_seed=0)
    world.reset(0)
    cheapest = int(world._costs.argmin())
    free = [cheapest >> 1, cheapest & 1]
    dear = [1 - free[0], free[1]]
    cost = float(world._costs[2 * dear[0] + dear[1]])
    assert descend(world, np.array(0.0), free) == (1.0, pytest.approx(1 / 3))
    assert descend(world, np.array(cost), dear) == (1.0, 0.0)
    assert descend(world, np.array(cost - 0.01), dear) == (0.0, 0.0)
    assert descend(world, np.array(1.0), dear) == (1.0, pytest.approx(-1 / 3))


def test_the_teacher_sees_how_many_recent_rounds_kept_each_budget():
    world = TeacherStudent(depth=2, rounds=9, window=2, buckets=4, shuffle_seed=1)
    world.reset(0)
    for leaf in range(4):
        descend(world, np.array(1.0), [leaf >> 1, leaf & 1])
    costs = world._costs[[2, 3]]
    seen = world.observe("teacher")
    assert seen["recent"] == 2
    assert seen["within"].tolist() == [int((costs <= edge + 1e-9).sum()) for edge in world.edges]


def test_silence_sets_the_target_and_keeps_no_budget():
    world = TeacherStudent(depth=2, rounds=2, window=2, buckets=4)
    world.reset(0)
    world.step({"teacher": None})
    turns = world.step({"student": None})
    assert "teacher" in turns
    assert world.rewards == {"teacher": 0.0, "student": 0.0}
    assert turns["teacher"].observation["within"].tolist() == [0, 0, 0, 0]
    with pytest.raises(IllegalAction):
        world.step({"teacher": np.array(1.5)})


def test_the_tree_is_the_matchs_own_and_hides_its_cheap_leaf():
    world, places = TeacherStudent(depth=4), set()
    for seed in range(30):
        world.reset(seed)
        places.add(int(world._costs.argmin()))
    assert len(places) > 8


def test_a_teacher_with_a_curriculum_beats_one_that_insists():
    world = TeacherStudent(depth=9, rounds=900, buckets=512)
    ends = {
        teacher: [
            play(world, f"scripted:{teacher}", "scripted:tabular_student", seed).metrics[
                "target_success"
            ]
            for seed in range(8)
        ]
        for teacher in ("curltrac_teacher", "target_teacher")
    }
    assert np.mean(ends["curltrac_teacher"]) > np.mean(ends["target_teacher"]) + 0.3


def test_the_teachers_return_is_the_share_at_the_end():
    world = TeacherStudent(depth=3, rounds=80)
    outcome = play(world, "scripted:curltrac_teacher", "scripted:tabular_student")
    assert outcome.returns["teacher"] == pytest.approx(outcome.metrics["target_success"])


def test_it_is_played_in_the_arena(tmp_path):
    run = gymposium.run(
        {
            "name": "lesson",
            "world": "teacher_student-v0",
            "params": {"depth": 2, "rounds": 10},
            "roles": {"student": "background"},
            "background": ["scripted:tabular_student"],
            "schedule": {"kind": "focal_x_background"},
        },
        ["scripted:curltrac_teacher", "scripted:target_teacher"],
        out=tmp_path / "run",
    )
    assert run.table()["faults"].sum() == 0


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"depth": 11}, "depth must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"buckets": 1}, "buckets must be a whole number from 2"),
        ({"shuffle_seed": -1}, "shuffle_seed must be"),
        ({"show_budget": 1}, "show_budget"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(params, said):
    with pytest.raises(UsageError, match=said):
        TeacherStudent(**params)


@pytest.mark.parametrize(
    "spec", ["curltrac_teacher?beta=0", "tabular_student?lr=-1", "responder?verbosity=10"]
)
def test_bots_refuse_parameters_that_make_no_sense(spec):
    with pytest.raises(UsageError, match=r"must be (above|from) 0"):
        resolve(f"scripted:{spec}").create()
