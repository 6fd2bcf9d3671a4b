"""What to do with two gradients that disagree: one interface, ``combiner(g_ind, g_col, ...)``.

Every agent has the gradient of its own return and that of the group's mean return, in the ascent
direction, and an estimate of both returns. A combiner makes one direction of them. All those here
stay in the plane the two gradients span, so they only choose two coefficients from three inner
products; that is what a subclass writes. Sources: FCGrad, Kim and Sycara, *Fair Cooperation in
Mixed-Motive Games via Conflict-Aware Gradient Adjustment* (2025), algorithm 1; PCGrad, Yu et al.,
*Gradient Surgery for Multi-Task Learning* (2020); CAGrad, Liu et al., *Conflict-Averse Gradient
Descent* (2021). NumPy arrays and torch tensors both pass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Gram(NamedTuple):
    """Inner products of the individual and the collective gradient, one number a mind."""

    ind_ind: Array
    ind_col: Array
    col_col: Array

    @property
    def cosine(self) -> Array:
        """Of the angle between them; 0 where one of them vanishes."""
        return _ratio(self.ind_col, np.sqrt(self.ind_ind * self.col_col))

    @property
    def conflict(self) -> Array:
        """Bool: they point away from each other; being orthogonal is no conflict."""
        return self.ind_col < 0


class GradientCombiner(ABC):
    """Turns two gradients into one; call it."""

    def __call__(self, g_ind: Any, g_col: Any, v_ind: Any = 0.0, v_col: Any = 0.0) -> Any:
        """The direction to go, uphill.

        Args:
            g_ind: gradients of the individual returns, ``[…, P]``, NumPy or torch.
            g_col: gradients of the collective return, of the same shape.
            v_ind: individual returns ``[…]`` (higher is better).
            v_col: collective returns ``[…]``, on the same scale.

        Returns:
            ``[…, P]``, of the gradients' type.
        """
        mine, ours = self.coefficients(gram(g_ind, g_col), np.asarray(v_ind), np.asarray(v_col))
        return _like(mine, g_ind) * g_ind + _like(ours, g_col) * g_col

    @abstractmethod
    def coefficients(self, gram: Gram, v_ind: Array, v_col: Array) -> tuple[Array, Array]:
        """(a, b) such that the direction is ``a g_ind + b g_col``, one pair a mind."""


def gram(g_ind: Any, g_col: Any) -> Gram:
    """The inner products over the last axis, as NumPy float64."""
    pairs = ((g_ind, g_ind), (g_ind, g_col), (g_col, g_col))
    return Gram(*(np.asarray((a * b).sum(-1), dtype=np.float64) for a, b in pairs))


@dataclass(frozen=True)
class WeightedSum(GradientCombiner):
    """Always the weighted sum; ``beta`` is the weight of the collective gradient."""

    beta: float = 0.5

    def __post_init__(self) -> None:
        _check_beta(self.beta)

    def coefficients(self, gram: Gram, v_ind: Array, v_col: Array) -> tuple[Array, Array]:
        """(1 - beta, beta)."""
        ones = np.ones_like(gram.ind_col)
        return (1 - self.beta) * ones, self.beta * ones


@dataclass(frozen=True)
class Fair(GradientCombiner):
    """FCGrad: in conflict, raise what is lower now, along the part that does not hurt the other.

    ``beta`` weighs the collective gradient where there is no conflict. Equal values count as the
    agent being worse off.
    """

    beta: float = 0.5

    def __post_init__(self) -> None:
        _check_beta(self.beta)

    def coefficients(self, gram: Gram, v_ind: Array, v_col: Array) -> tuple[Array, Array]:
        """The three branches of the algorithm."""
        one = np.ones_like(gram.ind_col)
        worse_off = gram.conflict & (v_col >= v_ind)
        better_off = gram.conflict & ~(v_col >= v_ind)
        mine = np.where(better_off, -_ratio(gram.ind_col, gram.ind_ind), (1 - self.beta) * one)
        ours = np.where(worse_off, -_ratio(gram.ind_col, gram.col_col), self.beta * one)
        return np.where(worse_off, 1.0, mine), np.where(better_off, 1.0, ours)


@dataclass(frozen=True)
class Projecting(GradientCombiner):
    """PCGrad: in conflict each is projected on the other's normal plane; then the average."""

    def coefficients(self, gram: Gram, v_ind: Array, v_col: Array) -> tuple[Array, Array]:
        """Halves, plus what projecting the other one adds."""
        inner = np.minimum(gram.ind_col, 0)
        return (
            0.5 * (1 - _ratio(inner, gram.ind_ind)),
            0.5 * (1 - _ratio(inner, gram.col_col)),
        )


@dataclass(frozen=True)
class ConflictAverse(GradientCombiner):
    """CAGrad: of all steps near the average, the one whose worst improvement is largest.

    ``c`` is the radius of "near", as a share of the average gradient's length, 0 to < 1.
    """

    c: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.c < 1:
            raise UsageError(f"cagrad: c must be from 0 to less than 1, got {self.c}")

    def coefficients(self, gram: Gram, v_ind: Array, v_col: Array) -> tuple[Array, Array]:
        """Solve the dual, one weight w in [0, 1] a mind, by golden-section search (it is convex).

        The dual is g_w·g_0 + sqrt(phi) |g_w| with g_w = w g_ind + (1 - w) g_col, g_0 the average
        and phi = c² |g_0|².
        """
        average = (gram.ind_ind + 2 * gram.ind_col + gram.col_col) / 4
        radius = self.c * np.sqrt(np.maximum(average, 0))

        def length(w: Array) -> Array:
            square = w**2 * gram.ind_ind + 2 * w * (1 - w) * gram.ind_col
            square = square + (1 - w) ** 2 * gram.col_col
            return np.asarray(np.sqrt(np.maximum(square, 0)))

        def dual(w: Array) -> Array:
            inner = w * (gram.ind_ind + gram.ind_col) + (1 - w) * (gram.ind_col + gram.col_col)
            return np.asarray(0.5 * inner + radius * length(w))

        w = _minimise(dual, np.zeros_like(average), np.ones_like(average))
        step = _ratio(radius, length(w))
        return 0.5 + step * w, 0.5 + step * (1 - w)


def _minimise(function: Any, low: Array, high: Array) -> Array:
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        falls = function(left) < function(right)
        low, high = np.where(falls, low, left), np.where(falls, right, high)
    return (low + high) / 2


def _ratio(above: Array, below: Array) -> Array:
    """``above / below``; 0 where ``below`` is 0: a gradient vanishes then, and its part too."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _like(coefficient: Array, gradient: Any) -> Any:
    if isinstance(gradient, np.ndarray):
        return coefficient[..., None]
    return gradient.new_tensor(coefficient)[..., None]


def _check_beta(beta: float) -> None:
    if not 0 <= beta <= 1:
        raise UsageError(f"beta, the weight of the collective gradient, must be 0 to 1, got {beta}")
