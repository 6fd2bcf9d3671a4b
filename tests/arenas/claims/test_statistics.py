"""Intervals over seeds: against closed forms, and coverage where the truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from gymposium.arenas.claims.statistics import estimate, mean, mean_ratio


def test_a_difference_is_paired_so_that_what_seeds_share_drops_out():
    rng = np.random.default_rng(0)
    luck, noise = 100 * rng.normal(size=20), rng.normal(size=20)
    paired = estimate("difference", [luck + 1 + 0.1 * noise, luck])
    assert paired.value == pytest.approx(1 + 0.1 * noise.mean())
    assert paired.high - paired.low < 0.2
    shuffled = estimate("difference", [luck + 1, rng.permutation(luck)])
    assert shuffled.high - shuffled.low > 50


def test_a_slope_is_the_least_squares_slope_and_exact_on_a_line():
    levels = [0.0, 0.2, 0.5, 1.0]
    rng = np.random.default_rng(1)
    sides = [3 * level + rng.normal(size=12) for level in levels]
    found = estimate("slope", sides, levels)
    expected = np.mean([stats.linregress(levels, [s[i] for s in sides])[0] for i in range(12)])
    assert found.value == pytest.approx(expected)
    line = estimate("slope", [np.full(6, 5 - 2 * level) for level in levels], levels)
    assert line.value == pytest.approx(-2)
    assert line.high - line.low == pytest.approx(0, abs=1e-12)


def test_a_ratio_is_that_of_the_means_and_known_exactly_when_sides_are_proportional():
    bottom = np.array([1.0, 2.0, 5.0, 3.0, 9.0, 2.5])
    found = estimate("ratio", [1.5 * bottom, bottom])
    assert (found.value, found.low, found.high) == pytest.approx((1.5, 1.5, 1.5))
    assert estimate("ratio", [bottom**2, bottom]).value == pytest.approx(
        np.mean(bottom**2) / np.mean(bottom)
    )


@pytest.mark.parametrize("bottom", [[-1.0, -2.0, -3.0], [5.0, -4.9, 0.1, 0.2]])
def test_a_ratio_whose_divisor_may_be_zero_has_no_interval(bottom):
    found = estimate("ratio", [np.ones(len(bottom)), np.array(bottom)])
    assert found.low is None
    assert "divisor" in found.note


def test_seeds_that_agree_give_no_width_and_a_warning_how_rare_an_exception_may_be():
    found = mean(np.full(10, 0.3))
    assert (found.low, found.high) == pytest.approx((0.3, 0.3))
    # An outcome with this chance is missed by all ten seeds one time in twenty.
    chance = 1 - 0.05 ** (1 / 10)
    assert f"{chance:.0%}" in found.note


def test_one_seed_has_no_interval_and_none_no_estimate():
    assert mean(np.array([2.0])) == (2.0, None, None, 1, "")
    found = estimate("value", [np.array([math.nan, math.nan])])
    assert math.isnan(found.value)
    assert found.seeds == 0


def test_seeds_without_a_measure_are_left_out_of_both_sides_and_counted():
    first = np.array([1.0, math.nan, 3.0, 4.0])
    second = np.array([1.0, 9.0, 1.0, math.nan])
    found = estimate("difference", [first, second])
    assert (found.value, found.seeds) == (1.0, 2)
    assert "2 seeds without this measure left out" in found.note


def test_the_interval_moves_and_stretches_with_the_data():
    values = np.random.default_rng(3).exponential(size=9)
    one, other = mean(values), mean(10 * values + 7)
    assert other.low == pytest.approx(10 * one.low + 7)
    assert other.high == pytest.approx(10 * one.high + 7)
    mirrored = mean(-values)
    assert mirrored.high == pytest.approx(-one.low, rel=0.15)


def test_two_seeds_give_a_wide_interval_not_an_endless_one():
    found = mean(np.array([0.0, 1.0]))
    assert 6.3 < found.high - 0.5 <= 3 * 6.3532


LEAST = {"normal": 0.935, "exponential": 0.91}


@pytest.mark.parametrize("seeds", [5, 10, 30])
@pytest.mark.parametrize("kind", LEAST)
def test_intervals_of_a_mean_cover_the_truth_about_as_often_as_they_say(kind, seeds):
    rng = np.random.default_rng([seeds, len(kind)])
    draw = {"normal": rng.normal, "exponential": lambda size: rng.exponential(size=size) - 1}
    rounds = 500
    hits = sum(
        found.low <= 0 <= found.high
        for found in (mean(draw[kind](size=seeds)) for _ in range(rounds))
    )
    error = math.sqrt(0.05 * 0.95 / rounds)
    assert LEAST[kind] - 2 * error <= hits / rounds <= 0.95 + 3.5 * error


def test_skewed_data_are_covered_better_than_by_students_interval():
    rng = np.random.default_rng(5)
    ours = student = 0
    for _ in range(500):
        values = rng.lognormal(size=12)
        truth = math.exp(0.5)
        found = mean(values)
        ours += found.low <= truth <= found.high
        low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
        student += low <= truth <= high
    assert ours >= student + 15


@pytest.mark.parametrize("seeds", [8, 25])
def test_intervals_of_a_ratio_cover_the_truth_about_as_often_as_they_say(seeds):
    rng = np.random.default_rng(seeds)
    hits = 0
    for _ in range(500):
        bottom = rng.gamma(6.0, size=seeds)
        top = 0.7 * bottom + rng.normal(size=seeds)
        found = mean_ratio(top, bottom)
        hits += found.low <= 0.7 <= found.high
    assert 0.925 <= hits / 500 <= 0.985


def test_a_lower_confidence_gives_a_narrower_interval():
    values = np.random.default_rng(2).normal(size=15)
    wide, narrow = mean(values, confidence=0.95), mean(values, confidence=0.8)
    assert wide.low < narrow.low < narrow.high < wide.high
