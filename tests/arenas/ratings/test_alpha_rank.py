from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.arenas.ratings.alpha_rank import many_populations, one_population, stationary
from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.rows import MatchRow
from gymposium.errors import UsageError

from ...oracles import alpha_rank_twin

MakeMatch = Callable[..., MatchRow]
STRATEGIES = (
    "always_defect", "always_cooperate", "tit_for_tat", "grim", "win_stay_lose_shift",
)  # fmt: skip
SEEDS = st.integers(0, 2**31)


@given(SEEDS, st.integers(2, 5), st.sampled_from([0.05, 0.3, 1.0]), st.integers(2, 20))
@settings(deadline=None, max_examples=25)
def test_one_population_is_what_the_paper_says_word_by_word(
    seed: int, size: int, alpha: float, population: int
) -> None:
    payoffs = np.random.default_rng(seed).uniform(-1, 1, (size, size))
    theirs = alpha_rank_twin.one_population(payoffs, alpha, population)
    ours = one_population(payoffs, alpha=alpha, population=population)
    assert ours == pytest.approx(theirs, abs=1e-7)


@given(SEEDS, st.lists(st.integers(1, 3), min_size=1, max_size=3), st.sampled_from([0.1, 1.0]))
@settings(deadline=None, max_examples=25)
def test_many_populations_are_what_the_paper_says_word_by_word(
    seed: int, shape: list[int], alpha: float
) -> None:
    payoffs = list(np.random.default_rng(seed).uniform(-1, 1, (len(shape), *shape)))
    theirs = alpha_rank_twin.many_populations(payoffs, alpha, 10)
    ours = many_populations(payoffs, alpha=alpha, population=10)
    assert ours.ravel() == pytest.approx([*theirs.values()], abs=1e-7)


def test_open_spiel_finds_the_same() -> None:
    # alpharank.compute of OpenSpiel 2.0.2: m=20, alpha=0.5, use_local_selection_model=False.
    game = np.array([[0.2, -0.5, 0.7], [0.4, 0, -0.3], [-0.6, 0.1, 0.5]])
    assert one_population(game, alpha=0.5, population=20) == pytest.approx(
        [0.34222716516803964, 0.37244615723431973, 0.28532667759764063], abs=1e-12
    )
    expected = [0.39504053950285667, 0.1445458091315001, 0.054588092231792035]
    expected += [0.09789058057316531, 0.14725687868623735, 0.16067809987444848]
    seats = np.array([[[0.1, 0.6, -0.2], [0.3, -0.4, 0.5]], [[0.5, -0.1, 0.2], [-0.3, 0.4, 0.0]]])
    found = many_populations(list(seats), alpha=0.5, population=20)
    assert found.ravel() == pytest.approx(expected, abs=1e-12)


@given(st.floats(-1, 1), st.floats(0.1, 3), st.integers(2, 60))
def test_two_strategies_of_a_zero_sum_game_in_closed_form(
    margin: float, alpha: float, population: int
) -> None:
    # Masses stand in the ratio of the two fixation probabilities: exp(u)^(m - 1), u = a m M/(m - 1)
    masses = one_population(
        np.array([[0, margin], [-margin, 0]]), alpha=alpha, population=population
    )
    expected = 1 / (1 + np.exp(-alpha * population * margin))
    assert masses[0] == pytest.approx(expected, abs=1e-9)


def test_rock_paper_scissors_is_a_tie_at_any_selection() -> None:
    game = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], dtype=float)
    for alpha in (0.01, 1, 100, 1e5):
        assert one_population(game, alpha=alpha) == pytest.approx(np.full(3, 1 / 3))


def test_the_cycle_keeps_its_mass_and_a_loser_has_none() -> None:
    # The paper's first example: rock-paper-scissors keeps the long run, whoever loses to it is out.
    game = np.full((4, 4), 0.0)
    game[:3, :3] = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    game[:3, 3], game[3, :3] = 0.5, -0.5
    assert one_population(game) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-6)


