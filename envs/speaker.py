"""The words of a world, without the world: all that a :class:`~gymposium.types.Turn` carries of it.

What is said is a function of arguments and parameters, so a second world of the same parameters
that no match ever begins in says the same, and holds neither a state nor a generator for whoever
looks inside. It is made when words are first asked for: bots that read numbers never pay for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from gymposium.types import Action, Image

    from .world import RuleWorld


class StatefulWords(UsageError):
    """Words of a world read what only a match has."""


class Speaker:
    """Speaks for the worlds that ``kind(*args, **named)`` makes; see :class:`gymposium.Words`."""

    __slots__ = ("_args", "_kind", "_named", "_world")

    def __init__(
        self, kind: type[RuleWorld], args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> None:
        self._kind, self._args, self._named = kind, args, named
        self._world: RuleWorld | None = None

    def rules(self, seat: str) -> str:
        """As the world's."""
        return str(self._said("rules", seat))

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """As the world's."""
        return str(self._said("describe", seat, observation, info))

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """As the world's."""
        return tuple(self._said("images", seat, observation, info))

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """As the world's."""
        schema: Mapping[str, Any] = self._said("action_schema", seat, observation, info)
        return schema

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """As the world's."""
        return self._said("parse", seat, text, observation, info)

    def format(self, seat: str, action: Action) -> str:
        """As the world's."""
        return str(self._said("format", seat, action))

    def _said(self, what: str, *about: Any) -> Any:
        if self._world is None:
            self._world = self._kind(*self._args, **self._named)
        try:
            return getattr(self._world, what)(*about)
        except AttributeError as error:
            if error.obj is not self._world:
                raise
            raise StatefulWords(
                f"{self._world.id}: {what} reads the state of a match ({error.name}); words may "
                "read their arguments and the parameters only: put it into the observation or info"
            ) from error

    def __deepcopy__(self, memo: Any) -> Speaker:
        return self  # copies of a world speak alike

    def __reduce__(self) -> tuple[Any, ...]:
        return Speaker, (self._kind, self._args, dict(self._named))
