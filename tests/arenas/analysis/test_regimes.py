"""The map of regimes, for agents whose choices are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gymposium.arenas.analysis.audit import audit
from gymposium.arenas.analysis.regimes import LABELS, Regimes
from gymposium.errors import UnknownName, UsageError

SMALL = {"budgets": [1, 3, 6, 9, 12], "steps": [1, 5, 20], "repeats": 2}


def study(agent: Any, folder: Path, **params: Any) -> Any:
    (found,) = audit("regimes", [agent], {**SMALL, **params}, out=folder).findings
    return found


def test_the_optimal_agents_map_is_the_exact_one(tmp_path: Path) -> None:
    found = study("scripted:survival_optimal", tmp_path)
    own, exact = found.maps
    assert own.rows == exact.rows
    assert dict(own.rows)["1"] == ["risk-seeking"] * 3 + ["mixed"] * 2
    assert dict(own.rows)["20"][:2] == ["risk-seeking", "survival"]


def test_each_criterions_agent_is_called_by_its_name(tmp_path: Path) -> None:
    for name in ("risk_neutral", "risk_seeking"):
        found = study(f"scripted:{name}", tmp_path / name)
        label = name.replace("_", "-")
        assert all(words[0] == label for _, words in found.maps[0].rows)


def test_what_an_agent_costs_agrees_with_the_exact_loss(tmp_path: Path) -> None:
    from gymposium.arenas.analysis.misalignment import misalignment
    from gymposium.envs.bandits.arms import INSTANCES

    found = study("scripted:survival_optimal", tmp_path, budgets=[3], steps=[5], repeats=400)
    said = found.tables[0].rows[0][1]
    low, high = json.loads(said.split(" ", 1)[1])
    exact = misalignment(INSTANCES["sng"].arms, 5, 3).loss
    assert low - 0.5 < exact < high + 0.5


def test_silence_is_a_label(tmp_path: Path) -> None:
    found = study(lambda turn: "eh", tmp_path, budgets=[3], steps=[2])
    assert found.maps[0].rows == [("2", ["no answer"])]


def test_the_page_shows_the_map_and_the_figures_have_it(tmp_path: Path) -> None:
    study("scripted:survival_optimal", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count('class="map"') == 2
    (plain,) = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert plain["maps"][0]["words"] == list(LABELS)


@pytest.mark.parametrize(
    "params",
    [{"budgets": [0]}, {"budgets": [1, 1]}, {"steps": []}, {"steps": [1.5]}, {"repeats": 0}],
)
def test_parameters_that_are_none_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="regimes: "):
        Regimes(**params)


def test_an_unknown_instance_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="gambler"):
        Regimes(instance="gambling")
