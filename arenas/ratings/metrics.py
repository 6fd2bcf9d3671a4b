"""Means with intervals: returns, the worlds' own measures, and paired differences.

A figure is averaged over matches and its interval comes from resampling whole seed blocks
(:mod:`.bootstrap`). Over several cells the cells' means are averaged, so that a cell with more
matches does not count for more. Differences between two agents are taken place by place (the same
cell, seed, seats and background; :mod:`.comparisons`), which removes the luck of the seed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gymposium.errors import UnknownName

from ..rows import MatchRow
from .bootstrap import block_weights, check_confidence, interval
from .comparisons import Place, is_rated, rated_agents, standings
from .pair_counts import Floats

_SHARE = re.compile(r"(?:^|_)(?:rate|share|fraction|efficiency|agreement|won)(?:_|$)")


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its interval.

    Attributes:
        subject: whose: an agent's name, or a metric's.
        cell: the scenario cell, or None for the average over cells.
        value: the mean.
        low, high: the interval's ends; None when a single seed block leaves them unknown.
        matches: matches averaged over.
        blocks: seed blocks they came from (the fewest of any cell, for an average over cells).
    """

    subject: str
    cell: str | None
    value: float
    low: float | None
    high: float | None
    matches: int
    blocks: int


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """By how much one agent's return exceeds another's where both played the same places.

    Attributes:
        agent, other: the difference is ``agent`` minus ``other``.
        value: mean over places; NaN when they shared none.
        low, high: the interval's ends, or None when unknown.
        places: places shared.
        blocks: seed blocks these lie in.
    """

    agent: str
    other: str
    value: float
    low: float | None
    high: float | None
    places: int
    blocks: int


def mean_returns(
    rows: Iterable[MatchRow],
    *,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Mean]:
    """Per-capita return of every rated agent, per cell and overall.

    Args:
        rows: finished matches. An agent holding several rated seats of one counts once, with its
            mean over them.
        bootstrap: replicas.
        seed: of the resampling.
        confidence: of the intervals.

    Returns:
        First the average over cells for every agent (``cell`` None), then all (agent, cell) pairs.
    """
    return means(_per_capita(rows), bootstrap=bootstrap, seed=seed, confidence=confidence)


Norm: TypeAlias = Literal["bounds", "pool"]
Observed: TypeAlias = tuple[str, str, int, float]
"""(agent, cell, block, figure), of one match."""
BEST, WORST = "optimum_return", "worst_return"
"""Metrics of worlds that know what a match was worth: between these its returns are scaled."""
YARDSTICKS = frozenset({BEST, WORST, "nash_return", "random_return"})


def normalised_returns(
    rows: Iterable[MatchRow],
    bounds: Mapping[str, tuple[float, float]],
    *,
    norm: Norm = "bounds",
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Mean]:
    """Per-capita returns on a scale that is the same in every cell (Melting Pot's).

    Args:
        rows: finished matches; those without a scale are left out.
        bounds: by cell, the returns that become 0 and 1.
        norm: see :func:`scaled_returns`.
        bootstrap: replicas.
        seed: of the resampling.
        confidence: of the intervals.

    Returns:
        As :func:`mean_returns`; a return outside its bounds gives a figure outside [0, 1].
    """
    scaled = scaled_returns(rows, bounds, norm)
    return means(scaled, bootstrap=bootstrap, seed=seed, confidence=confidence) if scaled else []


def scaled_returns(
    rows: Iterable[MatchRow], bounds: Mapping[str, tuple[float, float]], norm: Norm
) -> list[Observed]:
    """Normalised per-capita returns, one per match and agent.

    Args:
        rows: finished matches.
        bounds: by cell, the returns that become 0 and 1.
        norm: ``bounds``: between those given, else in each match between the least and the most
            that all could earn together, where its world tells them; ``pool``: between the lowest
            and the highest of the agents compared in one cell, on one seed, beside the same
            background.

    Raises:
        UnknownName: ``norm`` is neither.
    """
    if norm not in get_args(Norm):
        raise UnknownName("norm", str(norm), get_args(Norm), where="normalised returns")
    if norm == "pool":
        return _pooled(rows)
    scaled = []
    for row in rows:
        own = row.metrics.get(WORST, 0.0), row.metrics.get(BEST, 0.0)
        low, high = bounds.get(row.cell, own)
        if low < high:
            scaled += [(a, c, b, (v - low) / (high - low)) for a, c, b, v in _per_capita([row])]
    return scaled


def _pooled(rows: Iterable[MatchRow]) -> list[Observed]:
    """Returns between those of the worst and of the best agent in the same circumstances."""
    places: dict[tuple[Any, ...], dict[str, list[float]]] = {}
    for row in rows:
        others = tuple((seat.seat, seat.agent) for seat in row.seats if not is_rated(seat))
        for agent, cell, block, value in _per_capita([row]):
            place = places.setdefault((cell, block, row.seed, others), {})
            place.setdefault(agent, []).append(value)
    scaled = []
    for (cell, block, *_), values in places.items():
        mean = {agent: sum(mine) / len(mine) for agent, mine in values.items()}
        low, high = min(mean.values()), max(mean.values())
        if low < high:
            scaled += [(a, cell, block, (it - low) / (high - low)) for a, it in mean.items()]
    return scaled


def _per_capita(rows: Iterable[MatchRow]) -> list[Observed]:
    """(agent, cell, block, mean return over the rated seats it holds), one per match and agent."""
    observed = []
    for row in rows:
        held: dict[str, list[float]] = {}
        for seat in row.seats:
            if is_rated(seat):
                held.setdefault(seat.agent, []).append(seat.return_)
        observed += [(a, row.cell, row.block, sum(v) / len(v)) for a, v in held.items()]
    return observed


