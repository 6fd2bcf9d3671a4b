"""Respondents for ``preference_elicitation-v0`` whose values are known, to test what finds them.

A respondent with known values answers by the difference of two utilities with logistic error, as
the simulated responders in our notes on Mazeika et al. (Utility Engineering, 2025) do; its
utilities depend on its ``taste`` and can be broken one at a time: lotteries taken at their worst,
the future discounted by either law, means not valued for their ends, the first option liked for
being first.
The circular respondent is as decided as can be and has no utilities at all. The citizen answers as
a random member of an assembly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.preferences.assembly import Assembly
from ...envs.preferences.outcome import NOW, data
from ...envs.preferences.outcome import outcomes as made

WORLDS = ("preference_elicitation-v0",)
RISKS = ("expected", "worst", "reversed")
DISCOUNTS = ("none", "exponential", "hyperbolic")
_PER_LOG_DOLLAR = 0.5
_BASE = 0.5 * math.log(NOW)


class Values:
    """Utilities of outcomes, a function of a taste.

    Args:
        taste: seed of own likings.
        liking: their standard deviation, in units of our outcomes' worth.
        risk: what a lottery is worth: what is expected, its worst part, or the opposite.
        discount: law by which later sums lose.
        rate: per month, of that law.
        means: how far a beginning is worth what it leads to, 0 to 1.
    """

    def __init__(
        self,
        taste: int = 0,
        liking: float = 0.5,
        risk: str = "expected",
        discount: str = "none",
        rate: float = 0.1,
        means: float = 1.0,
    ) -> None:
        for name, value, known in (("risk", risk, RISKS), ("discount", discount, DISCOUNTS)):
            if value not in known:
                raise UsageError(
                    f"known_values: {name}={value!r} must be one of {', '.join(known)}"
                )
        self._taste, self._liking, self._risk, self._means = taste, liking, risk, means
        self._discount, self._rate = discount, rate

    def base(self, number: int, worth: float) -> float:
        """Worth and own liking of base outcome ``number``."""
        own = np.random.default_rng([self._taste, number]).normal()
        return worth + self._liking * float(own)

    def of(self, outcome: Mapping[str, Any], worth: Sequence[float]) -> float:
        """The utility of an outcome as a turn tells of it.

        Args:
            outcome: its ``info``.
            worth: of base outcomes, by number.
        """
        kind = outcome["kind"]
        if kind == "lottery":
            parts = [self.base(at, worth[at]) for at in outcome["parts"]]
            expected = float(np.dot(outcome["chances"], parts))
            return {"expected": expected, "worst": min(parts), "reversed": -expected}[self._risk]
        if kind == "quantity":
            dollars = data()["quantities"][outcome["group"]]["value"] * outcome["amount"]
            return _PER_LOG_DOLLAR * math.log(dollars) - _BASE
        if kind == "delay":
            left = self.share(outcome["months"])
            return 4 * _PER_LOG_DOLLAR * (math.log(outcome["amount"] * left) - math.log(NOW))
        if kind == "story":
            return self.story(outcome["group"], outcome["states"])
        return self.base(outcome["number"], worth[outcome["number"]])

    def share(self, months: float) -> float:
        """What is left of a sum's worth after so many months."""
        if self._discount == "exponential":
            return float((1 - self._rate) ** months)
        return 1 / (1 + self._rate * months) if self._discount == "hyperbolic" else 1.0

    def story(self, process: str, states: Sequence[str]) -> float:
        """Of an ending its worth, of a beginning what it leads to, as far as means count."""
        told = data()["processes"][process]
        worth, last = told["worth"], states[-1]
        if last in worth:
            return float(worth[last])
        leads = sum(chance * worth[end] for end, chance in told["next"][last].items())
        order = sorted(told["start"]).index(last)
        return float(self._means * leads + (1 - self._means) * (1.0 - 2.0 * order))


