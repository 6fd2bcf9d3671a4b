"""Replies as language models really write them, in every world that is answered by reasoning.

Strategies with beliefs are read loosely (Wang et al., VAGEN, 2025, section 3): whatever is put
round a reply costs its format, never its action. What a chat interface adds to an object or an
answer (a fence, an envelope, emphasis) costs nothing.
"""

from __future__ import annotations

import json
import time

import pytest

from gymposium.arenas.asking import interpret
from gymposium.envs.registry import make_world
from gymposium.envs.visual.replies import written
from gymposium.envs.visual.strategies import STRATEGIES, parts_of, read
from gymposium.types import Reply

SEAT = "player_0"
CIRCLE = "<svg viewBox='0 0 24 24'><circle cx='12' cy='12' r='8' fill='#2a6fbb'/></svg>"
ACTIONS = {
    "sokoban-v0": "Up",
    "frozen_lake-v0": "Up",
    "navigation-v0": "rotateright",
    "primitive_skill-v0": "pick(0, 0, 20)",
    "svg_reconstruction-v0": CIRCLE,
}
BELIEVING = [name for name in STRATEGIES if len(parts_of(name)) > 1]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
every_world = pytest.mark.parametrize("id", ACTIONS)

AS_GOOD = {
    "as it was asked for": lambda tags, said: (tags, said),
    "in a fence": lambda tags, said: (tags, f"```json\n{said}\n```"),
    "in an envelope": lambda tags, said: (
        json.dumps({"thought": "so", "action": tags}),
        json.dumps({"action": json.loads(said)}),
    ),
    "in an envelope for answers": lambda tags, said: (
        json.dumps({"answer": tags}),
        json.dumps({"answer": json.loads(said)}),
    ),
    "indented": lambda tags, said: (
        tags.replace("><", ">\r\n\t<") if "svg" not in tags else tags,
        json.dumps(json.loads(said), indent=2),
    ),
    "with typographic quotes": lambda tags, said: (
        tags,
        said.replace('"', "“", 1).replace('"', "”", 1),
    ),
}
LOOSE = {
    "words before": lambda reply: f"Sure!\n{reply}",
    "words after": lambda reply: f"{reply}\nI hope this helps :-}}",
    "thoughts of its own": lambda reply: (
        f"<think>I must fill <observation>…</observation>, {{so}} and <answer>…</answer>.</think>\n"
        f"{reply}"
    ),
    "the end of such thoughts": lambda reply: f"I must go on.\n</think>\n\n{reply}",
    "a fence among words": lambda reply: f"Here it is:\n```\n{reply}\n```\nDone.",
}


def both(strategy: str, action: str) -> tuple[str, str]:
    parts = dict.fromkeys(parts_of(strategy), "the box is above me")
    tags = written(strategy, [action], parts)
    return tags, written(strategy, [action], parts, form="json")


def answered(id: str, reply: str, **params):
    """(of the format, acted) after a language model gave ``reply`` as its first."""
    world = make_world(id, shows="text", **params)
    turn = world.reset(3)[SEAT]
    action, _ = interpret(world, turn, Reply(text=reply))
    world.step({SEAT: action})
    if id.startswith("svg"):
        _, correct, drawn, *_ = world._turn_rows[-1]
        return correct and drawn, drawn
    last = world._last
    return last["turn_metrics"]["format_correct"], bool(last["executed"])


@pytest.mark.parametrize("kind", AS_GOOD)
@every_strategy
@every_world
def test_what_a_chat_puts_round_a_reply_costs_nothing(id, strategy, kind):
    for reply in AS_GOOD[kind](*both(strategy, ACTIONS[id])):
        assert answered(id, reply, strategy=strategy) == (True, True), reply


@pytest.mark.parametrize("kind", LOOSE)
@pytest.mark.parametrize("strategy", BELIEVING)
@every_world
def test_words_round_a_reply_with_beliefs_cost_its_format_but_not_its_action(id, strategy, kind):
    for reply in both(strategy, ACTIONS[id]):
        assert answered(id, LOOSE[kind](reply), strategy=strategy) == (False, True), reply


@pytest.mark.parametrize("strategy", BELIEVING)
def test_capital_tags_and_an_answer_that_was_not_closed_are_read_loosely(strategy):
    tags, _ = both(strategy, "@")
    for reply in (tags.upper().replace("@", "Up"), tags.replace("@</answer>", "Up, Le")):
        assert answered("sokoban-v0", reply, strategy=strategy) == (False, True), reply
        assert read(reply, strategy, loose=False).answer == ""


