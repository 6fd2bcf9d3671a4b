"""Worlds told in words: strangers talk, choose and are paid by rules.

Their presets carry the names of the Concordia Contest's scenarios that they stand for.
"""

from ..registry import WorldSpec, register

_FOLDER = "gymposium.envs.text_worlds"

register(
    WorldSpec(
        id="pub_coordination-v0",
        entry_point=f"{_FOLDER}.pub_coordination:PubCoordination",
        summary="Friends with different tastes agree on a pub, evening after evening",
        seats=(2, 10),
        kind="mixed",
        turn_based=False,
        tags=("text", "coordination", "talk", "contest"),
        presets={
            "mini": {"players": 2, "stubborn": 0, "games": 1},
            "stubborn": {"players": 2, "stubborn": 4},
            "closures": {"closure": 0.7},
            "three-pubs": {"pubs": 3},
            "three-pubs-closures": {
                "pubs": 3,
                "closure": 1.0,
                "games": 5,
                "players": 6,
                "stubborn": 0,
            },
            "tough-friendship": {
                "players": 5,
                "stubborn": 0,
                "games": 4,
                "closure": 1.0,
                "friendship": "single",
            },
            "friends-in-seats": {"players": 3, "supporting": "seat", "friendship": "drawn"},
        },
    )
)
register(
    WorldSpec(
        id="text_haggling-v0",
        entry_point=f"{_FOLDER}.text_haggling:TextHaggling",
        summary="Traders meet in pairs, talk, and make one offer",
        seats=(1, 9),
        kind="mixed",
        turn_based=True,
        tags=("text", "bargaining", "talk", "contest"),
        presets={
            "plain": {},
            "gullible": {"players": 2, "partner": "gullible"},
            "stubborn": {"players": 2, "partner": "stubborn", "supporting": "seat"},
            "multi-item": {"goods": 3, "top": 6},
            "multi-item-gullible": {"players": 2, "goods": 3, "top": 6, "partner": "gullible"},
            "strange": {"values": [1, 1], "costs": [6, 6]},
            "vanilla": {"players": 4, "values": [2, 6], "costs": [1, 5]},
        },
    )
)
register(
    WorldSpec(
        id="labor_action-v0",
        entry_point=f"{_FOLDER}.labor_action:LaborAction",
        summary="Underpaid workers strike together, or go on working",
        seats=(1, 11),
        kind="mixed",
        turn_based=False,
        tags=("text", "collective action", "talk", "contest"),
        presets={
            "railroad": {},
            "coal": {"skin": "coal"},
            "garment-paranoid": {"skin": "garment", "boss": "paranoid"},
            "busting": {"boss": "busting", "rules": "v2"},
            "boss-in-seat": {"supporting": "seat"},
        },
    )
)
register(
    WorldSpec(
        id="reality_show-v0",
        entry_point=f"{_FOLDER}.reality_show:RealityShow",
        summary="Candidates of a show talk, then play a small dilemma over and over",
        seats=(2, 8),
        kind="mixed",
        turn_based=False,
        tags=("text", "dilemma", "talk", "contest"),
        presets={
            "prisoners-dilemma": {},
            "chicken": {"game": "chicken"},
            "stag-hunt": {"game": "stag-hunt", "players": 4},
            "silent": {"game": "chicken-strict", "talk": 0, "dense": True},
        },
    )
)
register(
    WorldSpec(
        id="state_formation-v0",
        entry_point=f"{_FOLDER}.state_formation:StateFormation",
        summary="Two elders persuade their villagers, and each other, before the raiders come",
        seats=(2, 7),
        kind="mixed",
        turn_based=False,
        tags=("text", "persuasion", "treaty", "talk", "contest"),
        presets={
            "two-years": {},
            "three-years": {"years": 3},
            "judged": {"years": 1, "judge": True},
            "villagers-in-seats": {"years": 1, "supporting": "seat"},
        },
    )
)
