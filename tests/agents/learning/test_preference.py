"""Losses over log-probabilities against closed forms and hand-computed numbers."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.learning.preference import (
    PREFERENCE_LOSSES,
    Pair,
    divergence,
    dpo_loss,
    hinge_loss,
    intent_rewards,
    ipo_loss,
    log_ratio,
    of_replies,
    simpo_loss,
)
from gymposium.errors import UsageError

NUMBERS = st.floats(-8, 0)


def pair(chosen: float, rejected: float, ref: tuple[float, float] = (0.0, 0.0)) -> Pair:
    return Pair(*(torch.tensor([v], dtype=torch.float64) for v in (chosen, rejected, *ref)))


def test_replies_are_summed_without_their_padding_whatever_stands_there() -> None:
    logp = torch.tensor([[-1.0, -2.0, float("nan")], [-0.5, -0.5, -0.5]])
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    assert of_replies(logp, mask).tolist() == [-3.0, -1.5]
    assert of_replies(logp, mask, mean=True).tolist() == [-1.5, -0.5]
    assert of_replies(logp[1:]).tolist() == [-1.5]
    assert of_replies(logp[1:], mean=True).tolist() == [-0.5]


def test_padding_carries_no_gradient() -> None:
    logp = torch.zeros(1, 3, requires_grad=True)
    of_replies(logp, torch.tensor([[1, 0, 1]])).sum().backward()
    assert logp.grad is not None
    assert logp.grad.tolist() == [[1, 0, 1]]


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.floats(0.01, 3))
def test_dpo_is_the_logistic_loss_of_the_margin(
    won: float, lost: float, won_ref: float, lost_ref: float, beta: float
) -> None:
    margin = (won - won_ref) - (lost - lost_ref)
    expected = math.log1p(math.exp(-beta * margin))
    assert dpo_loss(pair(won, lost, (won_ref, lost_ref)), beta).item() == pytest.approx(
        expected, rel=1e-9
    )


def test_dpo_pulls_with_the_weight_of_its_own_mistake() -> None:
    # Rafailov et al., section 4: the gradient is -beta * sigmoid(-beta * margin).
    chosen = torch.tensor([-2.0], dtype=torch.float64, requires_grad=True)
    dpo_loss(pair(-2, -1)._replace(chosen=chosen), 0.5).sum().backward()
    assert chosen.grad is not None
    assert chosen.grad.item() == pytest.approx(-0.5 / (1 + math.exp(-0.5)), rel=1e-12)


def test_smoothed_dpo_is_least_where_the_odds_are_those_of_the_noise() -> None:
    smoothing, beta = 0.2, 0.1
    best = math.log((1 - smoothing) / smoothing) / beta
    least, above, below = (
        dpo_loss(pair(m, 0), beta, smoothing).item() for m in (best, best + 1, best - 1)
    )
    assert least < min(above, below)


def test_ipo_stops_at_its_goal() -> None:
    assert ipo_loss(pair(5, 0), beta=0.1).item() == 0
    assert ipo_loss(pair(6, 0), beta=0.1).item() == pytest.approx(1)
    assert ipo_loss(pair(0, 0), beta=0.1).item() == pytest.approx(25)


def test_the_hinge_leaves_distant_pairs_alone() -> None:
    assert hinge_loss(pair(11, 0), beta=0.1).item() == 0
    assert hinge_loss(pair(0, 0), beta=0.1).item() == 1


def test_simpo_needs_no_reference() -> None:
    near, far = (simpo_loss(pair(-1, -2, ref)).item() for ref in ((0, 0), (-9, 3)))
    assert near == far == pytest.approx(math.log1p(math.exp(-1)))


@pytest.mark.parametrize("name", PREFERENCE_LOSSES)
def test_every_loss_falls_when_the_preferred_reply_becomes_likelier(name: str) -> None:
    loss = PREFERENCE_LOSSES[name]  # type: ignore[index]
    assert loss(pair(-1, -2), 0.1).item() < loss(pair(-2, -1), 0.1).item()


@given(st.floats(-6, 6), st.floats(-6, 6))
def test_the_divergence_of_two_coins_is_the_closed_form(a: float, b: float) -> None:
    first = torch.tensor(a, dtype=torch.float64, requires_grad=True)
    p, q = (1 / (1 + math.exp(-x)) for x in (a, b))

    def coin(logit: torch.Tensor) -> torch.Tensor:
        return torch.log_softmax(torch.stack([torch.zeros_like(logit), logit]), 0)

    second = torch.tensor(b, dtype=torch.float64, requires_grad=True)
    found = divergence(coin(first), coin(second))
    found.backward()
    expected = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert found.item() == pytest.approx(expected, abs=1e-9)
    assert first.grad is not None
    assert first.grad.item() == pytest.approx((a - b) * p * (1 - p), abs=1e-9)
    assert second.grad is None  # what it is held to does not come to meet it


def test_the_divergence_passes_over_what_is_not_open() -> None:
    shut = torch.log_softmax(torch.tensor([0.0, 1.0, -torch.inf]), -1).requires_grad_()
    found = divergence(shut, shut)
    found.backward()
    assert found.item() == 0
    assert shut.grad is not None
    assert torch.isfinite(shut.grad).all()


def test_a_ratio_may_be_negative_and_holds_the_other_fixed() -> None:
    mine = torch.tensor([[-2.0, -1.0]], requires_grad=True)
    other = torch.tensor([[-1.0, -1.5]], requires_grad=True)
    found = log_ratio(mine, other)
    assert found.tolist() == [[-1.0, 0.5]]
    found.sum().backward()
    assert other.grad is None


def test_replies_of_different_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="one shape"):
        log_ratio(torch.zeros(1, 3), torch.zeros(1, 4))


def test_rewards_put_the_score_on_the_last_part_and_the_penalties_on_each() -> None:
    logp, zero = torch.tensor([[-1.0, -2.0, 0.0], [-1.0, -1.0, -1.0]]), torch.zeros(2, 3)
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    found = intent_rewards(
        torch.tensor([1.0, 2.0]),
        logp,
        reference=zero,
        counterfactual=zero - 1,
        mask=mask,
        beta=0.5,
        intent=0.25,
    )
    assert found.tolist() == [[0.5, 2.25, 0.0], [0.5, 0.5, 2.5]]


def test_a_counterfactual_that_changes_nothing_costs_nothing() -> None:
    logp = torch.randn(4, 5, generator=torch.Generator().manual_seed(1))
    score = torch.arange(4.0)
    plain = intent_rewards(score, logp)
    assert torch.equal(plain, intent_rewards(score, logp, counterfactual=logp, intent=7.0))
    assert plain.sum(-1).tolist() == score.tolist()


def test_a_reply_of_no_parts_earns_nothing() -> None:
    found = intent_rewards(torch.ones(1), torch.zeros(1, 3), mask=torch.zeros(1, 3))
    assert found.tolist() == [[0.0, 0.0, 0.0]]
