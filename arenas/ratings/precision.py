"""How sharply data pin down many parameters: a sparse precision matrix, solved and drawn from.

Near its maximum every likelihood of comparisons is Gaussian with precision ``J' W J + D``: a row of
``J`` for each pair compared, a weight for what its outcomes tell, a diagonal for the prior. With
10,000 items and a million pairs the matrix is never formed: conjugate gradients (Hestenes & Stiefel
1952) solve it in some dozen products with ``J``, for a graph of random pairs is well connected with
few of them apiece. Draws from the posterior are solutions too, of right sides with the matrix
itself as covariance (Papandreou & Yuille 2010, "Gaussian Sampling by Local Perturbations"), so the
same products also give intervals, and of ranks as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .pair_counts import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 1_500
"""Parameters up to which the matrix is formed and factorised."""
_DRAWS = 200
_CHUNK = 25
_MOST_PRODUCTS = 2_000
_FLAT = 1e-12


class Precision:
    """``J' W J + D``, symmetric and not negative.

    Attributes:
        size: number of parameters.
    """

    def __init__(self, design: csr_array, weights: Floats, diagonal: Floats) -> None:
        """Take the parts.

        Args:
            design: ``[rows, size]``, J.
            weights: ``[rows]``, not negative, the diagonal of W.
            diagonal: ``[size]``, not negative, of D.
        """
        self.size = len(diagonal)
        self._design, self._weights, self._diagonal = design, weights, diagonal
        self._transposed = design.T

    def times(self, vectors: Floats) -> Floats:
        """The product with ``[size, columns]``."""
        inner = self._weights[:, None] * (self._design @ vectors)
        return np.asarray(self._transposed @ inner + self._diagonal[:, None] * vectors)

    def matrix(self) -> Floats:
        """``[size, size]``; for small sizes."""
        scaled = self._design.multiply(self._weights[:, None]).tocsr()
        formed = (self._transposed @ scaled).toarray()
        formed[np.arange(self.size), np.arange(self.size)] += self._diagonal
        return np.asarray(formed)

    def solve(self, right: Floats, *, free: Any = None, tolerance: float = 1e-8) -> Floats:
        """``x`` with ``matrix @ x = right``.

        Args:
            right: ``[size]`` or ``[size, columns]``; a singular matrix needs it in its range.
            free: ``[size]``, whether a parameter may move; the others stay 0. All by default.
            tolerance: length of what is left over, as a share of the right side's.
        """
        columns = right.reshape(self.size, -1)
        moves = np.ones((self.size, 1)) if free is None else np.asarray(free, float)[:, None]
        if self.size <= DENSE:
            found = self._factorised(columns * moves, moves[:, 0] > 0)
        else:
            found = self._by_gradients(columns * moves, moves, tolerance)
        return found.reshape(right.shape)

    def _factorised(self, columns: Floats, free: Any) -> Floats:
        found = np.zeros_like(columns)
        inner = self.matrix()[np.ix_(free, free)]
        try:
            lower = np.linalg.cholesky(inner)
            found[free] = np.linalg.solve(lower.T, np.linalg.solve(lower, columns[free]))
        except np.linalg.LinAlgError:  # a level that nothing pins: take the shortest solution
            found[free] = np.linalg.lstsq(inner, columns[free], rcond=1e-12)[0]
        return found

    def _by_gradients(self, right: Floats, moves: Floats, tolerance: float) -> Floats:
        squares = self._design.multiply(self._design).T @ self._weights + self._diagonal
        scale = moves / np.maximum(squares, 1e-300)[:, None]
        found, left = np.zeros_like(right), right.copy()
        step = scale * left
        energy = (left * step).sum(axis=0)
        goal = tolerance * np.sqrt((right * right).sum(axis=0))
        for _ in range(_MOST_PRODUCTS):
            if np.all(np.sqrt((left * left).sum(axis=0)) <= goal):
                break
            product = moves * self.times(step)
            bend = (step * product).sum(axis=0)
            # Along what nothing pins there is only rounding to be followed.
            pinned = bend > _FLAT * (squares[:, None] * step * step).sum(axis=0)
            if not pinned.any():
                break
            rise = np.where(pinned, energy / np.where(pinned, bend, 1.0), 0.0)
            found += rise * step
            left -= rise * product
            towards = scale * left
            fresh = (left * towards).sum(axis=0)
            step = towards + fresh / np.maximum(energy, 1e-300) * step
            energy = fresh
        return found

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """``[number, size]`` draws from the Gaussian with this precision, around 0."""
        drawn = np.empty((number, self.size))
        roots, spread = np.sqrt(self._weights), np.sqrt(self._diagonal)
        for start in range(0, number, _CHUNK):
            many = min(_CHUNK, number - start)
            noise = self._transposed @ (roots[:, None] * rng.standard_normal((len(roots), many)))
            noise += spread[:, None] * rng.standard_normal((self.size, many))
            drawn[start : start + many] = self.solve(noise, tolerance=1e-3).T
        return drawn

    def covariance(self) -> Floats:
        """``[size, size]``, the (pseudo-)inverse; for small sizes."""
        return np.asarray(np.linalg.pinv(self.matrix(), hermitian=True, rcond=1e-12))
