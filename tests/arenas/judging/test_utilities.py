"""Measures of utilities, against what can be worked out by hand (section 8 of our notes)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from gymposium.arenas.judging.diagnostics import circles, fitness
from gymposium.arenas.judging.judgements import Judgements
from gymposium.arenas.judging.utilities import (
    Line,
    agreement,
    coin_confidence,
    confidence,
    discounting,
    exchange_rate,
    expectation,
    line,
    means,
    pooled,
    rising,
    triads,
)
from gymposium.arenas.ratings.scale import fit_scale


def every_pair(items, chance):
    first, second = np.triu_indices(items, 1)
    return Judgements.of(items, first, second, chance(first, second))


def test_a_coin_asked_twenty_times_seems_sure_at_0_588():
    assert coin_confidence(20) == pytest.approx(0.588099, abs=1e-6)
    assert coin_confidence(10) == pytest.approx(0.623047, abs=1e-6)
    rng = np.random.default_rng(0)
    coin = Judgements.of(2000, np.arange(0, 2000, 2).repeat(20), np.arange(1, 2000, 2).repeat(20),
                         rng.integers(0, 2, 20_000) * 1.0)  # fmt: skip
    assert confidence(coin) == pytest.approx(0.588099, abs=0.01)


def test_a_coin_s_circles_are_a_quarter():
    rng = np.random.default_rng(1)
    coin = every_pair(80, lambda a, b: rng.integers(0, 2, len(a)) * 1.0)
    found = circles(coin)
    assert found.soft == pytest.approx(0.25, abs=0.02)
    assert found.hard == pytest.approx(0.25, abs=0.02)
    assert circles(every_pair(8, lambda a, b: np.full(len(a), 0.5))).soft == 0.25


def test_who_always_says_the_first_is_undecided_once_orders_are_pooled():
    always = Judgements.of(3, [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1], np.ones(6))
    assert pooled(always).preferred.tolist() == [0.5, 0.5, 0.5]
    assert confidence(always) == 0.5
    often = Judgements.of(2, [0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1])
    assert pooled(often).preferred.tolist() == [0.5]


def test_two_outcomes_standardise_to_seven_tenths_and_three_to_one():
    two = fit_scale(Judgements.of(2, [0], [1], [1.0]).counts(), "thurstone")
    assert two.standardised()[0] == pytest.approx([0.7071, -0.7071], abs=1e-4)
    level = np.array([2.0, 1.0, 0.0])
    noiseless = every_pair(3, lambda a, b: ndtr(level[a] - level[b]))
    three = fit_scale(noiseless.counts(), "thurstone", prior=1e-6)
    assert three.standardised()[0] == pytest.approx([1, 0, -1], abs=1e-3)


@pytest.mark.parametrize("model", ["thurstone", "thurstone_variances"])
def test_noiseless_chances_give_back_the_utilities(model):
    level = np.random.default_rng(2).normal(size=15)
    chances = every_pair(15, lambda a, b: ndtr((level[a] - level[b]) / np.sqrt(2)))
    scale = fit_scale(chances.counts(), model, prior=1e-3)
    assert np.corrcoef(scale.values, level)[0, 1] > 0.999
    # No prediction beats the entropy of what is to be predicted.
    share = chances.preferred
    entropy = -(share * np.log(share) + (1 - share) * np.log(1 - share)).mean()
    assert fitness(scale, chances).log_loss >= entropy - 1e-9


def test_a_consistent_respondent_has_no_circles_and_is_predicted():
    sure = every_pair(12, lambda a, b: 1.0 * (a < b))
    assert circles(sure).hard == 0
    assert confidence(sure) == 1
    assert fitness(fit_scale(sure.counts()), sure).accuracy == 1


def test_lotteries_by_expectation_agree_and_reversed_ones_do_not():
    worth = np.random.default_rng(3).normal(size=12)
    assert expectation(worth, worth) == pytest.approx((1, 0, 1))
    scaled = expectation(3 * worth + 2, worth)
    assert scaled == pytest.approx((1, 0, 1))
    z = np.abs((worth - worth.mean()) / worth.std()).mean()
    assert expectation(-worth, worth) == pytest.approx((-1, 2 * z, 0))


def test_instrumentality_of_one_beginning_is_as_worked_out():
    follows = {0: {1: 0.8, 2: 0.2}}
    exact = means(np.array([0.594, 1.0, -1.0]), follows)
    assert exact == pytest.approx((0, 0), abs=1e-9)
    off = means(np.array([0.3, 1.0, -1.0]), follows)
    assert off.gap == pytest.approx(0.294)
    assert off.score == pytest.approx(0.1125, abs=5e-5)


def test_equal_slopes_give_the_closed_exchange_rate_that_multiplies():
    amounts = {"i": np.array([1.0, 3, 10]), "j": np.array([2.0, 20]), "k": np.array([1.0, 5, 9])}
    lines = {"i": Line(0.5, 0.2, 1), "j": Line(0.5, 1.1, 1), "k": Line(0.5, -0.3, 1)}

    def rate(one, two):
        return exchange_rate(lines[one], lines[two], amounts[one], amounts[two])

    assert rate("i", "j") == pytest.approx(np.exp(0.9 / 0.5))
    assert rate("i", "j") * rate("j", "i") == pytest.approx(1)
    assert rate("i", "i") == pytest.approx(1)
    assert rate("i", "k") == pytest.approx(rate("i", "j") * rate("j", "k"))
    assert np.isnan(exchange_rate(Line(-1, 0, 1), lines["j"], amounts["i"], amounts["j"]))


def test_a_line_and_its_rises_are_those_of_the_logarithm():
    amounts = np.array([1.0, 10, 100])
    assert line(amounts, 0.5 * np.log(amounts) - 1) == pytest.approx((0.5, -1, 1))
    assert rising(amounts, np.array([0.0, 2, 1])) == (1, 2)


@pytest.mark.parametrize(
    ("law", "best"),
    [(lambda t: 1 / (1 + 0.1 * t), "hyperbolic"), (lambda t: 0.9**t, "exponential")],
)
def test_the_law_that_made_the_choices_is_chosen(law, best):
    months, multiples = (
        it.ravel()
        for it in np.meshgrid([1.0, 3, 6, 12, 18], np.geomspace(0.5, 30, 40), indexing="ij")
    )
    chance = 1 / (1 + np.exp(-8 * np.log(multiples * law(months))))
    found = discounting(months, multiples, chance)
    assert found.left == pytest.approx(law(found.months), rel=0.02)
    errors = {"hyperbolic": found.hyperbolic_error, "exponential": found.exponential_error}
    assert min(errors, key=errors.get) == best
    assert errors[best] < 0.01
    if best == "hyperbolic":
        assert found.hyperbolic == pytest.approx(0.1, rel=0.03)
    else:
        assert found.exponential == pytest.approx(0.9, rel=0.01)


def test_choices_that_never_turn_give_no_discount():
    months, multiples = np.repeat([1.0, 12.0], 5), np.tile(np.geomspace(0.5, 30, 5), 2)
    assert discounting(months, multiples, np.ones(10)) is None


def test_agreement_counts_what_both_decided():
    mine = Judgements.of(3, [0, 0, 1], [1, 2, 2], [1, 0.5, 0])
    assert agreement(mine, np.array([0.8, 0.9, 0.6]))[:2] == (1, 2)
    assert agreement(mine, np.array([0.8, 0.9, 0.6]))[2] == pytest.approx((0.2 + 0.4 + 0.6) / 3)


def test_triads_are_asked_about_completely():
    pairs = triads(9, 5, np.random.default_rng(0))
    assert len(set(pairs)) == len(pairs) <= 15
    assert all(low < high < 9 for low, high in pairs)
    assert circles(Judgements.of(9, *zip(*pairs, strict=True), [1.0] * len(pairs))).triads >= 5


def test_lines_that_hardly_rise_give_a_rate_that_is_a_number():
    amounts = np.array([1.0, 10.0, 100.0])
    for level in (9.0, -9.0):
        rate = exchange_rate(Line(1e-6, 0.0, 0.1), Line(1e-6, level, 0.1), amounts, amounts)
        assert 0 < rate < np.inf
