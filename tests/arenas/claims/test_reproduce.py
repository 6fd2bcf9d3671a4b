"""Reproductions: what is measured, kept, gone on with, judged and refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gymposium
from gymposium.arenas.claims.results import make_result, read_result
from gymposium.errors import GymposiumError, StoreError, UnknownName, UsageError
from gymposium.scenarios.load_claims import load_claims


def with_log(tmp_path):
    log = tmp_path / "calls.txt"
    return log, ("spread: 0.1", f"spread: 0.1, log: {json.dumps(str(log))}")


def calls(log):
    return log.read_text("utf-8").splitlines()


def test_claims_are_judged_from_paired_seeds(claim_file, tmp_path):
    result = gymposium.reproduce(claim_file(), out=tmp_path / "out")
    assert result.verdicts == {"more": "shown", "steep": "reversed"}
    more, steep = result.claims
    assert more.value == pytest.approx(1.0)  # the noise is the seed's, so it drops out
    assert steep.value == pytest.approx(0.25)
    assert result.measures["low"]["score"] == [
        1.0 + 0.1 * np.random.default_rng([seed, 7]).normal() for seed in range(6)
    ]


def test_smoke_shows_nothing(claim_file, tmp_path):
    result = gymposium.reproduce(claim_file(), scale="smoke", seeds=8, out=tmp_path / "out")
    assert set(result.verdicts.values()) == {"nothing shown: smoke only"}


def test_a_scale_changes_arms_and_seeds(claim_file, tmp_path):
    result = gymposium.reproduce(claim_file(), scale="full", out=tmp_path / "out")
    assert len(result.seeds) == 9
    assert result.claims[0].value == pytest.approx(2.0)


def test_nothing_is_measured_twice_and_more_seeds_only_add(claim_file, tmp_path):
    log, change = with_log(tmp_path)
    path = claim_file(change)
    gymposium.reproduce(path, seeds=2, out=tmp_path / "out")
    assert len(calls(log)) == 4
    gymposium.reproduce(path, seeds=3, out=tmp_path / "out")
    assert calls(log)[4:] == ["1.0 2 cpu", "2.0 2 cpu"]
    claim_file(change, ("mean: 2.0", "mean: 2.5"))
    gymposium.reproduce(path, seeds=3, out=tmp_path / "out")
    assert calls(log)[6:] == ["2.5 0 cpu", "2.5 1 cpu", "2.5 2 cpu"]
    claim_file(change, ("mean: 2.0", "mean: 2.5"), ("High scores more", "High scores far more"))
    gymposium.reproduce(path, seeds=3, out=tmp_path / "out")
    assert len(calls(log)) == 9


def test_an_interrupted_reproduction_goes_on_and_ends_as_if_never_interrupted(
    claim_file, tmp_path, monkeypatch
):
    log, change = with_log(tmp_path)
    path = claim_file((change[0], change[1] + ", interrupt_at: 3"))
    monkeypatch.setenv("CLAIMS_TEST_INTERRUPT", "1")
    with pytest.raises(KeyboardInterrupt):
        gymposium.reproduce(path, out=tmp_path / "out")
    monkeypatch.delenv("CLAIMS_TEST_INTERRUPT")
    went_on = gymposium.reproduce(path, out=tmp_path / "out")
    assert len(calls(log)) == 2 * 6 + 1
    whole = gymposium.reproduce(path, out=tmp_path / "other")
    assert went_on.measures == whole.measures
    assert went_on.claims == whole.claims


def test_a_result_survives_its_file(claim_file, tmp_path):
    result = gymposium.reproduce(claim_file(), out=tmp_path / "out")
    again = read_result(tmp_path / "out" / "more.cpu.json")
    assert (again.measures, again.claims, again.origin) == (
        result.measures,
        result.claims,
        result.origin,
    )
    remade = make_result(load_claims(claim_file()), "cpu", again.measured(), {})
    assert remade.claims == result.claims
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError, match="not a result"):
        read_result(tmp_path / "x.json")


def test_play_arms_measure_what_axelrod_and_hamilton_calculated(tmp_path):
    result = gymposium.reproduce("axelrod-reciprocity", scale="smoke", seeds=1, out=tmp_path)
    single = result.measures["single game"]
    assert single["return.defector"] == [5.0]
    assert single["return.reciprocator"] == [3.0]
    assert single["lead.defector"] == [single["return.defector"][0] - 3.0]
    lone = result.measures["nobody"]
    assert lone["return.defector"][0] - lone["return.reciprocator"][0] == 1.0


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (("metric: score\n    arm", "metric: scor\n    arm"), UnknownName, "did you mean 'score'"),
        ((":noisy", ":nosy"), UnknownName, "did you mean 'noisy'"),
        (("studies_for_tests:", "no_such_module:"), UsageError, "cannot be imported"),
        (
            (":noisy", ":broken"),
            GymposiumError,
            "failed at seed 0: ZeroDivisionError: no such luck",
        ),
        ((":noisy", ":leaving"), GymposiumError, "failed at seed 0: SystemExit: 0"),
    ],
)
def test_what_cannot_be_measured_is_said(claim_file, tmp_path, change, error, words):
    with pytest.raises(error, match=words) as raised:
        gymposium.reproduce(claim_file(change), out=tmp_path / "out")
    assert raised.type is error


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def study(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit()", "SystemExit"),
    ],
)
def test_a_module_that_cannot_be_imported_is_said(claim_file, tmp_path, monkeypatch, source, words):
    (tmp_path / "study_that_breaks.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    path = claim_file(("studies_for_tests:", "study_that_breaks:"))
    with pytest.raises(UsageError, match=f"cannot be imported: {words}"):
        gymposium.reproduce(path, out=tmp_path / "out")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("text", "no number"),
        ("list", "no mapping"),
        ("inf", "keep it finite"),
        ("huge", "no number"),
    ],
)
def test_a_study_must_return_finite_numbers_by_name(claim_file, tmp_path, what, words):
    path = claim_file((":noisy", ":wrong"), ("spread: 0.1", f"what: {what}"))
    with pytest.raises(GymposiumError, match=words):
        gymposium.reproduce(path, out=tmp_path / "out")


def test_a_measure_that_is_nan_on_every_seed_leaves_its_claim_inconclusive(claim_file, tmp_path):
    path = claim_file((":noisy", ":never"))
    for _ in range(2):  # measured, then read
        result = gymposium.reproduce(path, out=tmp_path / "out")
        assert set(result.verdicts.values()) == {"inconclusive"}
        assert result.claims[0].note == "no seed measured all sides"
        assert result.measures["low"]["score"] == [None] * 6
    again = read_result(tmp_path / "out" / "more.cpu.json")
    assert make_result(load_claims(path), "cpu", again.measured(), {}).claims == result.claims


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"measures": 3, "seconds": 1, "commit": ""}',
        '{"measures": {"score": "x"}, "seconds": 1, "commit": ""}',
        '{"measures": {"score": [1]}, "seconds": 1, "commit": ""}',
        '{"measures": {"score": 1' + "0" * 400 + '}, "seconds": 1, "commit": ""}',
        '{"measures": {}, "seconds": null, "commit": ""}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
    ids=lambda text: repr(text[:24]),
)
def test_a_corrupt_measurement_is_named_with_its_remedy(claim_file, tmp_path, text):
    path = claim_file()
    gymposium.reproduce(path, seeds=1, out=tmp_path / "out")
    spoilt = next((tmp_path / "out" / "measurements").iterdir())
    spoilt.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(StoreError, match=rf"{spoilt.name} is corrupt .*delete it to measure again"):
        gymposium.reproduce(path, seeds=1, out=tmp_path / "out")


def test_a_folder_that_is_a_file_is_not_called_corrupt(claim_file, tmp_path):
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="choose another folder with --out"):
        gymposium.reproduce(claim_file(), out=tmp_path / "out")


def test_a_result_is_whole_or_as_it_was(claim_file, tmp_path, monkeypatch):
    path = claim_file()
    gymposium.reproduce(path, out=tmp_path / "out")
    before = (tmp_path / "out" / "more.cpu.json").read_text("utf-8")

    def full(part, text, **_):
        part.write_bytes(text[:9].encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StoreError, match="free some space"):
        gymposium.reproduce(path, out=tmp_path / "out")
    assert (tmp_path / "out" / "more.cpu.json").read_text("utf-8") == before


def test_two_processes_do_not_trip_over_each_other(claim_file, tmp_path):
    words = ["reproduce", str(claim_file()), "--seeds", "40", "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "gymposium", *words, "--json"]
    here = Path(__file__).parent
    both = [
        subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    first, second = (json.loads(out)["claims"] for out, _ in said)
    assert first == second
    assert not list((tmp_path / "out").rglob("*.part"))


def test_a_seed_without_the_measure_is_left_out_and_said(claim_file, tmp_path):
    result = gymposium.reproduce(claim_file((":noisy", ":partly")), out=tmp_path / "out")
    assert result.claims[0].seeds == 5
    assert "1 seed without this measure left out" in result.claims[0].note
    assert result.measures["low"]["score"][0] is None


def test_an_unknown_paper_or_scale_gets_a_suggestion(tmp_path):
    with pytest.raises(UnknownName, match="axelrod-reciprocity"):
        gymposium.reproduce("axelrod-reciprocty", out=tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'smoke'"):
        gymposium.reproduce("axelrod-reciprocity", scale="smok", out=tmp_path)
