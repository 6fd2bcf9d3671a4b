"""What preferences and partner-awareness are learned from: losses over log-probabilities.

A reply is a row of decisions, tokens of a language model or moves of a small policy; every function
here takes log-probabilities ``[B, T]`` (or their sums ``[B]``) and cares not which. Direct
preference optimisation: Rafailov et al. (2023), equation 7; its label-smoothed form: Mitchell
(2023); IPO: Azar et al. (2023), equation 17; the hinge: Zhao et al., SLiC-HF (2023); SimPO: Meng
et al. (2024). Invariance to a counterfactual: Nath and Krishnaswamy, *Learning "Partner-Aware"
Collaborators in Multi-Party Collaboration* (2025): a policy is held near what it would have said
had it been told that its partner's advice is of no use.

Losses are to be minimised, one number a row: the caller averages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import torch
import torch.nn.functional as F

from gymposium.errors import UsageError

Tensor: TypeAlias = torch.Tensor
PreferenceLoss = Literal["dpo", "ipo", "hinge", "simpo"]


class Pair(NamedTuple):
    """Two replies to the same question, the first of them preferred, as log-probabilities ``[B]``.

    Attributes:
        chosen, rejected: of the whole replies under the policy, with gradients.
        chosen_ref, rejected_ref: under the reference policy, without.
    """

    chosen: Tensor
    rejected: Tensor
    chosen_ref: Tensor
    rejected_ref: Tensor

    @property
    def margin(self) -> Tensor:
        """How much more than the reference the policy prefers the chosen reply, ``[B]``."""
        return (self.chosen - self.chosen_ref) - (self.rejected - self.rejected_ref)


def of_replies(logp: Tensor, mask: Tensor | None = None, *, mean: bool = False) -> Tensor:
    """Log-probabilities of whole replies ``[B]`` from those of their parts ``[B, T]``.

    Args:
        logp: of every token or move.
        mask: 1 where there is one, 0 where there is padding (whatever stands there, even NaN).
        mean: per part instead of in all, so that long replies weigh no more (SimPO).
    """
    if mask is None:
        return logp.mean(-1) if mean else logp.sum(-1)
    kept = torch.where(mask.bool(), logp, torch.zeros_like(logp)).sum(-1)
    return kept / mask.sum(-1).clamp(min=1) if mean else kept


def dpo_loss(pair: Pair, beta: float = 0.1, smoothing: float = 0.0) -> Tensor:
    """``-log sigmoid(beta * margin)``, ``[B]``.

    Args:
        pair: the replies.
        beta: how dearly the policy pays for leaving the reference.
        smoothing: the share of pairs whose preference is believed to be the wrong way round.
    """
    height = beta * pair.margin
    return -(1 - smoothing) * F.logsigmoid(height) - smoothing * F.logsigmoid(-height)


def ipo_loss(pair: Pair, beta: float = 0.1) -> Tensor:
    """``(margin - 1 / (2 beta))**2``, ``[B]``: the margin has a goal and stops there."""
    return (pair.margin - 1 / (2 * beta)).square()


def hinge_loss(pair: Pair, beta: float = 0.1) -> Tensor:
    """``max(0, 1 - beta * margin)``, ``[B]``: pairs that are far enough apart are left alone."""
    return torch.relu(1 - beta * pair.margin)


def simpo_loss(pair: Pair, beta: float = 2.0, gap: float = 1.0) -> Tensor:
    """``-log sigmoid(beta * (chosen - rejected) - gap)``, ``[B]``, without a reference.

    The log-probabilities are to be means over the reply (``of_replies(..., mean=True)``).
    """
    return -F.logsigmoid(beta * (pair.chosen - pair.rejected) - gap)


PREFERENCE_LOSSES: dict[PreferenceLoss, Callable[[Pair, float], Tensor]] = {
    "dpo": dpo_loss,
    "ipo": ipo_loss,
    "hinge": hinge_loss,
    "simpo": simpo_loss,
}
"""The losses over pairs by name; each takes a pair and its ``beta``."""


def log_ratio(logp: Tensor, other: Tensor) -> Tensor:
    """``log pi - log other`` of what was said, ``[B, T]``, with no gradient to ``other``.

    Sampled from ``pi`` its mean is the divergence KL(pi || other). Single entries may be negative
    and are not to be clipped: that would bias the mean.

    Raises:
        UsageError: the two tell of replies of different lengths. Questions differ in length where
            one has a sentence more, replies do not: cut both at the end of the question.
    """
    if logp.shape != other.shape:
        raise UsageError(
            f"log-probabilities of the same replies must have one shape, got {tuple(logp.shape)} "
            f"and {tuple(other.shape)}: keep the reply's own tokens only, counted from the end"
        )
    return logp - other.detach()


def divergence(logp: Tensor, other: Tensor) -> Tensor:
    """The exact KL(pi || stop-gradient other) of distributions over the last axis.

    Args:
        logp: normalised log-probabilities ``[..., V]``; ``-inf`` where something is not open.
        other: of the distribution held fixed, open at least where ``logp`` is.

    Returns:
        ``[...]``, never negative.
    """
    open_ = logp > -torch.inf
    said = torch.where(open_, logp, torch.zeros_like(logp))
    held = torch.where(open_, other.detach(), torch.zeros_like(logp))
    return torch.where(open_, said.exp() * (said - held), torch.zeros_like(logp)).sum(-1)


def intent_rewards(
    score: Tensor,
    logp: Tensor,
    *,
    reference: Tensor | None = None,
    counterfactual: Tensor | None = None,
    mask: Tensor | None = None,
    beta: float = 0.0,
    intent: float = 0.0,
) -> Tensor:
    """Rewards part by part, ``[B, T]``: the penalties of every token, the score on the last.

    ``r_k = -beta (log pi - log ref) - intent (log pi - log cf) + [k is last] score``; no gradient
    flows through rewards. With ``intent`` 0 these are the rewards of PPO from preferences.

    Args:
        score: what the reply earned, ``[B]``.
        logp: of its parts under the policy that said it, ``[B, T]``.
        reference: of the same parts under the reference policy.
        counterfactual: of the same parts under the same policy, told that advice is of no use.
        mask: 1 where there is a part, 0 where there is padding; the last part is the last 1.
        beta: the price of leaving the reference.
        intent: the price of leaving the counterfactual.
    """
    rewards = torch.zeros_like(logp)
    if reference is not None and beta:
        rewards -= beta * log_ratio(logp, reference).detach()
    if counterfactual is not None and intent:
        rewards -= intent * log_ratio(logp, counterfactual).detach()
    present = torch.ones_like(logp, dtype=torch.bool) if mask is None else mask.bool()
    rewards = torch.where(present, rewards, torch.zeros_like(rewards))
    places = torch.arange(logp.shape[-1], device=logp.device)
    last = torch.where(present, places, places.new_tensor(-1)).amax(-1, keepdim=True)
    return rewards + (places == last) * score[..., None]
