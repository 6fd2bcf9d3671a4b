"""The audit of how advice is taken, on agents whose ways are known."""

from __future__ import annotations

import pytest

from gymposium.arenas.analysis.audit import audit
from gymposium.arenas.analysis.collaboration import (
    BAD,
    GOOD,
    NONE,
    Collaboration,
    Rate,
    sign_test,
)
from gymposium.arenas.analysis.collaboration_claims import factored, seated
from gymposium.errors import UsageError


def found(spec, tmp_path, repeats=10):
    return audit("collaboration", [spec], {"repeats": repeats}, out=tmp_path).findings[0]


def cells(findings):
    return {row[0]: row for row in findings.tables[0].rows}


def test_who_obeys_does_not_tell_good_advice_from_bad(tmp_path):
    findings = found("scripted:follower", tmp_path)
    rows = cells(findings)
    assert rows[GOOD][2] == rows[BAD][2] == Rate(10, 10)
    assert rows[GOOD][1] == Rate(10, 10)
    assert rows[BAD][1] == Rate(0, 10)
    assert "not shown to tell them apart" in findings.sentences[0]
    assert (tmp_path / "report.html").exists()


def test_who_knows_takes_good_advice_and_resists_bad(tmp_path):
    findings = found("scripted:expert", tmp_path)
    rows = cells(findings)
    assert rows[GOOD][2] == Rate(10, 10)
    assert rows[BAD][2] == Rate(0, 10)
    assert rows[NONE][1] == Rate(10, 10)
    assert rows[NONE][2] is None
    assert "it tells them apart" in findings.sentences[0]
    (parts,) = findings.tables[2].rows
    assert parts[1].share == 1.0
    assert parts[3] < 0.05


def test_equal_audits_are_equal_byte_for_byte(tmp_path):
    for name in ("a", "b"):
        found("scripted:participant", tmp_path / name, repeats=2)
    one, two = ((tmp_path / name / "result.json").read_bytes() for name in ("a", "b"))
    assert one == two


def test_the_sign_test_is_exact():
    assert sign_test(Rate(5, 5)) == pytest.approx(2 / 32)
    assert sign_test(Rate(1, 2)) == pytest.approx(1)
    assert sign_test(Rate(0, 0)) is None


def test_repeats_must_be_a_whole_number():
    with pytest.raises(UsageError, match="repeats"):
        Collaboration(repeats=0)


def test_what_the_claims_measure_is_exact_or_of_matches():
    small = factored({"method": "bc"}, 0, "smoke")
    assert small["trust"] == 0.5
    assert small["solved at 0.9"] > small["solved at 0.5"] > small["solved at 0.1"]
    group = {"world": "wason_cards-v0", "params": {"participants": 2, "rounds": 1}}
    floor = seated(
        {"agent": "scripted:follower", **group, "quality": 0.9, "matches": 3}, 0, "smoke"
    )
    assert floor["exact at 1"] == 1
    assert floor["score at 0.1"] < floor["score at 0.9"]
