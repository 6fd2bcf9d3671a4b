"""Curve files and TensorBoard's: nothing lost, nothing doubled."""

from __future__ import annotations

import math

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from gymposium.arenas.training.curves import CurveFile, TensorBoard, read_rows

from .test_train import StopAfter, small


def test_rows_come_back_exactly_and_late_columns_widen_the_file(tmp_path):
    path = tmp_path / "x.csv"
    curve = CurveFile(path)
    rows = [
        {"step": 1, "seconds": 0.1, "loss": 1 / 3},
        {"step": 2, "seconds": 0.2, "loss": 1e-300, "return": -0.1},
        {"step": 2**40, "seconds": 3.0, "return": math.inf, "odd, name": 2.0**60},
        {"step": 2**41, "loss": math.nan},
    ]
    for row in rows:
        curve.add(row)
        assert [r["step"] for r in read_rows(path)] == [r["step"] for r in curve.rows]
    found = read_rows(path)
    assert found[:3] == rows[:3]
    assert math.isnan(found[3]["loss"])
    assert path.read_text().splitlines()[0] == 'step,seconds,loss,return,"odd, name"'


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_torn_last_line_is_left_out_and_overwritten(tmp_path, cut):
    path = tmp_path / "x.csv"
    curve = CurveFile(path)
    for step in (10, 20, 30):
        curve.add({"step": step, "value": step / 7})
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert [row["step"] for row in read_rows(path)] == [10, 20]
    again = CurveFile(path, last_step=20)
    again.add({"step": 30, "value": 30 / 7})
    assert path.read_bytes() == whole


def test_rows_after_the_checkpoint_are_taken_back(tmp_path):
    path = tmp_path / "x.csv"
    curve = CurveFile(path)
    for step in (10, 20, 30):
        curve.add({"step": step, "value": 1.0})
    assert [row["step"] for row in CurveFile(path, last_step=20).rows] == [10, 20]
    assert [row["step"] for row in read_rows(path)] == [10, 20]
    assert CurveFile(path).rows == []
    assert read_rows(path) == []


def scalars(folder, tag):
    events = EventAccumulator(str(folder))
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(tag)]


def test_tensorboard_forgets_what_was_taken_back(tmp_path):
    with TensorBoard(tmp_path, last_step=0) as board:
        for step in (10, 20, 30):
            board.add(step, 1.0, {"value": step, "undefined": math.nan})
    with TensorBoard(tmp_path, last_step=20) as board:
        board.add(30, 2.0, {"value": 31})
    assert scalars(tmp_path, "value") == [(10, 10), (20, 20), (30, 31)]


def test_tensorboard_shows_what_the_csv_files_hold_also_after_a_stop(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        small(tmp_path / "run", progress=StopAfter(27))
    run = small(tmp_path / "run")
    folder = run.learners["tabular", 0]
    found = scalars(folder / "tensorboard", "train_return")
    rows = [(row["step"], row["train_return"]) for row in read_rows(folder / "progress.csv")]
    assert found == rows
    measured = scalars(folder / "tensorboard", "evaluation/return")
    rows = [(row["step"], row["return"]) for row in read_rows(folder / "evaluation.csv")]
    assert measured == rows
