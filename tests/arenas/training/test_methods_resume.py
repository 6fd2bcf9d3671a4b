"""The methods that come with the package: stopped and resumed, bit for bit as if never stopped."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.agents.checkpoints import checkpoints, digest, read_checkpoint

from .test_train import StopAfter

TINY = {
    "num_envs": 2,
    "minibatches": 2,
    "rollout": 12,
}
WORLDS = {
    "kernel": {"scenario": "coins", "params": {"map": "coins_mini", "rate": 0.05, "horizon": 16}},
    "matches": {"scenario": "iterated_matrix", "params": {"rounds": 5}},
    "partner": {
        "scenario": "iterated_matrix",
        "params": {"rounds": 5},
        "partners": {"player_1": "scripted:tit_for_tat"},
    },
}


def learn(out, method, world, **more):
    budget, evaluation = {"steps": 250}, {"every": 100, "matches": 2}
    entry = {"spec": method, "name": "learner", "params": TINY}
    return gymposium.train(
        methods=[entry], budget=budget, evaluation=evaluation, out=out, **WORLDS[world], **more
    )


def newest(run):
    found = checkpoints(run.learners["learner", 0] / "checkpoints")
    return list(found.values())[-1]


@pytest.mark.parametrize(
    ("method", "world"),
    [
        ("ippo", "kernel"),
        ("ippo?recurrent=8", "kernel"),
        ("ippo?sharing=shared", "matches"),
        ("ippo?recurrent=4", "partner"),
        ("mappo", "kernel"),
        ("fcgrad", "kernel"),
        ("fcgrad", "matches"),
        ("inequity_aversion", "kernel"),
        ("svo", "kernel"),
        ("aga", "kernel"),
    ],
)
def test_stopped_and_resumed_equals_uninterrupted(tmp_path, method, world):
    whole = learn(tmp_path / "whole", method, world)
    moments = len(whole.curves)
    assert moments >= 3
    with pytest.raises(KeyboardInterrupt):
        learn(tmp_path / "cut", method, world, progress=StopAfter(moments // 2))
    resumed = gymposium.resume_training(tmp_path / "cut")
    assert digest(newest(resumed)) == digest(newest(whole))
    times = ["seconds"]
    assert resumed.curves.drop(columns=times).equals(whole.curves.drop(columns=times))
    assert resumed.evaluations.equals(whole.evaluations)


def test_two_seeds_learn_different_policies_and_one_seed_the_same_at_any_worker_count(tmp_path):
    one = learn(tmp_path / "one", "ippo", "kernel", seeds=2)
    two = learn(tmp_path / "two", "ippo", "kernel", seeds=2, workers=2)
    hashes = []
    for run in (one, two):
        for folder in run.learners.values():
            hashes.append(digest(list(checkpoints(folder / "checkpoints").values())[-1]))
    assert hashes[:2] == hashes[2:]
    assert hashes[0] != hashes[1]


def test_a_policy_plays_the_same_from_its_checkpoint_as_from_its_method(tmp_path):
    from gymposium.agents.methods import resolve_method
    from gymposium.agents.registry import resolve

    run = learn(tmp_path / "run", "fcgrad", "kernel")
    checkpoint = read_checkpoint(newest(run))
    method = resolve_method("fcgrad?" + "&".join(f"{k}={v}" for k, v in TINY.items())).make()
    method.load_state_dict(checkpoint.state())
    world = gymposium.make("coins-v0", api="world", **WORLDS["kernel"]["params"])
    turns = world.reset(0)
    for seat, turn in turns.items():
        trained = resolve(f"trained:{newest(run)}").create()
        own = method.agents()[seat]
        for agent in (trained, own):
            agent.reset(world.seats[seat], 9)
        assert [trained.act(turn) for _ in range(9)] == [own.act(turn) for _ in range(9)]
