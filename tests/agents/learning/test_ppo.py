"""PPO and its methods: what they learn, what stays the same, what a stop must not change."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from gymposium.agents import registry
from gymposium.agents.checkpoints import read_checkpoint, write_checkpoint
from gymposium.agents.learning.encoding import encoder
from gymposium.agents.learning.losses import ppo_terms
from gymposium.agents.learning.ppo import PPOConfig
from gymposium.agents.methods import method_names, resolve_method
from gymposium.agents.wire import space_to_json
from gymposium.envs.registry import make_world
from gymposium.errors import GymposiumError, UnknownName, UsageError
from gymposium.types import TrainingTask

from .small_trainings import FAST, flat, grid, matrix, minibatch, train

OURS = [
    name
    for name in method_names()
    if resolve_method(name).kind == "policies"
    and issubclass(resolve_method(name).load().Config, PPOConfig)
]
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("task", [matrix(), grid()], ids=["turns", "kernels"])
def test_a_stopped_training_goes_on_as_if_it_had_never_stopped(
    name: str, task: TrainingTask, tmp_path: Path
) -> None:
    method = f"{name}?{FAST}&rollout=5"
    whole = train(method, task, 3)
    half = train(method, task, 2)
    facts = {
        "method": name,
        "params": {},
        "world": task.world,
        "world_params": {},
        "seats": {},
        "policies": list(half.agents()),
        "deterministic": True,
        "step": half.steps,
    }
    saved = read_checkpoint(write_checkpoint(tmp_path, facts, half.state_dict())).state()
    resumed = train(method, task, 1, saved)
    assert flat(resumed.state_dict()) == flat(whole.state_dict())
    assert resumed.progress == whole.progress


@pytest.mark.parametrize("extra", ["recurrent=6", "sharing=shared", "network=paper&gamma=0.9"])
def test_every_kind_of_network_resumes_exactly(extra: str) -> None:
    for task in (grid(), matrix()):
        if "paper" in extra and task.world != "clean_up-v0":
            continue
        method = f"fcgrad?{FAST}&rollout=5&{extra}"
        whole = train(method, task, 3)
        resumed = train(method, task, 1, train(method, task, 2).state_dict())
        assert flat(resumed.state_dict()) == flat(whole.state_dict())


def test_the_seed_decides_everything_and_matters() -> None:
    one, same, other = (train(f"ippo?{FAST}", matrix(seed), 2).state_dict() for seed in (1, 1, 2))
    assert flat(one["parameters"]) == flat(same["parameters"])
    assert flat(one["parameters"]) != flat(other["parameters"])


def test_training_leaves_the_global_generators_alone() -> None:
    before = torch.get_rng_state(), repr(np.random.mtrand._rand.get_state())
    train(f"fcgrad?{FAST}", grid(), 1)
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == repr(np.random.mtrand._rand.get_state())


def defects(method: Any) -> list[float]:
    """Each seat's probability of defecting in the one-shot game."""
    world = make_world("iterated_matrix-v0", game="prisoners-dilemma", rounds=1)
    turns = world.reset(0)
    read = encoder(world.seats["player_0"].observation_space)
    seen = np.stack([read.encode(turn.observation) for turn in turns.values()])[None]
    logits = method.decider.network.act(method.decider.lanes(seen)).logits.reshape(2, 2)
    return torch.softmax(logits, -1)[:, 1].tolist()


@pytest.mark.parametrize(
    ("name", "lowest", "highest"),
    [
        ("ippo", 0.9, 1), ("mappo", 0.9, 1), ("ippo?sharing=shared", 0.9, 1),
        ("collective", 0, 0.1), ("weighted", 0, 0.1), ("gifting?kept=0.5", 0, 0.1),
    ],
)  # fmt: skip
def test_selfish_minds_defect_and_team_minds_cooperate(
    name: str, lowest: float, highest: float
) -> None:
    # One shot: defecting is dominant for a seat; cooperating is for the sum of both.
    mark = "&" if "?" in name else "?"
    made = train(f"{name}{mark}num_envs=64&lr=0.01&minibatches=2", matrix(rounds=1), 30)
    assert all(lowest <= p <= highest for p in defects(made))


def test_it_bids_for_profit_where_truth_is_best() -> None:
    # Second price against two uniform bidders. With value v: win above the higher of their bids m,
    # pay m. Bidding v is optimal, E[(v - m)+]; a uniform bid earns E[v - m; b > m].
    top = 20
    values = bids = np.arange(top + 1)
    cdf = ((bids + 1) / (top + 1)) ** 2
    highest = np.diff(cdf, prepend=0)  # distribution of m
    gain = values[:, None] - bids[None, :]
    best = 5 * (np.maximum(gain, 0) @ highest).mean()
    chance = (top - bids) / (top + 1)  # a uniform bid above m, ties left aside
    blind = 5 * ((gain * chance) @ highest).mean()
    partners = {"bidder_1": "random", "bidder_2": "random"}
    task = TrainingTask("auction-v0", {"format": "second-price"}, partners=partners)
    made = train("ippo?num_envs=64&lr=0.01&minibatches=4&gamma=0.5", task, 60)
    returns = made.source.collect(made.decider).returns[:, 0]
    more = [made.source.collect(made.decider).returns[:, 0] for _ in range(4)]
    learned = np.concatenate([returns, *more]).mean()
    assert learned > blind + 0.5 * (best - blind)


