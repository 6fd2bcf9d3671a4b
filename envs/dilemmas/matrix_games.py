"""One-shot matrix games as data: the classics, public goods, and any payoff matrix of one's own.

The classics are the two-by-two games of Rapoport and Guyer's taxonomy with the payoffs used in
most experiments (Axelrod's 5/3/1/0 for the prisoners' dilemma); the public goods game is the
linear one of Ledyard's survey, with all-or-nothing contributions. In each, the first action is the
one that trusts the others, where there is such a thing.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gymposium.errors import UsageError

Profile = tuple[int, ...]
Kind = Literal["zero_sum", "mixed", "cooperative"]

MAX_CELLS = 100_000
MAX_ACTIONS = 100
MAX_PLAYERS = 50
CUSTOM = "custom"
PUBLIC_GOODS = "public-goods"


class MatrixGame(ABC):
    """Who may do what, and what each profile of actions pays.

    Attributes:
        name: a preset's name or ``custom``.
        labels: per seat, its actions in words.
        lowest, highest: of all payoffs.
        lowest_welfare, highest_welfare: of the payoffs' sum over seats.
        kind: ``zero_sum`` if every cell has the same sum, ``cooperative`` if in every cell all
            get the same, else ``mixed``.
    """

    name: str
    labels: tuple[tuple[str, ...], ...]
    lowest: float
    highest: float
    lowest_welfare: float
    highest_welfare: float
    kind: Kind

    @abstractmethod
    def pay(self, profile: Profile) -> tuple[float, ...]:
        """The payoff of each seat when seat ``i`` plays action ``profile[i]``."""

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.labels)

    def profiles(self) -> Iterator[Profile]:
        """All profiles of actions, the last seat's action changing fastest."""
        return itertools.product(*(range(len(names)) for names in self.labels))

    def _measure(self, cells: Sequence[tuple[float, ...]]) -> None:
        sums = [math.fsum(cell) for cell in cells]
        self.lowest = min(min(cell) for cell in cells)
        self.highest = max(max(cell) for cell in cells)
        self.lowest_welfare, self.highest_welfare = min(sums), max(sums)
        if all(math.isclose(total, sums[0], abs_tol=1e-9) for total in sums):
            self.kind = "zero_sum"
        elif all(pay == cell[0] for cell in cells for pay in cell):
            self.kind = "cooperative"
        else:
            self.kind = "mixed"


class TableGame(MatrixGame):
    """A game given by its payoff matrix."""

    def __init__(
        self,
        name: str,
        labels: Sequence[Sequence[str]],
        cells: Mapping[Profile, tuple[float, ...]],
    ) -> None:
        self.name = name
        self.labels = tuple(tuple(names) for names in labels)
        self._cells = dict(cells)
        self._measure(list(self._cells.values()))

    def pay(self, profile: Profile) -> tuple[float, ...]:
        """The payoffs of one cell."""
        return self._cells[profile]


class PublicGoods(MatrixGame):
    """Each keeps one unit, or puts it into a pot that is multiplied and shared by all."""

    def __init__(
        self, players: int, multiplier: float, labels: Sequence[str] = ("contribute", "keep")
    ) -> None:
        self.name = PUBLIC_GOODS
        self.labels = (tuple(labels),) * players
        self.share = [multiplier * given / players for given in range(players + 1)]
        self._measure(
            [
                (self.share[given],) * given + (self.share[given] + 1.0,) * (players - given)
                for given in range(players + 1)
            ]
        )

    def pay(self, profile: Profile) -> tuple[float, ...]:
        """Everyone's share of the pot, and the unit of those who kept it."""
        share = self.share[profile.count(0)]
        return tuple([share + 1.0 if action else share for action in profile])


@dataclass(frozen=True)
class Classic:
    """A named two-seat game: ``payoffs[i][j]`` = (first seat's, second seat's) payoff."""

    labels: tuple[tuple[str, ...], tuple[str, ...]]
    payoffs: tuple[tuple[tuple[float, float], ...], ...]
    roles: tuple[str, str] = ("player", "player")


