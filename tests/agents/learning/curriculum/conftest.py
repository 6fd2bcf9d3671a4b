"""Students of small trees, and all that can happen to them."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.learning.curriculum.episodes import Episodes
from gymposium.agents.learning.curriculum.table import TableStudent
from gymposium.envs.trees.binary_tree import BinaryTree


@pytest.fixture
def make_table():
    def make(world, *, lr=1.0, baseline="none", epsilon=0.0, seed=0):
        return TableStudent(
            world.seats["player_0"],
            lr=lr,
            baseline=baseline,
            epsilon=epsilon,
            rng=np.random.default_rng(seed),
        )

    return make


@pytest.fixture
def whole_tree():
    """Every descent of a tree once, and each one's probability under a student."""

    def build(tree: BinaryTree, student: TableStudent):
        nodes, branches = tree.ways(tree.max_budget)
        count, depth = nodes.shape
        costs = tree.leaf_costs[np.arange(count)]
        rows = np.repeat(np.arange(count), depth)
        episodes = Episodes(costs, np.ones(count), rows, nodes.ravel(), branches.ravel())
        policy = student.table.probabilities(nodes.ravel())
        taken = policy[np.arange(len(policy)), branches.ravel()].reshape(count, depth)
        return episodes, taken.prod(1)

    return build
