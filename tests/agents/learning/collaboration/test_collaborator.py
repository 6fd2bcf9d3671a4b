"""Networks that learn to collaborate in advised worlds, through the one PPO."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from gymposium.agents.learning.collaboration.collaborator import Collaborator, CollaboratorConfig
from gymposium.agents.learning.collaboration.counterfactual import Counterfactual, policy_divergence
from gymposium.agents.learning.deciding import ActionLayout
from gymposium.agents.learning.encoding import encoder, entries
from gymposium.agents.learning.ppo import PPO, PPOConfig
from gymposium.agents.methods import resolve_method
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError
from gymposium.types import TrainingTask

ALONE = {"participants": 1, "rounds": 0, "solo": False}
GROUP = {"participants": 2, "rounds": 1}
METHODS = ("icr", "icr?cf_mode=loss", "ppo_collaborator", "pso_intent", "bc", "dpo", "ipo")


def task(steps, params=None, **more):
    given = {"params": params or ALONE, "quality": 0.9, **more}
    return TrainingTask("advised-v0", given, budget={"steps": steps}, seed=3)


def made(spec, **more):
    settings = {"num_envs": 4, "warm": 20, "clone_epochs": 2, **more}
    if spec in ("dpo", "ipo"):
        settings["pairs"] = 8
    written = "&".join(f"{name}={value}" for name, value in settings.items())
    return resolve_method(spec + ("&" if "?" in spec else "?") + written).make()


def same(one, two):
    return all(torch.equal(tensor, two[name]) for name, tensor in one.items())


@pytest.mark.parametrize("spec", METHODS)
@pytest.mark.parametrize("params", [ALONE, GROUP], ids=["alone", "group"])
def test_every_method_trains_and_makes_agents_that_play(spec, params):
    method = made(spec)
    last = [progress for progress in method.train(task(60, params))][-1]
    assert last.step >= 60
    assert all(np.isfinite(value) for value in last.metrics.values())
    world = make_world("advised-v0", params=params, quality=0.5)
    turns = world.reset(0)
    agents = method.agents()
    for number, seat in enumerate(world.seats):
        agents[seat].reset(world.seats[seat], number)
    while turns:
        turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
    assert 0 <= world.outcome.returns["player_0"] <= 1


@pytest.mark.parametrize("spec", METHODS)
def test_a_stopped_training_goes_on_as_if_it_had_never_stopped(spec):
    whole, first, second = (made(spec) for _ in range(3))
    job = task(40, ALONE)
    for _ in whole.train(job):
        pass
    for _ in itertools.islice(first.train(job), 2):
        pass
    second.load_state_dict(first.state_dict())
    for _ in second.train(job):
        pass
    assert same(whole.decider.network.parameters, second.decider.network.parameters)


def test_without_prices_and_start_it_is_ppo_bit_for_bit():
    shape = {"num_envs": 4, "epochs": 2, "minibatches": 2, "sharing": "shared"}
    plain = PPO(PPOConfig(**shape, anneal=False, lr=2e-3, gamma=1.0, entropy=0.0))
    mine = Collaborator(CollaboratorConfig(**shape, warm=0, anchor=0.0, intent=0.0))
    for method in (plain, mine):
        for _ in method.train(task(60)):
            pass
    assert same(plain.decider.network.parameters, mine.decider.network.parameters)


def test_a_counterfactual_that_is_what_is_seen_costs_nothing():
    method = made("icr", intent=5.0, anchor=0.0)
    job = task(40, counterfactual="hidden")  # told already, and shown nothing
    method._begin(job)
    rollout = method.source.collect(method.decider)
    assert np.array_equal(method.turned(rollout.seen), rollout.seen)
    assert np.abs(method.rewards(rollout)[..., 0] - rollout.rewards).max() < 1e-5


def test_the_prices_are_the_log_ratios_of_what_was_decided():
    method = made("icr", intent=0.5, anchor=0.25)
    job = task(40)
    method._begin(job)
    method._clone(job)
    method._keep_start()
    rollout = method.source.collect(method.decider)
    ratio = rollout.rewards - method.rewards(rollout)[..., 0]
    layout, network = method.decider.layout, method.decider.network
    for e in range(4):
        seen = method.turned(rollout.seen[0, e])
        logits = network.act(seen[None]).logits[0, 0].numpy()
        expected = 0.0
        for d, at in enumerate(layout.slices()):
            part = np.where(rollout.masks[0, e, 0, at], logits[at], -1e9)
            expected += part[rollout.choices[0, e, 0, d]] - np.logaddexp.reduce(part)
        gap = rollout.logp[0, e, 0] - expected
        assert ratio[0, e, 0] == pytest.approx(0.5 * gap, abs=1e-4)  # the start has not been left


def test_a_high_price_keeps_the_policy_from_minding_advice():
    gaps = {}
    for intent in (0.0, 50.0):
        method = made("icr?cf_mode=loss", intent=intent, num_envs=32, lr=0.005)
        for _ in method.train(task(1500)):
            pass
        rollout = method.source.collect(method.decider)
        seen = rollout.seen.reshape(-1, 1, rollout.seen.shape[-1])
        network, layout = method.decider.network, method.decider.layout
        with torch.no_grad():
            one, two = (network.evaluate(part).logits for part in (seen, method.turned(seen)))
            masks = torch.from_numpy(rollout.masks.reshape(1, len(seen), -1))
            gaps[intent] = float(policy_divergence(network, layout, one, two, masks).mean())
    assert gaps[50.0] < 0.05 < 0.2 < gaps[0.0]


def test_a_counterfactual_hides_the_advice_and_raises_the_flag_and_leaves_the_rest():
    world = make_world("advised-v0", params=ALONE, quality=1.0)
    space = world.seats["player_0"].observation_space
    seen = encoder(space).encode(world.reset(0)["player_0"].observation)
    where = entries(space)
    hidden, told = Counterfactual(space, "hidden")(seen), Counterfactual(space, "told")(seen)
    for turned in (hidden, told):
        assert turned[where["counterfactual"]].tolist() == [0, 1]
        assert np.array_equal(turned[where["seen"]], seen[where["seen"]])
    assert np.array_equal(told[where["advice"]], seen[where["advice"]])
    blind = make_world("advised-v0", params=ALONE, quality=1.0, counterfactual="hidden")
    expected = encoder(space).encode(blind.reset(0)["player_0"].observation)
    assert np.array_equal(hidden, expected)


def test_choices_are_the_inverse_of_actions_for_every_space_of_choices():
    world = make_world("advised-v0", world="weights_task-v0")
    for seat in world.seats.values():
        layout = ActionLayout(seat.action_space)
        seat.action_space.seed(0)
        for _ in range(20):
            action = seat.action_space.sample()
            choices = layout.choices(action)
            again = layout.action(choices, np.zeros(0))
            assert np.array_equal(again["stances"], action["stances"])
            assert np.array_equal(again["pans"], action["pans"])


def test_whoever_is_not_advised_cannot_learn_to_judge_advice():
    method = made("icr")
    job = TrainingTask("wason_cards-v0", ALONE, budget={"steps": 20})
    with pytest.raises(UsageError, match="advised-v0"):
        list(method.train(job))


def test_memory_is_refused_for_now():
    with pytest.raises(UsageError, match="recurrent"):
        made("icr", recurrent=8)
