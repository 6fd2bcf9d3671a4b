"""Tabular Markov games of two players, and the sets of worlds that one of them might be."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="robust_zero_sum-v0",
        entry_point="gymposium.envs.markov_games.robust_zero_sum:RobustZeroSum",
        summary="A Markov game of two whose next states may not come as they were said to",
        seats=(2, 2),
        kind="zero_sum",
        turn_based=False,
        tags=("markov game", "robustness", "planning", "offline", "simultaneous"),
        deterministic=True,
        presets={
            "dirichlet": {"game": "dirichlet"},
            "paper": {"game": "dense", "states": 50, "horizon": 100},
            "worst-for-max": {"game": "dirichlet", "kernel": "worst_for_max"},
            "matching-pennies": {"game": "matching_pennies", "horizon": 1},
            "grid-pursuit": {"game": "grid_pursuit"},
            "soccer": {"game": "soccer", "horizon": 30},
        },
    )
)
