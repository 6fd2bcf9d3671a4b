"""The one-shot coin draw: unfair coins cut down to one coin a round, with closed forms.

A coin is green with probability p, else red. The green and the red agent each grab it with a
probability of their own for its colour; if both do, a fair flip decides. Whoever gets it earns 1; a
coin of the other's colour costs the other 2. Written after section 4.1 (Unfair Coins) of Kim and
Sycara (2025): the smallest game in which the kindest policy for the pair leaves one of them with
nothing. With a and b the two grabbing probabilities, ``x = a (1 - b/2)`` and ``y = b (1 - a/2)``
are the shares that go to green and to red.

Learning is by score-function gradients in NumPy, all seeds at once, so a table takes seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from .surgery import Fair, GradientCombiner, Projecting, WeightedSum

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ARMS = ("ind", "inequity_aversion", "weighted", "col", "pcgrad", "fcgrad")
GREEN_SHARE = 15 / 16
_LIMIT = 6.0  # of a logit
_EMA = 0.9


@dataclass(frozen=True)
class CoinDraw:
    """The game and how it is learned.

    Attributes:
        arm: one of ARMS.
        green: probability that a coin is green.
        updates: gradient steps.
        batch: coins per step.
        step: the gradient's factor.
        beta: weight of the collective gradient (weighted, fcgrad).
        alpha, beta_ia: disadvantageous and advantageous inequity (inequity_aversion).
    """

    arm: str = "fcgrad"
    green: float = GREEN_SHARE
    updates: int = 3000
    batch: int = 128
    step: float = 3.0
    beta: float = 0.5
    alpha: float = 5.0
    beta_ia: float = 0.05

    def __post_init__(self) -> None:
        if self.arm not in ARMS:
            raise UnknownName("arm", self.arm, ARMS, where="the coin draw")
        if not 0 <= self.green <= 1:
            raise UsageError(f"coin draw: green must be 0 to 1, got {self.green}")


def expected_values(grabs: Array, green: float = GREEN_SHARE) -> Array:
    """What both agents earn per coin, exactly.

    Args:
        grabs: probabilities ``[…, agent, colour]`` (green first in both).
        green: probability of a green coin.

    Returns:
        ``[…, agent]``.
    """
    a, b = grabs[..., 0, :], grabs[..., 1, :]
    x, y = a * (1 - b / 2), b * (1 - a / 2)
    values = np.stack(
        [
            green * (x - 2 * y)[..., 0] + (1 - green) * x[..., 1],
            green * y[..., 0] + (1 - green) * (y - 2 * x)[..., 1],
        ],
        axis=-1,
    )
    return values


def equal_split(green: float = GREEN_SHARE) -> float:
    """The most that both can earn when both earn the same; ``green`` at least 1/2.

    Red takes no red coin less and green coins at the rate ``y = (2p - 1) / 4p``.
    """
    taken = (2 * green - 1) / (4 * green)
    return green * taken + (1 - green)


def learn(game: CoinDraw, seed: int, runs: int) -> Array:
    """Learn ``runs`` times from independent starts.

    Returns:
        Expected values of the policies learned, ``[runs, 2]``: green's and red's.
    """
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(runs, 2, 2))  # run, agent, colour
    values = expected_values(_sigmoid(logits), game.green)
    combine = _combiner(game)
    for _ in range(game.updates):
        rewards, score = _play(game, _sigmoid(logits), rng)
        shared = rewards.mean(1, keepdims=True)
        values = _EMA * values + (1 - _EMA) * rewards.mean(2)
        own = _shape(game, rewards)
        g_ind, g_col = (_gradient(reward, score) for reward in (own, shared))
        logits += game.step * combine(g_ind, g_col, values, values.mean(1, keepdims=True))
        np.clip(logits, -_LIMIT, _LIMIT, out=logits)
    return expected_values(_sigmoid(logits), game.green)


def study(params: Mapping[str, Any], seed: int, scale: float = 1.0) -> dict[str, float]:
    """One run of one arm, for a claim.

    Args:
        params: fields of :class:`CoinDraw`.
        seed: of the start and of every draw.
        scale: multiplies the number of updates.

    Returns:
        ``green``, ``red``, ``mean`` and ``min`` of the expected values learned.
    """
    game = CoinDraw(**params)
    updates = max(1, round(game.updates * scale))
    green, red = learn(CoinDraw(**{**params, "updates": updates}), seed, 1)[0]
    return {
        "green": float(green),
        "red": float(red),
        "mean": float((green + red) / 2),
        "min": float(min(green, red)),
    }


def _play(game: CoinDraw, grabs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A batch of coins: rewards ``[run, agent, coin]``, scores ``[run, agent, colour, coin]``."""
    runs = len(grabs)
    red = (rng.random((runs, game.batch)) >= game.green).astype(np.int64)
    chance = np.take_along_axis(grabs, red[:, None, :], axis=2)
    took = rng.random(chance.shape) < chance
    heads = rng.random((runs, game.batch)) < 0.5
    to_green = took[:, 0] & (~took[:, 1] | heads)
    to_red = took[:, 1] & (~took[:, 0] | ~heads)
    rewards = np.stack(
        [to_green - 2.0 * (to_red & (red == 0)), to_red - 2.0 * (to_green & (red == 1))], axis=1
    )
    colour = np.stack([red == 0, red == 1], axis=1)
    return rewards, (took - chance)[:, :, None] * colour[:, None]


def _gradient(rewards: Array, score: Array) -> Array:
    """Score-function gradients ``[run, agent, colour]`` with the batch's mean as baseline."""
    centred = rewards - rewards.mean(-1, keepdims=True)
    return np.asarray((score * centred[:, :, None]).mean(-1))


def _shape(game: CoinDraw, rewards: Array) -> Array:
    if game.arm != "inequity_aversion":
        return rewards
    ahead = rewards - rewards[:, ::-1]
    envy, guilt = np.maximum(-ahead, 0), np.maximum(ahead, 0)
    return np.asarray(rewards - game.alpha * envy - game.beta_ia * guilt)


def _combiner(game: CoinDraw) -> GradientCombiner:
    made: dict[str, GradientCombiner] = {
        "ind": WeightedSum(0.0),
        "inequity_aversion": WeightedSum(0.0),
        "col": WeightedSum(1.0),
        "weighted": WeightedSum(game.beta),
        "pcgrad": Projecting(),
        "fcgrad": Fair(game.beta),
    }
    return made[game.arm]


def _sigmoid(logits: Array) -> Array:
    return 1 / (1 + np.exp(-logits))
