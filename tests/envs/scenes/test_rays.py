"""Pictures of solids, held against closed forms and a plain twin that asks every ray for each."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.scenes import solids
from gymposium.envs.scenes.camera import Camera, Light, look
from gymposium.envs.scenes.solids import Solids, about_z, along

FLAT = Light(sun=(0.0, 0.0, 1.0))


def twin(scene, camera, size):
    """Which solid each pixel's middle shows, and how far: every ray against every solid."""
    zoom = 0.5 * size / np.tan(np.radians(camera.view) / 2)
    pixels = np.arange(size) + 0.5
    ahead, right, up = camera.axes
    u, v = (pixels - size / 2) / zoom, (size / 2 - pixels) / zoom
    rays = ahead + u[None, :, None] * right + v[:, None, None] * up
    best, shown = np.full((size, size), np.inf), np.full((size, size), -1)
    for n in range(len(scene.kind)):
        o = scene.inverse[n] @ (np.array(camera.eye) - scene.centre[n])
        d = rays @ scene.inverse[n].T
        t = [box, cylinder, ball][scene.kind[n]](o, d)
        nearer = t < best
        best, shown = np.where(nearer, t, best), np.where(nearer, n, shown)
    return shown, best


def box(o, d):
    one, two = (-1 - o) / d, (1 - o) / d
    enter, leave = np.minimum(one, two).max(-1), np.maximum(one, two).min(-1)
    return np.where((enter <= leave) & (enter > 0), enter, np.inf)


def ball(o, d):
    a, b, c = (d * d).sum(-1), d @ o, o @ o - 1
    with np.errstate(invalid="ignore"):
        t = (-b - np.sqrt(b * b - a * c)) / a
    return np.where(np.isfinite(t) & (t > 0), t, np.inf)


def cylinder(o, d):
    a, b, c = d[..., 0] ** 2 + d[..., 1] ** 2, d[..., :2] @ o[:2], o[:2] @ o[:2] - 1
    with np.errstate(invalid="ignore"):
        t = (-b - np.sqrt(b * b - a * c)) / a
        side = np.where((np.abs(o[2] + t * d[..., 2]) <= 1) & (t > 0), t, np.inf)
    for z in (-1, 1):
        t = (z - o[2]) / d[..., 2]
        at = o[:2] + t[..., None] * d[..., :2]
        side = np.where(((at**2).sum(-1) <= 1) & (t > 0), np.minimum(side, t), side)
    return np.where(np.isfinite(side), side, np.inf)


@pytest.mark.parametrize("seed", range(4))
def test_each_pixel_shows_the_nearest_solid_that_its_ray_meets(seed):
    rng, made = np.random.default_rng(seed), Solids()
    for index in range(14):
        centre = rng.uniform(-2, 2, 3)
        half, paint = rng.uniform(0.1, 0.8, 3), tuple(rng.integers(0, 256, 3))
        turn = along((0, 0, 0), rng.normal(size=3))[2]
        made.add(index % 3, centre, half, paint, turn=turn, thing=index)
    camera = Camera((3.0, *rng.uniform(-1, 1, 2)), (-1.0, *rng.uniform(-0.3, 0.3, 2)), 80.0)
    view = look(made.scene(), camera, FLAT, width=48, height=48)
    shown, far = twin(made.scene(), camera, 48)
    assert (view.things == shown).all()
    assert np.allclose(view.distance[shown >= 0], far[shown >= 0])
    assert (shown >= 0).mean() > 0.2


def test_distance_is_along_the_axis_and_colour_is_that_of_the_face():
    made = Solids()
    made.add(solids.BOX, (5, 0, 0), (1, 2, 2), (255, 0, 0), thing=7)
    view = look(made.scene(), Camera((0, 0, 0), (1, 0, 0), 30), FLAT, width=9, height=9)
    assert np.allclose(view.distance, 4.0)
    assert (view.things == 7).all()
    assert (view.picture[..., 0] > 100).all()
    assert (view.picture[..., 1:] == 0).all()


def test_what_is_behind_the_camera_is_not_seen_and_what_crosses_it_is():
    made = Solids()
    made.add(solids.BOX, (-5, 0, 0), (1, 1, 1), (255, 0, 0), thing=0)
    made.add(solids.BOX, (0, 0, -2), (50, 50, 1), (0, 255, 0), thing=1)
    view = look(made.scene(), Camera((0, 0, 0), (1, 0, 0), 90), FLAT, width=20, height=20)
    assert (view.things[:9] == -1).all()
    assert (view.things[11:] == 1).all()


def test_right_is_right_and_up_is_up():
    made = Solids()
    made.add(solids.BALL, (0, 5, 0), (1, 1, 1), (9, 9, 9), thing=0)  # ahead is +y
    made.add(solids.BALL, (3, 5, 0), (1, 1, 1), (9, 9, 9), thing=1)
    made.add(solids.BALL, (0, 5, 3), (1, 1, 1), (9, 9, 9), thing=2)
    view = look(made.scene(), Camera((0, 0, 0), (0, 1, 0), 90), FLAT, width=60, height=60)
    middles = [np.argwhere(view.things == thing).mean(axis=0) for thing in range(3)]
    assert middles[1][1] > middles[0][1] + 10
    assert middles[2][0] < middles[0][0] - 10


def test_a_shadow_falls_away_from_the_sun_and_only_where_something_stands():
    made = Solids()
    made.add(solids.BOX, (0, 0, -1), (10, 10, 1), (200, 200, 200), casts=False)
    made.add(solids.BOX, (0, 0, 1), (1, 1, 1), (200, 0, 0))
    light = Light(sun=(-1, 0, 1), shade=0.4)
    camera = Camera((0, -8, 8), (0, 1, -1), 60)
    bright = look(made.scene(), camera, light._replace(shade=1.0), width=80, height=80).picture
    shaded = look(made.scene(), camera, light, width=80, height=80).picture
    darker = (bright.astype(int) - shaded).sum(axis=2) > 60
    floor = bright[..., 1] > 50
    columns = np.argwhere(darker & floor)[:, 1]
    assert len(columns) > 30
    assert columns.mean() > 45  # to the right, away from a sun on the left
    assert (darker & floor).mean() < 0.2


def test_edges_are_smoothed_with_the_colours_on_both_sides():
    made = Solids()
    made.add(solids.BALL, (5, 0, 0), (1, 1, 1), (255, 255, 255))
    light = Light(sun=(-1, 0, 0), sky=(0.0, 0.0, 0.0))
    picture = look(made.scene(), Camera((0, 0, 0), (1, 0, 0), 40), light, width=40, height=40)
    levels = np.unique(picture.picture[..., 0])
    assert levels[0] == 0
    assert ((levels > 20) & (levels < 130)).any()


def test_equal_scenes_give_equal_bytes():
    made = Solids()
    made.add(solids.CYLINDER, (3, 0, 0), (1, 1, 1), (9, 99, 199), turn=about_z(0.3))
    camera = Camera((0, 0, 0.5), (1, 0, 0), 60)
    one, two = (look(made.scene(), camera, FLAT, width=30, height=20) for _ in range(2))
    assert one.picture.shape == (20, 30, 3)
    assert (one.picture == two.picture).all()
