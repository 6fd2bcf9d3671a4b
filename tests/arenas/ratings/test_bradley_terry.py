from __future__ import annotations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gymposium.arenas.ratings.bradley_terry import POINTS, fit
from gymposium.arenas.ratings.pair_counts import PairCounts, components
from gymposium.errors import UsageError


def negative_log_likelihood(x: np.ndarray, counts: PairCounts, prior: float) -> float:
    """Davidson's likelihood written down once more, the slow and obvious way."""
    strengths, sides = x[: counts.agents], x[counts.agents : -1]
    nu = np.exp(x[-1])
    level = 0.0
    for k in range(len(counts.first)):
        d = strengths[counts.first[k]] - strengths[counts.second[k]]
        d += sides[counts.first_side[k]] if counts.first_side[k] >= 0 else 0.0
        d -= sides[counts.second_side[k]] if counts.second_side[k] >= 0 else 0.0
        parts = np.array([np.exp(d / 2), np.exp(-d / 2), nu])
        seen = np.array([counts.wins[k], counts.losses[k], counts.ties[k]])
        level += seen @ np.log(parts / parts.sum())
    for value in x[:-1]:
        level -= prior * (np.log1p(np.exp(value)) + np.log1p(np.exp(-value)))
    level += prior * (np.log(nu) - 2 * np.log(2 + nu))
    return -level


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_two_agents_have_the_closed_form(wins: int, losses: int, ties: int) -> None:
    found = fit(PairCounts.of([0], [1], wins=[wins], losses=[losses], ties=[ties]), prior=0)
    assert found.converged
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(wins / losses), abs=1e-6)
    assert found.tie == pytest.approx(ties / np.sqrt(wins * losses), rel=1e-6)
    total = wins + losses + ties
    assert found.probabilities(0, 1) == pytest.approx(
        (wins / total, losses / total, ties / total), abs=1e-7
    )


def test_two_agents_without_ties_have_the_log_odds() -> None:
    found = fit(PairCounts.of([0], [1], wins=[30], losses=[10]), prior=0)
    assert found.points[0] - found.points[1] == pytest.approx(POINTS * np.log(3))
    assert found.tie == 0.0


def test_the_prior_is_worth_the_comparisons_it_says() -> None:
    # Against each other only: each agent also won and lost `prior` against an average opponent.
    found = fit(PairCounts.of([0], [1], wins=[4], losses=[0]), prior=0.5)
    x = found.strengths[0]
    chance = 1 / (1 + np.exp(-2 * x))
    average = 1 / (1 + np.exp(-x))
    assert 4 * (1 - chance) == pytest.approx(0.5 * (2 * average - 1))


def test_ten_to_one_is_four_hundred_points() -> None:
    found = fit(PairCounts.of([0], [1], wins=[10], losses=[1]), prior=0)
    assert found.points == pytest.approx([200, -200])


def test_choix_agrees_without_ties() -> None:
    rng = np.random.default_rng(3)
    skills = rng.normal(size=8)
    games = []
    for _ in range(600):
        i, j = rng.choice(8, 2, replace=False)
        games.append((i, j) if rng.random() < 1 / (1 + np.exp(skills[j] - skills[i])) else (j, i))
    winners, losers = np.array(games).T
    ours = fit(PairCounts.of(winners, losers, wins=np.ones(len(games))), prior=0)
    theirs = choix.ilsr_pairwise(8, games)
    assert ours.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_finds_the_same_maximum_with_ties_and_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 14
    first, second = rng.integers(0, 4, (2, rows))
    sides = rng.integers(-1, 3, (2, rows))
    seen = rng.poisson([[3], [2], [1 + seed % 2]], (3, rows)).astype(float)
    counts = PairCounts(4, 3, first, second, *sides, *seen)
    found = fit(counts, prior=0.5)
    best = minimize(
        negative_log_likelihood, np.zeros(8), args=(counts, 0.5), tol=1e-12, method="BFGS"
    )
    assert found.converged
    assert found.strengths == pytest.approx(best.x[:4] - best.x[:4].mean(), abs=1e-4)
    assert found.sides == pytest.approx(best.x[4:7], abs=1e-4)
    assert found.tie == pytest.approx(np.exp(best.x[7]), rel=1e-3)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.permutations(range(5)))
def test_relabelling_relabels(seed: int, order: list[int]) -> None:
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(5, 1)
    seen = rng.integers(0, 6, (3, 10)).astype(float)
    names = np.array(order)
    one = fit(PairCounts.of(first, second, wins=seen[0], losses=seen[1], ties=seen[2]))
    two = fit(
        PairCounts.of(names[second], names[first], wins=seen[1], losses=seen[0], ties=seen[2])
    )
    assert two.strengths[names] == pytest.approx(one.strengths, abs=1e-7)


