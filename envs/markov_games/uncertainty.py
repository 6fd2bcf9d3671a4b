"""Uncertainty sets: the worst that can happen when the world is near a known one.

Around a distribution P0 over next states lies a set of others at most ``radius`` away, by total
variation, Kullback-Leibler divergence KL(P || P0), or the chi-square divergence. :func:`worst` is
the least expectation of a value over that set, for every row of a kernel at once and each row by
itself, which is what rectangularity means (Iyengar, 2005; Nilim and El Ghaoui, 2005).

All three follow from their duals. That of total variation is concave and piecewise linear, and its
maximum lies where the probability of all higher values first exceeds the radius: walking down the
sorted values finds it, exactly. That of chi-square is smooth between those breakpoints, with one
stationary point in closed form. That of Kullback-Leibler is a search for the tilt whose divergence
is the radius (Newton's method within a bracket).
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..grid.cache import kernel

Array: TypeAlias = np.ndarray[Any, Any]
Divergence = Literal["tv", "kl", "chi2"]
DIVERGENCES = ("tv", "kl", "chi2")


def worst(transitions: Array, value: Array, radius: Any, divergence: str = "tv") -> Array:
    """The least expectation of ``value`` over the set around every row.

    Args:
        transitions: float64 ``[..., S]``, rows that sum to one.
        value: float64 ``[S]``.
        radius: >= 0; one number, or one a row (``[...]``). Total variation is half the L1
            distance: from 1 on any distribution is in the set.
        divergence: ``tv``, ``kl`` or ``chi2``. The latter two only reweigh what P0 allows.

    Returns:
        float64 ``[...]``.

    Raises:
        UsageError: a radius below 0 or NaN.
        UnknownName: another divergence.
    """
    rows = np.ascontiguousarray(transitions, np.float64).reshape(-1, transitions.shape[-1])
    radii = _radii(radius, transitions.shape[:-1])
    order = np.argsort(-value, kind="stable")
    out = np.empty(len(rows))
    if divergence == "tv":
        _tv(rows, value, order, radii, out)
    elif divergence == "chi2":
        _chi2(rows, value, order, radii, out)
    elif divergence == "kl":
        _kl(rows, value, radii, out)
    else:
        raise UnknownName("divergence", str(divergence), DIVERGENCES, where="uncertainty set")
    return out.reshape(transitions.shape[:-1])


def best(transitions: Array, value: Array, radius: Any, divergence: str = "tv") -> Array:
    """The largest expectation; as :func:`worst`."""
    return -worst(transitions, -value, radius, divergence)


def worst_kernel(transitions: Array, value: Array, radius: Any) -> Array:
    """The distributions within total variation ``radius`` that attain :func:`worst`.

    Args:
        transitions: float64 ``[..., S]``.
        value: float64 ``[S]``.
        radius: as there.

    Returns:
        float64 ``[..., S]``: ``radius`` of probability taken from the largest values and given to
        the least (the first of them, if several are).
    """
    rows = np.array(transitions, np.float64).reshape(-1, transitions.shape[-1])
    radii = _radii(radius, transitions.shape[:-1])
    _move(rows, np.argsort(-value, kind="stable"), int(value.argmin()), radii)
    return rows.reshape(transitions.shape)


def check_radius(radius: Any, name: str = "radius") -> None:
    """Raise UsageError unless every radius is a finite number >= 0."""
    try:
        fine = bool(np.all(np.isfinite(radius) & (np.asarray(radius) >= 0)))
    except TypeError:
        fine = False
    if not fine:
        raise UsageError(f"{name} must be a number from 0 up, got {radius!r:.60}")


def _radii(radius: Any, shape: tuple[int, ...]) -> Array:
    check_radius(radius)
    return np.ascontiguousarray(np.broadcast_to(np.asarray(radius, np.float64), shape)).ravel()


@kernel
def _tv(rows: Any, value: Any, order: Any, radius: Any, out: Any) -> None:
    low = value[order[-1]]
    for row in range(len(rows)):
        mean = 0.0
        for state in range(len(value)):
            mean += rows[row, state] * value[state]
        left, lost = radius[row], 0.0
        for state in order:
            if left <= 0.0:
                break
            moved = min(rows[row, state], left)
            left -= moved
            lost += moved * (value[state] - low)
        out[row] = max(mean - lost, low)


@kernel
def _move(rows: Any, order: Any, lowest: int, radius: Any) -> None:
    for row in range(len(rows)):
        left, given = radius[row], 0.0
        for state in order:
            if left <= 0.0:
                break
            moved = min(rows[row, state], left)
            left -= moved
            given += moved
            rows[row, state] -= moved
        rows[row, lowest] += given


@kernel
def _chi2(rows: Any, value: Any, order: Any, radius: Any, out: Any) -> None:
    """Over a: mean of min(V, a) minus the root of radius times its variance; from the top down."""
    for row in range(len(rows)):
        below, first, second, low = 0.0, 0.0, 0.0, np.inf  # moments of what lies below a
        for state in range(len(value)):
            p = rows[row, state]
            if p > 0.0:
                below += p
                first += p * value[state]
                second += p * value[state] * value[state]
                low = min(low, value[state])
        s = radius[row]
        most = max(low, first - math.sqrt(s * max(second - first * first, 0.0)))
        above = 0.0
        for place in range(len(order)):
            state = order[place]
            p, v = rows[row, state], value[state]
            if p <= 0.0:
                continue
            if v <= low:
                break
            above += p
            first -= p * v
            second -= p * v * v
            odds = above / max(1.0 - above, 1e-300)
            spread = second - first * first / max(1.0 - above, 1e-300)
            next_v = low
            for later in range(place + 1, len(order)):
                if rows[row, order[later]] > 0.0:
                    next_v = value[order[later]]
                    break
            if s > odds and spread > 0.0:  # a stationary point; is it in this segment?
                a = (math.sqrt(spread / (s - odds)) + first) / max(1.0 - above, 1e-300)
                a = min(max(a, next_v), v)
            else:
                a = next_v
            mean = first + above * a
            variance = second + above * a * a - mean * mean
            most = max(most, mean - math.sqrt(s * max(variance, 0.0)))
        out[row] = most


@kernel
def _kl(rows: Any, value: Any, radius: Any, out: Any) -> None:
    for row in range(len(rows)):
        low, high, mean = np.inf, -np.inf, 0.0
        for state in range(len(value)):
            p = rows[row, state]
            if p > 0.0:
                low, high = min(low, value[state]), max(high, value[state])
                mean += p * value[state]
        at_low = 0.0
        for state in range(len(value)):
            if value[state] <= low:
                at_low += rows[row, state]
        s, span = radius[row], high - low
        if s <= 0.0 or span <= 0.0:
            out[row] = mean
            continue
        if s >= -math.log(at_low):
            out[row] = low
            continue
        if s < 1e-18:  # by Pinsker's inequality the mean moves by less than 1e-9 of the span
            out[row] = mean
            continue
        left, right = -30.0, 700.0  # bracket of x, the log of the tilt times the span
        x, found = 0.5 * math.log(2.0 * s), mean
        for _ in range(200):
            tilt = math.exp(x) / span
            gentle = tilt * span < 1.0  # then differences from the mean keep the digits
            centre, mass, tilted, square = mean if gentle else low, 0.0, 0.0, 0.0
            for state in range(len(value)):
                p = rows[row, state]
                if p > 0.0:
                    gain = value[state] - centre
                    change = math.expm1(-tilt * gain) if gentle else math.exp(-tilt * gain)
                    weight = p * (1.0 + change) if gentle else p * change
                    mass += p * change
                    tilted += weight * gain
                    square += weight * gain * gain
            log_mass = math.log1p(mass) if gentle else math.log(mass)
            total = math.exp(log_mass)
            tilted /= total
            spread = max(square / total - tilted * tilted, 0.0)
            divergence = -tilt * tilted - log_mass
            found = centre + tilted
            if abs(divergence - s) <= 1e-13 * s or right - left < 1e-14:
                break
            if divergence > s:
                right = x
            else:
                left = x
            slope = tilt * tilt * spread
            x = x - (divergence - s) / slope if slope > 1e-300 else 0.5 * (left + right)
            if not left < x < right:
                x = 0.5 * (left + right)
        out[row] = min(max(found, low), mean)
