"""Judges who cannot be trusted equally: how often each one answers as the common scale would.

The model is Crowd-BT (Chen et al. 2013, "Pairwise Ranking Aggregation in a Crowdsourced Setting"),
the confusion of Dawid and Skene (1979) put on comparisons: judge ``k`` reports what it finds with
probability ``r_k`` and the opposite otherwise,

    P_k(i > j) = r_k s(i, j) + (1 - r_k) s(j, i),   s(i, j) = 1 / (1 + exp(v_j - v_i))

so that a coin has ``r = 1/2`` and somebody who has it backwards less. Expectation-maximisation goes
back and forth between how honest each answer seems and Bradley–Terry on answers so weighted. A weak
prior, ``HONEST`` honest answers and ``CONTRARY`` others, says which way round the scale is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..ratings.pair_counts import Floats
from ..ratings.scale import Scale, fit_scale
from .judgements import Judgements

HONEST, CONTRARY = 4.0, 1.0
_ROUNDS = 200
_CLOSE = 1e-5


class Trusted(NamedTuple):
    """What all judges together say, each as far as it can be trusted.

    Attributes:
        scale: of the items, given the reliabilities.
        reliability: ``[judges]``, the chance that a judge reports what it finds.
        errors: ``[judges]``, standard deviations of the reliabilities, given the scale.
    """

    scale: Scale
    reliability: Floats
    errors: Floats


def trust(judgements: Judgements, *, rounds: int = _ROUNDS) -> Trusted:
    """Fit a scale and the judges' reliabilities together.

    Args:
        judgements: of two judges or more; ties say nothing about honesty and count half each way.
        rounds: of expectation and maximisation at most.
    """
    known = judgements.only(judgements.answered)
    judges = int(known.judge.max(initial=0)) + 1
    share = known.preferred
    decided = np.abs(2.0 * share - 1.0)  # 0 for a tie, 1 for a plain answer
    reliability = np.full(judges, HONEST / (HONEST + CONTRARY))
    honest = np.ones(len(known))
    for _ in range(rounds):
        scale = fit_scale(_as_meant(known, honest).counts(ties=False))
        agrees = np.where(share > 0.5, 1.0, -1.0) * (
            scale.values[known.first] - scale.values[known.second]
        )
        chance = 0.5 * (1.0 + np.tanh(0.5 * agrees))
        trusted = reliability[known.judge]
        both = trusted * chance + (1.0 - trusted) * (1.0 - chance)
        honest = trusted * chance / both
        before = reliability
        told = np.bincount(known.judge, weights=decided * honest, minlength=judges)
        total = np.bincount(known.judge, weights=decided, minlength=judges)
        reliability = (told + HONEST - 1.0) / (total + HONEST + CONTRARY - 2.0)
        if np.abs(reliability - before).max(initial=0.0) < _CLOSE:
            break
    slope = np.bincount(
        known.judge, weights=decided * ((2 * chance - 1) / both) ** 2, minlength=judges
    )
    return Trusted(scale, np.asarray(reliability), 1.0 / np.sqrt(slope + HONEST + CONTRARY - 2.0))


def _as_meant(known: Judgements, honest: Floats) -> Judgements:
    """The answers with each one turned around as far as it seems not to be honest."""
    meant = honest * known.preferred + (1.0 - honest) * (1.0 - known.preferred)
    return Judgements(known.items, known.first, known.second, meant, known.judge)