def test_duplicated_data_change_nothing_without_a_prior() -> None:
    first, second = np.triu_indices(4, 1)
    seen = np.array([[4, 3, 2, 5, 1, 2], [1, 2, 3, 1, 4, 2], [1, 1, 2, 0, 1, 3]], dtype=float)
    once = fit(PairCounts.of(first, second, wins=seen[0], losses=seen[1], ties=seen[2]), prior=0)
    twice = fit(
        PairCounts.of(first, second, wins=2 * seen[0], losses=2 * seen[1], ties=2 * seen[2]),
        prior=0,
    )
    assert twice.strengths == pytest.approx(once.strengths, abs=1e-7)
    assert twice.tie == pytest.approx(once.tie)


def test_ties_alone_make_everybody_equal() -> None:
    first, second = np.triu_indices(4, 1)
    found = fit(PairCounts.of(first, second, wins=np.zeros(6), ties=np.full(6, 7.0)))
    assert found.converged
    assert found.strengths == pytest.approx(np.zeros(4), abs=1e-9)
    assert np.isfinite(found.tie)


def test_the_unbeaten_and_the_winless_stay_finite() -> None:
    found = fit(PairCounts.of([0, 0, 1], [1, 2, 2], wins=[50, 50, 50]))
    assert found.converged
    assert np.isfinite(found.points).all()
    assert found.points[0] > found.points[1] + 200 > found.points[2] + 400


def test_without_a_prior_the_unbeaten_are_reported_as_not_converged() -> None:
    found = fit(PairCounts.of([0], [1], wins=[5]), prior=0, max_iterations=20)
    assert not found.converged


def test_only_the_seat_matters_when_the_first_always_wins() -> None:
    none = np.array([0, 1, 0])
    counts = PairCounts(
        2, 2, none, np.array([1, 0, 0]), np.zeros(3, int), np.ones(3, int),
        np.full(3, 40.0), np.full(3, 10.0), np.zeros(3),
    )  # fmt: skip
    found = fit(counts)
    assert found.strengths == pytest.approx([0, 0], abs=1e-9)
    assert found.sides[0] - found.sides[1] == pytest.approx(np.log(4), abs=0.05)


def test_components_are_found_and_the_largest_is_zero() -> None:
    counts = PairCounts.of([5, 1, 2, 0], [4, 2, 3, 5], wins=[1, 1, 1, 0], agents=7)
    assert components(counts).tolist() == [2, 0, 0, 0, 1, 1, 3]


def test_components_on_a_long_chain() -> None:
    chain = np.arange(300)
    rng = np.random.default_rng(0)
    names = rng.permutation(301)
    counts = PairCounts.of(names[chain], names[chain + 1], wins=np.ones(300))
    assert components(counts).max() == 0


def test_simulated_skills_come_back() -> None:
    rng = np.random.default_rng(5)
    skills = np.linspace(-1.5, 1.5, 7)
    first, second = np.triu_indices(7, 1)
    d = skills[first] - skills[second]
    parts = np.stack([np.exp(d / 2), np.exp(-d / 2), np.full_like(d, 0.6)])
    seen = np.array([rng.multinomial(2000, p) for p in (parts / parts.sum(axis=0)).T]).T
    found = fit(PairCounts.of(first, second, wins=seen[0], losses=seen[1], ties=seen[2]))
    assert np.argsort(found.strengths).tolist() == list(range(7))
    assert found.strengths == pytest.approx(skills, abs=0.1)
    assert found.tie == pytest.approx(0.6, abs=0.05)


def test_huge_differences_do_not_overflow() -> None:
    with np.errstate(over="raise", invalid="raise"):
        found = fit(PairCounts.of([0, 1], [1, 2], wins=[1e7, 1e7], ties=[1.0, 0.0]))
    assert np.isfinite(found.points).all()


def test_nobody_and_nothing_are_fine() -> None:
    assert fit(PairCounts.of([], [], wins=[])).strengths.shape == (0,)
    assert fit(PairCounts.of([], [], wins=[], agents=3)).strengths.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [({"wins": [-1]}, "negative"), ({"wins": [1], "agents": 1}, "indices")],
)
def test_impossible_counts_are_refused(kwargs: dict[str, object], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        PairCounts.of([0], [1], **kwargs)


def test_a_negative_prior_is_refused() -> None:
    with pytest.raises(UsageError, match="prior"):
        fit(PairCounts.of([0], [1], wins=[1]), prior=-1)
