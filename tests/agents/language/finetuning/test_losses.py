"""The token losses against closed forms and finite differences, to the last masked token."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.language.finetuning.losses import (
    choice_loss,
    clipped_loss,
    drift,
    group_advantages,
    likelihood_loss,
    value_loss,
)

torch.set_default_dtype(torch.float32)
MASK = torch.tensor([[1, 1, 1], [1, 1, 0]])


def some(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


LOSSES = {
    "clipped": lambda x: clipped_loss(x, 0.9 * some(0, 2, 3), some(2, 2, 3), MASK, 0.5),
    "likelihood": lambda x: likelihood_loss(x, MASK),
    "drift": lambda x: drift(x, some(1, 2, 3), MASK),
    "value": lambda x: value_loss(x, some(1, 2, 3), MASK),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_those_of_finite_differences(name):
    x = some(0, 2, 3).requires_grad_()
    assert torch.autograd.gradcheck(LOSSES[name], (x,))


@pytest.mark.parametrize("name", LOSSES)
def test_padding_has_neither_loss_nor_gradient_even_where_it_is_nan(name):
    x = some(0, 2, 3)
    x[1, 2] = math.nan
    x.requires_grad_()
    loss = LOSSES[name](x)
    assert loss[1, 2] == 0
    loss.sum().backward()
    assert x.grad[1, 2] == 0
    assert bool(x.grad.isfinite().all())
    assert bool((x.grad[0] != 0).any())


def test_the_first_step_of_ppo_is_the_policy_gradient():
    logits, gains = some(0, 2, 3, 5).requires_grad_(), some(1, 2, 3)
    tokens = torch.tensor([[0, 1, 2], [3, 4, 0]])

    def logp():
        return torch.log_softmax(logits, -1).gather(-1, tokens[..., None]).squeeze(-1)

    surrogate = clipped_loss(logp(), logp().detach(), gains, MASK, 0.2).sum()
    (ours,) = torch.autograd.grad(surrogate, logits)
    (reinforce,) = torch.autograd.grad(-(logp() * gains * MASK).sum(), logits)
    torch.testing.assert_close(ours, reinforce)


def test_a_ratio_beyond_the_clip_pays_no_more_but_can_be_mended():
    old, mask = torch.zeros(1, 4, dtype=torch.float64), torch.ones(1, 4)
    logp = torch.log(torch.tensor([[1.5, 1.5, 0.5, 0.5]], dtype=torch.float64)).requires_grad_()
    gains = torch.tensor([[1.0, -1.0, 1.0, -1.0]], dtype=torch.float64)
    loss = clipped_loss(logp, old, gains, mask, 0.2)
    assert loss.tolist() == [pytest.approx([-1.2, 1.5, -0.5, 0.8])]
    loss.sum().backward()
    assert logp.grad.tolist() == [pytest.approx([0, 1.5, -0.5, 0])]


def test_the_divergence_is_zero_at_the_reference_and_flat_there():
    x = some(0, 2, 3).requires_grad_()
    found = drift(x, x.detach(), MASK)
    assert bool((found == 0).all())
    found.sum().backward()
    assert bool((x.grad == 0).all())


def test_the_estimate_of_the_divergence_is_right_on_average():
    p, q = (torch.softmax(some(seed, 6), -1) for seed in (0, 1))
    exact = (p * (p / q).log()).sum()
    mean = (p * drift(p.log()[None], q.log()[None], torch.ones(1, 6))[0]).sum()
    assert float(mean) == pytest.approx(float(exact))


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.integers(0, 3)), min_size=1, max_size=24))
def test_advantages_of_a_group_sum_to_zero(episodes):
    returns, groups = zip(*episodes, strict=True)
    for scale in (False, True):
        found = group_advantages(returns, groups, scale=scale)
        for group in set(groups):
            mine = found[np.array(groups) == group]
            assert abs(mine.sum()) < 1e-6 * (1 + np.abs(mine).max() * len(mine))


def test_a_group_that_earned_alike_teaches_nothing_and_scaled_ones_have_unit_deviation():
    assert group_advantages([3, 3, 1, 5], [0, 0, 1, 1]).tolist() == [
        0, 0, pytest.approx(-1, abs=1e-5), pytest.approx(1, abs=1e-5)
    ]  # fmt: skip


def test_the_loss_of_choices_is_their_cross_entropy_with_the_gradient_softmax_less_target():
    logp, targets = some(0, 2, 3).requires_grad_(), torch.tensor([[0.7, 0.3, 0], [0.2, 0.2, 0.6]])
    loss = choice_loss(logp, targets.double())
    shares = torch.softmax(logp, -1)
    assert loss.tolist() == pytest.approx((-(targets * shares.log()).sum(-1)).tolist())
    loss.sum().backward()
    torch.testing.assert_close(logp.grad, (shares - targets).detach())
    assert torch.autograd.gradcheck(lambda x: choice_loss(x, targets.double()), (logp,))
