from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.arenas.report import figures
from gymposium.arenas.report.charts import WIDTH, Scale

NUMBER = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (figures.fixed(-0.2), "0"),
        (figures.fixed(-1234.6), "−1,235"),
        (figures.fixed(None), "–"),
        (figures.figure(-0.001), "0.00"),
        (figures.figure(12.345), "12.35"),
        (figures.figure(1234.5), "1,234"),
        (figures.figure(math.nan), "–"),
        (figures.between(1, None), "–"),
        (figures.between(-1, 2.5), "[−1.00, 2.50]"),
        (figures.between(-1, 2.5, 0), "[−1, 2]"),
        (figures.share(0), "0 %"),
        (figures.share(1), "100 %"),
        (figures.share(0.0001), "<0.1 %"),
        (figures.share(0.9999), ">99.9 %"),
        (figures.share(0.25), "25 %"),
        (figures.share(0.123), "12.3 %"),
        (figures.share(None), "–"),
        (figures.count(1234), "1,234"),
        (figures.count(0.5), "0.5"),
        (figures.short(999), "999"),
        (figures.short(864_960), "865k"),
        (figures.short(999_600), "1M"),
        (figures.seconds(0.00012), "120 µs"),
        (figures.seconds(0.2), "200 ms"),
        (figures.seconds(12), "12.0 s"),
        (figures.seconds(3700), "1 h 1 min"),
        (figures.plain("abcdef", 3), "abc… (3 more characters)"),
        (figures.plain({"a": [1]}, 50), '{"a": [1]}'),
        (figures.name(" a\n b "), "a b"),
        (figures.name(""), "(no name)"),
    ],
)
def test_figures_read_like_this(shown: str, expected: str) -> None:
    assert shown == expected


@given(st.text(st.characters(), max_size=200), st.integers(0, 100))
def test_plain_words_are_bounded_and_printable(text: str, limit: int) -> None:
    found = figures.plain(text, limit)
    found.encode("utf-8")
    assert len(found) <= limit + 30
    assert not {"\x00", "\x1b", "\u202e", "\r"} & set(found)


@given(st.lists(NUMBER, max_size=6))
def test_scales_keep_everything_inside(values: list[float]) -> None:
    scale = Scale.around(values)
    assert scale.start < scale.stop
    for value in values:
        assert 0 <= scale.x(value) <= WIDTH
    assert all(0 <= tick.x <= WIDTH for tick in scale.ticks())
    assert len(scale.ticks()) <= 7


def test_ticks_are_round_numbers() -> None:
    assert [tick.label for tick in Scale(-560, 610).ticks()] == ["−500", "0", "500"]
    assert [tick.label for tick in Scale(0.11, 0.52).ticks()] == ["0.2", "0.3", "0.4", "0.5"]


def test_labels_of_ticks_do_not_run_into_each_other() -> None:
    assert [tick.label for tick in Scale(0.85, 0.8714).ticks()] == ["0.85", "0.86", "0.87"]
    assert [tick.label for tick in Scale(-123_000, 456_000).ticks()] == ["0", "200000", "400000"]


def test_an_estimate_that_is_no_number_has_no_bar() -> None:
    assert Scale(0, 1).bar(math.nan, None, None) is None
    hollow = Scale(0, 1).bar(0.5, None, None)
    assert hollow is not None
    assert hollow.low is None
