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
