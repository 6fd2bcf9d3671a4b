import asyncio
import importlib.util
import json
from collections import Counter

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from gymposium.agents.language.answer_schema import answer_schema
from gymposium.agents.language.backends.pool import get_backend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.backends.torch_sampling import Ask, sample
from gymposium.agents.language.backends.transformers import TransformersBackend
from gymposium.agents.language.backends.white_box import WhiteBox
from gymposium.agents.language.models import model_file
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, MissingExtra, UnknownName, UsageError

from .stand_ins import SCHEMA
from .tiny_model import make_tiny_model

REPLY = answer_schema(SCHEMA, think=False, max_text=None).schema


def talk(text):
    return [{"role": "system", "content": "play"}, {"role": "user", "content": text}]


@pytest.fixture(scope="module")
def backend(tiny_model):
    made = TransformersBackend("tiny", str(tiny_model), slots=8)
    yield made
    made.release()


@pytest.fixture(scope="module")
def exact(tiny_model):
    made = TransformersBackend("tiny", str(tiny_model), exact=True)
    yield made
    made.release()


def ask(backend, *questions, **parameters):
    async def go():
        calls = (backend.complete(talk(text), **parameters) for text in questions)
        return [found[0] for found in await asyncio.gather(*calls)]

    return asyncio.run(go())


def test_it_is_a_backend_that_can_be_trained(backend, exact):
    assert isinstance(backend, ChatBackend)
    assert backend.trainable
    assert not backend.deterministic
    assert exact.deterministic


def test_answers_fit_their_schema_though_the_model_makes_no_sense(backend):
    questions = [f"round {n}" for n in range(12)]
    for found in ask(backend, *questions, schema=REPLY, seed=1, temperature=2.0):
        assert found.text == json.dumps(json.loads(found.text), separators=(",", ":"))
        assert json.loads(found.text)["action"] in SCHEMA["enum"]
        assert found.finish_reason == "stop"


def test_greedy_answers_are_those_of_transformers_own_generation(exact):
    box = exact.white_box()
    prompt = box.prompt_ids(talk("the fox"))
    theirs = box.model.generate(
        torch.tensor([prompt]), max_new_tokens=12, do_sample=False, pad_token_id=2
    )[0, len(prompt) :]
    (found,) = ask(exact, "the fox", temperature=0, max_tokens=12, logprobs=1)
    assert list(found.completion_ids) == theirs.tolist()
    assert list(found.prompt_ids) == prompt


def test_a_batch_of_prompts_of_several_lengths_says_what_each_alone_says(backend, exact):
    questions = ["a", "cooperate and defect " * 9, "fox", "say it " * 30]
    together = ask(backend, *questions, seed=5, max_tokens=10)
    alone = ask(exact, *questions, seed=5, max_tokens=10)
    assert [each.text for each in together] == [each.text for each in alone]


def test_equal_prompts_are_read_once_and_answered_as_each_alone(tiny_model, monkeypatch):
    box = WhiteBox.load(str(tiny_model))
    texts = ("go", "and now it is round two", "go", "go")
    prompts = [box.prompt_ids(talk(text)) for text in texts]

    def asks():
        return [Ask(each, seed, 1.0, max_tokens=6) for seed, each in enumerate(prompts)]

    together, alone, read = asks(), asks(), []
    for one in alone:
        sample(box, [one])
    forward = WhiteBox.forward
    monkeypatch.setattr(
        WhiteBox,
        "forward",
        lambda it, ids, **more: read.append(ids.shape) or forward(it, ids, **more),
    )
    sample(box, together)
    assert [one.tokens for one in together] == [one.tokens for one in alone]
    assert len({tuple(one.tokens) for one in together}) > 1
    assert read[:2] == [(2, max(map(len, prompts))), (4, 1)]


def test_log_probabilities_are_the_models_own_whatever_temperature_and_grammar(exact):
    box = exact.white_box()
    (found,) = ask(exact, "round", seed=2, temperature=1.7, top_p=0.9, schema=REPLY, logprobs=1)
    expected = box.logprobs(found.prompt_ids, found.completion_ids).detach()
    np.testing.assert_allclose(found.logprobs, expected, atol=1e-4)
    assert len(found.completion_ids) == found.usage.completion_tokens


