"""Societies: Mesa models in which a few seats live among hundreds of cheap people."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="town-v0",
        entry_point="gymposium.envs.societies.town:Town",
        summary="Walk about a town of hundreds, meet, play dilemmas and gossip about the others.",
        seats=(1, 20),
        kind="mixed",
        turn_based=False,
        extras=("mesa",),
        tags=("society", "reputation", "gossip", "dilemma", "indirect reciprocity", "mesa"),
        presets={
            "image-scoring": {},
            "standing": {"norm": "standing"},
            "silent": {"gossip": 0.0, "watch": 0.0},
            "stag-hunt": {"game": "stag-hunt", "people": 60, "seats": 4},
        },
    )
)

register(
    WorldSpec(
        id="conference-v0",
        entry_point="gymposium.envs.societies.conference:Conference",
        summary="Review for a venue over the years, by ratings or in pairs, where truth is known.",
        seats=(1, 21),
        kind="mixed",
        turn_based=False,
        extras=("mesa",),
        tags=("society", "peer review", "judgement", "ranking", "mechanism design", "mesa"),
        presets={
            "ratings": {},
            "pairwise": {"mechanism": "pairwise"},
            "hybrid": {"mechanism": "hybrid"},
            "chaired": {"mechanism": "chair", "years": 6, "load": 4, "seats": 1},
            "blind": {"mechanism": "pairwise", "blind": True},
        },
    )
)
