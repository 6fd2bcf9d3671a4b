from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.ratings.nash import max_entropy_nash
from gymposium.arenas.rows import MatchRow

MakeMatch = Callable[..., MatchRow]
ROCK = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)


def antisymmetric(size: int, seed: int, step: float = 0.0) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).uniform(-1, 1, (size, size)), 1)
    if step:
        upper = np.round(upper / step) * step
    return upper - upper.T


def with_copy(game: np.ndarray, agent: int) -> np.ndarray:
    index = [*range(len(game)), agent]
    return game[np.ix_(index, index)]


def entropy(masses: np.ndarray) -> float:
    used = masses[masses > 0]
    return float(-(used * np.log(used)).sum())


GAMES = st.builds(
    antisymmetric, st.integers(1, 9), st.integers(0, 2**31), st.sampled_from([0.0, 0.25, 0.5, 1.0])
)


@given(GAMES)
@settings(deadline=None)
def test_nobody_wins_against_the_mixture_and_it_is_one(game: np.ndarray) -> None:
    masses = max_entropy_nash(game)
    assert masses.sum() == pytest.approx(1)
    assert masses.min() >= 0
    assert (game @ masses).max() <= 1e-6


@given(GAMES)
@settings(deadline=None)
def test_a_copied_agent_does_not_change_the_others(game: np.ndarray) -> None:
    before = max_entropy_nash(game)
    for agent in range(len(game)):
        after = max_entropy_nash(with_copy(game, agent))
        assert after[agent] == pytest.approx(after[-1], abs=1e-6)
        copied = with_copy(game, agent) @ after
        assert copied[: len(game)] == pytest.approx(game @ before, abs=1e-5)
        # Equal rows are one kind: the copy takes its share from its own kind only.
        other = [n for n in range(len(game)) if not np.allclose(game[n], game[agent])]
        assert after[other] == pytest.approx(before[other], abs=1e-5)


@given(GAMES)
@settings(deadline=None, max_examples=40)
def test_no_other_equilibrium_has_more_entropy(game: np.ndarray) -> None:
    masses = max_entropy_nash(game)
    kinds = np.unique(np.round(game, 10), axis=0, return_index=True)[1]
    small = game[np.ix_(kinds, kinds)]
    ours = np.array([masses[np.isclose(game, row).all(axis=1)].sum() for row in game[kinds]])
    found = minimize(
        lambda p: float((np.maximum(p, 1e-12) * np.log(np.maximum(p, 1e-12))).sum()),
        ours,
        bounds=[(0, 1)] * len(kinds),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "ineq", "fun": lambda p: -small @ p},
        ],
        method="SLSQP",
    )
    legal = (small @ found.x).max() < 1e-8 and abs(found.x.sum() - 1) < 1e-8
    assert not legal or entropy(found.x) <= entropy(ours) + 1e-4


@given(GAMES, st.floats(0.01, 1))
@settings(deadline=None)
def test_an_agent_that_beats_everybody_holds_all_the_mass(game: np.ndarray, by: float) -> None:
    size = len(game) + 1
    bigger = np.zeros((size, size))
    bigger[1:, 1:] = game
    bigger[0, 1:], bigger[1:, 0] = by, -by
    assert max_entropy_nash(bigger) == pytest.approx(np.eye(size)[0])


def test_known_equilibria() -> None:
    third = np.full(3, 1 / 3)
    assert max_entropy_nash(ROCK) == pytest.approx(third)
    assert max_entropy_nash(np.zeros((5, 5))) == pytest.approx(np.full(5, 0.2))
    weighted = np.array([[0, -1, 3], [1, 0, -2], [-3, 2, 0]], dtype=float)
    assert max_entropy_nash(weighted) == pytest.approx(np.array([2, 3, 1]) / 6)
    # Rock-paper-scissors and a fourth that loses a little to all: unused.
    fourth = np.full((4, 4), 0.0)
    fourth[:3, :3], fourth[:3, 3], fourth[3, :3] = ROCK, 0.1, -0.1
    assert max_entropy_nash(fourth) == pytest.approx([*third, 0])


def test_where_equilibria_are_many_the_evenest_is_taken() -> None:
    # Two cycles of three that draw against each other: any mixture of their equilibria is one.
    both = np.zeros((6, 6))
    both[:3, :3], both[3:, 3:] = ROCK, 0.5 * ROCK
    assert max_entropy_nash(both) == pytest.approx(np.full(6, 1 / 6), abs=1e-6)


def test_a_large_noisy_game_is_solved() -> None:
    game = antisymmetric(150, 1)
    masses = max_entropy_nash(game)
    assert (game @ masses).max() < 1e-6


def cycle(make_match: MakeMatch, names: str, blocks: int = 8) -> list[MatchRow]:
    """Each name wins three of four matches against the next in the circle."""
    rows = []
    for block, (one, two) in itertools.product(range(blocks), itertools.combinations(names, 2)):
        won = (0, 1, -1)[(ord(one) - ord(two)) % 3] * (-1 if block % 4 == 3 else 1)
        rows.append(make_match([(one, won), (two, -won)], seed=block))
    return rows


def test_a_cycle_shares_the_mass_and_nobody_is_ahead(make_match: MakeMatch) -> None:
    board = leaderboard(cycle(make_match, "abc"), rating="nash_averaging")
    assert [row.mass for row in board.rows] == pytest.approx([1 / 3] * 3)
    assert {row.rank for row in board.rows} == {1}
    for row in board.rows:
        assert 0 <= row.mass_low <= row.mass <= row.mass_high <= 1
        assert -1 <= row.low <= row.rating <= row.high <= 0


def test_a_few_won_matches_are_not_taken_for_certainty(make_match: MakeMatch) -> None:
    rows = [make_match([("a", 1), ("b", -1)], seed=block) for block in range(3)]
    best, other = leaderboard(rows, rating="nash_averaging").rows
    assert (best.mass, best.rating) == (1, 0)
    assert other.rating == pytest.approx(-3 / 4)  # three losses, and half of each as prior
    assert other.low < -0.8
    assert other.high > -0.7


def test_a_dominant_agent_has_mass_one_in_a_run(make_match: MakeMatch) -> None:
    rows = cycle(make_match, "abc", blocks=40)
    rows += [make_match([("z", 1), (n, -1)], seed=b) for b in range(40) for n in "abc"]
    board = leaderboard(rows, rating="nash_averaging")
    assert board.rows[0].agent == "z"
    assert (board.rows[0].mass, board.rows[0].mass_low) == (1, 1)
    assert [row.rank for row in board.rows] == [1, 2, 2, 2]
