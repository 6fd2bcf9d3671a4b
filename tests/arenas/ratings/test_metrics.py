from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from gymposium.arenas.ratings.metrics import (
    is_share,
    mean_metrics,
    mean_returns,
    means,
    paired_difference,
)
from gymposium.arenas.rows import MatchRow
from gymposium.errors import UnknownName

MakeMatch = Callable[..., MatchRow]


def test_returns_per_cell_and_overall(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 1), ("b", 0)], cell="one", seed=0),
        make_match([("a", 3), ("b", 0)], cell="one", seed=1),
        make_match([("a", 10), ("b", 0)], cell="two", seed=0),
    ]
    found = {(m.subject, m.cell): m for m in mean_returns(rows)}
    assert found["a", "one"].value == 2
    assert found["a", "two"].value == 10
    # Cells count the same however many matches they have.
    assert found["a", None].value == 6
    assert (found["a", "one"].matches, found["a", "one"].blocks) == (2, 2)


def test_an_agent_in_two_seats_counts_once_per_capita(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 4), ("a", 0)], seed=0),
        make_match([("a", 8), ("b", 0)], seed=1),
    ]
    mean = mean_returns(rows)[0]
    assert (mean.subject, mean.value, mean.matches) == ("a", 5, 2)


def test_a_single_block_has_no_interval_and_neither_has_what_rests_on_one(
    make_match: MakeMatch,
) -> None:
    rows = [make_match([("a", seed)], cell="one", seed=seed) for seed in range(4)]
    rows += [make_match([("a", 1)], cell="two", seed=0)]
    found = {m.cell: m for m in mean_returns(rows)}
    assert found["one"].low is not None
    assert found["two"].low is None
    assert found[None].low is None


def test_blocks_are_resampled_whole() -> None:
    # Ten equal values in each of four blocks know no more than one value in each.
    one = [("x", "c", block, float(block % 2)) for block in range(4)]
    wide, narrow = means(one * 10), means([(s, c, n, v) for n, (s, c, _, v) in enumerate(one * 10)])
    assert wide[0].value == narrow[0].value == 0.5
    assert wide[0].high - wide[0].low > 2 * (narrow[0].high - narrow[0].low)


def test_mean_intervals_cover_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for trial in range(200):
        values = rng.normal(1.0, 1.0, 6)
        mean = means([("x", "c", n, v) for n, v in enumerate(values)], seed=trial)[0]
        hits += mean.low <= 1.0 <= mean.high
    assert 0.9 <= hits / 200 <= 0.99


def test_nan_is_left_out_and_nothing_is_nothing() -> None:
    found = means([("x", "c", 0, 1.0), ("x", "c", 1, math.nan), ("y", "c", 0, math.nan)])
    assert [(m.subject, m.value, m.matches) for m in found] == [("x", 1.0, 1)] * 2
    assert means([]) == []


def test_world_measures_have_means(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 0)], seed=s)._replace(metrics={"welfare": float(s)}) for s in range(3)
    ]
    found = mean_metrics(rows)
    assert [(m.subject, m.cell, m.value) for m in found] == [
        ("welfare", None, 1.0), ("welfare", "cell", 1.0),
    ]  # fmt: skip


def test_pairing_removes_the_luck_of_the_seed(make_match: MakeMatch) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for seed in range(10):
        luck = float(rng.normal(0, 100))
        edge = float(rng.normal(1, 0.1))
        rows.append(make_match([("a", luck + edge), ("x", 0)], kind="mixed", seed=seed))
        rows.append(make_match([("b", luck), ("x", 0)], kind="mixed", seed=seed))
    found = paired_difference(rows, "a", "b")
    assert found.value == pytest.approx(1, abs=0.1)
    assert 0.8 < found.low < found.value < found.high < 1.2
    assert (found.places, found.blocks) == (10, 10)
    back = paired_difference(rows, "b", "a")
    assert back.value == pytest.approx(-found.value)
    single = {m.subject: m for m in mean_returns(rows) if m.cell is None}
    assert single["a"].high - single["a"].low > 50


def test_agents_that_share_no_place_have_no_difference(make_match: MakeMatch) -> None:
    rows = [make_match([("a", 1)], seed=0), make_match([("b", 1)], seed=1)]
    found = paired_difference(rows, "a", "b")
    assert math.isnan(found.value)
    assert (found.low, found.high, found.places) == (None, None, 0)


def test_a_misspelt_agent_is_named_with_the_nearest(make_match: MakeMatch) -> None:
    with pytest.raises(UnknownName, match="alice"):
        paired_difference([make_match([("alice", 1)])], "alise", "alice")


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("rate_defect", [0.2, 0.9], True),
        ("buyer_share", [0.0, 1.0], True),
        ("efficiency", [0.5, 1.2], False),
        ("welfare", [0.2, 0.9], False),
        ("deal", [0.0, 1.0, 1.0], True),
        ("generated", [0.3], False),
    ],
)
def test_shares_are_known_by_name_and_values(
    name: str, values: list[float], expected: bool
) -> None:
    assert is_share(name, values) is expected


def test_the_interval_of_a_share_stays_within_zero_and_one(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 0)], seed=block)._replace(metrics={"rate_x": value, "wealth": value})
        for block, value in enumerate([0.1, 0.95])
    ]
    found = {m.subject: m for m in mean_metrics(rows) if m.cell}
    assert (found["rate_x"].low, found["rate_x"].high) == (0, 1)
    assert found["wealth"].low < 0
    assert found["wealth"].high > 1
