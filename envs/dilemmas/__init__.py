"""Social dilemmas: games in which what is best for each is not best for all."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="iterated_matrix-v0",
        entry_point="gymposium.envs.dilemmas.iterated_matrix:IteratedMatrix",
        summary="Matrix games round after round: prisoners' dilemma, public goods, your own",
        seats=(2, 50),
        kind="by parameters",
        turn_based=False,
        tags=("dilemma", "matrix game", "simultaneous", "cheap talk"),
        deterministic=True,
        presets={
            "prisoners-dilemma": {"game": "prisoners-dilemma"},
            "stag-hunt": {"game": "stag-hunt"},
            "chicken": {"game": "chicken"},
            "battle-of-the-sexes": {"game": "battle-of-the-sexes"},
            "matching-pennies": {"game": "matching-pennies"},
            "public-goods": {"game": "public-goods", "players": 4},
            "prisoners-dilemma-open-ended": {"game": "prisoners-dilemma", "continuation": 0.9},
            "stag-hunt-talk": {"game": "stag-hunt", "talk": True},
        },
    )
)
