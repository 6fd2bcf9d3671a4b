"""The coin draw: closed forms, and the table of methods that its learning reproduces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gymposium.agents.learning.coin_draw import (
    ARMS,
    CoinDraw,
    equal_split,
    exact_gradients,
    expected_values,
    learn,
    study,
)
from gymposium.errors import UnknownName, UsageError

RUNS = 20


@pytest.fixture(scope="module")
def learned() -> dict[str, np.ndarray]:
    arms = [arm for arm in ARMS if arm != "aga"]
    return {arm: learn(CoinDraw(arm=arm), seed=0, runs=RUNS).values for arm in arms}


def gain(learned: dict[str, np.ndarray], arm: str) -> tuple[float, float]:
    """FCGrad's gain in the lower of both values over an arm: mean and 1.96 standard errors."""
    # The same seed begins every arm at the same logits: differences are paired.
    differences = learned["fcgrad"].min(1) - learned[arm].min(1)
    return differences.mean(), 1.96 * differences.std(ddof=1) / np.sqrt(RUNS)


def test_expected_values_are_what_playing_gives_on_average() -> None:
    rng = np.random.default_rng(1)
    grabs = np.array([[0.7, 0.2], [0.4, 0.9]])
    n = 400_000
    red = rng.random(n) > 15 / 16
    took = rng.random((2, n)) < grabs[:, red.astype(int)]
    green_gets = took[0] & (~took[1] | (rng.random(n) < 0.5))
    red_gets = took[1] & ~green_gets
    got = (green_gets - 2.0 * (red_gets & ~red), red_gets - 2.0 * (green_gets & red))
    np.testing.assert_allclose(expected_values(grabs), np.mean(got, axis=1), atol=0.01)


def test_each_to_its_own_colour_is_best_for_the_pair_and_worth_one_a_coin() -> None:
    own = np.eye(2)
    np.testing.assert_allclose(expected_values(own), (15 / 16, 1 / 16))
    assert expected_values(np.random.default_rng(0).random((1000, 2, 2))).sum(-1).max() < 1


def test_grabbing_everything_is_dominant_and_worth_nothing_to_the_pair() -> None:
    np.testing.assert_allclose(expected_values(np.ones((2, 2))), (-7 / 16, 7 / 16))


def test_the_equal_split_is_nine_thirty_seconds_each() -> None:
    assert equal_split() == pytest.approx(9 / 32)
    # Red takes y = 7/30 of the green coins while green always grabs: b (1 - 1/2) = y.
    b = 2 * 7 / 30
    x = 1 - b / 2
    grabs = np.array([[1.0, 0.0], [b, 1.0]])
    assert expected_values(grabs)[1] == pytest.approx(9 / 32)
    assert 15 / 16 * (x - 2 * 7 / 30) == pytest.approx(expected_values(grabs)[0])
    assert expected_values(grabs)[0] == pytest.approx(9 / 32)


def test_selfish_learners_end_where_both_grab_everything(learned: dict[str, np.ndarray]) -> None:
    for arm in ("ind", "inequity_aversion"):
        np.testing.assert_allclose(learned[arm], np.tile((-7 / 16, 7 / 16), (RUNS, 1)), atol=0.01)


def test_team_learners_leave_the_red_agent_with_its_sixteenth(
    learned: dict[str, np.ndarray],
) -> None:
    np.testing.assert_allclose(learned["col"], np.tile((15 / 16, 1 / 16), (RUNS, 1)), atol=0.01)


@pytest.mark.parametrize("arm", ["ind", "weighted", "col", "pcgrad"])
def test_fcgrad_serves_the_worse_off_better_than(arm: str, learned: dict[str, np.ndarray]) -> None:
    mean, margin = gain(learned, arm)
    assert mean - margin > 0


def test_fcgrad_triples_the_lower_value_of_team_learning(learned: dict[str, np.ndarray]) -> None:
    assert learned["fcgrad"].min(1).mean() > 3 * learned["col"].min(1).mean()


def test_with_as_many_red_coins_team_learning_is_fair_and_nothing_beats_it() -> None:
    col = learn(CoinDraw(arm="col", green=0.5, updates=800), seed=1, runs=5).values
    fair = learn(CoinDraw(arm="fcgrad", green=0.5, updates=800), seed=1, runs=5).values
    np.testing.assert_allclose(col, 0.5, atol=0.02)
    assert fair.min(1).max() <= 0.5


def test_exact_gradients_are_the_slopes_of_the_expected_values() -> None:
    logits, step = np.random.default_rng(3).normal(size=(5, 2, 2)), 1e-6
    g_ind, g_col = exact_gradients(1 / (1 + np.exp(-logits)), green=0.8)
    for agent in range(2):
        for colour in range(2):
            nudge = np.zeros((2, 2))
            nudge[agent, colour] = step
            high, low = (
                expected_values(1 / (1 + np.exp(-moved)), green=0.8)
                for moved in (logits + nudge, logits - nudge)
            )
            slopes = (high - low) / (2 * step)
            np.testing.assert_allclose(g_ind[:, agent, colour], slopes[:, agent], atol=1e-8)
            np.testing.assert_allclose(g_col[:, agent, colour], slopes.mean(1), atol=1e-8)


def test_fairness_needs_noise_as_an_exact_learner_can_stall_at_an_unequal_split() -> None:
    exact = CoinDraw(arm="fcgrad", exact=True, updates=1500)
    stalled, stirred = learn(exact, 0, 10), learn(replace(exact, noise=0.02), 0, 10)
    gap, stirred_gap = (np.abs(np.diff(run.values)).max() for run in (stalled, stirred))
    assert stirred_gap < 0.15 < gap
    assert (stirred.conflicts > 0.5).all()


def test_aga_is_as_unfair_as_team_learning() -> None:
    values = learn(CoinDraw(arm="aga", exact=True, updates=300), 0, 10).values
    assert values.mean() > 0.4
    assert values.min(1).max() < 1 / 8


def test_what_only_exact_or_only_sampled_gradients_have_is_refused() -> None:
    for arm, exact in (("aga", False), ("inequity_aversion", True)):
        with pytest.raises(UsageError, match=arm):
            CoinDraw(arm=arm, exact=exact)


def test_a_study_is_repeatable_and_the_seed_matters() -> None:
    params = {"arm": "fcgrad", "updates": 60}
    first, again, other = (study(params, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first["min"] + 2 * first["drop"] == pytest.approx(max(first["green"], first["red"]))


def test_an_unknown_arm_is_named() -> None:
    with pytest.raises(UnknownName, match="fcgrad"):
        study({"arm": "fcgard"}, 0)
