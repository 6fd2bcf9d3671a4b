"""Policies for both seats out of records: RTZ-VI-LCB and seven methods to compare it with.

A :class:`Recipe` says which, with which radius and penalty; :func:`learn` follows it.

- ``rtz_vi_lcb``: robust value iteration with the penalty (Li et al., NeurIPS 2025); ``rtz_vi``: the
  same without it, the paper's only baseline.
- ``vi_lcb_game``: no doubt, with the penalty (Yan et al., 2022, in its episodic form); ``vi_game``:
  neither.
- ``p2m2po``: double pessimism, a set of kernels the data do not rule out inside the set of worlds
  (Blanchet et al., 2023, in a tabular form of ours): ``pess`` with the radius enlarged by
  ``confidence * sqrt(S / N)``, and by 1 where nothing was seen.
- ``dr_nvi``: robust Nash value iteration, ``bimatrix`` without penalty (Shi et al., 2024); meant
  for data of a generative model.
- ``drvi_lcb``: each player alone against the other's empirical policy (Shi and Chi, 2024).
- ``behaviour_cloning``: the empirical policies themselves; ``uniform``: anything, equally often.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..planning.robust.model import Model, Penalty, estimate
from ..planning.robust.value_iteration import MODES, Doubt, solve
from .records import Policies, Records, subsample

Array: TypeAlias = np.ndarray[Any, Any]
ALGORITHMS = (
    "rtz_vi_lcb",
    "rtz_vi",
    "vi_lcb_game",
    "vi_game",
    "p2m2po",
    "dr_nvi",
    "drvi_lcb",
    "behaviour_cloning",
    "uniform",
)


@dataclass(frozen=True, eq=False)
class Recipe:
    """How policies are made from records.

    Attributes:
        algorithm: one of ``ALGORITHMS``.
        mode: ``paper``, ``pess`` or ``bimatrix``, where the algorithm leaves it open.
        doubt: the uncertainty sets, where the algorithm has any.
        penalty: mistrust of estimates, where the algorithm has any.
        confidence: of ``p2m2po``.
        homogeneous: the kernel is the same in every step, so that all steps' data count together.
        subsample: ``none``, ``split`` or ``trim``; see :func:`.records.subsample`.
        seed: of the subsampling.
    """

    algorithm: str = "rtz_vi_lcb"
    mode: str = "paper"
    doubt: Doubt = dataclasses.field(default_factory=Doubt)
    penalty: Penalty = dataclasses.field(default_factory=Penalty)
    confidence: float = 1.0
    homogeneous: bool = True
    subsample: str = "none"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownName("algorithm", str(self.algorithm), ALGORITHMS, where="a recipe")
        if self.mode not in MODES:
            raise UnknownName("mode", str(self.mode), MODES, where="a recipe")
        if self.algorithm == "p2m2po" and self.doubt.divergence != "tv":
            raise UsageError(
                "p2m2po's confidence set is measured in total variation: use divergence tv"
            )
        if not self.confidence >= 0:
            raise UsageError(f"p2m2po's confidence must be from 0 up, got {self.confidence!r}")


def learn(data: Records, recipe: Recipe) -> Policies:
    """What the recipe makes of the records.

    Raises:
        UsageError: nothing is left after subsampling.
    """
    kept = subsample(data, recipe.seed, how=recipe.subsample)
    if recipe.algorithm == "behaviour_cloning":
        return empirical(kept, homogeneous=recipe.homogeneous)
    if recipe.algorithm == "uniform":
        return empirical(kept, weight=0.0)
    model = estimate(kept, homogeneous=recipe.homogeneous)
    if recipe.algorithm == "drvi_lcb":
        fixed = empirical(kept, homogeneous=recipe.homogeneous)
        return _alone(model, fixed, recipe.doubt, recipe.penalty)
    doubt, penalty, mode = recipe.doubt, recipe.penalty, recipe.mode
    if recipe.algorithm in ("vi_lcb_game", "vi_game"):
        doubt = Doubt()
    if recipe.algorithm in ("rtz_vi", "vi_game", "p2m2po", "dr_nvi"):
        penalty = Penalty(0.0)
    if recipe.algorithm == "p2m2po":
        mode, model = "pess", _widened(model, recipe.confidence)
    if recipe.algorithm == "dr_nvi":
        mode = "bimatrix"
    return solve(model, doubt, penalty, mode=mode).policies


def empirical(data: Records, *, homogeneous: bool = True, weight: float = 1.0) -> Policies:
    """How often each action was taken in each state; uniform where the state was never seen.

    Args:
        data: records.
        homogeneous: count all steps together.
        weight: of an observation; 0 makes everything uniform.
    """
    return Policies(
        _frequencies(data, data.row, data.size[1], homogeneous, weight),
        _frequencies(data, data.column, data.size[2], homogeneous, weight),
    )


def _frequencies(
    data: Records, action: Array, count: int, homogeneous: bool, weight: float
) -> Array:
    steps, states = 1 if homogeneous else data.horizon, data.size[0]
    step = np.zeros_like(data.step) if homogeneous else data.step
    cell = np.ravel_multi_index((step, data.state, action), (steps, states, count))
    seen = weight * np.bincount(cell, minlength=steps * states * count)
    seen = seen.reshape(steps, states, count).astype(np.float64)
    total = seen.sum(-1, keepdims=True)
    odds = np.where(total > 0, seen / np.where(total > 0, total, 1.0), 1.0 / count)
    return np.ascontiguousarray(np.broadcast_to(odds, (data.horizon, states, count)))


def _widened(model: Model, confidence: float) -> Model:
    counts = model.counts
    if counts is None:
        return model
    states = model.shape[0]
    slack = np.minimum(1.0, confidence * np.sqrt(states / np.maximum(counts, 1)))
    return dataclasses.replace(model, slack=np.where(counts > 0, slack, 1.0))


def _alone(model: Model, fixed: Policies, doubt: Doubt, penalty: Penalty) -> Policies:
    """Each player's robust optimum, with a lower bound on it, if the other plays as it did."""
    states, rows, columns = model.shape
    mu = np.zeros((model.horizon, states, rows))
    nu = np.zeros((model.horizon, states, columns))
    low, high = np.zeros(states), np.zeros(states)
    every = np.arange(states)
    for step in reversed(range(model.horizon)):
        kernel, rewards, counts, _ = model.at(step)
        top = float(model.horizon)
        mine = rewards + doubt.low(kernel, low) - penalty(kernel, counts, low, top)
        yours = rewards + doubt.high(kernel, high) + penalty(kernel, counts, high, top)
        gains = np.einsum("sab,sb->sa", np.clip(mine, 0, top), fixed.min[step])
        costs = np.einsum("sab,sa->sb", np.clip(yours, 0, top), fixed.max[step])
        mu[step, every, gains.argmax(1)] = 1.0
        nu[step, every, costs.argmin(1)] = 1.0
        low, high = gains.max(1), costs.min(1)
    return Policies(mu, nu)
