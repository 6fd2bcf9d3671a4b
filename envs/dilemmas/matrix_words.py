"""Iterated matrix games in words: what a newcomer is told, and how answers are read.

The payoffs are spelled out cell by cell, since models and people alike misread tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gymposium.errors import IllegalAction

from ..space_parsing import build
from ..speech import clean, json_values
from ..words import SpaceWords, parse_space, schema_space
from .matrix_games import PUBLIC_GOODS, MatrixGame, Profile

if TYPE_CHECKING:
    from gymposium.types import Action

    from .iterated_matrix import IteratedMatrixParams

SPELLED_CELLS = 64


class MatrixWords(SpaceWords):
    """The text side of ``IteratedMatrix``, which has its parameters, game and seat order."""

    params: IteratedMatrixParams
    game: MatrixGame
    possible_seats: tuple[str, ...]
    _index: Mapping[str, int]

    def action_labels(self, seat: str) -> Any:
        """The names of the seat's actions."""
        names = self.game.labels[self._index[seat]]
        return {"move": names} if self.params.talk else names

    def rules(self, seat: str) -> str:
        """The whole game for one seat: length, choices, every payoff, what a fault costs."""
        parts = [self._setting(seat), self._payoffs(seat), self._length_said()]
        if self.params.talk:
            parts.append(
                "Before every choice each player may say one thing to the others "
                f"(at most {self.params.talk_length} characters); nothing said is binding."
            )
        parts.append("Your aim is the highest total for yourself.")
        parts.append(self._answer(seat))
        return "\n".join(parts)

    def _setting(self, seat: str) -> str:
        others = [other for other in self.possible_seats if other != seat]
        names = " or ".join(self.game.labels[self._index[seat]])
        who = others[0] if len(others) == 1 else f"{len(others)} others"
        return (
            f"You are {seat}. You play a game with {who}, round after round. "
            f"In every round all players choose at the same time. You choose {names}."
        )

    def _length_said(self) -> str:
        p = self.params
        if p.continuation:
            return (
                f"After each round the game goes on with probability {p.continuation:g}, "
                f"for at most {p.cap} rounds."
            )
        return f"The game has {p.rounds} round{'s' * (p.rounds > 1)}."

    def _payoffs(self, seat: str) -> str:
        game, index = self.game, self._index[seat]
        if game.name == PUBLIC_GOODS:
            give, keep = game.labels[0]
            return (
                f"Each player has 1 point in every round. Whoever chooses {keep} keeps it. Whoever "
                f"chooses {give} puts it into a pot; the pot is multiplied by "
                f"{self.params.multiplier:g} and shared equally among all {game.players} players, "
                f"whatever they chose."
            )
        lines = ["Points per round:"]
        own_first = sorted(game.profiles(), key=lambda profile: profile[index])
        for count, profile in enumerate(own_first):
            if count == SPELLED_CELLS:
                lines.append("… (the remaining cases follow from play)")
                break
            lines.append(f"- {self._cell(seat, index, profile)}")
        return "\n".join(lines)

    def _cell(self, seat: str, index: int, profile: Profile) -> str:
        pays = self.game.pay(profile)
        choices = [f"you {self.game.labels[index][profile[index]]}"]
        gains = [f"you get {pays[index]:g}"]
        for other, action in enumerate(profile):
            if other != index:
                name = self.possible_seats[other]
                choices.append(f"{name} {self.game.labels[other][action]}")
                gains.append(f"{name} gets {pays[other]:g}")
        return f"{', '.join(choices)}: {', '.join(gains)}"

    def _answer(self, seat: str) -> str:
        names = ", ".join(self.game.labels[self._index[seat]])
        choose = f"Answer with exactly one of: {names}."
        if self.params.talk:
            return f"When you may speak, answer with your message. When you must choose: {choose}"
        return choose

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """Where the game stands: the round, what was played last, and what to do now."""
        p, played = self.params, int(observation["round"])
        names = self.game.labels[self._index[seat]]
        of = "" if p.continuation else f" of {p.rounds}"
        over = not p.continuation and played >= p.rounds
        lines = [f"All {played} rounds are over." if over else f"Round {played + 1}{of}."]
        if played:
            lines.append(self._last_round_said(seat, [int(code) for code in observation["last"]]))
        if p.talk and observation["phase"] == 1:
            order = self._order(seat)
            for name, said in zip(order, observation["heard"], strict=True):
                speaker = "You said" if name == seat else f"{name} said"
                lines.append(f"{speaker}: {said}" if said else f"{speaker} nothing.")
        if over:
            return " ".join(lines) if not p.talk else "\n".join(lines)
        if p.talk and observation["phase"] == 0:
            lines.append("Say something to the others, or nothing.")
        else:
            lines.append(f"Choose: {' or '.join(names)}.")
        return ("\n" if p.talk else " ").join(lines)

    def _order(self, seat: str) -> tuple[str, ...]:
        index = self._index[seat]
        return self.possible_seats[index:] + self.possible_seats[:index]

    def _last_round_said(self, seat: str, codes: list[int]) -> str:
        order = self._order(seat)
        by_seat = dict(zip(order, codes, strict=True))
        labels = self.game.labels
        profile = []
        faulty = []
        for index, name in enumerate(self.possible_seats):
            code = by_seat[name]
            absent = code == len(labels[index]) + 1
            faulty.append(absent)
            profile.append(0 if absent or code == 0 else code - 1)
        pays = self.game.pay(tuple(profile))
        choices, gains = [], []
        for name in order:
            index = self._index[name]
            subject = "you" if name == seat else name
            choice = f"{subject} chose {labels[index][profile[index]]}"
            if faulty[index]:
                choice = f"{subject} gave no legal answer ({labels[index][0]} was played)"
            pay = self.game.lowest if faulty[index] else pays[index]
            choices.append(choice)
            gains.append(f"{subject} got {pay:g}")
        return f"In the last round {', '.join(choices)}; {', '.join(gains)}."

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """A choice among the names, or a message when it is time to speak."""
        space: Any = self._action_spaces[seat]
        if not self.params.talk:
            return schema_space(space, self.action_labels(seat))
        if observation["phase"] == 0:
            return {"type": "string", "maxLength": self.params.talk_length}
        return schema_space(space["move"], self.action_labels(seat)["move"])

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The choice or the message that ``text`` is."""
        space: Any = self._action_spaces[seat]
        if not self.params.talk:
            return parse_space(space, text, self.action_labels(seat))
        if not isinstance(text, str):
            raise IllegalAction(f"an answer must be text; got {type(text).__name__}")
        given = _object_in(text)
        if observation["phase"] == 0:
            if given is not None:
                return {"say": build(space["say"], given.get("say", "")), "move": 0}
            return {"say": parse_space(space["say"], text), "move": 0}
        names = self.action_labels(seat)["move"]
        if given is not None and "move" in given:
            return {"say": "", "move": build(space["move"], given["move"], names)}
        return {"say": "", "move": parse_space(space["move"], text, names)}

    def format(self, seat: str, action: Action) -> str:
        """The action's name; with talk an object, since a message may be any text."""
        names = self.game.labels[self._index[seat]]
        if not self.params.talk:
            return names[int(action)]
        said, move = action["say"], names[int(action["move"])]
        if said and not action["move"]:
            return json.dumps({"say": said})
        return json.dumps({"say": said, "move": move} if said else {"move": move})


def _object_in(text: str) -> Mapping[str, Any] | None:
    """A JSON object with ``say`` or ``move``, if the text is or holds one."""
    if "{" not in text:
        return None
    for value in json_values(text if text[:1] == "{" else clean(text)):
        if isinstance(value, Mapping) and ("say" in value or "move" in value):
            return value
    return None
