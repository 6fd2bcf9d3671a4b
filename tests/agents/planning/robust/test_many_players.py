"""Any number of players against two, against the definition, and on bad input."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.planning.robust.many_players import (
    JointModel,
    coarse_correlated,
    estimate_jointly,
    joint_gap,
    solve_jointly,
)
from gymposium.agents.planning.robust.model import Penalty, known
from gymposium.agents.planning.robust.value_iteration import both, solve
from gymposium.envs.markov_games.games import dirichlet
from gymposium.errors import UsageError


def three_players(seed=0, size=(3, 2, 2, 2), horizon=4):
    rng = np.random.default_rng(seed)
    kernel = rng.dirichlet(np.full(size[0], 0.5), size)
    return JointModel(kernel, rng.random((len(size) - 1, *size)), horizon)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("radii", [(0, 0, 0), (0.1, 0.3, 0.2), (1, 1, 1)])
def test_nobody_gains_by_leaving_the_equilibrium_of_a_known_game(seed, radii) -> None:
    made = solve_jointly(three_players(seed), radii)
    assert made.policy.sum((2, 3, 4)) == pytest.approx(1)
    assert joint_gap(three_players(seed), made.policy, radii).max() <= 1e-9


def test_the_gap_of_a_policy_that_is_none_is_what_a_best_response_gains() -> None:
    model = three_players()
    uniform = np.full((4, 3, 2, 2, 2), 1 / 8)
    gains = joint_gap(model, uniform, (0, 0, 0))
    value = stay = np.zeros(3)
    for _ in range(4):
        q = model.rewards[1] + model.transitions @ value
        value = q.mean((1, 3)).max(1)
        stay = (model.rewards[1] + model.transitions @ stay).mean((1, 2, 3))
    assert gains[1] == pytest.approx((value - stay).mean())


def test_two_players_of_a_zero_sum_game_get_its_value() -> None:
    played = dirichlet((4, 3, 2), 5, np.random.default_rng(0))
    rewards = np.stack([played.reward(0), 1 - played.reward(0)])
    made = solve_jointly(JointModel(played.kernel(0), rewards, 5), (0, 0))
    expected = solve(known(played), both(0.0)).plus
    assert made.values[:, 0] == pytest.approx(expected, abs=1e-7)


def test_pessimism_makes_the_values_lower_bounds() -> None:
    model = three_players()
    rng = np.random.default_rng(0)
    state, actions = rng.integers(3, size=4000), rng.integers(2, size=(4000, 3))
    odds = model.transitions[(state, *actions.T)].cumsum(-1)
    after = (odds < rng.random(4000)[:, None]).sum(-1)
    rewards = model.rewards[(slice(None), state, *actions.T)].T
    seen = estimate_jointly(state, actions, rewards, after, (3, 2, 2, 2), 4)
    made = solve_jointly(seen, (0.1,) * 3, Penalty(1.0))
    assert joint_gap(model, made.policy, (0.1,) * 3).max() < 1.0
    bold = solve_jointly(seen, (0.1,) * 3)
    assert (made.values[0].sum(0) < bold.values[0].sum(0)).all()


def test_chicken_has_a_correlated_equilibrium_above_its_mixed_one() -> None:
    row = np.array([[6.0, 2.0], [7.0, 0.0]])
    joint = coarse_correlated(np.stack([row, row.T]))
    welfare = (joint * (row + row.T)).sum()
    assert welfare >= 10.5 - 1e-9
    for pay in (row, row.T):
        assert (joint * pay).sum() >= (pay * joint.sum(0 if pay is row else 1)).min() - 1e-9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"transitions": np.full((3, 2, 2, 2, 3), 0.3)}, "sum to 0.9"),
        ({"rewards": np.full((3, 3, 2, 2, 2), np.nan)}, "NaN"),
        ({"rewards": np.zeros((2, 3, 2, 2, 2))}, "needs rewards"),
    ],
)
def test_what_is_no_game_is_refused(change, says) -> None:
    model = three_players()
    parts = {"transitions": model.transitions, "rewards": model.rewards, "horizon": 4}
    with pytest.raises(UsageError, match=says):
        JointModel(**{**parts, **change})


def test_bad_radii_and_empty_data_are_refused() -> None:
    with pytest.raises(UsageError, match="3 players need 3 radii"):
        solve_jointly(three_players(), (0.1,))
    with pytest.raises(UsageError, match="radius of player 1"):
        solve_jointly(three_players(), (0.1, -1, 0))
    none = np.zeros(0, int)
    with pytest.raises(UsageError, match="empty"):
        estimate_jointly(none, np.zeros((0, 2), int), np.zeros((0, 2)), none, (2, 2, 2), 3)
    one = np.zeros(1, int)
    with pytest.raises(UsageError, match="no number"):
        estimate_jointly(one, np.zeros((1, 2), int), np.full((1, 2), np.nan), one, (2, 2, 2), 3)
