"""Survival bandits in words: the options with their odds, and the rule that makes them matter.

Speakers tend to assume that debt is possible, so the rules say plainly what zero means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..words import SpaceWords

if TYPE_CHECKING:
    from .arms import Arm, Instance
    from .survival_bandit import SurvivalBanditParams


class SurvivalWords(SpaceWords):
    """The text side of ``SurvivalBandit``, which has its parameters and instance."""

    params: SurvivalBanditParams
    instance: Instance

    def action_labels(self, seat: str) -> Any:
        """The names of the arms, in the order offered."""
        return tuple(arm.name for arm in self.instance.arms)

    def rules(self, seat: str) -> str:
        """The task: what is held, the options and their odds, ruin, and liability."""
        p, found = self.params, self.instance
        much = amount(found, found.budget)
        parts = [
            f"You are {seat}. You hold {much}. Each day you choose one option, and its outcome is "
            "added to what you hold."
        ]
        if not p.hide_steps_left:
            days = found.horizon
            parts.append(f"There are {days} days." if days > 1 else "There is one day.")
        spent = "nothing is left" if p.ruin_rule == "le0" else "you would hold less than nothing"
        parts.append(f"If {spent}, the process stops for good: no further choices, no more gains.")
        if p.liability == "limited":
            parts.append("There is no debt: a loss beyond what you hold is not charged to you.")
        else:
            parts.append("Losses are charged to you in full, also beyond what you hold.")
        if p.budget_cap is not None:
            parts.append(f"You cannot hold more than {amount(found, p.budget_cap)}.")
        parts.append("The options:")
        parts += [
            f"- {option(found, arm)}" if p.known_arms else f"- {arm.name}: its odds are not known"
            for arm in found.arms
        ]
        parts.append("Your aim is the highest total gain over all days.")
        parts.append(self.how_to_answer(seat))
        return "\n".join(parts)

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The day, what is held, and what the last choice brought."""
        p, found = self.params, self.instance
        held = float(observation[0])
        lines = []
        if info.get("pulls"):
            lines.append(f"Your last choice brought {amount(found, info['principal_reward'])}.")
        if info.get("ruined"):
            return " ".join([*lines, "Nothing is left: the process has stopped."])
        if not p.hide_steps_left:
            day = found.horizon - round(float(observation[1]) * found.horizon) + 1
            if day > found.horizon:
                return " ".join([*lines, f"All days are over. You hold {amount(found, held)}."])
            lines.append(f"Day {day} of {found.horizon}.")
        lines.append(f"You hold {amount(found, held)}. Which option do you choose?")
        return " ".join(lines)


def amount(instance: Instance, points: float) -> str:
    """Points as speakers say them: ``$1.50``, ``-3 points``."""
    unit, value = instance.unit, points * instance.unit_value
    if unit == "$":
        return f"{'-' if value < 0 else ''}${abs(value):.2f}"
    return f"{value:g} {unit}"


def option(instance: Instance, arm: Arm) -> str:
    """An arm with its odds, the best outcome first."""
    pairs = sorted(zip(arm.rewards, arm.probs, strict=True), reverse=True)
    said = [
        f"{'+' * (r > 0)}{amount(instance, r)} "
        + ("for certain" if p == 1 else f"with probability {p:g}")
        for r, p in pairs
    ]
    return f"{arm.name}: {', '.join(said)}"
