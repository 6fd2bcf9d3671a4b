"""Methods that keep two gradients apart: of an agent's own return and of the group's.

Kim and Sycara, *Fair Cooperation in Mixed-Motive Games via Conflict-Aware Gradient Adjustment*
(2025), section 4 and appendix C. Two critics share each agent's encoder, and advantages are
estimated twice. The two clipped policy gradients, over encoder and actor as one vector, go through
a :class:`~.surgery.GradientCombiner`; the gradients of critics and entropy are added afterwards.
Which return is lower is judged by ``values``, an option the paper leaves open.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch

from .losses import Terms
from .networks import Layer, is_policy
from .ppo import PPO, PPOConfig, at_least, share
from .reward_shaping import collective
from .rollouts import Rollout
from .surgery import ConflictAverse, Fair, GradientCombiner, Gram, Projecting, WeightedSum, gram

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
IND, COL = 0, 1
"""The heads: individual and collective."""


@dataclass(frozen=True)
class TwoObjectivesConfig(PPOConfig):
    """Parameters of every method with two gradients."""

    values: Literal["returns", "value_head_mean", "value_head_initial"] = field(
        default="returns",
        metadata={
            "doc": "what says which objective is lower: a moving average of task returns, the "
            "critics' mean over a minibatch, or over the first decisions of matches"
        },
    )
    ema: float = field(default=0.9, metadata=share("decay of the moving average of returns"))


class TwoObjectives(PPO):
    """PPO with an individual and a collective objective; a subclass names the combiner."""

    Config: ClassVar[type[PPOConfig]] = TwoObjectivesConfig
    config: TwoObjectivesConfig
    heads: ClassVar[int] = 2

    def __init__(self, config: PPOConfig | None = None) -> None:
        super().__init__(config)
        self._returns: Array | None = None  # the moving average, ``[2, A]``
        self._initial: Array | None = None  # the critics at the latest matches' starts, ``[2, A]``
        self._seen: dict[str, list[Array]] = {}

    @abstractmethod
    def combiner(self) -> GradientCombiner:
        """What makes one gradient of two."""

    def rewards(self, rollout: Rollout) -> Array:
        """Individual and collective rewards, on one scale."""
        shared = np.broadcast_to(collective(rollout.everyone), rollout.rewards.shape)
        return np.stack([rollout.rewards, shared], -1).astype(np.float32)

    def observe(self, rollout: Rollout) -> None:
        """Update the estimates of both returns."""
        if len(rollout.returns):
            means = rollout.returns.mean(0)
            latest = np.stack([means[rollout.own], np.full(len(rollout.own), means.mean())])
            old = latest if self._returns is None else self._returns
            self._returns = self.config.ema * old + (1 - self.config.ema) * latest
        count = rollout.starts.sum((0, 1))
        if count.all():
            weighed = np.where(rollout.starts[..., None], rollout.values, 0).sum((0, 1))
            self._initial = weighed.T / count

    def gradients(self, terms: Terms) -> dict[str, torch.Tensor]:
        """Surgery on the policy gradients, then what is left of the loss."""
        own, group, rest = self._three(terms)
        v_ind, v_col = self._values(terms)
        products = gram(own, group)
        mine, ours = self.combiner().coefficients(products, v_ind, v_col)
        self._note(products, v_ind, v_col)
        for name, first, second in zip(self._policy(), own.parts, group.parts, strict=True):
            shape = (-1, *[1] * (first.ndim - 1))
            a, b = (first.new_tensor(weight).view(shape) for weight in (mine, ours))
            rest[name] = torch.addcmul(torch.addcmul(rest[name], a, first), b, second)
        return rest

    def measures(self) -> dict[str, float]:
        """Conflict rate, cosine and gap, over all minds and for each."""
        found = {name: np.mean(kept, axis=0) for name, kept in self._seen.items()}
        self._seen = {}
        named: dict[str, float] = {}
        for name, each in found.items():
            named[name] = float(each.mean())
            if len(each) > 1:
                seats = zip(self.source.spaces.seats, each, strict=True)
                named |= {f"{name}/{seat}": float(value) for seat, value in seats}
        return named

    def extra_state(self) -> dict[str, Any]:
        """The moving average and the critics' first values."""
        return {"returns": self._returns, "initial": self._initial}

    def load_extra_state(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self._returns, self._initial = (
            None if state[name] is None else np.asarray(state[name])
            for name in ("returns", "initial")
        )

    def _values(self, terms: Terms) -> tuple[Array, Array]:
        """Individual and collective value of each mind."""
        kept = {"returns": self._returns, "value_head_initial": self._initial}
        found = kept.get(self.config.values)
        minds = terms.surrogates.shape[1]
        if found is None:  # asked for, or before the first match has ended
            found = terms.values.numpy()
        elif minds == 1:
            found = found.mean(1, keepdims=True)
        return found[IND], found[COL]

    def _note(self, products: Gram, v_ind: Array, v_col: Array) -> None:
        conflict = products.conflict
        lower = v_col >= v_ind
        for name, each in (
            ("conflict_rate", conflict),
            ("cosine", products.cosine),
            ("delta", v_ind - v_col),
            ("branch_individual", conflict & lower),
            ("branch_collective", conflict & ~lower),
        ):
            self._seen.setdefault(name, []).append(each.astype(np.float64))

    def _policy(self) -> list[str]:
        return [name for name in self.decider.network.parameters if is_policy(name)]

    def _three(self, terms: Terms) -> tuple[Flat, Flat, dict[str, torch.Tensor]]:
        """The gradients of both surrogates and of the side terms, for less than two of them cost.

        Both surrogates pull on the network through the log-density of each decision alone, the one
        c times as hard as the other with a c for each decision. So what reaches each layer's output
        is found once, for the log-density, and scaled; only the products with the layer's inputs
        are made apart, mind by mind and all three in a row, while those inputs are in the cache.
        """
        network, side = self.decider.network, self.side_terms(terms)
        if network.spec.recurrent:  # there decisions reach one another's layers
            own, group = (self._flat(terms.surrogates[head], keep=True) for head in (IND, COL))
            return own, group, self.climb(side)
        said = [output for layer in network.layers for output in layer.said]
        reach = iter(torch.autograd.grad(terms.logp.sum(), said, retain_graph=True))
        mine, ours = (
            torch.autograd.grad(terms.surrogates[head].sum(), terms.logp, retain_graph=True)[0]
            for head in (IND, COL)
        )
        inside = {name for layer in network.layers for name in layer.parameters}
        others = [name for name in network.parameters if name not in inside]
        beside = iter(
            torch.autograd.grad(
                side.sum(),
                said + [network.parameters[name] for name in others],
                retain_graph=True,
            )
        )
        kept: tuple[dict[str, torch.Tensor], ...] = ({}, {}, {})
        for layer in network.layers:
            whole = _products(layer, reach, beside, (mine, ours))
            for found, parts in zip(kept, whole, strict=True):
                found.update(zip(layer.parameters, parts, strict=True))
        kept[2].update(zip(others, beside, strict=True))
        if network.spec.amounts:
            for pull, found in zip((mine, ours), kept, strict=False):
                found["actor.log_std"], *_ = torch.autograd.grad(
                    terms.logp, [network.log_std], pull, retain_graph=True
                )
        own, group = (Flat([found[name] for name in self._policy()]) for found in kept[:2])
        return own, group, kept[2]

    def _flat(self, height: torch.Tensor, *, keep: bool, graph: bool = False) -> Flat:
        """The gradient of a height ``[M]`` over encoder and actor."""
        parameters = self.decider.network.parameters
        moved = [parameters[name] for name in self._policy()]
        grads = torch.autograd.grad(
            height.sum(), moved, retain_graph=keep, create_graph=graph, materialize_grads=True
        )
        return Flat(list(grads))


def _products(
    layer: Layer,
    reach: Iterator[torch.Tensor],
    beside: Iterator[torch.Tensor],
    pulls: tuple[torch.Tensor, torch.Tensor],
) -> list[list[torch.Tensor]]:
    """Three gradients of a layer's parameters.

    Args:
        layer: whose.
        reach: what reaches the outputs it said, one tensor each, to be scaled by the pulls.
        beside: what the side terms ask of them.
        pulls: of both surrogates, ``[M, B]``.

    Returns:
        For each surrogate and for the side terms, a tensor for each parameter.
    """
    minds = []
    for m, (output, weights) in enumerate(zip(layer.said, layer.weights, strict=True)):
        far, come = next(reach), [next(beside)]
        scales = [pull[m] if layer.apart else pull for pull in pulls]
        scaled = [
            far * scale.reshape(*scale.shape, *[1] * (far.ndim - scale.ndim)) for scale in scales
        ]
        minds.append(
            [
                torch.autograd.grad(output, weights, given, retain_graph=True)
                for given in scaled + come
            ]
        )
    return [
        [torch.stack(part) if layer.apart else part[0] for part in zip(*each, strict=True)]
        for each in zip(*minds, strict=True)
    ]


class Flat:
    """A gradient in parts, one a parameter, that multiplies as the one vector it is."""

    def __init__(self, parts: list[torch.Tensor]) -> None:
        self.parts = parts

    def __mul__(self, other: Flat) -> Flat:
        return Flat([a * b for a, b in zip(self.parts, other.parts, strict=True)])

    def sum(self, axis: int) -> torch.Tensor:
        """The sum of every mind's entries, ``[M]``."""
        return torch.stack([part.flatten(1).sum(1) for part in self.parts]).sum(0)


@dataclass(frozen=True)
class BetaConfig(TwoObjectivesConfig):
    """Parameters of methods that weigh the two gradients."""

    beta: float = field(default=0.7, metadata=share("weight of the collective gradient"))


class Weighted(TwoObjectives):
    """The weighted sum of both gradients, conflict or not."""

    Config: ClassVar[type[PPOConfig]] = BetaConfig
    config: BetaConfig

    def combiner(self) -> GradientCombiner:
        """The weighted sum."""
        return WeightedSum(self.config.beta)


class FCGrad(TwoObjectives):
    """Fair and conflict-aware: in conflict, the lower objective rises without hurting the other."""

    Config: ClassVar[type[PPOConfig]] = BetaConfig
    config: BetaConfig

    def combiner(self) -> GradientCombiner:
        """Algorithm 1 of the paper."""
        return Fair(self.config.beta)


class PCGrad(TwoObjectives):
    """Projects conflicting gradients on each other's normal planes and averages."""

    def combiner(self) -> GradientCombiner:
        """Mutual projection."""
        return Projecting()


@dataclass(frozen=True)
class CAGradConfig(TwoObjectivesConfig):
    """Parameters of CAGrad."""

    c: float = field(default=0.5, metadata=at_least(0, "radius around the average, 0 to < 1"))


class CAGrad(TwoObjectives):
    """Helps the worse served objective most, near the average gradient."""

    Config: ClassVar[type[PPOConfig]] = CAGradConfig
    config: CAGradConfig

    def combiner(self) -> GradientCombiner:
        """The conflict-averse step."""
        return ConflictAverse(self.config.c)
