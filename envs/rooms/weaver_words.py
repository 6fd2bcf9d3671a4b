"""Scene weaver in words: rules with the tools' cards, the room line by line, calls as JSON."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from gymposium.errors import IllegalAction

from ..speech import json_values, spelled, whole_json
from .grades import GRADES, LABEL
from .room_types import RoomType
from .scene import RelationKind
from .tools.card import Tool
from .weaving import FIRST_TOTAL, TRIES, WORST_FALL, Limits, Weaving

WRITABLE = "".join(sorted(set(string.printable) - set("\t\r\x0b\x0c")))
"""What can be shown and said: ASCII and line breaks."""
PHYSICS = ("things", "outside", "colliding pairs", "unstable")
BRIEF_IDEAS = 160
"""Characters of ideas that a model of little context may write."""
EDIT_FIELDS = frozenset(
    {"objects", "roomsize", "relations", "ids", "categories", "parent", "motif", "model"}
)
"""What our tools' edits are made of; beside the tool it would be lost without a word."""
_ARGUMENTS = ("arguments", "parameters", "args")
_BRIEF_LINE = 240
_BRIEF_CARD = 120
_BRIEF_THINGS = 40


class Blank(spaces.Text):
    """A Text whose samples are empty: random letters would never be ideas, let alone an edit."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Nothing, so that the tool acts by rule; masks do not apply."""
        return ""


def rules(seat: str, request: str, tools: Sequence[Tool], limits: Limits, *, edits: bool) -> str:
    """All that a planner must know: the aim, the loop, the cards, the form of a call."""
    costs = limits.costs
    budget = "" if limits.budget is None else (
        f" All calls may cost {limits.budget} together; what costs more is not offered."
    )  # fmt: skip
    cards = "\n".join(f"- {tool.card.words()}" for tool in tools)
    relations = ", ".join(RelationKind)
    how = (
        'A call is a JSON object: {"tool": name, "ideas": what you expect of it, in words}. You '
        'may write the edit yourself, as its "edit", in the form of the tool\'s schema; without '
        f"one the tool goes by your ideas. Relations in edits: {relations}. Their parent is "
        '"room" or an id. Things without a location are given a place.'
        if edits
        else "A call is the name of a tool."
    )
    return (
        f"You are {seat}, the planner of a room: {request}. In at most {limits.steps} steps you "
        "furnish it by calling tools, one a step. After each call physics pushes things free and "
        "deletes what cannot stand; then the room is measured and graded: realism, function, "
        f"layout, completion, 0 to 10 each, {LABEL}. You earn the rise of the mean grade (as a "
        f"share of 10), less {costs.outside:g} for each thing outside, {costs.collision:g} for "
        f"each pair that collides, {costs.unstable:g} for each unstable thing. A first room whose "
        "grades sum "
        f"to less than {FIRST_TOTAL:g} is taken back, and a later step by which they fall by "
        f"{WORST_FALL:g} or more; a step is tried {TRIES} times at most. The first step begins the "
        f"room, the last one can only terminate.{budget}\n"
        "Each time: say what the last call did, which fault is worst now, which tool suits it "
        "best, then call it. Do not repeat a tool that did not help. Terminate when only slight "
        f"gains are left.\n{how}\nTools:\n{cards}"
    )


def brief_rules(seat: str, request: str, tools: Sequence[Tool], steps: int, *, edits: bool) -> str:
    """The aim, the loop and a line a tool: a quarter of :func:`rules`, for little context."""
    cards = "\n".join(
        f"- {tool.card.name}: {_cut(tool.card.description, _BRIEF_CARD)}" for tool in tools
    )
    how = (
        'A call is a JSON object: {"tool": name, "ideas": what you expect of it, in words}.'
        if edits
        else "A call is the name of a tool."
    )
    return (
        f"You are {seat}, the planner of a room: {request}. In at most {steps} steps you furnish "
        "it by calling tools, one a step. After each call physics corrects the room, and it is "
        f"graded for realism, function, layout and completion, 0 to 10 each, {LABEL}. You earn the "
        "rise of the mean grade. A step that spoils the room is taken back. The first step begins "
        "the room, the last one can only terminate. Call the tool that suits the worst fault; do "
        f"not repeat one that did not help.\n{how}\nTools:\n{cards}"
    )


def report(weaving: Weaving) -> str:
    """What became of the last call, what the grades miss, and how far the work is."""
    limits, grades = weaving.limits, weaving.now.grades
    lines = [f"Wanted: {weaving.request}. Step {weaving.step} of {limits.steps}."]
    if weaving.tried:
        lines[0] += f" Try {weaving.tried + 1} of {TRIES}."
    if limits.budget is not None:
        lines[0] += f" Budget left: {limits.budget - weaving.spent}."
    if weaving.rows:
        last = weaving.rows[-1]
        lines.append(f"Last call: {last['tool'] or 'none'}: {last['result']}. {last['said']}")
        if last["deleted"]:
            lines.append(f"Physics: {last['deleted']}.")
    if unmet := weaving.unmet():
        lines.append(f"Asked for and not there: {', '.join(unmet)}.")
    missed = [f"{n}: {c}" for n, c in zip(GRADES, grades.comments, strict=True) if c]
    lines.append(f"What grades miss: {'; '.join(missed)}." if missed else "Grades miss nothing.")
    return "\n".join(spelled(line, WRITABLE) for line in lines)


