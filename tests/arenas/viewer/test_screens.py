"""Films and the terminal show what happened, in the right order, and forget it again."""

from __future__ import annotations

import gc
import io
import tracemalloc

import imageio.v3 as iio
import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from gymposium.arenas.viewer.board import board, enlarged
from gymposium.arenas.viewer.film import Film
from gymposium.arenas.viewer.gif import GifFile
from gymposium.arenas.viewer.scenes import Scene, SeatLine
from gymposium.arenas.viewer.terminal import HalfBlocks, TerminalScreen, shrunk
from gymposium.errors import GymposiumError, UsageError

COLOURS = [(200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30), (30, 200, 200)]


def scene(step, *, seats=2, text="words", pictured=True, reason="", size=(40, 60)):
    picture = np.empty((*size, 3), np.uint8)
    picture[:] = COLOURS[step % len(COLOURS)]
    lines = tuple(SeatLine(f"seat_{n}", f"agent {n}", "jump", 1.0, step) for n in range(seats))
    return Scene("tiny-v0", step, picture, text, pictured, lines, reason)


def of_colour(frame, colour):
    """Share of the frame's upper left corner that is about this colour."""
    return (np.abs(frame[100:140, 40:80].astype(int) - colour).max(axis=2) < 24).mean()


@pytest.mark.parametrize("seats", [1, 2, 7, 12, 30])
def test_a_board_is_even_and_of_one_size_for_a_whole_match(seats):
    shapes = {
        board(scene(step, seats=seats, reason=reason, size=(41, 61))).shape
        for step, reason in ((0, ""), (7, ""), (12345, "it is over " * 30))
    }
    assert len(shapes) == 1
    height, width, _ = shapes.pop()
    assert height % 2 == width % 2 == 0


def test_a_board_shows_the_enlarged_frame_unchanged():
    frame = scene(3).picture
    frame[0, 0] = 9
    big = enlarged(frame)
    times = big.shape[0] // frame.shape[0]
    assert np.array_equal(big[::times, ::times], frame)
    shown = board(scene(3))[: big.shape[0], : big.shape[1]]
    assert (shown == big)[1 + times :].all()


def test_a_board_tells_two_actions_and_two_totals_apart():
    one, two = scene(1), scene(1)
    other = Scene(*(getattr(two, name) for name in Scene.__slots__[:5]), seats=two.seats[::-1])
    assert not np.array_equal(board(one), board(other))


def test_agents_with_odd_names_and_endless_words_fit():
    seats = (SeatLine("s" * 300, "名前\n\x1b[31m" * 40, "x" * 5000, 1e300, -1e-300),)
    made = Scene("w" * 90, 1, scene(0).picture, "", True, seats, "é" * 900)
    assert board(made).shape == board(scene(0, seats=1)).shape


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_film_holds_every_scene_in_order_and_then_the_last(suffix, tmp_path):
    film = Film(tmp_path / "new" / f"film{suffix}", fps=10)
    for step in range(4):
        assert film.show(scene(step))
    film.end()
    film.end()
    frames = iio.imread(film.path, plugin="pillow" if suffix == ".gif" else "FFMPEG")
    for step in range(4):
        assert of_colour(frames[step], COLOURS[step]) == 1
    assert of_colour(frames[-1], COLOURS[3]) == 1
    if suffix == ".mp4":
        assert len(frames) == pytest.approx(4 + 20, abs=2)


def frames_of(path):
    """Frames and how long each is shown, in milliseconds."""
    with Image.open(path) as gif:
        for number in range(gif.n_frames):
            gif.seek(number)
            yield np.asarray(gif.convert("RGB")), gif.info["duration"]


