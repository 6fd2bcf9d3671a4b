"""Robust value iteration against closed forms, symmetries and a naive twin."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.offline.records import collect, sample_triples, uniform
from gymposium.agents.planning.robust.evaluation import NOMINAL, quality, values
from gymposium.agents.planning.robust.model import Model, Penalty, estimate, known
from gymposium.agents.planning.robust.value_iteration import MODES, Doubt, both, solve
from gymposium.envs.markov_games.games import GENERATORS, MarkovGame, dirichlet, symmetric
from gymposium.errors import UnknownName, UsageError
from tests.oracles.robust_twin import naive_step


def game(seed: int = 0, size: tuple[int, int, int] = (6, 3, 3), horizon: int = 8) -> MarkovGame:
    return dirichlet(size, horizon, np.random.default_rng(seed))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("radius", [0.0, 1.0])
def test_with_the_true_kernel_and_no_or_all_doubt_every_mode_is_exact(
    mode: str, radius: float
) -> None:
    made = solve(known(game()), both(radius), mode=mode)
    found = quality(game(), made.policies, both(radius))
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert found.security == pytest.approx(0, abs=1e-12)


def test_without_doubt_or_penalty_it_is_shapleys_backward_induction() -> None:
    plain = solve(known(game()), NOMINAL)
    assert plain.plus == pytest.approx(plain.minus, abs=1e-12)
    assert quality(game(), plain.policies, NOMINAL).nominal_error == pytest.approx(0, abs=1e-12)
    for mode in MODES[1:]:
        assert solve(known(game()), NOMINAL, mode=mode).plus == pytest.approx(plain.plus)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("radius", [0.05, 0.2, 0.5])
def test_bimatrix_is_an_exact_robust_equilibrium_of_a_known_game(seed: int, radius: float) -> None:
    made = solve(known(game(seed)), both(radius), mode="bimatrix")
    assert quality(game(seed), made.policies, both(radius)).gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("doubt", [Doubt(0.1, 0.4), Doubt(0.3, 0.3), Doubt(0.2, 0.2, "kl")])
def test_pess_attains_the_best_guarantee_of_a_known_game(seed: int, doubt: Doubt) -> None:
    made = solve(known(game(seed)), doubt, mode="pess")
    assert quality(game(seed), made.policies, doubt).security == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("radius", "gap", "security"), [(0.05, 0.0017, 0.037), (0.2, 0.034, 0.191), (0.5, 0.236, 0.508)]
)
def test_the_papers_mode_keeps_its_gap_with_infinite_data(
    radius: float, gap: float, security: float
) -> None:
    found = []
    for seed in range(30):
        played = dirichlet((10, 2, 2), 20, np.random.default_rng(seed))
        made = solve(known(played), both(radius))
        found.append(quality(played, made.policies, both(radius)))
    assert np.mean([one.gap for one in found]) == pytest.approx(gap, rel=0.05)
    assert np.mean([one.security for one in found]) == pytest.approx(security, rel=0.05)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(5))
def test_gap_and_security_are_never_negative(mode: str, seed: int) -> None:
    played = game(seed)
    data = collect(played, 30, seed)
    made = solve(estimate(data), both(0.2), Penalty(0.01), mode=mode)
    for policies in (made.policies, uniform(played)):
        found = quality(played, policies, both(0.2))
        assert min(found.gap, found.security_max, found.security_min, found.exploitability) > -1e-12


def test_matching_pennies_are_tossed_and_worth_a_half() -> None:
    rng = np.random.default_rng(0)
    for name, size in (("matching_pennies", 2), ("rock_paper_scissors", 3)):
        made = solve(known(GENERATORS[name]((1, 2, 2), 1, rng)), both(0.3))
        assert made.plus[0, 0] == made.minus[0, 0] == pytest.approx(0.5)
        assert made.policies.max[0, 0] == pytest.approx(np.full(size, 1 / size))
        assert made.policies.min[0, 0] == pytest.approx(np.full(size, 1 / size))


def test_a_constant_reward_is_worth_itself_times_the_steps_that_remain() -> None:
    played = game()
    paid = MarkovGame(played.transitions, np.full_like(played.rewards, 0.3), played.start, 8)
    made = solve(known(paid), both(0.4))
    for value in (made.plus, made.minus):
        assert value == pytest.approx(np.repeat(0.3 * np.arange(8, -1, -1)[:, None], 6, axis=1))


def test_one_action_each_is_robust_policy_evaluation() -> None:
    played = game(size=(5, 1, 1))
    made = solve(known(played), Doubt(0.2, 0.3))
    low = values(played, Doubt(0.2, 0.3), lambda step, q: q[:, 0, 0])
    high = values(played, Doubt(0.2, 0.3), lambda step, q: q[:, 0, 0], high=True)
    assert made.plus == pytest.approx(low)
    assert made.minus == pytest.approx(high)


def test_an_opponent_without_choice_leaves_a_robust_decision_process() -> None:
    played = game(size=(5, 4, 1))
    made = solve(known(played), both(0.25), mode="pess")
    assert made.plus == pytest.approx(values(played, both(0.25), lambda _, q: q[:, :, 0].max(1)))
    assert set(np.unique(made.policies.max)) <= {0.0, 1.0}


@pytest.mark.parametrize("radius", [0.05, 0.3, 1.0])
def test_doubt_contracts_the_span_of_the_values(radius: float) -> None:
    made = solve(known(game(horizon=20)), both(radius))
    left = np.arange(20, 0, -1)
    bound = (1 - (1 - radius) ** left) / radius
    assert (np.ptp(made.plus[:-1], axis=1) <= bound + 1e-12).all()
    assert (np.ptp(made.minus[:-1], axis=1) <= bound + 1e-12).all()


@pytest.mark.parametrize("seed", range(4))
def test_in_a_symmetric_game_the_two_values_add_up_to_the_steps_that_remain(seed: int) -> None:
    played = symmetric((6, 3, 3), 10, np.random.default_rng(seed))
    made = solve(known(played), both(0.2))
    left = np.arange(10, -1, -1)[:, None]
    assert made.minus == pytest.approx(left - made.plus, abs=1e-12)
    assert made.policies.max == pytest.approx(made.policies.min, abs=1e-9)


@pytest.mark.parametrize("mode", MODES[:2])
def test_exchanging_the_players_exchanges_the_values(mode: str) -> None:
    data = collect(game(), 40, 0)
    model = estimate(data)
    turned = Model(
        model.transitions.swapaxes(2, 3),
        1 - model.rewards.swapaxes(2, 3),
        model.counts.swapaxes(2, 3),
        model.horizon,
    )
    penalty = Penalty(0.01)
    one = solve(model, Doubt(0.1, 0.3), penalty, mode=mode, clip="remaining")
    two = solve(turned, Doubt(0.3, 0.1), penalty, mode=mode, clip="remaining")
    left = np.arange(8, -1, -1)[:, None]
    assert two.plus == pytest.approx(left - one.minus, abs=1e-9)
    assert two.policies.max == pytest.approx(one.policies.min, abs=1e-7)


def test_without_doubt_the_bonus_lies_above_the_penalty() -> None:
    model = estimate(collect(game(), 40, 0))
    made = solve(model, NOMINAL, Penalty(0.01))
    assert (made.plus >= made.minus - 1e-12).all()


def test_with_doubt_the_two_values_bound_nothing() -> None:
    made = solve(known(game(horizon=20)), both(0.2))
    assert (made.plus[0] < made.minus[0]).all()


@pytest.mark.parametrize("constant", [0.0, 0.01])
def test_it_computes_what_the_published_way_computes(constant: float) -> None:
    model = estimate(sample_triples(game(), 200, 3))
    horizon, radius = model.horizon, 0.2
    made = solve(model, both(radius), Penalty(constant))
    kernel, rewards, counts, _ = model.at(0)

    def beta(s: int, a: int, b: int, row: np.ndarray, value: np.ndarray) -> float:
        n = counts[s, a, b]
        if not constant:
            return 0.0
        if n == 0:
            return horizon
        spread = row @ value**2 - (row @ value) ** 2
        second = 2 * constant * horizon / n
        return min(max(np.sqrt(constant / n * max(spread, 0)), second), horizon)

    value = np.zeros(6), np.zeros(6)
    for step in reversed(range(horizon)):
        plus, minus, _, _ = naive_step(kernel, rewards, value, radius, beta, horizon)
        assert made.plus[step] == pytest.approx(plus, abs=1e-6)
        assert made.minus[step] == pytest.approx(minus, abs=1e-6)
        value = plus, minus


def test_a_kernel_for_every_step_that_is_always_the_same_changes_nothing() -> None:
    played = game()
    repeated = Model(
        np.repeat(played.transitions, 8, axis=0), np.repeat(played.rewards, 8, axis=0), None, 8
    )
    assert solve(repeated, both(0.2)).plus == pytest.approx(solve(known(played), both(0.2)).plus)


@pytest.mark.parametrize("radius", [-0.1, float("nan")])
def test_a_radius_below_nought_is_refused(radius: float) -> None:
    with pytest.raises(UsageError, match=r"radius of min must be a number from 0 up"):
        Doubt(0.1, radius)


def test_misspelt_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="bimatrix"):
        solve(known(game()), NOMINAL, mode="bimatrx")
    with pytest.raises(UnknownName, match="chi2"):
        Doubt(0.1, 0.1, "chi")