def described(observation: Mapping[str, Any], offered: Sequence[str]) -> str:
    """The report, the figures, the room line by line, and the tools that may be called."""
    room = json.loads(observation["layout"])
    grades = ", ".join(
        f"{name} {value:.1f}" for name, value in zip(GRADES, observation["grades"], strict=True)
    )
    physics = ", ".join(
        f"{name} {value:.0f}" for name, value in zip(PHYSICS, observation["physics"], strict=True)
    )
    x, y = room["roomsize"]
    lines = [
        str(observation["report"]),
        f"Grades: {grades}. Physics: {physics}.",
        f"The room: {room['roomtype']}, {x:g} x {y:g} m, {room['roomheight']:g} m high.",
    ]
    for name, thing in room["structure"].items():
        lines.append(f"{name} at {_numbers(thing['location'])}, {_numbers(thing['size'])}")
    for name, thing in room["objects"].items():
        held = ", ".join(
            relation if parent == "room" else f"{relation} {parent}"
            for parent, relation in thing["parent"]
        )
        pose = f"at {_numbers(thing['location'])} turned {thing['rotation']:g}"
        lines.append(f"{name} {pose}, size {_numbers(thing['size'])}: {held}")
    lines.append(f"Tools offered now: {', '.join(offered)}.")
    return "\n".join(lines)


def briefly_described(observation: Mapping[str, Any], offered: Sequence[str]) -> str:
    """The report with its lines cut, the grades, what stands there, and what may be called."""
    room = json.loads(observation["layout"])
    grades = ", ".join(
        f"{name} {value:.1f}" for name, value in zip(GRADES, observation["grades"], strict=True)
    )
    x, y = room["roomsize"]
    ids = list(room["objects"])
    more = f" and {len(ids) - _BRIEF_THINGS} more" if len(ids) > _BRIEF_THINGS else ""
    things = f"{', '.join(ids[:_BRIEF_THINGS]) or 'none'}{more}"
    return "\n".join(
        (
            *(_cut(line, _BRIEF_LINE) for line in str(observation["report"]).split("\n")),
            f"Grades: {grades}.",
            f"The room: {room['roomtype']}, {x:g} x {y:g} m. Things: {things}.",
            f"Tools offered now: {', '.join(offered)}.",
        )
    )


def brief_call_schema(offered: Sequence[str]) -> dict[str, Any]:
    """JSON Schema of a call without an edit, one form for all tools that are offered."""
    return {
        "type": "object",
        "properties": {
            "tool": {"enum": list(offered)},
            "ideas": {"type": "string", "maxLength": BRIEF_IDEAS},
        },
        "required": ["tool", "ideas"],
        "additionalProperties": False,
    }


def call_schema(
    tools: Sequence[Tool], offered: Sequence[bool], kind: RoomType, ids: Sequence[str]
) -> dict[str, Any]:
    """JSON Schema of a call: one form for each tool that is offered."""
    forms = []
    for tool, legal in zip(tools, offered, strict=True):
        if not legal:
            continue
        parameters = tool.parameters(kind, ids)
        forms.append(
            {
                "type": "object",
                "properties": {"tool": {"const": tool.card.name}, **parameters["properties"]},
                "required": ["tool", "ideas"],
                "additionalProperties": False,
            }
        )
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def call_in_words(action: Mapping[str, Any], tools: Sequence[Tool]) -> str:
    """A call as JSON; an edit that is an object stands in it as one."""
    said: dict[str, Any] = {
        "tool": tools[int(action["tool"])].card.name,
        "ideas": str(action["ideas"]),
    }
    edit = str(action["edit"])
    if edit:
        found = [value for value in whole_json(edit) if isinstance(value, dict)]
        same = bool(found) and _dumped(found[0]) == edit
        said["edit"] = found[0] if same else edit
    return json.dumps(said)


def read_call(text: str, longest_ideas: int, longest_edit: int) -> str:
    """What a call's text says, with its edit as text and its ideas in letters that can be said."""
    for value in json_values(text):
        if isinstance(value, dict) and isinstance(value.get("action"), dict):
            value = value["action"]
        if not isinstance(value, dict):
            continue
        value = _plainly(value)
        tool = value.get("tool")
        if isinstance(tool, bool) or not isinstance(tool, str | int) or tool == "":
            raise IllegalAction('a call names its tool: {"tool": "…", "ideas": "…"}')
        if lost := [name for name in value if name in EDIT_FIELDS]:
            raise IllegalAction(
                f"{lost[0]!r} stands beside the tool, where nothing reads it; it belongs into the "
                f'"edit": {{"tool": "…", "ideas": "…", "edit": {{"{lost[0]}": …}}}}'
            )
        edit = value.get("edit", "")
        edit = _dumped(edit) if isinstance(edit, dict | list) else "" if edit is None else str(edit)
        if len(edit) > longest_edit:
            raise IllegalAction(f"the edit has {len(edit)} characters; {longest_edit} are allowed")
        ideas = value.get("ideas", "")
        ideas = spelled(str(ideas) if ideas is not None else "", WRITABLE)[:longest_ideas]
        edit = spelled(edit, WRITABLE)
        return json.dumps({"tool": tool, "ideas": ideas, "edit": edit})
    return text


def _plainly(call: dict[str, Any]) -> dict[str, Any]:
    """A call as it is asked for, where a model wrote one of functions: a name and arguments."""
    if isinstance(call.get("function"), dict):
        call = call["function"]
    if "tool" not in call and isinstance(call.get("name"), str):
        call = {"tool": call["name"], **{k: v for k, v in call.items() if k != "name"}}
    for name in _ARGUMENTS:
        given = call.get(name)
        if isinstance(given, str):  # as functions' arguments come: JSON in a text
            given = next(iter(whole_json(given)), None)
        if isinstance(given, dict):
            rest = {key: value for key, value in call.items() if key != name}
            return {**given, **rest}
    return call


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise IllegalAction(f"the edit cannot be written as JSON: {error}") from None


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
