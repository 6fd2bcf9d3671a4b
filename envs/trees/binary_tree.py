"""Binary tree: a way to one leaf among thousands, and a budget that only that leaf keeps.

What it is
    A perfect binary tree. One descends from the root, left or right, and every leaf pays 1; but
    leaves have costs, and what is paid counts only if the cost is within the budget. By default
    only the left-most leaf is free and the budget is 0, so that a random descent earns something
    once in 2^depth.

Seats
    One, ``player_0``.

Observation
    Discrete: the node (0 is the root, the children of i are 2i + 1 and 2i + 2). With
    ``observation`` path a float32 vector of length ``depth``: the branches taken so far, -1 for
    left and 1 for right, then zeros.

Actions
    Discrete 2: left, right.

Rules
    Each step goes down one level; with probability ``slip`` into the other branch. The leaf's cost
    is the match's cost. A step without a legal answer ends the descent, and nothing is earned.

Reward
    0 on the way; at the leaf 1 if its cost is at most ``budget``, else 0.

End
    Terminated at a leaf.

Words
    ``left`` and ``right``.

Parameters
    See ``BinaryTreeParams``.

Metrics
    ``cost`` (of the leaf); ``raw_return`` (1 at any leaf); ``feasible`` (cost within the budget).

Source
    Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent (NeurIPS
    2025), the binary tree of Theorem 1. Derived: leaf i of 2^depth costs i / (2^depth - 1), nodes
    cost nothing, slip and shuffling.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Action

from .budgeted import SEAT, BudgetedWorld, check_budget

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
DEEPEST = 20
SHUFFLES = ("none", "swaps", "leaves")
OBSERVATIONS = ("node", "path")
LABELS = ("left", "right")


@dataclass(frozen=True)
class BinaryTreeParams:
    """Parameters of ``binary_tree-v0``."""

    depth: int = field(
        default=12, metadata={"doc": "steps to a leaf", "unit": "steps", "range": [1, DEEPEST]}
    )
    budget: float = field(
        default=0.0, metadata={"doc": "the deployment budget: the most a leaf may cost", "low": 0}
    )
    leaf_costs: tuple[float, ...] | None = field(
        default=None,
        metadata={"doc": "2^depth costs, left to right; None rises evenly from 0 to 1"},
    )
    shuffle: str = field(
        default="none",
        metadata={
            "doc": "swaps exchanges left and right at each node with probability a half; leaves "
            "puts the costs in any order",
            "choices": SHUFFLES,
        },
    )
    shuffle_seed: int = field(
        default=0, metadata={"doc": "which shuffling", "range": [0, 2**32 - 1]}
    )
    slip: float = field(
        default=0.0, metadata={"doc": "chance of the other branch", "range": "0 to 1"}
    )
    observation: str = field(
        default="node",
        metadata={"doc": "the node's number, or the branches taken", "choices": OBSERVATIONS},
    )

    def __post_init__(self) -> None:
        for name, low, high in (("depth", 1, DEEPEST), ("shuffle_seed", 0, 2**32 - 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UsageError(
                    f"binary_tree: {name} must be a whole number from {low} to {high}, got "
                    f"{value!r:.60}"
                )
        check_budget("binary_tree", self.budget)
        for name, choices in (("shuffle", SHUFFLES), ("observation", OBSERVATIONS)):
            if getattr(self, name) not in choices:
                raise UnknownName(name, str(getattr(self, name)), choices, where="binary_tree")
        if isinstance(self.slip, bool) or not 0 <= self.slip <= 1:
            raise UsageError(f"binary_tree: slip must be from 0 to 1, got {self.slip!r:.60}")
        if self.leaf_costs is not None:
            object.__setattr__(self, "leaf_costs", self._given())

    def _given(self) -> tuple[float, ...]:
        costs = self.leaf_costs or ()
        if len(costs) != 2**self.depth:
            raise UsageError(
                f"binary_tree: leaf_costs must hold {2**self.depth} costs at depth {self.depth}, "
                f"got {len(costs)}"
            )
        for cost in costs:
            if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < 1e12:
                raise UsageError(f"binary_tree: a leaf's cost must be 0 to 1e12, got {cost!r:.60}")
        return tuple(float(cost) for cost in costs)

    def costs(self) -> Array:
        """float64 ``[2^depth]``: what each leaf costs, left to right."""
        leaves = 2**self.depth
        costs: Array = np.arange(leaves) / (leaves - 1)
        if self.leaf_costs is not None:
            costs = np.array(self.leaf_costs)
        rng = np.random.default_rng(self.shuffle_seed)
        if self.shuffle == "leaves":
            costs = rng.permutation(costs)
        if self.shuffle == "swaps":
            for level in range(self.depth):
                pairs = costs.reshape(2**level, 2, -1)
                swapped = rng.random(2**level) < 0.5
                costs = np.where(swapped[:, None, None], pairs[:, ::-1], pairs).ravel()
        return costs


class BinaryTree(BudgetedWorld):
    """Go down a tree, left or right; every leaf pays 1, if what it costs is within the budget."""

    id: ClassVar[str] = "binary_tree-v0"
    fault_rule = "A step without a legal answer ends the descent, and nothing is earned."

    def __init__(self, **params: Any) -> None:
        self.params = p = BinaryTreeParams(**params)
        self.horizon = p.depth
        self.leaf_costs = p.costs()
        self.budget = p.budget
        seen: Any = spaces.Discrete(2 ** (p.depth + 1) - 1)
        if p.observation == "path":
            seen = spaces.Box(-1.0, 1.0, (p.depth,), np.float32)
        self._seat_all([SEAT], {SEAT: seen}, {SEAT: spaces.Discrete(2)})
        self._path: list[int] = []
        self._stopped = False
        self._luck = np.zeros(0)

    @property
    def target_budget(self) -> float:
        """The deployment budget."""
        return float(self.params.budget)

    @property
    def max_budget(self) -> float:
        """What the dearest leaf costs."""
        return float(self.leaf_costs.max())

    # The rules.

    def _start(self, rng: np.random.Generator) -> None:
        self._path, self._stopped = [], False
        self._luck = rng.random(self.params.depth) if self.params.slip else np.zeros(0)

    def _move(self, action: Action) -> tuple[float, float]:
        if action is None:
            self._stopped = True
            return 0.0, 0.0
        slipped = self.params.slip and self._luck[len(self._path)] < self.params.slip
        self._path.append(1 - int(action) if slipped else int(action))
        if len(self._path) < self.params.depth:
            return 0.0, 0.0
        return 1.0, float(self.leaf_costs[self.node - self._first_leaf])

    @property
    def node(self) -> int:
        """Where one is."""
        node = 0
        for branch in self._path:
            node = 2 * node + 1 + branch
        return node

    @property
    def _first_leaf(self) -> int:
        return int(2**self.params.depth - 1)

    def _ended(self) -> tuple[bool, bool, str]:
        if self._stopped:
            return True, False, "no legal answer was given"
        at_leaf = len(self._path) == self.params.depth
        return at_leaf, False, "a leaf was reached" if at_leaf else ""

    def _observe(self, seat: str) -> Any:
        if self.params.observation == "node":
            return np.int64(self.node)
        seen = np.zeros(self.params.depth, np.float32)
        seen[: len(self._path)] = 2 * np.array(self._path, np.float32) - 1
        return seen

    def _state(self) -> bytes:
        return bytes(self._path) + bytes([self._stopped]) + self._luck.tobytes() + self._sums()

    # Words.

    def action_labels(self, seat: str) -> Sequence[str]:
        """Left and right."""
        return LABELS

    def rules(self, seat: str) -> str:
        """The tree, its leaves, and what they may cost."""
        p = self.params
        within = int((self.leaf_costs <= p.budget).sum())
        slips = f" With probability {p.slip:g} you slip into the other branch." if p.slip else ""
        return (
            f"You are {seat}. You stand at the root of a binary tree and go down {p.depth} times, "
            f"left or right.{slips} Each of its {2**p.depth} leaves has a cost, which you learn "
            f"only there. You earn 1 if it is at most {p.budget:g}, which is so for {within} of "
            f"them, and nothing otherwise.\n{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The way so far."""
        branches = self._branches(observation)
        way = "You stand at the root."
        if branches:
            way = f"So far you went {', '.join(LABELS[branch] for branch in branches)}."
        left = self.params.depth - len(branches)
        if not left:
            return f"{way} This is a leaf."
        return f"{way} {left} more step{'s' if left > 1 else ''} to a leaf: left or right?"

    def _branches(self, observation: Any) -> list[int]:
        if self.params.observation == "path":
            return [int(step > 0) for step in np.asarray(observation) if step]
        node, branches = int(observation), []
        while node:
            branches.append((node - 1) % 2)
            node = (node - 1) // 2
        return branches[::-1]

    # Many descents at a time, for learners of tables.

    def side_by_side(self, count: int) -> Descents | None:
        """``count`` descents as arrays, by the same rules; None where nodes are not observed."""
        return Descents(self, count) if self.params.observation == "node" else None

    def ways(self, budget: float) -> tuple[Array, Array]:
        """Nodes and branches, both int ``[n, depth]``, on the way to the n leaves within budget."""
        leaves = np.flatnonzero(self.leaf_costs <= budget)
        depth = self.params.depth
        branches = leaves[:, None] >> np.arange(depth - 1, -1, -1) & 1
        nodes = np.zeros_like(branches)
        for level in range(depth - 1):
            nodes[:, level + 1] = 2 * nodes[:, level] + 1 + branches[:, level]
        return nodes, branches


