"""Tables of worlds: kept in the record, read back by name, exported whole."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.export.tables import ABOUT
from gymposium.cli.app import app
from gymposium.errors import UnknownName, UsageError


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return gymposium.run(
        {
            "name": "tables",
            "worlds": [
                {"id": "town-v0", "params": {"people": 12, "seats": 1, "hours": 5}},
                {"id": "auction-v0", "params": {"bidders": 2}},
            ],
            "agents": ["random"],
            "schedule": {"kind": "self_play", "repeats": 2},
        },
        out=tmp_path_factory.mktemp("run") / "run",
    )


def test_a_worlds_table_is_read_back_with_the_match_it_belongs_to(played):
    table = played.world_table("series")
    assert tuple(table.columns[: len(ABOUT)]) == ABOUT
    keys = [row.key for row in played.rows if row.world == "town-v0"]
    assert table["match"].tolist() == [key for key in keys for _ in range(5)]
    assert table["hour"].tolist() == [1, 2, 3, 4, 5] * len(keys)
    assert set(table["agents"]) == {"resident_0=random"}
    for row in played.rows:
        if row.world == "town-v0":
            own = table[table["match"] == row.key]
            assert own["payoff"].mean() == pytest.approx(row.metrics["payoff"])


def test_it_is_the_same_however_it_is_written(played, tmp_path):
    table = played.world_table("series")
    assert played.export_table("series", tmp_path / "a.parquet") == len(table)
    assert played.export_table("series", tmp_path / "a.jsonl") == len(table)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "a.parquet"), table)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert lines == table.to_dict("records")


def test_the_command_line_writes_several_at_once(played, tmp_path):
    out = tmp_path / "series.jsonl"
    args = ["export", str(played.path), "--table", f"series={out}", "--matches"]
    result = CliRunner().invoke(app, [*args, str(tmp_path / "m.jsonl")])
    assert result.exit_code == 0, result.output
    assert len(out.read_text("utf-8").splitlines()) == len(played.world_table("series"))


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--table", "series"], "give the table's name and a file"),
        (["--table", "series=a.jsonl", "--matches", "a.jsonl"], "need a file each"),
    ],
)
def test_the_command_line_says_what_is_wrong(played, args, says):
    result = CliRunner().invoke(app, ["export", str(played.path), *args])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


def test_a_table_or_an_ending_that_is_not_there_is_named(played, tmp_path):
    with pytest.raises(UnknownName, match="series"):
        played.world_table("serie")
    with pytest.raises(UnknownName):
        played.export_table("nothing", tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match=r"\.jsonl or \.parquet"):
        played.export_table("series", tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_world_without_tables_has_none_in_its_record(played):
    for row in played.rows:
        outcome = played.transcript(row.key)[-1]["outcome"]
        assert ("tables" in outcome) == (row.world == "town-v0")