def test_a_gif_is_exact_to_the_pixel_and_to_the_hundredth_of_a_second(tmp_path):
    rng = np.random.default_rng(0)
    palette = rng.integers(0, 256, (200, 3), dtype=np.uint8)
    shown = [palette[rng.integers(0, 200, (20, 30))]]
    for _ in range(6):
        shown.append(shown[-1].copy())
        top, left = rng.integers(0, 15, 2)
        shown[-1][top : top + 5, left : left + 9] = palette[rng.integers(0, 200, (5, 9))]
    gif = GifFile(tmp_path / "x.gif", fps=10)
    for picture in shown:
        gif.add(picture)
    gif.add(shown[-1], 20)
    gif.close()
    frames = list(frames_of(tmp_path / "x.gif"))
    assert [duration for _, duration in frames] == [100] * 6 + [2100]
    assert all(np.array_equal(frame, was) for (frame, _), was in zip(frames, shown, strict=True))
    with Image.open(tmp_path / "x.gif") as opened:
        assert opened.info["loop"] == 0


def test_a_picture_of_too_many_colours_loses_only_shades(tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    gif = GifFile(tmp_path / "x.gif", fps=5)
    gif.add(picture)
    gif.close()
    ((frame, _),) = frames_of(tmp_path / "x.gif")
    assert np.abs(frame.astype(int) - picture).max() < 64


def test_a_film_of_nothing_leaves_no_file(tmp_path):
    Film(tmp_path / "film.gif", fps=5).end()
    assert list(tmp_path.iterdir()) == []


def test_other_suffixes_and_places_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"\.gif or \.mp4, not 'film\.avi'"):
        Film(tmp_path / "film.avi", fps=5)
    for suffix in (".gif", ".mp4"):
        refuses_a_folder_of_its_name(tmp_path / f"film{suffix}")


def refuses_a_folder_of_its_name(path):
    path.mkdir()
    film = Film(path, fps=5)
    many = (film.show(scene(step, size=(400, 400))) for step in range(500))
    with pytest.raises(GymposiumError, match="cannot be written"):
        list(many)
    film.end()


def test_filming_fifty_matches_keeps_memory_flat(tmp_path, monkeypatch):
    monkeypatch.setattr("gymposium.arenas.viewer.board.HEIGHT", 40)
    after = []
    tracemalloc.start()
    for match in range(50):
        film = Film(tmp_path / "film.gif", fps=1)
        film.show(scene(match))
        film.end()
        if match in (9, 49):
            gc.collect()
            after.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    one_frame = board(scene(0)).nbytes
    assert after[1] - after[0] < one_frame / 4


def test_a_long_film_holds_one_frame_in_memory(tmp_path):
    frame = board(scene(0)).nbytes
    peaks = []
    for steps in (5, 50):
        film = Film(tmp_path / f"{steps}.mp4", fps=30)
        tracemalloc.start()
        for step in range(steps):
            film.show(scene(step))
        film.end()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + frame


def test_half_blocks_hold_two_pixels_a_character():
    picture = np.zeros((4, 3, 3), np.uint8)
    picture[:] = np.arange(36).reshape(4, 3, 3)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=80)
    console.print(HalfBlocks(picture, 80, 24))
    drawn = console.file.getvalue()
    assert drawn.count("▀") == 2 * 3
    assert "38;2;0;1;2;48;2;9;10;11m" in drawn
    assert "38;2;24;25;26;48;2;33;34;35m" in drawn


@pytest.mark.parametrize(("width", "height"), [(80, 40), (10, 10), (3, 200), (200, 2)])
def test_a_picture_is_shrunk_to_fit_and_never_enlarged(width, height):
    small = shrunk(scene(0, size=(50, 70)).picture, width, height)
    assert small.shape[0] <= max(2, min(50, height))
    assert small.shape[1] <= min(70, width)
    assert small.shape[0] % 2 == 0
    assert (small == COLOURS[0]).all()


@pytest.mark.parametrize("pictured", [True, False])
def test_the_terminal_shows_a_picture_or_else_the_words(pictured):
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    screen = TerminalScreen(fps=1000, console=console)
    screen.show(scene(0, text="\x1b[2Jin words", pictured=pictured))
    screen.show(scene(1, text="in other words", pictured=pictured, reason="All is said."))
    screen.end()
    drawn = console.file.getvalue()
    assert ("▀" in drawn) == pictured
    assert ("in other words" in drawn) == (not pictured)
    assert "\x1b[2J" not in drawn
    assert "agent 1" in drawn
    assert "All is said." in drawn
