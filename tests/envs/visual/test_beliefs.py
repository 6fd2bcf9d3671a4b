"""Beliefs of grids: three ways to write one state, exact scores, hostile text, templates."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.visual.beliefs import (
    FROZEN_LAKE,
    SOKOBAN,
    Relation,
    Repetition,
    from_drawing,
    from_json,
    relation,
    score,
    world_modeling_reward,
)

LEGEND = {
    "P": ["player"],
    "X": ["box"],
    "O": ["target"],
    "√": ["box", "target"],
    "S": ["player", "target"],
}
relations = st.lists(
    st.builds(
        Relation,
        st.sampled_from(["target", "hole", "box"]),
        st.sampled_from(["above", "below", "same", None]),
        st.sampled_from(["left", "right", "same", None]),
    ),
    max_size=6,
)
known = relations.map(lambda found: [each for each in found if None not in each])


def test_a_drawing_coordinates_and_a_list_say_the_same() -> None:
    drawn = from_drawing("# # # #\n# P _ O\n# _ X _", LEGEND)
    assert drawn == [Relation("target", "same", "right"), Relation("box", "below", "right")]
    assert from_json('{"player": (1, 1), "target": (1, 3), "box": (2, 2)}') == drawn
    listed = [
        {"object_id": f"{r.kind}_1", "vertical_relation": r.vertical}
        | {"horizontal_relation": r.horizontal}
        for r in drawn
    ]
    assert from_json(json.dumps(listed)) == drawn


def test_a_box_on_a_target_is_both_and_so_is_a_player_on_one() -> None:
    found = from_drawing("P√", LEGEND)
    assert found == [Relation("box", "same", "right"), Relation("target", "same", "right")]
    assert from_drawing("S_", LEGEND) == [Relation("target", "same", "same")]


def test_a_list_of_places_is_as_many_things() -> None:
    found = from_json('{"player": [0, 0], "hole": [[1, 0], [0, 1]]}')
    assert found == [Relation("hole", "below", "same"), Relation("hole", "same", "right")]


@pytest.mark.parametrize("text", ["", "PP", "[[", '{"box": [1, 2]}', '{"player": [1, true]}', "7"])
def test_what_is_no_belief_is_none(text: str) -> None:
    assert from_json(text) is None
    assert from_drawing(text, LEGEND) is None


@settings(max_examples=200, deadline=None)
@given(st.text() | st.text(alphabet='[]{}(),:"01 playerbox'))
def test_any_text_can_be_read(text: str) -> None:
    from_json(text)
    from_drawing(text, LEGEND)
    from_json("[" * 3000 + text)


@settings(deadline=None)  # the first example imports scipy
@given(believed=relations, true=known, seed=st.randoms(use_true_random=False))
def test_scores_lie_in_0_to_1_do_not_mind_order_and_are_1_for_the_truth(
    believed: list[Relation], true: list[Relation], seed: object
) -> None:
    for weights, partly in ((FROZEN_LAKE, True), (SOKOBAN, False)):
        scored = score(believed, true, weights, partly=partly)
        assert 0 <= scored <= 1
        other = [*believed]
        seed.shuffle(other)  # type: ignore[attr-defined]
        assert score(other, true, weights, partly=partly) == pytest.approx(scored)
        assert score(true, true, weights, partly=partly) == pytest.approx(1)


def test_one_axis_right_is_half_in_frozen_lake_and_nothing_in_sokoban() -> None:
    true = [relation("target", (2, 2), (0, 3))]
    half = [Relation("target", "above", None)]
    assert score(half, true, FROZEN_LAKE, partly=True) == 0.5
    assert score(half, true, SOKOBAN) == 0


def test_nothing_said_of_something_is_0_and_saying_it_twice_costs_precision() -> None:
    true = [relation("target", (2, 2), (0, 3))]
    assert score([], true, FROZEN_LAKE, partly=True) == 0
    assert score(true, [], FROZEN_LAKE, partly=True) == 0
    assert score([], [], FROZEN_LAKE, partly=True) == 1
    assert score(true * 2, true, FROZEN_LAKE, partly=True) == pytest.approx(2 / 3)


def test_kinds_are_weighed_over_those_there_are() -> None:
    target, hole = relation("target", (1, 1), (0, 0)), relation("hole", (1, 1), (3, 3))
    assert score([target], [target, hole], FROZEN_LAKE, partly=True) == pytest.approx(0.7)
    assert score([target], [target], FROZEN_LAKE, partly=True) == 1


def test_things_are_matched_so_that_the_most_is_right() -> None:
    exact, near = Relation("hole", "above", "left"), Relation("hole", "above", "right")
    # Whoever matches the first thing said with the first thing there gets 1/2 + 1/2 of 2.
    said = [Relation("hole", "above", None), exact]
    assert score(said, [exact, near], FROZEN_LAKE, partly=True) == pytest.approx(0.75)


def test_a_template_is_fined_when_it_is_frequent_and_wrong() -> None:
    rule = Repetition(top=1)
    assert rule.settle("all the same", 0.0) == 0.0
    assert rule.settle("all the same", 0.0) == -0.1
    assert rule.settle("all the same", 0.35) == 0.35
    assert rule.settle("something else", 0.0) == 0.0


def test_rare_texts_are_forgotten() -> None:
    rule = Repetition(top=5, kept=2)
    for text in ("a", "a", "b", "b", "c"):
        rule.settle(text, 1.0)
    assert rule.settle("c", 0.0) == 0.0
    assert rule.settle("a", 0.0) == -0.1


def test_beliefs_earn_half_each_and_nothing_without_the_format() -> None:
    assert world_modeling_reward(1.0, 0.5, correct=True) == 0.75
    assert world_modeling_reward(1.0, 1.0, correct=False) == 0
