"""Adam for stacks of networks, uphill, with the gradient's length clipped mind by mind.

Kingma and Ba, Adam: A Method for Stochastic Optimization (2015). Written out because its whole
state has to be plain tensors and the clipping has to treat every mind of a stack as a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from gymposium.errors import GymposiumError


class Adam:
    """The optimiser of a dict of parameters.

    Attributes:
        parameters: leaf tensors, the mind being axis 0.
        steps: how many were taken.
    """

    def __init__(
        self, parameters: Mapping[str, torch.Tensor], *, beta1: float = 0.9, beta2: float = 0.999
    ) -> None:
        self.parameters = parameters
        self.steps = 0
        self._betas = (beta1, beta2)
        self._mean = {name: torch.zeros_like(p) for name, p in parameters.items()}
        self._square = {name: torch.zeros_like(p) for name, p in parameters.items()}

    def ascend(
        self, gradients: Mapping[str, torch.Tensor], rate: float, *, longest: float, eps: float
    ) -> torch.Tensor:
        """Take one step up.

        Args:
            gradients: by name, for every parameter.
            rate: learning rate.
            longest: norm to which each mind's whole gradient is cut; 0 for no limit.
            eps: added to the root of the second moment.

        Returns:
            The norms before cutting, ``[M]``.

        Raises:
            GymposiumError: a gradient is no number any more; no parameter has moved.
        """
        names = list(self.parameters)
        grads = [gradients[name] for name in names]
        norms = torch.stack([g.flatten(1).square().sum(1) for g in grads]).sum(0).sqrt()
        if not bool(norms.isfinite().all()):
            raise GymposiumError(
                f"the training diverged: at step {self.steps + 1} of the optimiser a gradient is "
                f"{'nan' if norms.isnan().any() else 'infinite'}: lower lr, or bound the rewards"
            )
        if longest:
            shrink = (longest / (norms + 1e-6)).clamp(max=1.0)
            grads = [g * shrink.view(-1, *[1] * (g.ndim - 1)) for g in grads]
        self.steps += 1
        beta1, beta2 = self._betas
        means, squares = ([kept[n] for n in names] for kept in (self._mean, self._square))
        with torch.no_grad():
            torch._foreach_lerp_(means, grads, 1 - beta1)
            torch._foreach_mul_(squares, beta2)
            torch._foreach_addcmul_(squares, grads, grads, 1 - beta2)
            roots = torch._foreach_sqrt(squares)
            torch._foreach_div_(roots, (1 - beta2**self.steps) ** 0.5)
            torch._foreach_add_(roots, eps)
            moved = [self.parameters[name] for name in names]
            torch._foreach_addcdiv_(moved, means, roots, rate / (1 - beta1**self.steps))
        return norms

    def state_dict(self) -> dict[str, Any]:
        """Both moments and the number of steps."""
        mean, square = ({n: t.clone() for n, t in kept.items()} for kept in self._moments())
        return {"steps": self.steps, "mean": mean, "square": square}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        self.steps = int(state["steps"])
        for kept, name in zip(self._moments(), ("mean", "square"), strict=True):
            for key, tensor in kept.items():
                tensor.copy_(torch.as_tensor(state[name][key]))

    def _moments(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        return self._mean, self._square
