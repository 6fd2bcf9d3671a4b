"""REINFORCE on a table against expectations over every descent of a small tree."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.learning.curriculum.episodes import Court, Episodes
from gymposium.agents.learning.curriculum.table import TableAgent, draw
from gymposium.envs.trees.binary_tree import BinaryTree
from gymposium.errors import UsageError
from gymposium.types import Seat, TrainingTask, Turn


def court(depth, **params):
    return Court(TrainingTask("binary_tree-v0", {"depth": depth, **params}))


def test_of_a_uniform_policy_half_the_tree_moves_the_root_by_a_quarter_and_nothing_else(
    make_table, whole_tree
):
    tree = BinaryTree(depth=5)
    student = make_table(tree)
    episodes, chances = whole_tree(tree, student)
    gains = episodes.gains(15 / 31)
    assert gains.sum() == 16
    student.climb(episodes, gains * chances * len(episodes))
    logits = student.table.logits
    assert logits[0] == pytest.approx([0.25, -0.25])
    assert logits[1:] == pytest.approx(0)


def test_the_sampled_gradient_is_the_expected_one(make_table):
    student, place = make_table(BinaryTree(depth=4)), court(4)
    episodes = place.play(student, range(20_000))
    student.climb(episodes, episodes.gains(7 / 15))
    assert student.table.logits[0, 0] == pytest.approx(0.25, abs=4 * 0.5 / np.sqrt(20_000))
    assert np.abs(student.table.logits[1:15]).max() < 0.02


def test_one_decision_follows_the_logistic_dynamics(make_table, whole_tree):
    tree = BinaryTree(depth=1)
    student = make_table(tree, lr=0.7)
    left = 0.0  # the left logit; the right one is its mirror image
    for _ in range(30):
        episodes, chances = whole_tree(tree, student)
        student.climb(episodes, episodes.gains(0.0) * chances * 2)
        chance = 1 / (1 + np.exp(-2 * left))
        left += 0.7 * chance * (1 - chance)
        assert student.table.logits[0] == pytest.approx([left, -left])


def test_at_first_the_target_is_met_once_in_2_to_the_depth_rollouts(make_table):
    depth, block, blocks = 5, 22, 2000
    student, place = make_table(BinaryTree(depth=depth)), court(depth)
    met = place.play(student, range(block * blocks)).gains(0.0) > 0
    chance = 2.0**-depth
    assert abs(met.mean() - chance) < 4 * np.sqrt(chance / len(met))
    none = (~met.reshape(blocks, block).any(1)).mean()
    expected = (1 - chance) ** block
    assert abs(none - expected) < 4 * np.sqrt(expected * (1 - expected) / blocks)
    waits = np.diff(np.flatnonzero(met))
    assert abs(waits.mean() - 2**depth) < 4 * 2**depth / np.sqrt(len(waits))


def test_swapping_branches_changes_nothing_but_their_names(make_table, whole_tree):
    curves = []
    for shuffle in ("none", "swaps"):
        tree = BinaryTree(depth=4, shuffle=shuffle, shuffle_seed=5)
        student = make_table(tree, lr=2.0)
        curve = []
        for budget in (0.5, 0.5, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0):
            episodes, chances = whole_tree(tree, student)
            curve.append(float((chances * episodes.gains(0.0)).sum()))
            student.climb(episodes, episodes.gains(budget) * chances * len(episodes))
        curves.append(curve)
    assert curves[0] == pytest.approx(curves[1])
    assert curves[0][-1] > 5 * curves[0][0]


def test_a_baseline_leaves_the_expected_direction_and_a_flat_batch_moves_nothing(make_table):
    place = court(3)
    student = make_table(BinaryTree(depth=3), baseline="mean")
    student.lesson(place, 1.0, range(8), None)  # everything is paid
    assert not student.table.logits.any()
    plain = make_table(BinaryTree(depth=3), baseline="none")
    plain.lesson(place, 1.0, range(8), None)
    assert plain.table.logits.any()


def test_a_moving_baseline_follows_what_is_paid(make_table):
    student = make_table(BinaryTree(depth=2), baseline="moving")
    for _ in range(3):
        student.lesson(court(2), 1.0, range(4), None)
    assert student.state_dict()["average"] == pytest.approx(1 - 0.9**3)


def test_epsilon_plays_uniformly_and_learns_from_the_mixture_that_was_played(make_table):
    tree = BinaryTree(depth=1)
    student = make_table(tree, epsilon=0.4)
    student.table.logits[0] = [2.0, 0.0]
    p = 1 / (1 + np.exp(-2.0))
    seen = np.zeros(20_000, int)
    share = (student.decide(seen, None) == 0).mean()
    assert share == pytest.approx(0.6 * p + 0.2, abs=0.015)

    def log_mixture(theta):
        return np.log(0.6 / (1 + np.exp(-theta)) + 0.2)

    slope = (log_mixture(2 + 1e-6) - log_mixture(2 - 1e-6)) / 2e-6
    one = np.zeros(1, int)
    student.climb(Episodes(np.zeros(1), np.ones(1), one, one, one), np.ones(1))
    assert student.table.logits[0, 0] - 2 == pytest.approx(slope, rel=1e-4)


def test_draws_are_by_inversion_and_never_closed():
    chances = np.array([[0.2, 0.0, 0.8]] * 3)
    assert draw(chances, np.array([0.1, 0.2, 0.999999999])).tolist() == [0, 2, 2]


def test_a_table_takes_observations_that_are_not_numbered_and_masks(make_table):
    tree = BinaryTree(depth=3, observation="path")
    student, place = make_table(tree), court(3, observation="path")
    place.play(student, range(60))
    assert len(student.table.keys) == 7
    agent = student.agent()
    agent.reset(tree.seats["player_0"], 1)
    turn = tree.reset(0)["player_0"]
    only = Turn("player_0", 0, turn.observation, 0.0, turn.action_space, np.array([0, 1], np.int8))
    assert {agent.act(only) for _ in range(20)} == {1}


def test_the_agent_plays_the_table_and_is_uniform_where_it_knows_nothing(make_table):
    tree = BinaryTree(depth=2, observation="path")
    student = make_table(tree)
    place = court(2, observation="path")
    for _ in range(200):
        student.lesson(place, 0.0, range(8), None)
    turn = tree.reset(0)["player_0"]
    agent = TableAgent(student.table)
    agent.reset(tree.seats["player_0"], 3)
    assert np.mean([agent.act(turn) for _ in range(100)]) < 0.1
    blank = make_table(tree).agent()
    blank.reset(tree.seats["player_0"], 3)
    assert 0.3 < np.mean([blank.act(turn) for _ in range(200)]) < 0.7


def test_what_is_not_a_discrete_choice_is_refused(make_table):
    import gymposium

    seat: Seat = gymposium.make("principal_agent-v0", api="world").seats["principal"]
    world = type("World", (), {"seats": {"player_0": seat}})
    with pytest.raises(UsageError, match="a table needs a Discrete choice"):
        make_table(world)
