"""Stage games against linear programs, closed forms and the definition of an equilibrium."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.markov_games.stage_games import solve_general_sum, solve_zero_sum
from gymposium.errors import GymposiumError
from tests.oracles.robust_twin import matrix_value

shapes = st.tuples(st.integers(1, 7), st.integers(1, 7))


def drawn(seed: int, shape: tuple[int, int], *, coarse: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, shape) / 1.0 if coarse else rng.normal(size=shape) * 10


@given(st.integers(0, 10**6), shapes, st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_value_is_that_of_the_linear_program(
    seed: int, shape: tuple[int, int], coarse: bool
) -> None:
    game = drawn(seed, shape, coarse=coarse)
    made = solve_zero_sum(game[None])
    assert made.value[0] == pytest.approx(matrix_value(game)[0], abs=1e-7)
    assert made.row[0].min() >= 0
    assert made.row[0].sum() == pytest.approx(1)
    assert (made.row[0] @ game).min() == pytest.approx(made.value[0], abs=1e-8)
    assert (game @ made.column[0]).max() == pytest.approx(made.value[0], abs=1e-8)


def test_two_by_two_games_follow_the_closed_form() -> None:
    game = np.array([[3.0, -1.0], [-2.0, 4.0]])
    made = solve_zero_sum(game[None])
    assert made.value[0] == pytest.approx(1.0)
    assert made.row[0] == pytest.approx([0.6, 0.4])
    assert made.column[0] == pytest.approx([0.5, 0.5])


def test_a_saddle_point_is_played_purely() -> None:
    made = solve_zero_sum(np.array([[[2.0, 3.0, 4.0], [1.0, 9.0, 0.0]]]))
    assert made.value[0] == 2
    assert made.row[0].tolist() == [1, 0]
    assert made.column[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_large_payoffs_close_together_keep_their_digits(offset: float) -> None:
    made = solve_zero_sum(np.array([[[1.0, 0.0], [0.0, 1.0]]]) + offset)
    assert made.value[0] - offset == pytest.approx(0.5, abs=1e-9)


def test_many_degenerate_games_are_solved_without_cycling() -> None:
    games = np.random.default_rng(0).integers(0, 2, (3000, 6, 5)).astype(float)
    made = solve_zero_sum(games)
    assert np.abs((made.row[:, None] @ games)[:, 0].min(-1) - made.value).max() < 1e-9


@given(st.integers(0, 10**6), shapes, st.booleans())
@settings(max_examples=60, deadline=None)
def test_nobody_gains_by_leaving_a_general_sum_equilibrium(
    seed: int, shape: tuple[int, int], coarse: bool
) -> None:
    first, second = drawn(seed, shape, coarse=coarse), drawn(seed + 1, shape, coarse=coarse)
    made = solve_general_sum(first[None], second[None])
    row, column = made.row[0], made.column[0]
    assert (first @ column).max() == pytest.approx(row @ first @ column, abs=1e-9)
    assert (row @ second).max() == pytest.approx(row @ second @ column, abs=1e-9)


def test_a_zero_sum_game_has_the_same_value_in_the_general_solver() -> None:
    games = np.random.default_rng(1).normal(size=(300, 4, 3))
    assert solve_general_sum(games, -games).value == pytest.approx(solve_zero_sum(games).value)


def test_the_prisoners_dilemma_has_its_one_equilibrium() -> None:
    row_pay = np.array([[3.0, 0.0], [5.0, 1.0]])
    made = solve_general_sum(row_pay[None], row_pay.T[None])
    assert made.row[0].tolist() == [0, 1]
    assert made.column[0].tolist() == [0, 1]


def test_leading_axes_are_kept() -> None:
    games = np.random.default_rng(0).random((2, 3, 4, 5))
    made = solve_zero_sum(games)
    assert made.value.shape == (2, 3)
    assert made.row.shape == (2, 3, 4)
    assert made.column.shape == (2, 3, 5)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_payoff_that_is_no_number_is_refused(bad: float) -> None:
    game = np.array([[[1.0, bad], [0.0, 1.0]]])
    with pytest.raises(GymposiumError, match="no finite number"):
        solve_zero_sum(game)
    with pytest.raises(GymposiumError, match="no finite number"):
        solve_general_sum(-game, game)
