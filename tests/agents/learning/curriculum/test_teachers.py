"""Each teacher by its definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gymposium.agents.learning.curriculum.episodes import Episodes
from gymposium.agents.learning.curriculum.teachers import (
    IID,
    CuRLTraC,
    ExpSchedule,
    Linear,
    ProCuRLTarget,
    Span,
    Target,
    Unconstrained,
)

SPAN = Span(0.1, 1.0)
NOTHING = np.zeros(0, int)


def trials(costs, returns=None):
    costs = np.asarray(costs, float)
    won = np.ones_like(costs) if returns is None else np.asarray(returns, float)
    return Episodes(costs, won, NOTHING, NOTHING, NOTHING)


def choose(teacher, done=0.0, seen=None, seed=0):
    return teacher.choose(SPAN, done, seen, np.random.default_rng(seed))


def test_target_and_unconstrained_are_the_ends():
    assert choose(Target()) == 0.1
    assert choose(Unconstrained()) == 1.0


def test_iid_is_uniform_over_the_span():
    rng = np.random.default_rng(0)
    drawn = np.array([IID().choose(SPAN, 0.0, None, rng) for _ in range(4000)])
    assert drawn.min() >= 0.1
    assert drawn.max() <= 1.0
    assert abs(drawn.mean() - 0.55) < 4 * 0.9 / math.sqrt(12 * 4000)
    assert abs(np.mean(drawn < 0.325) - 0.25) < 0.03


def test_the_exponential_schedule_begins_at_the_highest_and_falls_strictly_to_the_target():
    found = [choose(ExpSchedule(0.125), done) for done in np.linspace(0, 1, 50)]
    assert found[0] == 1.0
    assert all(later < earlier for earlier, later in itertools.pairwise(found))
    assert 0.1 < found[-1] < 0.1 + 0.9 * math.exp(-8) + 1e-12


def test_the_line_reaches_the_target_and_stays():
    assert [choose(Linear(0.5), done) for done in (0, 0.25, 0.5, 1)] == [1.0, 0.55, 0.1, 0.1]


def test_curltrac_tightens_with_success_and_loosens_when_it_is_lost():
    teacher = CuRLTraC(4, 0.5, exactly=True)
    assert choose(teacher, seen=trials([0.2, 0.4, 0.6, 0.8])) == 0.4
    assert choose(teacher, seen=trials([0.2, 0.3, 0.6, 0.8])) == 0.3
    assert choose(teacher, seen=trials([0.5, 0.6, 0.7, 0.8])) == 0.6
    assert choose(teacher, seen=trials([0.2, 0.3, 0.6, 0.8], [0, 0, 0, 1])) == 1.0
    assert choose(teacher, seen=trials([0.1, 0.0, 0.6, 0.8])) == 0.1


def test_of_many_uniform_rollouts_in_the_tree_half_the_leaves_are_admitted():
    leaves = np.random.default_rng(1).integers(0, 2**12, 40_000)
    seen = trials(leaves / (2**12 - 1))
    teacher = CuRLTraC(len(leaves), 0.5)
    budget = teacher.choose(Span(0.0, 1.0), 0.0, seen, np.random.default_rng(0))
    admitted = math.floor(budget * (2**12 - 1) + 1e-9) + 1
    assert abs(admitted / 2**12 - 0.5) < 4 * 0.5 / math.sqrt(40_000)


def test_hysteresis_keeps_a_budget_that_is_nearly_enough():
    teacher = CuRLTraC(4, 0.5, exactly=True, hysteresis=0.25)
    assert choose(teacher, seen=trials([0.2, 0.4, 0.6, 0.8])) == 0.4
    assert choose(teacher, seen=trials([0.2, 0.5, 0.6, 0.8])) == 0.4
    assert choose(teacher, seen=trials([0.5, 0.5, 0.6, 0.8])) == 0.5


def test_a_stalled_budget_is_tightened_by_one_order_statistic():
    teacher = CuRLTraC(4, 0.5, exactly=True, tighten_if_stalled=2)
    seen = trials([0.2, 0.4, 0.6, 0.8])
    assert [choose(teacher, seen=seen) for _ in range(4)] == [0.4, 0.4, 0.2, 0.4]


def test_a_collapsed_policy_is_tightened_half_way():
    teacher = CuRLTraC(4, 0.5, exactly=True, tighten_if_stalled=1)
    seen = trials([0.5] * 4)
    assert [choose(teacher, seen=seen) for _ in range(2)] == [0.5, 0.3]


def test_procurl_scores_middling_budgets_near_the_target():
    teacher = ProCuRLTarget(10, 1000.0, 10, 1.0)
    seen = trials(np.linspace(0.1, 1.0, 10))
    budgets, scores = teacher.scores(SPAN, seen)
    expected = [
        (k / 10) * (1 - k / 10) * 0.1 * 0.9 * math.exp(-(b - 0.1) / 0.9)
        for k, b in enumerate(budgets, 1)
    ]
    assert scores == pytest.approx(expected)
    picked = [choose(teacher, seen=seen, seed=s) for s in range(20)]
    assert np.median(picked) == pytest.approx(budgets[np.argmax(expected)])


def test_procurl_draws_uniformly_while_the_target_is_out_of_reach():
    teacher = ProCuRLTarget(4, 1000.0, 10, 1.0)
    drawn = {choose(teacher, seen=trials([0.5, 0.6, 0.7, 0.8]), seed=s) for s in range(200)}
    assert len(drawn) == 10


def test_curltrac_goes_on_from_its_state():
    one, seen = CuRLTraC(4, 0.5, exactly=True, tighten_if_stalled=2), trials([0.2, 0.4, 0.6, 0.8])
    choose(one, seen=seen)
    choose(one, seen=seen)
    two = CuRLTraC(4, 0.5, exactly=True, tighten_if_stalled=2)
    two.load_state_dict(one.state_dict())
    assert choose(one, seen=seen) == choose(two, seen=seen) == 0.2
