"""``textarena:TicTacToe-v0``: any game of TextArena, in its own words.

An observation is what TextArena shows the player whose turn it is; an answer is a text, which the
game reads by its own rules. TextArena draws from Python's process-wide generator; here that follows
the match's seed.
"""

from __future__ import annotations

import inspect
import string
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action

from ..whereabouts import placed
from .foreign import ForeignWorld, check_kind, must_import

LENGTH = 20_000
"""Longest observation; what is longer keeps its end, where the news is."""
ANSWER = 4_000
"""Longest answer."""
_PRINTED = frozenset(string.printable) - {"\x0b", "\x0c"}


class TextArenaWorld(ForeignWorld):
    """A game of TextArena."""

    turn_based = True

    def __init__(self, name: str, num_players: int = 2, kind: str = "mixed", **params: Any) -> None:
        """Make the game.

        Args:
            name: TextArena's id.
            num_players: seats.
            kind: ``zero_sum``, ``mixed`` or ``cooperative``; TextArena does not say.
            **params: handed to ``textarena.make``.

        Raises:
            UsageError: TextArena is not installed or cannot make it.
        """
        good = isinstance(num_players, int) and not isinstance(num_players, bool)
        if not good or not 1 <= num_players <= 50:
            raise UsageError(f"textarena:{name}: num_players must be 1 to 50, got {num_players!r}")
        self.id = f"textarena:{name}"
        self.params = {"num_players": num_players, "kind": kind, **params}
        self.kind = check_kind(kind, self.id)
        self._given = name, params
        self._env = self._made()
        ids = [f"player_{index}" for index in range(num_players)]
        self._now: tuple[str, ...] = ()
        view = spaces.Dict({"text": spaces.Text(LENGTH, min_length=0, charset=_PRINTED)})
        answer = spaces.Text(ANSWER, min_length=0, charset=_PRINTED)
        self._seat_foreign(ids, dict.fromkeys(ids, view), dict.fromkeys(ids, answer), None)

    def _made(self) -> Any:
        name, params = self._given
        arena = must_import("textarena", self.id, extra="textarena")
        try:
            return arena.make(name, **params)
        except Exception as error:
            raise UsageError(placed(f"TextArena cannot make {name!r}: {error}", error)) from error

    def _restart(self, seed: int) -> None:
        self._env = self._made()  # its games keep something of the last match
        self._seen = {seat: {"text": ""} for seat in self.possible_seats}
        try:
            self._env.reset(num_players=len(self.possible_seats), seed=seed)
        except Exception as error:
            raise UsageError(placed(f"{self.id} cannot begin: {error}", error)) from error
        self._look()

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        ((_, said),) = actions.items()
        done, _ = self._env.step(action=str(said))
        if not done:
            self._look()
            return {}
        self._finished, self._now = True, ()
        rewards, info = self._env.close()
        self._why = _reason(info)
        return {f"player_{player}": float(reward) for player, reward in (rewards or {}).items()}

    def _look(self) -> None:
        player, observation = self._env.get_observation()
        seat = f"player_{player}"
        self._now = (seat,)
        self._seen[seat] = {"text": _plain(observation)}

    def _actors(self) -> Sequence[str]:
        return self._now

    def _drawn(self, seat: str) -> Action:
        return ""  # silence; what it costs is the game's rule

    def _about(self) -> str:
        return inspect.cleandoc(type(getattr(self._env, "env", self._env)).__doc__ or "")

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What TextArena shows."""
        return str(observation["text"])

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The answer as it is, cut to size."""
        return "".join(mark for mark in text if mark in _PRINTED)[:ANSWER]

    def format(self, seat: str, action: Action) -> str:
        """The answer."""
        return str(action)

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Any text; the game says in what it shows how to put a move."""
        return {"type": "string", "maxLength": ANSWER}


def _plain(observation: Any) -> str:
    if not isinstance(observation, str):
        parts = [str(entry[1] if isinstance(entry, tuple) else entry) for entry in observation]
        observation = "\n".join(parts)
    return "".join(mark if mark in _PRINTED else "?" for mark in observation)[-LENGTH:]


def _reason(info: Any) -> str:
    told = info if isinstance(info, Mapping) else {}
    for entry in (told, *told.values()):
        reason = entry.get("reason") if isinstance(entry, Mapping) else None
        if reason:
            return _plain(str(reason))[:300]
    return "the game says that it is over"
