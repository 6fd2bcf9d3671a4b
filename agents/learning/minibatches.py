"""From a rollout to minibatches: every mind's decisions beside each other, shuffled alike.

A recurrent network learns from whole lanes, since each of its decisions depends on those before;
all others learn from single decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .losses import Minibatch
from .rollouts import Rollout

if TYPE_CHECKING:
    from .ppo import PPOConfig

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def arrange(rollout: Rollout, advantages: Array, *, shared: bool) -> Minibatch:
    """The whole rollout as ``[T, L, M, …]``: lanes of one mind beside each other."""

    def lanes(array: Array) -> Array:
        if not shared:
            return array
        steps, envs, seats = array.shape[:3]
        return array.reshape(steps, envs * seats, 1, *array.shape[3:])

    return Minibatch(
        seen=lanes(rollout.seen),
        state=None if rollout.state is None else lanes(rollout.state),
        choices=lanes(rollout.choices),
        amounts=lanes(rollout.amounts),
        masks=None if rollout.masks is None else lanes(rollout.masks),
        logp=lanes(rollout.logp),
        advantages=lanes(advantages),
        targets=lanes(advantages + rollout.values),
        valid=lanes(rollout.valid.astype(np.float32)),
        starts=lanes(rollout.starts),
        hidden=rollout.hidden,
    )


def minibatches(
    batch: Minibatch, config: PPOConfig, rng: np.random.Generator
) -> Iterator[Minibatch]:
    """Every epoch's parts: single decisions, or whole lanes where the network is recurrent."""
    steps, lanes = batch.logp.shape[:2]
    if config.recurrent:
        for _ in range(config.epochs):
            order = rng.permutation(lanes)
            for lane in np.array_split(order, min(config.minibatches, lanes)):
                hidden = None if batch.hidden is None else batch.hidden[:, lane]
                yield _pick(batch, lambda a, lane=lane: a[:, lane])._replace(hidden=hidden)
        return
    flat = _pick(batch, lambda a: a.reshape(steps * lanes, *a.shape[2:]))
    # What no mind decided (padding) is left out; what only some decided carries weight 0 for them.
    used = np.flatnonzero(flat.valid.any(1))
    for _ in range(config.epochs):
        order = rng.permutation(used)
        for rows in np.array_split(order, min(config.minibatches, len(order))):
            yield _pick(flat, lambda a, rows=rows: a[rows])._replace(starts=None, hidden=None)


def _pick(batch: Minibatch, pick: Any) -> Minibatch:
    """The batch with ``pick`` applied to every array."""
    arrays = {k: pick(x) for k, x in batch._asdict().items() if isinstance(x, np.ndarray)}
    return batch._replace(**arrays)
