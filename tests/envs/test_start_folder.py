"""Relative paths mean one folder for as long as something lasts, wherever the process goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gymposium.envs.start_folder import here, located, start_folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("home", "away", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


def test_it_is_the_current_folder_while_nothing_is_under_way(home: Path) -> None:
    assert here() == home
    os.chdir("../away")
    assert located("file") == home.parent / "away" / "file"


def test_it_is_kept_and_gone_back_to(home: Path) -> None:
    with start_folder():
        os.chdir("../away")
        assert here() == home
        assert located("file") == home / "file"
        assert located(home.parent / "file") == home.parent / "file"
    assert Path.cwd() == here() == home


def test_it_is_gone_back_to_whatever_was_raised(home: Path) -> None:
    def fail() -> None:
        with start_folder():
            os.chdir("../away")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert Path.cwd() == here() == home


def test_the_outermost_says_which_it_is(home: Path) -> None:
    with start_folder():
        os.chdir("../away")
        with start_folder(home.parent / "other"):
            assert Path.cwd() == here() == home
            os.chdir("../away")
        assert Path.cwd() == here() == home


def test_another_folder_can_be_named_if_it_is_there(home: Path) -> None:
    with start_folder(home.parent / "other"):
        assert Path.cwd() == here() == home.parent / "other"
    with start_folder(home.parent / "nowhere"):
        assert here() == Path.cwd()


@pytest.mark.skipif(os.name == "nt", reason="the current folder cannot be deleted there")
def test_a_folder_that_was_deleted_is_no_hindrance(home: Path) -> None:
    home.rmdir()
    with start_folder(), pytest.raises(FileNotFoundError):
        here()


@pytest.mark.skipif(os.name == "nt", reason="the current folder cannot be deleted there")
def test_a_folder_that_is_deleted_meanwhile_is_not_gone_back_to(home: Path) -> None:
    with start_folder():
        os.chdir("../away")
        home.rmdir()
    assert Path.cwd() == home.parent / "away"
