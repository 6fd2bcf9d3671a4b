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
            "choices": {"room": "any", "control": "choice"},
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
