"""The exact planner against figures worked out by hand, closed forms and brute force."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.planning import criteria
from gymposium.agents.planning.survival import (
    AGENT,
    PRINCIPAL,
    Objective,
    evaluate,
    make_grid,
    plan,
)
from gymposium.envs.bandits.arms import INSTANCES, Arm, random_instance
from gymposium.errors import UsageError

SNG = INSTANCES["sng"].arms
S, N, G = range(3)
BUDGETS = (1, 3, 6, 12, 34)
VALUES = {
    1: (4.0, 3.0, 1.5, 0.6, 0.6),
    2: (4.3, 3.3, 2.16, 1.3, 1.2),
    3: (4.68, 3.65, 2.856, 1.944, 1.8),
    5: (5.3664, 4.3008, 3.93408, 3.23808, 3.0),
    10: (6.938839, 5.831534, 6.294744, 6.248177, 6.000105),
    60: (20.082055, 23.72377, 28.528195, 33.289482, 35.970813),
}


def by_hand(arms: Sequence[Arm], zero_is_ruin: bool = True) -> Any:
    """The recursion as it is written, without a grid."""

    @functools.cache
    def value(budget: float, left: int) -> float:
        if left == 0:
            return 0.0
        return max(
            sum(
                p * (max(-budget, r) + (0.0 if dead(budget + r) else value(budget + r, left - 1)))
                for r, p in zip(arm.rewards, arm.probs, strict=True)
            )
            for arm in arms
        )

    def dead(budget: float) -> bool:
        return budget <= 0 if zero_is_ruin else budget < 0

    return value


@pytest.mark.parametrize("left", VALUES)
def test_values_of_the_oracle_instance(left: int) -> None:
    made = plan(SNG, 60)
    found = [made.value_at(budget, left) for budget in BUDGETS]
    assert found == pytest.approx(VALUES[left], abs=1e-6)


@pytest.mark.parametrize(
    ("left", "low"),
    [(1, "GGGGGGG"), (3, "GGG"), (15, "GGG"), (30, "GGS"), (60, "GSS"), (100, "SSS")],
)
def test_decisions_of_the_oracle_instance(left: int, low: str) -> None:
    made = plan(SNG, 100)
    found = ["".join("SNG"[arm] for arm in made.arms_at(b, left)) for b in range(1, 40)]
    assert found == [*low, *["N"] * (39 - len(low))]


def test_with_two_steps_left_gambling_returns_where_it_cannot_ruin() -> None:
    # At 12 the gamble leaves 1, which is worth 4; at 4 the two risky arms are worth the same.
    made = plan(SNG, 2)
    found = ["".join("SNG"[arm] for arm in made.arms_at(b, 2)) for b in range(1, 16)]
    assert found == ["G", "G", "G", "NG", *["N"] * 7, "G", "N", "N", "N"]


@pytest.mark.parametrize(("budget", "first"), [(1, 66), (2, 40), (3, 16)])
def test_safety_replaces_the_gamble_when_time_is_long(budget: int, first: int) -> None:
    made = plan(SNG, 70)
    assert next(k for k in range(1, 71) if made.arms_at(budget, k) == (S,)) == first


def test_investments_in_dollars() -> None:
    found = INSTANCES["investment"]
    made = plan(found.arms, 3, start=100)
    worth = {b: made.value_at(b, 3) * found.unit_value for b in (100, 10, 5)}
    assert worth == pytest.approx({100: 0.96, 10: 1.1872, 5: 1.156})
    assert [made.arms_at(100, k) for k in (3, 2, 1)] == [(1,)] * 3
    assert [made.arms_at(10, k) for k in (3, 2, 1)] == [(1,), (1,), (2,)]
    assert [made.arms_at(5, k) for k in (3, 2, 1)] == [(2,)] * 3
    assert all(made.arms_at(b, 1) == (1,) for b in range(20, 100))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), zero_is_ruin=st.booleans(), left=st.integers(1, 5))
def test_plans_equal_the_recursion_written_out(
    data: st.DataObject, zero_is_ruin: bool, left: int
) -> None:
    arms = []
    for name in "abc"[: data.draw(st.integers(1, 3))]:
        rewards = data.draw(st.lists(st.integers(-6, 6), min_size=1, max_size=3, unique=True))
        weights = np.array(
            data.draw(st.lists(st.integers(1, 9), min_size=len(rewards), max_size=len(rewards)))
        )
        arms.append(Arm(name, tuple(map(float, rewards)), tuple(weights / weights.sum())))
    made, value = plan(arms, left, start=1, zero_is_ruin=zero_is_ruin), by_hand(arms, zero_is_ruin)
    for budget in range(1 if zero_is_ruin else 0, 45):
        assert made.value_at(budget, left) == pytest.approx(value(float(budget), left), abs=1e-9)


def test_a_budget_between_the_steps_of_the_grid_is_refused() -> None:
    made = plan([Arm("two", (-2.0, 4.0), (0.5, 0.5))], 3)
    with pytest.raises(UsageError, match="no multiple of the plan's unit 2"):
        made.value_at(3, 1)


def test_out_of_reach_of_ruin_only_the_mean_counts() -> None:
    made = plan(SNG, 8, start=200)
    for left in range(1, 9):
        for budget in range(11 * left + 1, 200):
            assert made.value_at(budget, left) == pytest.approx(0.6 * left)
            assert made.arms_at(budget, left) == (N,)
    assert made.value_at(10_000, 8) == pytest.approx(4.8)


def test_one_step_is_as_the_formula_says() -> None:
    for budget in range(1, 12):
        worth = (0.1, 1.8 - 0.4 * min(budget, 3), 4.5 - min(budget, 11) / 2)
        made = plan(SNG, 1)
        assert made.value_at(budget, 1) == pytest.approx(max(worth))


@pytest.mark.parametrize("seed", range(4))
def test_value_grows_with_budget_once_the_budget_is_counted_in(seed: int) -> None:
    made = plan(random_instance(seed).arms, 12)
    budgets = np.arange(made.grid.top + 1) * made.grid.unit
    assert (np.diff(made.value[1:] + budgets, axis=1) >= -1e-9).all()


def test_limited_liability_can_make_poverty_worth_more() -> None:
    made = plan(SNG, 1)
    assert made.value_at(1, 1) > made.value_at(3, 1) > made.value_at(12, 1)


def test_an_idle_arm_makes_time_worth_something() -> None:
    made = plan([*SNG, Arm("idle", (0.0,), (1.0,))], 20)
    assert (np.diff(made.value, axis=0) >= -1e-12).all()


def test_one_step_worth_is_convex_in_the_budget() -> None:
    for arm in SNG:
        worth = plan([arm], 1, start=40).value[1, 1:]
        assert (np.diff(worth, 2) >= -1e-12).all()


def test_scaling_money_changes_no_decision() -> None:
    scaled = [Arm(a.name, tuple(2.5 * r for r in a.rewards), a.probs) for a in SNG]
    one, other = plan(SNG, 15), plan(scaled, 15)
    assert other.grid.unit == 2.5 * one.grid.unit
    assert (one.best == other.best).all()


def test_what_the_agent_escapes_is_what_the_principal_bears() -> None:
    made = plan(SNG, 9, start=120)
    own = evaluate(SNG, made.grid, made.choice, AGENT)
    theirs = evaluate(SNG, made.grid, made.choice, PRINCIPAL)
    assert own == pytest.approx(made.value)
    assert (own - theirs >= -1e-9).all()
    assert (own - theirs)[9, 100:] == pytest.approx(0)  # above k L nothing can be escaped


def test_full_liability_is_the_principals_reward() -> None:
    one, other = plan(SNG, 9, Objective(liability=1.0)), plan(SNG, 9, PRINCIPAL)
    assert one.value == pytest.approx(other.value)


@pytest.mark.parametrize("penalty", [1.0, 10.0, 1000.0])
def test_a_penalty_on_what_ruins_anyway_is_absorbed_by_the_clip(penalty: float) -> None:
    # Every bad outcome costs at least the budget of 3: the punished agent feels no more of it.
    shaped = Objective(shaping=[(0, 0), (0, -penalty), (0, -penalty)])
    plain, punished = plan(SNG, 1), plan(SNG, 1, shaped)
    for budget in (1, 2, 3):
        assert punished.value_at(budget, 1) == plain.value_at(budget, 1)
        assert punished.arms_at(budget, 1) == plain.arms_at(budget, 1)


def test_the_smallest_bonus_that_turns_the_agent_is_as_derived() -> None:
    exact = (4.0 - 0.1) / 0.1
    below = plan(SNG, 1, Objective(shaping=[(exact - 0.01, 0), (0, 0), (0, 0)]))
    above = plan(SNG, 1, Objective(shaping=[(exact + 0.01, 0), (0, 0), (0, 0)]))
    assert exact == pytest.approx(39)
    assert below.arms_at(1, 1) == (G,)
    assert above.arms_at(1, 1) == (S,)


@pytest.mark.parametrize("b", range(1, 8))
def test_repeating_an_arm_survives_as_the_ruin_formula_says(b: int) -> None:
    grid = make_grid(SNG[N:G], 400)
    alive = criteria.survival_chances(SNG[N:G], grid, 400)
    assert alive[0, 400, -(-b // 3)] == pytest.approx(1 - (2 / 3) ** np.ceil(b / 3), abs=2e-3)


def test_criteria_of_the_oracle_instance() -> None:
    grid = make_grid(SNG, 30)
    neutral = criteria.risk_neutral(SNG, grid, 30)
    short = criteria.survival_short(SNG, grid, 30)
    long = criteria.survival_long(SNG, grid, 30)
    seeking = criteria.risk_seeking(SNG, grid, 30)
    assert (neutral == 1 << N).all()
    assert (seeking == 1 << G).all()
    assert short[5, 3] == 1 << S
    assert short[5, 4] == (1 << S) | (1 << N)  # both leave something for certain
    assert long[30, 5] == 1 << S


def test_the_map_of_regimes_shows_all_three() -> None:
    made = plan(SNG, 60)
    labels = criteria.regime_map(SNG, made)
    names = (*criteria.CRITERIA, criteria.MIXED, criteria.NONE)

    def at(budget: int, left: int) -> str:
        return names[labels[left, budget]]

    assert at(1, 1) == "risk-seeking"
    assert at(1, 60) == "risk-seeking"
    assert at(2, 60) == "survival"
    assert at(5, 60) == "mixed"  # the best mean is also safe for one pull
    assert at(3, 16) == "survival"
    assert at(500, 10) == "mixed"
    assert at(3, 3) == "risk-seeking"
    assert labels[5, 0] == -1


@pytest.mark.parametrize(
    ("arms", "horizon", "says"),
    [
        ([Arm("odd", (np.pi,), (1.0,))], 3, "common grid"),
        (SNG, 0, "horizon"),
        ([Arm("far", (1.0, -5000.0), (0.5, 0.5))], 10_000, "cells"),
    ],
)
def test_plans_that_cannot_be_made_say_why(arms: Any, horizon: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        plan(arms, horizon)