class Respondent(ABC):
    """Base: prefers the first with a chance of its own."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how to answer."""
        if "left" not in getattr(seat.observation_space, "spaces", {}) or seat.role != "respondent":
            raise UsageError(
                f"{self.name} plays preference_elicitation-v0 only; seat {seat.id!r} is another "
                "world's"
            )
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> Any:
        """0 for the first, 1 for the second."""
        chance = self.chance(turn.info["first"], turn.info["second"])
        return int(self._rng.random() >= chance)

    @abstractmethod
    def chance(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """How likely ``first`` is preferred."""


class KnownValues(Respondent):
    """Answers by utilities that its parameters give, with error.

    Args:
        noise: scale of the logistic error; 0 for none.
        position: what standing first is worth.
        refuse: chance to refuse.
        size: base outcomes there are, as the world's parameter.
        draw: which there are, likewise.
        values: of :class:`Values`.
    """

    name = "known_values"
    summary = "Answers by known utilities, with error, and with whatever is to be found amiss."

    def __init__(
        self,
        noise: float = 0.5,
        position: float = 0.0,
        refuse: float = 0.0,
        size: int = 20,
        draw: int = 0,
        taste: int = 0,
        liking: float = 0.5,
        risk: str = "expected",
        discount: str = "none",
        rate: float = 0.1,
        means: float = 1.0,
    ) -> None:
        if noise < 0:
            raise UsageError(f"known_values: noise={noise} must be 0 or more")
        self._noise, self._position, self._refuse = noise, position, refuse
        self._values = Values(taste, liking, risk, discount, rate, means)
        self._worth = [it.worth for it in made("base", size=size, seed=draw)]

    def act(self, turn: Turn) -> Any:
        """As others, but that it may refuse."""
        if self._refuse and self._rng.random() < self._refuse:
            return "I would rather not say."
        return super().act(turn)

    def chance(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """By the difference of utilities."""
        ahead = self.utility(first) - self.utility(second) + self._position
        if self._noise == 0 or ahead == 0:
            return 0.5 + 0.5 * float(np.sign(ahead))
        return float(0.5 * (1.0 + np.tanh(0.5 * ahead / self._noise)))

    def utility(self, outcome: Mapping[str, Any]) -> float:
        """What the outcome is worth to it."""
        known = outcome["kind"] != "base" or outcome["number"] < len(self._worth)
        if not known or max(outcome["parts"], default=0) >= len(self._worth):
            raise UsageError(
                f"{self.name} knows {len(self._worth)} outcomes and was asked about more: give it "
                "the world's size and draw"
            )
        return self._values.of(outcome, self._worth)


class CircularRespondent(Respondent):
    """Prefers whatever stands up to half the way round a circle behind; never in doubt.

    Args:
        around: outcomes on the circle.
    """

    name = "circular_respondent"
    summary = "Never in doubt, and its preferences run in circles."

    def __init__(self, around: int = 21) -> None:
        if around < 3:
            raise UsageError(f"circular_respondent: around={around} must be 3 or more")
        self._around = around

    def chance(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """1 or 0; a coin where both stand in one place or face each other."""
        behind = (second["number"] - first["number"]) % self._around
        if behind == 0 or 2 * behind == self._around:
            return 0.5
        return float(2 * behind < self._around)


class Citizen(Respondent):
    """Each time somebody else of an assembly answers.

    Args:
        size: base outcomes there are, as the world's parameter.
        draw: which, and whose assembly, likewise.
        citizens: of the assembly, likewise.
    """

    name = "citizen"
    summary = "A random member of a synthetic assembly, another one each time."

    def __init__(self, size: int = 20, draw: int = 0, citizens: int = 6) -> None:
        self._assembly = Assembly(made("base", size=size, seed=draw), citizens, draw)

    def chance(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
        """The assembly's share."""
        most = self._assembly.worth.shape[1]
        if max(first["number"], second["number"]) >= most:
            raise UsageError(
                f"{self.name} knows {most} outcomes: give it the world's size and draw"
            )
        return float(self._assembly.shares(first["number"], second["number"]))


BOTS: dict[str, type[Respondent]] = {
    bot.name: bot for bot in (KnownValues, CircularRespondent, Citizen)
}
