"""Control of preferences: a tiny model learns to choose as often as it is told."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gymposium.agents.language.finetuning.adapter import Adapted
from gymposium.agents.language.finetuning.choices import Choice, choice_probabilities, fit_choices
from gymposium.agents.language.finetuning.tokens import next_token
from gymposium.errors import UsageError


def ask(words, first, second, share):
    return Choice([{"role": "user", "content": words}], (first, second), (share, 1 - share))


def test_it_comes_to_choose_as_often_as_the_targets_say(tiny_model):
    model = Adapted(str(tiny_model), rank=8, alpha=16, seed=0)
    choices = [ask("fox or game", "fox", "game", 0.8), ask("yes or no", "yes", "no", 0.3)]
    before = choice_probabilities(model, choices)
    assert all(shares.sum() == pytest.approx(1) for shares in before)
    losses = fit_choices(model, choices, steps=120, rng=np.random.default_rng(0), lr=1e-2)
    after = choice_probabilities(model, choices)
    assert [shares[0] for shares in after] == pytest.approx([0.8, 0.3], abs=0.05)
    entropy = np.mean([-(p * np.log(p) + (1 - p) * np.log(1 - p)) for p in (0.8, 0.3)])
    assert entropy - 1e-6 <= losses[-1] < losses[0]
    assert losses[-1] == pytest.approx(entropy, abs=0.02)


def test_options_may_be_of_any_length_and_the_order_of_questions_does_not_matter(tiny_model):
    model = Adapted(str(tiny_model), rank=2, alpha=4, seed=0)
    choices = [ask("fox", "fox", "game of the fox", 0.5), ask("say yes or no", "yes", "no", 0.5)]
    one, two = (choice_probabilities(model, order) for order in (choices, choices[::-1]))
    np.testing.assert_allclose(one[0], two[1], atol=1e-5)
    prompt = model.box.prompt_ids(choices[0].messages)
    answers = [model.box.completion_ids(option) for option in choices[0].options]
    by_hand = [float(model.box.logprobs(prompt, answer).sum()) for answer in answers]
    shares = np.exp(by_hand) / np.exp(by_hand).sum()
    np.testing.assert_allclose(one[0], shares, atol=1e-5)


def test_options_of_one_token_are_told_apart_by_it(tiny_model):
    model = Adapted(str(tiny_model), rank=2, alpha=4, seed=0)
    letters = ask("fox or yes", "a", "b", 0.5)
    ids = [model.box.completion_ids(letter, end=False) for letter in letters.options]
    assert [len(each) for each in ids] == [1, 1]
    found = choice_probabilities(model, [ask("fox", "fox", "game of the fox", 0.5), letters])[1]
    prompt = model.box.prompt_ids(letters.messages)
    by_hand = np.exp([float(model.box.logprobs(prompt, each).sum()) for each in ids])
    np.testing.assert_allclose(found, by_hand / by_hand.sum(), atol=1e-5)


def test_an_adapter_on_the_last_layers_leaves_the_others_alone(tiny_model):
    whole, last = (Adapted(str(tiny_model), rank=2, alpha=4, seed=0, last=n) for n in (0, 1))
    layers = last.box.model.config.num_hidden_layers
    assert layers > 1
    assert len(whole.parameters) == layers * len(last.parameters)
    assert all(f"layers.{layers - 1}." in name for name in last.parameters)
    with pytest.raises(UsageError, match="trained with the last"):
        last.load_state_dict(whole.state_dict())


def test_what_lies_below_the_adapter_is_passed_through_once(tiny_model, monkeypatch):
    model = Adapted(str(tiny_model), rank=2, alpha=4, seed=0, last=1)
    with torch.no_grad():  # an adapter that has learned something
        for parameter in model.parameters.values():
            parameter.normal_(0, 0.3, generator=torch.Generator().manual_seed(0))
    prompts = [
        model.box.prompt_ids([{"role": "user", "content": it}]) for it in ("fox", "yes or no game")
    ]
    assert len(prompts[0]) != len(prompts[1])
    passes = []
    forward = model.box.forward
    monkeypatch.setattr(model.box, "forward", lambda *a, **k: passes.append(1) or forward(*a, **k))
    gradients, logp = [], []
    for found in (
        model.next_token(prompts),
        model.next_token(prompts[::-1]).flip(0),
        next_token(model.box, prompts),
    ):
        if gradients:
            np.testing.assert_allclose(found.detach(), logp[0], atol=1e-5)
        logp.append(found.detach())
        model.box.model.zero_grad()
        found[:, 3].sum().backward()
        gradients.append([p.grad.clone() for p in model.parameters.values()])
    assert len(passes) == 2
    for other in gradients[1:]:
        for one, two in zip(gradients[0], other, strict=True):
            np.testing.assert_allclose(one, two, atol=1e-4)
    assert any(one.abs().max() > 1e-3 for one in gradients[0])


@pytest.mark.parametrize("targets", [(0.5,), (0.5, 0.6), (-0.5, 1.5)])
def test_shares_that_are_none_are_refused(targets):
    with pytest.raises(UsageError, match="sum to 1"):
        Choice([], ("a", "b")[: len(targets)], targets)
