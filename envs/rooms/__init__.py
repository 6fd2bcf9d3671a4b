"""Furnished rooms: what stands where, whether it could stand there, and how well."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="scene_weaver-v0",
        entry_point=f"{__name__}.scene_weaver:SceneWeaver",
        summary="Furnish a room with tools, physics and four grades, and know when to stop",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("rooms", "text", "visual", "tools", "planning"),
        presets={
            "choices": {"room": "bathroom", "control": "choice"},
        },
    )
)
register(
    WorldSpec(
        id="room_judging-v0",
        entry_point=f"{__name__}.room_judging:RoomJudging",
        summary="Grade a furnished room from its picture and its layout",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("rooms", "text", "visual", "judgement"),
    )
)
register(
    WorldSpec(
        id="arrange_room-v0",
        entry_point=f"{__name__}.arranging.arrange_room:ArrangeRoom",
        summary="Furnish one room with somebody who wants something else of it.",
        seats=(2, 5),
        kind="mixed",
        turn_based=True,
        tags=("rooms", "common ground", "negotiation", "language", "private preferences"),
        presets={
            "bedroom": {},
            "living-room": {"room": "living_room", "conflict": 1.0},
            "small": {"pieces": 3, "standing": 1, "wishes": 3, "shared": 1, "rounds": 3},
            "judged": {"room": "office", "pieces": 4, "rounds": 2, "judge": True},
        },
    )
)