class Descents:
    """Many descents of one tree at a time, all in step.

    Row i after ``begin(seeds)`` is the world after ``reset(seeds[i])``, bit for bit.

    Attributes:
        costs, returns: float64 ``[N]``, of the descents when they have ended.
    """

    def __init__(self, tree: BinaryTree, count: int) -> None:
        self._tree, self._count = tree, count
        self.costs, self.returns = np.zeros(count), np.zeros(count)

    def begin(self, seeds: Sequence[int]) -> tuple[Array, Array]:
        """(rows, nodes) at the start, both int64 ``[N]``."""
        p = self._tree.params
        self._level, self._nodes = 0, np.zeros(self._count, np.int64)
        if p.slip:
            self._luck = np.stack([np.random.default_rng(s).random(p.depth) for s in seeds])
        return np.arange(self._count), self._nodes

    def step(self, actions: Array) -> tuple[Array, Array] | None:
        """(rows, nodes) after a step down; None at the leaves, when all have ended."""
        tree = self._tree
        if tree.params.slip:
            slipped = self._luck[:, self._level] < tree.params.slip
            actions = np.where(slipped, 1 - actions, actions)
        self._nodes = 2 * self._nodes + 1 + actions
        self._level += 1
        if self._level < tree.params.depth:
            return np.arange(self._count), self._nodes
        self.costs = tree.leaf_costs[self._nodes - (2**tree.params.depth - 1)]
        self.returns = np.ones(self._count)
        return None