def test_battle_of_the_sexes_rests_in_its_two_agreements() -> None:
    # Omidshafiei et al. 2019, table of bimatrix examples: half of the time in each.
    payoffs = [np.array([[3.0, 0], [0, 2]]), np.array([[2.0, 0], [0, 3]])]
    assert many_populations(payoffs) == pytest.approx(np.array([[0.5, 0], [0, 0.5]]), abs=1e-3)


@given(SEEDS, st.integers(2, 12))
def test_the_stationary_distribution_is_one(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    chain = rng.uniform(0, 1, (size, size)) * 10.0 ** rng.integers(-12, 1, (size, size))
    np.fill_diagonal(chain, 0)
    with np.errstate(divide="ignore"):
        mass = stationary(np.log(chain))
    assert mass.sum() == pytest.approx(1)
    assert mass @ chain == pytest.approx(mass * chain.sum(axis=1), rel=1e-9)


def test_very_strong_selection_neither_overflows_nor_loses_mass() -> None:
    game = np.sign(np.triu(np.ones((6, 6)), 1) - np.tril(np.ones((6, 6)), -1))
    masses = one_population(game, alpha=1e4)
    assert masses == pytest.approx([1, 0, 0, 0, 0, 0])


def play(make_match: MakeMatch, dilemma: Callable[..., tuple[float, float]]) -> list[MatchRow]:
    return [
        make_match(list(zip((one, two), dilemma(one, two, 20), strict=True)), kind="mixed", seed=s)
        for s in range(4)
        for one, two in itertools.product(STRATEGIES, repeat=2)
    ]


def test_reciprocity_outlives_defection_in_the_dilemma(
    make_match: MakeMatch, play_dilemma: Callable[..., tuple[float, float]]
) -> None:
    board = leaderboard(play(make_match, play_dilemma), rating="alpha_rank")
    masses = {row.agent: row.mass for row in board.rows}
    assert sum(masses.values()) == pytest.approx(1)
    assert masses["tit_for_tat"] + masses["grim"] + masses["win_stay_lose_shift"] > 0.6
    assert masses["always_defect"] < masses["tit_for_tat"]
    assert any("Every bootstrap replica gave the same masses" in note for note in board.notes)


@pytest.mark.parametrize("rating", ["alpha_rank", "alpha_rank_seats"])
def test_masses_and_their_intervals_are_shares(make_match: MakeMatch, rating: str) -> None:
    rng = np.random.default_rng(1)
    rows = [
        make_match([(one, won), (two, -won)], seed=block)
        for block in range(6)
        for one, two in itertools.product("abc", repeat=2)
        for won in [float(rng.choice([-1, 1]))]
    ]
    board = leaderboard(rows, rating=rating)
    assert sum(row.mass for row in board.rows) == pytest.approx(1)
    for row in board.rows:
        assert row.rating == row.mass
        assert 0 <= row.mass_low <= row.mass <= row.mass_high <= 1


def test_cells_count_alike_whatever_their_stakes(make_match: MakeMatch) -> None:
    def cell(stake: float, winner: int, name: str) -> list[MatchRow]:
        return [
            make_match(
                [(one, stake * (int(one) == winner)), (two, stake * (int(two) == winner))],
                kind="mixed", cell=name, seed=seed,
            )
            for seed in range(3) for one, two in itertools.product("01", repeat=2)
        ]  # fmt: skip

    low, high = cell(1, 0, "small"), cell(1000, 1, "large")
    board = leaderboard([*low, *high], rating="alpha_rank")
    assert [row.mass for row in board.rows] == pytest.approx([0.5, 0.5])


def test_too_many_profiles_are_refused_before_they_take_hours(make_match: MakeMatch) -> None:
    rows = [
        make_match([(str(one), 1), (str(two), 0)], kind="mixed", seed=0)
        for one, two in itertools.product(range(16), repeat=2)
    ]
    with pytest.raises(UsageError, match="256 profiles"):
        leaderboard(rows, rating="alpha_rank_seats")