def _same(*names: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return names, names


CLASSICS: Mapping[str, Classic] = {
    "prisoners-dilemma": Classic(
        _same("cooperate", "defect"), (((3, 3), (0, 5)), ((5, 0), (1, 1)))
    ),
    "stag-hunt": Classic(_same("stag", "hare"), (((4, 4), (0, 3)), ((3, 0), (3, 3)))),
    "chicken": Classic(_same("swerve", "straight"), (((3, 3), (1, 4)), ((4, 1), (0, 0)))),
    "battle-of-the-sexes": Classic(
        _same("opera", "football"),
        (((3, 2), (0, 0)), ((0, 0), (2, 3))),
        roles=("opera lover", "football lover"),
    ),
    "matching-pennies": Classic(
        _same("heads", "tails"),
        (((1, -1), (-1, 1)), ((-1, 1), (1, -1))),
        roles=("matcher", "mismatcher"),
    ),
}
GAMES = (*CLASSICS, PUBLIC_GOODS, CUSTOM)


def classic(name: str, labels: Sequence[Sequence[str]] | None = None) -> TableGame:
    """One of the named two-seat games, perhaps with other words for its actions."""
    found = CLASSICS[name]
    cells: dict[Profile, tuple[float, ...]] = {
        (i, j): (float(first), float(second))
        for i, row in enumerate(found.payoffs)
        for j, (first, second) in enumerate(row)
    }
    return TableGame(name, labels or found.labels, cells)


def custom(payoffs: Any, labels: Sequence[Sequence[str]] | None = None) -> TableGame:
    """The game of any payoff matrix.

    Args:
        payoffs: nested lists; for seats 0..n-1 playing a, b, …, ``payoffs[a][b]…`` is the list of
            their n payoffs.
        labels: per seat, its actions in words; letters if None.

    Returns:
        The game.

    Raises:
        UsageError: the nesting is uneven, or a payoff is not a finite number.
    """
    shape, cells = _cells(payoffs)
    if labels is None:
        labels = [_letters(count) for count in shape]
    if [len(names) for names in labels] != list(shape):
        wanted = ", ".join(map(str, shape))
        got = ", ".join(str(len(names)) for names in labels)
        raise UsageError(
            f"iterated_matrix: actions names {got} actions per seat, but payoffs has {wanted}"
        )
    return TableGame(CUSTOM, labels, cells)


def _letters(count: int) -> tuple[str, ...]:
    if count <= 26:
        return tuple(chr(ord("a") + index) for index in range(count))
    return tuple(f"action {index}" for index in range(count))


def _cells(payoffs: Any) -> tuple[tuple[int, ...], dict[Profile, tuple[float, ...]]]:
    shape: list[int] = []
    probe = payoffs
    while isinstance(probe, list | tuple) and probe:
        shape.append(len(probe))
        probe = probe[0]
    players = len(shape) - 1
    if players < 2 or shape[-1] != players:
        raise UsageError(
            "iterated_matrix: payoffs must be nested lists, one level per seat, with a list of one "
            "payoff per seat in each cell, as in [[[3,3],[0,5]],[[5,0],[1,1]]]; "
            f"got {payoffs!r:.80}"
        )
    if math.prod(shape[:-1]) > MAX_CELLS or max(shape) > MAX_ACTIONS:
        raise UsageError(
            f"iterated_matrix: payoffs of shape {shape} are too many: at most {MAX_ACTIONS} "
            f"actions a seat and {MAX_CELLS} cells"
        )
    cells: dict[Profile, tuple[float, ...]] = {}
    for profile in itertools.product(*(range(size) for size in shape[:-1])):
        cell = payoffs
        for depth, index in enumerate((*profile, None)):
            if not isinstance(cell, list | tuple) or len(cell) != shape[depth]:
                raise UsageError(
                    f"iterated_matrix: payoffs are uneven at {list(profile)}: expected a list of "
                    f"{shape[depth]}, got {cell!r:.60}"
                )
            if index is not None:
                cell = cell[index]
        for number in cell:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise UsageError(
                    f"iterated_matrix: payoff {number!r:.60} at {list(profile)} is not a number"
                )
            if not math.isfinite(number):
                raise UsageError(f"iterated_matrix: payoff at {list(profile)} is not finite")
        cells[profile] = tuple(map(float, cell))
    return tuple(shape[:-1]), cells
