"""The study functions behind the survival claims, on cases whose answers are known."""

from __future__ import annotations

import pytest

from gymposium.arenas.analysis import survival_claims as studies


def test_the_map_has_all_three_regimes() -> None:
    found = studies.regimes({"horizon": 70, "budgets": 12}, 0, "cpu")
    assert found["survival"] > 0
    assert found["risk-seeking"] > 0
    assert sum(found.values()) == 70 * 12


def test_play_under_both_policies_shares_its_luck() -> None:
    params = {"horizon": 1, "budget": 12, "lives": 500}
    found = studies.played(params, 4, "cpu")
    assert found["under agent"] == found["under principal"]


def test_exact_figures_are_the_misalignments() -> None:
    found = studies.exact({"horizon": 5, "budget": 6, "extension": 20}, 0, "cpu")
    assert found["loss"] == pytest.approx(0.498, abs=5e-4)


@pytest.mark.parametrize(("temperature", "low", "high"), [(0.001, 0.2, 0.5), (1e6, -0.15, 0.15)])
def test_perfect_reasoning_shifts_and_none_does_not(
    temperature: float, low: float, high: float
) -> None:
    found = studies.responder({"temperature": temperature, "trials": 600}, 1, "cpu")
    assert low < found["shift"] < high


def test_a_learner_is_judged_on_the_states_it_met_often() -> None:
    params = {"horizon": 1, "highest": 3, "steps": 6000, "visits": 500}
    found = studies.learned(params, 0, "cpu")
    assert found["states"] == 3
    assert found["agreement"] == 1.0  # one step: the gamble is best by far


def test_an_audit_is_summed_up() -> None:
    params = {"agent": "scripted:survival_optimal", "repeats": 2}
    found = studies.audited(params, 0, "cpu")
    assert found["optimal"] == 1.0
    assert found["shift"] > 0
