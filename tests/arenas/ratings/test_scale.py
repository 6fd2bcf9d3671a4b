from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from gymposium.arenas.ratings.bradley_terry import PRIOR, fit
from gymposium.arenas.ratings.pair_counts import PairCounts
from gymposium.arenas.ratings.scale import MODELS, Scale, fit_scale, ranks
from gymposium.errors import UnknownName, UsageError


def played(items: int, many: int, seed: int = 0) -> tuple[np.ndarray, PairCounts]:
    """Comparisons at random of items whose values are normal, with logistic noise."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=items)
    one = rng.integers(0, items, many)
    two = (one + rng.integers(1, items, many)) % items
    won = rng.random(many) < 1 / (1 + np.exp(values[two] - values[one]))
    return values, PairCounts.of(one, two, wins=won * 1.0, losses=~won * 1.0, agents=items)


def every_pair(values: np.ndarray, chance: np.ndarray, weight: float = 1e4) -> PairCounts:
    one, two = np.triu_indices(len(values), 1)
    share = chance[one, two]
    return PairCounts.of(one, two, wins=weight * share, losses=weight * (1 - share))


@pytest.mark.parametrize("model", MODELS)
def test_seven_wins_of_ten_are_a_known_distance(model: str) -> None:
    scale = fit_scale(PairCounts.of([0], [1], wins=[7000], losses=[3000]), model, prior=1e-9)
    assert scale.chances(0, 1) == pytest.approx(0.7, abs=1e-4)
    if model == "bradley_terry":
        assert scale.values[0] - scale.values[1] == pytest.approx(math.log(7 / 3), abs=1e-4)
    if model == "thurstone":
        assert ndtr(scale.values[0] - scale.values[1]) == pytest.approx(0.7, abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_a_balanced_cycle_leaves_all_equal(model: str) -> None:
    scale = fit_scale(PairCounts.of([0, 1, 2], [1, 2, 0], wins=[1, 1, 1]), model)
    assert scale.values == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_swapping_all_outcomes_turns_the_scale_around(model: str) -> None:
    _, counts = played(12, 200)
    turned = PairCounts.of(
        counts.first, counts.second, wins=counts.losses, losses=counts.wins, agents=12
    )
    there, back = fit_scale(counts, model), fit_scale(turned, model)
    assert back.values == pytest.approx(-there.values, abs=2e-2 if there.model[-1] == "s" else 1e-6)


def test_noiseless_thurstonian_chances_give_the_means_back() -> None:
    values = np.random.default_rng(1).normal(size=20)
    chance = ndtr((values[:, None] - values) / math.sqrt(2 * 0.5))
    for model in ("thurstone", "thurstone_variances"):
        scale = fit_scale(every_pair(values, chance), model)
        assert np.corrcoef(scale.values, values)[0, 1] > 0.999


def test_variances_of_their_own_are_found() -> None:
    rng = np.random.default_rng(2)
    values, variances = rng.normal(size=24), np.exp(rng.normal(size=24)) / 2
    spread = np.sqrt(variances[:, None] + variances)
    chance = ndtr((values[:, None] - values) / spread)
    counts = every_pair(values, chance)
    scale = fit_scale(counts, "thurstone_variances")
    assert scale.converged
    assert np.corrcoef(np.log(scale.variances), np.log(variances))[0, 1] > 0.98
    one, two = np.triu_indices(24, 1)
    error = {m: np.abs(fit_scale(counts, m).chances(one, two) - chance[one, two]).max()
             for m in ("thurstone", "thurstone_variances")}  # fmt: skip
    assert error["thurstone_variances"] < 0.01 < 0.04 < error["thurstone"]


def test_answers_without_a_contradiction_keep_variances_finite() -> None:
    one, two = np.triu_indices(6, 1)
    scale = fit_scale(PairCounts.of(one, two, wins=np.full(15, 20.0)), "thurstone_variances")
    assert np.all(np.diff(scale.values) < 0)
    assert np.all((scale.variances > 1e-4) & (scale.variances < 1e4))


def test_three_equal_steps_standardise_to_minus_one_zero_and_one() -> None:
    chance = ndtr(np.subtract.outer([2.0, 1.0, 0.0], [2.0, 1.0, 0.0]))
    scale = fit_scale(every_pair(np.arange(3.0), chance), "thurstone", prior=1e-6)
    values, variances = scale.standardised()
    assert values == pytest.approx([1, 0, -1], abs=1e-3)
    assert variances == pytest.approx([0.5] * 3, abs=1e-3)


@pytest.mark.parametrize("model", MODELS)
def test_intervals_cover_the_truth_as_often_as_they_say(model: str) -> None:
    inside = []
    unit = 1.0 if model == "bradley_terry" else 0.588  # a logistic unit in normal ones
    for seed in range(20):
        values, counts = played(30, 900, seed)
        low, high = fit_scale(counts, model).intervals(0.9)
        truth = unit * (values - values.mean())
        inside.append((low <= truth) & (truth <= high))
    assert 0.85 < np.mean(inside) < 0.95


def test_draws_have_the_precision_s_inverse_as_covariance() -> None:
    _, counts = played(6, 200)
    scale = fit_scale(counts)
    drawn = scale.draws(20_000, seed=3)
    assert drawn.mean(axis=0) == pytest.approx(scale.values, abs=0.02)
    assert drawn.std(axis=0) == pytest.approx(scale.errors, rel=0.03)
    assert np.allclose(drawn.mean(axis=1), 0, atol=1e-9)
    assert np.array_equal(drawn, scale.draws(20_000, seed=3))


def test_the_error_of_two_items_is_the_textbook_s() -> None:
    counts = PairCounts.of([0], [1], wins=[60], losses=[40])
    scale = fit_scale(counts, prior=1e-9)
    # var(log odds) = 1/60 + 1/40; each value is half the difference.
    assert scale.errors == pytest.approx([0.5 * math.sqrt(1 / 60 + 1 / 40)] * 2, rel=1e-4)


def test_position_is_told_apart_from_worth() -> None:
    rng = np.random.default_rng(4)
    values, first = rng.normal(size=15), 0.8
    one = rng.integers(0, 15, 8000)
    two = (one + rng.integers(1, 15, 8000)) % 15
    won = rng.random(8000) < 1 / (1 + np.exp(values[two] - values[one] - first))
    side, none = np.zeros(8000, dtype=np.int64), np.full(8000, -1)
    counts = PairCounts(15, 1, one, two, side, none, won * 1.0, ~won * 1.0, np.zeros(8000))
    for model, unit in (("bradley_terry", 1.0), ("thurstone", 0.59), ("thurstone_variances", 0.6)):
        scale = fit_scale(counts, model)
        assert scale.sides[0] == pytest.approx(unit * first, abs=0.15)
        assert np.corrcoef(scale.values, values)[0, 1] > 0.99


@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_the_sparse_way_gives_what_the_dense_way_gives(
    ties: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    one, two = np.triu_indices(25, 1)
    won, lost = rng.integers(0, 4, (2, 300)) * 1.0
    side = rng.integers(-1, 2, (2, 300))
    tied = ties * rng.integers(0, 4, 300)
    counts = PairCounts(25, 2, one, two, side[0], side[1], won, lost, tied)
    dense = {model: fit_scale(counts, model) for model in MODELS}
    thrifty = fit(counts, prior=0.0)
    for module in ("bradley_terry", "precision"):
        monkeypatch.setattr(f"gymposium.arenas.ratings.{module}.DENSE", 0)
    for model, expected in dense.items():
        found = fit_scale(counts, model)
        rough = 1e-2 if model == "thurstone_variances" else 1e-6
        assert found.values == pytest.approx(expected.values, abs=rough)
        assert found.sides == pytest.approx(expected.sides, abs=rough)
        assert found.tie == pytest.approx(expected.tie, abs=1e-6)
        assert found.draws(4000).std(axis=0) == pytest.approx(expected.errors, rel=0.08)
    again = fit(counts, prior=0.0)
    assert again.strengths == pytest.approx(thrifty.strengths, abs=1e-6)
    assert again.sides[0] - again.sides[1] == pytest.approx(
        thrifty.sides[0] - thrifty.sides[1], abs=1e-6
    )


def test_two_thousand_items_are_ordered_from_few_comparisons_each() -> None:
    values, counts = played(2000, 60_000)
    scale = fit_scale(counts)
    assert scale.converged
    # The score equations hold: everybody won as often as expected, the prior's games included.
    ours = scale.chances(counts.first, counts.second)
    gap = np.bincount(counts.first, counts.wins - ours, 2000) - np.bincount(
        counts.second, counts.wins - ours, 2000
    )
    prior = PRIOR * (1 - 2 / (1 + np.exp(-scale.values)))
    assert np.abs(gap + prior).max() < 5e-3  # the prior is about a zero that centring moves
    assert np.corrcoef(scale.values, values)[0, 1] > 0.94


def test_ranks_count_from_one_for_the_highest() -> None:
    assert ranks(np.array([[0.1, 3.0, -1.0]])).tolist() == [[2, 1, 3]]


def test_information_is_largest_between_equals() -> None:
    for model in MODELS:
        scale = fit_scale(PairCounts.of([0, 1], [1, 2], wins=[5, 9], losses=[5, 1]), model)
        near, far = scale.information(np.array([0, 0]), np.array([1, 2]))
        assert near > far > 0


def test_what_cannot_be_fitted_is_refused() -> None:
    counts = PairCounts.of([0], [1], wins=[1])
    with pytest.raises(UnknownName, match="did you mean 'thurstone'"):
        fit_scale(counts, "thurston")
    with pytest.raises(UsageError, match="prior must be above 0"):
        fit_scale(counts, prior=0)


def test_a_scale_is_plain_data() -> None:
    scale = fit_scale(PairCounts.of([0], [1], wins=[1], agents=3))
    assert isinstance(scale, Scale)
    assert scale.component.tolist() == [0, 0, 1]
