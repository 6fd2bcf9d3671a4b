"""The audit of beliefs: its figures, a judge beside the rules, and runs that were played before."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.analysis.belief_findings import Read
from gymposium.arenas.judging.state_scorers import Exact
from gymposium.cli.app import app
from gymposium.envs.visual.belief_words import from_words

from ...agents.language.http_server import completion, send, serving

READER = "scripted:puzzle_responder?seeing=0.5&foreseeing=0.5"
FEW = {"repeats": 12}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    scenario = {
        "name": "readers",
        "worlds": [
            {"id": "frozen_lake-v0", "name": "lake", "params": {"shows": "text"}},
            {
                "id": "frozen_lake-v0",
                "name": "drawn lake",
                "params": {"shows": "text", "representation": "symbolic"},
            },
        ],
        "schedule": {"kind": "round_robin", "self_play": False, "repeats": 8},
    }
    out = tmp_path_factory.mktemp("runs") / "run"
    return gymposium.run(scenario, [READER, "scripted:puzzle_oracle"], out=out)


def figures(findings, title="Measures"):
    (table,) = [table for table in findings.tables if table.title == title]
    return {row[0]: row[1:] for row in table.rows}


async def reads_well(server, request, writer):
    """A judge that reads as the rules do."""
    text = request.body["messages"][-1]["content"].partition("The player says:\n")[2]
    schema = request.body["response_format"]["json_schema"]["schema"]
    found = {kind: [] for kind in schema["required"]}
    for each in from_words(text):
        row = "same row" if each.vertical == "same" else each.vertical
        column = "same column" if each.horizontal == "same" else each.horizontal
        found[each.kind].append(", ".join(filter(None, (row, column))))
    send(writer, completion(json.dumps(found)))


async def reads_nothing(server, request, writer):
    schema = request.body["response_format"]["json_schema"]["schema"]
    send(writer, completion(json.dumps({kind: [] for kind in schema["required"]})))


def test_who_knows_all_believes_rightly_and_who_says_nothing_scores_nothing(tmp_path):
    audit = gymposium.audit(
        "beliefs", ["scripted:puzzle_oracle", "random"], FEW, out=tmp_path / "audit"
    )
    oracle, walker = audit.findings
    for name in ("belief of the state now", "belief of the state to come"):
        assert figures(oracle)[name][0].value == 1
        assert figures(walker)[name][0].value == 0
    assert figures(oracle)["success"][0].share == 1
    assert figures(oracle)["replies of the format"][0].value == 1
    assert oracle.sentences[1].startswith("Its beliefs score 1.00 of the state now and 1.00 of")
    assert "beliefs" in (tmp_path / "audit" / "report.html").read_text("utf-8")


def test_figures_are_those_of_the_runs_own_metrics(played, tmp_path):
    audit = gymposium.audit("beliefs", [READER], run=played.path, out=tmp_path / "audit")
    (found,) = audit.findings
    mine = [row for row in played.rows if row.seats[0].agent == READER]
    assert found.matches == len(mine) == 16
    for name, metric in (
        ("belief of the state now", "state_estimation"),
        ("belief of the state to come", "transition_modeling"),
    ):
        mean = np.mean([row.metrics[metric] for row in mine])
        assert figures(found)[name][0].value == pytest.approx(mean)
    assert figures(found)["success"][0].hits == sum(row.metrics["success"] for row in mine)
    lengths = np.mean([row.metrics["reply_length"] for row in mine])
    assert figures(found)["characters of a reply"][0] == pytest.approx(lengths)
    for row in figures(found).values():
        if hasattr(row[0], "low"):
            assert 0 <= row[0].low <= row[0].value <= row[0].high
    (one, two) = [row[:2] for row in figures(found, "Success by belief").values()]
    assert sum(rate.cases for rate in one) == sum(rate.cases for rate in two) == 16


def test_a_run_is_read_agent_by_agent_from_the_command_line(played, tmp_path):
    said = CliRunner().invoke(
        app, ["audit", "beliefs", str(played.path), "--out", str(tmp_path / "a"), "--json"]
    )
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert [each["agent"] for each in found] == sorted([READER, "scripted:puzzle_oracle"])
    assert found[0]["parameters"]["worlds"] == ["frozen_lake-v0"]
    assert not (tmp_path / "a" / "1-beliefs").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["reciprocity"], "plays its own matches"),
        (["beliefs", "--agent", "nobody"], "unknown agent 'nobody'"),
        (["beliefs", "-p", "scorer=judge"], "needs judge=MODEL"),
        (["beliefs", "-p", "scorer=jury"], "unknown scorer 'jury'"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(played, arguments, words):
    study, *rest = arguments
    said = CliRunner().invoke(app, ["audit", study, str(played.path), *rest])
    assert said.exit_code == 2
    assert words in " ".join(re.sub(r"\x1b\[[0-9;]*m", "", said.output).split())


def test_a_run_of_another_world_holds_no_beliefs(tmp_path):
    scenario = {"name": "pd", "world": "iterated_matrix-v0", "params": {"rounds": 2}}
    run = gymposium.run(scenario, ["random", "scripted:tit_for_tat"], out=tmp_path / "run")
    with pytest.raises(gymposium.UsageError, match="answered by reasoning"):
        gymposium.audit("beliefs", [], run=run.path, out=tmp_path / "audit")


def test_a_judge_that_reads_as_the_rules_do_agrees_with_them(tmp_path):
    with serving(reads_well) as server:
        given = {**FEW, "judge": f"m@{server.url}", "scorer": "judge"}
        (found,) = gymposium.audit("beliefs", [READER], given, out=tmp_path / "a").findings
        asked = len(server.asked)
        (again,) = gymposium.audit("beliefs", [READER], given, out=tmp_path / "a").findings
        assert len(server.asked) == asked > 10
    assert again == found
    for same, less, correlation in figures(found, "The judge beside the rules").values():
        assert same.share == 1
        assert less == 0
        assert correlation == pytest.approx(1)


def test_a_judge_that_reads_nothing_is_shown_to_disagree(tmp_path):
    with serving(reads_nothing) as server:
        shown = {}
        for scorer in ("exact", "judge", "blend"):
            given = {**FEW, "judge": f"m@{server.url}", "scorer": scorer}
            out = tmp_path / scorer
            (found,) = gymposium.audit("beliefs", [READER], given, out=out).findings
            shown[scorer] = figures(found)["belief of the state now"][0].value
            same, less, _ = figures(found, "The judge beside the rules")["belief of the state now"]
            assert same.share < 0.5
            assert less < -0.3
    assert shown["exact"] > 0.5
    assert shown["judge"] < 0.3  # a lake without holes or words of them
    assert shown["blend"] == pytest.approx((shown["exact"] + shown["judge"]) / 2)


def test_of_a_judge_that_talks_nonsense_it_is_said_how_much_it_could_not_read(tmp_path):
    async def nonsense(server, request, writer):
        send(writer, completion("well, well"))

    with serving(nonsense) as server:
        given = {**FEW, "judge": f"m@{server.url}"}
        (found,) = gymposium.audit("beliefs", [READER], given, out=tmp_path / "a").findings
    said = found.sentences[-1]
    assert said.startswith("Beliefs that the judge could not read, which it gives 0: ")
    assert int(said.rpartition(": ")[2].rstrip(".")) > 1


def test_beliefs_of_a_reply_that_is_not_of_the_format_score_nothing(played):
    read = Read(played, READER)
    whole = read.scores("observation", {cell: Exact() for cell in ("lake", "drawn lake")})
    read.turns.loc[0, "format_correct"] = False
    less = read.scores("observation", {cell: Exact() for cell in ("lake", "drawn lake")})
    assert less[0] == 0 < whole[0]
    np.testing.assert_array_equal(less[1:], whole[1:])


def test_strategies_without_beliefs_have_no_rows_of_them(tmp_path):
    given = {"repeats": 3, "strategy": "free_think"}
    (found,) = gymposium.audit("beliefs", [READER], given, out=tmp_path / "a").findings
    assert not [name for name in figures(found) if "belief" in name]
    assert len(found.sentences) == 1
