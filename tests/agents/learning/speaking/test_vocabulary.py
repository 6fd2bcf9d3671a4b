"""The small language of speakers: what worlds read in it is what was meant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.learning.speaking.vocabulary import (
    SYMBOLS,
    TOKENS,
    belief,
    drawing_in,
    planes,
    text_of,
    tokens_of,
)
from gymposium.envs import registry
from gymposium.envs.visual.replies import written
from gymposium.envs.visual.strategies import STRATEGIES, read

SEAT = "player_0"


def test_there_are_some_sixty_tokens_and_none_twice():
    assert 50 <= len(TOKENS) <= 70


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, len(TOKENS) - 1), max_size=30))
def test_any_tokens_are_text_that_is_read_without_failing(tokens):
    text = text_of(tokens)
    assert text_of(tokens_of(text)) == text
    for strategy in STRATEGIES:
        read(text, strategy)


@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
@pytest.mark.parametrize("name", ["frozen_lake-v0", "sokoban-v0"])
def test_true_beliefs_in_these_tokens_score_one(name, representation):
    world = registry.make_world(
        name, representation=representation, strategy="state_estimation", shows="text"
    )
    for seed in range(25):
        turn = world.reset(seed)[SEAT]
        state = world.info(SEAT)["state"]
        assert drawing_in(turn.observation["text"]) == state["map"]
        parts = {"observation": belief(state, representation)}
        tokens = tokens_of(written("state_estimation", ["Up", "Left"], parts))
        world.step({SEAT: text_of(tokens)})
        metrics = world.info(SEAT)["turn_metrics"]
        assert metrics["format_correct"]
        assert metrics["grounding_reward"] == 1


def test_a_drawing_is_one_plane_a_symbol():
    seen = planes(["_O", "PG"])
    assert seen.sum() == 4
    assert seen.reshape(4, len(SYMBOLS)).argmax(1).tolist() == [SYMBOLS.index(c) for c in "_OPG"]
    assert seen.dtype == np.float32
