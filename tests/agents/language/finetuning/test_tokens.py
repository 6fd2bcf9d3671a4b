"""Rows of tokens as a tiny model scores them, and the adapter that learns from them."""

from __future__ import annotations

import pytest
import torch

from gymposium.agents.language.finetuning.adapter import Adapted
from gymposium.agents.language.finetuning.losses import likelihood_loss
from gymposium.agents.language.finetuning.tokens import Row, extra, say
from gymposium.errors import UsageError

ROWS = [Row([5, 6, 7], [8, 9]), Row([10], [11, 12, 13, 14]), Row([20, 21, 22, 23, 24], [25])]


@pytest.fixture
def adapted(tiny_model):
    return Adapted(str(tiny_model), rank=2, alpha=4, seed=0, critic=True)


def likelihood(model, rows, weights):
    said, _ = model.say(rows)
    loss = likelihood_loss(said.logp, said.mask).sum(-1)
    return (loss * torch.tensor(weights)).sum()


def test_rows_of_all_lengths_are_scored_as_each_alone(adapted):
    said, _ = adapted.say(ROWS)
    assert said.mask.sum(1).tolist() == [2, 4, 1]
    for row, logp, mask in zip(ROWS, said.logp, said.mask, strict=True):
        alone = adapted.box.logprobs(row.prompt, row.completion)
        torch.testing.assert_close(logp[mask], alone, atol=1e-5, rtol=1e-5)


def test_a_temperature_flattens(adapted):
    cold, warm = (say(adapted.box, ROWS, temperature=t).logp[0, 0] for t in (1.0, 1e6))
    assert float(warm.detach()) == pytest.approx(
        -float(torch.log(torch.tensor(len(adapted.box.tokenizer)))), abs=1e-3
    )
    assert float(cold.detach()) != pytest.approx(float(warm.detach()), abs=1e-3)


def test_extras_are_padded_with_zeros():
    rows = [Row([1], [2, 3], {"x": torch.tensor([1.0, 2.0])}), Row([1], [2], {"x": torch.ones(1)})]
    assert extra(rows, "x", torch.zeros(2, 2)).tolist() == [[1, 2], [1, 0]]


def test_rows_that_cannot_be_scored_are_refused(adapted):
    with pytest.raises(UsageError, match="prompt of at least one token"):
        adapted.say([Row([], [1])])
    with pytest.raises(UsageError, match="2001 tokens does not fit"):
        adapted.say([Row([1], [2] * 2000)])


def test_a_fresh_adapter_changes_nothing_and_only_it_learns(adapted, tiny_model):
    from gymposium.agents.language.backends.white_box import WhiteBox

    plain = WhiteBox.load(str(tiny_model))
    torch.testing.assert_close(adapted.say(ROWS)[0].logp, say(plain, ROWS).logp)
    frozen = {n: p.clone() for n, p in adapted.box.model.named_parameters() if not p.requires_grad}
    before = say(plain, ROWS).logp
    for _ in range(3):
        adapted.descend(ROWS, [1.0] * 3, likelihood, lr=1e-2, longest=1.0, part=2)
    assert not torch.allclose(adapted.say(ROWS)[0].logp, before, atol=1e-3)
    after = dict(adapted.box.model.named_parameters())
    assert all(torch.equal(after[name], tensor) for name, tensor in frozen.items())
    with adapted.reference():
        torch.testing.assert_close(adapted.say(ROWS)[0].logp, before)


def test_two_adapters_share_the_frozen_weights_and_nothing_else(tiny_model):
    one, two = (Adapted(str(tiny_model), rank=2, alpha=4, seed=s) for s in (0, 1))
    weights = [
        {p.data_ptr() for p in it.box.model.parameters() if not p.requires_grad}
        for it in (one, two)
    ]
    assert weights[0] == weights[1]
    before = two.say(ROWS)[0].logp.detach()
    one.descend(ROWS, [1.0] * 3, likelihood, lr=1e-1, longest=0, part=8)
    assert torch.equal(two.say(ROWS)[0].logp, before)


def test_the_gradient_of_the_adapter_is_that_of_finite_differences(adapted):
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():  # a fresh adapter's B is 0, so that A has no gradient yet
        for name, parameter in adapted.parameters.items():
            if "lora_B" in name:
                parameter.copy_(0.1 * torch.randn(parameter.shape, generator=draw))
    weights, own = [0.2, 0.3, 0.5], [p for n, p in adapted.parameters.items() if "lora" in n]
    gradient = torch.autograd.grad(likelihood(adapted, ROWS, weights), own)
    length = sum(float(g.square().sum()) for g in gradient) ** 0.5
    step, ends = 1e-2 / length, []
    with torch.no_grad():
        for sign in (1, -2):
            for parameter, direction in zip(own, gradient, strict=True):
                parameter += sign * step * direction
            ends.append(float(likelihood(adapted, ROWS, weights)))
    assert length > 0.1
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(length**2, rel=1e-2)


def test_parts_of_a_batch_add_up_to_the_whole(tiny_model):
    ends = []
    for part in (1, 3):
        model = Adapted(str(tiny_model), rank=2, alpha=4, seed=0)
        found = model.descend(ROWS, [0.2, 0.3, 0.5], likelihood, lr=1e-2, longest=0, part=part)
        ends.append((found["loss"], found["gradient"]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)


def test_what_it_learned_is_taken_up_bit_for_bit(tiny_model):
    def fresh():
        return Adapted(str(tiny_model), rank=2, alpha=4, seed=0, critic=True)

    def step(model):
        model.descend(ROWS, [1.0] * 3, likelihood, lr=1e-2, longest=1.0, part=2)

    whole, half = fresh(), fresh()
    for _ in range(4):
        step(whole)
    step(half)
    step(half)
    resumed = fresh()
    resumed.load_state_dict(half.state_dict())
    step(resumed)
    step(resumed)
    for name, tensor in whole.parameters.items():
        assert torch.equal(tensor, resumed.parameters[name]), name


def test_an_adapter_of_another_shape_is_refused(adapted, tiny_model):
    other = Adapted(str(tiny_model), rank=3, alpha=4, seed=0)
    with pytest.raises(UsageError, match="rank 2, this model has 3"):
        other.load_state_dict(adapted.state_dict())


def test_replies_to_one_prompt_share_its_pass_and_its_gradient(adapted):
    alike = [Row([5, 6, 7], [8, 9]), Row([5, 6, 7], [11, 12, 13, 14]), Row([5, 6, 7], [25])]
    own, weights = list(adapted.parameters.values())[:-2], [0.2, 0.3, 0.5]
    with torch.no_grad():
        for parameter in own:
            parameter += 0.05
    alone = [
        likelihood(adapted, [row], [weight]) for row, weight in zip(alike, weights, strict=True)
    ]
    together = likelihood(adapted, alike, weights)
    torch.testing.assert_close(together, sum(alone), atol=1e-5, rtol=1e-5)
    for one, all_ in zip(
        torch.autograd.grad(sum(alone), own), torch.autograd.grad(together, own), strict=True
    ):
        torch.testing.assert_close(all_, one, atol=1e-4, rtol=1e-3)
