"""Generalised advantage estimation against the definition, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.learning.gae import gae


def by_definition(rewards, values, next_values, terminated, truncated, gamma, lam, valid):  # type: ignore[no-untyped-def]
    """One lane: the sum over k of (gamma lam)^k delta_{t+k}, up to the end of the episode."""
    found = []
    for t in range(len(rewards)):
        total, weight = 0.0, 1.0
        for k in range(t, len(rewards)):
            if not valid[k]:
                break
            after = 0.0 if terminated[k] else next_values[k]
            total += weight * (rewards[k] + gamma * after - values[k])
            weight *= gamma * lam
            if terminated[k] or truncated[k]:
                break
        found.append(total)
    return np.array(found)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(1, 12),
    gamma=st.floats(0, 1),
    lam=st.floats(0, 1),
)
def test_every_lane_is_what_the_definition_says(
    seed: int, steps: int, gamma: float, lam: float
) -> None:
    rng = np.random.default_rng(seed)
    shape = (steps, 3, 2)
    rewards, values, following = rng.normal(size=(3, *shape))
    terminated, truncated = rng.random((2, *shape)) < 0.2
    valid = rng.random(shape) > 0.15
    fast = gae(
        rewards,
        values,
        following,
        terminated=terminated,
        truncated=truncated,
        gamma=gamma,
        lam=lam,
        valid=valid,
    )
    for lane in np.ndindex(shape[1:]):
        at = (slice(None), *lane)
        slow = by_definition(
            *(x[at] for x in (rewards, values, following, terminated, truncated)),
            gamma,
            lam,
            valid[at],
        )
        np.testing.assert_allclose(fast[at], slow, atol=1e-10)


def one_lane(**changed: object) -> np.ndarray:
    given = {
        "rewards": np.array([1.0, 2.0, 3.0]),
        "values": np.array([0.5, 0.5, 0.5]),
        "next_values": np.array([0.5, 10.0, 0.0]),
        "terminated": np.array([False, False, True]),
        "truncated": np.array([False, True, False]),
        "gamma": 0.5,
        "lam": 1.0,
    }
    return gae(**(given | changed))  # type: ignore[arg-type]


def test_a_truncated_step_is_worth_its_successor_and_a_terminated_one_is_not() -> None:
    advantages = one_lane()
    assert advantages[2] == 3.0 - 0.5
    assert advantages[1] == 2.0 + 0.5 * 10.0 - 0.5
    terminated = np.array([False, True, True])
    assert one_lane(terminated=terminated)[1] == 2.0 - 0.5


def test_nothing_flows_back_over_the_end_of_an_episode() -> None:
    later = one_lane(rewards=np.array([1.0, 2.0, 1e6]))
    assert later[1] == one_lane()[1]


def test_the_resetting_step_of_next_step_autoreset_decides_nothing() -> None:
    valid = np.array([True, False, True])
    advantages = one_lane(valid=valid, truncated=np.array([True, False, False]))
    assert advantages[1] == 0
    assert advantages[0] == 1.0 + 0.5 * 0.5 - 0.5


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_type_of_the_rewards_is_kept(kind: type) -> None:
    floats = {name: np.ones((4, 2), dtype=kind) for name in ("rewards", "values", "next_values")}
    never = np.zeros((4, 2), dtype=bool)
    assert gae(**floats, terminated=never, truncated=never, gamma=0.9, lam=0.9).dtype == kind
