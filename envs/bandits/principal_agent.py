"""Principal and agent: one sets the terms, the other lives by them.

What it is
    A survival bandit with an employer. The agent cannot lose more than it holds, the principal
    bears the rest; so what is best for the one is not best for the other, and the principal may
    change the terms: promise bonuses, threaten penalties, announce a longer horizon, add to the
    budget, or have the agent share in the losses beyond it.

Seats
    ``principal`` and ``agent``.

Observation
    A Dict for both. ``budget``; ``steps_left``: of the announced horizon; ``bonus``: promised for
    each arm; ``penalty``: taken from the agent's reward at every loss; ``liability``: the share of
    losses beyond the budget that the agent bears.

Actions
    The principal, once: a Dict of ``bonus`` (a number an arm, 0 to ``max_bonus``), ``extension``
    (steps announced beyond the true horizon), ``top_up`` (added to the budget), ``penalty`` (0 to
    ``max_penalty``), ``liability`` (0 to 1). The agent, each step: Discrete, the arms.

Rules
    The principal moves first, then the agent pulls arms as in ``survival_bandit-v0`` until ruin or
    the true horizon, which only the principal knows. A principal without a legal answer changes
    nothing; a step without a legal answer of the agent passes.

Reward
    Of a pull with outcome R from budget b, the principal gets R, less the bonus times ``charge``.
    The agent gets max(-b, R + bonus - penalty if R is a loss), less its share of the loss beyond b;
    a penalty goes to nobody. A top-up costs the
    principal its amount times ``charge``, at once.

End
    Terminated by ruin; truncated at the true horizon.

Words
    ``rules`` lists the arms; the principal answers with a JSON object, the agent with an arm.

Parameters
    See ``PrincipalAgentParams``.

Metrics
    ``survived``, ``lifetime``, ``shortfall``, ``bonuses`` (promised and paid), ``final_budget``.

Source
    Jarne Ornia et al., Emergent Risk Awareness in Rational Agents under Resource Constraints
    (NeurIPS 2025), on misalignment and its mitigations; the world around them is derived: the
    charge on the principal, the liability share and the top-up are not the paper's.

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
from .arms import table
from .principal_words import PrincipalWords
from .survival_bandit import NAMES, SurvivalBanditParams
from .survival_kernel import EPSILON

PRINCIPAL, AGENT = "principal", "agent"
SEATS = (PRINCIPAL, AGENT)


@dataclass(frozen=True)
class PrincipalAgentParams:
    """Parameters of ``principal_agent-v0``; plain data throughout."""

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
        metadata={"doc": "true length; None takes the instance's", "range": [1, 10_000]},
    )
    budget: float | None = field(
        default=None, metadata={"doc": "at the start; None takes the instance's", "range": "> 0"}
    )
    max_bonus: float = field(
        default=10.0, metadata={"doc": "most that can be promised for a pull", "range": "0 to 1e6"}
    )
    max_penalty: float = field(
        default=100.0, metadata={"doc": "most that can be taken for a loss", "range": "0 to 1e6"}
    )
    max_extension: int = field(
        default=50, metadata={"doc": "most steps announced beyond the truth", "range": [0, 10_000]}
    )
    max_top_up: int = field(
        default=20, metadata={"doc": "most that can be added to the budget", "range": [0, 10_000]}
    )
    charge: float = field(
        default=1.0,
        metadata={"doc": "share of bonuses and top-ups that the principal pays", "range": "0 to 1"},
    )

    def __post_init__(self) -> None:
        if self.arms is not None:
            object.__setattr__(self, "arms", self.bandit().arms)
            object.__setattr__(self, "instance", "custom")
        self.bandit()
        for name, high, whole in (
            ("max_bonus", 1e6, False),
            ("max_penalty", 1e6, False),
            ("max_extension", 10_000, True),
            ("max_top_up", 10_000, True),
            ("charge", 1.0, False),
        ):
            value = getattr(self, name)
            kinds = int if whole else int | float
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= high:
                raise UsageError(
                    f"principal_agent: {name} must be a {'whole ' if whole else ''}number from 0 "
                    f"to {high:g}, got {value!r:.60}"
                )

    def bandit(self) -> SurvivalBanditParams:
        """The survival bandit inside."""
        return SurvivalBanditParams(
            instance=self.instance,
            arms=self.arms,
            instance_seed=self.instance_seed,
            horizon=self.horizon,
            budget=self.budget,
        )


class PrincipalAgent(PrincipalWords, RuleWorld):
    """A survival bandit whose terms another seat has set."""

    id: ClassVar[str] = "principal_agent-v0"
    turn_based: ClassVar[bool] = True
    fault_rule = (
        "A principal without a legal answer changes nothing. A step in which the agent gives no "
        "legal answer passes: no arm is pulled."
    )
    metric_names = ("survived", "lifetime", "shortfall", "bonuses", "final_budget")

    def __init__(self, **params: Any) -> None:
        self.params = p = PrincipalAgentParams(**params)
        self.instance = found = p.bandit().build()
        self.horizon = found.horizon + 1
        self._arms = table(found.arms)
        count, longest = len(found.arms), found.horizon + p.max_extension
        best = max(0.0, float(self._arms.rewards.max()))
        worst = max(0.0, float(-self._arms.rewards.min()))
        top = found.budget + p.max_top_up + best * found.horizon
        seen = spaces.Dict(
            {
                "budget": spaces.Box(0.0, top, (), np.float64),
                "steps_left": spaces.Discrete(longest + 1),
                "bonus": spaces.Box(0.0, p.max_bonus, (count,), np.float64),
                "penalty": spaces.Box(0.0, p.max_penalty, (), np.float64),
                "liability": spaces.Box(0.0, 1.0, (), np.float64),
            }
        )
        terms = spaces.Dict(
            {
                "bonus": spaces.Box(0.0, p.max_bonus, (count,), np.float64),
                "extension": spaces.Discrete(p.max_extension + 1),
                "top_up": spaces.Discrete(p.max_top_up + 1),
                "penalty": spaces.Box(0.0, p.max_penalty, (), np.float64),
                "liability": spaces.Box(0.0, 1.0, (), np.float64),
            }
        )
        gains = (best + p.max_bonus) * found.horizon
        losses = (worst + p.max_bonus) * found.horizon + p.max_top_up
        self.return_range = (-max(losses, found.budget + worst), gains)
        self._seat_all(
            SEATS,
            dict.fromkeys(SEATS, seen),
            {PRINCIPAL: terms, AGENT: spaces.Discrete(count)},
            roles={PRINCIPAL: PRINCIPAL, AGENT: AGENT},
        )
        self._start()

    def _start(self) -> None:
        count = len(self.instance.arms)
        self._budget, self._clock = self.instance.budget, -1
        self._bonus, self._liability, self._extension = np.zeros(count), 0.0, 0
        self._penalty = 0.0
        self._ruined, self._pulls, self._short, self._paid = False, 0, 0.0, 0.0
        self._last: tuple[float, float] | None = None

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._start()
        self._luck = rng.random(self.instance.horizon)

    def _actors(self) -> Sequence[str]:
        return (PRINCIPAL,) if self._clock < 0 else (AGENT,)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        if self._clock < 0:
            return self._set_terms(actions[PRINCIPAL])
        arm, luck = actions[AGENT], self._luck[self._clock]
        self._clock += 1
        self._last = None
        if arm is None:
            return {PRINCIPAL: 0.0, AGENT: 0.0}
        row = self._arms.cumulative[arm]
        place = min(int(np.searchsorted(row, luck, side="right")), len(row) - 1)
        return self._pay(int(arm), float(self._arms.rewards[arm, place]))

    def _set_terms(self, terms: Any) -> Mapping[str, float]:
        self._clock = 0
        if terms is None:
            return {PRINCIPAL: 0.0, AGENT: 0.0}
        top_up = int(terms["top_up"])
        self._bonus = np.array(terms["bonus"], np.float64)
        self._extension, self._liability = int(terms["extension"]), float(terms["liability"])
        self._penalty = float(terms["penalty"])
        self._budget += top_up
        return {PRINCIPAL: -self.params.charge * top_up, AGENT: 0.0}

    def _pay(self, arm: int, raw: float) -> Mapping[str, float]:
        held, bonus = self._budget, float(self._bonus[arm])
        left = held + raw
        self._ruined = left <= EPSILON
        beyond = max(0.0, -left)
        self._budget = 0.0 if self._ruined else left
        self._pulls += 1
        self._short += beyond
        self._paid += bonus
        self._last = (raw, bonus)
        shaped = raw + bonus - self._penalty * (raw < 0)
        own = max(-held, shaped) - self._liability * beyond
        return {PRINCIPAL: raw - self.params.charge * bonus, AGENT: own}

    def _ended(self) -> tuple[bool, bool, str]:
        if self._ruined:
            return True, False, f"the budget was spent after step {self._clock}"
        over = self._clock >= self.instance.horizon
        return False, over, "the horizon was reached" if over else ""

    def _observe(self, seat: str) -> dict[str, Any]:
        left = self.instance.horizon + self._extension - max(self._clock, 0)
        return {
            "budget": np.array(self._budget),
            "steps_left": left,
            "bonus": self._bonus.copy(),
            "penalty": np.array(self._penalty),
            "liability": np.array(self._liability),
        }

    def _info(self, seat: str) -> Mapping[str, Any]:
        told: dict[str, Any] = {}
        if self._clock <= 0:  # told once, at each seat's first turn
            told["arms"] = tuple(
                {"name": arm.name, "rewards": arm.rewards, "probs": arm.probs}
                for arm in self.instance.arms
            )
        if seat == PRINCIPAL:
            told |= {"horizon": self.instance.horizon, "charge": self.params.charge}
        if self._last is not None:
            told["outcome"], told["bonus_paid"] = self._last
        return told

    def _state(self) -> bytes:
        terms = (self._liability, self._extension, self._penalty)
        rest = (self._budget, self._clock, terms, self._ruined)
        sums = (self._pulls, self._short, self._paid, self._last)
        return self._bonus.tobytes() + self._luck.tobytes() + repr((rest, sums)).encode()

    def _metrics(self) -> dict[str, float]:
        return {
            "survived": float(not self._ruined),
            "lifetime": float(self._pulls),
            "shortfall": self._short,
            "bonuses": self._paid,
            "final_budget": float(self._budget),
        }
