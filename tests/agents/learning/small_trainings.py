"""Trainings of a second or so in small worlds, and batches such as they learn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymposium.agents.learning.losses import Minibatch
from gymposium.agents.methods import resolve_method
from gymposium.types import TrainingTask

GRID = {"map": "clean_up_mini", "agents": 2, "horizon": 12, "start_dirt": 0.1}
FAST = "num_envs=4&minibatches=2"


def train(method: str, task: TrainingTask, updates: int, state: Any = None) -> Any:
    made: Any = resolve_method(method).make()
    if state is not None:
        made.load_state_dict(state)
    training = made.train(task)
    for _ in range(updates):
        made.progress = next(training)
    return made


def matrix(seed: int = 0, **params: Any) -> TrainingTask:
    given = {"game": "prisoners-dilemma", "rounds": 2} | params
    return TrainingTask("iterated_matrix-v0", given, seed=seed, budget={"steps": 4000})


def grid(seed: int = 0) -> TrainingTask:
    return TrainingTask("clean_up-v0", GRID, seed=seed, budget={"steps": 2000})


def flat(state: Any, at: str = "") -> dict[str, Any]:
    """Every leaf of a state, by path."""
    if isinstance(state, dict):
        return {k: v for key in state for k, v in flat(state[key], f"{at}/{key}").items()}
    if isinstance(state, list | tuple):
        return {k: v for i, x in enumerate(state) for k, v in flat(x, f"{at}/{i}").items()}
    return {at: np.asarray(state).tobytes() if hasattr(state, "shape") else state}


def minibatch(made: Any, rng: np.random.Generator, n: int = 40) -> Minibatch:
    spaces, layout = made.source.spaces, made.decider.layout
    minds = len(spaces.seats)
    shape = (n, minds)
    return Minibatch(
        seen=rng.normal(size=(*shape, *spaces.shape)).astype(np.float32),
        state=None,
        choices=rng.integers(0, 2, (*shape, 1)),
        amounts=np.zeros((*shape, layout.amounts), np.float32),
        masks=None,
        logp=np.full(shape, np.log(0.5), np.float32),
        advantages=rng.normal(size=(*shape, 2)).astype(np.float32),
        targets=rng.normal(size=(*shape, 2)).astype(np.float32),
        valid=(rng.random(shape) < 0.8).astype(np.float32),
    )
