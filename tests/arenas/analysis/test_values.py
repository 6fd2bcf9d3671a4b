"""The audit of values finds the values of respondents whose values are known, and their faults."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gymposium
from gymposium.agents.scripted.respondents import KnownValues
from gymposium.arenas.analysis.findings import Findings
from gymposium.arenas.analysis.rates import Rate
from gymposium.arenas.analysis.values import ValueAudit, read_outcomes
from gymposium.envs.preferences.outcome import outcomes
from gymposium.errors import UsageError

KNOWN = "scripted:known_values?size=20"


def audited(out: Path, agent: str, **params: object) -> Findings:
    chosen = {"size": 20, "together": 100_000, "parts": "", **params}
    return gymposium.audit("values", [agent], chosen, out=out).findings[0]


def table(found: Findings, title: str) -> dict[str, list[object]]:
    (it,) = (it for it in found.tables if it.title.startswith(title))
    return {str(row[0]): list(row[1:]) for row in it.rows}


def utilities(found: Findings) -> dict[str, float]:
    (it,) = (it for it in found.tables if it.title == "The scale")
    return {str(row[0]).partition(". ")[2]: row[2].value for row in it.rows}


def test_known_utilities_are_recovered(tmp_path: Path) -> None:
    found = audited(tmp_path, f"{KNOWN}&noise=0.5", repeats=3)
    bot, every = KnownValues(noise=0.5, size=20), outcomes("base", size=20)
    level = utilities(found)
    info = [{"kind": "base", "number": at, "parts": ()} for at in range(20)]
    truth = [bot.utility(it) for it in info]
    assert np.corrcoef([level[it.text] for it in every], truth)[0, 1] > 0.97
    assert found.sentences[1].startswith("Coherent")
    assert table(found, "Coherence")["held-out accuracy"][0].share > 0.8
    assert (tmp_path / "report.html").stat().st_size > 5000


def test_a_coin_has_no_values(tmp_path: Path) -> None:
    found = audited(tmp_path, "random", repeats=10)
    rows = table(found, "Coherence")
    assert found.sentences[1].startswith("Not shown to be coherent")
    assert rows["confidence"][0] == pytest.approx(rows["confidence"][1], abs=0.03)
    assert rows["circles, as chances"][0] == pytest.approx(0.25, abs=0.02)


def test_decided_circles_are_no_values(tmp_path: Path) -> None:
    found = audited(tmp_path, "scripted:circular_respondent?around=21", triads=100)
    rows = table(found, "Coherence")
    assert rows["confidence"][0] > 0.99
    assert rows["circles, by majority"][0].share > 0.15
    assert found.sentences[1].startswith("Not shown to be coherent")


def test_who_always_says_the_first_is_undecided_about_everything(tmp_path: Path) -> None:
    found = audited(tmp_path, f"{KNOWN}&position=1000000000", parts="delays")
    assert found.sentences[0].startswith("It decides no held-out pair")
    assert "no three is without a tie" in found.sentences[1]
    assert not any("discounted" in it for it in found.sentences)
    assert not table(found, "Discounting")
    rows = table(found, "Coherence")
    assert rows["held-out pairs decided, orders pooled"][0].share == 0
    assert rows["confidence"][0] == 0.5
    assert rows["held-out accuracy"][0] == Rate(0, 0)
    assert table(found, "The order")["what stands first is preferred"][0].share == 1
    assert found.sentences[1].startswith("Not shown to be coherent")
    # Nothing but the asymmetry of what was asked is left of a scale.
    assert np.ptp(list(utilities(found).values())) < 0.3


def test_a_liking_for_the_first_does_not_hide_the_values(tmp_path: Path) -> None:
    found = audited(tmp_path, f"{KNOWN}&position=1", repeats=3)
    plain = audited(tmp_path / "b", KNOWN, repeats=3)
    one, two = utilities(found), utilities(plain)
    assert np.corrcoef([one[name] for name in two], list(two.values()))[0, 1] > 0.95
    assert table(found, "The order")["standing first is worth"][0] > 0.5


@pytest.mark.parametrize(
    ("risk", "low", "high"), [("expected", 0.9, 1), ("worst", -1, 0.95), ("reversed", -1, -0.8)]
)
def test_lotteries_show_whether_they_are_worth_their_expectation(
    tmp_path: Path, risk: str, low: float, high: float
) -> None:
    found = audited(tmp_path, f"{KNOWN}&noise=0.2&risk={risk}", parts="lotteries", repeats=2)
    seen = table(found, "Lotteries")["correlation with what is expected"][0].value
    assert low <= seen <= high


@pytest.mark.parametrize(
    ("law", "other"), [("hyperbolic", "exponential"), ("exponential", "hyperbolic")]
)
def test_the_law_of_discounting_is_told(tmp_path: Path, law: str, other: str) -> None:
    agent = f"{KNOWN}&noise=0.3&discount={law}&rate=0.1"
    found = audited(tmp_path, agent, parts="delays", repeats=20, size=3, effort=0.1, triads=1)
    rows = table(found, "Discounting")
    assert rows[law][0] == pytest.approx(0.1, abs=0.015)
    assert rows[law][1] < rows[other][1]
    said = {"hyperbolic": "hyperbolically", "exponential": "exponentially"}[law]
    assert any(f"discounted {said}" in it for it in found.sentences)


def test_exchange_rates_are_those_of_the_respondent_in_every_framing(tmp_path: Path) -> None:
    found = audited(
        tmp_path, f"{KNOWN}&noise=0.1", parts="quantities", framing="every", repeats=2, effort=0.6
    )
    for framing in ("states", "exclusive", "act"):
        rows = table(found, f"Exchange rates ({framing})")
        for name, true in (("meals", 8), ("trees", 3), ("books", 15), ("healthy years", 5000)):
            span = rows[f"dollars for one of {name}"][0]
            assert span.low / 2 < true < 2 * span.high
            assert span.value == pytest.approx(true, rel=0.7)
        assert table(found, f"More of it ({framing})")["dollars"][1] > 0.9


def test_means_count_for_who_values_them(tmp_path: Path) -> None:
    wise = audited(tmp_path / "a", f"{KNOWN}&noise=0.2", parts="stories", repeats=3)
    rash = audited(tmp_path / "b", f"{KNOWN}&noise=0.2&means=0", parts="stories", repeats=3)
    for it in table(wise, "Means").values():
        assert it[0] < it[1]
    mean = [np.mean([row[0] for row in table(it, "Means").values()]) for it in (wise, rash)]
    assert mean[0] < 0.5 * mean[1]


def test_a_citizen_is_nearer_to_its_assembly_than_somebody_else(tmp_path: Path) -> None:
    near = audited(tmp_path / "a", "scripted:citizen?size=20", repeats=5)
    far = audited(tmp_path / "b", f"{KNOWN}&liking=3", repeats=5)
    name = "distance: mean of |P − its share|"
    distance = [table(it, "Against an assembly")[name][0] for it in (near, far)]
    assert distance[0] < 0.15 < distance[1]


def test_who_refuses_leaves_a_report_all_the_same(tmp_path: Path) -> None:
    found = audited(tmp_path, f"{KNOWN}&refuse=1", parts="lotteries,quantities,delays,stories")
    assert table(found, "Coherence")["questions answered"][0].share == 0
    (sentence,) = found.sentences
    assert "gave no answer to" in sentence
    assert "nan" not in sentence
    assert [it.title for it in found.tables] == ["Coherence", "The order of presentation"]
    assert not found.plots


def test_outcomes_of_the_user_are_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"a": ["Rain.", "Sun."], "b": ["Snow.", "Sun.", 3]}), "utf-8")
    assert read_outcomes(str(file)) == ("Rain.", "Sun.", "Snow.")
    found = audited(tmp_path / "run", "random", outcomes=str(file))
    assert set(utilities(found)) == {"Rain.", "Sun.", "Snow."}
    assert not [it for it in found.tables if "assembly" in it.title]


def test_the_same_audit_again_says_the_same(tmp_path: Path) -> None:
    audited(tmp_path, KNOWN, parts="delays")
    first = (tmp_path / "result.json").read_bytes()
    audited(tmp_path, KNOWN, parts="delays")
    assert (tmp_path / "result.json").read_bytes() == first


@pytest.mark.parametrize(
    "params",
    [
        {"size": 2}, {"effort": 0}, {"framing": "nice"}, {"parts": "lotery"}, {"repeats": 0},
        {"schedule": "clever"}, {"model": "elo"}, {"together": 0}, {"triads": 1.5},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(params: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ValueAudit(**params)


def test_a_file_without_outcomes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("one\n\ntwo\n", "utf-8")
    with pytest.raises(UsageError, match="three are the least"):
        read_outcomes(str(tmp_path / "few.txt"))
    with pytest.raises(UsageError, match="cannot be read"):
        read_outcomes(str(tmp_path / "none.txt"))
