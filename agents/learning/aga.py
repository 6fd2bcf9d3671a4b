"""AgA: altruistic gradient adjustment, which bends the collective gradient by its curvature.

Li et al., *Aligning Individual and Collective Objectives in Multi-Agent Cooperation* (2024), as
Kim and Sycara (2025) compare with it: ``g = g_col + lambda (g_ind + H g_col)``, H the Hessian of
the collective objective and the sign of lambda that of ``(g_col . H g_col) (g_ind . H g_col +
|H g_col|^2)``. H is never formed: one more backward pass gives its product with ``g_col``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch

from .conflict import COL, IND, TwoObjectives, TwoObjectivesConfig
from .losses import Terms
from .ppo import PPOConfig, at_least
from .surgery import GradientCombiner, WeightedSum, gram


@dataclass(frozen=True)
class AgAConfig(TwoObjectivesConfig):
    """Parameters of AgA."""

    strength: float = field(default=1.0, metadata=at_least(0, "the size of lambda"))


class AgA(TwoObjectives):
    """The collective gradient, adjusted towards the individual one by second-order terms."""

    Config: ClassVar[type[PPOConfig]] = AgAConfig
    config: AgAConfig

    def combiner(self) -> GradientCombiner:
        """Both gradients whole; their curvature is added in ``gradients``."""
        return WeightedSum(0.5)

    def gradients(self, terms: Terms) -> dict[str, torch.Tensor]:
        """The adjusted gradient, then what is left of the loss."""
        own = self._flat(terms.surrogates[IND], keep=True)
        group = self._flat(terms.surrogates[COL], keep=True, graph=True)
        fixed = type(group)([part.detach() for part in group.parts])
        bent = self._flat((group * fixed).sum(-1), keep=True)
        rest = self.climb(self.side_terms(terms))
        self._note(gram(own, fixed), *self._values(terms))
        along, across, square = (
            (a * b).sum(-1) for a, b in ((fixed, bent), (own, bent), (bent, bent))
        )
        sign = np.sign((along * (across + square)).numpy())
        for i, name in enumerate(self._policy()):
            part = fixed.parts[i]
            weight = part.new_tensor(self.config.strength * sign).view(-1, *[1] * (part.ndim - 1))
            rest[name] = rest[name] + part + weight * (own.parts[i] + bent.parts[i])
        return rest
