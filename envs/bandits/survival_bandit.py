"""Survival bandit: pull arms while the budget lasts.

What it is
    A bandit whose arms are known and whose rewards are what one lives on. When the budget is
    spent, life ends; a loss beyond what is held is not charged. That alone makes a risk-neutral
    agent cautious when time is long, and reckless when it is short and there is little to lose.

Seats
    One, ``player_0``.

Observation
    Box float32: the budget, and the share of the horizon that is left (absent with
    ``hide_steps_left``).

Actions
    Discrete: the arms, in the order of ``order``.

Rules
    Each step one arm is pulled; its outcome R is added to the budget. If that leaves nothing
    (``ruin_rule`` le0) or less than nothing (lt0), the life ends. No answer is a pull of nothing:
    the step passes and its reward is 0.

Reward
    With limited liability max(-budget, R), so that the return is what the budget grew by; with
    full liability R. ``info`` has the principal's reward (R, always) and the shortfall (the part
    of a loss that nobody could charge).

End
    Terminated by ruin; truncated at the horizon.

Words
    ``rules`` lists every arm's outcomes and probabilities; answers are the arms' letters or names.

Parameters
    See ``SurvivalBanditParams``.

Metrics
    ``survived`` (0 or 1); ``lifetime`` (pulls); ``principal_return`` (sum of R); ``shortfall``;
    ``final_budget``.

Source
    Jarne Ornia et al., Emergent Risk Awareness in Rational Agents under Resource Constraints
    (NeurIPS 2025), section on the survival bandit; ``lt0`` is the rule of Perotto et al. (2019).
    The instances' pay-offs are derived (see ``arms.py``).

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import NOTHING, Action, Turn

from ..grid.batch import seed_of
from ..seeds import checked_seed
from ..world import RuleWorld
from . import survival_kernel as kernel
from .arms import INSTANCES, Arm, Instance, parse_arms, random_instance, table
from .survival_words import SurvivalWords

if TYPE_CHECKING:
    from .survival_vector import SurvivalVectorWorld

SEAT = "player_0"
RANDOM, CUSTOM = "random", "custom"
NAMES = (*INSTANCES, RANDOM, CUSTOM)
LIABILITIES = ("limited", "full")
RUIN_RULES = ("le0", "lt0")


@dataclass(frozen=True)
class SurvivalBanditParams:
    """Parameters of ``survival_bandit-v0``; plain data throughout."""

    instance: str = field(
        default="sng", metadata={"doc": "a set of arms, or custom with arms", "choices": NAMES}
    )
    arms: tuple[Any, ...] | None = field(
        default=None, metadata={"doc": "arms of one's own: a list of {name, rewards, probs}"}
    )
    instance_seed: int = field(
        default=0, metadata={"doc": "which random instance", "range": [0, 2**32 - 1]}
    )
    horizon: int | None = field(
        default=None,
        metadata={"doc": "pulls; None takes the instance's", "range": [1, 1_000_000]},
    )
    budget: float | None = field(
        default=None,
        metadata={"doc": "at the start; None takes the instance's", "range": "> 0 to 1e9"},
    )
    budget_cap: float | None = field(
        default=None,
        metadata={"doc": "what the budget cannot exceed; what is above is earned but not held"},
    )
    ruin_rule: Literal["le0", "lt0"] = field(
        default="le0",
        metadata={"doc": "ruin when nothing is left, or less than nothing", "choices": RUIN_RULES},
    )
    liability: Literal["limited", "full"] = field(
        default="limited",
        metadata={"doc": "whether losses beyond the budget are charged", "choices": LIABILITIES},
    )
    hide_steps_left: bool = field(default=False, metadata={"doc": "do not say how long it lasts"})
    known_arms: bool = field(
        default=True, metadata={"doc": "tell the outcomes and their probabilities"}
    )
    order: tuple[int, ...] | None = field(
        default=None, metadata={"doc": "in which order the arms are offered, for position bias"}
    )

    def __post_init__(self) -> None:
        for name, choices in (
            ("instance", NAMES),
            ("ruin_rule", RUIN_RULES),
            ("liability", LIABILITIES),
        ):
            if getattr(self, name) not in choices:
                raise UnknownName(name, str(getattr(self, name)), choices, where="survival_bandit")
        for name in ("hide_steps_left", "known_arms"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"survival_bandit: {name} must be true or false")
        if self.arms is not None:
            object.__setattr__(self, "arms", tuple(parse_arms(self.arms)))
            object.__setattr__(self, "instance", CUSTOM)
        elif self.instance == CUSTOM:
            raise UsageError("survival_bandit: instance custom needs arms")
        _number("instance_seed", self.instance_seed, 0, 2**32 - 1, whole=True)
        if self.horizon is not None:
            _number("horizon", self.horizon, 1, 1_000_000, whole=True)
        if self.budget is not None:
            _number("budget", self.budget, 1e-6, 1e9)
        if self.budget_cap is not None:
            _number("budget_cap", self.budget_cap, self.budget or 1e-6, 1e12)
        if self.order is not None:
            count = len(self.build().arms)
            if sorted(self.order) != list(range(count)):
                raise UsageError(
                    f"survival_bandit: order must hold 0 to {count - 1} once each, "
                    f"got {list(self.order)!r:.80}"
                )
            object.__setattr__(self, "order", tuple(self.order))

    def build(self) -> Instance:
        """Arms as offered, with the horizon and the budget that are played."""
        if self.instance == CUSTOM:
            found = Instance(self.arms or (), 20, 10.0)
        elif self.instance == RANDOM:
            found = random_instance(self.instance_seed)
        else:
            found = INSTANCES[self.instance]
        arms = found.arms
        if self.order is not None and len(self.order) == len(arms):
            arms = tuple(arms[index] for index in self.order)
        return found._replace(
            arms=arms,
            horizon=found.horizon if self.horizon is None else self.horizon,
            budget=found.budget if self.budget is None else float(self.budget),
        )


class SurvivalBandit(SurvivalWords, RuleWorld):
    """Pull one arm each step; the budget follows, and its end is yours."""

    id: ClassVar[str] = "survival_bandit-v0"
    turn_based: ClassVar[bool] = True
    fault_rule = "A step without a legal answer passes: no arm is pulled and nothing is earned."
    metric_names = ("survived", "lifetime", "principal_return", "shortfall", "final_budget")

    def __init__(self, **params: Any) -> None:
        self.params = p = SurvivalBanditParams(**params)
        self.instance = found = p.build()
        self.arms: tuple[Arm, ...] = found.arms
        self.horizon = found.horizon
        best = max(max(arm.rewards) for arm in found.arms)
        worst = max(arm.worst for arm in found.arms)
        lowest = -found.budget if p.liability == "limited" else -found.budget - worst
        self.return_range = (lowest, max(best, 0.0) * found.horizon)
        shape = (1,) if p.hide_steps_left else (2,)
        most = found.budget + max(best, 0.0) * found.horizon
        top = np.array([most, 1.0], np.float32)[: shape[0]]
        space = spaces.Box(np.zeros(shape, np.float32), np.nextafter(top, np.float32(np.inf)))
        full = table(found.arms)
        self.arm_table = (full.rewards, full.cumulative, full.counts)
        self.life_rules = (p.liability == "limited", p.ruin_rule == "le0", p.budget_cap or np.inf)
        self._alone = np.zeros(1, np.bool_)
        self._unseen = np.zeros((0, 2), np.float32)
        self._model = self._told()
        self._seat_all([SEAT], {SEAT: space}, {SEAT: spaces.Discrete(len(found.arms))})
        self._start()

    def _told(self) -> dict[str, Any]:
        p = self.params
        told: dict[str, Any] = {}
        if p.known_arms:
            told["arms"] = tuple(
                {"name": arm.name, "rewards": arm.rewards, "probs": arm.probs} for arm in self.arms
            )
        if not p.hide_steps_left:
            told["horizon"] = self.instance.horizon
        return {**told, "ruin_rule": p.ruin_rule, "liability": p.liability}

    def _start(self) -> None:
        self._budget = np.full(1, self.instance.budget)
        self._clock = np.zeros(1, np.int64)
        self._luck = np.zeros((1, 4), np.uint64)
        self._events = np.zeros((1, kernel.EVENTS), np.float32)
        self._paid = np.zeros(1, np.float32)
        self._ruined, self._principal, self._short, self._pulls = False, 0.0, 0.0, 0

    # The rules.

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a life; the same one as a vector world's row whose ``seeds`` entry is ``seed``."""
        self._seed = np.array([seed_of(checked_seed(self.id, seed))], np.uint64)
        return super().reset(seed)

    def _begin(self, rng: np.random.Generator) -> None:
        self._start()
        start = self.instance.budget
        kernel.begin(self._seed, ~self._alone, self._budget, self._clock, self._luck, start)

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        arm = actions[SEAT]
        if arm is None:
            self._clock += 1
            self._events[:] = 0.0
            return {SEAT: 0.0}
        kernel.pull(
            np.array([arm]),
            self._alone,
            self._budget,
            self._clock,
            self._luck,
            self.arm_table,
            self.life_rules,
            self._paid,
            self._events,
            self._unseen,
            0.0,
        )
        raw, short, ruined = self._events[0].tolist()
        self._principal += raw
        self._short += short
        self._pulls += 1
        self._ruined = bool(ruined)
        return {SEAT: float(self._paid[0])}

    def _ended(self) -> tuple[bool, bool, str]:
        if self._ruined:
            return True, False, f"the budget was spent after step {int(self._clock[0])}"
        over = int(self._clock[0]) >= self.instance.horizon
        return False, over, "the horizon was reached" if over else ""

    def _observe(self, seat: str) -> Any:
        left = 1.0 - self._clock[0] * (1.0 / self.instance.horizon)
        seen = (self._budget[0],) if self.params.hide_steps_left else (self._budget[0], left)
        return np.array(seen, np.float32)

    def _info(self, seat: str) -> Mapping[str, Any]:
        raw, short, ruined = self._events[0].tolist()
        return {
            "principal_reward": raw,
            "shortfall": short,
            "ruined": bool(ruined),
            "pulls": self._pulls,
            **(self._model if self._clock[0] == 0 else NOTHING),  # told once: the first turn
        }

    def _state(self) -> bytes:
        parts = (self._budget, self._clock, self._luck, self._events)
        return (
            b"".join(part.tobytes() for part in parts)
            + repr((self._ruined, self._principal, self._short, self._pulls)).encode()
        )

    def _metrics(self) -> dict[str, float]:
        return {
            "survived": float(not self._ruined),
            "lifetime": float(self._pulls),
            "principal_return": self._principal,
            "shortfall": self._short,
            "final_budget": float(self._budget[0]),
        }

    def vector(
        self, num_envs: int, *, num_threads: int = 1, autoreset: str = "next_step"
    ) -> SurvivalVectorWorld:
        """Many lives at a time; see :func:`gymposium.make_vec`."""
        from .survival_vector import SurvivalVectorWorld

        return SurvivalVectorWorld(self, num_envs, autoreset=autoreset)


def _number(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise UsageError(
            f"survival_bandit: {name} must be {kind} from {low:g} to {high:g}, got {value!r:.60}"
        )
