"""Exact intervals are exact, and differences stay within what is possible."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from gymposium.arenas.analysis.rates import Rate, difference


@pytest.mark.parametrize(("hits", "cases"), [(0, 1), (1, 1), (0, 9), (9, 9), (3, 7), (50, 51)])
def test_an_interval_is_that_of_clopper_and_pearson(hits, cases):
    exact = binomtest(hits, cases).proportion_ci(0.95, method="exact")
    assert Rate(hits, cases).interval == pytest.approx((exact.low, exact.high), abs=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("cases", [1, 6, 36])
def test_an_interval_covers_the_truth_at_least_as_often_as_it_says(share, cases):
    hits = np.arange(cases + 1)
    covered = [low <= share <= high for low, high in (Rate(int(k), cases).interval for k in hits)]
    assert binom.pmf(hits, cases, share)[covered].sum() >= 0.95


def test_without_cases_nothing_is_known():
    assert (Rate(0, 0).share, Rate(0, 0).interval, Rate(0, 0).said) == (None, None, "–")
    assert difference(Rate(0, 0), Rate(1, 2)) is None
    assert Rate.of([]) == Rate(0, 0)


def test_rates_of_separate_cases_add_up():
    assert Rate(1, 3) + Rate(2, 2) == Rate(3, 5)
    assert Rate.of([True, False, True]) == Rate(2, 3)


counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts)
def test_a_difference_lies_in_its_interval_and_turns_round(one, two):
    there, back = difference(Rate(*one), Rate(*two)), difference(Rate(*two), Rate(*one))
    assert -1 <= there.low <= there.value <= there.high <= 1
    assert (-back.high, -back.value, -back.low) == pytest.approx(
        (there.low, there.value, there.high)
    )


def test_a_difference_is_narrower_with_more_cases():
    few, many = difference(Rate(9, 10), Rate(1, 10)), difference(Rate(90, 100), Rate(10, 100))
    assert many.high - many.low < few.high - few.low
