"""What furnishing a room together can be set to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from gymposium.errors import UsageError

from ...common_ground.discussion import DiscussionParams
from ...limits import choice, real, whole
from .pieces import FURNITURE, MOST_PIECES

_FEWEST, _MOST = 2, 4


@dataclass(frozen=True)
class ArrangeRoomParams(DiscussionParams):
    """Parameters of ``arrange_room-v0``."""

    participants: int = field(
        default=2, metadata={"doc": "how many furnish the room", "range": [_FEWEST, _MOST]}
    )
    rounds: int = field(
        default=5, metadata={"doc": "turns of talk for each participant", "range": [0, 50]}
    )
    solo: bool = field(default=False, metadata={"doc": "false: there is nothing to answer alone"})
    room: str = field(
        default="bedroom", metadata={"doc": "type of room", "choices": tuple(FURNITURE)}
    )
    pieces: int = field(default=5, metadata={"doc": "pieces there are", "range": [2, MOST_PIECES]})
    standing: int = field(
        default=2, metadata={"doc": "pieces in the room as found", "range": [0, MOST_PIECES]}
    )
    wishes: int = field(default=4, metadata={"doc": "wishes of each", "range": [1, 8]})
    shared: int = field(
        default=2, metadata={"doc": "topics that all have a wish about", "range": [0, 8]}
    )
    conflict: float = field(
        default=0.5,
        metadata={"doc": "chance to want the contrary on a shared topic", "range": [0, 1]},
    )
    quality: float = field(
        default=0.25, metadata={"doc": "share of the room's quality in what each earns"}
    )
    ground: float = field(
        default=0.15, metadata={"doc": "share of common ground in what each earns"}
    )

    where: ClassVar[str] = "arrange_room"

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self.where
        whole(where, "participants", self.participants, _FEWEST, _MOST)
        choice(where, "room", self.room, tuple(FURNITURE))
        whole(where, "pieces", self.pieces, 2, MOST_PIECES)
        whole(where, "standing", self.standing, 0, self.pieces)
        whole(where, "wishes", self.wishes, 1, 8)
        whole(where, "shared", self.shared, 0, self.wishes)
        for name in ("conflict", "quality", "ground"):
            object.__setattr__(self, name, real(where, name, getattr(self, name), 0, 1))
        if self.quality + self.ground > 1:
            raise UsageError(f"{where}: quality and ground are shares; together at most 1")
        if self.solo:
            raise UsageError(f"{where}: solo must be false: there is nothing to answer alone")
