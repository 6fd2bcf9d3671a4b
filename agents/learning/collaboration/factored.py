"""The smallest collaborator: 36 weights of knowledge and one of trust, trained by every method.

A card is turned with log-odds ``w[symbol] + u * advice``: ``w`` is what the policy knows, ``u`` how
far it does as it is told; one who is told that advice is useless has ``w`` alone. It starts with
people's matching bias and some trust, and is small enough for every figure that it is tested by to
be exact. Training by reward is PPO's first step, on a batch of 32 and by plain gradient; what is
added to it are the terms of :mod:`..preference`. Nath and Krishnaswamy, Learning "Partner-Aware"
Collaborators in Multi-Party Collaboration (NeurIPS 2025); the instance itself is derived.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import torch

from gymposium.errors import UnknownName

from ....envs.common_ground.wason_deal import KEY, SYMBOLS
from ....envs.common_ground.wason_words import class_of
from ..preference import PREFERENCE_LOSSES, Pair, divergence, log_ratio

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Method = Literal["bc", "ppo", "icr", "icr-loss", "pso", "dpo", "ipo"]
CLASS_OF = np.array([class_of(symbol) for symbol in range(len(SYMBOLS))])
BIAS = (-1.2, 1.0, -1.0, 1.5)
"""Log-odds of turning a card of each class at the start: consonant, even, odd, vowel."""
TRUST = 0.5
_RIGHT = torch.tensor(KEY)
_MEMBERS = [np.flatnonzero(kind == CLASS_OF) for kind in range(4)]


class Policy(NamedTuple):
    """Weights ``w`` ``[36]`` and ``u`` ``[]``."""

    w: torch.Tensor
    u: torch.Tensor

    def logits(self, symbols: torch.Tensor, advice: torch.Tensor, gate: float) -> torch.Tensor:
        """Log-odds of turning each card, ``[B, 4]``; ``gate`` 0 for one who takes no advice."""
        return self.w[symbols] + gate * self.u * advice


@dataclass(frozen=True)
class Setting:
    """How it is trained; the defaults are those of the claim.

    Attributes:
        method: by its name.
        intent: price of minding advice (lambda_Intent), where the method has one.
        anchor: price of leaving the start (lambda_H).
        quality: of the advice, in training.
        steps, batch, rate: of gradient ascent.
        beta: of comparisons.
    """

    method: Method = "icr"
    intent: float = 0.2
    anchor: float = 0.01
    quality: float = 0.9
    steps: int = 1200
    batch: int = 32
    rate: float = 0.5
    beta: float = 0.1

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UnknownName("method", str(self.method), get_args(Method), where="factored")


def start(*, grad: bool = False) -> Policy:
    """The cloned policy: people's bias, and some trust."""
    w = torch.tensor([BIAS[kind] for kind in CLASS_OF], dtype=torch.float64)
    return Policy(
        w.requires_grad_(grad), torch.tensor(TRUST, dtype=torch.float64, requires_grad=grad)
    )


def train(setting: Setting, seed: int) -> Policy:
    """A trained policy; everything random derives from the seed."""
    policy, reference = start(grad=True), start()
    if setting.method != "bc":
        draws = _draws(setting, np.random.default_rng(seed))
        step = _compare if setting.method in ("dpo", "ipo") else _reward
        for symbols, advice, luck in draws:
            height = step(setting, policy, reference, symbols, advice, luck)
            grads = torch.autograd.grad(height, list(policy))
            with torch.no_grad():
                for parameter, grad in zip(policy, grads, strict=True):
                    parameter += setting.rate * grad
    return Policy(*(parameter.detach() for parameter in policy))


def solved(policy: Policy, quality: float, gate: float = 1.0) -> float:
    """The exact chance of the right selection when each piece of advice is right so often.

    Cards of different classes are drawn apart, and so decided apart: the chance is a product.
    """
    w, trust = policy.w.numpy(), gate * float(policy.u)
    chance = 1.0
    for kind, members in enumerate(_MEMBERS):
        sign = 1 if KEY[kind] else -1
        known = sign * w[members]
        good, bad = (1 / (1 + np.exp(-(known + side * trust))) for side in (1, -1))
        chance *= float((quality * good + (1 - quality) * bad).mean())
    return chance