class Offering:
    """A seller that always offers, at a price drawn evenly from all there are."""

    def reset(self, seat: Any, seed: int) -> None:
        self._random, self._prices = Random(seed), int(seat.action_space["price"].n)

    def act(self, turn: Any) -> Any:
        return {"move": 0, "price": self._random.randrange(self._prices), "say": ""}


def test_it_accepts_what_pays_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    registry.register_agent("offering", Offering)
    # The seller has one move and always offers; the buyer may only gain by accepting below its
    # value: max(v - p, 0) at best, and a third of all offers blindly.
    made = train(
        "ippo?num_envs=64&lr=0.01&minibatches=4",
        TrainingTask(
            "haggling-v0",
            {"rounds": 1, "opening": "seller"},
            partners={"seller": "offering"},
        ),
        50,
    )
    values, prices = np.arange(8, 21)[:, None], np.arange(21)[None]
    best = np.maximum(values - prices, 0).mean()
    rollouts = [made.source.collect(made.decider).returns[:, 0] for _ in range(6)]
    assert np.concatenate(rollouts).mean() > 0.85 * best


def test_padding_weighs_nothing() -> None:
    made = train(f"fcgrad?{FAST}", matrix(), 1)
    batch = minibatch(made, np.random.default_rng(3))
    silly = batch.advantages.copy()
    silly[batch.valid == 0] = 1e6
    for changed in (batch, batch._replace(advantages=silly, targets=batch.targets)):
        terms = ppo_terms(
            made.decider.network, made.decider.layout, changed, clip=0.2, normalise=True
        )
        if changed is batch:
            expected = terms
    torch.testing.assert_close(terms.surrogates, expected.surrogates)


def test_the_first_pass_moves_nothing_beyond_the_clip() -> None:
    made = train("ippo?num_envs=4&epochs=1&minibatches=1", matrix(), 1)
    assert made.progress.metrics["clipped"] == 0
    assert abs(made.progress.metrics["kl"]) < 1e-6


def test_a_state_of_another_task_or_network_is_refused() -> None:
    state = train(f"ippo?{FAST}", matrix(), 1).state_dict()
    with pytest.raises(UsageError, match="of a training with seed 0, this one has 5"):
        train(f"ippo?{FAST}", matrix(5), 1, state)
    with pytest.raises(UsageError, match="network of another shape"):
        train(f"fcgrad?{FAST}", matrix(), 1, state)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("gamma=1.5", "gamma must be 0 to 1, got 1.5"),
        ("num_envs=0", "num_envs must be at least 1, got 0"),
        ("network=papr", "unknown value 'papr'"),
        ("gama=1", "did you mean 'gamma'"),
    ],
)
def test_a_wrong_parameter_is_named(query: str, said: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=said):
        resolve_method(f"fcgrad?{query}").make()


def test_a_net_for_maps_is_refused_where_there_is_no_map() -> None:
    with pytest.raises(UsageError, match="use network=mlp"):
        train("ippo?network=paper", matrix(), 1)


def test_policies_know_the_spaces_they_were_trained_for() -> None:
    made = train(f"ippo?{FAST}", grid(), 1)
    policies = made.policies()
    assert list(policies) == list(made.source.spaces.seats)
    space = policies[next(iter(policies))].observation_space
    assert space_to_json(space) == space_to_json(made.source.spaces.observation_space)


@pytest.mark.parametrize("name", ["ippo", "fcgrad", "aga", "mappo"])
def test_a_training_that_diverges_stops_with_a_sentence_and_moves_nothing(name: str) -> None:
    made: Any = resolve_method(f"{name}?{FAST}&rollout=5").make()
    training = made.train(grid())
    next(training)
    with torch.no_grad():
        made.decider.network.parameters["value.output.bias"][0] = torch.nan
    before = {k: v.clone() for k, v in made.decider.network.parameters.items()}
    with pytest.raises(GymposiumError, match=r"diverged: .* is nan: lower lr"):
        next(training)
    after = made.decider.network.parameters
    assert all(torch.equal(before[k].nan_to_num(), after[k].nan_to_num()) for k in before)


def test_a_policy_without_numbers_is_refused() -> None:
    state = train(f"ippo?{FAST}&rollout=5", grid(), 1).state_dict()
    state["policies"]["policies"][1]["tensors"]["actor.output.bias"][:] = torch.inf
    fresh: Any = resolve_method("ippo").make()
    fresh.load_state_dict(state)
    with pytest.raises(UsageError, match=r"actor\.output\.bias hold nan or infinite"):
        fresh.agents()
