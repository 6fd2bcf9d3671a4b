"""Language models learn in worlds that are answered by reasoning, in words and by sight."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from gymposium.agents.language.finetuning.adapter import Adapted
from gymposium.agents.language.finetuning.losses import likelihood_loss
from gymposium.agents.language.finetuning.tokens import Row
from gymposium.agents.methods import resolve_method
from gymposium.arenas.training.matches import match_player
from gymposium.envs import registry
from gymposium.errors import UsageError
from gymposium.types import TrainingTask

from .. import tiny_eyes
from ..tiny_model import make_tiny_model

SEAT = "player_0"
LAKE = {"strategy": "no_think", "form": "json", "size": 2, "split": "any", "frozen": 1.0,
        "turns": 3, "actions_per_turn": 1}  # fmt: skip
EYES = ("llava", "idefics3")
WORDS, SIGHT = {**LAKE, "shows": "text"}, {**LAKE, "shows": "image", "pixels": 32}


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return make_tiny_model(tmp_path_factory.mktemp("reader"), context=4096)


@pytest.fixture(scope="module")
def lookers(tmp_path_factory):
    return {eye: getattr(tiny_eyes, eye)(tmp_path_factory.mktemp(eye)) for eye in EYES}


def task(params, steps=8):
    play = match_player("frozen_lake-v0", params, {})
    return TrainingTask("frozen_lake-v0", params, (SEAT,), {}, {"steps": steps}, 1, play)


def make(spec, model, **params):
    found = resolve_method(spec)
    given = {"model": str(model), "size": 4, "epochs": 1, "rank": 2, "lr": 1e-2}
    given |= {"max_tokens": 40, **params}
    return dataclasses.replace(found, params={**found.params, **given}).make()


def gathered(method, params):
    """One batch after one update: episodes and their rows."""
    next(method.train(task(params)))
    episodes = method.episodes()
    return episodes, [row for episode in episodes for row in episode.rows()]


def replayed(params, episode):
    """What each reply earned and what was shown before it, from the rules alone."""
    world = registry.make_world("frozen_lake-v0", **params)
    turns, earned, shown = world.reset(episode.seed), [], []
    for call in episode.calls:
        shown.append(turns[SEAT].images)
        turns = world.step({SEAT: call.completion})
        earned.append(world.rewards[SEAT])
    assert not turns
    return earned, shown


def by_two_levels(rewards, sizes, values, gamma_turn):
    """Section 4.4 of Wang et al. (2025) in plain loops, lambdas and the tokens' gamma being 1."""
    ends = np.cumsum(sizes) - 1
    gains, after, carried = np.zeros(len(values)), 0.0, 0.0
    for end, reward in zip(ends[::-1], rewards[::-1], strict=True):
        delta = reward + gamma_turn * after - values[end]
        carried = delta + gamma_turn * carried
        after, gains[end] = values[end], carried
    for end, size in zip(ends, sizes, strict=True):
        for place in range(end - 1, end - size, -1):
            following = gains[end] + values[end] if place + 1 == end else values[place + 1]
            later = 0.0 if place + 1 == end else gains[place + 1]
            gains[place] = following - values[place] + later
    return gains


@pytest.mark.parametrize("spec", ["llm_grpo", "llm_ppo?estimator=bi_level"])
def test_a_reply_earns_what_the_rules_pay_for_it(spec, reader):
    episodes, _ = gathered(make(spec, reader, beta=0.0), WORDS)
    for episode in episodes:
        earned, _ = replayed(WORDS, episode)
        assert episode.rewards == pytest.approx(earned)
        assert min(earned) >= 0.5  # held to its schema, every reply is of the format


def test_ppo_credits_turns_of_a_lake_on_two_levels(reader):
    method = make("llm_ppo?estimator=bi_level&gamma_turn=0.9&lam=1", reader, beta=0.0)
    episodes, rows = gathered(method, WORDS)
    method.prepare(episodes, rows)
    found = torch.cat([row.extras["advantages"] for row in rows]).numpy()
    values = [worth.numpy() for _, worth in method.adapted.judge(rows, part=4)]
    wanted, first = [], 0
    for episode in episodes:
        mine = values[first : first + len(episode.calls)]
        first += len(episode.calls)
        sizes = [len(each) for each in mine]
        wanted.append(by_two_levels(episode.rewards, sizes, np.concatenate(mine), 0.9))
    flat = np.concatenate(wanted)
    assert flat.std() > 0.1
    np.testing.assert_allclose(found, (flat - flat.mean()) / flat.std(), atol=1e-3)