def test_tokens_are_drawn_with_the_models_probabilities(backend):
    box, n = backend.white_box(), 600
    prompt = box.prompt_ids(talk("yes"))
    logits = box.forward(torch.tensor([prompt])).logits[0, -1].detach()
    expected = torch.softmax(logits.double() / 0.5, -1)
    found = asyncio.run(
        backend.complete(talk("yes"), n=n, seed=9, temperature=0.5, max_tokens=1, logprobs=1)
    )
    counts = Counter(each.completion_ids[0] for each in found)
    likely = [int(token) for token in expected.argsort(descending=True)[:8]]
    rest = 1 - float(expected[likely].sum())
    wanted = np.array([*(float(expected[t]) for t in likely), rest]) * n
    seen = np.array([*(counts[t] for t in likely), n - sum(counts[t] for t in likely)])
    assert ((seen - wanted) ** 2 / wanted).sum() < 26.1  # chi-square, 8 degrees, 0.1 %


def test_the_nucleus_keeps_out_what_is_not_likely(backend):
    box = backend.white_box()
    logits = box.forward(torch.tensor([box.prompt_ids(talk("yes"))])).logits[0, -1].detach()
    ordered = torch.softmax(logits.double(), -1).sort(descending=True)
    inside = int((ordered.values.cumsum(0) - ordered.values < 0.3).sum())
    found = asyncio.run(
        backend.complete(talk("yes"), n=100, temperature=1, top_p=0.3, max_tokens=1, logprobs=1)
    )
    assert {each.completion_ids[0] for each in found} <= set(ordered.indices[:inside].tolist())


def test_equal_seeds_equal_answers_and_the_global_generator_untouched(exact):
    state = torch.get_rng_state()
    first = ask(exact, "fox", "game", seed=4, temperature=1.5, max_tokens=8)
    again = ask(exact, "game", "fox", seed=4, temperature=1.5, max_tokens=8)
    other = ask(exact, "fox", "game", seed=5, temperature=1.5, max_tokens=8)
    assert [each.text for each in first] == [each.text for each in again][::-1]
    assert [each.text for each in first] != [each.text for each in other]
    assert torch.equal(torch.get_rng_state(), state)


def test_choices_are_scored_by_their_log_likelihood(exact):
    box = exact.white_box()
    texts = ['{"action":"cooperate"}', '{"action":"defect"}', "no"]
    found = asyncio.run(exact.score(talk("round"), texts))
    prompt = box.prompt_ids(talk("round"))
    for text, scored in zip(texts, found, strict=True):
        assert scored.text == text
        assert scored.ids[-1] == box.tokenizer.eos_token_id
        expected = float(box.logprobs(prompt, box.completion_ids(text)).sum().detach())
        assert sum(scored.logprobs) == pytest.approx(expected, abs=1e-4)


