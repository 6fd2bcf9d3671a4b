"""An audit is stored, can be gone on with, is reported, and takes studies of other people."""

import json
from dataclasses import dataclass, field

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.analysis import studies
from gymposium.arenas.analysis.findings import Findings, Table
from gymposium.cli.app import app

FEW = {"repeats": 1, "rounds": 10}


def test_equal_audits_give_equal_bytes_at_any_concurrency(tmp_path):
    agents = ["scripted:generous_tit_for_tat", "random"]
    for name, concurrency in (("one", 1), ("two", 64)):
        gymposium.audit(
            "reciprocity", agents, FEW, seed=3, out=tmp_path / name, concurrency=concurrency
        )
    for file in ("result.json", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_stopped_audit_goes_on_with_what_is_missing(tmp_path, monkeypatch):
    whole = gymposium.audit("reciprocity", ["random"], FEW, out=tmp_path / "whole")

    class Stop:
        """Interrupts after a few matches."""

        def __init__(self, after):
            self.left = after

        def start(self, total, done):
            self.done = done

        def match_done(self, row):
            self.left -= 1
            if self.left == 0:
                raise gymposium.StoreError("stopped here")

        def tick(self, stats):
            pass

        message = tick

        def stop(self):
            pass

    with pytest.raises(gymposium.StoreError, match="stopped here"):
        gymposium.audit("reciprocity", ["random"], FEW, out=tmp_path / "cut", progress=Stop(7))
    assert not (tmp_path / "cut" / "result.json").exists()
    watching = Stop(10**6)
    again = gymposium.audit("reciprocity", ["random"], FEW, out=tmp_path / "cut", progress=watching)
    assert watching.done >= 7
    assert again.findings == whole.findings
    assert (tmp_path / "cut" / "result.json").read_bytes() == (
        tmp_path / "whole" / "result.json"
    ).read_bytes()


def test_a_folder_of_another_audit_is_refused(tmp_path):
    gymposium.audit("reciprocity", ["random"], FEW, out=tmp_path / "a")
    with pytest.raises(gymposium.UsageError, match="another scenario"):
        gymposium.audit("reciprocity", ["random"], {**FEW, "rounds": 11}, out=tmp_path / "a")


def test_the_command_line_lists_runs_and_reports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = CliRunner().invoke
    listed = call(app, ["audit", "--list"])
    assert "reciprocity: " in listed.output
    assert "rounds=12" in listed.output
    assert json.loads(call(app, ["audit", "--list", "--json"]).stdout)[0]["parameters"]
    words = ["audit", "reciprocity", "-a", "scripted:grim", "-p", "repeats=1", "--out", "here"]
    done = call(app, words)
    assert done.exit_code == 0, done.output
    assert "Reciprocity +" in done.output
    page = (tmp_path / "here" / "report.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    stored = json.loads((tmp_path / "here" / "result.json").read_text())
    assert stored == json.loads(call(app, [*words, "--json"]).stdout)
    assert stored[0]["agent"] == "scripted:grim"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say which study"),
        (["reciprocty", "-a", "random"], "did you mean 'reciprocity'"),
        (["reciprocity"], "needs an agent"),
        (["reciprocity", "-a", "radnom"], "unknown agent"),
    ],
)
def test_wrong_usage_is_2_and_leaves_nothing(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["audit", *words])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


@dataclass(frozen=True)
class Evil:
    """A study whose agent and words try to break out of the page."""

    times: int = field(default=1, metadata={"doc": "how often"})

    def run(self, bench):
        run = bench.play("evil", world="iterated_matrix-v0", params={"rounds": self.times})
        words = "<script>alert(1)</script>"
        table = Table(words, (words, "n"), [(words, 1.5), ("none", None)], words)
        return Findings(
            "evil",
            words,
            words,
            False,
            {"times": self.times},
            bench.seed,
            len(run.rows),
            [words],
            [table],
        )


def test_a_study_of_somebody_else_can_be_registered_and_its_words_are_harmless(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(studies, "_studies", dict(studies._studies))
    monkeypatch.setattr(studies.StudySpec, "load", lambda self: Evil)
    studies.register_study(studies.StudySpec("evil", "somewhere:Evil", "A test."))
    with pytest.raises(gymposium.UsageError, match="registered already"):
        studies.register_study(studies.StudySpec("evil", "elsewhere:Evil", "Another."))
    made = gymposium.audit("evil", ["random"], {"times": 2}, out=tmp_path / "here")
    assert made.findings[0].matches == 1
    page = (tmp_path / "here" / "report.html").read_text()
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 5


def test_every_study_says_what_its_parameters_are():
    for spec in studies.studies():
        assert spec.summary
        assert spec.load().__doc__
        assert all(entry["doc"] for entry in spec.parameters().values())
