"""Code is found by its file's name and its line."""

from __future__ import annotations

import runpy
import threading
from pathlib import Path

import pytest

from gymposium.envs.whereabouts import place_of, place_of_thread


def test_an_error_is_where_it_was_raised_and_not_where_that_was_called(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def deep():\n    return 1 // 0\n\ndeep()\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        runpy.run_path(str(mine))
    assert place_of(caught.value) == "mine.py:2"


def test_what_was_never_raised_is_nowhere() -> None:
    assert place_of(ValueError("no")) == ""


def test_a_thread_is_where_it_waits() -> None:
    never = threading.Event()
    thread = threading.Thread(target=never.wait, daemon=True)
    thread.start()
    try:
        assert place_of_thread(thread).startswith("threading.py:")
    finally:
        never.set()
