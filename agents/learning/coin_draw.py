"""The one-shot coin draw: unfair coins cut down to one coin a round, with closed forms.

A coin is green with probability p, else red. The green and the red agent each grab it with a
probability of their own for its colour; if both do, a fair flip decides. Whoever gets it earns 1; a
coin of the other's colour costs the other 2. Written after section 4.1 (Unfair Coins) of Kim and
Sycara (2025): the smallest game in which the kindest policy for the pair leaves one of them with
nothing. With a and b the two grabbing probabilities, ``x = a (1 - b/2)`` and ``y = b (1 - a/2)``
are the shares that go to green and to red.

Learning is by score-function gradients in NumPy, all seeds at once, so a table takes seconds; or by
the exact gradients, with as much noise on them as one likes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from .surgery import Fair, GradientCombiner, Projecting, WeightedSum, gram

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ARMS = ("ind", "inequity_aversion", "weighted", "col", "pcgrad", "fcgrad", "aga")
GREEN_SHARE = 15 / 16
_OWN = np.eye(2)  # agent, colour
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
        exact: climb the gradients of the expected values (``aga`` always, ``inequity_aversion``
            never), not of a batch.
        noise: standard deviation of what is added to each entry of an exact gradient.
    """

    arm: str = "fcgrad"
    green: float = GREEN_SHARE
    updates: int = 3000
    batch: int = 128
    step: float = 3.0
    beta: float = 0.5
    alpha: float = 5.0
    beta_ia: float = 0.05
    exact: bool = False
    noise: float = 0.0

    def __post_init__(self) -> None:
        if self.arm not in ARMS:
            raise UnknownName("arm", self.arm, ARMS, where="the coin draw")
        if not 0 <= self.green <= 1:
            raise UsageError(f"coin draw: green must be 0 to 1, got {self.green}")
        if self.exact != (self.arm == "aga") and self.arm in ("aga", "inequity_aversion"):
            exactly = "exact" if self.arm == "aga" else "sampled"
            raise UsageError(f"coin draw: {self.arm} learns from {exactly} gradients only")


class Learned(NamedTuple):
    """What some runs came to.

    Attributes:
        values: expected values of the policies learned, ``[runs, 2]``: green's and red's.
        conflicts: the share of an agent's steps on which its two gradients conflicted, ``[runs]``.
    """

    values: Array
    conflicts: Array


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


def exact_gradients(grabs: Array, green: float = GREEN_SHARE) -> tuple[Array, Array]:
    """The gradients of an agent's own and of the mean expected value by its logits.

    Args:
        grabs: probabilities ``[…, agent, colour]``.
        green: probability of a green coin.

    Returns:
        Two arrays like ``grabs``.
    """
    slope = np.array([green, 1 - green]) * grabs * (1 - grabs)
    own = 1 + grabs[..., ::-1, :] * (_OWN - 0.5)
    # One more of its own coins is worth 1 to the pair, one of the other's costs it 1.
    return slope * own, slope * (_OWN - 0.5)


def learn(game: CoinDraw, seed: int, runs: int) -> Learned:
    """Learn ``runs`` times from independent starts."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(runs, 2, 2))  # run, agent, colour
    values = expected_values(_sigmoid(logits), game.green)
    conflicts = np.zeros(runs)
    for _ in range(game.updates):
        grabs = _sigmoid(logits)
        if game.exact:
            values = expected_values(grabs, game.green)
            g_ind, g_col = (
                exact + game.noise * rng.normal(size=grabs.shape)
                for exact in exact_gradients(grabs, game.green)
            )
        else:
            rewards, score = _play(game, grabs, rng)
            shared = rewards.mean(1, keepdims=True)
            values = _EMA * values + (1 - _EMA) * rewards.mean(2)
            own = _shape(game, rewards)
            g_ind, g_col = (_gradient(reward, score) for reward in (own, shared))
        conflicts += gram(g_ind, g_col).conflict.mean(1)
        if game.arm == "aga":
            direction = _bend(g_ind, g_col, grabs, game.green)
        else:
            direction = _combiner(game)(g_ind, g_col, values, values.mean(1, keepdims=True))
        logits += game.step * direction
        np.clip(logits, -_LIMIT, _LIMIT, out=logits)
    return Learned(expected_values(_sigmoid(logits), game.green), conflicts / game.updates)


def study(params: Mapping[str, Any], seed: int, scale: str = "cpu") -> dict[str, float]:
    """Some runs of one arm, for a claim.

    Args:
        params: fields of :class:`CoinDraw`, and ``runs`` (default 1).
        seed: of the starts and of every draw.
        scale: of the claim, which changes nothing here.

    Returns:
        Means over the runs. Of the expected values learned: ``green``, ``red``, ``mean``, ``min``,
        ``gap`` (between the two) and ``drop`` (from the mean to the lower one); and ``conflicts``.
    """
    fields = dict(params)
    runs = int(fields.pop("runs", 1))
    values, conflicts = learn(CoinDraw(**fields), seed, runs)
    found = {
        "green": values[:, 0],
        "red": values[:, 1],
        "mean": values.mean(1),
        "min": values.min(1),
        "gap": np.ptp(values, axis=1),
        "drop": values.mean(1) - values.min(1),
        "conflicts": conflicts,
    }
    return {name: float(each.mean()) for name, each in found.items()}


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


def _bend(g_ind: Array, g_col: Array, grabs: Array, green: float) -> Array:
    """AgA's direction, lambda 1 (see :mod:`.aga`): the collective objective's Hessian is diagonal.

    It is that of one agent's logits, as an agent of its own would know it.
    """
    curvature = np.array([green, 1 - green]) * grabs * (1 - grabs) * (1 - 2 * grabs)
    bent = curvature * (_OWN - 0.5) * g_col
    along, across, square = (
        (a * b).sum(-1, keepdims=True) for a, b in ((g_col, bent), (g_ind, bent), (bent, bent))
    )
    sign = np.sign(along * (across + square))
    return np.asarray(g_col + sign * (g_ind + bent))


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
