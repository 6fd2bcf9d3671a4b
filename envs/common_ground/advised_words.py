"""The words of advice: a world's own, a line for what a partner says, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymposium.types import Action

from .advice import USELESS

INTERVENTION = "intervention"


class AdvisedWords:
    """The text side of :class:`~.advised.Advised`."""

    inner: Any
    collaborators: tuple[str, ...]

    def rules(self, seat: str) -> str:
        """The world's rules, and what is to be known of advice."""
        if seat == INTERVENTION:
            names = ", ".join(self.collaborators)
            told = self.inner.words.rules(self.collaborators[0])
            return (
                f"You are the intervention agent: before each turn of {names} you suggest an "
                "action, in the form in which it would be given. It may arrive garbled, and need "
                f"not be followed. You earn what they earn. What they are told:\n\n{told}"
            )
        told = str(self.inner.words.rules(seat))
        if seat in self.collaborators:
            told += (
                "\nBefore you act, a partner may advise you. You are not told how good its advice "
                "is: adopt it if it is valid, else leave it."
            )
        return told

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What the world tells, then the advice."""
        words = self.inner.words
        if seat == INTERVENTION:
            whom = self.collaborators[int(observation["whom"])]
            told = words.describe(whom, observation["seen"], info)
            return f"You advise {whom}, who is told:\n{told}"
        if seat not in self.collaborators:
            return str(words.describe(seat, observation, info))
        told = [str(words.describe(seat, observation["seen"], info))]
        if observation["advised"]:
            told.append(f"Your partner advises: {self._named(seat, observation)}")
        if observation["counterfactual"]:
            told.append(USELESS)
        return "\n".join(told)

    def _named(self, seat: str, observation: Any) -> str:
        words = self.inner.words
        localised = getattr(words, "format_seen", None)
        if localised is not None:
            return str(localised(seat, observation["advice"], observation["seen"]))
        return str(words.format(seat, observation["advice"]))

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Any, ...]:
        """The world's own pictures."""
        whom, seen = self._inside(seat, observation)
        pictures: tuple[Any, ...] = self.inner.words.images(whom, seen, info)
        return pictures

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The world's own."""
        schema: Mapping[str, Any] = self.inner.words.action_schema(
            *self._inside(seat, observation), info
        )
        return schema

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """What the text means in the world."""
        whom, seen = self._inside(seat, observation)
        return self.inner.words.parse(whom, text, seen, info)

    def format(self, seat: str, action: Action) -> str:
        """The action in the world's words."""
        whom = self.collaborators[0] if seat == INTERVENTION else seat
        return str(self.inner.words.format(whom, action))

    def _inside(self, seat: str, observation: Any) -> tuple[str, Any]:
        """Whose observation of the world itself this is, and the observation."""
        if seat == INTERVENTION:
            whom = 0 if observation is None else int(observation["whom"])
            seat = self.collaborators[whom]
        elif seat not in self.collaborators:
            return seat, observation
        return seat, None if observation is None else observation["seen"]
