"""Common ground: worlds in which what counts is what a group comes to agree on."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="wason_cards-v0",
        entry_point="gymposium.envs.common_ground.wason_cards:WasonCards",
        summary="Find out in talk which of four cards must be turned to test a rule.",
        seats=(1, 9),
        kind="cooperative",
        turn_based=True,
        tags=("common ground", "collaboration", "language", "reasoning", "vector"),
        presets={
            "four": {},
            "judged": {"participants": 3, "rounds": 1, "judge": True},
            "hinted": {"participants": 3, "hints": 2, "roles": ["solver", "sceptic", "follower"]},
        },
    )
)
