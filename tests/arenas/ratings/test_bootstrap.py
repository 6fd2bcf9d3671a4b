from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from gymposium.arenas.ratings.bootstrap import (
    block_weights,
    bootstrap,
    interval,
    stretch,
    student_quantile,
)
from gymposium.arenas.ratings.bradley_terry import fit
from gymposium.arenas.ratings.comparisons import Comparisons


def comparisons(wins: np.ndarray, losses: np.ndarray, ties: np.ndarray) -> Comparisons:
    """Two agents, one entry a block."""
    blocks = len(wins)
    zero, none = np.zeros(blocks, int), np.full(blocks, -1)
    return Comparisons(
        ("a", "b"), (), tuple(range(blocks)), np.arange(blocks), zero, zero + 1, none, none,
        wins.astype(float), losses.astype(float), ties.astype(float),
    )  # fmt: skip


def gap(data: Comparisons, seed: int, replicas: int = 200) -> tuple[float, float, float]:
    """Strength of a over b with its interval."""
    fitted = fit(data.counts())
    drawn = bootstrap(data, fitted, block_weights(len(data.blocks), replicas, seed), seed=seed)
    value = float(fitted.strengths[0] - fitted.strengths[1])
    found = interval(
        value,
        drawn.strengths[:, 0] - drawn.strengths[:, 1],
        blocks=len(data.blocks),
        besides=drawn.prior_strengths[:, 0] - drawn.prior_strengths[:, 1],
    )
    assert found is not None
    return value, found.low, found.high


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 30, 400, 5000])
@pytest.mark.parametrize("probability", [0.9, 0.975, 0.995])
def test_student_quantiles_are_those_of_scipy(freedom: int, probability: float) -> None:
    expected = student.ppf(probability, freedom)
    tolerance = 1e-3 if freedom > 2000 else 1e-5
    assert student_quantile(probability, freedom) == pytest.approx(expected, rel=tolerance)


def test_few_blocks_stretch_and_many_do_not() -> None:
    factors = [stretch(blocks, 0.95) for blocks in (2, 3, 5, 20, 1000)]
    assert factors == sorted(factors, reverse=True)
    assert factors[0] > 9
    assert factors[-1] == pytest.approx(1, abs=0.01)


def test_weights_draw_whole_blocks_with_replacement() -> None:
    weights = block_weights(7, 50, seed=1)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert np.array_equal(weights, block_weights(7, 50, seed=1))
    assert not np.array_equal(weights, block_weights(7, 50, seed=2))


def test_one_block_has_no_interval() -> None:
    assert interval(1.0, np.ones(50), blocks=1) is None


def test_intervals_contain_the_estimate() -> None:
    found = interval(5.0, np.array([1.0, 2.0, 3.0]), blocks=10)
    assert found is not None
    assert found.low < 5.0 == found.high


def test_winning_every_match_leaves_the_rating_uncertain_upwards() -> None:
    always = np.full(10, 1)
    value, low, high = gap(comparisons(always, 0 * always, 0 * always), seed=0)
    assert high - value > 1
    assert 0 < low < value


def test_matches_of_one_block_may_all_say_the_same() -> None:
    # Two blocks of fifty wins each are two blocks, not a hundred matches.
    two, hundred = np.full(2, 50), np.full(100, 1)
    few = gap(comparisons(two, 0 * two, 0 * two), seed=0)
    many = gap(comparisons(hundred, 0 * hundred, 0 * hundred), seed=0)
    assert few[0] == pytest.approx(many[0])
    assert few[1] < 2 < 4 < many[1]


def test_replicas_do_not_depend_on_where_the_search_starts() -> None:
    rng = np.random.default_rng(0)
    data = comparisons(*rng.integers(0, 5, (3, 12)))
    fitted = fit(data.counts())
    weights = block_weights(12, 20, seed=3)
    far = fit(comparisons(*rng.integers(0, 5, (3, 12))).counts())
    one = bootstrap(data, fitted, weights, seed=3).strengths
    two = bootstrap(data, far, weights, seed=3).strengths
    assert one == pytest.approx(two, abs=1e-3)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    truth, nu, blocks = 0.6, 0.5, 12
    parts = np.array([np.exp(truth / 2), np.exp(-truth / 2), nu])
    hits = 0
    for trial in range(60):
        # Blocks differ: each shifts the odds of all its matches, as a common seed does.
        shift = rng.normal(0, 0.3, blocks)
        lean = np.exp(np.stack([shift / 2, -shift / 2, 0 * shift], axis=1)) * parts
        seen = np.array([rng.multinomial(6, p) for p in lean / lean.sum(axis=1, keepdims=True)]).T
        _, low, high = gap(comparisons(*seen), seed=trial, replicas=60)
        hits += low <= truth <= high
    assert 0.88 <= hits / 60 <= 1.0
