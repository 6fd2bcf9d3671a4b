"""Replies in five formats: what is of the format, what can be read all the same, hostile text."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.language.extract import extract
from gymposium.envs.visual.strategies import (
    LEGACY_NAMES,
    MAX_READ,
    STRATEGIES,
    parts_of,
    pattern,
    read,
    schema,
    skeleton,
)
from gymposium.errors import UnknownName

TAGS = [
    f"<{end}{tag}>"
    for tag in ("think", "observation", "reasoning", "prediction", "answer")
    for end in ("", "/")
]
every_strategy = pytest.mark.parametrize("name", STRATEGIES)
pieces = st.lists(st.sampled_from([*TAGS, "Up", ",", " ", "\n", "{", "<", "/", "thi", "nk>"]))


def reply(name: str, answer: str = "Up, Left", inner: str = "x") -> str:
    text = skeleton(name).replace("<answer>...", f"<answer>{answer}")
    return text.replace("...", inner)


@every_strategy
def test_the_format_that_is_shown_is_read_with_spaces_between_tags_and_without(name: str) -> None:
    text = reply(name)
    for form in (text, re.sub("><", ">\n <", text), f"  {text}\n"):
        said = read(form, name)
        assert said.correct
        assert dict(said.parts) == dict.fromkeys(parts_of(name), "x")
        assert said.actions() == ("Up", "Left")
        assert re.fullmatch(pattern(name), form.strip())


def test_world_modeling_asks_for_the_state_a_reason_the_next_state_and_an_answer() -> None:
    assert skeleton("world_modeling") == (
        "<think><observation>...</observation><reasoning>...</reasoning>"
        "<prediction>...</prediction></think><answer>...</answer>"
    )


@every_strategy
def test_only_strategies_with_beliefs_are_read_from_a_reply_with_words_around_it(
    name: str,
) -> None:
    said = read(f"Sure! {reply(name)}", name)
    assert not said.correct
    assert bool(said.answer) == (len(parts_of(name)) > 1)
    assert read(f"Sure! {reply(name)}", name, loose=True).answer == "Up, Left"
    assert read(f"Sure! {reply(name)}", name, loose=False).answer == ""


def test_a_nested_tag_spoils_the_format_or_by_the_flag_is_stripped() -> None:
    text = reply("free_think", inner="a <answer>Down</answer> b")
    assert not read(text, "free_think").correct
    said = read(text, "free_think", nested=True)
    assert said.correct
    assert said.parts["think"] == "a Down b"
    assert said.answer == "Up, Left"


def test_a_tag_put_together_by_stripping_another_is_stripped_too() -> None:
    said = read(reply("free_think", inner="<thi<think>nk>"), "free_think", nested=True)
    assert said.parts["think"] == ""


def test_more_actions_than_a_turn_has_are_dropped_and_separators_may_differ() -> None:
    said = read(reply("no_think", "Up,, Up ,Left,Down"), "no_think")
    assert said.actions(most=3) == ("Up", "Up", "Left")
    said = read(reply("no_think", "pick(1,2,3)|place(4,5,6)"), "no_think")
    assert said.actions(separator="|", most=2) == ("pick(1,2,3)", "place(4,5,6)")


@every_strategy
def test_the_object_of_the_schema_is_read_like_the_tags(name: str) -> None:
    value = {part: "x" for part in parts_of(name)} | {"action": ["Up", "Left"]}
    jsonschema.validate(value, schema(name, ["Up", "Left"]))
    said, tagged = read(json.dumps(value), name), read(reply(name), name)
    assert (said.correct, said.parts, said.actions()) == (True, tagged.parts, tagged.actions())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value | {"action": ["Jump"]}, schema(name, ["Up", "Left"]))
    assert not read(json.dumps(value | {"more": 1}), name).correct


@every_strategy
def test_the_one_extractor_finds_the_same_answer(name: str) -> None:
    assert extract(reply(name)).action_text == "Up, Left"
    value = {part: "x" for part in parts_of(name)} | {"action": ["Up", "Left"]}
    assert json.loads(extract(json.dumps(value)).action_text) == ["Up", "Left"]


def test_the_other_names_of_strategies_mean_the_same_and_unknown_ones_are_named() -> None:
    for old, new in LEGACY_NAMES.items():
        assert parts_of(old) == parts_of(new)
    with pytest.raises(UnknownName, match="world_modeling"):
        parts_of("world_modelling")


@settings(max_examples=300, deadline=None)
@given(words=pieces, name=st.sampled_from([*STRATEGIES]))
def test_strict_implies_loose_and_no_tag_is_left_in_what_was_read(
    words: list[str], name: str
) -> None:
    text = "".join(words)
    strict, loose = read(text, name, loose=False), read(text, name, loose=True)
    assert not strict.correct or strict == loose
    assert strict.correct == loose.correct
    nested = read(text, name, nested=True)
    for part in (*loose.parts.values(), loose.answer, *nested.parts.values(), nested.answer):
        assert not any(tag in part for tag in TAGS)


def lazily(name: str) -> str:
    """The format as one regular expression that goes back and forth."""
    shown = re.sub(r"(?<=>)(?=<)", r"\\s*", skeleton(name))
    return shown.replace("...", "(.*?)")


@settings(max_examples=300, deadline=None)
@given(
    head=pieces,
    inner=st.lists(st.sampled_from([*TAGS, "a", " "]), max_size=6),
    name=st.sampled_from([*STRATEGIES]),
)
def test_one_pass_decides_as_the_regular_expression_that_goes_back(
    head: list[str], inner: list[str], name: str
) -> None:
    for text in ("".join(head), reply(name, inner="".join(inner))):
        whole = re.fullmatch(lazily(name), text.strip(), re.S)
        assert read(text, name, nested=True).correct == (whole is not None)


@every_strategy
def test_a_reply_beyond_the_limit_is_not_of_the_format(name: str) -> None:
    assert not read(reply(name, "Up" * MAX_READ), name).correct


@every_strategy
@settings(max_examples=100, deadline=None)
@given(text=st.text())
def test_any_text_can_be_read(name: str, text: str) -> None:
    read(text, name, loose=True)
    read("{" + text, name)
    read("{" * 5000 + text, name)
