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
register(
    WorldSpec(
        id="weights_task-v0",
        entry_point="gymposium.envs.common_ground.weights_task:WeightsTask",
        summary="Find out together what blocks weigh; each has seen other weighings.",
        seats=(1, 9),
        kind="cooperative",
        turn_based=True,
        tags=("common ground", "collaboration", "language", "evidence"),
        presets={
            "three": {},
            "paper": {"weights": [10, 10, 20, 30, 50]},
            "judged": {"blocks": 3, "participants": 2, "rounds": 2, "judge": True},
        },
    )
)
register(
    WorldSpec(
        id="ranking_task-v0",
        entry_point="gymposium.envs.common_ground.ranking_task:RankingTask",
        summary="Rank goods in talk; each was told other true comparisons.",
        seats=(1, 9),
        kind="cooperative",
        turn_based=True,
        tags=("common ground", "collaboration", "language", "hidden profile"),
        presets={"five": {}, "three": {"items": 3, "told": 1, "participants": 2, "rounds": 1}},
    )
)
register(
    WorldSpec(
        id="advised-v0",
        entry_point="gymposium.envs.common_ground.advised:Advised",
        summary="Any world, with a partner who advises before one acts, well or badly.",
        seats=(1, 50),
        kind="by parameters",
        turn_based=False,
        tags=("common ground", "collaboration", "advice", "modified actions", "wrapper"),
        presets={
            "selection": {
                "params": {"participants": 1, "rounds": 0, "solo": False},
            },
            "partner": {
                "params": {"participants": 3, "rounds": 1},
                "adviser": "seat",
                "collaborators": ["player_0"],
                "quality": 1.0,
            },
            "chicken": {
                "world": "iterated_matrix-v0",
                "params": {"game": "chicken", "rounds": 3},
                "adviser": "seat",
                "collaborators": ["player_1"],
                "modify": 0.2,
            },
        },
    )
)
