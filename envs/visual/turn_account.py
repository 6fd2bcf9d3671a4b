"""What a turn came to, as plain data: told to the player, summed for the match, tabled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

METRICS = (
    "success",
    "turns",
    "actions",
    "format_rate",
    "valid_rate",
    "effective_rate",
    "state_estimation",
    "transition_modeling",
    "reply_length",
)
"""The measures of every world of the family: shares of its turns, 0 to 1, but for the counts."""
_SHARES = {
    "format_rate": "format_correct",
    "valid_rate": "action_is_valid",
    "effective_rate": "action_is_effective",
    "state_estimation": "grounding_reward",
    "transition_modeling": "worldmodeling_reward",
}


def turn_metrics(**found: Any) -> dict[str, Any]:
    """The measures of one turn; what is not given is as if nothing was said."""
    blank = {
        "format_correct": False,
        "action_is_valid": False,
        "action_is_effective": False,
        "grounding_reward": 0.0,
        "worldmodeling_reward": 0.0,
        "format_reward": 0.0,
        "environment_reward": 0.0,
    }
    return {**blank, **found}


def blank_turn() -> dict[str, Any]:
    """The account before the first turn."""
    return {
        "said": {},
        "answer": [],
        "executed": [],
        "state_before": {},
        "state": {},
        "turn_metrics": turn_metrics(),
    }


def add(sums: dict[str, float], turn: Mapping[str, Any], length: int) -> None:
    """Add a turn, whose reply had ``length`` characters, to the sums of its match."""
    sums["turns"] += 1
    sums["actions"] += len(turn["executed"])
    sums["reply_length"] += length
    for name, measure in _SHARES.items():
        sums[name] += turn["turn_metrics"][measure]


def means(sums: Mapping[str, float]) -> dict[str, float]:
    """The measures of a match but for its success."""
    turns, counts = max(sums["turns"], 1.0), ("turns", "actions")
    return {name: value if name in counts else value / turns for name, value in sums.items()}


def table(log: Sequence[Mapping[str, Any]], apart: str) -> dict[str, list[Any]]:
    """Every turn: what was believed, what was true (as JSON), what it came to."""
    columns: dict[str, list[Any]] = {
        "turn": [*range(1, len(log) + 1)],
        "observation": [turn["said"].get("observation", "") for turn in log],
        "prediction": [turn["said"].get("prediction", "") for turn in log],
        "answer": [apart.join(turn["answer"]) for turn in log],
        "executed": [apart.join(turn["executed"]) for turn in log],
        "state_before": [json.dumps(turn["state_before"]) for turn in log],
        "state": [json.dumps(turn["state"]) for turn in log],
    }
    for name in turn_metrics():
        columns[name] = [turn["turn_metrics"][name] for turn in log]
    return columns
