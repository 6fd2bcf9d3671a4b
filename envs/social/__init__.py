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
register(
    WorldSpec(
        id="harvest-v0",
        entry_point="gymposium.envs.social.harvest:Harvest",
        summary="Apples grow back only where apples are left; restraint pays in the long run",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "commons", "simultaneous"),
        presets={
            "open": {},
            "closed": {"map": "harvest_closed"},
            "partnership": {"map": "harvest_partnership"},
            "fair-cooperation": {
                "agents": 4,
                "spawn_positions": ["near", "near", "far", "far"],
            },
            "melting-pot-closed": {
                "map": "harvest_closed",
                "regrowth": [0.0, 0.0025, 0.005, 0.025],
                "zap": "timeout",
                "zap_steps": 100,
                "zap_cooldown": 1,
                "beam": "wide",
                "beam_length": 4,
                "moves": "egocentric",
            },
            "mini": {"agents": 4, "map": "harvest_mini"},
        },
    )
)

register(
    WorldSpec(
        id="coins-v0",
        entry_point="gymposium.envs.social.coins:Coins",
        summary="Taking the other's coins pays, and costs the other more",
        seats=(1, 8),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "coins", "simultaneous"),
        presets={
            "fair": {},
            "unfair": {"colour_probs": [15, 1]},
            "unfair-three": {
                "agents": 3,
                "colour_probs": [7, 1, 1],
                "map": "coins_four_corners",
            },
            "mini": {"map": "coins_mini", "rate": 0.05},
        },
    )
)

register(
    WorldSpec(
        id="coop_mining-v0",
        entry_point="gymposium.envs.social.coop_mining:CoopMining",
        summary="Iron alone or gold together, if another strikes it in time",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "stag hunt", "simultaneous"),
        presets={
            "mini": {
                "map": "coop_mining_mini",
                "agents": 4,
                "iron_rate": 0.02,
                "gold_rate": 0.02,
            },
        },
    )
)

register(
    WorldSpec(
        id="gift-v0",
        entry_point="gymposium.envs.social.gift:Gift",
        summary="A token given away is worth three to whoever gets it",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "trust", "simultaneous"),
        presets={"mini": {"map": "gift_mini", "agents": 3, "rate": 0.05}},
    )
)

register(
    WorldSpec(
        id="mushrooms-v0",
        entry_point="gymposium.envs.social.mushrooms:Mushrooms",
        summary="Food for oneself, for all or for the others, and what grows depends on it",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "externality", "simultaneous"),
        presets={"dense": {}},
    )
)

register(
    WorldSpec(
        id="matrix_arena-v0",
        entry_point="gymposium.envs.social.matrix_arena:MatrixArena",
        summary="Gather a strategy, choose whom to meet, be paid by a matrix game",
        seats=(1, 50),
        kind="mixed",
        turn_based=False,
        tags=("dilemma", "grid", "matrix game", "simultaneous"),
        presets={
            "prisoners-dilemma": {"game": "prisoners-dilemma"},
            "stag-hunt": {"game": "stag-hunt", "map": "matrix_arena_stag_hunt"},
            "chicken": {"game": "chicken"},
        },
    )
)
