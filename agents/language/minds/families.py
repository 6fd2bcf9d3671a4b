"""The minds known by name: which parts each is made of, as data in ``minds.yaml``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import orjson

from gymposium.errors import UnknownName

from .part import Part

DEFAULT_MODEL = "smollm2"
"""What a mind that is named alone thinks with."""


class Family(NamedTuple):
    """A mind known by name.

    Attributes:
        summary: one line about it.
        parts: kind and arguments of each part.
    """

    summary: str
    parts: Sequence[Mapping[str, Mapping[str, Any]]]

    @property
    def identity(self) -> str:
        """What makes it this mind: its parts, written out."""
        return orjson.dumps(self.parts, option=orjson.OPT_SORT_KEYS).decode()

    def build(self) -> list[Part]:
        """Its parts, fresh for one seat."""
        return [_kinds()[kind](**given) for part in self.parts for kind, given in part.items()]


@cache
def families() -> Mapping[str, Family]:
    """The minds by name, in the order of ``minds.yaml``."""
    import yaml

    text = resources.files(__package__).joinpath("minds.yaml").read_text(encoding="utf-8")
    return {name: Family(**facts) for name, facts in yaml.safe_load(text).items()}


def family(name: str, where: str) -> Family:
    """The mind of that name.

    Raises:
        UnknownName: there is none.
    """
    if name not in families():
        raise UnknownName("mind", name, families(), where=where)
    return families()[name]


@cache
def _kinds() -> Mapping[str, Callable[..., Part]]:
    from . import parts

    known = (
        parts.Identity,
        parts.Goal,
        parts.Recall,
        parts.Question,
        parts.Plan,
        parts.Options,
        parts.Marks,
    )
    return {kind.__name__.lower(): kind for kind in known}
