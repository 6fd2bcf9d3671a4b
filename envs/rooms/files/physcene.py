"""Boxes that generators trained on 3D-FRONT sample, as PhyScene writes and SceneWeaver ships them.

``{"ThreedFront": {jid: [{size, label, theta, position}, …]}}``, Y-up: ``size`` is half the sides of
a 3D-FUTURE model, which faces +z, ``position`` the middle of its bottom, and ``theta`` turns it
about y. Axes become ours as in :mod:`.front`. There is neither floor nor relation: the room is the
rectangle about the things, and relations that hold are added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gymposium.errors import UsageError

from ..fields import field, mapping, number, numbers, plain, shown
from ..layout import PLACES, SIZES
from .front import listed
from .imported import Account, Box, Imported

_HALVES = (SIZES[0] / 2, SIZES[1] / 2)
_ANGLES = (-1000.0, 1000.0)


def is_physcene(document: object) -> bool:
    """Whether a document looks like sampled boxes."""
    return isinstance(document, Mapping) and "ThreedFront" in document


def physcene_room(document: Mapping[str, Any], kind: str = "room") -> Imported:
    """The room of a sample.

    Raises:
        UsageError: a field is wrong.
    """
    account = Account()
    for jid, entries in mapping(document["ThreedFront"], "ThreedFront").items():
        model = f"ThreedFront.{plain(jid)}"
        for place, entry in enumerate(listed(entries, model)):
            account.take(_box(entry, f"{model}[{place}]"))
    floor = account.floor()
    return account.done(account.room(kind, floor, "the room"), floor)


def _box(entry: object, where: str) -> Box:
    fields = mapping(entry, where)
    label = field(fields, "label", where)
    if not isinstance(label, str):
        raise UsageError(f"{where}.label must be a text, not {shown(label)}")
    x, y, z = numbers(fields, "position", where, 3, PLACES)
    a, b, c = numbers(fields, "size", where, 3, _HALVES)
    turn = number(field(fields, "theta", where), f"{where}.theta", _ANGLES)
    facing = math.remainder(turn - math.pi / 2, 2 * math.pi)
    return Box(where, (label,), (x, -z, y), facing, (2 * c, 2 * a, 2 * b))
