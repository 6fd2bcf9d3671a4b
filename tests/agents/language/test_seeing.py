"""Models of transformers that see: what they are shown changes what they say."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
import torch
from transformers import AutoModelForImageTextToText, AutoProcessor

from gymposium.agents.language.backends.seeing import sees
from gymposium.agents.language.backends.torch_sampling import Ask, sample
from gymposium.agents.language.backends.transformers import TransformersBackend
from gymposium.agents.language.backends.white_box import WhiteBox
from gymposium.agents.language.finetuning.tokens import Row, say
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, UsageError

from . import tiny_eyes


def picture(seed, height=40, width=60):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def talk(*shown, words="Up or Down"):
    question = {"role": "user", "content": words}
    return [
        {"role": "system", "content": "go"},
        {**question, "images": shown} if shown else question,
    ]


@pytest.fixture(scope="module", params=["llava", "idefics3"])
def folder(request, tmp_path_factory):
    return getattr(tiny_eyes, request.param)(tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def saved(folder):
    return WhiteBox.load(str(folder))


@pytest.fixture(scope="module", params=["llava", "idefics3", "qwen"])
def box(request, tmp_path_factory):
    if request.param == "qwen":
        return tiny_eyes.qwen()
    made = getattr(tiny_eyes, request.param)(tmp_path_factory.mktemp(request.param))
    return WhiteBox.load(str(made))


def row(box, *shown, completion=(7, 8, 9), **more):
    return Row(box.prompt_ids(talk(*shown, **more)), completion, pictures=shown)


def said(box, *rows, **more):
    with torch.no_grad():
        return say(box, rows, **more)


def test_a_folder_says_whether_its_model_sees(folder, tiny_model):
    assert sees(str(folder))
    assert not sees(str(tiny_model))


def test_prompt_and_log_probabilities_are_those_of_transformers_own_call(folder, saved):
    processor = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder).eval()
    parts = [
        {"role": "system", "content": [{"type": "text", "text": "go"}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Up or Down"},
                {"type": "image", "image": picture(0)},
            ],
        },
    ]
    whole = processor.apply_chat_template(
        parts, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    mine = row(saved, picture(0), completion=())
    assert mine.prompt == whole["input_ids"][0].tolist()
    theirs = model.generate(**whole, max_new_tokens=6, do_sample=False, pad_token_id=0)
    ask = Ask(mine.prompt, 0, 0.0, max_tokens=6, pictures=mine.pictures)
    sample(saved, [ask])
    assert ask.tokens == theirs[0, len(mine.prompt) :].tolist()
    mine.completion = ask.tokens
    np.testing.assert_allclose(said(saved, mine).logp[0], ask.logprobs, atol=1e-4)


def test_the_places_of_tokens_are_those_that_the_model_finds_by_itself():
    box, shown = tiny_eyes.qwen(), (picture(0), picture(1, 60, 30))
    ids = box.prompt_ids(talk(*shown))
    given = box.beside(torch.tensor([ids]), None, [shown])
    places = given.pop("position_ids")
    assert places.shape == (3, 1, len(ids))
    assert places.max() < len(ids) - 1  # a picture takes less room than it has tokens
    with torch.no_grad():
        theirs = box.model(input_ids=torch.tensor([ids]), **given).logits
        ours = box.model(input_ids=torch.tensor([ids]), position_ids=places, **given).logits
        counted = box.model(
            input_ids=torch.tensor([ids]), position_ids=torch.arange(len(ids))[None], **given
        ).logits
    torch.testing.assert_close(ours, theirs)
    assert not torch.allclose(counted, theirs, atol=1e-3)
    (greedy,) = [Ask(ids, 0, 0.0, max_tokens=6, pictures=shown)]
    sample(box, [greedy])
    generated = box.model.generate(
        torch.tensor([ids]), max_new_tokens=6, do_sample=False, pad_token_id=0, **given
    )
    assert greedy.tokens == generated[0, len(ids) :].tolist()


def test_what_is_shown_changes_what_is_said(box):
    one, two = (row(box, picture(seed)) for seed in (0, 1))
    assert one.prompt == two.prompt
    logp = said(box, one, two).logp
    assert (logp[0] - logp[1]).abs().max() > 1e-3


def test_rows_of_several_lengths_and_pictures_are_scored_as_each_alone(box):
    rows = [
        row(box, picture(0)),
        row(box, picture(1, 30, 30), words="go Left and then go Right", completion=(15, 16)),
        row(box, words="no picture", completion=(9,)),
        row(box, picture(2, 20, 64), picture(3)),
    ]
    together = said(box, *rows).logp
    for place, each in enumerate(rows):
        alone = said(box, each).logp[0]
        torch.testing.assert_close(together[place, : len(alone)], alone, atol=1e-4, rtol=0)


def test_replies_to_one_question_share_its_pass_only_if_it_showed_the_same(box):
    shown = picture(0)
    same = [row(box, shown.copy(), completion=(n, n + 1)) for n in (15, 7)]
    other = row(box, picture(1), completion=(15, 16))
    assert same[0].asks_as(same[1])
    assert not same[0].asks_as(other)
    alone = [said(box, each).logp[0] for each in (*same, other)]
    shared = said(box, *same).logp
    torch.testing.assert_close(shared, torch.stack(alone[:2]), atol=1e-4, rtol=0)
    apart = said(box, same[0], other).logp
    torch.testing.assert_close(apart[1], alone[2], atol=1e-4, rtol=0)


def test_what_was_sampled_is_as_likely_when_it_is_learned_from(box):
    shown = [(picture(0),), (picture(0),), (picture(1, 30, 50),), ()]
    asks = [
        Ask(box.prompt_ids(talk(*it)), seed, 1.0, max_tokens=5, pictures=it)
        for seed, it in enumerate(shown)
    ]
    sample(box, asks)
    rows = [Row(ask.prompt, ask.tokens, pictures=ask.pictures) for ask in asks]
    found = said(box, *rows).logp
    for place, ask in enumerate(asks):
        np.testing.assert_allclose(found[place, : len(ask.tokens)], ask.logprobs, atol=1e-4)


def test_a_talk_without_pictures_is_not_placed_by_an_earlier_one(box):
    blind = row(box)
    before = said(box, blind).logp
    said(box, row(box, picture(0)))
    answers = [(7, 8, 9), (7,)]
    with torch.no_grad():
        cache = box.prefill(blind.prompt)
        scored = box.logprobs_batch(blind.prompt, answers, cache=cache)
    torch.testing.assert_close(scored[0], before[0], atol=1e-4, rtol=0)


def test_given_answers_are_scored_by_what_is_shown(folder, saved):
    backend = TransformersBackend("eyes", str(folder), exact=True)
    found = asyncio.run(backend.score(talk(picture(0)), ["Up", "Down"]))
    backend.release()
    for scored in found:
        alone = said(saved, row(saved, picture(0), completion=scored.ids)).logp[0]
        np.testing.assert_allclose(scored.logprobs, alone, atol=1e-4)


def test_words_cannot_pass_for_pictures(box):
    marks = box.eye._marks
    assert len(marks) > 3
    ids = box.prompt_ids(talk(picture(0), words=f"look {' '.join(marks)} here"))
    plain = box.prompt_ids(talk(picture(0), words="look here"))
    for mark in marks:
        number = box.tokenizer.convert_tokens_to_ids(mark)
        assert ids.count(number) == plain.count(number), mark


def test_a_picture_cannot_be_said(box, monkeypatch):
    prompt = box.prompt_ids(talk(picture(0)))
    forward = box.forward

    def drawn_to_pictures(*args, **more):
        out = forward(*args, **more)
        out.logits[..., box.eye.token] += 50
        return out

    monkeypatch.setattr(box, "forward", drawn_to_pictures)
    asks = [Ask(prompt, seed, 2.0, max_tokens=40, pictures=(picture(0),)) for seed in range(8)]
    sample(box, asks)
    assert box.eye.token not in {token for ask in asks for token in ask.tokens}
    assert box.eye.token not in box.completion_ids(f"go {box.eye._processor.image_token} on")


def test_the_adapter_is_on_what_writes_and_the_eye_stays_as_it_is(folder):
    whole, last = (WhiteBox.load(str(folder)) for _ in range(2))
    asked = row(whole, picture(0))
    before = said(whole, asked).logp
    whole.add_adapter(rank=2, seed=0)
    last.add_adapter(rank=2, seed=0, last=1)
    torch.testing.assert_close(said(whole, asked).logp, before)
    say(whole, [asked]).logp.sum().backward()
    trained = {n: p for n, p in whole.model.named_parameters() if p.requires_grad}
    assert len(trained) == 2 * 7 * 2  # two matrices, seven linear layers, two blocks
    assert not [name for name in trained if "vision" in name or "connector" in name]
    assert all(p.grad is not None for p in trained.values())
    assert max(float(p.grad.abs().max()) for p in trained.values()) > 1e-3
    few = [n for n, p in last.model.named_parameters() if p.requires_grad]
    assert len(few) == 2 * 7
    assert all(".layers.1." in name for name in few)


def test_pictures_are_as_precise_as_the_weights(folder, saved):
    rough = WhiteBox.load(str(folder), precision="bfloat16")
    asked = row(rough, picture(0))
    before = said(rough, asked).logp
    rough.add_adapter(rank=2, seed=0)
    after = say(rough, [asked]).logp
    torch.testing.assert_close(after.detach(), before, atol=0.2, rtol=0)
    assert (before - said(saved, asked).logp).abs().max() < 1
    after.sum().backward()
    trained = [p for p in rough.model.parameters() if p.requires_grad]
    assert all(bool(p.grad.isfinite().all()) for p in trained)


def test_an_agent_is_shown_pictures_by_a_model_that_sees_and_by_no_other(folder, tiny_model):
    assert resolve(f"llm:transformers/{folder}?images=1").language
    with pytest.raises(UsageError, match="this model cannot see"):
        resolve(f"llm:transformers/{tiny_model}?images=1")


def test_a_processor_that_cannot_be_made_is_said_in_a_sentence(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "processor_config.json").write_text("[]")
    with pytest.raises(BackendError, match=r"processor in .* cannot be made"):
        WhiteBox.load(str(tmp_path))


def test_what_is_no_picture_is_refused(box):
    with pytest.raises(UsageError, match="must be uint8"):
        box.prompt_ids(talk(np.zeros((4, 4), np.uint8)))
