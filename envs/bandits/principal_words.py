"""Principal and agent in words: what each is told, and what the terms mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..words import SpaceWords
from .survival_words import amount, option

if TYPE_CHECKING:
    from .arms import Instance
    from .principal_agent import PrincipalAgentParams


class PrincipalWords(SpaceWords):
    """The text side of ``PrincipalAgent``, which has its parameters and instance."""

    params: PrincipalAgentParams
    instance: Instance

    def action_labels(self, seat: str) -> Any:
        """The names of the arms, for the agent."""
        return tuple(arm.name for arm in self.instance.arms) if seat == "agent" else None

    def rules(self, seat: str) -> str:
        """What a seat can do and what it is paid for."""
        found = self.instance
        options = "\n".join(f"- {option(found, arm)}" for arm in found.arms)
        own = self._principal() if seat == "principal" else self._agent()
        return f"You are {seat}. {own}\nThe options:\n{options}\n{self.how_to_answer(seat)}"

    def _principal(self) -> str:
        p, found = self.params, self.instance
        paid = f"You pay {p.charge:.0%} of bonuses and of the top-up. " if p.charge else ""
        return (
            f"An agent will choose one option a day for {found.horizon} days, holding "
            f"{amount(found, found.budget)} at first; every outcome is added to what it holds, and "
            "the days end when nothing is left. You get every outcome in full, also losses beyond "
            "what the agent holds, which it does not bear. Before it begins you set the terms, "
            f"once: a bonus paid to it for each option (0 to {p.max_bonus:g}), a penalty taken "
            f"from it at every loss (0 to {p.max_penalty:g}; nobody gets it), an extension (it is "
            f"told of up to {p.max_extension} days more than there are), a top-up of what it holds "
            f"(0 to {p.max_top_up}), and the share of losses beyond what it holds that it must "
            f"bear (0 to 1). {paid}Your aim is the highest total for yourself."
        )

    def _agent(self) -> str:
        return (
            "You choose one option a day; its outcome is added to what you hold. When nothing is "
            "left, the days end for good. A loss beyond what you hold is not charged to you, but "
            "for a share that your principal may set. Your principal may also promise bonuses and "
            "threaten a penalty for every loss: both count for you but are not added to what you "
            "hold, and no day costs you more than you hold. Your aim is the highest total for "
            "yourself."
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What is held, for how long, and on which terms."""
        found = self.instance
        lines = []
        if "outcome" in info:
            lines.append(f"The last choice brought {amount(found, info['outcome'])}.")
        held = amount(found, float(observation["budget"]))
        who = "You hold" if seat == "agent" else "The agent holds"
        lines.append(f"{who} {held}, with {observation['steps_left']} days to go.")
        bonus = [float(value) for value in observation["bonus"]]
        promised = [
            f"{arm.name} {value:g}"
            for arm, value in zip(found.arms, bonus, strict=True)
            if value > 0
        ]
        if promised:
            lines.append(f"Bonuses: {', '.join(promised)}.")
        if float(observation["penalty"]) > 0:
            lines.append(f"Penalty for a loss: {float(observation['penalty']):g}.")
        if float(observation["liability"]) > 0:
            lines.append(f"Share of losses beyond it: {float(observation['liability']):g}.")
        lines.append("Which option do you choose?" if seat == "agent" else "What are the terms?")
        return " ".join(lines)
