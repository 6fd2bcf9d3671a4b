"""Whether doors and windows fit into the walls of their room."""

from __future__ import annotations

from .scene import Opening, Room, wall_of

NEAR = 0.5
"""Metres from a wall within which an opening is in it: not all programs mean the inner face."""
SLACK = 0.1
"""Metres by which one may stick out of its wall; what does is cut off."""


def misfit(room: Room, opening: Opening) -> tuple[str, str] | None:
    """The field of an opening for which it is in no wall, and why; None if it is in one."""
    x, y, bottom = opening.location
    _, wide, tall = opening.size
    wall = wall_of(room, opening)
    away = abs(wall.normal[0] * x + wall.normal[1] * y - wall.offset)
    along, axis = (y, 1) if wall.normal[0] else (x, 0)
    if away > NEAR:
        return "location", f"it is {away:.3g} m from the nearest wall, the {wall.name} one"
    if wide > wall.length + SLACK:
        return "size[1]", f"it is {wide:.4g} m wide, the {wall.name} wall {wall.length:.4g} m"
    if tall > room.height + SLACK:
        return "size[2]", f"it is {tall:.4g} m high, the room {room.height:.4g} m"
    if not wide / 2 - SLACK <= along <= wall.length - wide / 2 + SLACK:
        return (
            f"location[{axis}]",
            f"it reaches from {along - wide / 2:.4g} to {along + wide / 2:.4g} m, the {wall.name} "
            f"wall from 0 to {wall.length:.4g} m",
        )
    if not -SLACK <= bottom <= room.height - tall + SLACK:
        return (
            "location[2]",
            f"it reaches from {bottom:.4g} to {bottom + tall:.4g} m in height, the room from 0 to "
            f"{room.height:.4g} m",
        )
    return None
