"""What ``scenarios/claims/vagen.yaml`` measures, as study functions.

Each takes ``(params, seed, scale)`` and returns measures. The claims are those of Wang et al.,
VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (NeurIPS 2025), without a
language model: a scripted reader who misreads what it sees at a set rate, and small networks that
learn to speak.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gymposium.types import Seat, TrainingTask

from ...agents.methods import resolve_method
from ...agents.registry import resolve
from ...envs.registry import make_world

SEAT = "player_0"
PARTS = 4
"""Learning curves have so many points: means over equal parts of the training."""
CURVES = ("success", "state_estimation", "transition_modeling", "format_rate", "distinct_replies")


def reader(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """Play the reader who plans on what it believes, over how often it reads a thing rightly.

    Args:
        params: ``world``, ``params`` (of the world), ``accuracies`` (0 to 1), ``matches`` (at each
            accuracy, on the same levels).
        seed: of levels and readers.
        scale: not used.

    Returns:
        ``success at A`` and ``belief at A`` (the world's score of the beliefs of the state now) for
        each accuracy A, means over matches.
    """
    world = make_world(str(params["world"]), **dict(params["params"]))
    seat, found = world.seats[SEAT], {}
    for accuracy in params["accuracies"]:
        spec = resolve(f"scripted:puzzle_responder?seeing={accuracy}&foreseeing={accuracy}")
        played = [
            _match(world, spec.create(), seat, 2**40 + 100_000 * seed + number)
            for number in range(int(params["matches"]))
        ]
        for name, metric in (("success", "success"), ("belief", "state_estimation")):
            mean = np.mean([metrics[metric] for metrics in played])
            found[f"{name} at {accuracy:g}"] = float(mean)
    return found


def _match(world: Any, agent: Any, seat: Seat, seed: int) -> Mapping[str, float]:
    turns = world.reset(seed)
    agent.reset(seat, seed)
    while turns:
        turns = world.step({SEAT: agent.act(turns[SEAT])})
    metrics: Mapping[str, float] = world.outcome.metrics
    return metrics


def speaker(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """Train a speaker and follow what it does while it learns.

    Args:
        params: ``method`` (a spec), ``steps`` (matches), ``world`` and ``params`` (of the world).
        seed: of the training.
        scale: not used.

    Returns:
        Means over the matches of training of :data:`CURVES`, the area under the curve, as their
        names say; over its last quarter as ``NAME, end``; and over each quarter as ``NAME 1`` to
        ``NAME 4``.
    """
    method = resolve_method(str(params["method"])).make()
    task = TrainingTask(
        str(params["world"]),
        dict(params["params"]),
        seats=(SEAT,),
        budget={"steps": int(params["steps"])},
        seed=seed,
    )
    told = [progress.metrics for progress in method.train(task)]
    found = {}
    for name in CURVES:
        along = np.array([metrics[name] for metrics in told])
        found[name] = float(along.mean())
        for number, part in enumerate(np.array_split(along, min(PARTS, len(along))), 1):
            found[f"{name} {number}"] = found[f"{name}, end"] = float(part.mean())
    return found
