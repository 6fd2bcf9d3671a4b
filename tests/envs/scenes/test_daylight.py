"""Prisms as solids, and the light of a sky, held against what must be so."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.scenes import solids
from gymposium.envs.scenes.camera import Camera, Light, look
from gymposium.envs.scenes.daylight import Day, soft_look
from gymposium.envs.scenes.solids import Solids, about_z

FLAT = Light(sun=(0.0, 0.0, 1.0))
CAMERA = Camera((6.0, 1.0, 4.0), (-6.0, -1.0, -3.7), 40.0)
NOON = Day(sun=(0.0, 0.01, 1.0), rays=24)


def seen(kind, outline=None, turn=0.4, half=(1.0, 0.6, 0.8)):
    made = Solids()
    place = (0.2, -0.1, 0.3)
    made.add(kind, place, half, (200, 120, 80), turn=about_z(turn), outline=outline, thing=0)
    return look(made.scene(), CAMERA, FLAT, width=120, height=100)


def test_a_prism_over_a_rectangle_is_the_box():
    outline = [(-1, -0.6), (1, -0.6), (1, 0.6), (-1, 0.6)]
    box, prism = seen(solids.BOX), seen(solids.PRISM, outline)
    assert (box.things == prism.things).all()
    assert (box.things == 0).mean() > 0.1
    assert np.allclose(box.distance, prism.distance)
    assert np.abs(box.picture.astype(int) - prism.picture).max() <= 1


def test_a_prism_of_many_sides_is_the_cylinder():
    angles = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    outline = np.stack([np.cos(angles), 0.6 * np.sin(angles)], axis=1)
    round_, prism = seen(solids.CYLINDER), seen(solids.PRISM, outline)
    assert (round_.things != prism.things).mean() < 0.002
    both = (round_.things == 0) & (prism.things == 0)
    assert np.allclose(round_.distance[both], prism.distance[both], atol=0.02)


def test_two_halves_of_a_cut_box_are_the_box():
    made = Solids()
    lower = [(-1, -0.6), (1, -0.6), (-1, 0.6)]
    upper = [(1, -0.6), (1, 0.6), (-1, 0.6)]
    for outline in (lower, upper):
        made.add(solids.PRISM, (0, 0, 0), (1, 0.6, 0.8), (9, 9, 9), outline=outline, thing=0)
    box = Solids()
    box.add(solids.BOX, (0, 0, 0), (1, 0.6, 0.8), (9, 9, 9), thing=0)
    halves, whole = (look(m.scene(), CAMERA, FLAT, width=120, height=100) for m in (made, box))
    assert np.allclose(halves.distance, whole.distance)
    assert (halves.things == whole.things).all()


def table(high=1.0, *, top=True):
    """A floor, and a board above the middle of it."""
    made = Solids()
    made.add(solids.BOX, (0, 0, -0.1), (6, 6, 0.1), (180, 180, 180), thing=0)
    if top:
        made.add(solids.BOX, (0, 0, high), (1, 1, 0.05), (180, 180, 180), thing=1)
    return made.scene()


def floor_light(scene, day=NOON):
    """How bright the floor is below the board, and far from it."""
    camera = Camera((8.0, 0.0, 2.4), (-8.0, 0.0, -2.4), 30.0)
    view = soft_look(scene, camera, day, width=80, height=60)
    grey = view.picture.mean(axis=2)
    return grey[30, 40], grey[56, 40]


def test_it_is_darker_beneath_a_board_and_the_darker_the_lower_it_is():
    shades = [floor_light(table(high))[0] for high in (0.5, 1.0, 1.8)]
    open_floor = floor_light(table(top=False))[0]
    assert shades[0] < shades[1] < shades[2] < open_floor - 10
    assert floor_light(table(1.0))[1] == pytest.approx(floor_light(table(top=False))[1], abs=6)


def test_open_ground_has_the_same_light_everywhere():
    view = soft_look(table(top=False), CAMERA, NOON, width=60, height=50)
    floor = view.picture[(view.things == 0) & (view.distance < 8)]
    assert np.ptp(floor, axis=0).max() <= 1


def test_shadows_of_the_sun_have_soft_edges():
    camera = Camera((0.0, 0.0, 12.0), (0.0, 0.01, -1.0), 40.0)
    day = Day(sun=(1.0, 0.0, 1.0), sky=(0, 0, 0), ground=(0.2, 0.2, 0.2), rays=40)
    view = soft_look(table(2.0), camera, day, width=90, height=90)
    row = np.where(view.things == 0, view.picture[..., 0], 0)[45, :45].astype(int)
    floor = row[row > 0]
    assert len(np.unique(floor)) > 4  # more than lit and unlit
    assert floor.max() > 1.5 * floor.min()


@pytest.mark.parametrize("fine", [1, 2, 3])
def test_equal_scenes_give_equal_bytes_however_finely_drawn(fine):
    one, two = (soft_look(table(), CAMERA, NOON, width=31, height=21, fine=fine) for _ in range(2))
    assert one.picture.shape == (21, 31, 3)
    assert one.things.shape == (21, 31)
    assert one.picture.tobytes() == two.picture.tobytes()


def test_nothing_is_the_colour_of_what_lies_beyond():
    day = NOON._replace(beyond=(10, 120, 230))
    view = soft_look(table(), Camera((6, 0, 1), (1, 0, 0.1), 40), day, width=9, height=9)
    assert (view.things == -1).all()
    assert (view.picture == (10, 120, 230)).all()
