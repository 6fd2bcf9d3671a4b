"""Shaped rewards, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.learning.reward_shaping import (
    InequityAversion,
    InequityAversionConfig,
    collective,
    gifted,
    inequity_averse,
    value_oriented,
)
from gymposium.agents.learning.rollouts import Rollout

EVERYONE = np.array([4.0, 1.0, 0.0])


def test_inequity_of_both_kinds_with_different_weights() -> None:
    # Of 1: envy of 4 is 3, guilt towards 0 is 1; of 4: guilt 3 + 4; of 0: envy 4 + 1.
    shaped = [inequity_averse(own, EVERYONE, alpha=5.0, beta=0.05) for own in EVERYONE]
    np.testing.assert_allclose(
        shaped, [4 - 0.05 * 7 / 2, 1 - (5 * 3 + 0.05 * 1) / 2, 0 - 5 * 5 / 2]
    )


def test_when_nobody_is_rewarded_nobody_is_averse() -> None:
    assert inequity_averse(np.float64(0), np.zeros(7), alpha=5.0, beta=0.05) == 0


def test_the_collective_reward_is_the_mean() -> None:
    assert collective(EVERYONE) == pytest.approx(5 / 3)


def test_a_reward_angle_as_wished_costs_nothing() -> None:
    equal = np.array([2.0, 2.0])
    assert value_oriented(equal[0], equal, weight=0.5, angle=45.0) == pytest.approx(2)
    # Alone with all of it the angle is 0: 45 degrees off, times N = 2 times the weight.
    alone = np.array([2.0, 0.0])
    found = value_oriented(alone[0], alone, weight=0.5, angle=45.0)
    assert found == pytest.approx(2 - np.pi / 4)


def test_gifts_go_to_the_others_in_equal_parts_and_none_are_lost() -> None:
    after = np.array([gifted(own, EVERYONE, kept=0.6) for own in EVERYONE])
    np.testing.assert_allclose(after, [2.4 + 0.2 * 1, 0.6 + 0.2 * 4, 0.2 * 5])
    assert after.sum() == pytest.approx(EVERYONE.sum())


def test_alone_there_is_nobody_to_envy_or_to_give_to() -> None:
    alone = np.array([3.0])
    assert inequity_averse(alone[0], alone, alpha=5.0, beta=1.0) == 3
    assert gifted(alone[0], alone, kept=0.1) == 3


def rollout(rewards: np.ndarray, starts: np.ndarray) -> Rollout:
    empty = np.empty(0)
    return Rollout(
        **dict.fromkeys(Rollout.__dataclass_fields__, empty)
        | {
            "rewards": rewards.astype(np.float32),
            "everyone": rewards[:, :, None].astype(np.float32),
            "starts": starts,
            "own": np.arange(rewards.shape[-1]),
        }
    )


def test_smoothed_rewards_are_compared_and_raw_ones_are_paid() -> None:
    method = InequityAversion(InequityAversionConfig(alpha=2.0, beta=0.5, smooth=0.5, gamma=0.8))
    rewards = np.array([[[1.0, 0.0]], [[0.0, 0.0]], [[0.0, 1.0]]])
    starts = np.zeros((3, 1, 2), bool)
    starts[0] = starts[2] = True
    shaped = method.rewards(rollout(rewards, starts))[:, 0, :, 0]
    # Traces: (1, 0); (0.4, 0); a new match: (0, 1).
    np.testing.assert_allclose(
        shaped, [[1 - 0.5, 0 - 2.0], [0 - 0.5 * 0.4, 0 - 2 * 0.4], [-2.0, 1 - 0.5]], rtol=1e-6
    )
    went_on = method.rewards(rollout(np.zeros((1, 1, 2)), np.zeros((1, 1, 2), bool)))
    np.testing.assert_allclose(went_on[0, 0, :, 0], [-2 * 0.4, -0.5 * 0.4], rtol=1e-6)
