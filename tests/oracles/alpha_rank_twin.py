"""Alpha-rank word by word from the paper: products of ratios, an eigenvector, no closed forms."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np


def one_population(payoffs: np.ndarray, alpha: float, population: int) -> np.ndarray:
    size = len(payoffs)
    chain = np.zeros((size, size))
    for resident, mutant in itertools.permutations(range(size), 2):
        gains = []
        for mutants in range(1, population):
            residents = population - mutants
            mine = (mutants - 1) * payoffs[mutant, mutant] + residents * payoffs[mutant, resident]
            theirs = mutants * payoffs[resident, mutant]
            theirs += (residents - 1) * payoffs[resident, resident]
            gains.append((mine - theirs) / (population - 1))
        chain[resident, mutant] = fixation(gains, alpha) / (size - 1)
    return eigenvector(chain)


def many_populations(
    payoffs: Sequence[np.ndarray], alpha: float, population: int
) -> dict[tuple[int, ...], float]:
    shape = payoffs[0].shape
    profiles = list(itertools.product(*map(range, shape)))
    moves = sum(size - 1 for size in shape)
    chain = np.zeros((len(profiles), len(profiles)))
    for (i, here), (j, there) in itertools.permutations(enumerate(profiles), 2):
        changed = [seat for seat in range(len(shape)) if here[seat] != there[seat]]
        if len(changed) == 1:
            gain = payoffs[changed[0]][there] - payoffs[changed[0]][here]
            chain[i, j] = fixation([gain] * (population - 1), alpha) / moves
    return dict(zip(profiles, eigenvector(chain), strict=True))


def fixation(gains: Sequence[float], alpha: float) -> float:
    """Chance that one mutant takes over; ``gains`` are its advantages among 1, 2, … mutants."""
    total = 1.0
    for last in range(1, len(gains) + 1):
        total += np.prod([np.exp(-alpha * gain) for gain in gains[:last]])
    return 1.0 / total


def eigenvector(chain: np.ndarray) -> np.ndarray:
    chain = chain + np.diag(1 - chain.sum(axis=1))
    values, vectors = np.linalg.eig(chain.T)
    found = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    return found / found.sum()
