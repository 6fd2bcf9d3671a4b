"""What language models are trained on: losses over log-probabilities of tokens, with masks.

Every function takes ``[B, T]``: B replies of at most T tokens, the mask 0 where there is padding,
whatever stands there. The clipped surrogate: Schulman et al., Proximal Policy Optimization
Algorithms (2017), equation 7, token by token. Group-relative advantages: Shao et al., DeepSeekMath
(2024), section 4.1, whose estimate of the divergence (Schulman, 2020) is never negative. Losses
over pairs and the counterfactual are :mod:`agents.learning.preference`'s; advantages in time are
:mod:`agents.learning.gae`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch

Tensor: TypeAlias = torch.Tensor


def clipped_loss(
    logp: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float
) -> Tensor:
    """``-min(ratio A, clip(ratio) A)``, ``[B, T]``; 0, without gradient, where there is padding.

    Args:
        logp: of the tokens now, with gradients.
        old: of the same tokens when they were said.
        advantages: of the tokens.
        mask: 1 where there is a token.
        clip: how far a ratio may pay.
    """
    ratio = torch.exp(_only(logp - old.detach(), mask))
    gain = _only(advantages, mask)
    return -torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)


def likelihood_loss(logp: Tensor, mask: Tensor) -> Tensor:
    """``-log pi``, ``[B, T]``: supervised learning of the tokens."""
    return -_only(logp, mask)


def drift(logp: Tensor, reference: Tensor, mask: Tensor) -> Tensor:
    """An estimate of KL(pi || reference) at each token said by pi, ``[B, T]``: 0 or more.

    ``exp(d) - d - 1`` with ``d = log reference - log pi``; its mean is the divergence, and its
    gradient pulls towards the reference.
    """
    behind = _only(reference.detach() - logp, mask)
    return torch.expm1(behind) - behind


def value_loss(values: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """Half the squared error of the critic, ``[B, T]``."""
    return 0.5 * _only(values - targets.detach(), mask).square()


def choice_loss(logp: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of preferences between options, ``[B]``.

    Args:
        logp: of each whole option as the answer, ``[B, K]``; they need not sum to 1.
        targets: how often each is to be chosen, ``[B, K]``, rows that sum to 1.
    """
    return -(targets.detach() * torch.log_softmax(logp, -1)).sum(-1)


def group_advantages(
    returns: Sequence[float], groups: Sequence[int], *, scale: bool = True
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How much better each return is than its group's mean, ``[N]``; a group's sum to zero.

    Args:
        returns: of the episodes.
        groups: which episodes began alike.
        scale: in standard deviations of the group; where all earned the same, all are 0.
    """
    earned, members = np.asarray(returns, float), np.asarray(groups)
    made = np.zeros(len(earned))
    for group in np.unique(members):
        mine = members == group
        apart = earned[mine] - earned[mine].mean()
        made[mine] = apart / (earned[mine].std() + 1e-6) if scale else apart
    return made


def _only(values: Tensor, mask: Tensor) -> Tensor:
    """The values, and 0 where there is padding: not even NaN gets past."""
    return torch.where(mask.bool(), values, torch.zeros_like(values))
