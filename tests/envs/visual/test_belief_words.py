"""Sentences about a grid, and what they are read as."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.visual.belief_words import coverage, from_words
from gymposium.envs.visual.beliefs import Relation

WORDS = ["player", "box", "target", "above", "left", "not", ",", ".", "and", "is", "same row", "i"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The box is above and to the left of the player.", [("box", "above", "left")]),
        ("The player is above the box.", [("box", "below", None)]),
        ("Above me there is a hole", [("hole", "above", None)]),
        ("The goal is in the same row, to the right of me", [("target", "same", "right")]),
        ("The box is north-east of the player", [("box", "above", "right")]),
        ("The target is at the same place as the player", [("target", "same", "same")]),
        (
            "The target is below the player, and the box is to the right.",
            [("target", "below", None), ("box", None, "right")],
        ),
        (
            "I am left of the box and below the target",
            [("box", None, "right"), ("target", "above", None)],
        ),
        ("The box is above the target", []),
        ("The box is not above the player but left of it", [("box", None, "left")]),
        ("The box is left or right of the player, below it", [("box", "below", None)]),
        ("There is a box and a target somewhere.", []),
    ],
)
def test_a_sentence_is_read_as_what_it_says(text: str, expected: list[tuple[str, ...]]) -> None:
    assert from_words(text) == [Relation(*each) for each in expected]


def test_every_plain_relation_is_read_from_either_side() -> None:
    other = {"above": "below", "below": "above", "left": "right", "right": "left"}
    for kind, vertical, horizontal in product(
        ("box", "target", "hole"), ("above", "below"), ("left", "right")
    ):
        true = [Relation(kind, vertical, horizontal)]
        assert from_words(f"The {kind} is {vertical} and {horizontal} of the player") == true
        turned = f"The player is {other[vertical]} and {other[horizontal]} of the {kind}."
        assert from_words(turned) == true


def test_coverage_is_the_share_of_axes_something_was_said_about() -> None:
    assert coverage(from_words("The box is above the player. The hole is above left of me")) == 0.75
    assert coverage([]) == 0


@settings(max_examples=200, deadline=None)
@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_text_can_be_read(text: str) -> None:
    for each in from_words(text):
        assert each.kind in ("box", "target", "hole")
        assert each.vertical in ("above", "below", "same", None)
        assert each.horizontal in ("left", "right", "same", None)
