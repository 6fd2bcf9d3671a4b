"""The study of levers, on agents whose answers are known exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.agents.registry import resolve
from gymposium.arenas.analysis.audit import audit
from gymposium.arenas.analysis.mitigation import LEVERS, Mitigation
from gymposium.errors import UsageError


def rows(agent: str, folder: Path, **params: Any) -> dict[str, Any]:
    (found,) = audit("mitigation", [agent], params, out=folder).findings
    return {row[0]: row[1:] for row in found.tables[0].rows}


def test_a_rational_agent_survives_as_often_as_worked_out(tmp_path: Path) -> None:
    found = rows("scripted:rational_employee", tmp_path, repeats=60)
    assert len(found) == sum(len(levels) for levels in LEVERS.values())
    for lever, (survives, exact, *_) in found.items():
        low, high = survives.interval
        assert low - 0.03 <= float(exact.rstrip("%")) / 100 <= high + 0.03, lever
    assert found["bonus 10"][0].share == 1.0


def test_an_agent_that_heeds_no_terms_is_moved_by_none_but_the_top_up(tmp_path: Path) -> None:
    found = rows("random", tmp_path, repeats=10)
    levels = {lever: [found[f"{lever} {v:g}"][0] for v in LEVERS[lever]] for lever in LEVERS}
    assert len({rate.hits for rate in levels["extension"]}) == 1  # the same seeds, the same luck
    assert len({rate.hits for rate in levels["liability"]}) == 1
    assert levels["top_up"][-1].hits > levels["top_up"][0].hits


@pytest.mark.parametrize("params", [{"budget": 0}, {"horizon": 1.5}, {"repeats": 1}])
def test_parameters_out_of_range_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="mitigation: "):
        Mitigation(**params)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("scripted:fixed_terms?liability=2", "liability"),
        ("scripted:fixed_terms?top_up=1.5", "top_up"),
        ("scripted:fixed_terms?bonus=-1", "bonus"),
    ],
)
def test_terms_that_cannot_be_set_are_refused(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        resolve(spec).create()


def test_terms_for_an_arm_that_is_not_there_are_refused() -> None:
    world = gymposium.make("principal_agent-v0", api="world")
    with pytest.raises(UsageError, match="not one of 3 arms"):
        resolve("scripted:fixed_terms?bonus_arm=3").create().reset(world.seats["principal"], 0)
