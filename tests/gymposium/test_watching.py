"""``run --render/--film`` and ``replay`` as typed by a person."""

from __future__ import annotations

import builtins

import pytest
from typer.testing import CliRunner

from gymposium.cli.app import app

MATRIX = ["run", "iterated_matrix-v0", "-p", "rounds=2", "--out", "r"]


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return tmp_path


def typed(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_every_match_of_a_run_gets_its_own_film(own_directory):
    said = typed(*MATRIX, "-n", 2, "--film", "films/f.gif", "--fps", 30)
    assert "film: films/f.gif" in said
    assert "film: films/f-2.gif" in said
    made = sorted(path.name for path in (own_directory / "films").iterdir())
    assert made == ["f-2.gif", "f.gif"]


@pytest.mark.parametrize("kind", ["gif", "mp4"])
def test_a_film_lies_in_the_run_unless_told_where(kind, own_directory):
    typed(*MATRIX, "--render", kind)
    assert (own_directory / "r" / f"film.{kind}").stat().st_size > 1000


def test_a_stored_match_is_checked_filmed_and_shown_again(own_directory):
    typed(*MATRIX, "-n", 2)
    assert "2 steps as recorded" in typed("replay", "r")
    assert "film: again.mp4" in typed("replay", "r", 2, "--film", "again.mp4")
    assert (own_directory / "again.mp4").stat().st_size > 1000
    assert "All 2 rounds are over" in typed("replay", "r", 1, "--terminal")
    assert "2 steps as recorded" in typed("replay", "r", "--window", "--fps", 200)


def test_a_match_is_animated_in_the_terminal_as_it_is_played():
    assert "iterated_matrix-v0, step 2" in typed(*MATRIX, "--render", "ansi")


def test_a_match_is_played_in_a_window():
    assert "return" in typed(*MATRIX, "--render", "human", "--fps", 200)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--film", "film.avi"], ".gif or .mp4"),
        (["--render", "gif", "--film", "film.mp4"], "give one of them"),
        (["--show", "--render", "ansi"], "choose one"),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_is_played(words, remedy, own_directory):
    assert remedy in typed(*MATRIX, *words, code=2)
    assert not (own_directory / "r").exists()


def test_unknown_runs_and_matches_are_named():
    typed(*MATRIX)
    assert "'9'" in typed("replay", "r", 9, code=2)
    assert "'s'" in typed("replay", "s", code=2)


@pytest.mark.parametrize(
    ("words", "module"), [(["--film", "f.mp4"], "imageio_ffmpeg"), (["--window"], "pygame")]
)
def test_a_missing_extra_says_how_to_install_it(words, module, monkeypatch):
    typed(*MATRIX)
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == module:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'gymposium[ui]'" in typed("replay", "r", *words, code=2)