def test_what_is_trained_is_what_is_played(tiny_model):
    made = TransformersBackend("tiny", str(tiny_model), exact=True)
    box = made.white_box()
    (before,) = ask(made, "fox", temperature=0, max_tokens=6)
    box.add_adapter(rank=4)
    weights = [p for p in box.model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(weights, lr=0.02)
    prompt, wanted = box.prompt_ids(talk("fox")), box.completion_ids("defect")
    for _ in range(60):
        optimiser.zero_grad()
        (-box.logprobs(prompt, wanted).sum()).backward()
        optimiser.step()
    (after,) = ask(made, "fox", temperature=0, max_tokens=6)
    made.release()
    assert before.text != after.text == "defect"


def test_a_call_that_is_given_up_stops_and_lets_others_through(backend):
    endless = {"type": "string", "minLength": 5_000}  # else a lucky draw may end it in time

    async def go():
        with pytest.raises(TimeoutError):
            await backend.complete(
                talk("fox"), max_tokens=100_000, temperature=1, timeout=0.05, schema=endless
            )
        return await backend.complete(talk("fox"), max_tokens=2)

    assert asyncio.run(go())[0].usage.completion_tokens <= 2


def test_a_prompt_that_does_not_fit_and_a_bad_schema_spoil_only_their_own_call(backend):
    async def go():
        return await asyncio.gather(
            backend.complete(talk("fox " * 3000)),
            backend.complete(talk("fox"), schema={"type": "no such type"}),
            backend.complete(talk("fox"), max_tokens=3),
            return_exceptions=True,
        )

    long, bad, (fine,) = asyncio.run(go())
    assert isinstance(long, BackendError)
    assert "?context=" in str(long)
    assert isinstance(bad, BackendError)
    assert "schema" in str(bad)
    assert fine.usage.completion_tokens <= 3


def test_pictures_are_refused_with_a_sentence(backend):
    message = {"role": "user", "content": "look", "images": [np.zeros((2, 2, 3), np.uint8)]}
    with pytest.raises(UsageError, match="cannot see"):
        asyncio.run(backend.complete([message]))


def test_a_closed_backend_says_so(tiny_model):
    made = TransformersBackend("tiny", str(tiny_model))
    asyncio.run(made.close())
    asyncio.run(made.close())
    with pytest.raises(BackendError, match="closed"):
        ask(made, "fox")


def test_a_folder_and_an_adapter_are_named_in_a_spec(tiny_model, tmp_path):
    plain = resolve(f"llm:transformers/{tiny_model}?exact=1")
    assert plain.deterministic
    assert plain.language
    assert plain.name == f"transformers/{tiny_model.name}"
    other = make_tiny_model(tmp_path / tiny_model.name, seed=1)
    assert resolve(f"llm:transformers/{other}").identity != plain.identity
    box = TransformersBackend("tiny", str(tiny_model)).white_box()
    box.add_adapter()
    box.save_adapter(tmp_path / "adapter")
    adapted = resolve(f"llm:transformers/{tiny_model}?exact=1&adapter={tmp_path / 'adapter'}")
    assert adapted.identity != plain.identity


def test_what_a_spec_names_wrongly_is_said_before_a_match(tiny_model, tmp_path):
    with pytest.raises(UnknownName, match="smollm2"):
        resolve("llm:transformers/smolm2")
    with pytest.raises(UsageError, match="there is no model folder"):
        resolve(f"llm:transformers/{tmp_path}/none")
    with pytest.raises(UsageError, match="there is no adapter folder"):
        resolve(f"llm:transformers/{tiny_model}?adapter={tmp_path}/none")
    with pytest.raises(UnknownName, match="'exact'"):
        resolve(f"llm:transformers/{tiny_model}?exakt=1")


def test_a_missing_library_is_said_before_a_match(tiny_model, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "llguidance" else find(name)
    )
    with pytest.raises(MissingExtra, match=r"gymposium\[train\]"):
        resolve(f"llm:transformers/{tiny_model}")


def test_the_converted_model_thinks_as_the_embedded_one_but_for_rounding(smollm2, embedded_talk):
    """llama.cpp rounds what goes into a product to 8 bits, torch does not: near, not equal."""
    messages, answered = embedded_talk
    box = get_backend(f"transformers/{smollm2}").white_box()
    prompt = box.prompt_ids(messages)
    assert len(prompt) == answered.usage.prompt_tokens
    ours = box.logprobs(prompt, answered.completion_ids).detach().numpy()
    assert np.abs(ours - answered.logprobs).mean() < 0.15
    # It wrote the likeliest token each time; torch finds nearly all of them the likeliest too.
    with torch.no_grad():
        logits = box.forward(torch.tensor([[*prompt, *answered.completion_ids]])).logits[0]
    likeliest = logits[len(prompt) - 1 : -1].argmax(-1).numpy()
    assert (likeliest == np.array(answered.completion_ids)).mean() > 0.8


def test_the_converted_weights_loaded_back_give_the_logits_of_the_gguf_file(smollm2):
    path = model_file(smollm2)
    straight = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    ).eval()
    box = get_backend(f"transformers/{smollm2}").white_box()
    ids = torch.tensor([box.prompt_ids(talk("Name three colours."))])
    with torch.no_grad():
        torch.testing.assert_close(box.forward(ids).logits, straight(ids).logits)
    ours = box.model.state_dict()
    for name, weight in straight.state_dict().items():
        assert torch.equal(ours[name], weight), name


@pytest.fixture(scope="module")
def embedded_talk(smollm2):
    messages = talk("Name three colours.")
    (answered,) = asyncio.run(
        get_backend(smollm2, {"exact": 1}).complete(
            messages, temperature=0, max_tokens=24, logprobs=1
        )
    )
    return messages, answered
