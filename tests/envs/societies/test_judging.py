"""How a venue decides: closed forms, and what any fair procedure must keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from gymposium.envs.societies import judging


def games(*pairs):
    """(winner, loser) arrays from (winner, loser, how often)."""
    rows = [(one, other) for one, other, times in pairs for _ in range(times)]
    return np.array(rows, np.int64).T


def test_two_items_are_apart_by_the_log_of_their_wins():
    scores = judging.bradley_terry(*games((0, 1, 7), (1, 0, 3)), 2, prior=0)
    assert scores[0] - scores[1] == pytest.approx(np.log(7 / 3), abs=2e-6)


def test_a_cycle_and_an_even_record_leave_all_equal():
    for played in (((0, 1, 1), (1, 2, 1), (2, 0, 1)), ((0, 1, 2), (1, 0, 2), (1, 2, 1), (2, 1, 1))):
        assert judging.bradley_terry(*games(*played), 3, prior=0).tolist() == [0, 0, 0]


@given(st.integers(0, 2**32), st.integers(2, 12), st.sampled_from([0.1, 1.0]))
@settings(max_examples=60, deadline=None)
def test_wins_are_what_the_strengths_expect(seed, count, prior):
    rng = np.random.default_rng(seed)
    first, second = judging.paired(np.arange(count), int(rng.integers(1, 40)), rng)
    swap = rng.random(len(first)) < 0.5
    winner, loser = np.where(swap, second, first), np.where(swap, first, second)
    centred = judging.bradley_terry(winner, loser, count, prior=prior)
    # The phantom's strength is 1: where the scale lies is what makes its record come out.
    shifts = np.linspace(-3, 3, 120_001)
    phantom = (1 / (1 + np.exp(-(centred[:, None] + shifts)))).sum(0)
    scores = centred + shifts[np.argmin(np.abs(phantom - count / 2))]
    expected = 2 * prior / (1 + np.exp(-scores))
    for one, other in zip(winner, loser, strict=True):
        chance = 1 / (1 + np.exp(scores[other] - scores[one]))
        expected[one] += chance
        expected[other] += 1 - chance
    assert expected == pytest.approx(np.bincount(winner, minlength=count) + prior, abs=1e-3)


def test_all_pairs_without_error_give_the_true_order():
    quality = np.random.default_rng(0).normal(size=25)
    winner, loser = np.array(
        [(i, j) for i in range(25) for j in range(25) if quality[i] > quality[j]]
    ).T
    scores = judging.bradley_terry(winner, loser, 25)
    assert np.argsort(scores).tolist() == np.argsort(quality).tolist()


@given(st.integers(2, 40), st.integers(1, 200), st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_judgements_are_dealt_out_evenly(size, count, seed):
    rng = np.random.default_rng(seed)
    among = np.arange(100, 100 + size)
    given_ = np.bincount(judging.dealt(among, count, rng), minlength=100 + size)
    assert given_[:100].sum() == 0
    assert given_.sum() == count
    assert np.ptp(given_[100:]) <= 1
    first, second = judging.paired(among, count, rng)
    assert len(first) == len(second) == count
    assert (first != second).all()
    assert {*first, *second} <= set(among.tolist())
    if size % 2 == 0:
        assert np.ptp(np.bincount([*first, *second], minlength=100 + size)[100:]) <= 1


def test_a_manuscript_without_a_rating_stands_at_the_mean():
    means = judging.mean_ratings(np.array([0, 0, 2]), np.array([4, 6, 8]), 3)
    assert means.tolist() == [5, 6, 8]


def test_ties_are_broken_by_the_draw_and_nothing_else():
    assert judging.order(np.array([1.0, 2.0, 2.0]), np.array([0.0, 0.9, 0.1])).tolist() == [2, 1, 0]


def test_the_line_has_somebody_on_either_side():
    ranking = np.arange(20)[::-1]
    assert judging.near_line(ranking, 6, 0.15).tolist() == ranking[3:9].tolist()
    assert judging.near_line(ranking, 1, 0.01).tolist() == [19, 18]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((5, 5, 5), 0), ((0, 0, 0, 8), 0.75), ((1, 3), 0.25), ((0, 0), 0), ((2, 6), 0.25)],
)
def test_known_concentrations(counts, expected):
    assert judging.gini(np.array(counts)) == pytest.approx(expected)


def test_a_double_is_not_novel_and_a_stranger_is():
    place = np.array([[0, 0], [0, 0], [0.3, 0], [5, 5]])
    novelty = judging.novelty(place)
    assert novelty[0] == novelty[1] == novelty.min()
    assert novelty.argmax() == 3
    assert novelty.mean() == pytest.approx(0)
    assert judging.novelty(np.zeros((4, 2))).tolist() == [0, 0, 0, 0]


def test_a_perfect_selection_is_perfect_and_the_worst_is_not():
    quality = np.array([3.0, 1.0, 2.0, 0.0])
    assert judging.selection(quality, np.array([0, 2])) == {"overlap": 1.0, "efficiency": 1.0}
    assert judging.selection(quality, np.array([1, 3])) == {"overlap": 0.0, "efficiency": -1.0}
    assert judging.selection(np.zeros(3), np.array([1]))["efficiency"] == 1.0


@given(st.lists(st.integers(0, 5), min_size=3, max_size=20), st.integers(0, 2**32))
def test_rank_correlation_is_the_textbooks(values, seed):
    other = np.random.default_rng(seed).permutation(values)
    found = judging.spearman(np.array(values), other)
    if len(set(values)) == 1:
        assert found == 0
    else:
        assert found == pytest.approx(spearmanr(values, other).statistic)


def test_marks_follow_the_scale():
    assert judging.rated(np.array([0.0, 2.0, -2.0, 99.0, -99.0])).tolist() == [6, 7, 5, 10, 1]
