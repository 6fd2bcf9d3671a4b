"""The window, on SDL's dummy driver: pause, steps to and fro, and leaving."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.arenas.viewer.board import board
from gymposium.arenas.viewer.window import Window

from .test_screens import scene


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    window = Window(fps=1000)
    yield window
    pygame.display.quit()


def press(*keys):
    import pygame

    for key in keys:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=getattr(pygame, f"K_{key}")))


def shows(step):
    import pygame

    pixels = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    return np.array_equal(pixels, board(scene(step)))


def test_scenes_follow_each_other(window):
    for step in range(3):
        assert window.show(scene(step))
        assert shows(step)


def test_q_and_escape_leave(window):
    for key in ("q", "ESCAPE"):
        window.show(scene(0))
        press(key)
        assert not window.show(scene(1))


def test_closing_the_window_leaves(window):
    import pygame

    window.show(scene(0))
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.show(scene(1))


def test_space_pauses_and_the_right_arrow_goes_on_by_one_step(window):
    window.show(scene(0))
    press("SPACE", "RIGHT")
    assert window.show(scene(1))
    assert window.paused
    press("RIGHT")
    assert window.show(scene(2))
    assert window.paused
    press("SPACE")
    assert window.show(scene(3))
    assert not window.paused


def test_the_left_arrow_shows_earlier_scenes_and_the_right_one_comes_back(window, monkeypatch):
    drawn = []
    draw = window._draw

    def noting():
        draw()
        drawn.append(next(step for step in range(5) if shows(step)))

    monkeypatch.setattr(window, "_draw", noting)
    for step in range(3):
        window.show(scene(step))
    press("LEFT", "LEFT", "RIGHT", "RIGHT", "RIGHT", "RIGHT")
    drawn.clear()
    assert window.show(scene(3))
    assert drawn == [3, 2, 1, 2, 3]  # a further step to the right goes on with the match


def test_the_window_opens_again_for_the_next_match(window, monkeypatch):
    import gymposium.arenas.viewer.window as module

    monkeypatch.setattr(module, "_LINGER_SECONDS", 0)
    for _ in range(2):
        assert window.show(scene(0))
        window.end()
    window.end()
