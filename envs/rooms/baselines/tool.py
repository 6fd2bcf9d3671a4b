"""Any baseline as a tool of ``scene_weaver-v0``, so that planners can begin with it.

It is not in the kit by default; a world is given it as
``tools: ["gymposium.envs.rooms.baselines.tool:InitBaseline"]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gymposium.errors import UsageError

from ..execute import Physics
from ..room_types import RoomType
from ..tools.card import Card, Edited, Family, Task, Tool
from ..tools.edits import one_of, only, record
from .index import BASELINES, baseline


class InitBaseline(Tool):
    """A room as one of the baselines furnishes it."""

    card = Card(
        "init_baseline",
        Family.INITIALISER,
        f"Furnishes the room by another method: {', '.join(BASELINES)}.",
        ("comparing methods",),
        ("use a learned one for rooms that it was not fitted to",),
        "shows what planning adds.",
        "nothing checks what it makes but the executor.",
        cost=1,
    )
    physics = Physics.FULL

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``model``: which baseline."""
        known = [it.name for it in BASELINES.values() if not it.rooms or kind.name in it.rooms]
        return record({"model": one_of(known)}, ["model"])

    def act(self, task: Task) -> Edited:
        """The room furnished by the baseline that the edit or the ideas name."""
        name = next((name for name in BASELINES if name in task.ideas.lower()), "")
        if task.edit is not None:
            only(task.edit, ("model",))
            name = str(task.edit.get("model"))
        if not name:
            raise UsageError(f"edit.model must be one of {', '.join(BASELINES)}")
        scene = baseline(name).furnish(replace(task.scene, items=()), task.rng)
        return Edited(scene, f"furnished with {len(scene)} things by {name}.")
