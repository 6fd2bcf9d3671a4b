"""What the claims about values measure, measured once."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.arenas.analysis import values_claims as studies

SMALL = {"size": 12, "parts": "", "repeats": 3, "effort": 0.5, "triads": 40}


def test_an_audit_s_figures_and_the_truth_are_told() -> None:
    agent = "scripted:known_values?size=12&draw={seed}&taste={seed}&noise=0.2"
    found = studies.audited({"agent": agent, **SMALL}, 3, "cpu")
    assert found["recovered"] > 0.95
    assert found["coherent"] == 1
    assert 0 <= found["soft circles"] < 0.1
    coin = studies.audited({"agent": "random", **SMALL}, 3, "cpu")
    assert coin["coherent"] == 0
    assert "recovered" not in coin


def test_training_on_the_right_shares_moves_a_linear_respondent() -> None:
    found = studies.linear_control({"questions": 1500}, 0, "cpu")
    assert found["after majority"] > found["before majority"] + 0.05
    assert found["after majority"] > found["shuffled majority"] + 0.2
    assert found["after bias"] < found["before bias"]
    assert found["after distance"] < found["before distance"]


def test_half_everywhere_is_learned_as_a_coin() -> None:
    gaps = np.random.default_rng(0).normal(size=(400, 3))
    weights = studies._trained(np.array([2.0, -1.0, 0.5]), gaps, np.full(400, 0.5))
    assert weights == pytest.approx([0, 0, 0], abs=1e-3)


def test_equal_seeds_give_equal_measures_and_others_do_not() -> None:
    one, two, three = (studies.linear_control({"questions": 50}, s, "cpu") for s in (1, 1, 2))
    assert one == two != three
