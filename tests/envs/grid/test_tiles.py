"""Pictures of grid worlds: every pixel where the codes say, against a plain twin."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.grid.state import HEADING_SHIFT, OTHER, SELF
from gymposium.envs.grid.tiles import SIZE, Tiles, _sheet, seat_sprites, sprite
from gymposium.envs.palette import seat_colour
from gymposium.errors import UnknownName, UsageError

GRID_WORLDS = [spec.id for spec in registry.specs() if "grid" in spec.tags]
every_grid_world = pytest.mark.parametrize("id", GRID_WORLDS)


def played(id, steps=12, **params):
    world = registry.make_world(id, **params)
    turns = world.reset(3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        turns = world.step({s: int(rng.integers(t.action_space.n)) for s, t in turns.items()})
    return world, turns


@every_grid_world
def test_every_item_of_every_world_has_a_sprite_of_its_own(id):
    game = registry.make_world(id).game
    assert len(game.sprites) == len(game.items)
    bare = ("empty", "spawn point")
    shown = [n for n in game.items[: game.holdings] if n not in bare and not n.endswith(" beam")]
    assert len({sprite(name).tobytes() for name in shown}) == len(shown)


def test_sprites_are_eight_by_eight():
    for name, (rows, _) in _sheet().items():
        assert [len(row) for row in rows] == [SIZE] * SIZE, name


def test_an_unknown_sprite_is_named():
    with pytest.raises(UnknownName, match="appel"):
        Tiles(["empty", "appel"])


def test_a_seat_looks_where_it_is_headed():
    pixels, covers = seat_sprites(seat_colour(0))
    pupils = (pixels == [0x16, 0x18, 0x1C]).all(-1) & covers
    centres = [np.argwhere(each).mean(0) - 3.5 for each in pupils]
    for turn, (down, right) in enumerate([(-1, 0), (0, -1), (1, 0), (0, 1)]):
        assert centres[turn] @ [down, right] > 1
        assert abs(centres[turn] @ [right, down]) < 0.01


@every_grid_world
def test_a_view_is_the_sprites_of_its_codes_with_seats_upon_them(id):
    world, turns = played(id)
    tiles = Tiles(world.game.sprites)
    codes = np.stack([turn.observation for turn in turns.values()])
    pictures = tiles.view(codes)
    assert pictures.shape == (len(codes), 88, 88, 3)
    for picture, code in zip(pictures, codes, strict=True):
        for r, c in np.ndindex(11, 11):
            item, seat = (int(x) for x in code[r, c])
            cell = picture[8 * r : 8 * r + 8, 8 * c : 8 * c + 8]
            wanted = sprite(world.game.sprites[item]).copy()
            if seat & (SELF | OTHER):
                turn = 0 if seat & SELF else seat >> HEADING_SHIFT & 3
                look, cover = seat_sprites(seat_colour(2 if seat & SELF else 1))
                wanted[cover[turn]] = look[turn][cover[turn]]
            assert np.array_equal(cell, wanted)


@every_grid_world
def test_seats_that_look_are_given_the_picture(id):
    world, turns = played(id, steps=2)
    for turn in turns.values():
        (picture,) = turn.images
        assert np.array_equal(picture, Tiles(world.game.sprites).view(turn.observation))


@every_grid_world
def test_a_batch_of_views_becomes_a_batch_of_pictures(id):
    vector = registry.make_world(id).vector(3)
    codes, _ = vector.reset(seed=0)
    pictures = vector.rgb(codes)
    assert pictures.shape == (3, vector.num_agents, 88, 88, 3)
    assert pictures.dtype == np.uint8
    assert np.array_equal(pictures[1, 0], vector.rgb(codes[1, 0]))


@every_grid_world
def test_the_whole_map_is_drawn_with_everybody_on_it(id):
    world, _ = played(id, steps=0)
    state, grid = world._batch.state, world.game.grid
    frame = world.draw()
    side = frame.shape[0] // grid.height
    assert frame.shape == (grid.height * side, grid.width * side, 3)
    for number, cell in enumerate(state.cell[0]):
        row, column = divmod(int(cell) - 9 * grid.stride - 9, grid.stride)
        there = frame[row * side : (row + 1) * side, column * side : (column + 1) * side]
        assert (there == seat_colour(number)).all(-1).any()
    first = frame[:side:2, :side:2]
    top = world.global_state()[0, 0]
    if not top[1]:
        assert np.array_equal(first, sprite(world.game.sprites[top[0]]))


def test_beams_are_drawn_in_the_step_in_which_they_are_fired():
    world = registry.make_world("clean_up-v0", agents=1, spawn_positions=[[8, 10]])
    world.reset(0)
    frames = [world.draw().astype(int)]
    for action in (7, 8, 6):  # zap, clean, stay
        world.step({"agent_0": action})
        frames.append(world.draw().astype(int))
    bare, zapping, cleaning, after = frames
    assert np.array_equal(bare, after)
    for frame, more in ((zapping, (1, -1)), (cleaning, (-1, 1))):
        tinted = frame - bare
        lit = tinted.any(-1).reshape(19, 16, 28, 16).any((1, 3))
        assert lit.sum() == 4
        red, blue = tinted[..., 0].sum(), tinted[..., 2].sum()
        assert (red > blue) == (more == (1, -1))


def test_a_world_that_has_not_begun_has_no_frame():
    with pytest.raises(UsageError, match="before reset"):
        registry.make_world("harvest-v0").draw()
