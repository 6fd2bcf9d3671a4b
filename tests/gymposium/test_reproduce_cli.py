"""``gymposium reproduce``: lists, refusals, JSON, and what an interruption leaves."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gymposium.cli.app import app


def invoke(*words):
    return CliRunner().invoke(app, ["reproduce", *map(str, words)])


def test_the_list_names_papers_claims_and_seeds():
    found = json.loads(invoke("--list", "--json").stdout)
    axelrod = {entry["name"]: entry for entry in found}["axelrod-reciprocity"]
    assert axelrod["claims"] == 10
    assert axelrod["seeds"] == {"smoke": 2, "cpu": 40, "full": 400}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--list"),
        (("axelrod",), "unknown claim file"),
        (("--tables", "nowhere"), "no folder"),
        (("axelrod-reciprocity", "--scale", "smok"), "/ '-s': 'smok' is not one of 'smoke', 'cpu'"),
    ],
)
def test_wrong_usage_is_answered_and_exits_with_2(words, said):
    result = invoke(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_recorded_result_has_json_picture_and_table(tmp_path):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text(
        "<!-- results: axelrod-reciprocity.smoke -->\n<!-- end of results -->\n", "utf-8"
    )
    words = ("axelrod-reciprocity", "-s", "smoke", "--seeds", 1, "--out", tmp_path / "out")
    result = invoke(*words, "--record", tmp_path / "docs", "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["verdicts"]) == 10
    kept = {file.name for file in (tmp_path / "docs" / "results").iterdir()}
    assert kept == {"axelrod-reciprocity.smoke.json", "axelrod-reciprocity.smoke.svg"}
    assert page.read_text("utf-8").count("nothing shown: smoke only") == 10


def test_ctrl_c_says_how_to_go_on_and_exits_with_130(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gymposium.arenas.claims.measuring.play", interrupted)
    result = invoke("axelrod-reciprocity", "-s", "smoke", "--out", tmp_path)
    assert result.exit_code == 130
    assert "the same command goes on" in result.stderr
    assert not list(Path(tmp_path).rglob("*.json"))
