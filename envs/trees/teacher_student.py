"""Teacher and student: one sets the budget, the other goes down a tree under it, round by round.

What it is
    The curriculum as a game. Each round the teacher announces a budget to nobody but the world, the
    student descends a binary tree and is paid if its leaf was within it. The teacher wants the
    student to end up within the deployment budget, which a random student hardly ever is.

Seats
    ``teacher`` and ``student``. A student that is to be taught has to learn during the match.

Observation
    Of the teacher a Dict: ``round``; ``recent``, how many of the last ``window`` rounds there were;
    ``within``, for each of ``buckets`` budgets (evenly from the target to the highest) how many
    of them kept it. Of the student a Dict: ``round``, ``node``; with ``show_budget`` ``budget``.

Actions
    The teacher: a Box, the budget. The student: Discrete 2, left or right.

Rules
    A teacher without a legal answer sets the deployment budget. A student without one ends its
    descent, which pays nothing and keeps no budget.

Reward
    The student gets 1 at a leaf within the round's budget. The teacher gets, each round, the change
    in the share of the last ``window`` rounds that kept the deployment budget, so that its return
    is that share at the end.

End
    Truncated after ``rounds``.

Words
    The teacher answers with a number, the student with ``left`` or ``right``.

Parameters
    See ``TeacherStudentParams``.

Metrics
    ``target_success`` (share of the last ``window`` rounds within the deployment budget);
    ``mean_budget``.

Source
    Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent (NeurIPS
    2025), whose teacher is an algorithm; that it is a seat, and its reward, is derived.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action

from ..world import RuleWorld
from .binary_tree import LABELS, BinaryTreeParams

TEACHER, STUDENT = "teacher", "student"
DEEPEST = 10


@dataclass(frozen=True)
class TeacherStudentParams:
    """Parameters of ``teacher_student-v0``."""

    depth: int = field(
        default=5, metadata={"doc": "of the tree", "unit": "steps", "range": [1, DEEPEST]}
    )
    rounds: int = field(default=200, metadata={"doc": "descents", "range": [1, 10_000]})
    window: int = field(
        default=10, metadata={"doc": "rounds that are looked at", "range": [1, 1000]}
    )
    buckets: int = field(default=32, metadata={"doc": "budgets counted for", "range": [2, 1024]})
    show_budget: bool = field(default=False, metadata={"doc": "tell the student the budget"})
    shuffle_seed: int | None = field(
        default=None,
        metadata={"doc": "swap left and right at random nodes; None draws it from the seed"},
    )

    def __post_init__(self) -> None:
        for name, high in (
            ("depth", DEEPEST),
            ("rounds", 10_000),
            ("window", 1000),
            ("buckets", 1024),
        ):
            value, low = getattr(self, name), 2 if name == "buckets" else 1
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UsageError(
                    f"teacher_student: {name} must be a whole number from {low} to {high}, got "
                    f"{value!r:.60}"
                )
        if not isinstance(self.show_budget, bool):
            raise UsageError("teacher_student: show_budget must be true or false")
        if self.shuffle_seed is not None:
            self.costs(self.shuffle_seed)

    def costs(self, seed: int) -> Any:
        """What each leaf costs."""
        return BinaryTreeParams(depth=self.depth, shuffle="swaps", shuffle_seed=seed).costs()


class TeacherStudent(RuleWorld):
    """One seat sets the budget of the next descent, the other descends and is paid within it."""

    id: ClassVar[str] = "teacher_student-v0"
    turn_based: ClassVar[bool] = True
    fault_rule = (
        "A teacher without a legal answer sets the deployment budget, 0. A student without one "
        "ends its descent, which earns nothing and keeps no budget."
    )
    metric_names = ("target_success", "mean_budget")

    def __init__(self, **params: Any) -> None:
        self.params = p = TeacherStudentParams(**params)
        self.horizon = p.rounds * (1 + p.depth)
        self.return_range = (0.0, float(p.rounds))
        rounds = spaces.Discrete(p.rounds + 1)
        counts = spaces.Box(0, p.window, (p.buckets,), np.int64)
        view: dict[str, Any] = {"node": spaces.Discrete(2 ** (p.depth + 1) - 1), "round": rounds}
        if p.show_budget:
            view["budget"] = spaces.Box(0.0, 1.0, (), np.float64)
        seen: dict[str, Any] = {
            "recent": spaces.Discrete(p.window + 1),
            "round": rounds,
            "within": counts,
        }
        self.edges = np.linspace(0.0, 1.0, p.buckets)
        self._seat_all(
            [TEACHER, STUDENT],
            {TEACHER: spaces.Dict(seen), STUDENT: spaces.Dict(view)},
            {TEACHER: spaces.Box(0.0, 1.0, (), np.float64), STUDENT: spaces.Discrete(2)},
            roles={TEACHER: TEACHER, STUDENT: STUDENT},
        )
        self._costs = p.costs(p.shuffle_seed or 0)
        self._start()

    def _start(self) -> None:
        self._round, self._level, self._node, self._budget = 0, -1, 0, 0.0
        self._recent: list[float] = []  # costs; above 1 where a descent was given up
        self._budgets = 0.0

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        seed = self.params.shuffle_seed
        drawn = int(rng.integers(2**32))
        self._costs = self.params.costs(drawn if seed is None else seed)
        self._start()

    def _actors(self) -> Sequence[str]:
        return (TEACHER,) if self._level < 0 else (STUDENT,)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        zero = {TEACHER: 0.0, STUDENT: 0.0}
        if self._level < 0:
            budget = actions[TEACHER]
            self._budget = 0.0 if budget is None else float(budget)
            self._budgets += self._budget
            self._level, self._node = 0, 0
            return zero
        branch = actions[STUDENT]
        if branch is None:
            return self._close(np.inf)
        self._node = 2 * self._node + 1 + int(branch)
        self._level += 1
        if self._level < self.params.depth:
            return zero
        return self._close(float(self._costs[self._node - (2**self.params.depth - 1)]))

    def _close(self, cost: float) -> Mapping[str, float]:
        before = self.target_success
        self._recent = [*self._recent, cost][-self.params.window :]
        self._round, self._level = self._round + 1, -1
        gained = self.target_success - before
        return {TEACHER: gained, STUDENT: float(cost <= self._budget)}

    @property
    def target_success(self) -> float:
        """Share of the last ``window`` rounds that kept the deployment budget."""
        return sum(cost <= 0.0 for cost in self._recent) / self.params.window

    def _ended(self) -> tuple[bool, bool, str]:
        over = self._round >= self.params.rounds
        return False, over, "all rounds were played" if over else ""

    def _observe(self, seat: str) -> dict[str, Any]:
        if seat == TEACHER:
            costs = np.array(self._recent)[:, None]
            within = (
                (costs <= self.edges + 1e-12).sum(0) if len(costs) else np.zeros(len(self.edges))
            )
            return {
                "recent": np.int64(len(self._recent)),
                "round": np.int64(self._round),
                "within": within.astype(np.int64),
            }
        view: dict[str, Any] = {"node": np.int64(self._node), "round": np.int64(self._round)}
        if self.params.show_budget:
            view["budget"] = np.array(self._budget)
        return view

    def _state(self) -> bytes:
        rest = (self._round, self._level, self._node, self._budget, self._budgets, self._recent)
        return bytes(self._costs.tobytes()) + repr(rest).encode()

    def _metrics(self) -> dict[str, float]:
        return {
            "target_success": self.target_success,
            "mean_budget": self._budgets / max(self._round, 1),
        }

    # Words.

    def action_labels(self, seat: str) -> Any:
        """Left and right for the student."""
        return LABELS if seat == STUDENT else None

    def rules(self, seat: str) -> str:
        """What each seat does and earns."""
        p = self.params
        game = (
            f"You are {seat}. In each of {p.rounds} rounds the student goes down a binary tree, "
            f"{p.depth} times left or right, to one of {2**p.depth} leaves, which cost from 0 to "
            "1; the tree stays the same."
        )
        if seat == STUDENT:
            return (
                f"{game} You earn 1 if the leaf's cost is within a budget that the teacher has set"
                f"{'' if p.show_budget else ' and you are not told'}. Learn which ways pay: in the "
                f"end only the leaf of cost 0 may.\n{self.how_to_answer(seat)}"
            )
        return (
            f"{game} Before each round you set the budget within which the student is paid, from 0 "
            f"to 1. You earn the share of the last {p.window} rounds that cost 0, so teach it to "
            "find that leaf: a budget that it never keeps teaches nothing, and neither does one "
            "that it always keeps. Answer with a number from 0 to 1."
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What the seat needs for its next move."""
        at = f"Round {int(observation['round']) + 1} of {self.params.rounds}."
        if seat == TEACHER:
            kept = zip(self.edges, observation["within"], strict=True)
            counts = ", ".join(f"{edge:.2f}: {count}" for edge, count in kept)
            return f"{at} Of the last {observation['recent']} rounds kept a budget of {counts}."
        told = ""
        if self.params.show_budget:
            told = f" The budget is {float(observation['budget']):g}."
        return f"{at}{told} You are at node {observation['node']}: left or right?"
