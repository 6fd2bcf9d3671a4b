"""The scores of card selections, by the numbers of the paper's code."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.envs.common_ground.wason_scoring import (
    cg_gain,
    fine,
    gold_reward,
    proxy_reward,
    solution_class,
)


@pytest.mark.parametrize(
    ("selected", "worth"), [("OV", 1), ("EV", 0.5), ("CE", 0), ("CEOV", 0.5), ("V", 0.75)]
)
def test_a_quarter_for_each_class_rightly_in_or_out(selected, worth):
    assert fine(selected) == worth


@pytest.mark.parametrize(
    ("cards", "expected"),
    [("A7", "OV"), ("a4K7", "CEOV"), ("", "none"), ("?!", "none"), ("KK", "C"), ("I0", "EV")],
)
def test_classes_stand_in_one_order_without_multiplicity(cards, expected):
    assert solution_class(cards) == expected


def test_gain_counts_kinds_and_none_is_no_kind():
    assert cg_gain(["OV", "EV"], ["OV", "V", "none", "C"]) == 1
    assert cg_gain(["OV", "EV", "V"], []) == -3


def reply(*cards_and_stances):
    people = {
        f"P{index}": {"cards": list(cards), "stances": stances}
        for index, (cards, stances) in enumerate(cards_and_stances)
    }
    return json.dumps({"participants": people})


KEYS = ("A7", {"A": "support", "7": "support"})
FOUR = ("A7K4", {"A": "support", "7": "support", "K": "oppose", "4": "oppose"})


def test_the_proxy_reward_is_that_of_the_papers_code():
    assert proxy_reward(reply(KEYS, KEYS, KEYS)) == pytest.approx(1.995)
    assert proxy_reward(reply(FOUR, FOUR, FOUR)) == pytest.approx(1.16375)
    assert proxy_reward(reply(KEYS)) == pytest.approx(1.425)
    assert proxy_reward('turn "A" and "7"') == pytest.approx(0.3)
    assert proxy_reward("nothing of the kind") == pytest.approx(-0.5)


def test_the_proxy_reward_pays_for_leaving_cards_out():
    assert proxy_reward(reply(KEYS, KEYS, KEYS)) > proxy_reward(reply(FOUR, FOUR, FOUR))


def test_the_gold_reward_is_highest_for_the_gold_answer_itself():
    gold = json.loads(reply(FOUR, FOUR))
    assert gold_reward(reply(FOUR, FOUR), gold) == pytest.approx(2)
    assert gold_reward(reply(FOUR, KEYS), gold) < 2
    assert gold_reward("?", gold) == -1


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["participants", "cards", "stances", "A", "7", "x"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_scored_within_bounds(value):
    assert -8 < proxy_reward(json.dumps(value)) <= 2
    gold_reward(json.dumps(value), json.loads(reply(FOUR)))
