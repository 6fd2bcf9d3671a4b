"""The bisection against its order statistic, and the laws of the constrained return."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.learning.curriculum.episodes import gated
from gymposium.agents.learning.curriculum.search import bisect, exact

samples = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=12
)
betas = st.floats(0.05, 0.95)


def arrays(sample):
    costs, returns = zip(*sample, strict=True)
    return np.array(costs), np.array(returns)


@given(samples, betas, st.floats(0, 0.5))
def test_bisection_ends_at_the_order_statistic(sample, beta, target):
    costs, returns = arrays(sample)
    span = {"beta": beta, "target": target, "highest": 1.0}
    found = bisect(costs, returns, halvings=40, **span)
    limit = exact(costs, returns, **span)
    assert limit <= found <= limit + 1e-11
    coarse = bisect(costs, returns, tolerance=0.1, **span)
    assert limit <= coarse <= limit + 0.1


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=12), betas)
def test_for_returns_of_0_and_1_it_is_the_ceil_beta_m_th_cost_of_a_success(sample, beta):
    costs, returns = arrays([(cost, float(won)) for cost, won in sample])
    place = math.ceil(round(beta * len(costs), 9))
    won = np.sort(costs[returns == 1])
    expected = won[place - 1] if len(won) >= place else 1.0
    assert exact(costs, returns, beta=beta, target=0.0, highest=1.0) == expected


@given(samples, betas)
def test_brute_force_over_all_costs_finds_no_tighter_budget(sample, beta):
    costs, returns = arrays(sample)
    good = [c for c in costs if gated(costs, returns, c).mean() >= beta - 1e-12]
    assert exact(costs, returns, beta=beta, target=0.0, highest=1.0) == min(good, default=1.0)


@given(samples, st.floats(0, 1), st.floats(0, 1))
def test_a_looser_budget_never_pays_less_and_the_loosest_pays_all(sample, one, other):
    costs, returns = arrays(sample)
    low, high = sorted((one, other))
    assert (gated(costs, returns, low) <= gated(costs, returns, high)).all()
    assert (gated(costs, returns, costs.max()) == returns).all()


@pytest.mark.parametrize("search", [bisect, exact])
def test_the_ends_of_the_span(search):
    costs, returns = np.array([0.2, 0.4, 0.9]), np.array([1.0, 1.0, 0.5])
    span = {"target": 0.1, "highest": 1.0}
    assert search(costs, returns, beta=0.0, **span) == 0.1
    assert search(costs, returns, beta=-3.0, **span) == 0.1
    assert search(costs, returns, beta=0.9, **span) == 1.0
    assert search(np.zeros(3), np.ones(3), beta=0.5, **span) == 0.1
    assert search(costs, returns, beta=0.5, **span) == pytest.approx(0.4, abs=1e-5)
