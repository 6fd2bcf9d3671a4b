"""Answers as people and language models really give them."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.speech import spelled
from gymposium.envs.words import parse_space
from gymposium.errors import IllegalAction

LABELS = ("cooperate", "defect")
FIRST, SECOND = 0, 1
MEANT = {
    # bare, in any case, with punctuation
    "cooperate": FIRST,
    "defect": SECOND,
    "Cooperate": FIRST,
    "DEFECT": SECOND,
    " defect ": SECOND,
    "defect\n": SECOND,
    "defect.": SECOND,
    "Defect!": SECOND,
    "cooperate,": FIRST,
    "...cooperate...": FIRST,
    "— defect": SECOND,
    "cooperate\u200b": FIRST,
    "ｄｅｆｅｃｔ": SECOND,
    # letters and numbers of the options
    "a": FIRST,
    "b": SECOND,
    "A": FIRST,
    "B.": SECOND,
    "b)": SECOND,
    "(b)": SECOND,
    "[b]": SECOND,
    "(A)": FIRST,
    "a:": FIRST,
    "B) defect": SECOND,
    "(b) defect": SECOND,
    "b. Defect": SECOND,
    "a - cooperate": FIRST,
    "option b": SECOND,
    "Option A": FIRST,
    "Choice: B": SECOND,
    "0": FIRST,
    "1": SECOND,
    "1.": SECOND,
    "(1)": SECOND,
    "#1": SECOND,
    "action 1": SECOND,
    # marked up
    "**b**": SECOND,
    "**defect**": SECOND,
    "**Defect.**": SECOND,
    "*defect*": SECOND,
    "_defect_": SECOND,
    "__defect__": SECOND,
    "`defect`": SECOND,
    '"defect"': SECOND,
    "'defect'": SECOND,
    "“defect”": SECOND,
    "«defect»": SECOND,
    "[defect]": SECOND,
    "<defect>": SECOND,
    "<answer>defect</answer>": SECOND,
    "<action>b</action>": SECOND,
    "<b>cooperate</b>": FIRST,
    "<B>Cooperate</B>.": FIRST,
    "<a>defect</a>": SECOND,
    "<p>I choose <em>cooperate</em>.</p>": FIRST,
    "<b>b</b>": SECOND,
    "<b>": SECOND,
    "# defect": SECOND,
    "- defect": SECOND,
    "> defect": SECOND,
    "• defect": SECOND,
    "\\boxed{b}": SECOND,
    "\\boxed{defect}": SECOND,
    "$\\boxed{\\text{defect}}$": SECOND,
    "```\ndefect\n```": SECOND,
    "```text\ndefect\n```": SECOND,
    "```defect```": SECOND,
    "Here you are:\n```\ndefect\n```\nGood luck.": SECOND,
    # announced
    "Answer: defect": SECOND,
    "Answer: (b)": SECOND,
    "answer = b": SECOND,
    "ANSWER: **defect**": SECOND,
    "**Answer:** defect": SECOND,
    "Final answer: defect": SECOND,
    "Final Answer: B": SECOND,
    "The answer is defect.": SECOND,
    "The answer is (b).": SECOND,
    "The best choice is: defect": SECOND,
    "My choice is to defect": SECOND,
    "My action: cooperate": FIRST,
    "Action -> defect": SECOND,
    "Decision: I defect.": SECOND,
    "Move: cooperate\n": FIRST,
    "I choose cooperate.": FIRST,
    "I choose to cooperate.": FIRST,
    "I choose b": SECOND,
    "I will defect.": SECOND,
    "I'll defect": SECOND,
    "I’ll cooperate!": FIRST,
    "I would like to cooperate": FIRST,
    "I am going to defect this time.": SECOND,
    "I'm going with defect": SECOND,
    "I have decided to cooperate.": FIRST,
    "I pick defect": SECOND,
    "Let's cooperate!": FIRST,
    "We should cooperate.": FIRST,
    "I say cooperate": FIRST,
    "I'd go for defect": SECOND,
    # with reasons, other options named or denied
    "I will defect because they won't cooperate.": SECOND,
    "I will not cooperate, I will defect.": SECOND,
    "I choose defect, since player_1 may cooperate.": SECOND,
    "Defect. You never cooperate.": SECOND,
    "Rather than defect I choose to cooperate": FIRST,
    "Instead of defect, cooperate.": FIRST,
    "They defected and then defected again. I choose: defect": SECOND,
    "If I cooperate, I may lose.\nIf I defect, I may win.\nAnswer: defect": SECOND,
    "To cooperate or to defect?\n\ncooperate": FIRST,
    "cooperate\n\nReason: if we both defect we both lose.": FIRST,
    "To cooperate is nice, to defect pays.\nSo defect it is.": SECOND,
    "<think>cooperate would be nice, defect pays</think>defect": SECOND,
    "<think>\nHmm, (a) or (b)...\n</think>\n\nAnswer: (a)": FIRST,
    "so cooperate it may be</think>\ndefect": SECOND,
    "<thinking>defect?</thinking> cooperate": FIRST,
    # JSON and its cousins
    '"cooperate"': FIRST,
    '{"action": "defect"}': SECOND,
    '{"action": "b"}': SECOND,
    '{"action": 1}': SECOND,
    '{"answer": "Defect."}': SECOND,
    '{"thought": "cooperate is nice", "action": "defect"}': SECOND,
    "{'action': 'defect'}": SECOND,
    '{"action": "defect",}': SECOND,
    '```json\n{"action": "defect"}\n```': SECOND,
    'Sure! {"action": "defect"} is my answer.': SECOND,
    '["defect"]': SECOND,
    "[1]": SECOND,
}
UNCLEAR = [
    "",
    "   ",
    "?",
    "c",
    "c)",
    "2",
    "-1",
    "99999999999999999999999999",
    "maybe",
    "I refuse to answer.",
    "cooperate or defect",
    "Answer: cooperate or defect",
    "cooperate/defect",
    "cooperate, defect",
    "a or b",
    "both",
    "b) cooperate",
    "<b>cooperate defect</b>",
    "<b></b>",
    "I will not cooperate.",
    "cooperated",
    "<think>defect",
    '{"action": "both"}',
    '{"action": 7}',
    '{"action": null}',
    "null",
    "true",
    "uncooperate",
    "Choose: cooperate or defect.",
    "To cooperate would be good.\nTo defect would be bad.",
    "cooperate\n\ndefect",
]


def test_the_table_is_as_long_as_promised():
    assert len(MEANT) >= 100


@pytest.mark.parametrize("said", MEANT, ids=repr)
def test_a_real_answer_is_understood(said):
    assert parse_space(spaces.Discrete(2), said, LABELS) == MEANT[said]


@pytest.mark.parametrize("said", UNCLEAR, ids=repr)
def test_an_unclear_answer_is_refused_with_the_options(said):
    with pytest.raises(IllegalAction) as refused:
        parse_space(spaces.Discrete(2), said, LABELS)
    assert "cooperate" in str(refused.value) or "0 to 1" in str(refused.value)


@pytest.mark.parametrize(
    ("said", "meant"),
    [("3", 3), ("I bid 3.", 3), ("Answer: **3**", 3), ("out of 10 I say\n3", 3), ("[3]", 3),
     ('{"action": 3}', 3), ('{"bid": 1, "action": 3}', 3), ("3.0", None), ("30", None),
     ("3 or 4", None), ("none", None), ("2 + 1", None)],
)  # fmt: skip
def test_numbers_without_names_are_understood(said, meant):
    if meant is None:
        with pytest.raises(IllegalAction):
            parse_space(spaces.Discrete(11), said)
    else:
        assert parse_space(spaces.Discrete(11), said) == meant


def test_longer_names_win_over_names_inside_them():
    labels = ("up", "up left", "left")
    assert parse_space(spaces.Discrete(3), "I go up left.", labels) == 1
    assert parse_space(spaces.Discrete(3), "up_left", labels) == 1
    assert parse_space(spaces.Discrete(3), "go left", labels) == 2


def test_names_that_are_numbers_are_names():
    assert parse_space(spaces.Discrete(2), "10", ("10", "20")) == 0
    with pytest.raises(IllegalAction):
        parse_space(spaces.Discrete(2), "1", ("10", "20"))


def test_a_masked_option_is_refused_with_those_that_are_left():
    mask = np.array([1, 0, 1], dtype=np.int8)
    with pytest.raises(IllegalAction, match=r"not allowed now.*x, z"):
        parse_space(spaces.Discrete(3), "y", ("x", "y", "z"), mask)
    assert parse_space(spaces.Discrete(3), "I can't y, so z", ("x", "y", "z"), mask) == 2


SPACES = [
    (spaces.Discrete(2), LABELS),
    (spaces.Discrete(5, start=-2), None),
    (spaces.MultiDiscrete([3, 4]), None),
    (spaces.MultiBinary(3), None),
    (spaces.Box(-1, 1, (2,)), None),
    (spaces.Box(0, 255, (), np.uint8), None),
    (spaces.Text(20, min_length=0), None),
    (spaces.Dict({"say": spaces.Text(9), "move": spaces.Discrete(2)}), {"move": LABELS}),
    (spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1, (1,))]), (LABELS, None)),
    (spaces.Sequence(spaces.Discrete(2)), LABELS),
    (spaces.OneOf([spaces.Discrete(2), spaces.Text(3)]), None),
]
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ":", ",", "move", "say", "action", "option", "value", "a", "(b)",
     "cooperate", "defect", "not ", "1", "-2", "0.5", "1e999", "NaN", "Infinity", "null", "true",
     "\n", " ", "```", "<think>", "</think>", "I will ", "Answer: ", "\\", "é", "\x00", "９"]
)  # fmt: skip


@pytest.mark.parametrize(("space", "labels"), SPACES, ids=lambda value: str(value)[:30])
@given(text=st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
@settings(max_examples=150, deadline=None)
def test_any_text_is_an_action_or_illegal_and_nothing_else(space, labels, text):
    with contextlib.suppress(IllegalAction):
        assert space.contains(parse_space(space, text, labels))


@pytest.mark.parametrize(
    "hostile",
    ["[" * 100_000, '{"a":' * 50_000, "I will " * 50_000, "not " * 100_000, "**" * 100_000,
     "```" * 50_000, "<think>" * 50_000, "9" * 200_000, "a " * 200_000, "{} " * 50_000,
     "answer: " * 50_000, "<b>" * 90_000, "</b>" * 50_000,
     '{"move": ' + "[" * 90_000, " " * 500_000, "-" * 200_000, "1," * 200_000],
    ids=lambda text: text[:12],
)  # fmt: skip
@pytest.mark.parametrize(("space", "labels"), SPACES, ids=lambda value: str(value)[:30])
def test_huge_hostile_text_is_refused_quickly(space, labels, hostile):
    began = time.perf_counter()
    with contextlib.suppress(IllegalAction):
        assert space.contains(parse_space(space, hostile, labels))
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(("said", "meant"), [("I take 2.", 1), ("I'll take 1.", 0), ("take 3", 2)])
def test_a_number_in_a_name_is_not_taken_for_an_index(said, meant):
    assert parse_space(spaces.Discrete(3), said, ("take 1", "take 2", "take 3")) == meant


@given(st.text(max_size=40))
def test_what_is_spelled_is_in_the_letters_and_stays_as_it_was_where_it_could(text):
    made = spelled(text, "ab \n", "?")
    assert len(made) == len(text)
    for was, now in zip(text, made, strict=True):
        assert now == was if was in "ab \n" else now == (" " if was.isspace() else "?")
