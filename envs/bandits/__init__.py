"""Bandits whose rewards are what one lives on, and those who employ the ones who pull."""

from ..registry import WorldSpec, register

_HERE = "gymposium.envs.bandits"
_INVEST = {"instance": "investment"}

register(
    WorldSpec(
        id="survival_bandit-v0",
        entry_point=f"{_HERE}.survival_bandit:SurvivalBandit",
        summary="Known arms, a budget that follows the rewards, and an end when it is spent",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("bandit", "risk", "planning", "vector"),
        presets={
            "sng": {"instance": "sng"},
            "assistant": {"instance": "assistant"},
            "investment-1-dollar": {**_INVEST, "budget": 10},
            "investment-10-dollars": {**_INVEST, "budget": 100},
            "gambler": {"instance": "gambler"},
            "random-10": {"instance": "random"},
        },
    )
)
