"""Who begins a room and ends there: one-shot methods in the planner's seat.

For comparison with planners that go on (SceneWeaver, Yang et al., arXiv 2509.20414, section 4): the
baselines furnish a room in one go, and nobody looks at what came of it.
"""

from __future__ import annotations

import json
from typing import ClassVar

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn


class RoomBeginner:
    """Calls one initialiser, then ends.

    Args:
        tool: which one.
        model: what the tool is asked to sample from, where it asks.
    """

    name: ClassVar[str] = "room_beginner"
    summary: ClassVar[str] = "Begins a room with one tool, and ends there."
    worlds: ClassVar[tuple[str, ...]] = ("scene_weaver-v0",)
    deterministic: ClassVar[bool] = True

    def __init__(self, tool: str = "init_gpt", model: str = "") -> None:
        for name, value in (("tool", tool), ("model", model)):
            if not isinstance(value, str):
                raise UsageError(f"room_beginner: {name} must be a name, got {value!r:.60}")
        self._tool, self._model = tool, model

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""

    def act(self, turn: Turn) -> str:
        """The initialiser, while it is offered; then the end."""
        if "offered" not in turn.info:
            raise UsageError("room_beginner plays scene_weaver-v0 with control: call")
        if self._tool not in turn.info["offered"]:
            return json.dumps({"tool": "terminate", "ideas": "One go must do."})
        edit = {"edit": {"model": self._model}} if self._model else {}
        return json.dumps({"tool": self._tool, "ideas": "All in one go.", **edit})


BOTS: dict[str, type] = {RoomBeginner.name: RoomBeginner}
