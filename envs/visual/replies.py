"""Replies as actions: how one is written, and the space whose samples are well-formed ones.

A turn of these worlds is answered by free text (Wang et al., VAGEN, 2025, section 3), so the action
space is a Text. Letters drawn at random would never be a reply; what is sampled here is always one,
of the strategy's format, with random actions and empty beliefs: a random walker's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium import spaces

from gymposium.errors import UnknownName

from ..markets.money import CHARACTERS
from ..speech import spelled
from .strategies import parts_of, skeleton

WRITABLE = CHARACTERS + "\n√"
"""What can be shown and said."""
MAX_REPLY = 4_000
"""Characters of a reply; a longer one is cut, and then is of no format."""
FORMS = ("tags", "json")
_WRITABLE = frozenset(WRITABLE)


def written(
    strategy: str,
    actions: Sequence[str],
    parts: Mapping[str, str] | None = None,
    *,
    form: str = "tags",
    separator: str = ",",
) -> str:
    """A reply of the strategy's format.

    Args:
        strategy: its name.
        actions: primitive actions, in order.
        parts: what stands in each part before the answer; what is not given stays empty.
        form: ``tags``, or ``json`` (:func:`.strategies.schema`).
        separator: put between actions.

    Raises:
        UnknownName: no such strategy, part or form.
    """
    names, given = parts_of(strategy), dict(parts or {})
    for name in given:
        if name not in names:
            raise UnknownName("part", name, names, where=strategy)
    if form not in FORMS:
        raise UnknownName("form", str(form), FORMS, where="a reply")
    said = {name: given.get(name, "") for name in names}
    if form == "json":
        return json.dumps({**said, "action": [*actions]}, ensure_ascii=False)
    pieces = skeleton(strategy).split("...")
    values = [*said.values(), f"{separator} ".join(actions), ""]
    return "".join(piece + value for piece, value in zip(pieces, values, strict=True))


class Replies(spaces.Text):
    """The Text of replies to one world; samples are of the format, with random actions.

    Args:
        strategy, form, separator: as for :func:`written`.
        actions: examples of the actions there are.
        most: actions a turn.
    """

    def __init__(
        self, strategy: str, actions: Sequence[str], *, most: int, form: str, separator: str
    ) -> None:
        self._strategy, self._actions, self._most = strategy, tuple(actions), most
        self._form, self._separator = form, separator
        super().__init__(MAX_REPLY, min_length=0, charset=WRITABLE)

    def contains(self, x: Any) -> bool:
        """Whether it is text of no more than MAX_REPLY characters, all WRITABLE."""
        return isinstance(x, str) and len(x) <= MAX_REPLY and _WRITABLE.issuperset(x)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A reply with one to ``most`` actions, each drawn uniformly; masks do not apply."""
        count = int(self.np_random.integers(1, self._most + 1))
        chosen = self.np_random.integers(len(self._actions), size=count)
        actions = [self._actions[index] for index in chosen]
        form, separator = self._form, self._separator
        return written(self._strategy, actions, form=form, separator=separator)


def peeled(text: str) -> str:
    """A reply out of ``{"action": reply}``, should it come so; in WRITABLE, cut to MAX_REPLY."""
    text = unwrapped(text.strip() if len(text) > MAX_REPLY else text)
    if not _WRITABLE.issuperset(text):
        text = spelled(text, _WRITABLE)
    return text[:MAX_REPLY]


def unwrapped(text: str) -> str:
    """A whole reply out of an object that has it as its ``action`` or ``answer``; else ``text``."""
    if text[:1] != "{":
        return text
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    inner = value.get("action", value.get("answer"))
    if isinstance(inner, dict):
        return json.dumps(inner, ensure_ascii=False)
    # A string that is no reply of its own is an action of the object's: its parts must stay.
    whole = isinstance(inner, str) and ("<answer>" in inner or inner.lstrip()[:1] == "{")
    return inner if whole else text
