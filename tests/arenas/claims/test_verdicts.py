"""The rule of the verdicts, case by case and by its symmetries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.arenas.claims.statistics import Estimate
from gymposium.arenas.claims.verdicts import (
    INCONCLUSIVE,
    NOT_SHOWN,
    REVERSED,
    SHOWN,
    SMOKE,
    VERDICTS,
    verdict,
)


def over(low, high, seeds=10):
    return Estimate((low + high) / 2, low, high, seeds)


@pytest.mark.parametrize(
    ("low", "high", "worth", "expected"),
    [
        (0.1, 0.9, None, SHOWN),
        (0.1, 0.9, 5.0, SHOWN),  # small, and yet on the claimed side
        (-0.9, -0.1, None, REVERSED),
        (-0.2, 0.3, 0.5, NOT_SHOWN),  # an effect of 0.5 is excluded
        (-0.2, 0.6, 0.5, INCONCLUSIVE),  # it is not
        (-0.2, 0.3, None, INCONCLUSIVE),  # nobody said what would matter
        (0.0, 0.0, None, NOT_SHOWN),  # exactly nothing
        (-0.2, 0.0, None, NOT_SHOWN),  # nothing on the claimed side is left
        (0.0, 0.3, 0.5, NOT_SHOWN),  # touching the bound is not beyond it
        (0.0, 0.3, None, INCONCLUSIVE),
    ],
)
def test_the_interval_decides(low, high, worth, expected):
    assert verdict(over(low, high), worth=worth) == expected
    assert verdict(over(-high, -low), expect="below", worth=worth) == expected
    moved = over(low + 3, high + 3)
    assert verdict(moved, bound=3.0, worth=worth) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.4, 0.4, SHOWN),
        (0.1, 0.4, SHOWN),  # a difference, but one that does not matter
        (0.6, 0.9, REVERSED),
        (-0.9, -0.6, REVERSED),
        (0.4, 0.6, INCONCLUSIVE),
        (-2.0, 2.0, INCONCLUSIVE),
        (-0.5, 0.4, INCONCLUSIVE),
    ],
)
def test_an_equivalence_is_shown_within_its_margin(low, high, expected):
    assert verdict(over(low, high), margin=0.5) == expected


def test_rounding_is_no_effect():
    third = 0.1 + 0.2
    assert verdict(over(third, third), bound=0.3) == NOT_SHOWN
    assert verdict(over(0.3, 0.3), bound=third) == NOT_SHOWN


def test_few_seeds_and_unknown_intervals_decide_nothing():
    assert verdict(over(1.0, 2.0, seeds=4)) == INCONCLUSIVE
    assert verdict(over(1.0, 2.0, seeds=5)) == SHOWN
    assert verdict(Estimate(3.0, None, None, 10)) == INCONCLUSIVE


@given(
    st.floats(-9, 9),
    st.floats(0, 9),
    st.sampled_from(["above", "below"]),
    st.none() | st.floats(0.1, 3),
    st.none() | st.floats(0.1, 3),
)
def test_smoke_shows_nothing_and_every_verdict_is_a_known_one(low, width, expect, worth, margin):
    found = over(low, low + width)
    options = {"expect": expect, "worth": worth, "margin": margin}
    assert verdict(found, **options, smoke=True) == SMOKE == "nothing shown: smoke only"
    assert verdict(found, **options) in set(VERDICTS) - {SMOKE}


@given(st.floats(-9, 9), st.floats(0.01, 9))
def test_what_is_shown_one_way_is_reversed_the_other_way(low, width):
    swap = {SHOWN: REVERSED, REVERSED: SHOWN}
    above, below = (verdict(over(low, low + width), expect=side) for side in ("above", "below"))
    assert above in swap or above in (INCONCLUSIVE, NOT_SHOWN)
    if above in swap:
        assert below == swap[above]