@pytest.mark.parametrize(
    "answer", ["`Up`", "**Up**", '"Up"', "Up.", "[Up, Left]", "```\nUp, Left\n```", "Up, `Left`."]
)
@every_strategy
def test_marks_round_actions_are_no_part_of_them(strategy, answer):
    for reply in both(strategy, answer):
        assert answered("sokoban-v0", reply, strategy=strategy) == (True, True)


@every_strategy
def test_an_action_that_is_no_list_is_done_though_the_reply_is_not_of_the_format(strategy):
    _, reply = both(strategy, "Up")
    said = read(json.dumps({**json.loads(reply), "action": "Up, Left"}), strategy)
    assert (said.correct, said.actions()) == (False, ("Up", "Left"))
    assert [*said.parts] == [*parts_of(strategy)]
    world = make_world("sokoban-v0", shows="text", form="json", strategy=strategy)
    turn = world.reset(3)[SEAT]
    kept = world.parse(SEAT, json.dumps({**json.loads(reply), "action": "Up"}), None, turn.info)
    assert set(json.loads(kept)) == {*parts_of(strategy), "action"}


def test_a_belief_written_as_json_in_an_object_is_read_as_that_json():
    state = {"player": [1, 1], "box": [[2, 1]]}
    value = {"observation": state, "reasoning": "so", "action": ["Up"]}
    said = read(json.dumps(value), "state_estimation")
    assert said.correct
    assert json.loads(said.parts["observation"]) == state
    drawn = read(json.dumps({**value, "observation": ["##", "P_"]}), "state_estimation")
    assert drawn.parts["observation"] == "##\nP_"


def test_a_right_belief_is_paid_whether_it_is_written_as_text_or_as_json():
    for form in ("tags", "json"):
        params = {"strategy": "state_estimation", "representation": "structured", "form": form}
        world = make_world("sokoban-v0", shows="text", split="test", level=0, **params)
        state = world.reset(3)[SEAT].info["state"]
        state = {name: state[name] for name in ("player", "box", "target")}
        value = {"observation": state, "reasoning": "so", "action": ["Up"]}
        told = json.dumps(state)
        tags = f"<think><observation>{told}</observation><reasoning>so</reasoning></think>"
        for reply in (json.dumps(value), json.dumps({**value, "observation": told}), tags):
            turn = world.reset(3)[SEAT]
            reply = reply if reply[0] == "{" else f"{reply}<answer>Up</answer>"
            world.step({SEAT: interpret(world, turn, Reply(text=reply))[0]})
            assert world._last["turn_metrics"]["grounding_reward"] == 1.0


@pytest.mark.parametrize("strategy", BELIEVING)
def test_an_escape_in_an_object_brings_nothing_in_that_no_file_can_hold(strategy):
    parts = dict.fromkeys(parts_of(strategy), "a\ud800b\x00c")
    reply = json.dumps({**parts, "action": ["Up\ud800", "\x07"]})
    said = read(reply, strategy)
    for text in (*said.parts.values(), said.answer):
        assert text.encode()
        assert text.isprintable()


@pytest.mark.parametrize("reply", ["", "I do not know.", "<answer></answer>", '{"action": []}'])
def test_a_reply_without_an_answer_is_told_so_in_one_sentence(reply):
    for id in ACTIONS:
        if id.startswith("svg"):
            continue
        world = make_world(id, shows="text")
        turn = world.reset(3)[SEAT]
        action, _ = interpret(world, turn, Reply(text=reply))
        told = world.step({SEAT: action})[SEAT].text.splitlines()[1]
        assert told.startswith("Nothing was carried out. No answer could be read in your reply")


@pytest.mark.parametrize(
    "reply", [f"Here: {CIRCLE} Done.", f'<?xml version="1.0"?>\n{CIRCLE}', f"```svg\n{CIRCLE}\n```"]
)
def test_a_document_among_words_is_the_answer_where_nothing_else_is_asked_for(reply):
    assert answered("svg_reconstruction-v0", reply) == (True, True)


@pytest.mark.parametrize(
    "text",
    ["{" * 20_000, "```\n" * 5_000, "<answer>" * 2_500, "``` " + " " * 19_000, '{"a":' * 4_000],
)
@every_strategy
def test_hostile_replies_are_read_in_no_time(strategy, text):
    began = time.process_time()
    for end in ("", "```", "}", "</answer>"):
        read(text + end, strategy, loose=True)
    assert time.process_time() - began < 2
