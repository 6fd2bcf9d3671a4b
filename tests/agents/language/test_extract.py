import json
import re
import time
from pathlib import Path

import pytest
import yaml
from gymnasium.spaces import Discrete
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.language.extract import MAX_ACTION, MAX_THOUGHT, Extracted, extract
from gymposium.agents.language.relaxed_json import read
from gymposium.envs.words import parse_space
from gymposium.errors import IllegalAction

CHOICES = yaml.safe_load(Path(__file__).with_name("answer_shapes.yaml").read_text(encoding="utf-8"))
LABELS = ["a", "b", "c"]
OFFER = '{"move":"offer","price":12,"say":"Fair?"}'

# (what a model wrote, what it meant): shapes seen in the wild.
SHAPES = [
    # JSON as asked for
    ('{"action":"b"}', "b"),
    ('{"action": "b"}', "b"),
    ('{\n  "action": "b"\n}', "b"),
    ('  {"action": "b"}  \n', "b"),
    ('{"thought":"hm","action":"b"}', "b"),
    ('{"action":"b","thought":"hm"}', "b"),
    ('{"action": 3}', "3"),
    ('{"action": 3.5}', "3.5"),
    ('{"action": true}', "true"),
    ('{"action": [1, 2]}', "[1,2]"),
    ('{"action": null}', "null"),
    ('{"action": {"move": "offer", "price": 12, "say": "Fair?"}}', OFFER),
    ('{"action": ""}', ""),
    ('{"action": " b "}', "b"),
    ('{"action": "say \\"hi\\""}', 'say "hi"'),
    ('{"action": "caf\\u00e9"}', "café"),
    # JSON with surroundings
    ('Sure! {"action": "b"}', "b"),
    ('Here is my answer:\n\n{"action": "b"}\n\nHope this helps!', "b"),
    ('```json\n{"action": "b"}\n```', "b"),
    ('```\n{"action": "b"}\n```', "b"),
    ('```JSON {"action": "b"}```', "b"),
    ('~~~json\n{"action": "b"}\n~~~', "b"),
    ('```json\n{"action": "b"}', "b"),
    ('I think so.\n```json\n{"action": "b"}\n```\nThat is all.', "b"),
    ('{"action": "a"} no wait {"action": "b"}', "b"),
    ('{"note": 1} {"action": "b"}', "b"),
    ('{"action": "b"} {"note": 1}', "b"),
    ('<think>maybe a</think>{"action": "b"}', "b"),
    ('<think>{"action": "a"}</think>{"action": "b"}', "b"),
    ('maybe a\n</think>\n{"action": "b"}', "b"),
    ('<think>it must be {"action": "b"}', "b"),
    ('<thinking>a?</thinking>\n\n```json\n{"action": "b"}\n```', "b"),
    ('assistant: {"action": "b"}', "b"),
    ('{"action": "b"}<|im_end|>', "b"),
    ('{"action": "b"}\n\nUser: and now?', "b"),
    ('[{"action": "b"}]', "b"),
    ('json\n{"action": "b"}', "b"),
    ('\ufeff{"action": "b"}', "b"),
    ('{"Action": "b"}', "b"),
    ('{"ACTION": "b"}', "b"),
    ('{"answer": "b"}', "b"),
    ('{"reasoning": "hm", "answer": "b"}', "b"),
    ('{"reasoning": "hm", "decision": "b", "confidence": 0.9}', "b"),
    ('{"thoughts": "hm", "choice": "b"}', "b"),
    ('{"final_answer": "b"}', "b"),
    ('{"Final Answer": "b"}', "b"),
    ('{"response": {"action": "b"}}', "b"),
    ('{"action": {"action": "b", "to": 2}}', '{"action":"b","to":2}'),
    ('{"action": {"action": "b", "to": 2}, }', '{"action":"b","to":2}'),
    ('{"name": "play", "arguments": {"action": "b"}}', "b"),
    ('{"name": "play", "parameters": {"thought": "x", "action": "b"}}', "b"),
    # the action without its wrapping
    (OFFER, OFFER),
    (f"My offer: {OFFER}", OFFER),
    (f"```json\n{OFFER}\n```", OFFER),
    ('{"move": "accept"}', '{"move":"accept"}'),
    ('{"choice": 1, "price": 3}', '{"choice":1,"price":3}'),
    # JSON that is not quite JSON
    ('{"action": "b",}', "b"),
    ('{"action": "b", }', "b"),
    ("{'action': 'b'}", "b"),
    ("{'thought': 'I'm in', 'action': 'b'}", "b"),
    ("{'action': \"b\"}", "b"),
    ("{action: b}", "b"),
    ('{action: "b"}', "b"),
    ("{“action”: “b”}", "b"),
    ('{"action" = "b"}', "b"),
    ('{"action": b}', "b"),
    ('{"thought": "two\nlines", "action": "b"}', "b"),
    ('{"thought": "a \\ b", "action": "b"}', "b"),
    ('{"action": True}', "true"),
    ('{"action": None}', "null"),
    ('{"action": [1, 2,]}', "[1,2]"),
    ('{"thought": "x" "action": "b"}', "b"),
    ('{"action": "b" // my move\n}', "b"),
    ('{"action": "b" /* my move */}', "b"),
    ('{"action": "b"', "b"),
    ('{"action": "b"}}', "b"),
    ('{"action": "b', "b"),
    ('{"action": {"move": "accept", "say": "I am', '{"move":"accept","say":"I am"}'),
    ('{"thought": "{not this}", "action": "b"}', "b"),
    ("{`action`: `b`}", "b"),
    # labels
    ("Answer: b", "b"),
    ("Answer: (b)", "b"),
    ("answer: b", "b"),
    ("**Answer:** b", "b"),
    ("**Answer**: b", "b"),
    ("Final answer: b", "b"),
    ("Action: b", "b"),
    ("Thought: a is bad.\nAction: b", "b"),
    ("Action: a\nObservation: no\nAction: b", "b"),
    ("My choice: b", "b"),
    ("Decision = b", "b"),
    ("> Answer: b", "b"),
    ("## Answer: b", "b"),
    ("- Answer: 'b'", "b"),
    ("The answer is **b**", "b"),
    ("My final answer is: b", "b"),
    ("Let me see. Action: b", "b"),
    ("Answer -> b", "b"),
    ("Answer: `b`", "b"),
    # tags and boxes
    ("<answer>b</answer>", "b"),
    ("<action>\nb\n</action>", "b"),
    ("<think>hm</think><answer>b</answer>", "b"),
    ("<Answer>b", "b"),
    ("\\boxed{b}", "b"),
    ("so it is $\\boxed{\\text{b}}$", "b"),
    # plain words, left to the world
    ("b", "b"),
    ("b)", "b)"),
    ("**b**", "b"),
    ('"b"', "b"),
    ("`b`", "b"),
    ("(b)", "b"),
    ("[b]", "b"),
    ("[1, 2]", "[1, 2]"),
    ("```\nb\n```", "b"),
    ("<think>hm</think> b", "b"),
    ("I choose cooperate.", "I choose cooperate."),
    ("The set {x | x > 3} is open.", "The set {x | x > 3} is open."),
    ("12", "12"),
    ("", ""),
    ("   \n ", ""),
]


