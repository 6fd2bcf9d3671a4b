"""What is worth saying of a view beside the map itself: bearings, the nearest things, the others.

Directions are in the words of the actions, so that a reader need not turn the map in its head:
"nearest 4 south 2 east" is done by stepping south and east.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .state import FLAG_AWAY, FLAG_SHIFT, HEADING_SHIFT, OTHER, WALL
from .views import AHEAD, SIDE

if TYPE_CHECKING:
    from .game import GridGame

_MAP = ("south", "east", "north", "west")
_OWN = ("forward", "left", "backward", "right")
_MOST_OTHERS = 3
_OWN_CELL = (AHEAD, SIDE)


def window(codes: Any) -> tuple[slice, slice]:
    """The rows and columns of a view without those at its edges that are nothing but wall."""
    free = (codes[..., 0] != WALL) | (codes[..., 1] != 0)
    rows, columns = np.flatnonzero(free.any(1)), np.flatnonzero(free.any(0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def sights(game: GridGame, codes: Any) -> Iterator[str]:
    """Sentences on a view.

    Args:
        game: the world.
        codes: uint8 ``[11, 11, 2]``; the seat is in play.
    """
    by_map = game.actions[2].endswith(_MAP)
    heading = int(codes[AHEAD, SIDE, 1]) >> HEADING_SHIFT & 3
    names = _MAP[heading:] + _MAP[:heading] if by_map else _OWN
    if by_map:
        ahead, left, back, right = names
        yield f"You look {ahead}: here {ahead} is up, {left} left, {right} right, {back} down."
    for item in game.things:
        places = np.argwhere(codes[..., 0] == item).tolist()
        if places:
            near = min(places, key=_distance)
            yield f"{len(places)} {game.items[item]} in sight, nearest {_way(near, names)}."
    yield from _others(game, codes[..., 1], names)


def _others(game: GridGame, people: Any, names: tuple[str, ...]) -> Iterator[str]:
    """Where the nearest others are, and what can be seen of what they do."""
    places = np.argwhere((people & OTHER) != 0).tolist()
    places.sort(key=lambda place: (_distance(place), place))
    told = []
    for r, c in places[:_MOST_OTHERS]:
        bits = int(people[r, c]) & ~FLAG_AWAY
        does = [name for k, name in enumerate(game.flags) if bits >> (FLAG_SHIFT + k) & 1]
        told.append(_way((r, c), names) + (f" ({', '.join(does)})" if does else ""))
    if told:
        more = f"; {len(places) - len(told)} more" if len(places) > len(told) else ""
        yield f"Others: {'; '.join(told)}{more}."


def _distance(place: Any) -> int:
    return abs(int(place[0]) - AHEAD) + abs(int(place[1]) - SIDE)


def _way(place: Any, names: tuple[str, ...]) -> str:
    """How to get to ``place``, in the words of the actions."""
    ahead, left, back, right = names
    up, over = AHEAD - place[0], place[1] - SIDE
    steps = ((up, ahead), (-up, back), (-over, left), (over, right))
    return " ".join(f"{count} {name}" for count, name in steps if count > 0) or "under you"
