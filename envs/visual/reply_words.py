"""What a newcomer is told of replies: what each part must hold, and the skeleton to fill in.

The prompt of Wang et al., VAGEN (2025), in our words: once in full with the rules, and as a line at
the end of every turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .strategies import parts_of, schema, skeleton

_HOLD = {
    "think": "think step by step",
    "observation": "describe the state that you see now",
    "reasoning": "think about what to do",
    "prediction": "describe the state that your actions will lead to",
}
HOW_WRITTEN: Mapping[str, str] = {
    "natural": (
        "Describe states in words: say of each thing whether it is above or below, and to the left "
        "or right of you; say same row or same column where it is."
    ),
    "structured": (
        "Describe states as JSON: the (row, column) of each kind of thing, from 0 at the top left, "
        "and a list of them where there are several."
    ),
    "symbolic": "Describe states as a drawing in the symbols of the legend, a line for each row.",
}
"""How beliefs of grids are written, by representation."""


def how_to_reply(strategy: str, form: str, beliefs: str, most: int, separator: str) -> str:
    """What a reply must hold, part by part, how ``beliefs`` are written, and its skeleton."""
    parts = parts_of(strategy)
    told = [f"In {name}, {_HOLD[name]}." for name in parts]
    if {"observation", "prediction"} & {*parts}:
        told.append(beliefs)
    return " ".join([*told, reminder(strategy, form, most, separator)])


def reminder(strategy: str, form: str, most: int, separator: str) -> str:
    """One line: how many actions, and the skeleton."""
    count = f"up to {most} actions" if most > 1 else "one action"
    if form == "json":
        fields = ", ".join(f'"{name}": …' for name in schema(strategy)["properties"])
        return f"Reply with {count}, as one JSON object: {{{fields}}}; action is a list."
    apart = f", separated by {separator!r}" if most > 1 else ""
    return f"Reply with {count}{apart}, in this form:\n{skeleton(strategy)}"


def feedback(last: Mapping[str, Any], separator: str) -> str:
    """What became of a turn, in a line; ``last`` is as in its ``info``."""
    done = f"{separator} ".join(last["executed"])
    told = f"Carried out: {done}." if done else "Nothing was carried out."
    if not last["answer"]:
        told += " No answer could be read in your reply; it must be of the form below."
    elif not last["turn_metrics"]["action_is_valid"]:
        told += " Not all of your answer were known actions."
    elif not last["turn_metrics"]["format_correct"]:
        told += " Your reply was not of the format."
    return told
