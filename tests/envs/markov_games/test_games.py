"""Markov games: what is no game is refused, and the shipped ones are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.markov_games.games import (
    GENERATORS,
    MarkovGame,
    dirichlet,
    feared,
    perturbed,
    symmetric,
)
from gymposium.envs.markov_games.grids import MOVES, pursuit, soccer
from gymposium.errors import UsageError


def game(seed: int = 0) -> MarkovGame:
    return dirichlet((5, 2, 3), 6, np.random.default_rng(seed))


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator_makes_distributions_and_rewards_from_0_to_1(name: str) -> None:
    made = GENERATORS[name]((4, 3, 3), 5, np.random.default_rng(1))
    assert made.horizon == 5
    assert made.transitions.sum(-1) == pytest.approx(1)
    assert 0 <= made.rewards.min() <= made.rewards.max() <= 1
    assert made.start.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p, r: (p * 0.9, r), r"transitions: the probabilities at \[0, 0, 0, 0\] sum to 0.9"),
        (lambda p, r: (np.where(p == p, np.nan, p), r), "sum to nan"),
        (lambda p, r: (p + np.array([-1.1, 1.1, 0, 0, 0]), r), "go below 0"),
        (lambda p, r: (p, r * np.nan), "rewards must be numbers from 0 to 1"),
        (lambda p, r: (p, r + 1), "rewards must be numbers from 0 to 1"),
        (lambda p, r: (p[..., :4], r), "needs rewards"),
        (lambda p, r: (np.repeat(p, 2, 0), r), "1 or 6 kernels"),
    ],
)
def test_what_is_no_game_is_refused_with_the_place(change: object, says: str) -> None:
    made = game()
    kernel, rewards = change(made.transitions, made.rewards)
    with pytest.raises(UsageError, match=says):
        MarkovGame(kernel, rewards, made.start, 6)


@pytest.mark.parametrize("radius", [0.0, 0.05, 0.3, 1.0])
def test_a_perturbed_kernel_stays_within_its_radius(radius: float) -> None:
    made = game()
    far = 0.5 * np.abs(
        perturbed(made, radius, np.random.default_rng(3)).transitions - made.transitions
    )
    assert far.sum(-1).max() <= radius + 1e-12
    assert radius == 0 or far.sum(-1).max() > radius / 20


def test_a_symmetric_game_is_symmetric() -> None:
    made = symmetric((4, 3, 3), 5, np.random.default_rng(0))
    assert made.rewards == pytest.approx(made.swapped().rewards)
    assert made.transitions == pytest.approx(made.swapped().transitions)
    with pytest.raises(UsageError, match="as many rows as columns"):
        symmetric((4, 3, 2), 5, np.random.default_rng(0))


def test_nature_harms_the_side_it_is_against() -> None:
    made = game()
    plain, worse, better = (
        feared(made, 0.0)[0],
        feared(made, 0.3)[0],
        feared(made, 0.3, against="min")[0],
    )
    assert (worse < plain).all()
    assert (plain < better).all()
    assert feared(made, 0.0, against="min")[0] == pytest.approx(plain)


def state(game: MarkovGame, said: str) -> int:
    return game.names.index(said)


def test_a_hunter_catches_prey_that_stays_unless_it_slips() -> None:
    made = pursuit()
    here = state(made, "max at row 1, column 1; min at row 1, column 2")
    moves = list(MOVES)
    odds = made.kernel(0)[here, moves.index("east"), moves.index("stay")]
    caught = state(made, "max at row 1, column 2; min at row 1, column 2")
    assert odds[caught] == pytest.approx(0.9)
    assert made.reward(0)[caught].min() == 1
    assert made.reward(0)[here].max() == 0


def test_soccer_gives_the_ball_to_whoever_is_run_into() -> None:
    made = soccer()
    here = state(made, "max at row 2, column 2; min at row 2, column 3; max has the ball")
    lost = state(made, "max at row 2, column 2; min at row 2, column 3; min has the ball")
    moves = list(MOVES)
    east, stay, west = moves.index("east"), moves.index("stay"), moves.index("west")
    assert made.kernel(0)[here, east, stay, lost] == 1.0
    assert made.kernel(0)[here, stay, west, here] == 1.0  # running into the carrier changes nothing


def test_soccer_is_scored_by_carrying_the_ball_off_the_middle_of_the_other_side() -> None:
    made = soccer()
    east = list(MOVES).index("east")
    goal = made.names.index("max scored")
    for row, scores in ((1, 0.0), (2, 1.0), (3, 0.0)):
        here = state(made, f"max at row {row}, column 4; min at row 1, column 1; max has the ball")
        assert made.kernel(0)[here, east, 0, goal] == scores
    assert made.reward(0)[goal].min() == 1
    assert made.reward(0)[made.names.index("min scored")].max() == 0
    assert made.kernel(0)[goal, 0, 0] == pytest.approx(made.start)


def test_soccer_is_a_game_of_equals() -> None:
    from gymposium.envs.markov_games.games import feared as values

    made = soccer()
    assert values(made, 0.0)[0] @ made.start == pytest.approx(made.horizon / 2)