def test_there_are_at_least_a_hundred_shapes():
    assert len({text for text, _ in SHAPES}) >= 100
    assert len({text for text, _ in CHOICES["understood"]}) >= 100


@pytest.mark.parametrize(("text", "meant"), CHOICES["understood"])
def test_a_choice_is_understood_however_it_is_put(text, meant):
    assert LABELS[parse_space(Discrete(3), extract(text).action_text, LABELS)] == meant


@pytest.mark.parametrize(("text", "reason"), CHOICES["refused"])
def test_no_choice_or_several_are_refused_with_a_reason(text, reason):
    with pytest.raises(IllegalAction, match=re.escape(reason)):
        parse_space(Discrete(3), extract(text).action_text, LABELS)


@pytest.mark.parametrize(("text", "meant"), SHAPES)
def test_real_life_answer_shapes_are_understood(text, meant):
    assert extract(text).action_text == meant


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ('{"thought":"hm","action":"b"}', "hm"),
        ('{"reasoning": "hm", "action": "b"}', "hm"),
        ("<think>hm</think>b", "hm"),
        ("hm</think>b", "hm"),
        ('<think>hm</think>{"action":"b"}', "hm"),
        ('{"action":"b"}', None),
        ('{"thought":"","action":"b"}', None),
        ('{"thought": 3, "action": "b"}', None),
    ],
)
def test_thoughts_are_kept_apart(text, thought):
    assert extract(text).thought == thought


def test_a_number_that_may_be_cut_off_is_not_taken_for_a_smaller_one():
    assert extract('{"action": {"move": "offer", "price": 1').action_text != (
        '{"move":"offer","price":1}'
    )


@pytest.mark.parametrize("wrapped", ["{}", "```json\n{}\n```", "<think>so</think>{}", "Here: {}"])
@pytest.mark.parametrize("key", ["", "action"])
def test_an_answer_that_is_json_is_whole_however_many_things_it_lists(wrapped, key):
    call = {"tool": "add", "edit": [{"id": f"thing_{n}", "place": [n, n]} for n in range(200)]}
    text = json.dumps({key: call} if key else call)
    assert len(text) > 2 * MAX_ACTION
    assert json.loads(extract(wrapped.replace("{}", text)).action_text) == call


FRAGMENTS = st.sampled_from(
    ['{"action":', "{", "}", '"', "'", "```", "<think>", "</think>", "Answer:", "[", "]", ",", ":",
     "\\boxed{", "<answer>", "\\u12", "//", "/*", "#", "1e999", "\x00", "\ud800", "b", " ", "\n"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=40).map("".join)))
def test_any_text_at_all_gives_a_capped_answer(text):
    found = extract(text)
    assert isinstance(found, Extracted)
    assert isinstance(found.action_text, str)
    assert len(found.action_text) <= MAX_ACTION
    assert found.thought is None or 0 < len(found.thought) <= MAX_THOUGHT


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_the_lenient_reader_agrees_with_the_strict_one_on_strict_json(value):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        found = read(text)
        assert found is not None
        assert (found.value, found.end, found.complete) == (value, len(text), True)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 20_000,
        "{'" * 20_000,
        "<think>" * 20_000,
        "```" * 20_000,
        '"' * 100_000,
        "Answer:" * 20_000,
        "{//" * 20_000,
        "{/*" * 20_000,
        "{a" * 20_000,
        " " * 200_000,
        "\\boxed{" * 20_000,
        "answer is " * 20_000,
        "'\\" * 50_000,
    ],
)
def test_hostile_text_takes_no_time(text):
    began = time.perf_counter()
    extract(text)
    assert time.perf_counter() - began < 1.0


def test_deeply_nested_and_huge_numbers_do_no_harm():
    assert extract('{"action":' + "[" * 500 + "]" * 500 + "}").action_text
    assert extract('{"action": ' + "9" * 5000 + "}").action_text
