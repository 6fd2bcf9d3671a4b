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
register(
    WorldSpec(
        id="sokoban-v0",
        entry_point=f"{_HERE}.sokoban:Sokoban",
        summary="Push a box onto its target, saying what is and what will be.",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("visual", "text", "puzzle", "planning", "reasoning", "vector"),
        presets={
            "text": {"shows": "text", "representation": "symbolic", "form": "json"},
            "both": {
                "shows": "both",
                "strategy": "state_estimation",
                "representation": "structured",
            },
            "moves": {"control": "move", "shows": "codes", "turns": 10},
            "two-boxes": {"split": "any", "boxes": 2, "strategy": "free_think", "turns": 10},
        },
    )
)
register(
    WorldSpec(
        id="frozen_lake-v0",
        entry_point=f"{_HERE}.frozen_lake:FrozenLake",
        summary="Cross the ice round the holes, saying what is and what will be.",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("visual", "text", "navigation", "planning", "reasoning", "vector"),
        presets={
            "text": {"shows": "text", "representation": "structured", "form": "json"},
            "slippery": {"slippery": True, "strategy": "transition_modeling", "shows": "both"},
            "moves": {"control": "move", "shows": "codes"},
        },
    )
)
register(
    WorldSpec(
        id="navigation-v0",
        entry_point=f"{_HERE}.navigation:Navigation",
        summary="Walk through a furnished flat, by sight, to what the instruction means.",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("visual", "text", "navigation", "embodied", "reasoning"),
        presets={
            "common-sense": {"tasks": "common_sense"},
            "complex-instruction": {"tasks": "complex_instruction"},
            "visual-appearance": {"tasks": "visual_appearance"},
            "long-horizon": {"tasks": "long_horizon"},
            "text": {"shows": "text", "form": "json", "split": "train", "size": 64},
        },
    )
)
register(
    WorldSpec(
        id="primitive_skill-v0",
        entry_point=f"{_HERE}.primitive_skill:PrimitiveSkill",
        summary="Pick, place and push things on a table that one must tell apart by sight.",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("visual", "text", "manipulation", "embodied", "reasoning"),
        presets={
            "align": {"task": "align"},
            "place": {"task": "place", "representation": "structured"},
            "drawer": {"task": "drawer"},
            "text": {"shows": "text", "form": "json"},
        },
    )
)
register(
    WorldSpec(
        id="pair_sokoban-v0",
        entry_point=f"{_HERE}.pair_sokoban:PairSokoban",
        summary="Two push one box, and each sees half of what both must know.",
        seats=(2, 2),
        kind="by parameters",
        turn_based=False,
        tags=("visual", "text", "puzzle", "communication", "cooperation", "reasoning"),
        presets={
            "windows": {"views": "windows", "shows": "text"},
            "beliefs": {"beliefs": True, "belief_reward": 0.1, "shows": "text", "horizon": 10},
        },
    )
)
