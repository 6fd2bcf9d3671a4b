"""The state of a room on its way as a few numbers, for planners that learn which tool to call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .tools.card import Tool
from .tools.supplies import bare, is_carrier, missing_roles
from .weaving import TRIES, Weaving

_NUMBERS = 15


def count_of_codes(tools: Sequence[Tool]) -> int:
    """How many numbers there are."""
    return _NUMBERS + len(tools)


def codes(weaving: Weaving, tools: Sequence[Tool]) -> NDArray[np.float32]:
    """The numbers, float32 in -10 to 10.

    Four grades as shares of 10; worth; things as a share of the usual; things outside, collisions
    and unstable things (tenths); covered floor, bare tops (shares); missing roles (share); step
    and try (shares); whether the last call was accepted (1), or not (-1); and which tool it was.
    """
    now, kind = weaving.now, weaving.kind
    grades, metrics, scene = now.grades, now.metrics, now.scene
    carriers = sum(is_carrier(item) for item in scene)
    roles = sum(role.least for role in kind.required)
    last = weaving.rows[-1] if weaving.rows else None
    done = 0.0 if last is None else 1.0 if last["result"] == "accepted" else -1.0
    values = [
        grades.realism / 10,
        grades.function / 10,
        grades.layout / 10,
        grades.completion / 10,
        now.worth,
        metrics.objects / kind.target,
        metrics.outside / 10,
        metrics.collisions / 10,
        metrics.unstable / 10,
        metrics.covered,
        len(bare(scene)) / carriers if carriers else 0.0,
        len(missing_roles(kind, scene)) / roles,
        weaving.step / weaving.limits.steps,
        weaving.tried / TRIES,
        done,
    ]
    called = "" if last is None else last["tool"]
    values += [float(tool.card.name == called) for tool in tools]
    return np.clip(np.array(values, np.float32), -10, 10)
