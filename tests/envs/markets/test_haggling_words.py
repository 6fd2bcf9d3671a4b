"""Haggling in words: what is said is what is meant, or a sentence that helps."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gymposium.envs.markets.haggling import Haggling
from gymposium.errors import IllegalAction

OFFER, ACCEPT, QUIT = 0, 1, 2
WORLDS = {goods: Haggling(goods=goods, opening="buyer") for goods in (1, 2, 3, 8)}


def second_turn(goods, price):
    """The seller's first turn, with the buyer's offer of ``price`` per good on the table."""
    world = WORLDS[goods]
    world.reset(0)
    offer = price if goods == 1 else np.full(goods, price)
    return world.step({"buyer": {"move": OFFER, "price": offer, "say": ""}})["seller"]


TURN = {goods: second_turn(goods, 7) for goods in WORLDS}
EMPTY = {goods: world.reset(0)["buyer"] for goods, world in WORLDS.items()}


def read(text, goods=1, turn=None):
    turn = turn or TURN[goods]
    return WORLDS[goods].parse(turn.seat, text, turn.observation, turn.info)


def meaning(action):
    return action["move"], np.atleast_1d(action["price"]).tolist()


def same(a, b):
    return meaning(a) == meaning(b) and a["say"] == b["say"]


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ('{"move": "offer", "price": 12}', 12),
        ('{"move": "offer", "price": 12, "say": "Take it."}', 12),
        ('{"price": 12}', 12),
        ('{"move": "Offer", "price": "$12"}', 12),
        ('{"move": "offer $12"}', 12),
        ('{"action": "offer", "price": 12.0}', 12),
        ('{"action": {"move": "offer", "price": 12}}', 12),
        ('{"offer": 12}', 12),
        ("{'move': 'offer', 'price': 12,}", 12),
        ('```json\n{"move": "offer", "price": 12}\n```', 12),
        ('Here is my move: {"move": "offer", "price": 12} Thanks!', 12),
        ('<think>7 is too low</think>{"move": "offer", "price": 12}', 12),
        ("offer 12", 12),
        ("OFFER: 12", 12),
        ("**offer 12**", 12),
        ("$12", 12),
        ("12", 12),
        ("12 dollars", 12),
        ("- 12", 12),
        ("I offer $12.", 12),
        ("I'd pay 12 dollars for it", 12),
        ("How about 12?", 12),
        ("I reject your offer of 7 and offer 12.", 12),
        ("7 is too low. I propose 12", 12),
        ("I don't accept. My price is 12.", 12),
        ("0", 0),
        ("20", 20),
    ],
)
def test_an_offer_in_many_dresses(text, price):
    assert meaning(read(text)) == (OFFER, [price])


@pytest.mark.parametrize(
    "text",
    [
        '{"move": "accept"}',
        '{"move": "accept", "price": null}',
        '{"move": "accept", "price": "whatever"}',
        '{"move": "ACCEPT."}',
        "accept",
        "I accept",
        "I accept.",
        "**Accept**",
        "Deal!",
        "Agreed.",
        "I'll take it",
        "I’ll take it",
        "I accept your offer of 7",
        "I accept $7.",
    ],
)
def test_an_acceptance_in_many_dresses(text):
    assert read(text)["move"] == ACCEPT


@pytest.mark.parametrize(
    "text",
    ['{"move": "quit"}', '{"move": "walk away"}', "quit", "I quit.", "No deal.", "I walk away"],
)
def test_a_refusal_to_go_on_in_many_dresses(text):
    assert read(text)["move"] == QUIT


@pytest.mark.parametrize(
    ("text", "helps"),
    [
        ("", '"offer" and a price'),
        ("hello there", '"offer" and a price'),
        ("I do not accept", '"offer" and a price'),
        ("I won't take it", '"offer" and a price'),
        ("21", "from 0 to 20"),
        ("-3", "from 0 to 20"),
        ("offer 12.50", "whole number"),
        ("between 10 and 12", "one price"),
        ("I would accept 14", "whether you accept or offer"),
        ("offer", '"offer" and a price'),
        ('{"move": "offer"}', '"price"'),
        ('{"move": "offer", "price": true}', "whole number"),
        ('{"move": "offer", "price": 1e999}', "from 0 to 20"),
        ('{"move": "offer", "price": NaN}', "from 0 to 20"),
        ('{"move": "dance"}', '"offer", "accept" or "quit"'),
        ('{"move": ["offer"]}', '"offer", "accept" or "quit"'),
        ('{"say": "hello"}', '"move" is missing'),
        ('{"move": "accept", "say": 3}', '"say" must be a text'),
        ("9" * 5000, "from 0 to 20"),
        ("{" * 50_000, '"offer" and a price'),
    ],
)
def test_what_is_unclear_or_illegal_is_refused_with_a_sentence_that_helps(text, helps):
    with pytest.raises(IllegalAction) as refused:
        read(text)
    assert helps in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("text", ["accept", '{"move": "accept"}', "I accept."])
def test_nothing_can_be_accepted_before_there_is_an_offer(text):
    with pytest.raises(IllegalAction, match="no offer on the table"):
        read(text, turn=EMPTY[1])


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ('{"move": "offer", "price": {"lamp": 12, "chair": 5, "clock": null}}', [12, 5, 21]),
        ('{"move": "offer", "price": {"lamp": 12, "chair": 5}}', [12, 5, 21]),
        ('{"prices": {"Lamp": "$12"}}', [12, 21, 21]),
        ('{"move": "offer", "price": [12, 5, null]}', [12, 5, 21]),
        ("lamp 12, chair 5, clock 3", [12, 5, 3]),
        ("I offer $12 for the lamp: lamp 12; chair for 5", [12, 5, 21]),
        ("offer 12, 5 and 3", [12, 5, 3]),
        ("12,5,3", [12, 5, 3]),
    ],
)
def test_several_goods_are_priced_by_name_or_in_order(text, prices):
    assert meaning(read(text, goods=3)) == (OFFER, prices)


@pytest.mark.parametrize(
    "text", ["12", '{"price": 12}', '{"price": {"car": 3}}', '{"price": [1, 2]}', "lamp 50"]
)
def test_several_goods_need_several_prices(text):
    with pytest.raises(IllegalAction):
        read(text, goods=3)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(WORLDS)))
def test_parse_gives_back_every_action_that_format_wrote(data, goods):
    world, turn = WORLDS[goods], TURN[goods]
    space = turn.action_space
    top = world.params.top
    one = st.integers(0, top if goods == 1 else top + 1)
    price = one if goods == 1 else st.lists(one, min_size=goods, max_size=goods).map(np.array)
    say = st.text(st.sampled_from(space["say"].character_list), max_size=200)
    action = {
        "move": data.draw(st.integers(0, 2)),
        "price": data.draw(price),
        "say": data.draw(say),
    }
    assert space.contains(action)
    back = world.parse("seller", world.format("seller", action), turn.observation, turn.info)
    assert same(back, action)
    assert space.contains(back)
    jsonschema.validate(tidy(json.loads(world.format("seller", action))), turn.schema)


def tidy(said):
    """The part of a written action that means something: only an offer has a price."""
    return said if said["move"] == "offer" else {k: v for k, v in said.items() if k != "price"}


PIECES = st.sampled_from(
    ['{"move":', '"offer"', '"price":', "12", "accept", "not", "quit", "$", "}", "{", "[", ",",
     "lamp", "null", "1e999", "-", "deal", "```", "<think>", '"say":', "\\u0000", "·", "१२"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=14).map(" ".join)),
    st.sampled_from(sorted(WORLDS)),
    st.booleans(),
)
@example('{"move": "offer", "price": {}}', 1, True)
@example('{"move": {"move": {}}}', 3, True)
@example("[" * 30_000, 1, True)
def test_any_text_is_a_legal_action_or_an_illegal_action_error(text, goods, answered):
    turn = TURN[goods] if answered else EMPTY[goods]
    try:
        action = read(text, goods, turn)
    except IllegalAction:
        return
    assert turn.action_space.contains(action)
    assert answered or action["move"] != ACCEPT


def test_the_schema_admits_what_the_mask_admits():
    for turn, moves in ((EMPTY[1], {"offer", "quit"}), (TURN[1], {"offer", "accept", "quit"})):
        validator = jsonschema.Draft202012Validator(turn.schema)
        admitted = {
            move
            for move in ("offer", "accept", "quit", "dance")
            if validator.is_valid({"move": move, **({"price": 3} if move == "offer" else {})})
        }
        assert admitted == moves
        assert not validator.is_valid({"move": "offer"})
        assert not validator.is_valid({"move": "offer", "price": 21})
        assert validator.is_valid({"move": "quit", "say": "Bye."})


def test_what_cannot_be_said_is_left_out_and_long_speech_is_cut():
    action = read(json.dumps({"move": "quit", "say": "Hé\nllo\u0000 🙂 “you”" + "x" * 300}))
    assert action["say"].startswith("Hé llo “you”x")
    assert len(action["say"]) == 200
    assert TURN[1].action_space.contains(action)


def test_plain_speech_is_not_passed_on_to_the_other_side():
    assert read("My limit is secret, but I offer 12")["say"] == ""


def test_the_turn_tells_all_that_matters():
    world = Haggling(values=(14,), costs=(6,), rounds=2, opening="buyer")
    turn = world.reset(0)["buyer"]
    assert "worth 14 to you" in turn.text
    assert "no offer on the table" in turn.text
    assert "You have 2 turns left" in turn.text
    offer = {"move": OFFER, "price": 9, "say": 'Hm, "nine".'}
    turn = world.step({"buyer": offer})["seller"]
    assert "costs you 6" in turn.text
    assert "The buyer offers a price of 9." in turn.text
    assert 'The buyer says: "Hm, "nine"."' in turn.text
    turn = world.step({"seller": None})["buyer"]
    assert "your last turn; the seller can still answer" in turn.text
    turn = world.step({"buyer": offer})["seller"]
    assert "last turn of all" in turn.text


@pytest.mark.parametrize("goods", [1, 3])
@pytest.mark.parametrize("seat", ["buyer", "seller"])
def test_the_rules_show_answers_that_really_parse(goods, seat):
    world, turn = WORLDS[goods], TURN[goods]
    last = world.seats[seat].rules.splitlines()[-1]
    examples = last.removeprefix("Answer like this: ").rstrip(".").split(" or ")
    moves = [world.parse("seller", text, turn.observation, turn.info)["move"] for text in examples]
    assert moves == [OFFER, ACCEPT, QUIT]