def test_grpo_credits_every_token_of_a_crossing_alike(reader):
    method = make("llm_grpo", reader, beta=0.0, size=8, temperature=2.0)
    episodes, rows = gathered(method, WORDS)
    method.prepare(episodes, rows)
    earned = np.array([episode.earned for episode in episodes])
    wanted = (earned - earned.mean()) / (earned.std() + 1e-6)
    queue = iter(rows)
    assert earned.std() > 0
    for episode, gain in zip(episodes, wanted, strict=True):
        for call in episode.calls:
            found = next(queue).extras["advantages"].tolist()
            assert found == pytest.approx([gain] * len(call.completion_ids), abs=1e-5)


@pytest.mark.parametrize(
    ("spec", "eye"),
    [("llm_grpo", "idefics3"), ("llm_ppo?estimator=bi_level", "llava"), ("llm_icr", "llava")],
)
def test_who_looks_learns_from_what_was_shown(spec, eye, lookers):
    method = make(spec, lookers[eye], images=True)
    episodes, rows = gathered(method, SIGHT)
    drawn = [shown for episode in episodes for shown in replayed(SIGHT, episode)[1]]
    assert len(drawn) == len(rows) > 4
    for row, shown in zip(rows, drawn, strict=True):
        assert len(row.pictures) == len(shown) == 1
        assert np.array_equal(row.pictures[0], shown[0])
    calls = [call for episode in episodes for call in episode.calls]
    scored = method.adapted.judge(rows, part=4)
    blind = method.adapted.judge([other_picture(row) for row in rows], part=4)
    for call, (logp, _) in zip(calls, scored, strict=True):
        np.testing.assert_allclose(logp, call.logprobs, atol=1e-3)
    for (logp, _), (other, _) in zip(scored, blind, strict=True):
        assert abs(float(logp.sum() - other.sum())) > 1e-3


def other_picture(row):
    noise = np.random.default_rng(0).integers(0, 256, row.pictures[0].shape, dtype=np.uint8)
    return Row(row.prompt, row.completion, pictures=(noise,))


@pytest.mark.parametrize(
    ("spec", "eye"), [("llm_grpo", "llava"), ("llm_ppo?estimator=bi_level", "idefics3")]
)
def test_who_looks_goes_on_bit_for_bit_where_it_was_stopped(spec, eye, lookers):
    glimpse, given = {**SIGHT, "turns": 2}, {"images": True, "temperature": 2.0, "size": 2}
    whole, start, resumed = (make(spec, lookers[eye], **given) for _ in range(3))
    told = [p.metrics for p in whole.train(task(glimpse, 4))]
    course = start.train(task(glimpse, 4))
    next(course)
    course.close()
    resumed.load_state_dict(start.state_dict())
    assert [p.metrics for p in resumed.train(task(glimpse, 4))] == told[1:]
    assert len(told) == 2
    moved = [
        float((now - start.adapted._start[name]).detach().abs().max())
        for name, now in whole.adapted.parameters.items()
    ]
    assert max(moved) > 1e-3


@pytest.mark.parametrize("eye", EYES)
def test_who_looks_learns_to_say_what_is_to_be_seen(eye, lookers):
    model = Adapted(str(lookers[eye]), rank=8, alpha=16, seed=0)
    box, rng = model.box, np.random.default_rng(0)
    shown = [rng.integers(0, 256, (32, 32, 3), dtype=np.uint8) for _ in range(2)]
    words = [box.completion_ids(word) for word in ("Up", "Down")]
    rows = [
        Row(
            box.prompt_ids([{"role": "user", "content": "where", "images": (picture,)}]),
            word, pictures=(picture,),
        )
        for picture in shown for word in words
    ]  # fmt: skip

    def objective(adapted, examples, weights):
        said, _ = adapted.say(examples)
        return likelihood_loss(said.logp, said.mask).sum()

    for _ in range(40):
        model.descend([rows[0], rows[3]], [1, 1], objective, lr=1e-2, longest=1.0, part=2)
    logp = [float(found.sum()) for found, _ in model.judge(rows, part=2)]
    assert logp[0] > logp[1] + 2
    assert logp[3] > logp[2] + 2


def test_pictures_are_not_sent_to_who_is_blind(reader):
    with pytest.raises(UsageError, match="needs a model that sees"):
        next(make("llm_grpo", reader, images=True).train(task(SIGHT)))