def fine(policy: Policy, quality: float) -> float:
    """The exact mean of the fine grade."""
    w, trust, total = policy.w.numpy(), float(policy.u), 0.0
    for kind, members in enumerate(_MEMBERS):
        known = (1 if KEY[kind] else -1) * w[members]
        good, bad = (1 / (1 + np.exp(-(known + side * trust))) for side in (1, -1))
        total += 0.25 * float((quality * good + (1 - quality) * bad).mean())
    return total


def minding(policy: Policy, quality: float = 0.9) -> float:
    """The exact mean of KL(advised || told that advice is useless), in nats a selection."""
    w, trust, total = policy.w, policy.u, 0.0
    for kind, members in enumerate(_MEMBERS):
        sign = 1 if KEY[kind] else -1
        for share, side in ((quality, 1), (1 - quality, -1)):
            logits = w[members] + side * sign * trust
            apart = divergence(_coin(logits), _coin(w[members]))
            total += share * float(apart.mean())
    return total


def _draws(
    setting: Setting, rng: np.random.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Cards ``[B, 4]`` in the order of classes, advice of -1 and 1, and luck ``[2, B, 4]``."""
    right = np.where(KEY, 1, -1)
    for _ in range(setting.steps):
        size = setting.batch
        symbols = np.stack([rng.choice(members, size) for members in _MEMBERS], 1)
        advice = np.where(rng.random((size, 4)) < setting.quality, right, -right)
        luck = rng.random((2, size, 4))
        yield torch.from_numpy(symbols), torch.from_numpy(advice), torch.from_numpy(luck)


def _reward(
    setting: Setting,
    policy: Policy,
    reference: Policy,
    symbols: torch.Tensor,
    advice: torch.Tensor,
    luck: torch.Tensor,
) -> torch.Tensor:
    """The height that PPO's first step climbs, on one batch of selections."""
    blind = setting.method == "pso"  # what is sampled, and learned from, has taken no advice
    logits = policy.logits(symbols, advice, 0.0 if blind else 1.0)
    turned = luck[0] < torch.sigmoid(logits.detach())
    logp = _likely(logits, turned)
    earned = (turned == _RIGHT).double().mean(1)
    with torch.no_grad():
        ratio = log_ratio(
            logp, _likely(reference.logits(symbols, advice, 0.0 if blind else 1.0), turned)
        )
        earned = earned - setting.anchor * ratio
        aside = policy.logits(symbols, advice, 0.0)
        if setting.method == "icr":
            earned = earned - setting.intent * log_ratio(logp, _likely(aside, turned))
        advantage = (earned - earned.mean()) / (earned.std() + 1e-8)
    height = (advantage * logp).mean()
    if setting.method == "icr-loss":
        apart = divergence(_coin(logits), _coin(aside)).sum(1)
        height = height - setting.intent * apart.mean()
    return height


def _compare(
    setting: Setting,
    policy: Policy,
    reference: Policy,
    symbols: torch.Tensor,
    advice: torch.Tensor,
    luck: torch.Tensor,
) -> torch.Tensor:
    """The height climbed on pairs of the start's own selections, the better one preferred."""
    with torch.no_grad():
        chance = torch.sigmoid(reference.logits(symbols, advice, 1.0))
        one, two = luck[0] < chance, luck[1] < chance
        worth = [(turned == _RIGHT).sum(1) for turned in (one, two)]
        apart = worth[0] != worth[1]
        won = torch.where((worth[0] > worth[1])[:, None], one, two)
        lost = torch.where((worth[0] > worth[1])[:, None], two, one)
    logits = policy.logits(symbols, advice, 1.0)
    start_logits = reference.logits(symbols, advice, 1.0)
    pair = Pair(
        _likely(logits, won),
        _likely(logits, lost),
        _likely(start_logits, won),
        _likely(start_logits, lost),
    )
    name = "dpo" if setting.method == "dpo" else "ipo"
    loss = PREFERENCE_LOSSES[name](pair, setting.beta)  # type: ignore[index]
    return -(loss * apart).sum() / apart.sum().clamp(min=1)


def _coin(logits: torch.Tensor) -> torch.Tensor:
    """Log-probabilities ``[…, 2]`` of leaving and of turning."""
    return torch.log_softmax(torch.stack([torch.zeros_like(logits), logits], -1), -1)


def _likely(logits: torch.Tensor, turned: torch.Tensor) -> torch.Tensor:
    """Log-likelihood of whole selections, ``[B]``."""
    return -torch.nn.functional.softplus(torch.where(turned, -logits, logits)).sum(1)
