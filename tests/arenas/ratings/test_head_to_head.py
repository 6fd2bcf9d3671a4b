from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gymposium.arenas.ratings.head_to_head import head_to_head
from gymposium.arenas.ratings.rated import Evidence
from gymposium.arenas.rows import MatchRow

MakeMatch = Callable[..., MatchRow]


def duels(make_match: MakeMatch, results: list[int]) -> list[MatchRow]:
    return [make_match([("a", won), ("b", -won)], seed=block) for block, won in enumerate(results)]


def test_counts_and_share(make_match: MakeMatch) -> None:
    (pair,) = head_to_head(Evidence(duels(make_match, [1, 1, 0, -1])))
    assert (pair.agent, pair.other, pair.wins, pair.ties, pair.losses) == ("a", "b", 2, 1, 1)
    assert pair.share == 0.625
    assert 0 <= pair.low < pair.share < pair.high <= 1


def test_an_unbeaten_agents_share_is_not_certain_and_stays_within_one(
    make_match: MakeMatch,
) -> None:
    few, many = (head_to_head(Evidence(duels(make_match, [1] * n)))[0] for n in (3, 60))
    assert few.share == few.high == 1
    assert few.low < 0.85
    assert 0.95 < many.low < 1


def test_a_stretched_interval_of_two_blocks_stays_a_share(make_match: MakeMatch) -> None:
    (pair,) = head_to_head(Evidence(duels(make_match, [1, -1])))
    assert (pair.low, pair.high) == (0, 1)


def test_one_block_says_nothing_about_the_spread(make_match: MakeMatch) -> None:
    (pair,) = head_to_head(Evidence(duels(make_match, [1])))
    assert (pair.low, pair.high) == (None, None)


def test_intervals_cover_the_true_share(make_match: MakeMatch) -> None:
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(60):
        results = np.where(rng.random(40) < 0.7, 1, -1).tolist()
        (pair,) = head_to_head(Evidence(duels(make_match, results), replicas=100))
        hits += pair.low <= 0.7 <= pair.high
    assert hits >= 52


def test_many_pairs_are_taken_in_pieces(
    make_match: MakeMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    rows = [
        make_match([(f"a{i}", won), (f"a{j}", -won)], seed=block)
        for block in range(5) for i in range(6) for j in range(i)
        for won in [int(rng.choice([-1, 1]))]
    ]  # fmt: skip
    whole = head_to_head(Evidence(rows, replicas=0))
    monkeypatch.setattr("gymposium.arenas.ratings.head_to_head._CHUNK", 20)
    assert head_to_head(Evidence(rows, replicas=0)) == whole
    assert len(whole) == 15
