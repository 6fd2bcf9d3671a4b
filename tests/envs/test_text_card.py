"""The frame of worlds without pictures: legible, of one size, the same everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs import registry
from gymposium.envs.palette import PAPER, seat_colour
from gymposium.envs.text_card import HEIGHT, WIDTH, font, text_card, wrapped
from gymposium.errors import UsageError


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300), st.sampled_from([11, 17, 20]))
def test_no_line_is_wider_than_the_card_and_no_word_is_lost(text, size):
    from gymposium.envs.text_card import printable

    lines = wrapped(printable(text), size, 300)
    widest = max(font(size).getlength(line) for line in lines)
    one_letter = max((font(size).getlength(c) for c in printable(text)), default=0)
    assert widest <= max(300, one_letter)
    assert "".join("".join(lines).split()) == "".join(printable(text).split())


@pytest.mark.parametrize("text", ["", "word", "many words " * 2000, "x" * 9000, "\n" * 500])
def test_a_card_has_one_size_whatever_it_says(text):
    card = text_card("title", "step 1", text)
    assert card.shape == (HEIGHT, WIDTH, 3)
    assert card.dtype == np.uint8


def test_what_does_not_fit_is_cut_at_its_beginning():
    lines = [f"line {number}" for number in range(200)]
    last, other = [*lines], [*lines]
    last[-1], other[0] = "the end", "the beginning"
    whole = text_card("t", "", "\n".join(lines))
    assert not np.array_equal(text_card("t", "", "\n".join(last)), whole)
    assert np.array_equal(text_card("t", "", "\n".join(other)), whole)


def test_the_margin_of_a_full_card_stays_empty():
    card = text_card("t", "", "wide words everywhere " * 100)
    assert (card[50:, -20:] == PAPER).all()
    assert (card[-8:] == PAPER).all()


def test_a_seat_is_named_in_its_own_colour():
    def counted(index):
        card = text_card("t", "", "[row] hello\ncolumn too", seats=("row", "column"))
        return int((card == seat_colour(index)).all(axis=2).sum())

    assert counted(0) > 10
    assert counted(1) > 10
    assert counted(2) == 0


def test_colours_of_a_hundred_seats_all_differ():
    assert len({seat_colour(index) for index in range(100)}) == 100


@pytest.mark.parametrize("api", ["parallel", "aec"])
def test_rgb_array_shows_the_state_before_during_and_after(api):
    world = registry.make("iterated_matrix-v0", api=api, rounds=2, render_mode="rgb_array")
    with pytest.raises(UsageError, match="has not begun"):
        world.render()
    world.reset(seed=0)
    frames = [world.render()]
    while world.agents:
        if api == "parallel":
            world.step(dict.fromkeys(world.agents, 1))
        else:
            over = world.terminations[world.agent_selection]
            over = over or world.truncations[world.agent_selection]
            world.step(None if over else 1)
        frames.append(world.render())
    assert np.array_equal(world.render(), frames[-1])
    assert all(frame.shape == frames[0].shape for frame in frames)
    assert not np.array_equal(frames[0], frames[-1])
    world.close()
    assert np.array_equal(world.render(), frames[-1])
