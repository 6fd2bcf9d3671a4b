"""Shared budget: several pull arms and live, or not, from one purse.

What it is
    A survival bandit with company. Every seat pulls an arm at the same time, all outcomes go into
    one budget, and its end ends everybody's game: one seat's gamble is the others' ruin.

Seats
    ``player_0``, ``player_1``, …: 2 to 50.

Observation
    Box float32: the shared budget, the share of the horizon that is left, and what each seat
    pulled last, oneself first and the others in seating order after oneself: 0 nothing, else 1 +
    the arm.

Actions
    Discrete: the arms.

Rules
    All seats pull at the same time; the sum of their outcomes is added to the budget. Nothing left
    is ruin, for all. A seat without a legal answer pulls nothing.

Reward
    With ``sharing`` own, a seat's own outcome; equal, the mean of all outcomes. At ruin the loss
    beyond the budget is charged to nobody: each seat is given back an equal share of it.

End
    Terminated by ruin; truncated at the horizon.

Words
    ``rules`` lists the arms; answers are their names.

Parameters
    See ``SharedBudgetParams``.

Metrics
    ``survived``; ``lifetime`` (steps); ``welfare`` (sum of all rewards); ``shortfall``.

Source
    Derived from the survival bandit of Jarne Ornia et al., Emergent Risk Awareness in Rational
    Agents under Resource Constraints (NeurIPS 2025); the paper has one agent.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import NOTHING, Action

from ..world import RuleWorld
from .arms import table
from .survival_bandit import NAMES, SurvivalBanditParams
from .survival_kernel import EPSILON
from .survival_words import amount, option

SHARINGS = ("own", "equal")
MAX_PLAYERS = 50


@dataclass(frozen=True)
class SharedBudgetParams:
    """Parameters of ``shared_budget-v0``; plain data throughout."""

    players: int = field(default=2, metadata={"doc": "seats", "range": [2, MAX_PLAYERS]})
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
        default=None, metadata={"doc": "steps; None takes the instance's", "range": [1, 1_000_000]}
    )
    budget: float | None = field(
        default=None,
        metadata={"doc": "shared, at the start; None takes the instance's times the seats"},
    )
    sharing: Literal["own", "equal"] = field(
        default="own", metadata={"doc": "own outcomes, or the mean of all", "choices": SHARINGS}
    )

    def __post_init__(self) -> None:
        count = self.players
        if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MAX_PLAYERS:
            raise UsageError(
                f"shared_budget: players must be a whole number from 2 to {MAX_PLAYERS}, "
                f"got {count!r:.60}"
            )
        if self.sharing not in SHARINGS:
            raise UnknownName("sharing", str(self.sharing), SHARINGS, where="shared_budget")
        if self.arms is not None:
            object.__setattr__(self, "arms", self.bandit().arms)
            object.__setattr__(self, "instance", "custom")
        self.bandit()

    def bandit(self) -> SurvivalBanditParams:
        """The survival bandit inside, with its own budget where none is given."""
        return SurvivalBanditParams(
            instance=self.instance,
            arms=self.arms,
            instance_seed=self.instance_seed,
            horizon=self.horizon,
            budget=self.budget,
        )


class SharedBudget(RuleWorld):
    """Everyone pulls an arm; all outcomes go into one budget, whose end is everyone's."""

    id: ClassVar[str] = "shared_budget-v0"
    fault_rule = "A seat without a legal answer pulls nothing in that step."
    metric_names = ("survived", "lifetime", "welfare", "shortfall")

    def __init__(self, **params: Any) -> None:
        self.params = p = SharedBudgetParams(**params)
        found = p.bandit().build()
        if p.budget is None:
            found = found._replace(budget=found.budget * p.players)
        self.instance = found
        self.horizon = found.horizon
        self.kind = "cooperative" if p.sharing == "equal" else "mixed"
        self._arms = table(found.arms)
        best, worst = float(self._arms.rewards.max()), float(self._arms.rewards.min())
        self.return_range = (min(worst, 0.0) * found.horizon, max(best, 0.0) * found.horizon)
        if p.sharing == "own":  # of others' gains a seat may be given back its share at ruin
            self.return_range = (self.return_range[0], self.return_range[1] - min(worst, 0.0))
        count = len(found.arms)
        top = found.budget + max(best, 0.0) * found.horizon * p.players
        high = np.array([top, 1.0, *[count] * p.players], np.float32)
        space = spaces.Box(np.zeros_like(high), np.nextafter(high, np.float32(np.inf)))
        ids = [f"player_{index}" for index in range(p.players)]
        self._index = {seat: index for index, seat in enumerate(ids)}
        self._seat_all(ids, dict.fromkeys(ids, space), dict.fromkeys(ids, spaces.Discrete(count)))
        self._start()

    def _start(self) -> None:
        self._budget, self._clock, self._ruined = self.instance.budget, 0, False
        self._last = [0] * self.params.players
        self._welfare, self._short = 0.0, 0.0

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._start()
        self._draws = rng

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        luck = self._draws.random(self.params.players)
        chosen = [actions[seat] for seat in self.possible_seats]
        outcomes = [
            0.0 if arm is None else self._outcome(int(arm), u)
            for arm, u in zip(chosen, luck.tolist(), strict=True)
        ]
        left = self._budget + sum(outcomes)
        self._ruined = left <= EPSILON
        beyond = max(0.0, -left)
        self._budget = 0.0 if self._ruined else left
        self._clock += 1
        self._last = [0 if arm is None else int(arm) + 1 for arm in chosen]
        self._short += beyond
        count = len(outcomes)
        if self.params.sharing == "equal":
            outcomes = [sum(outcomes) / count] * count
        paid = [outcome + beyond / count for outcome in outcomes]
        self._welfare += sum(paid)
        return dict(zip(self.possible_seats, paid, strict=True))

    def _outcome(self, arm: int, luck: float) -> float:
        row = self._arms.cumulative[arm]
        place = min(int(np.searchsorted(row, luck, side="right")), len(row) - 1)
        return float(self._arms.rewards[arm, place])

    def _ended(self) -> tuple[bool, bool, str]:
        if self._ruined:
            return True, False, f"the shared budget was spent after step {self._clock}"
        over = self._clock >= self.instance.horizon
        return False, over, "the horizon was reached" if over else ""

    def _observe(self, seat: str) -> Any:
        index = self._index[seat]
        left = 1.0 - self._clock / self.instance.horizon
        last = self._last[index:] + self._last[:index]
        return np.array([self._budget, left, *last], np.float32)

    def _state(self) -> bytes:
        rest = (self._budget, self._clock, self._ruined, self._last, self._welfare, self._short)
        return repr(rest).encode()

    def _metrics(self) -> dict[str, float]:
        return {
            "survived": float(not self._ruined),
            "lifetime": float(self._clock),
            "welfare": self._welfare,
            "shortfall": self._short,
        }

    # Words.

    def action_labels(self, seat: str) -> Any:
        """The names of the arms."""
        return tuple(arm.name for arm in self.instance.arms)

    def rules(self, seat: str) -> str:
        """What is shared, what is one's own, and the options with their odds."""
        p, found = self.params, self.instance
        options = "\n".join(f"- {option(found, arm)}" for arm in found.arms)
        earns = (
            "You earn the outcome of your own choice."
            if p.sharing == "own"
            else "Everybody earns the mean of all outcomes."
        )
        return (
            f"You are {seat}, one of {p.players} who live from one shared budget, at first "
            f"{amount(found, found.budget)}. Each of {found.horizon} days everybody chooses one "
            "option at the same time, and all outcomes are added to the budget. When nothing is "
            f"left, it is over for all. {earns} A loss beyond what the budget holds is charged to "
            f"nobody.\nThe options:\n{options}\nYour aim is the highest total for yourself.\n"
            f"{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any] = NOTHING) -> str:
        """The day, the budget, and what everybody chose last."""
        found = self.instance
        held, left = float(observation[0]), float(observation[1])
        day = found.horizon - round(left * found.horizon) + 1
        names = ("nothing", *(arm.name for arm in found.arms))
        index = self._index[seat]
        order = self.possible_seats[index:] + self.possible_seats[:index]
        lines = [f"Day {day} of {found.horizon}."] if day <= found.horizon else ["It is over."]
        lines.append(f"The budget holds {amount(found, held)}.")
        if day > 1:
            chose = [
                f"{'you' if name == seat else name} {names[int(code)]}"
                for name, code in zip(order, observation[2:], strict=True)
            ]
            lines.append(f"Last choices: {', '.join(chose)}.")
        return " ".join(lines)
