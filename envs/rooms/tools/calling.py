"""Have a tool work: whatever it does, what comes of it is a sound scene or a refusal in words.

One that others wrote may also never come back. It works in a thread, with random numbers of its
own, and is left alone once it is overdue: that no tool holds a run up is worth a clock, which
otherwise no world has.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple

from gymposium.errors import GymposiumError, UsageError

from ...overdue import Overdue, do_in_time
from ..fields import shown
from ..layout import layout, scene_of
from ..scene import Scene
from .card import EXACT, MOST_ITEMS, Task, Tool
from .strangers import copied, in_line, rebuilt, told
from .toolbox import BUILT_IN


class Done(NamedTuple):
    """What came of a call: a scene, or None and the reason; ``overdue`` if it goes on for ever."""

    scene: Scene | None
    words: str
    overdue: bool = False


def call(tool: Tool, task: Task) -> Done:
    """Have a tool work on a copy of the scene; whatever goes wrong is a refusal in words."""
    name = tool.card.name
    try:
        if not tool.knows(task.kind):
            raise UsageError(f"it does not know rooms of the type {task.kind.name}")
        ids = [item.id for item in task.scene]
        if task.edit is not None and tool.edit_schema(task.kind, ids) is None:
            raise UsageError("it takes no edit; say what is wanted in ideas")
        scene, words = _given(_acted(tool, replace(task, scene=copied(task.scene))))
        if scene.room.type != task.kind.name:
            raise UsageError(f"it made a {scene.room.type!s:.40} of a {task.kind.name}")
        scene_of(layout(scene, digits=EXACT))  # whoever made it: the same rules for all
    except GymposiumError as error:
        return Done(None, f"{name} refused: {in_line(str(error))[:400]}")
    except Overdue as late:
        words = f"nothing came back within {tool.seconds:g} s; it is at {late.place}"
        return Done(None, f"{name} failed: {words}", overdue=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the plug-in boundary: told
        return Done(None, f"{name} failed: {told(error)}")
    return Done(scene, in_line(words)[:600])


def _acted(tool: Tool, task: Task) -> Any:
    """What a tool gives; one of others is waited for as long as it says."""
    if type(tool) in BUILT_IN:
        return tool.act(task)
    own, due = copy.deepcopy(task.rng), monotonic() + tool.seconds
    given: list[Any] = []
    came_back = False

    def work() -> None:
        nonlocal came_back
        try:
            given.append(tool.act(replace(task, rng=own)))
        finally:
            came_back = True

    try:
        do_in_time(work, lambda: due)
    finally:
        if came_back:  # else it may draw from its own for ever
            task.rng.bit_generator.state = own.bit_generator.state
    return given[0]


def _given(edited: Any) -> tuple[Scene, str]:
    if not isinstance(edited, tuple) or len(edited) != 2 or not isinstance(edited[0], Scene):
        raise UsageError(
            f"it gave no scene: act() must return Edited(scene, words), not {shown(edited)}"
        )
    scene, words = edited
    if not isinstance(words, str):
        raise UsageError(f"what it did must be text, not {shown(words)}")
    if len(scene.items) > MOST_ITEMS:
        raise UsageError(f"the room would hold {len(scene.items)} things; {MOST_ITEMS} are allowed")
    return rebuilt(scene), words
