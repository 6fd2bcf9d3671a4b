"""Social dilemmas on a grid: many short-sighted seats, one world they share."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="clean_up-v0",
        entry_point="gymposium.envs.social.clean_up:CleanUp",
        summary="Keep the river clean or the apples stop growing; only eating pays",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "public good", "simultaneous"),
        presets={
            "fair-cooperation": {
                "agents": 4,
                "spawn_positions": ["far", "far", "near", "near"],
            },
            "melting-pot": {
                "zap": "timeout",
                "zap_steps": 50,
                "zap_cooldown": 10,
                "beam": "wide",
                "clean_cooldown": 2,
                "moves": "egocentric",
            },
            "mini": {"agents": 4, "map": "clean_up_mini", "start_dirt": 0.3},
        },
    )
)
