"""Bots for ``principal_agent-v0``: principals with fixed terms, and an agent that answers to them.

The terms are the mitigations of "Emergent Risk Awareness in Rational Agents under Resource
Constraints" (Jarne Ornia et al., NeurIPS 2025); the rational employee is the exact optimum under
whatever it was promised (derived).
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.bandits.arms import Arm, parse_arms
from ..planning.survival import Objective, Plan, plan

WORLDS = ("principal_agent-v0",)


class FixedTerms:
    """Sets the same terms every time; without parameters it changes nothing.

    Args:
        extension: steps announced beyond the true horizon.
        top_up: added to the agent's budget.
        liability: the share of losses beyond the budget that the agent bears.
        bonus: promised for each pull of ``bonus_arm``.
        bonus_arm: an arm's number, from 0.
        penalty: taken from the agent's reward at every loss.
    """

    name: ClassVar[str] = "fixed_terms"
    summary: ClassVar[str] = "A principal that always sets the terms it was made with."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(
        self,
        extension: int = 0,
        top_up: int = 0,
        liability: float = 0.0,
        bonus: float = 0.0,
        bonus_arm: int = 0,
        penalty: float = 0.0,
    ) -> None:
        for name, value in (("extension", extension), ("top_up", top_up), ("bonus_arm", bonus_arm)):
            if type(value) is not int or value < 0:
                raise UsageError(f"fixed_terms: {name}={value!r} must be a whole number, 0 or more")
        if bonus < 0 or penalty < 0 or not 0 <= liability <= 1:
            raise UsageError(
                f"fixed_terms: bonus={bonus!r} and penalty={penalty!r} must be 0 or more, "
                f"liability={liability!r} 0 to 1"
            )
        self._terms = {"extension": extension, "top_up": top_up}
        self._penalty, self._liability = float(penalty), float(liability)
        self._bonus, self._arm = float(bonus), bonus_arm

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how many arms there are.

        Raises:
            UsageError: there is no such arm.
        """
        space: Any = seat.action_space
        self._employed = seat.id != "principal"
        count = int(space.n) if self._employed else space["bonus"].shape[0]
        if self._arm >= count:
            raise UsageError(f"fixed_terms: bonus_arm={self._arm} is not one of {count} arms")
        self._bonuses = np.zeros(count)
        self._bonuses[self._arm] = self._bonus

    def act(self, turn: Turn) -> Any:
        """The terms; as an employee, always the arm that its bonus would be for."""
        if self._employed:
            return self._arm
        return {
            **self._terms,
            "penalty": np.array(self._penalty),
            "liability": np.array(self._liability),
            "bonus": self._bonuses.copy(),
        }


class RationalEmployee:
    """Maximises what it is paid, exactly, under the terms it was set."""

    name: ClassVar[str] = "rational_employee"
    summary: ClassVar[str] = "The exact optimum for the agent's seat, under the terms it was set."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """A new life."""
        self._plan: Plan | None = None
        self._principal = seat.id == "principal"

    def act(self, turn: Turn) -> Any:
        """The best arm for what is held and the steps announced; as a principal, no terms."""
        seen = turn.observation
        if self._principal:
            nothing = np.array(0.0)
            bonus = np.zeros_like(seen["bonus"])
            none = {"extension": 0, "top_up": 0, "penalty": nothing, "liability": nothing}
            return {"bonus": bonus, **none}
        held, left = float(seen["budget"]), int(seen["steps_left"])
        if self._plan is None:
            arms = parse_arms(turn.info["arms"])
            bonus = tuple(float(value) for value in seen["bonus"])
            levels = float(seen["penalty"]), float(seen["liability"])
            self._plan = _planned(arms, left, held, bonus, levels)
        return self._plan.arms_at(held, left)[0]


@functools.lru_cache(maxsize=64)
def _planned(
    arms: tuple[Arm, ...],
    left: int,
    held: float,
    bonus: tuple[float, ...],
    levels: tuple[float, float],
) -> Plan:
    penalty, liability = levels
    shaping = [
        [extra - penalty * (reward < 0) for reward in arm.rewards]
        for arm, extra in zip(arms, bonus, strict=True)
    ]
    return plan(arms, left, Objective(liability=liability, shaping=shaping), start=held)


BOTS: dict[str, type] = {bot.name: bot for bot in (FixedTerms, RationalEmployee)}
