from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gymposium.arenas.rows import MatchRow, SeatRow

MakeRows = Callable[..., list[MatchRow]]


def league(
    names: Sequence[str] = ("alice", "bob", "carol"),
    *,
    blocks: int = 4,
    cells: Sequence[str] = ("duel",),
    kind: str = "zero_sum",
) -> list[MatchRow]:
    """A small league in which earlier names are better."""
    rng = np.random.default_rng(0)
    rows = []
    for block, cell, (one, two) in itertools.product(
        range(blocks), cells, itertools.permutations(range(len(names)), 2)
    ):
        result = float(np.sign(two - one + rng.normal()))
        seats = tuple(
            SeatRow(
                f"seat_{seat}", names[agent], "focal", None, value,
                {"illegal": 1} if agent == 1 else {}, 5, 4, 3, 6, 1000, 50, 0.5,
            )
            for seat, (agent, value) in enumerate(((one, result), (two, -result)))
        )  # fmt: skip
        key = f"{cell}-{block}-{one}-{two}"
        rows.append(
            MatchRow(
                key, "duel-v0", kind, cell, block, block, seats, {"welfare": 1.0}, "the end", 1.0
            )
        )
    return rows


@pytest.fixture
def make_rows() -> MakeRows:
    return league
