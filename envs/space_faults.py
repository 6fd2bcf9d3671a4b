"""Why an action is no element of its space, in a sentence that names the part at fault.

The repr of a Dict with a Text in it is a page of letters, and does not say which key was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import Space, spaces


def fault(space: Space[Any], action: Any) -> str:
    """What ``action`` must be to be an element of ``space``, by its first part that is not."""
    if isinstance(space, spaces.Dict):
        return _of_keys(space, action)
    if isinstance(space, spaces.Text):
        return _of_text(space, action)
    return f"it must be of {space}"


def _of_keys(space: spaces.Dict, action: Any) -> str:
    due = ", ".join(repr(name) for name in space)
    if not isinstance(action, Mapping):
        return f"it must be a dictionary with the keys {due}"
    if missing := [name for name in space if name not in action]:
        return f"it lacks {missing[0]!r}; its keys must be {due}"
    if odd := [name for name in action if name not in space.spaces]:
        return f"it has no key {odd[0]!r:.60}; its keys must be {due}"
    for name, part in space.items():
        if not part.contains(action[name]):
            return f"{name!r}: {fault(part, action[name])}, not {_shown(action[name])}"
    return f"its keys must be {due}, each of its own kind"


def _of_text(space: spaces.Text, action: Any) -> str:
    lengths = f"text of {space.min_length} to {space.max_length} characters"
    if isinstance(action, str):
        if odd := [letter for letter in action if letter not in space.character_set]:
            return f"it must be {lengths} without {odd[0]!r}"
        if len(action) > space.max_length:
            return f"it must be {lengths}, which {len(action)} are not"
    return f"it must be {lengths}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
