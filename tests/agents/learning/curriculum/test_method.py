"""The loop between teacher and student, as a method like any other."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium
from gymposium.agents.checkpoints import checkpoints, digest
from gymposium.agents.learning.curriculum.curricula import CuRLTraCMethod, TargetMethod
from gymposium.agents.methods import resolve_method
from gymposium.arenas.analysis.curriculum import tree_rollouts, tree_success
from gymposium.envs.trees.binary_tree import BinaryTree
from gymposium.errors import UnknownName, UsageError
from gymposium.types import TrainingTask

TREE = {"depth": 4}
METHODS = (
    "curltrac",
    "target_budget",
    "unconstrained",
    "iid_budgets",
    "exp_schedule",
    "linear_schedule",
    "procurl_target",
)


def task(steps=400, seed=0, **params):
    return TrainingTask("binary_tree-v0", {**TREE, **params}, budget={"steps": steps}, seed=seed)


@pytest.mark.parametrize("name", METHODS)
def test_every_teacher_trains_and_its_rollouts_are_counted(name):
    method = resolve_method(f"{name}?report=3").make()
    last = list(method.train(task()))[-1]
    looked = method.teacher.trials
    assert last.step == method.steps >= 400
    assert method.steps == method.lessons * (8 + looked)
    assert last.metrics["trials"] == method.lessons * looked
    assert 0 <= last.metrics["budget"] <= 1


def test_with_reuse_only_the_trials_are_played():
    method = resolve_method("curltrac?reuse=true&trials=6").make()
    for _ in method.train(task()):
        pass
    assert method.steps == method.trials == 6 * method.lessons


def test_curltrac_solves_a_deep_tree_that_no_budget_at_all_never_solves():
    solved = tree_rollouts({"method": "curltrac", "cap": 6000, "tree": {"depth": 12}}, 0, "smoke")
    assert solved["solved"] == 1
    assert solved["rollouts"] < 4096  # what a first success alone takes from the target
    free = tree_rollouts({"method": "unconstrained", "cap": 800, "tree": {"depth": 6}}, 0, "smoke")
    assert free["solved"] == 0
    assert free["rollouts"] == 800


@pytest.mark.parametrize("student", ["network", "ppo"])
def test_networks_learn_under_a_curriculum_too(student):
    method = resolve_method(f"curltrac?student={student}&episodes=16&lr=0.01").make()
    for _ in method.train(task(700, depth=6, observation="path")):
        pass
    assert method.measure(range(100)).gains(0.0).mean() > 0.8


@pytest.mark.parametrize("student", ["table", "network", "ppo"])
def test_many_tasks_are_held_one_at_a_time(student):
    method = resolve_method(f"curltrac?student={student}&tasks=3&episodes=2&trials=3").make()
    grid = TrainingTask("puddle_grid-v0", {"task": "multi", "horizon": 30}, budget={"steps": 40})
    held = []
    play = method.__class__.step

    for _ in range(6):
        method.begin(grid)
        play(method, 0.0)
        goals = {int(world._goal) for world in method._court._copies}
        held.append(method._court.held % 3 == method._court.held)
        assert len(goals) == 1
    assert all(held)


def test_ppo_cannot_learn_from_trials():
    method = resolve_method("curltrac?student=ppo&reuse=true").make()
    method.begin(task(observation="path"))
    with pytest.raises(UsageError, match="PPO plays its own episodes"):
        method.step(0.0)


def test_networks_refuse_choices_that_are_not_discrete():
    from gymposium.agents.learning.curriculum.students import make_student

    seat = gymposium.make("principal_agent-v0", api="world").seats["principal"]
    config = resolve_method("curltrac?student=network").config()
    with pytest.raises(UsageError, match="needs a Discrete choice"):
        make_student(config, seat, None, np.random.default_rng(0))


def test_a_teacher_of_a_solved_student_chooses_the_target():
    method = CuRLTraCMethod()
    for _ in method.train(task(3000)):
        pass
    assert method.step(1.0)["budget"] == 0


def test_the_exact_success_is_what_is_measured(tmp_path):
    method = TargetMethod()
    method.begin(task(depth=3, slip=0.1))
    for _ in range(40):
        method.step(0.0)
    tree = BinaryTree(depth=3, slip=0.1)
    exact = tree_success(method, *tree.ways(0.0), slip=0.1)
    paid = method._court.play(method.student, range(20_000)).gains(0.0)
    assert abs(paid.mean() - exact) < 4 * 0.5 / np.sqrt(20_000)
    assert exact > 0.3


def test_plain_has_no_baseline_whatever_is_said():
    assert resolve_method("curltrac?plain=true&baseline=mean").config().baseline == "none"


@pytest.mark.parametrize(
    "spec",
    [
        "curltrac?tighten_if_stalled=3&report=2",
        "exp_schedule?report=2",
        "curltrac?student=network&baseline=moving&report=3",
        "curltrac?student=ppo&report=3",
        "procurl_target?student=ppo&report=3",
    ],
)
def test_stopped_and_resumed_equals_uninterrupted(spec):
    given = task(200, depth=3, observation="path" if "student" in spec else "node")
    whole = resolve_method(spec).make()
    moments = list(whole.train(given))
    cut = resolve_method(spec).make()
    course = cut.train(given)
    for _ in range(len(moments) // 2):
        next(course)
    state = cut.state_dict()
    course.close()
    on = resolve_method(spec).make()
    on.load_state_dict(state)
    assert list(on.train(given)) == moments[len(moments) // 2 :]
    read = resolve_method(spec).make()  # as a checkpoint's reader does: no training at all
    read.load_state_dict(on.state_dict())
    world = BinaryTree(**given.params)
    turn = world.reset(0)["player_0"]
    plays = []
    for made in (whole, on, read):
        agent = made.agents()["player_0"]
        agent.reset(world.seats["player_0"], 5)
        plays.append([agent.act(turn) for _ in range(50)])
    assert plays[0] == plays[1] == plays[2]


def test_it_trains_from_a_scenario_and_its_checkpoint_sits_in_the_world(tmp_path):
    run = gymposium.train(
        "binary_tree",
        ["curltrac?report=5", "target_budget?report=5"],
        params=TREE,
        budget={"steps": 2500},
        evaluation={"every": 2500, "matches": 20},
        out=tmp_path / "run",
    )
    table = run.table()
    assert list(table["return"] > 0.7) == [True, True]
    again = gymposium.train(
        "binary_tree",
        ["curltrac?report=5"],
        params=TREE,
        budget={"steps": 2500},
        evaluation={"every": 2500, "matches": 20},
        out=tmp_path / "again",
    )

    def newest(trained):
        folder = next(iter(trained.learners.values())) / "checkpoints"
        return digest(list(checkpoints(folder).values())[-1])

    assert newest(run) == newest(again)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("curltrac?episodes=0", "episodes must be at least 1"),
        ("curltrac?trials=0", "trials must be at least 1"),
        ("curltrac?student=tabel", "did you mean 'table'"),
        ("exp_schedule?decay=0", "decay must be at least"),
        ("linear_schedule?end=2", "end must be at least .* at most 1"),
        ("curltrac?epsilon=2", "epsilon must be"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(spec, said):
    with pytest.raises(UsageError, match=said):
        resolve_method(spec).make()


def test_worlds_without_a_budget_and_partners_are_refused():
    method = CuRLTraCMethod()
    with pytest.raises(UsageError, match="has no budget that a curriculum could move"):
        next(iter(method.train(TrainingTask("survival_bandit-v0", budget={"steps": 10}))))
    with pytest.raises(UsageError, match="no place for partners"):
        method.begin(TrainingTask("binary_tree-v0", partners={"player_0": "random"}))
    with pytest.raises(UsageError, match="nothing is trained yet"):
        method.agents()
    with pytest.raises(UnknownName, match="did you mean 'curltrac'"):
        resolve_method("curltrack")
