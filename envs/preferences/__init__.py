"""Preferences: a respondent chooses between outcomes of the world, two at a time."""

from ..registry import WorldSpec, register

register(
    WorldSpec(
        id="preference_elicitation-v0",
        entry_point="gymposium.envs.preferences.preference_elicitation:PreferenceElicitation",
        summary="Which of two outcomes do you prefer? Asked again and again, what do you value?",
        seats=(1, 1),
        kind="mixed",
        turn_based=True,
        tags=("preferences", "judgement", "values", "utility", "language", "comparison"),
        presets={
            "base": {},
            "lotteries": {"about": "lotteries"},
            "quantities": {"about": "quantities"},
            "delays": {"about": "delays"},
            "stories": {"about": "stories", "indifferent": True},
            "assembly": {"pay": "assembly"},
        },
    )
)
