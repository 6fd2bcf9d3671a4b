"""Uncertainty sets against closed forms, linear programs and their own laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.markov_games.uncertainty import (
    DIVERGENCES,
    best,
    check_radius,
    worst,
    worst_kernel,
)
from gymposium.errors import UnknownName, UsageError
from tests.oracles.robust_twin import worst_by_program, worst_by_search

P, V = np.array([[0.5, 0.3, 0.2]]), np.array([0.0, 1.0, 3.0])
seeds = st.integers(0, 10**6)
radii = st.floats(0, 1.2)


def drawn(seed: int, size: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """A row with some zeros and a value with some ties."""
    rng = np.random.default_rng(seed)
    row = rng.dirichlet(np.full(size, 0.5)) * (rng.random(size) < 0.8)
    row = row / row.sum() if row.sum() else np.eye(size)[0]
    return row, np.round(rng.normal(size=size), rng.integers(0, 4)) * 3


@pytest.mark.parametrize(
    ("divergence", "radius", "least"),
    [
        *[("tv", s, v) for s, v in ((0, 0.9), (0.1, 0.6), (0.2, 0.3), (0.3, 0.2), (0.5, 0.0))],
        *[("kl", s, v) for s, v in ((0, 0.9), (0.05, 0.5629), (0.2, 0.2829), (0.5, 0.0584))],
        ("kl", np.log(2), 0.0),
        *[("chi2", s, v) for s, v in ((0, 0.9), (0.05, 0.646), (0.2, 0.3921), (1, 0.0))],
    ],
)
def test_the_worst_mean_is_the_stated_one(divergence: str, radius: float, least: float) -> None:
    assert worst(P, V, radius, divergence)[0] == pytest.approx(least, abs=5e-5)


@pytest.mark.parametrize(
    ("radius", "most"), [(0, 0.9), (0.1, 1.2), (0.2, 1.5), (0.3, 1.8), (0.5, 2.4), (0.8, 3), (2, 3)]
)
def test_the_best_mean_under_total_variation_is_the_stated_one(radius: float, most: float) -> None:
    assert best(P, V, radius)[0] == pytest.approx(most, abs=1e-12)


@given(seeds, radii)
@settings(max_examples=30, deadline=None)
def test_breakpoints_agree_with_the_linear_program_and_with_the_scalar_search(
    seed: int, radius: float
) -> None:
    row, value = drawn(seed)
    ours = worst(row[None], value, radius)[0]
    assert ours == pytest.approx(worst_by_program(row, value, radius), abs=1e-7)
    assert ours == pytest.approx(worst_by_search(row, value, radius), abs=1e-6)


@given(seeds, radii)
@settings(max_examples=60, deadline=None)
def test_the_moved_kernel_attains_the_worst_mean_within_the_radius(
    seed: int, radius: float
) -> None:
    row, value = drawn(seed)
    moved = worst_kernel(row[None], value, radius)[0]
    assert moved.min() >= 0
    assert moved.sum() == pytest.approx(1)
    assert np.abs(moved - row).sum() / 2 <= radius + 1e-12
    assert moved @ value == pytest.approx(worst(row[None], value, radius)[0], abs=1e-12)


def grid_dual(row: np.ndarray, value: np.ndarray, radius: float, divergence: str) -> float:
    """The dual on a fine grid: a lower bound that converges."""
    held = row > 0
    row, value = row[held], value[held]
    low = value.min()
    found = [low]
    if divergence == "kl":
        for scale in np.exp(np.linspace(-9, 9, 20_001)):
            mean = row @ np.exp(-(value - low) / scale)
            found.append(low - scale * (np.log(mean) + radius))
    else:
        for top in np.linspace(low, value.max(), 20_001):
            cut = np.minimum(value, top)
            mean = row @ cut
            spread = max(row @ cut**2 - mean**2, 0.0)
            found.append(mean - np.sqrt(radius * spread))
    return max(found)


@pytest.mark.parametrize("divergence", ["kl", "chi2"])
@pytest.mark.parametrize("radius", [0.01, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(6))
def test_divergences_agree_with_their_duals_on_a_fine_grid(
    divergence: str, radius: float, seed: int
) -> None:
    row, value = drawn(seed)
    ours = worst(row[None], value, radius, divergence)[0]
    grid = grid_dual(row, value, radius, divergence)
    assert grid - 1e-9 <= ours <= grid + 2e-5 * (1 + np.ptp(value))


@pytest.mark.parametrize("divergence", ["kl", "chi2"])
@given(seeds, st.floats(0.001, 3))
@settings(max_examples=40, deadline=None)
def test_no_distribution_in_the_set_does_worse(divergence: str, seed: int, radius: float) -> None:
    row, value = drawn(seed)
    ours = worst(row[None], value, radius, divergence)[0]
    rng = np.random.default_rng(seed)
    held = row > 0
    tilts = np.exp(
        -np.outer(rng.exponential(1, 100), value[held]) + rng.normal(0, 0.3, (100, held.sum()))
    )
    others = row[held] * tilts
    others /= others.sum(1, keepdims=True)
    ratio = others / row[held]
    logs = np.log(np.where(ratio > 0, ratio, 1.0))
    far = (others * logs).sum(1) if divergence == "kl" else (row[held] * (ratio - 1) ** 2).sum(1)
    near = others[far <= radius]
    assert (near @ value[held] >= ours - 1e-9).all()


@pytest.mark.parametrize("divergence", DIVERGENCES)
@given(seeds, st.floats(0, 1), st.floats(-5, 5), st.floats(0.01, 10))
@settings(max_examples=30, deadline=None)
def test_the_worst_mean_obeys_the_laws_of_a_coherent_risk(
    divergence: str, seed: int, radius: float, shift: float, scale: float
) -> None:
    row, value = drawn(seed)
    other = value + np.abs(np.random.default_rng(seed + 1).normal(size=len(value)))

    def low(v: np.ndarray, r: float = radius) -> float:
        return float(worst(row[None], v, r, divergence)[0])

    here = low(value)
    assert low(value, 0.0) == pytest.approx(row @ value, abs=1e-9)
    assert low(value, radius + 0.1) <= here + 1e-7
    middle = low(value, radius + 0.05)
    if divergence == "tv":
        assert middle <= (here + low(value, radius + 0.1)) / 2 + 1e-9
        assert low(value, 1.0) == pytest.approx(value.min(), abs=1e-9)
    assert low(value + shift) == pytest.approx(here + shift, abs=1e-7)
    assert low(value * scale) == pytest.approx(here * scale, abs=1e-7 * max(1, scale))
    assert low(other) >= here - 1e-7
    assert abs(low(other) - here) <= np.abs(other - value).max() + 1e-7
    assert best(row[None], value, radius, divergence)[0] == pytest.approx(-low(-value))


def test_every_row_may_have_its_own_radius() -> None:
    rows = np.repeat(P, 3, axis=0)
    assert worst(rows, V, np.array([0.0, 0.2, 0.5])) == pytest.approx([0.9, 0.3, 0.0])


@pytest.mark.parametrize("radius", [-0.1, np.nan, np.inf, "far", None])
def test_a_radius_that_is_none_is_refused(radius: object) -> None:
    with pytest.raises(UsageError, match="from 0 up"):
        check_radius(radius)
    if not isinstance(radius, str) and radius is not None:
        with pytest.raises(UsageError, match="from 0 up"):
            worst(P, V, radius)


def test_an_unknown_divergence_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="chi2"):
        worst(P, V, 0.1, "chi")
