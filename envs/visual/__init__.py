"""Worlds to be looked at, and what an agent may say about their state before it acts."""

from ..registry import WorldSpec, register

_HERE = "gymposium.envs.visual"

register(
    WorldSpec(
        id="svg_reconstruction-v0",
        entry_point=f"{_HERE}.svg.svg_reconstruction:SvgReconstruction",
        summary="Redraw an icon in SVG, look at the drawing, try again",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        extras=("visual",),
        tags=("visual", "text", "drawing", "code"),
        presets={
            "one-shape": {"primitives": 1},
            "world-modeling": {"strategy": "world_modeling", "primitives": 2},
        },
    )
)
