"""Bradley–Terry at tournament size: 200 agents, 100,000 matches, 200 bootstrap replicas.

Run with ``python benchmarks/bradley_terry.py``; set ``OMP_NUM_THREADS=1`` for one core. The target
is 10 seconds from finished matches to the leaderboard. ``choix`` fits the same matches once,
without ties, seats or intervals, for comparison.
"""

from __future__ import annotations

import time

import choix
import numpy as np

from gymposium.arenas.ratings.bradley_terry import fit
from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.ratings.pair_counts import PairCounts
from gymposium.arenas.rows import MatchRow, SeatRow

AGENTS, MATCHES, BLOCKS, REPLICAS = 200, 100_000, 500, 200
TARGET_SECONDS = 10.0


def zero_sum_rows(skills: np.ndarray, rng: np.random.Generator) -> list[MatchRow]:
    """Two-seat matches between random agents, with an advantage for the first seat and ties."""
    first = rng.integers(0, AGENTS, MATCHES)
    second = (first + rng.integers(1, AGENTS, MATCHES)) % AGENTS
    chance = 0.9 / (1.0 + np.exp(skills[second] - skills[first] - 0.2))
    draw = rng.random(MATCHES)
    result = np.where(draw < chance, 1.0, np.where(draw < 0.9, -1.0, 0.0))
    return [
        _row(n, "zero_sum", n * BLOCKS // MATCHES, (int(i), float(x)), (int(j), -float(x)))
        for n, (i, j, x) in enumerate(zip(first, second, result, strict=True))
    ]


def mixed_rows(skills: np.ndarray, rng: np.random.Generator) -> list[MatchRow]:
    """A full round robin with self-play, repeated on common seeds: 20 million comparisons."""
    rows = []
    for number in range(MATCHES):
        block, pair = divmod(number, AGENTS * AGENTS)
        i, j = divmod(pair, AGENTS)
        noise = rng.normal(size=2)
        one, two = (i, float(skills[i] + noise[0])), (j, float(skills[j] + noise[1]))
        rows.append(_row(number, "mixed", block, one, two))
    return rows


def _row(
    number: int, kind: str, block: int, one: tuple[int, float], two: tuple[int, float]
) -> MatchRow:
    seats = tuple(
        SeatRow(f"seat_{seat}", f"agent_{agent:03}", "focal", None, value, turns=10)
        for seat, (agent, value) in enumerate((one, two))
    )
    return MatchRow(str(number), "world-v0", kind, "cell", block, block, seats)


def main() -> None:
    """Print seconds, and the target beside them."""
    rng = np.random.default_rng(0)
    skills = rng.normal(size=AGENTS)
    for name, make in (("zero-sum", zero_sum_rows), ("mixed", mixed_rows)):
        rows = make(skills, rng)
        began, busy = time.perf_counter(), time.process_time()
        board = leaderboard(rows, bootstrap=REPLICAS)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        found = {row.agent: row.rating for row in board.rows}
        ratings = [found[f"agent_{n:03}"] for n in range(AGENTS)]
        print(
            f"{name}: {AGENTS} agents, {MATCHES:,} matches, {REPLICAS} replicas, rows to "
            f"leaderboard: {seconds:.2f} s, {busy:.2f} s of CPU (target {TARGET_SECONDS:.0f} s); "
            f"correlation with the true skills {np.corrcoef(ratings, skills)[0, 1]:.4f}"
        )
        if name == "zero-sum":
            _compare_with_choix(rows)


def _compare_with_choix(rows: list[MatchRow]) -> None:
    games = []
    for row in rows:
        one, two = row.seats
        if one.return_ != two.return_:
            pair = (int(one.agent[-3:]), int(two.agent[-3:]))
            games.append(pair if one.return_ > two.return_ else pair[::-1])
    began = time.perf_counter()
    theirs = choix.ilsr_pairwise(AGENTS, games, alpha=1e-3)
    middle = time.perf_counter()
    winners, losers = np.array(games).T
    ours = fit(PairCounts.of(winners, losers, wins=np.ones(len(games))), prior=0).strengths
    ended = time.perf_counter()
    gap = np.abs(theirs - theirs.mean() - ours).max()
    print(
        f"one fit without ties, seats or intervals: choix {middle - began:.2f} s, "
        f"ours {ended - middle:.2f} s, largest difference {gap:.4f} log-odds"
    )


if __name__ == "__main__":
    main()
