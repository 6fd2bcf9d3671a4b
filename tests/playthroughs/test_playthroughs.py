"""Every world plays its golden match exactly as it is on record."""

from __future__ import annotations

import pytest

from . import record

RENEW = "if the change is meant, run: python -m tests.playthroughs.record"


@pytest.mark.parametrize(("id", "preset"), record.cases(), ids=":".join)
def test_a_world_plays_as_on_record(id, preset):
    file = record.path(id, preset)
    assert file.exists(), f"{file.name} is missing; {RENEW}"
    assert record.playthrough(id, preset) == file.read_text(encoding="utf-8"), RENEW


def test_no_record_is_left_of_a_world_that_is_gone():
    assert set(record.FOLDER.glob("*.txt")) == {record.path(*case) for case in record.cases()}
