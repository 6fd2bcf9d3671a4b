"""Every method on a model of random weights, in matches of the arena: what it plays and keeps."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from gymposium.agents.checkpoints import read_checkpoint
from gymposium.agents.language.finetuning.episodes import Episode
from gymposium.agents.language.finetuning.rewards import told_useless
from gymposium.agents.language.finetuning.tokens import Row
from gymposium.agents.methods import resolve_method
from gymposium.agents.registry import resolve
from gymposium.arenas.training.matches import match_player
from gymposium.errors import UsageError
from gymposium.types import Call, Outcome, TrainingTask

DILEMMA = {"rounds": 2}
METHODS = ("llm_grpo", "llm_ppo", "llm_icr", "llm_dpo", "llm_sft?expert=scripted:tit_for_tat")


def task(world="iterated_matrix-v0", params=DILEMMA, partner="random", steps=8, seed=0):
    partners = {"player_1": partner} if partner else {}
    return TrainingTask(
        world, params, ("player_0",), partners, {"steps": steps}, seed,
        match_player(world, params, partners),
    )  # fmt: skip


def make(name, tiny_model, **params):
    spec = resolve_method(name)
    given = {"model": str(tiny_model), "size": 4, "rank": 2, "lr": 1e-2, **params}
    return dataclasses.replace(spec, params={**spec.params, **given}).make()


def tensors(method):
    return {name: tensor.clone() for name, tensor in method.adapted.parameters.items()}


@pytest.mark.parametrize("name", METHODS)
def test_it_goes_on_bit_for_bit_where_it_was_stopped(name, tiny_model):
    whole = make(name, tiny_model)
    rows = [(p.step, p.metrics) for p in whole.train(task(steps=12))]
    assert [step for step, _ in rows] == [4, 8, 12]
    first = make(name, tiny_model)
    course = first.train(task(steps=12))
    next(course)
    course.close()
    resumed = make(name, tiny_model)
    resumed.load_state_dict(first.state_dict())
    assert [(p.step, p.metrics) for p in resumed.train(task(steps=12))] == rows[1:]
    for parameter, tensor in tensors(whole).items():
        assert torch.equal(tensor, resumed.adapted.parameters[parameter]), parameter


def test_matches_of_a_group_begin_alike_and_differ_in_what_is_said(tiny_model):
    method = make("llm_grpo", tiny_model, groups=2)
    next(method.train(task(steps=8)))
    episodes = method.episodes()
    assert [episode.group for episode in episodes] == [0] * 4 + [1] * 4
    assert len({episode.seed for episode in episodes}) == 2
    assert len({tuple(episode.calls[0].prompt_ids) for episode in episodes[:4]}) == 1
    assert len({tuple(episode.calls[0].completion_ids) for episode in episodes}) > 1
    for episode in episodes:
        assert len(episode.calls) == len(episode.rewards) == 2
        assert episode.earned == pytest.approx(episode.outcome.returns["player_0"])
        scored = method.adapted.judge(episode.rows(), part=4)
        for call, (logp, _) in zip(episode.calls, scored, strict=True):
            assert logp.tolist() == pytest.approx(list(call.logprobs), abs=1e-4)


def test_every_token_of_a_match_has_one_advantage_and_those_of_a_group_sum_to_zero(tiny_model):
    method = make("llm_grpo", tiny_model)
    next(method.train(task()))
    episodes = method.episodes()
    rows = [row for episode in episodes for row in episode.rows()]
    method.prepare(episodes, rows)
    gains = [
        {float(a) for row in rows[i : i + 2] for a in row.extras["advantages"]}
        for i in (0, 2, 4, 6)
    ]
    assert all(len(gain) == 1 for gain in gains)
    assert sum(next(iter(gain)) for gain in gains) == pytest.approx(0, abs=1e-5)


def test_ppo_pays_the_score_on_the_last_token_and_nothing_for_staying_at_the_start(tiny_model):
    method = make("llm_ppo", tiny_model, beta=0.5)
    next(method.train(task()))
    episodes = method.episodes()
    rows = [row for episode in episodes for row in episode.rows()]
    method.adapted.restart()
    method.score(rows)
    for row in rows:
        assert torch.equal(row.extras["old"], row.extras["reference"])
        paid = method._paid(row, 3.0)
        assert paid.tolist() == [0.0] * (len(row.completion) - 1) + [3.0]


def test_turns_are_credited_on_two_levels_where_that_is_asked_for():
    rows = [Row((1,), (5, 6)), Row((1, 5, 6, 2), (7, 8))]
    paid, worth = torch.tensor([0, 0.5, 0, 1.0]), torch.tensor([0.1, 0.2, 0.3, 0.4])
    found = {}
    for estimator in ("bi_level", "token"):
        spec = f"llm_ppo?estimator={estimator}&gamma_turn=0.95&lam=1"
        found[estimator] = resolve_method(spec).make()._advantages(rows, [0.5, 1.0], paid, worth)
    assert found["bi_level"].tolist() == pytest.approx([1.35, 1.25, 0.7, 0.6])
    assert found["token"].tolist() == pytest.approx([1.4, 1.3, 0.7, 0.6])


def test_dpo_starts_at_log_two(tiny_model, tmp_path):
    file = tmp_path / "pairs.jsonl"
    pair = {
        "prompt": [{"role": "user", "content": "fox or game"}],
        "chosen": [{"role": "assistant", "content": "fox"}],
        "rejected": "game",
    }
    file.write_text(json.dumps(pair) + "\n")
    method = make("llm_dpo", tiny_model, data=str(file), beta=0.3)
    rows = [p.metrics for p in method.train(dataclasses.replace(task(steps=40), play=None))]
    assert rows[0]["loss"] == pytest.approx(np.log(2), abs=1e-6)
    assert rows[-1]["loss"] < 0.5 * np.log(2)


def test_sft_learns_the_answers_of_a_file(tiny_model, tmp_path):
    file = tmp_path / "chat.jsonl"
    said = [
        {"role": "user", "content": "say"}, {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "play"}, {"role": "assistant", "content": "fox"},
    ]  # fmt: skip
    file.write_text(json.dumps({"messages": said}) + "\n")
    method = make("llm_sft", tiny_model, data=str(file), rank=8)
    losses = [p.metrics["loss"] for p in method.train(task(steps=240))]
    assert losses[-1] < 0.5 * losses[0]


def test_sft_learns_what_an_expert_does(tiny_model):
    method = make("llm_sft?expert=scripted:tit_for_tat", tiny_model, rank=8, lr=2e-2, size=8)
    losses = [
        p.metrics["loss"] for p in method.train(task(steps=96, partner="scripted:tit_for_tat"))
    ]
    assert losses[-1] < 0.3 * losses[0]
    (agent,) = method.agents().values()
    assert agent.deterministic


@pytest.mark.parametrize(
    ("line", "said"), [("{", "line 1"), ('{"a": 1}', "KeyError"), ("", "no examples")]
)
def test_a_file_that_holds_something_else_is_named(line, said, tiny_model, tmp_path):
    file = tmp_path / "bad.jsonl"
    file.write_text(line)
    for name in ("llm_sft", "llm_dpo"):
        with pytest.raises(UsageError, match=said):
            next(make(name, tiny_model, data=str(file)).train(task()))


def test_a_reply_is_rewarded_with_all_that_comes_until_the_next(tiny_model):
    method = make("llm_grpo", tiny_model, fault=0.5)
    next(method.train(task(params={"rounds": 2})))
    from gymposium.agents.language.finetuning.episodes import Recorded

    episode = Episode("player_0", 0, 0)
    episode.calls, episode.rewards = [Call("m", [], "")] * 2, [1.0, 0.0]
    outcome = Outcome({}, final_rewards={"player_0": 2.0}, faults={"player_0": {"illegal": 3}})
    agent = Recorded(method._agent(method.rollouts), episode, seed=0, fault=0.5)
    from gymposium.envs.registry import make_world

    agent.reset(make_world("iterated_matrix-v0").seats["player_0"], 7)
    agent.end(outcome)
    assert episode.rewards == [1.0, 2.0 - 1.5]


def test_only_the_first_message_is_told_that_advice_is_useless():
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": "go"}]
    told = told_useless(messages)
    assert told[0]["content"].startswith("rules\nTake the advice")
    assert told[1:] == messages[1:]
    assert messages[0]["content"] == "rules"


def test_icr_learns_in_a_world_with_advice(tiny_model):
    world = "advised-v0"
    params = {"world": "iterated_matrix-v0", "params": {"rounds": 2}, "adviser": "seat"}
    partners = {"player_1": "random", "intervention": "random"}
    play = match_player(world, params, partners)
    given = TrainingTask(world, params, ("player_0",), partners, {"steps": 4}, 0, play)
    course = make("llm_icr", tiny_model, size=2).train(given)
    rows = [p.metrics for p in course]
    assert all(np.isfinite(row["counterfactual_gap"]) for row in rows)
    assert rows[0]["moved"] == 0


def test_a_curriculum_pays_what_the_teachers_budget_pays(tiny_model):
    method = make("llm_budgets", tiny_model, size=4, max_text=40, max_tokens=24, threshold=0.5)
    next(method.train(task("token_budget_math-v0", {}, None)))
    told = Outcome({}, metrics={"cost": 0, "raw_return": 1})

    def episode(cost, raw):
        one = Episode("player_0", 0, 5)
        one.outcome = dataclasses.replace(told, metrics={"cost": cost, "raw_return": raw})
        return one

    target = method.span(5).target
    costs = [target + 1, target + 3, target + 5, target + 2]
    paid, found = method.worth([episode(c, r) for c, r in zip(costs, (1, 1, 1, 0), strict=True)])
    assert paid == [1, 1, 0, 0]  # two of four succeed within target + 3: half is enough
    assert found["target"] == 0
    assert found["raw"] == 0.75


def test_frozen_weights_may_be_half_as_long_and_the_adapter_on_the_last_layers(tiny_model):
    method = make("llm_ppo", tiny_model, precision="bfloat16", last=1, size=2, epochs=2)
    rows = [p.metrics for p in method.train(task(steps=4, params={"rounds": 1}))]
    assert all(np.isfinite(list(row.values())).all() for row in rows)
    kinds = {(p.requires_grad, p.dtype) for p in method.adapted.box.model.parameters()}
    assert kinds == {(False, torch.bfloat16), (True, torch.float32)}
    adapters = {name.split("layers.")[1][0] for name in tensors(method) if "lora" in name}
    assert adapters == {"1"}
    assert any(bool((p != 0).any()) for name, p in tensors(method).items() if "lora_B" in name)


def test_without_an_arena_and_without_a_budget_one_is_told_so(tiny_model):
    alone = dataclasses.replace(task(), play=None)
    with pytest.raises(UsageError, match="gymposium train"):
        next(make("llm_grpo", tiny_model).train(alone))
    with pytest.raises(UsageError, match="no budget"):
        next(make("llm_budgets", tiny_model).train(task()))
    with pytest.raises(UsageError, match="data=FILE"):
        next(make("llm_sft", tiny_model).train(task()))
    with pytest.raises(UsageError, match="rank must be at least 1"):
        make("llm_grpo", tiny_model, rank=0)


def test_a_trained_model_plays_as_a_checkpoint_and_as_an_adapter(tiny_model, tmp_path, monkeypatch):
    from gymposium.arenas.training.train import train

    monkeypatch.chdir(tmp_path)
    scenario = {
        "name": "tiny", "world": "iterated_matrix-v0", "params": DILEMMA,
        "partners": {"player_1": "random"},
        "methods": [{"spec": "llm_grpo", "name": "ours",
                     "params": {"model": str(tiny_model), "size": 2, "rank": 2, "lr": 1e-2}}],
        "budget": {"steps": 4}, "evaluation": {"every": 4, "matches": 1},
    }  # fmt: skip
    run = train(scenario, out=tmp_path / "run")
    (folder,) = run.learners.values()
    (checkpoint,) = Path(folder, "checkpoints").glob("step-*")
    trained = resolve(f"trained:{folder}")
    assert trained.language
    assert trained.deterministic
    state = read_checkpoint(checkpoint).state()["adapted"]
    from gymposium.agents.language.backends.white_box import WhiteBox

    box = WhiteBox.load(str(tiny_model), adapter=str(checkpoint))
    put = {n: p for n, p in box.model.named_parameters() if "lora_" in n}
    assert put.keys() == state["now"].keys()
    assert all(torch.equal(p, state["now"][n]) for n, p in put.items())
    assert any(bool((p != 0).any()) for n, p in put.items() if "lora_B" in n)
    assert resolve(f"llm:transformers/{tiny_model}?adapter={checkpoint}").identity
