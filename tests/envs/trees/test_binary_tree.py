"""The binary tree against its closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymposium
from gymposium.envs.trees.binary_tree import BinaryTree
from gymposium.errors import UnknownName, UsageError


def descend(tree, branches, seed=0):
    turns = tree.reset(seed)
    earned = []
    for branch in branches:
        turns = tree.step({"player_0": branch})
        earned.append(tree.rewards["player_0"])
    assert not turns
    return earned


def every_way(depth):
    return itertools.product((0, 1), repeat=depth)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_a_budget_admits_its_floor_plus_one_leaves(depth):
    tree = BinaryTree(depth=depth)
    last = 2**depth - 1
    for budget in np.linspace(0, 1, 23):
        tree.set_budget(float(budget))
        paid = sum(descend(tree, way)[-1] for way in every_way(depth))
        assert paid == np.floor(budget * last + 1e-9) + 1


def test_only_the_left_most_leaf_pays_under_the_deployment_budget():
    tree = BinaryTree(depth=4)
    for way in every_way(4):
        earned = descend(tree, way)
        assert earned == [0, 0, 0, float(not any(way))]
        assert tree.outcome.metrics["raw_return"] == 1
        assert tree.outcome.metrics["feasible"] == (not any(way))


def test_the_largest_budget_pays_the_raw_return_everywhere():
    tree = BinaryTree(depth=3)
    tree.set_budget(tree.max_budget)
    assert {sum(descend(tree, way)) for way in every_way(3)} == {1.0}
    tree.set_budget(None)
    assert tree.budget == tree.target_budget == 0


def test_nodes_are_numbered_level_by_level():
    tree = BinaryTree(depth=3)
    turn = tree.reset(0)["player_0"]
    seen = [turn.observation]
    for branch in (1, 0):
        seen.append(tree.step({"player_0": branch})["player_0"].observation)
    assert seen == [0, 2, 5]
    tree.step({"player_0": 1})
    assert tree.outcome.final_observations["player_0"] == 12
    assert tree.outcome.metrics["cost"] == pytest.approx(5 / 7)


def test_the_path_is_the_branches_taken():
    tree = BinaryTree(depth=3, observation="path")
    tree.reset(0)
    turn = tree.step({"player_0": 1})["player_0"]
    assert turn.observation.tolist() == [1, 0, 0]
    assert turn.text.startswith("So far you went right.")


def test_silence_ends_the_descent_and_earns_nothing():
    tree = BinaryTree(depth=3)
    tree.reset(0)
    assert tree.step({"player_0": None}) == {}
    assert tree.outcome.returns == {"player_0": 0.0}


@pytest.mark.parametrize("shuffle", ["swaps", "leaves"])
def test_shuffling_keeps_the_costs_and_swaps_keep_the_neighbours(shuffle):
    plain, shuffled = (
        BinaryTree(depth=6, shuffle=kind, shuffle_seed=3).leaf_costs for kind in ("none", shuffle)
    )
    assert sorted(shuffled) == sorted(plain)
    assert (shuffled != plain).any()
    whole = all(
        set(np.sort(part.ravel()).tolist()) in [set(p.tolist()) for p in plain.reshape(-1, size)]
        for size in (2, 4, 8)
        for part in shuffled.reshape(-1, size)
    )
    assert whole == (shuffle == "swaps")


@settings(max_examples=40, deadline=None)
@given(
    depth=st.integers(1, 6),
    slip=st.sampled_from([0.0, 0.3, 1.0]),
    seeds=st.lists(st.integers(0, 2**40), min_size=1, max_size=5),
    data=st.data(),
)
def test_descents_side_by_side_are_the_world_bit_for_bit(depth, slip, seeds, data):
    tree = BinaryTree(depth=depth, slip=slip)
    ways = [data.draw(st.tuples(*[st.integers(0, 1)] * depth)) for _ in seeds]
    table = tree.side_by_side(len(seeds))
    asked, visited = table.begin(seeds), []
    for level in range(depth):
        assert asked[0].tolist() == list(range(len(seeds)))
        visited.append(asked[1])
        asked = table.step(np.array([way[level] for way in ways]))
    assert asked is None
    for row, (seed, way) in enumerate(zip(seeds, ways, strict=True)):
        turns = tree.reset(seed)
        for level, branch in enumerate(way):
            assert turns["player_0"].observation == visited[level][row]
            turns = tree.step({"player_0": branch})
        assert (tree.cost, tree.raw_return) == (table.costs[row], table.returns[row])


def test_slips_take_the_other_branch_as_often_as_told():
    tree = BinaryTree(depth=10, slip=0.2)
    table = tree.side_by_side(2000)
    table.begin(range(2000))
    for _ in range(10):
        table.step(np.zeros(2000, int))
    ways = np.round(table.costs * 1023).astype(int)
    slips = (ways[:, None] >> np.arange(10) & 1).mean()
    assert abs(slips - 0.2) < 4 * np.sqrt(0.16 / 20_000)


def test_the_ways_lead_to_the_leaves_within_the_budget():
    tree = BinaryTree(depth=4, shuffle="leaves", shuffle_seed=1)
    nodes, branches = tree.ways(0.4)
    assert len(nodes) == (tree.leaf_costs <= 0.4).sum() == 7
    for row, way in zip(nodes, branches, strict=True):
        turns, seen = tree.reset(0), []
        for branch in way.tolist():
            seen.append(turns["player_0"].observation)
            turns = tree.step({"player_0": branch})
        assert seen == row.tolist()
        assert tree.cost <= 0.4


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"depth": 0}, "depth must be a whole number from 1 to 20"),
        ({"depth": 21}, "depth"),
        ({"depth": True}, "depth"),
        ({"budget": -0.1}, "budget must be a number of at least 0"),
        ({"budget": float("nan")}, "budget"),
        ({"slip": 1.5}, "slip must be from 0 to 1"),
        ({"depth": 2, "leaf_costs": [0, 1]}, "must hold 4 costs at depth 2, got 2"),
        ({"depth": 1, "leaf_costs": [0, -1]}, "a leaf's cost must be"),
        ({"depth": 1, "leaf_costs": [0, float("nan")]}, "a leaf's cost must be"),
        ({"shuffle": "swap"}, "did you mean 'swaps'"),
        ({"observation": "nodes"}, "did you mean 'node'"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(params, said):
    with pytest.raises(UsageError, match=said):
        BinaryTree(**params)


def test_bad_budgets_and_tasks_are_refused():
    tree = BinaryTree(depth=2)
    for budget in (-1, float("inf"), float("nan"), "much", True):
        with pytest.raises(UsageError, match="budget must be a number of at least 0"):
            tree.set_budget(budget)
    with pytest.raises(UsageError, match="task"):
        tree.set_task(-1)
    with pytest.raises(UnknownName):
        gymposium.make("binary_tree-v0", dept=3)


def test_a_budget_of_zero_pays_for_free_leaves_only():
    costly = BinaryTree(depth=2, leaf_costs=[1, 1, 2, 2], budget=0)
    assert sum(sum(descend(costly, way)) for way in every_way(2)) == 0
