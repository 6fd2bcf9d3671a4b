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

register(
    WorldSpec(
        id="principal_agent-v0",
        entry_point=f"{_HERE}.principal_agent:PrincipalAgent",
        summary="One seat sets the terms, the other lives on a budget and cannot lose more than it",
        seats=(2, 2),
        kind="mixed",
        turn_based=True,
        tags=("bandit", "risk", "mechanism design", "alignment"),
        presets={"sng": {"instance": "sng"}, "short": {"instance": "sng", "horizon": 5}},
    )
)

register(
    WorldSpec(
        id="shared_budget-v0",
        entry_point=f"{_HERE}.shared_budget:SharedBudget",
        summary="Several pull arms and live, or not, from one purse",
        seats=(2, 50),
        kind="by parameters",
        turn_based=False,
        tags=("bandit", "risk", "commons", "simultaneous"),
        presets={
            "two": {"players": 2},
            "four-equal": {"players": 4, "sharing": "equal"},
        },
    )
)