def mean_metrics(
    rows: Iterable[MatchRow],
    *,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Mean]:
    """The worlds' own measures, per cell and overall; arguments as in :func:`mean_returns`."""
    observed = [
        (name, row.cell, row.block, float(value))
        for row in rows
        for name, value in row.metrics.items()
    ]
    values: dict[str, list[float]] = {}
    for name, _, _, value in observed:
        values.setdefault(name, []).append(value)
    shares = {name for name, found in values.items() if is_share(name, found)}
    return means(observed, bootstrap=bootstrap, seed=seed, confidence=confidence, shares=shares)


def is_share(name: str, values: Iterable[float]) -> bool:
    """Whether a measure is a share of something, so that its mean cannot leave 0 … 1.

    Args:
        name: by convention shares are called ``rate_…``, ``…_share``, ``efficiency`` and the like.
        values: its values; one outside 0 … 1 says that it is no share after all, and a measure that
            is only ever 0 or 1 is one whatever its name.
    """
    found = {float(value) for value in values if not np.isnan(value)}
    if not all(0.0 <= value <= 1.0 for value in found):
        return False
    return found <= {0.0, 1.0} or _SHARE.search(name) is not None


def means(
    observed: Sequence[tuple[str, str, int, float]],
    *,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    shares: Collection[str] = (),
) -> list[Mean]:
    """Means of any figure.

    Args:
        observed: (subject, cell, block, value), one per match; values that are NaN are left out.
        bootstrap: replicas.
        seed: of the resampling.
        confidence: of the intervals.
        shares: subjects whose values are shares: their intervals stay within 0 … 1.

    Returns:
        The average over cells for every subject, then all (subject, cell) pairs, each sorted.
    """
    check_confidence(confidence, bootstrap)
    observed = [entry for entry in observed if not np.isnan(entry[3])]
    pairs = sorted({(subject, cell) for subject, cell, _, _ in observed})
    blocks = {block: n for n, block in enumerate(sorted({block for _, _, block, _ in observed}))}
    column = {pair: n for n, pair in enumerate(pairs)}
    where = np.array([column[s, c] for s, c, _, _ in observed], dtype=np.int64)
    where += np.array([blocks[b] for _, _, b, _ in observed], dtype=np.int64) * len(pairs)
    shape = (len(blocks), len(pairs))
    size = shape[0] * shape[1]
    values = np.array([value for _, _, _, value in observed])
    sums = np.bincount(where, weights=values, minlength=size).reshape(shape)
    numbers = np.bincount(where, minlength=size).astype(np.float64).reshape(shape)
    weights = block_weights(len(blocks), bootstrap, seed)
    totals = numbers.sum(axis=0)
    estimates = sums.sum(axis=0) / np.maximum(totals, 1)
    drawn = weights @ numbers
    replicas = np.divide(weights @ sums, drawn, out=np.full_like(drawn, np.nan), where=drawn > 0)
    by_subject: dict[str, list[int]] = {}
    for number, (subject, _) in enumerate(pairs):
        by_subject.setdefault(subject, []).append(number)
    groups: list[tuple[str, str | None, list[int]]] = [
        (subject, None, columns) for subject, columns in by_subject.items()
    ]
    groups += [(subject, cell, [number]) for number, (subject, cell) in enumerate(pairs)]
    return [
        _mean(
            Mean(subject, cell, float(estimates[columns].mean()), None, None, 0, 0),
            replicas[:, columns],
            numbers[:, columns],
            confidence,
            share=subject in shares,
        )
        for subject, cell, columns in groups
    ]


def paired_difference(
    rows: Iterable[MatchRow],
    agent: str,
    other: str,
    *,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedDifference:
    """``agent``'s return minus ``other``'s, over the places both have played.

    Args:
        rows: finished matches.
        agent: a rated agent.
        other: the one it is compared with.
        bootstrap: replicas.
        seed: of the resampling.
        confidence: of the intervals.

    Returns:
        The mean difference with its interval.

    Raises:
        UnknownName: an agent that no match has rated.
    """
    rows = list(rows)
    known = rated_agents(rows)
    for name in (agent, other):
        if name not in known:
            raise UnknownName("agent", name, known, where="the rated matches")
    found: dict[Place, tuple[int, dict[str, list[float]]]] = {}
    for place, block, who, value in standings(rows):
        if who in (agent, other):
            found.setdefault(place, (block, {}))[1].setdefault(who, []).append(value)
    observed = [
        ("difference", "", block, float(np.mean(both[agent]) - np.mean(both[other])))
        for block, both in found.values()
        if agent in both and other in both
    ]
    if not observed:
        return PairedDifference(agent, other, float("nan"), None, None, 0, 0)
    mean = means(observed, bootstrap=bootstrap, seed=seed, confidence=confidence)[0]
    return PairedDifference(
        agent, other, mean.value, mean.low, mean.high, mean.matches, mean.blocks
    )


def _mean(mean: Mean, replicas: Floats, numbers: Floats, confidence: float, *, share: bool) -> Mean:
    """``mean`` with its interval, from its cells' replicas and its matches by block and cell."""
    # A replica without any match of some cell says nothing about the average over cells.
    drawn = replicas.mean(axis=1)
    # The average is no better known than its least repeated cell.
    blocks = int((numbers > 0).sum(axis=0).min())
    bounds = (0.0, 1.0) if share else (-math.inf, math.inf)
    found = interval(mean.value, drawn, blocks=blocks, confidence=confidence, bounds=bounds)
    low, high = found or (None, None)
    return replace(mean, low=low, high=high, matches=int(numbers.sum()), blocks=blocks)
