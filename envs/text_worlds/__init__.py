"""Worlds told in words: strangers talk, choose and are paid by rules (Concordia's contest)."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="reality_show-v0",
        entry_point="gymposium.envs.text_worlds.reality_show:RealityShow",
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
