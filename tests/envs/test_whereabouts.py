"""Code is found by its file's name and its line."""

from __future__ import annotations

import json
import runpy
import threading
from pathlib import Path

import pytest

from gymposium.envs.whereabouts import (
    place_of,
    place_of_guest,
    place_of_own,
    place_of_thread,
    placed,
    told,
)
from gymposium.errors import GymposiumError


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


def without_this_test(error: BaseException) -> BaseException:
    assert error.__traceback__ is not None
    return error.with_traceback(error.__traceback__.tb_next)


def raised(path: Path, code: str, *, name: str = "__main__") -> BaseException:
    """What a module of that file and name raises when it is run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    try:
        runpy.run_path(str(path), run_name=name)
    except Exception as error:  # noqa: BLE001 - returned
        return without_this_test(error)
    raise AssertionError("nothing was raised")


def test_a_guests_line_is_told_and_not_that_of_the_library_it_calls(tmp_path: Path) -> None:
    error = raised(tmp_path / "mine.py", "import numpy\n\nnumpy.stack([])\n")
    assert place_of(error) != "mine.py:3"
    assert place_of_guest(error) == place_of_own(error) == "mine.py:3"


def test_a_library_is_told_where_nobody_elses_code_is(tmp_path: Path) -> None:
    error = raised(tmp_path / "site-packages" / "maze" / "maze.py", "1 // 0\n")
    assert place_of_guest(error) == "maze.py:1"
    assert place_of_own(error) == ""


@pytest.mark.parametrize(
    "name", ["gymposium.envs.somewhere", "gymnasium.wrappers.common", "pettingzoo.utils.wrappers"]
)
def test_neither_our_code_nor_what_only_wraps_environments_is_a_guests(
    tmp_path: Path, name: str
) -> None:
    assert place_of_guest(raised(tmp_path / "mine.py", "1 // 0\n", name=name)) == ""


@pytest.mark.parametrize("name", ["gymposium_file_0f", "gymnasium_maze", "pettingzoo.classic.go"])
def test_what_is_only_called_like_it_is_a_guests(tmp_path: Path, name: str) -> None:
    assert place_of_guest(raised(tmp_path / "mine.py", "1 // 0\n", name=name)) == "mine.py:1"


def test_pythons_own_modules_are_nobodys(tmp_path: Path) -> None:
    assert place_of_guest(raised(tmp_path / "mine.py", "import json\njson.loads('{')\n")) == (
        "mine.py:2"
    )
    with pytest.raises(ValueError, match="Expecting") as caught:
        json.loads("{", cls=json.JSONDecoder)
    assert place_of_guest(without_this_test(caught.value)) == ""


def test_an_error_of_ours_leads_to_the_guests_that_it_was_raised_for(tmp_path: Path) -> None:
    ours = GymposiumError("cannot be made")
    ours.__cause__ = raised(tmp_path / "mine.py", "1 // 0\n")
    assert place_of_guest(ours) == "mine.py:1"
    assert told(ours) == "GymposiumError: cannot be made (mine.py:1)"
    ours.__cause__.__cause__ = ours  # a circle is walked once
    assert place_of_guest(ours) == "mine.py:1"


def test_a_sentence_that_names_the_line_names_it_once(tmp_path: Path) -> None:
    error = raised(tmp_path / "mine.py", "1 // 0\n")
    assert placed("it broke", error) == "it broke (mine.py:1)"
    assert placed("it broke (mine.py:1)", error) == "it broke (mine.py:1)"


def test_an_error_whose_words_fail_is_told_nevertheless(tmp_path: Path) -> None:
    code = "class Mute(Exception):\n    def __str__(self):\n        return 1 // 0\n\nraise Mute\n"
    said = told(raised(tmp_path / "mine.py", code))
    assert said == "Mute: (its message cannot be shown) (mine.py:5)"
