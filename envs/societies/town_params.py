"""Parameters of ``town-v0``, and the dilemmas that are played there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gymposium.errors import UsageError

from ..limits import choice, real, whole

MOST_PEOPLE, MOST_SEATS, MOST_PLACES = 5_000, 20, 12
GAMES = {
    "donation": (2.0, -1.0, 3.0, 0.0),
    "prisoners-dilemma": (3.0, 0.0, 5.0, 1.0),
    "stag-hunt": (4.0, 0.0, 3.0, 2.0),
    "chicken": (3.0, 1.0, 5.0, 0.0),
}
"""Name -> what a meeting pays for: both cooperate, only I do, only the other does, nobody does."""
NORMS = ("image", "standing")
_WORLD = "town-v0"


def _chance(default: float, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc, "range": (0, 1)})


@dataclass(frozen=True)
class TownParams:
    """Parameters of ``town-v0``; chances are per person and hour."""

    people: int = field(
        default=200,
        metadata={"doc": "all inhabitants, the seats among them", "range": (4, MOST_PEOPLE)},
    )
    seats: int = field(
        default=3, metadata={"doc": "inhabitants that agents play", "range": (1, MOST_SEATS)}
    )
    places: int = field(default=5, metadata={"doc": "where one can go", "range": (1, MOST_PLACES)})
    hours: int = field(default=24, metadata={"doc": "length of a match", "range": (1, 10_000)})
    game: str = field(
        default="donation", metadata={"doc": "what is played in a meeting", "choices": (*GAMES,)}
    )
    payoffs: tuple[float, ...] | None = field(
        default=None,
        metadata={"doc": "instead of the game's: both cooperate, only I, only the other, nobody"},
    )
    norm: str = field(
        default="image",
        metadata={
            "doc": "how onlookers judge a defection: image always blames it, standing excuses it "
            "against somebody they think ill of",
            "choices": NORMS,
        },
    )
    cooperators: float = _chance(0.2, "share of people who always cooperate")
    defectors: float = _chance(
        0.3, "share who always defect; the rest defect on those they think ill of"
    )
    habit: float = _chance(0.8, "chance to go to one's favourite place, else to a random one")
    watch: float = _chance(0.3, "chance to watch a meeting of others at one's place")
    gossip: float = _chance(1.0, "chance that a person passes on its news in a meeting")
    lies: float = _chance(0.0, "chance that what a person passes on is the opposite")
    slips: float = _chance(0.02, "chance that a person does the opposite of what it meant to")
    imitation: float = _chance(0.05, "chance to take over the way of a partner who is richer")

    def __post_init__(self) -> None:
        whole(_WORLD, "people", self.people, 4, MOST_PEOPLE)
        whole(_WORLD, "seats", self.seats, 1, min(MOST_SEATS, self.people))
        whole(_WORLD, "places", self.places, 1, MOST_PLACES)
        whole(_WORLD, "hours", self.hours, 1, 10_000)
        choice(_WORLD, "game", self.game, tuple(GAMES))
        choice(_WORLD, "norm", self.norm, NORMS)
        for name in ("cooperators", "defectors", "habit", "watch", "gossip", "lies", "slips"):
            real(_WORLD, name, getattr(self, name), 0, 1)
        real(_WORLD, "imitation", self.imitation, 0, 1)
        if self.cooperators + self.defectors > 1:
            raise UsageError(
                f"{_WORLD}: cooperators={self.cooperators:g} and defectors={self.defectors:g} "
                "are shares of the same people; together they must not exceed 1"
            )
        if self.payoffs is not None:
            if not isinstance(self.payoffs, list | tuple) or len(self.payoffs) != 4:
                raise UsageError(f"{_WORLD}: payoffs={self.payoffs!r} must be a list of 4 numbers")
            paid = [real(_WORLD, "payoffs", value, -1e6, 1e6) for value in self.payoffs]
            object.__setattr__(self, "payoffs", tuple(paid))

    @property
    def matrix(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """What one earns, float64 [own deed, the other's], 0 for cooperating, 1 for defecting."""
        return np.array(self.payoffs or GAMES[self.game], np.float64).reshape(2, 2)
