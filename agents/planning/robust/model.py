"""What data say about a game: counts, an empirical kernel, and how far to trust it.

The model of RTZ-VI-LCB (Li et al., NeurIPS 2025): frequencies, observed rewards, and the Bernstein
penalty of its equation 18. A triple never seen has the uniform kernel and reward 0, and its penalty
is H (the published code: 0). A known game is the same thing without counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ....envs.markov_games.games import MarkovGame
from ...offline.records import Records

Array: TypeAlias = np.ndarray[Any, Any]
UNSEEN = ("full", "zero")


class Stage(NamedTuple):
    """A step of a :class:`Model`: the same without the axis of steps."""

    transitions: Any
    rewards: Any
    counts: Any
    slack: Any


@dataclass(frozen=True, eq=False)
class Model:
    """A game as it is known.

    Attributes:
        transitions: float64 ``[H or 1, S, A, B, S]``.
        rewards: float64 ``[H or 1, S, A, B]``.
        counts: int64 ``[H or 1, S, A, B]``, or None where the game is known and not estimated.
        horizon: H.
        slack: float64, as ``counts``: radius that is added to both players' sets, or None.
    """

    transitions: Array
    rewards: Array
    counts: Array | None
    horizon: int
    slack: Array | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """(S, A, B)."""
        _, states, rows, columns = self.rewards.shape
        return int(states), int(rows), int(columns)

    def at(self, step: int) -> Stage:
        """What is known of a step from 0."""
        parts = (self.transitions, self.rewards, self.counts, self.slack)
        return Stage(*(None if p is None else p[step if len(p) > 1 else 0] for p in parts))


@dataclass(frozen=True)
class Penalty:
    """How an estimate is mistrusted, equation 18: ``beta = min(max(bernstein, rest), H)``.

    ``bernstein = sqrt(c / N * Var(V))`` and ``rest = 2 c H / N``, N the visits of the triple.

    Attributes:
        constant: c, in the theory C_n log(K H / delta); 0 is no penalty.
        unseen: of triples never seen: ``full``, H as the formula has it, or ``zero``, as the
            published code has it.
    """

    constant: float = 0.001
    unseen: Literal["full", "zero"] = "full"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.constant) and self.constant >= 0):
            raise UsageError(f"the penalty's constant must be from 0 up, got {self.constant!r}")
        if self.unseen not in UNSEEN:
            raise UnknownName("unseen", str(self.unseen), UNSEEN, where="the penalty")

    def __call__(self, transitions: Array, counts: Array | None, value: Array, top: float) -> Any:
        """``[S, A, B]``, or 0 where nothing is to be mistrusted.

        Args:
            transitions: ``[S, A, B, S]``.
            counts: ``[S, A, B]``, or None: the kernel is known.
            value: ``[S]``, of the next step.
            top: H.
        """
        if counts is None or not self.constant:
            return 0.0
        mean = transitions @ value
        spread = np.maximum(transitions @ (value * value) - mean * mean, 0.0)
        visits = np.maximum(counts, 1)
        rest = 2 * self.constant * top / visits
        beta = np.maximum(np.sqrt(self.constant / visits * spread), rest)
        unseen = top if self.unseen == "full" else 0.0
        return np.where(counts > 0, np.minimum(beta, top), unseen)


def known(game: MarkovGame) -> Model:
    """The game itself as a model."""
    return Model(game.transitions, game.rewards, None, game.horizon)


def estimate(data: Records, *, homogeneous: bool = True) -> Model:
    """Frequencies and mean rewards.

    Args:
        data: transitions.
        homogeneous: every step has the same kernel, so that all count together.
    """
    states, rows, columns = data.size
    steps = 1 if homogeneous else data.horizon
    step = np.zeros_like(data.step) if homogeneous else data.step
    shape = (steps, states, rows, columns)
    cell = np.ravel_multi_index((step, data.state, data.row, data.column), shape)
    cells = math.prod(shape)
    counts = np.bincount(cell, minlength=cells)
    paid = np.bincount(cell, weights=data.reward, minlength=cells)
    seen = np.bincount(cell * states + data.after, minlength=cells * states)
    kernel = seen.reshape(cells, states).astype(np.float64)
    kernel /= np.maximum(counts, 1)[:, None]
    kernel[counts == 0] = 1.0 / states
    rewards = paid / np.maximum(counts, 1)
    return Model(
        kernel.reshape(*shape, states), rewards.reshape(shape), counts.reshape(shape), data.horizon
    )


def theory_constant(
    episodes: int, horizon: int, *, delta: float = 0.1, scale: float = 1.0
) -> float:
    """C_n log(K H / delta), the theory's constant with C_n = ``scale``."""
    return scale * math.log(episodes * horizon / delta)
