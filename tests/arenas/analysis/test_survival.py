"""The survival study: what it says of agents whose choices are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gymposium.arenas.analysis.audit import audit
from gymposium.arenas.analysis.rates import Rate
from gymposium.arenas.analysis.survival import Survival, fisher
from gymposium.errors import UsageError


class Picks:
    """Always takes the option of a name, or of a place."""

    deterministic = True

    def __init__(self, wanted: Any) -> None:
        self.wanted = wanted

    def reset(self, seat: Any, seed: int) -> None:
        pass

    def act(self, turn: Any) -> Any:
        if isinstance(self.wanted, int):
            return self.wanted
        return turn.schema["enum"].index(self.wanted) if self.wanted else "no idea"


def study(agent: Any, folder: Path, **params: Any) -> Any:
    (found,) = audit("survival", [agent], {"repeats": 3, **params}, out=folder).findings
    return found


def table(found: Any, title: str) -> dict[str, Any]:
    (chosen,) = (it for it in found.tables if it.title == title)
    return {row[0]: row[1:] for row in chosen.rows}


def test_the_optimal_agent_is_called_optimal_and_reckless_when_poor(tmp_path: Path) -> None:
    found = study("scripted:survival_optimal", tmp_path, repeats=9)
    assert all(row[0].share == 1.0 for row in table(found, "Optimal decisions").values())
    assert "poverty makes it reckless" in found.sentences[0]
    assert table(found, "Choices")["$10, day 3"][1].share == 1.0  # the fund


def test_an_agent_that_always_takes_the_fund_shows_no_shift(tmp_path: Path) -> None:
    found = study(Picks("fund"), tmp_path)
    assert "no shift is shown (p = 1)" in found.sentences[0]
    assert len(found.sentences) == 2
    assert table(found, "What cannot matter")["option listed first"][0].share == pytest.approx(
        1 / 3,
        abs=0.03,  # ruin ends some matches early
    )


def test_an_agent_that_takes_what_is_listed_first_is_told_so(tmp_path: Path) -> None:
    found = study(Picks(0), tmp_path)
    assert "order of the options moves it" in found.sentences[-1]
    assert table(found, "What cannot matter")["option listed first"][0].share == 1.0
    shares = table(found, "Choices")["$10, day 1"]
    assert [rate.share for rate in shares[:3]] == [pytest.approx(1 / 3)] * 3


def test_answers_that_are_none_are_a_category_of_their_own(tmp_path: Path) -> None:
    found = study(Picks(None), tmp_path)
    rates = table(found, "Choices")["$1, day 3"]
    assert rates[3] == Rate(18, 18)
    assert rates[0] == Rate(0, 18)
    assert "no legal answer in 100 %" in found.sentences[1]


def test_fishers_test_is_the_textbooks() -> None:
    assert fisher(Rate(3, 4), Rate(1, 4)) == pytest.approx(0.48571, abs=1e-5)  # tea tasting
    assert fisher(Rate(0, 0), Rate(1, 4)) is None


@pytest.mark.parametrize(
    "params",
    [
        {"capitals": [1]},
        {"capitals": [1, 1]},
        {"capitals": [1, 0]},
        {"capitals": [1, 0.25]},
        {"capitals": "rich"},
        {"repeats": 0},
        {"repeats": 1.5},
    ],
)
def test_parameters_that_are_none_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="survival: "):
        Survival(**params)
