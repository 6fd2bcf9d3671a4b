"""Methods that are PPO with another reward: made from everybody's, after the world has paid.

The world pays raw task rewards; only what is learned from is changed, never what is measured. With
N agents: collective, the mean; inequity aversion, Hughes et al., *Inequity Aversion Improves
Cooperation in Intertemporal Social Dilemmas* (2018); social value orientation, McKee et al.,
*Social Diversity and Social Preferences in Mixed-Motive Reinforcement Learning* (2020); gifting of
a fixed share, after Lupu and Precup, *Gifting in Multi-Agent Reinforcement Learning* (2020), also
known as reward transfer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from .ppo import PPO, PPOConfig, at_least, share
from .rollouts import Rollout

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def collective(everyone: Array) -> Array:
    """The mean of all rewards: ``[…, N]`` to ``[…]``."""
    return np.asarray(everyone.mean(-1))


def inequity_averse(own: Array, everyone: Array, *, alpha: float, beta: float) -> Array:
    """Own reward less what others have more (times alpha), and less (times beta), on average.

    Args:
        own: ``[…]``.
        everyone: ``[…, N]``, own among them.
        alpha: weight of disadvantageous inequity.
        beta: weight of advantageous inequity.
    """
    ahead = everyone - own[..., None]
    others = max(everyone.shape[-1] - 1, 1)
    envy, guilt = np.maximum(ahead, 0).sum(-1), np.maximum(-ahead, 0).sum(-1)
    return np.asarray(own - (alpha * envy + beta * guilt) / others)


def value_oriented(own: Array, everyone: Array, *, weight: float, angle: float) -> Array:
    """Own reward less N times ``weight`` times how far the reward angle is from ``angle``.

    The reward angle is ``atan2(mean of the others, own)``; ``angle`` is in degrees.
    """
    n = everyone.shape[-1]
    others = (everyone.sum(-1) - own) / max(n - 1, 1)
    off = np.abs(np.arctan2(others, own) - np.deg2rad(angle))
    return np.asarray(own - n * weight * off)


def gifted(own: Array, everyone: Array, *, kept: float) -> Array:
    """What is left after every agent gives ``1 - kept`` of its reward to the others, equally."""
    n = everyone.shape[-1]
    if n == 1:
        return own
    return np.asarray(kept * own + (1 - kept) / (n - 1) * (everyone.sum(-1) - own))


class Collective(PPO):
    """PPO for the group's mean reward."""

    def rewards(self, rollout: Rollout) -> Array:
        """The mean of all rewards, the same for every seat."""
        return _broadcast(rollout, lambda own, everyone: collective(everyone))


@dataclass(frozen=True)
class InequityAversionConfig(PPOConfig):
    """Parameters of inequity aversion."""

    alpha: float = field(default=5.0, metadata=at_least(0, "weight of others having more"))
    beta: float = field(default=0.05, metadata=at_least(0, "weight of others having less"))
    smooth: float = field(
        default=0.0,
        metadata=share("decay (times gamma) of the rewards compared; 0: raw ones"),
    )


class InequityAversion(PPO):
    """PPO that dislikes inequity, of raw or of temporally smoothed rewards."""

    Config: ClassVar[type[PPOConfig]] = InequityAversionConfig
    config: InequityAversionConfig

    def __init__(self, config: InequityAversionConfig | None = None) -> None:
        super().__init__(config)
        self._trace: Array | None = None  # where the smoothed rewards stand, ``[E, A, N]``

    def rewards(self, rollout: Rollout) -> Array:
        """Own rewards less the inequity of the (smoothed) rewards."""
        everyone = np.broadcast_to(
            rollout.everyone, (*rollout.rewards.shape, rollout.everyone.shape[-1])
        )
        if self.config.smooth:
            everyone = self._smoothed(everyone, rollout)
        compared = np.take_along_axis(everyone, _own(rollout), -1)[..., 0]
        shaped = inequity_averse(compared, everyone, alpha=self.config.alpha, beta=self.config.beta)
        return np.asarray(rollout.rewards + (shaped - compared), np.float32)[..., None]

    def extra_state(self) -> dict[str, Any]:
        """The smoothed rewards."""
        return {"trace": self._trace}

    def load_extra_state(self, state: Any) -> None:
        """Go on smoothing."""
        self._trace = None if state["trace"] is None else np.asarray(state["trace"])

    def _smoothed(self, everyone: Array, rollout: Rollout) -> Array:
        """``e_t = gamma smooth e_{t-1} + r_t``, from 0 at the start of each match."""
        decay = self.config.gamma * self.config.smooth
        trace = np.zeros(everyone.shape[1:]) if self._trace is None else self._trace
        out = np.empty(everyone.shape)
        for t in range(len(everyone)):
            trace = np.where(rollout.starts[t][..., None], 0, trace) * decay + everyone[t]
            out[t] = trace
        self._trace = trace
        return out


@dataclass(frozen=True)
class SocialValueOrientationConfig(PPOConfig):
    """Parameters of social value orientation."""

    weight: float = field(default=0.5, metadata=at_least(0, "weight of the angle's distance"))
    angle: float = field(
        default=45.0, metadata={"doc": "0 is selfish, 90 altruistic", "unit": "degrees"}
    )


class SocialValueOrientation(PPO):
    """PPO that keeps the others' reward in proportion to its own."""

    Config: ClassVar[type[PPOConfig]] = SocialValueOrientationConfig
    config: SocialValueOrientationConfig

    def rewards(self, rollout: Rollout) -> Array:
        """Own rewards less the distance of the reward angle."""
        weight, angle = self.config.weight, self.config.angle
        return _broadcast(
            rollout, lambda own, all: value_oriented(own, all, weight=weight, angle=angle)
        )


@dataclass(frozen=True)
class GiftingConfig(PPOConfig):
    """Parameters of gifting."""

    kept: float = field(default=0.5, metadata=share("what of its reward an agent keeps"))


class Gifting(PPO):
    """PPO after every agent has given a share of its reward to the others."""

    Config: ClassVar[type[PPOConfig]] = GiftingConfig
    config: GiftingConfig

    def rewards(self, rollout: Rollout) -> Array:
        """What is left and what is received."""
        return _broadcast(rollout, lambda own, all: gifted(own, all, kept=self.config.kept))


def _broadcast(rollout: Rollout, shape: Callable[[Array, Array], Array]) -> Array:
    shaped = np.broadcast_to(shape(rollout.rewards, rollout.everyone), rollout.rewards.shape)
    return shaped[..., None].astype(np.float32)


def _own(rollout: Rollout) -> Array:
    """Where each seat is among the N: ``[T, E, A, 1]``."""
    return np.broadcast_to(rollout.own[:, None], (*rollout.rewards.shape, 1))
