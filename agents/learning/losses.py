"""What PPO climbs, term by term, so that a method can treat each as it likes.

Schulman et al., Proximal Policy Optimization Algorithms (2017), equation 7: the clipped surrogate,
here one for each objective; beside it the squared error of the critics and the entropy. Every term
is a vector over minds: minds share nothing, so the gradient of a sum is each one's own.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch

from .deciding import CLOSED, ActionLayout
from .networks import Network

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Minibatch(NamedTuple):
    """Decisions to learn from, ``B`` of each of ``M`` minds; recurrent ones come as ``[T, L, M]``.

    Attributes:
        seen: encoded observations.
        state: what a central critic reads, or None.
        choices, amounts: what was decided.
        masks: bool, what was open, or None.
        logp: log-density of the decisions when they were taken.
        advantages, targets: float ``[…, V]``, one a head.
        valid: float, 1 for decisions and 0 for padding.
        starts, hidden: where matches begin, and the recurrent state before the first step.
    """

    seen: Array
    state: Array | None
    choices: Array
    amounts: Array
    masks: Array | None
    logp: Array
    advantages: Array
    targets: Array
    valid: Array
    starts: Array | None = None
    hidden: torch.Tensor | None = None


class Terms(NamedTuple):
    """What can be climbed, averaged over the valid decisions of each mind.

    Attributes:
        surrogates: ``[V, M]``, the clipped surrogate of each objective.
        value_losses: ``[V, M]``, half the mean squared error of each critic.
        entropy: ``[M]``.
        clipped: ``[M]``, share of decisions at the clip (no gradient).
        kl: ``[M]``, estimate of how far the policy has moved (no gradient).
        values: ``[V, M]``, the critics' mean (no gradient).
        logp: ``[M, B]``, log-density of every decision now.
    """

    surrogates: torch.Tensor
    value_losses: torch.Tensor
    entropy: torch.Tensor
    clipped: torch.Tensor
    kl: torch.Tensor
    values: torch.Tensor
    logp: torch.Tensor


def ppo_terms(
    network: Network,
    layout: ActionLayout,
    batch: Minibatch,
    *,
    clip: float,
    normalise: bool,
    value_clip: float = 0.0,
) -> Terms:
    """Every term of one minibatch.

    Args:
        network: of M minds.
        layout: how actions are made of choices and amounts.
        batch: the decisions.
        clip: how far a probability ratio may pay.
        normalise: bring each mind's advantages to mean 0 and deviation 1, objective by objective.
        value_clip: how far a critic may pay to move from what it said in the rollout, which its
            targets exceed by the advantages; 0 is as far as it likes.
    """
    said = network.evaluate(batch.seen, state=batch.state, starts=batch.starts, hidden=batch.hidden)
    choices, amounts, logp_old, valid, advantages, targets = (
        _by_mind(array, axes)
        for array, axes in (
            (batch.choices, 1),
            (batch.amounts, 1),
            (batch.logp, 0),
            (batch.valid, 0),
            (batch.advantages, 1),
            (batch.targets, 1),
        )
    )
    masks = None if batch.masks is None else _by_mind(batch.masks, 1)
    weight = valid / valid.sum(1, keepdim=True).clamp(min=1)
    logp, entropy = log_density(network, layout, said.logits, choices, amounts, masks)
    ratio = torch.exp(logp - logp_old)
    near = ratio.clamp(1 - clip, 1 + clip)
    gains = advantages.permute(2, 0, 1)  # [V, M, B]
    if normalise:
        middle = (gains * weight).sum(-1, keepdim=True)
        spread = ((gains - middle).square() * weight).sum(-1, keepdim=True).sqrt()
        gains = (gains - middle) / (spread + 1e-8)
    surrogates = (torch.minimum(ratio * gains, near * gains) * weight).sum(-1)
    errors = (said.values - targets).square()
    if value_clip:
        before = targets - advantages
        held = before + (said.values - before).clamp(-value_clip, value_clip)
        errors = torch.maximum(errors, (held - targets).square())
    errors = errors.permute(2, 0, 1)
    with torch.no_grad():
        clipped = ((ratio - near).abs() > 0).float()
        kl = (ratio - 1) - (logp - logp_old)
        values = (said.values.permute(2, 0, 1) * weight).sum(-1)
    return Terms(
        surrogates,
        0.5 * (errors * weight).sum(-1),
        (entropy * weight).sum(-1),
        (clipped * weight).sum(-1),
        (kl * weight).sum(-1),
        values,
        logp,
    )


def log_density(
    network: Network,
    layout: ActionLayout,
    logits: torch.Tensor,
    choices: torch.Tensor,
    amounts: torch.Tensor,
    masks: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-density of decisions and entropy of the policy, both ``[M, B]``.

    ``logits`` ``[M, B, logits + R]``, ``choices`` ``[M, B, D]``, ``amounts`` ``[M, B, R]``.
    """
    logp = logits.new_zeros(logits.shape[:2])
    entropy = logp
    for d, at in enumerate(layout.slices()):
        part = logits[..., at]
        if masks is not None:
            part = torch.where(masks[..., at], part, CLOSED)
        scores = torch.log_softmax(part, -1)
        logp = logp + scores.gather(-1, choices[..., d : d + 1]).squeeze(-1)
        entropy = entropy - (scores.exp() * scores).sum(-1)
    if layout.amounts:
        log_std = network.log_std[:, None]
        z = (amounts - logits[..., layout.logits :]) * torch.exp(-log_std)
        logp = logp + (-0.5 * z.square() - log_std - _HALF_LOG_2PI).sum(-1)
        entropy = entropy + (log_std + 0.5 + _HALF_LOG_2PI).sum(-1)
    return logp, entropy


_HALF_LOG_2PI = float(0.5 * np.log(2 * np.pi))


def _by_mind(array: Array, axes: int) -> torch.Tensor:
    """``[…, M, rest]`` as a tensor ``[M, B, rest]`` with ``axes`` axes of rest."""
    tensor = torch.from_numpy(array)
    return tensor.flatten(0, tensor.ndim - axes - 2).transpose(0, 1)
