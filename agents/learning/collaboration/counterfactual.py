"""What a collaborator would see, were it told that its partner's advice is of no use.

Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in Multi-Party Collaboration (NeurIPS
2025), add a sentence to the prompt. A small network does not read: it sees a flag and, since the
sentence bids it take the advice as useless, no advice (``hidden``), or just the flag (``told``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError

from ..deciding import CLOSED, ActionLayout, Drawn
from ..encoding import encoder, entries
from ..networks import Network
from ..preference import divergence
from ..rollouts import Decider

if TYPE_CHECKING:
    from gymposium.types import Space

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
How = Literal["hidden", "told"]
CHANNEL = ("advice", "advised", "counterfactual")
"""The entries of an observation that tell of advice, as in ``advised-v0``."""


class Counterfactual:
    """Turns encoded observations into those of somebody told that advice is useless.

    Args:
        space: a Dict with the entries of CHANNEL.
        how: whether the advice is hidden too.

    Raises:
        UsageError: the observations do not tell of advice.
    """

    def __init__(self, space: Space, how: How) -> None:
        where = entries(space)
        missing = [name for name in CHANNEL if name not in where]
        if missing:
            raise UsageError(
                f"a collaborator has to be advised, but what it sees has no {missing[0]!r}: train "
                "it in advised-v0, which adds advice to any world"
            )
        self._hidden = [where[name] for name in ("advice", "advised")] if how == "hidden" else []
        self._flag = where["counterfactual"]
        parts: Any = space
        # What stands where there is no advice: the first element of everything, one-hot.
        self._blank = [self._none(parts.spaces[name]) for name in ("advice", "advised")]

    @staticmethod
    def _none(space: Any) -> Array:
        from ....envs.common_ground.advice import blank

        return encoder(space).encode(blank(space))

    def __call__(self, seen: Array) -> Array:
        """The same observations ``[…, W]`` with the flag up; fresh."""
        turned = np.array(seen)
        for where, blank in zip(self._hidden, self._blank, strict=False):
            turned[..., where] = blank
        turned[..., self._flag] = (0, 1)
        return turned


class Blind(Decider):
    """Decides as one who was told that advice is useless, whatever is seen."""

    def __init__(self, decider: Decider, turn: Counterfactual) -> None:
        super().__init__(decider.network, decider.layout, decider.rng, central=decider.central)
        self._turn = turn

    def decide(
        self,
        seen: Array,
        state: Array | None,
        masks: Array | None,
        starts: Array,
        asked: Any = None,
    ) -> tuple[Drawn, Array]:
        """Decide for all seats; see :meth:`Decider.decide`."""
        return super().decide(self._turn(seen), state, masks, starts, asked)

    def worth(self, seen: Array, state: Array | None) -> Array:
        """Values of what is seen next, advice aside."""
        return super().worth(self._turn(seen), state)


def policy_divergence(
    network: Network,
    layout: ActionLayout,
    logits: torch.Tensor,
    other: torch.Tensor,
    masks: torch.Tensor | None,
) -> torch.Tensor:
    """KL of whole decisions, ``[M, B]``, from one policy to another that is held fixed.

    Args:
        network: whose deviations of amounts both share.
        layout: how actions are made.
        logits: ``[M, B, logits + R]``, with gradients.
        other: of the same shape; no gradient flows to it.
        masks: bool ``[M, B, logits]`` or None.
    """
    total = logits.new_zeros(logits.shape[:2])
    for at in layout.slices():
        parts = [tensor[..., at] for tensor in (logits, other)]
        if masks is not None:
            parts = [torch.where(masks[..., at], part, CLOSED) for part in parts]
        total = total + divergence(*(torch.log_softmax(part, -1) for part in parts))
    if layout.amounts:
        apart = (logits - other.detach())[..., layout.logits :]
        total = total + (0.5 * (apart * torch.exp(-network.log_std[:, None])).square()).sum(-1)
    return total
