from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from gymposium.arenas.rows import MatchRow, SeatRow

_PAYOFFS = {("C", "C"): (3, 3), ("C", "D"): (0, 5), ("D", "C"): (5, 0), ("D", "D"): (1, 1)}

MakeMatch = Callable[..., MatchRow]


def match(
    returns: Mapping[str, float] | Sequence[tuple[str, float]],
    *,
    kind: str = "zero_sum",
    cell: str = "cell",
    seed: int = 0,
    block: int | None = None,
    roles: Sequence[str] = (),
    teams: Sequence[str | None] = (),
) -> MatchRow:
    """A finished match; ``returns`` are (agent, return) pairs in seating order."""
    pairs = list(returns.items() if isinstance(returns, Mapping) else returns)
    seats = tuple(
        SeatRow(
            f"seat_{number}",
            agent,
            roles[number] if roles else "focal",
            teams[number] if teams else None,
            value,
            turns=1,
        )
        for number, (agent, value) in enumerate(pairs)
    )
    block = seed if block is None else block
    key = f"{cell}/{seed}/{'-'.join(agent for agent, _ in pairs)}"
    return MatchRow(key, "world-v0", kind, cell, seed, block, seats)


def dilemma(one: str, two: str, rounds: int) -> tuple[float, float]:
    """Returns of two strategies in the iterated prisoners' dilemma (5, 3, 1, 0)."""
    mine: list[str] = []
    theirs: list[str] = []
    totals = [0.0, 0.0]
    for _ in range(rounds):
        moves = _move(one, mine, theirs), _move(two, theirs, mine)
        mine.append(moves[0])
        theirs.append(moves[1])
        for seat, payoff in enumerate(_PAYOFFS[moves]):
            totals[seat] += payoff
    return totals[0], totals[1]


def _move(name: str, own: list[str], other: list[str]) -> str:
    if name == "always_defect":
        return "D"
    if name == "always_cooperate" or not own:
        return "C"
    if name == "tit_for_tat":
        return other[-1]
    if name == "grim":
        return "D" if "D" in other else "C"
    assert name == "win_stay_lose_shift"
    return "C" if own[-1] == other[-1] else "D"


@pytest.fixture
def make_match() -> MakeMatch:
    return match


@pytest.fixture
def play_dilemma() -> Callable[[str, str, int], tuple[float, float]]:
    return dilemma
