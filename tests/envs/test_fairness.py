"""Welfare and fairness of a group: hand-computed values and the order they must keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.envs import fairness

returns = st.lists(st.floats(0.1, 100), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ((4, 4, 4, 4), {"gini": 0, "jain": 1, "geomean": 4, "min": 4, "mean": 4, "equality": 1}),
        ((8, 0, 0, 0), {"gini": 0.75, "min": 0, "geomean": 0, "geomean_defined": 0}),
        ((1, 3), {"gini": 0.25, "jain": 0.8, "geomean": 3**0.5}),
        ((-1, 3), {"geomean": 0, "geomean_defined": 0, "min": -1}),
    ],
)
def test_known_groups(group, expected):
    found = fairness.group_metrics(np.array(group))
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name


def test_ratios_of_nothing_are_not_numbers():
    found = fairness.group_metrics(np.array([[0.0, 0.0], [-2.0, 1.0]]))
    assert np.isnan(found["gini"]).all()
    assert np.isnan(found["jain"]).all()


@given(returns, st.integers(0, 7), st.floats(0.01, 10), st.sampled_from([0, 0.5, 1, 2, 5]))
def test_welfare_never_falls_when_one_gains(group, who, gain, alpha):
    better = list(group)
    better[who % len(group)] += gain
    assert fairness.welfare(better, alpha) >= fairness.welfare(group, alpha)


@given(returns)
def test_the_minimum_is_below_the_geometric_mean_is_below_the_mean(group):
    found = fairness.group_metrics(np.array(group))
    assert found["min"] <= found["geomean"] + 1e-9
    assert found["geomean"] <= found["mean"] + 1e-9
    assert 0 <= found["gini"] < 1


def test_works_on_batches():
    batch = np.random.default_rng(0).uniform(0, 9, (5, 3, 4))
    found = fairness.group_metrics(batch)
    assert found["gini"].shape == (5, 3)
    assert found["gini"][2, 1] == pytest.approx(fairness.gini(batch[2, 1]))
