"""What limited liability costs the principal, against figures worked out exactly and by play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymposium.arenas.analysis.misalignment import (
    Mechanism,
    misalignment,
    mitigation,
    simulate,
)
from gymposium.envs.bandits.arms import INSTANCES, Arm, random_instance
from gymposium.errors import UsageError

SNG = INSTANCES["sng"].arms
BUDGETS = (1, 3, 6, 12)


@pytest.mark.parametrize(
    ("horizon", "losses"),
    [
        (1, (1.600, 1.600, 1.600, 0)),
        (5, (2.006, 2.352, 1.084, 0.291)),
        (20, (1.447, 1.636, 1.256, 0.665)),
        (60, (1.233, 0.541, 0.387, 0.219)),
    ],
)
def test_the_principals_loss(horizon: int, losses: tuple[float, ...]) -> None:
    found = [misalignment(SNG, horizon, budget).loss for budget in BUDGETS]
    assert found == pytest.approx(losses, abs=5e-4)


def test_survival_under_either_policy() -> None:
    found = misalignment(SNG, 5, 1)
    assert found.survives == pytest.approx(0.412, abs=5e-4)
    assert found.would_survive == pytest.approx(0.458, abs=5e-4)


@pytest.mark.parametrize(
    ("budget", "losses", "survival"),
    [
        (1, (2.006, 1.776, 1.776, 1.423), (0.412, 0.484, 0.484, 1.0)),
        (6, (1.084, 0.848, 0.498, 0.468), (0.678, 0.752, 0.985, 1.0)),
    ],
)
def test_a_longer_horizon_helps_but_makes_the_agent_too_careful(
    budget: float, losses: tuple[float, ...], survival: tuple[float, ...]
) -> None:
    found = [made for _, made in mitigation(SNG, 5, budget, "extension", (0, 2, 20, 100))]
    assert [made.loss for made in found] == pytest.approx(losses, abs=5e-4)
    assert [made.survives for made in found] == pytest.approx(survival, abs=5e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("horizon", [1, 4, 9])
def test_identities_hold_for_any_arms(seed: int, horizon: int) -> None:
    arms = random_instance(seed).arms
    for budget in (1, 4, 17, 10 * horizon + 1):
        found = misalignment(arms, horizon, budget)
        assert found.loss >= 0
        assert found.shortfall >= -1e-9
        assert 0 <= found.disagree <= 1
        assert found.own >= found.got - 1e-9
    assert found.shortfall == pytest.approx(0, abs=1e-9)  # above k L
    assert found.loss == pytest.approx(0, abs=1e-9)


def test_full_liability_ends_the_misalignment() -> None:
    assert mitigation(SNG, 5, 3, "liability", [1.0])[0][1].loss == pytest.approx(0)


def test_a_budget_out_of_reach_of_ruin_ends_the_misalignment() -> None:
    assert mitigation(SNG, 5, 1, "top_up", [5 * 11])[0][1].loss == pytest.approx(0)


def test_a_penalty_that_the_clip_absorbs_changes_nothing() -> None:
    plain = misalignment(SNG, 1, 3)
    for _, made in mitigation(SNG, 1, 3, "penalty", [1, 100]):
        assert made == plain


def test_a_bonus_for_the_safe_arm_mends_it_where_it_is_large_enough() -> None:
    # At one step and a budget of 1 safety needs (4.0 - 0.1) more, whichever of its outcomes comes.
    low, high = (made for _, made in mitigation(SNG, 1, 1, "bonus", (3.8, 4.0)))
    assert low.survives == pytest.approx(0.5)
    assert high.survives == pytest.approx(1.0)
    assert high.got == pytest.approx(0.1)
    assert high.own == pytest.approx(0.1)  # nothing shaped


@pytest.mark.parametrize(("horizon", "budget"), [(5, 1), (5, 3), (5, 6), (12, 8)])
def test_play_agrees_with_the_exact_figures(horizon: int, budget: float) -> None:
    played = simulate(SNG, horizon, budget, 20_000, seed=1)
    exact = misalignment(SNG, horizon, budget)
    for name, value in (("agent", exact.got), ("principal", exact.best)):
        error = played[name].std() / np.sqrt(20_000)
        assert abs(played[name].mean() - value) < 4.5 * error


def test_common_luck_makes_equal_policies_equal_life_by_life() -> None:
    played = simulate(SNG, 1, 12, 1000, seed=0)
    assert (played["agent"] == played["principal"]).all()


@pytest.mark.parametrize(
    "mechanism", [{"liability": 2}, {"extension": -1}, {"top_up": -3}, {"bonus_arm": 3}]
)
def test_levels_that_are_none_are_refused(mechanism: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        misalignment(SNG, 3, 3, Mechanism(**mechanism))


def test_an_unknown_lever_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match="extension, liability, top_up, penalty, bonus"):
        mitigation(SNG, 3, 3, "threat", [1])


def test_one_arm_leaves_nothing_to_disagree_about() -> None:
    found = misalignment([Arm("only", (2.0, -3.0), (0.5, 0.5))], 6, 4)
    assert found.loss == pytest.approx(0)
    assert found.disagree == 0
