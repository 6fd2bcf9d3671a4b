from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.export import export_matches
from gymposium.arenas.export.writing import write_lines
from gymposium.arenas.store import RunFolder
from gymposium.cli.app import app
from gymposium.errors import MissingExtra, StoreError, UsageError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gymposium.Run:
    scenario = {
        "name": "two worlds",
        "worlds": [{"id": "iterated_matrix-v0", "params": {"rounds": 2}}, {"id": "haggling-v0"}],
        "schedule": {"repeats": 3},
    }
    return gymposium.run(
        gymposium.load_scenario(scenario),
        ["random", "llm:scripted/legal"],
        out=tmp_path_factory.mktemp("runs") / "run",
    )


def test_lines_parquet_and_frame_say_the_same(run: gymposium.Run, tmp_path: Path) -> None:
    import pandas as pd

    lines, table = tmp_path / "m.jsonl", tmp_path / "m.parquet"
    seats = sum(len(row.seats) for row in run.rows)
    assert run.export_matches(lines) == run.export_matches(table) == seats
    written = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    frame = run.matches()
    assert list(written[0]) == list(frame.columns)
    read = pd.read_parquet(table)
    frames = [read, pd.DataFrame(written), frame]
    plain = [it.astype(object).where(it.notna(), None).to_dict("records") for it in frames]
    assert plain[0] == plain[1] == plain[2]
    assert set(read["cell"]) == {"iterated_matrix-v0", "haggling-v0"}
    assert read["seed"].dtype == "int64"
    haggled = read[read["cell"] == "haggling-v0"]
    assert haggled["metric.rate_defect"].isna().all()
    assert haggled["metric.agreement"].notna().all()
    assert read.set_index(["match", "seat"]).index.is_unique


def test_rows_come_in_schedule_order_whatever_the_batch(run: gymposium.Run) -> None:
    with RunFolder(run.path) as folder:
        for batch in (1, 2, 5, 1000):
            assert list(folder.each_row(batch)) == run.rows


def test_another_ending_is_refused_and_leaves_nothing(run: gymposium.Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.jsonl or \.parquet"):
        run.export_matches(tmp_path / "m.csv")
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow_names_the_extra(
    run: gymposium.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[export\]'"):
        run.export_matches(tmp_path / "m.parquet")


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "x.jsonl"
    assert write_lines([{"a": 1}], target) == 1

    def broken():
        yield {"a": 2}
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_lines(broken(), target)
    assert target.read_text() == '{"a":1}\n'
    assert [file.name for file in tmp_path.iterdir()] == ["x.jsonl"]


def test_a_folder_that_is_not_there_is_a_sentence(run: gymposium.Run, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        export_matches(run.path, tmp_path / "nowhere" / "m.jsonl")
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        export_matches(run.path, tmp_path / "file" / "m.jsonl")


def test_the_command_writes_both_and_wants_something_to_do(
    run: gymposium.Run, tmp_path: Path
) -> None:
    matches, talk = tmp_path / "m.jsonl", tmp_path / "t.jsonl"
    words = ["export", str(run.path), "--matches", str(matches), "--transcripts", str(talk)]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    written = json.loads(done.output)
    assert written[str(matches)] == len(matches.read_text().splitlines())
    assert written[str(talk)] == len(talk.read_text().splitlines()) > 0
    nothing = CliRunner().invoke(app, ["export", str(run.path)])
    assert nothing.exit_code == 2
    assert "nothing to export" in nothing.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--matches x.jsonl --transcripts ./x.jsonl", "need a file each"),
        ("--matches x.jsonl --min-return 2", "name its file"),
        ("--matches x.jsonl --own-answers", "name its file"),
        ("--matches x.jsonl --min-gap 2", "name its file"),
        ("--matches x.csv", "x.csv: matches are written as .jsonl or .parquet"),
        ("--transcripts x.jsonl --min-return nan", "not NaN"),
        ("--transcripts x.jsonl --min-gap 2", "a least gap is for preferences"),
    ],
)
def test_words_that_would_not_do_what_they_say_are_refused(
    run: gymposium.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["export", str(run.path), *words.split()])
    assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert said in done.output
