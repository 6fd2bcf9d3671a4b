"""Gradient surgery: worked examples, guarantees on random vectors, games with known solutions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.learning.surgery import (
    ConflictAverse,
    Fair,
    GradientCombiner,
    Projecting,
    WeightedSum,
    gram,
)
from gymposium.errors import UsageError

ALL: tuple[GradientCombiner, ...] = (WeightedSum(0.7), Fair(0.7), Projecting(), ConflictAverse())
APART = np.array([1.0, 0.0]), np.array([-0.5, 0.5])


def pair(seed: int, *, conflict: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, 7)) * rng.lognormal(size=(2, 1))
    return first, second if (first @ second < 0) == conflict else -second


seeds = st.integers(0, 2**32 - 1)


def test_an_agent_worse_off_follows_its_own_gradient_along_the_groups_normal_plane() -> None:
    g = Fair()(*APART, v_ind=0.0, v_col=1.0)
    np.testing.assert_allclose(g, (0.5, 0.5))
    assert g @ APART[1] == pytest.approx(0)
    assert g @ APART[0] == pytest.approx(0.5)


def test_an_agent_better_off_follows_the_group_along_its_own_normal_plane() -> None:
    g = Fair()(*APART, v_ind=1.0, v_col=0.0)
    np.testing.assert_allclose(g, (0, 0.5))
    assert g @ APART[0] == 0


def test_without_conflict_beta_weighs_the_collective_gradient() -> None:
    g = Fair(0.7)(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    np.testing.assert_allclose(g, (1, 0.7))


def test_equal_values_count_as_worse_off_and_orthogonal_gradients_do_not_conflict() -> None:
    np.testing.assert_array_equal(Fair()(*APART, 0.3, 0.3), Fair()(*APART, 0.0, 1.0))
    right_angle = Fair(0.25)(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0.0, 1.0)
    np.testing.assert_array_equal(right_angle, (0.75, 0.25))


@pytest.mark.parametrize("v_ind", [0.0, 1.0])
def test_opposite_gradients_give_exactly_nothing(v_ind: float) -> None:
    g = np.array([0.3, -1.7, 2.2])
    assert not Fair()(g, -g, v_ind, 0.5).any()


@given(seed=seeds)
def test_in_conflict_the_step_is_orthogonal_to_the_other_and_never_against_its_own(
    seed: int,
) -> None:
    own, other = pair(seed, conflict=True)
    cosine = own @ other / np.sqrt((own @ own) * (other @ other))
    for g in (Fair()(own, other, 0.0, 1.0), Fair()(other, own, 1.0, 0.0)):
        scale = np.linalg.norm(own) * np.linalg.norm(other)
        assert abs(g @ other) <= 1e-9 * scale
        assert g @ own == pytest.approx((own @ own) * (1 - cosine**2), rel=1e-6, abs=1e-9)


@given(seed=seeds, factor=st.floats(1e-3, 1e3))
def test_how_long_the_other_gradient_is_does_not_matter_in_conflict(
    seed: int, factor: float
) -> None:
    own, other = pair(seed, conflict=True)
    np.testing.assert_allclose(
        Fair()(own, factor * other, 0.0, 1.0), Fair()(own, other, 0.0, 1.0), rtol=1e-7, atol=1e-9
    )


@given(seed=seeds, lower=st.booleans())
def test_neither_objective_is_hurt_to_first_order(seed: int, lower: bool) -> None:
    for conflict in (True, False):
        own, group = pair(seed, conflict=conflict)
        for combine in (Fair(0.3), Projecting()):
            g = combine(own, group, float(not lower), float(lower))
            slack = 1e-9 * (1 + np.linalg.norm(own) * np.linalg.norm(group))
            assert g @ own >= -slack
            assert g @ group >= -slack


@given(seed=seeds, beta=st.floats(0, 1))
def test_without_conflict_fair_is_the_weighted_sum_and_pcgrad_the_average(
    seed: int, beta: float
) -> None:
    own, group = pair(seed, conflict=False)
    np.testing.assert_array_equal(Fair(beta)(own, group, 1.0, 0.0), WeightedSum(beta)(own, group))
    np.testing.assert_array_equal(Projecting()(own, group), WeightedSum(0.5)(own, group))


@given(seed=seeds, beta=st.floats(0, 1))
def test_equal_gradients_are_one_gradient_for_every_beta(seed: int, beta: float) -> None:
    g, _ = pair(seed, conflict=True)
    for combine in (Fair(beta), WeightedSum(beta), Projecting()):
        np.testing.assert_allclose(combine(g, g, 0.0, 0.0), g, rtol=1e-12)


@given(seed=seeds)
def test_pcgrad_averages_the_two_projections(seed: int) -> None:
    own, group = pair(seed, conflict=True)
    first = own - (own @ group) / (group @ group) * group
    second = group - (own @ group) / (own @ own) * own
    np.testing.assert_allclose(Projecting()(own, group), (first + second) / 2, atol=1e-9)


@given(seed=seeds, c=st.floats(0, 0.95))
def test_cagrad_is_no_worse_for_the_worse_served_than_any_step_of_its_ball(
    seed: int, c: float
) -> None:
    own, group = pair(seed, conflict=bool(seed % 2))
    average = (own + group) / 2
    g = ConflictAverse(c)(own, group)
    radius = c * np.linalg.norm(average)
    assert np.linalg.norm(g - average) <= radius * (1 + 1e-6) + 1e-9
    worst = min(g @ own, g @ group)
    rng = np.random.default_rng(seed)
    for direction in [*rng.normal(size=(30, 7)), own, group, own + group]:
        tried = average + radius * direction / np.linalg.norm(direction)
        assert min(tried @ own, tried @ group) <= worst + 1e-5 * (1 + abs(worst))


def test_a_vanished_gradient_slows_the_weighted_sum_and_divides_nothing_by_zero() -> None:
    own, nothing = np.array([2.0, 1.0]), np.zeros(2)
    np.testing.assert_allclose(Fair(0.7)(own, nothing), 0.3 * own)
    for combine in ALL:
        assert np.isfinite(combine(nothing, nothing)).all()


@pytest.mark.parametrize("combine", ALL, ids=lambda c: type(c).__name__)
def test_many_minds_are_combined_each_for_itself(combine: GradientCombiner) -> None:
    rng = np.random.default_rng(3)
    own, group = rng.normal(size=(2, 6, 5))
    v_ind, v_col = rng.normal(size=(2, 6))
    together = combine(own, group, v_ind, v_col)
    for i in range(6):
        np.testing.assert_allclose(together[i], combine(own[i], group[i], v_ind[i], v_col[i]))


def test_tensors_are_combined_as_arrays_are() -> None:
    import torch

    own, group = np.random.default_rng(5).normal(size=(2, 3, 4))
    combine = Fair(0.2)
    made = combine(torch.tensor(own), torch.tensor(group), np.arange(3.0), np.ones(3))
    np.testing.assert_allclose(made.numpy(), combine(own, group, np.arange(3.0), np.ones(3)))


def test_the_cosine_is_of_the_angle_and_zero_for_nothing() -> None:
    found = gram(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    np.testing.assert_allclose(found.cosine, [np.sqrt(0.5), 0])


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_beta_is_a_share(wrong: float) -> None:
    with pytest.raises(UsageError, match="must be 0 to 1"):
        Fair(wrong)


@pytest.mark.parametrize("eta", [0.05, 0.5, 1.0])
def test_in_the_quadratic_game_gain_and_loss_are_what_the_algebra_says(eta: float) -> None:
    # V = -|theta - c|^2 / 2 has L = 1: along g the chosen objective rises by eta (1 - eta/2) |g|^2
    # and the protected one falls by exactly eta^2 |g|^2 / 2: the guarantee is of first order.
    own_goal, group_goal = np.array([1.0, 0.0]), np.array([-1.0, 0.5])

    def value(theta: np.ndarray, goal: np.ndarray) -> float:
        return float(-((theta - goal) ** 2).sum() / 2)

    theta, conflicts = np.array([0.3, -0.2]), 0
    for _ in range(200):
        g_ind, g_col = own_goal - theta, group_goal - theta
        values = value(theta, own_goal), value(theta, group_goal)
        g = Fair(0.5)(g_ind, g_col, *values)
        after = theta + eta * g
        gains = [
            value(after, goal) - before
            for goal, before in zip((own_goal, group_goal), values, strict=True)
        ]
        square = float(g @ g)
        assert min(gains) >= -(eta**2) * square / 2 - 1e-12
        if g_ind @ g_col < 0:
            conflicts += 1
            chosen, protected = gains if values[1] >= values[0] else reversed(gains)
            assert chosen == pytest.approx(eta * (1 - eta / 2) * square, abs=1e-12)
            assert protected == pytest.approx(-(eta**2) * square / 2, abs=1e-12)
        theta = after
    assert conflicts > 10
