"""Principal and agent: who is paid what, on which terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.errors import IllegalAction, UsageError

ID = "principal_agent-v0"
LOSS = [
    {"name": "loss", "rewards": [-10], "probs": [1]},
    {"name": "gain", "rewards": [2], "probs": [1]},
]


def world(**params: Any) -> Any:
    made = gymposium.make(ID, api="world", **{"arms": LOSS, "budget": 4, "horizon": 3, **params})
    made.reset(0)
    return made


def terms(
    *,
    bonus: Any = (0, 0),
    extension: int = 0,
    top_up: int = 0,
    penalty: float = 0.0,
    liability: float = 0.0,
) -> dict[str, Any]:
    return {
        "principal": {
            "bonus": np.array(bonus, float),
            "extension": extension,
            "top_up": top_up,
            "penalty": np.array(penalty),
            "liability": np.array(liability),
        }
    }


def test_the_principal_bears_what_the_agent_escapes() -> None:
    made = world()
    made.step(terms())
    assert made.step({"agent": 0}) == {}
    assert made.outcome.returns == {"principal": -10.0, "agent": -4.0}
    assert made.outcome.metrics["shortfall"] == 6.0


@pytest.mark.parametrize(("liability", "agent"), [(0.0, -4.0), (0.5, -7.0), (1.0, -10.0)])
def test_the_agent_bears_its_share_of_the_loss_beyond_its_budget(
    liability: float, agent: float
) -> None:
    made = world()
    made.step(terms(liability=liability))
    made.step({"agent": 0})
    assert made.outcome.returns["agent"] == agent


@pytest.mark.parametrize(("charge", "principal"), [(0.0, 6.0), (1.0, 0.0)])
def test_a_bonus_reaches_the_agent_and_is_charged_as_agreed(
    charge: float, principal: float
) -> None:
    made = world(charge=charge)
    made.step(terms(bonus=(0, 2)))
    while made.step({"agent": 1}):
        pass
    assert made.outcome.returns == {"principal": principal, "agent": 12.0}
    assert made.outcome.metrics["bonuses"] == 6.0
    assert made.outcome.metrics["final_budget"] == 10.0  # a bonus is not capital


def test_a_top_up_is_capital_and_is_paid_for() -> None:
    made = world()
    turns = made.step(terms(top_up=7))
    assert float(turns["agent"].observation["budget"]) == 11.0
    assert made.step({"agent": 0})["agent"].reward == -10.0
    assert made.rewards == {"principal": -10.0, "agent": -10.0}


@pytest.mark.parametrize(("budget", "agent"), [(4, -4.0), (12, -12.0), (30, -15.0)])
def test_a_penalty_is_felt_only_as_far_as_the_agent_can_pay(budget: int, agent: float) -> None:
    made = world(budget=budget, horizon=1)
    made.step(terms(penalty=5))
    made.step({"agent": 0})
    assert made.outcome.returns == {"principal": -10.0, "agent": agent}


def test_the_agent_is_told_the_announced_horizon_only() -> None:
    made = world()
    turns = made.step(terms(extension=9))
    turn = turns["agent"]
    assert turn.observation["steps_left"] == 12
    assert "horizon" not in turn.info
    steps = 0
    while turns:
        turns, steps = made.step({"agent": 1}), steps + 1
    assert steps == 3


def test_silence_changes_no_terms_and_pulls_no_arm() -> None:
    made = world()
    made.step({"principal": None})
    while made.step({"agent": None}):
        pass
    assert made.outcome.returns == {"principal": 0.0, "agent": 0.0}


def test_terms_beyond_what_is_allowed_are_refused() -> None:
    made = world()
    with pytest.raises(IllegalAction):
        made.step(terms(liability=1.5))
    with pytest.raises(IllegalAction):
        made.step(terms(bonus=(0, 11)))


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"charge": 2}, "charge must be a number from 0 to 1"),
        ({"max_top_up": 1.5}, "max_top_up must be a whole number"),
        ({"max_bonus": -1}, "max_bonus"),
        ({"budget": 0}, "budget"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(params: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        gymposium.make(ID, **params)
