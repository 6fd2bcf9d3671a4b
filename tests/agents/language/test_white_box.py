import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gymposium.agents.language.backends.white_box import WhiteBox
from gymposium.errors import UsageError

TALK = [{"role": "system", "content": "play"}, {"role": "user", "content": "say cooperate"}]


@pytest.fixture(scope="module")
def box(tiny_model):
    return WhiteBox.load(str(tiny_model))


@pytest.fixture
def own_box(tiny_model):
    return WhiteBox.load(str(tiny_model))


def test_log_probabilities_are_those_of_a_direct_call_of_transformers(tiny_model, box):
    model = AutoModelForCausalLM.from_pretrained(tiny_model).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    text = tokenizer.apply_chat_template(TALK, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer.encode(text, add_special_tokens=False)
    answer = tokenizer.encode("the fox", add_special_tokens=False)
    logs = torch.log_softmax(model(torch.tensor([prompt + answer])).logits[0], -1)
    expected = [float(logs[len(prompt) + i - 1, token].detach()) for i, token in enumerate(answer)]
    assert box.prompt_ids(TALK) == prompt
    np.testing.assert_allclose(box.logprobs(prompt, answer).detach(), expected, atol=1e-5)


def test_probabilities_of_all_next_tokens_sum_to_one(box):
    prompt = box.prompt_ids(TALK)
    every = [[token] for token in range(box.model.config.vocab_size)]
    total = sum(float(each.detach().exp()) for each in box.logprobs_batch(prompt, every))
    assert total == pytest.approx(1.0, abs=1e-5)


def test_a_batch_of_answers_of_several_lengths_is_scored_as_each_alone(box):
    prompt = box.prompt_ids(TALK)
    answers = [box.completion_ids(text) for text in ("a", "cooperate and defect", "", "no no")]
    together = box.logprobs_batch(prompt, answers)
    for answer, found in zip(answers, together, strict=True):
        torch.testing.assert_close(found, box.logprobs(prompt, answer), atol=1e-5, rtol=0)


def test_a_kv_cache_changes_nothing_and_can_be_used_again(box):
    prompt = box.prompt_ids(TALK)
    cache = box.prefill(prompt)
    assert cache.get_seq_length() == len(prompt)
    for text in ("yes", "the fox and you"):
        answer = box.completion_ids(text)
        cached = box.logprobs(prompt, answer, cache=cache)
        torch.testing.assert_close(cached, box.logprobs(prompt, answer), atol=1e-5, rtol=0)
    assert cache.get_seq_length() == len(prompt)


def test_what_is_in_the_cache_matters(box):
    prompt, answer = box.prompt_ids(TALK), box.completion_ids("yes")
    other = box.prefill(box.prompt_ids([{"role": "user", "content": "fox " * 40}]))
    honest = box.logprobs(prompt, answer)
    assert not torch.allclose(box.logprobs(prompt, answer, cache=other), honest, atol=1e-3)


def test_gradients_are_those_of_finite_differences(own_box):
    box = own_box
    box.model.double()
    prompt, answer = box.prompt_ids(TALK), box.completion_ids("yes")
    weight = box.model.model.layers[0].mlp.up_proj.weight

    def value():
        logits = box.forward(torch.tensor([[*prompt, *answer]])).logits
        logs = torch.log_softmax(logits[0, len(prompt) - 1 : -1], -1)
        return logs.gather(1, torch.tensor(answer)[:, None]).sum()

    box.logprobs(prompt, answer).sum().backward()
    slope = float(weight.grad[3, 5])
    with torch.no_grad():
        weight[3, 5] += 0.01
        above = float(value())
        weight[3, 5] -= 0.02
        below = float(value())
    assert slope == pytest.approx((above - below) / 0.02, rel=0.02)
    assert abs(slope) > 1e-3


def test_a_fresh_adapter_changes_nothing_and_alone_is_trained(own_box):
    prompt, answer = own_box.prompt_ids(TALK), own_box.completion_ids("yes")
    before = own_box.logprobs(prompt, answer).detach()
    own_box.add_adapter(rank=2, seed=3)
    torch.testing.assert_close(own_box.logprobs(prompt, answer).detach(), before)
    own_box.logprobs(prompt, answer).sum().backward()
    trained = {name for name, p in own_box.model.named_parameters() if p.grad is not None}
    assert trained
    assert all("lora_" in name for name in trained)


def test_an_adapter_is_drawn_from_its_seed_and_from_nothing_else(tiny_model):
    def drawn(seed):
        box = WhiteBox.load(str(tiny_model))
        state = torch.get_rng_state()
        box.add_adapter(rank=2, seed=seed)
        assert torch.equal(torch.get_rng_state(), state)
        return next(p for name, p in box.model.named_parameters() if "lora_A" in name).detach()

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))


def test_a_trained_adapter_is_saved_and_put_on_again(own_box, tiny_model, tmp_path):
    prompt, answer = own_box.prompt_ids(TALK), own_box.completion_ids("defect")
    before = float(own_box.logprobs(prompt, answer).sum())
    own_box.add_adapter(rank=2)
    weights = [p for p in own_box.model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(weights, lr=0.02)
    for _ in range(5):
        optimiser.zero_grad()
        (-own_box.logprobs(prompt, answer).sum()).backward()
        optimiser.step()
    trained = own_box.logprobs(prompt, answer).detach()
    assert float(trained.sum()) > before + 1
    own_box.save_adapter(tmp_path / "adapter")
    again = WhiteBox.load(str(tiny_model), adapter=str(tmp_path / "adapter"))
    torch.testing.assert_close(again.logprobs(prompt, answer).detach(), trained)


def test_what_cannot_be_done_is_said(own_box, tmp_path):
    with pytest.raises(UsageError, match="no adapter to save"):
        own_box.save_adapter(tmp_path)
    with pytest.raises(UsageError, match=r"has no adapter_config\.json"):
        own_box.load_adapter(str(tmp_path))
    with pytest.raises(UsageError, match="at least one token"):
        own_box.logprobs([], [1])
    with pytest.raises(UsageError, match=r"no model folder: it has no config\.json"):
        WhiteBox.load(str(tmp_path))
    with pytest.raises(UsageError, match="there is no model folder"):
        WhiteBox.load(str(tmp_path / "nothing"))
