"""The run folder: whole matches only, one writer, and a sentence for everything that is wrong."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gymposium.arenas.meter import Spent
from gymposium.arenas.rows import Finished, MatchRow, SeatRow
from gymposium.arenas.store import RunFolder
from gymposium.errors import StoreError
from gymposium.types import Call, Usage


def row(number: int, **changes: Any) -> MatchRow:
    seats = tuple(
        SeatRow(f"player_{place}", name, "focal", None, 1.5 * place, {"illegal": place}, 10)
        for place, name in enumerate(("a", "b"))
    )
    facts: dict[str, Any] = {
        "key": f"{number:032x}",
        "world": "iterated_matrix-v0",
        "kind": "mixed",
        "cell": "pd",
        "seed": 2**53 - 1 - number,
        "block": number,
        "seats": seats,
        "metrics": {"efficiency": 0.5, "odd": float("nan")},
        "reason": "all rounds were played",
    }
    return MatchRow(**{**facts, **changes})


def finished(number: int, position: int) -> Finished:
    return Finished(row(number), position, steps=3, record=b"x")


def add(folder: RunFolder, number: int, position: int | None = None) -> None:
    place = number if position is None else position
    folder.add_matches([finished(number, place)])


def test_what_is_written_is_read_back_in_schedule_order(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        for number, position in ((5, 2), (3, 0), (4, 1)):
            add(folder, number, position)
        found = folder.rows()
    assert [match.block for match in found] == [3, 4, 5]
    assert found[0].seats == row(3).seats
    assert found[0].seed == row(3).seed
    assert found[0].metrics["efficiency"] == 0.5
    assert found[0].metrics["odd"] != found[0].metrics["odd"]


def test_a_match_is_stored_once(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        add(folder, 1)
        with pytest.raises(StoreError):
            add(folder, 1)
        assert len(folder.rows()) == 1
        add(folder, 2)
        assert folder.keys() == {row(1).key, row(2).key}


def test_what_was_spent_is_the_sum_over_the_paid_calls_of_finished_matches(tmp_path: Path) -> None:
    seat = SeatRow("player_0", "a", "focal", None, 0.0, {}, 1, 1, 1, 2, 30, 4)
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        assert folder.spent() == {}
        for number in range(3):
            match = row(number, seats=(seat,))
            call = Call("m", (), "x", usage=Usage(15, 2), seconds=0.5, money=0.25)
            found = Call("m", (), "x", usage=Usage(15, 2), seconds=0.5, money=0.0, cached=True)
            calls = {"player_0": [call, found, call]}
            folder.add_matches([Finished(match, number, 1, calls=calls)])
        assert folder.spent() == {"a": Spent(6, 90, 12, money=1.5, seconds=3.0)}
        unpriced = Call("m", (), "x", usage=Usage(1, 1))
        match = row(3, seats=(seat,))
        folder.add_matches([Finished(match, 3, 1, calls={"player_0": [unpriced]})])
        assert folder.spent()["a"].money is None


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run folder"):
        RunFolder(tmp_path)
    with pytest.raises(StoreError, match="there is no run folder"):
        RunFolder(tmp_path / "nowhere", write=True)


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be read as one" * 20, b"\0" * 4096]
)
def test_a_corrupt_database_gets_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.sqlite").write_bytes(content)
    with pytest.raises(StoreError, match=r"run\.sqlite"):
        RunFolder(tmp_path)


def test_a_truncated_database_gets_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with RunFolder(path, write=True, create=True) as folder:
        for number in range(300):
            add(folder, number)
    database = path / "run.sqlite"
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])
    for leftover in path.glob("run.sqlite-*"):
        leftover.unlink()
    with pytest.raises(StoreError, match="corrupt"), RunFolder(path) as folder:
        folder.rows()


def test_a_half_made_store_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").touch()
    with pytest.raises(StoreError, match="interrupted"):
        RunFolder(tmp_path)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "run.sqlite")
    database.execute("CREATE TABLE theirs (x)")
    database.commit()
    database.close()
    with pytest.raises(StoreError, match="not a gymposium store"):
        RunFolder(tmp_path, write=True, create=True)


def test_a_newer_store_is_not_touched(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True):
        pass
    database = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="another version"):
        RunFolder(tmp_path / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_loses_the_matches_that_did_not_fit_and_no_other(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        add(folder, 1)
        together = [finished(number, number) for number in range(2, 6)]
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            with pytest.raises(StoreError, match="finished matches are safe: make room"):
                folder.add_matches(together)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert folder.keys() == {row(1).key}
        folder.add_matches(together)
        assert len(folder.rows()) == 5


def test_a_folder_deleted_while_it_is_written_is_told(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        add(folder, 1)
        shutil.rmtree(tmp_path / "run")
        with pytest.raises(StoreError, match="the run folder was deleted or moved while"):
            add(folder, 2)


def test_a_finished_run_can_be_read_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        add(folder, 1)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with RunFolder(tmp_path / "run") as folder:
        assert [row.key for row in folder.rows()] == [row(1).key]
        assert {file.name for file in (tmp_path / "run").glob("run.sqlite*")} == {"run.sqlite"}


def test_a_full_database_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        add(folder, 0)
        pages = folder._db.execute("PRAGMA page_count").fetchone()[0]
        folder._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="full"):  # noqa: PT012 - one of many must fail
            for number in range(1, 500):
                add(folder, number)
        stored = folder.rows()
    assert stored[0].key == row(0).key
    assert all(len(match.seats) == 2 for match in stored)


def test_only_one_process_writes_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "run"
    code = (
        "import sys, pathlib\n"
        "from gymposium.arenas.store import RunFolder\n"
        "RunFolder(pathlib.Path(sys.argv[1]), write=True)"
    )
    with RunFolder(path, write=True, create=True) as folder:
        add(folder, 1)
        other = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
        assert other.returncode != 0
        assert "another process is writing" in other.stderr
        with RunFolder(path) as reader:
            assert len(reader.rows()) == 1
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    with RunFolder(path, write=True) as folder:
        add(folder, 2)


def test_plain_data_about_a_run_is_kept(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", write=True, create=True) as folder:
        folder.set_info(seed=1, scenario={"name": "ü"}, status="running")
        folder.set_info(status="finished")
        assert folder.info() == {"seed": 1, "scenario": {"name": "ü"}, "status": "finished"}
