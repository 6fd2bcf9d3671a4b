"""What ``scenarios/claims/interruptible-collaborator.yaml`` measures, as study functions.

Each takes ``(params, seed, scale)`` and returns measures. The claims are those of Nath and
Krishnaswamy, Learning "Partner-Aware" Collaborators in Multi-Party Collaboration (NeurIPS 2025), on
small policies: one of 37 weights, whose figures are exact, and networks trained by the one PPO in
groups that talk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gymposium.types import TrainingTask

from ...agents.learning.collaboration import factored as small
from ...agents.methods import resolve_method
from ...agents.registry import resolve
from ...envs.registry import make_world

QUALITIES = (1.0, 0.9, 0.5, 0.1)


def factored(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """Train the policy of 37 weights; everything that is measured of it is exact.

    Args:
        params: fields of :class:`~...agents.learning.collaboration.factored.Setting`.
        seed: of the training.
        scale: not used.

    Returns:
        ``solved at q`` and ``fine at q`` for advice right with chance q; ``told at q``, the same
        told that advice is useless; ``minding`` (divergence, in nats); ``trust`` (the weight u).
    """
    policy = small.train(small.Setting(**params), seed)
    return {
        **{f"solved at {q:g}": small.solved(policy, q) for q in QUALITIES},
        **{f"fine at {q:g}": small.fine(policy, q) for q in QUALITIES},
        "told": small.solved(policy, 0.9, gate=0.0),
        "minding": small.minding(policy),
        "trust": float(policy.u),
    }


def trained(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """Train a network in an advised world, then have it advised by better and worse partners.

    Args:
        params: ``method`` (a spec), ``steps`` (decisions), ``world`` and ``params`` (of the world),
            ``quality`` (of the advice in training), ``matches`` (to measure with, at each quality).
        seed: of the training; the matches measured with are others, the same for all methods.
        scale: not used.

    Returns:
        The means of :data:`MEASURED` for each quality, as ``score at 0.9``, and the same told that
        advice is useless, at the quality of training, as ``score told``.
    """
    world = {"world": str(params["world"]), "params": dict(params["params"])}
    method = resolve_method(str(params["method"])).make()
    task = TrainingTask(
        "advised-v0",
        {**world, "quality": float(params["quality"])},
        budget={"steps": int(params["steps"])},
        seed=seed,
    )
    for _ in method.train(task):
        pass
    agents: Any = method.agents()
    return _measured(
        lambda seat: agents[seat], world, int(params["matches"]), float(params["quality"])
    )


def seated(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """The same measures of a scripted agent in every seat: floors and ceilings.

    Args:
        params: ``agent`` (a spec), ``world``, ``params``, ``quality`` and ``matches``, as above.
        seed: shifts the matches.
        scale: not used.
    """
    world = {"world": str(params["world"]), "params": dict(params["params"])}
    spec = resolve(str(params["agent"]))
    count, quality = int(params["matches"]), float(params["quality"])
    return _measured(lambda seat: spec.create(), world, count, quality, first=seed)


MEASURED = ("score", "exact", "ground_true", "ground_false", "followed", "cg_gain", "helpful")
"""What is reported of the matches, where the world has it."""


def _measured(
    seat_agent: Any, world: Mapping[str, Any], count: int, trained_at: float, first: int = 0
) -> dict[str, float]:
    found = {}
    cases = [(f"at {quality:g}", quality, "no") for quality in QUALITIES]
    for name, quality, told in [*cases, ("told", trained_at, "hidden")]:
        params = {**world, "quality": quality, "counterfactual": told}
        played = [_match(seat_agent, params, 2**40 + 10_000 * first + m) for m in range(count)]
        for measure in MEASURED:
            values = [metrics[measure] for metrics in played if measure in metrics]
            if values:
                found[f"{measure} {name}"] = float(np.mean(values))
    return found


def _match(seat_agent: Any, params: Mapping[str, Any], seed: int) -> Mapping[str, float]:
    world = make_world("advised-v0", **params)
    turns = world.reset(seed)
    minds = {seat: seat_agent(seat) for seat in world.seats}
    # A network serves several seats: each seat's draws are its own, carried from turn to turn.
    states: dict[str, Any] = {}
    for number, seat in enumerate(world.seats):
        if hasattr(minds[seat], "start"):
            states[seat] = minds[seat].start(seed + number)
        else:
            minds[seat].reset(world.seats[seat], seed + number)
    while turns:
        actions = {}
        for seat, turn in turns.items():
            if seat in states:
                said, kept = minds[seat].act_batch(
                    [turn.observation], [states[seat]], [turn.action_mask]
                )
                actions[seat], states[seat] = said[0], kept[0]
            else:
                actions[seat] = minds[seat].act(turn)
        turns = world.step(actions)
    return world.outcome.metrics
