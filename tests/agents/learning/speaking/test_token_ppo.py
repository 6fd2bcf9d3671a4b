"""PPO over tokens: what is learned, from whom it is masked, and that it can go on."""

import numpy as np
import pytest
import torch

from gymposium.agents.learning.gae import PADDING, READ
from gymposium.agents.learning.speaking.speaker import draw
from gymposium.agents.learning.speaking.talks import Talks, fined, longest_reply
from gymposium.agents.learning.speaking.token_ppo import TokenPPO
from gymposium.agents.learning.speaking.vocabulary import belief, text_of, tokens_of
from gymposium.agents.methods import resolve_method
from gymposium.envs import registry
from gymposium.envs.visual.beliefs import Repetition
from gymposium.envs.visual.replies import written
from gymposium.errors import UsageError
from gymposium.types import TrainingTask

SEAT = "player_0"
SMALL = "token_ppo?num_envs=4&recurrent=8&group=2&warm_up=1&epochs=1&minibatches=1&reply=40"


POLICIES = ("gated", "transformer")


def task(budget=4, name="frozen_lake-v0", **params):
    params = {"strategy": "state_estimation", "shows": "text", **params}
    return TrainingTask(name, params=params, seats=(SEAT,), budget={"steps": budget}, seed=3)


def trained(spec=SMALL, **given):
    method = resolve_method(spec).make()
    return method, list(method.train(task(**given)))


def begun(spec=SMALL, **given):
    method = resolve_method(spec).make()
    method._begin(task(**given))
    return method


def test_practised_replies_are_of_the_format_and_know_nothing():
    method = begun("token_ppo?num_envs=24&recurrent=16", strategy="world_modeling")
    talk = method.source.practise(method.decider)
    assert talk.measured["format_rate"] == 1
    assert talk.measured["valid_rate"] == 1
    assert 0.05 < talk.measured["state_estimation"] < 0.7
    assert talk.measured["distinct_replies"] > 0.5


def test_a_lane_is_the_text_of_its_match():
    method = begun()
    talk = method.source.practise(method.decider)
    worlds = method.source._worlds
    for e, world in enumerate(worlds):
        turns, tokens = talk.turns[:, e], talk.choices[:, e, 0, 0]
        assert set(turns[np.flatnonzero(turns != PADDING)[-1] + 1 :]) <= {PADDING}
        last = text_of(tokens[turns == turns.max()])
        assert world.info(SEAT)["answer"] == [
            word.strip() for word in last.split("<answer>")[1][: -len("</answer>")].split(",")
        ]
        first = text_of(tokens[: (turns == READ)[: np.argmax(turns == 0)].sum()])
        assert len(first.split("\n")) == 4
        assert talk.rewards[:, e].sum() == pytest.approx(world.outcome.returns[SEAT], abs=0.2)
    assert (talk.rewards[talk.turns < 0] == 0).all()


def test_practice_is_the_same_whatever_the_estimator():
    one, two = (begun(f"{SMALL}&estimator={name}") for name in ("grpo", "bi_level"))
    talks = [each.source.practise(each.decider) for each in (one, two)]
    np.testing.assert_array_equal(talks[0].choices, talks[1].choices)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_was_said_in_the_rollout_is_as_likely_when_it_is_learned_from(policy):
    method = begun(f"{SMALL}&policy={policy}")
    talk = method.source.collect(method.decider)
    batch = method._arranged(talk, np.zeros_like(talk.values))
    with torch.no_grad():
        again = method.terms(batch).logp.reshape(talk.turns.shape).numpy()
    there = talk.turns != PADDING
    np.testing.assert_allclose(again[there], talk.logp[..., 0][there], atol=1e-4)


@pytest.mark.parametrize("estimator", ["masked", "turn", "bi_level", "grpo"])
def test_what_was_read_is_neither_credited_nor_learned(estimator):
    method = begun(f"{SMALL}&estimator={estimator}")
    talk = method.source.collect(method.decider)
    gains = method.advantages(talk)
    batch = method._arranged(talk, gains)
    assert (gains[talk.turns < 0] == 0).all()
    assert (batch.valid[..., 0] == (talk.turns >= 0)).all()


def test_turns_as_steps_give_the_critic_one_target_a_turn():
    method = begun(f"{SMALL}&estimator=turn")
    talk = method.source.collect(method.decider)
    targets = method._arranged(talk, method.advantages(talk)).targets[..., 0, 0]
    for lane, turns in zip(targets.T, talk.turns.T, strict=True):
        for turn in range(turns.max() + 1):
            assert np.ptp(lane[turns == turn]) < 1e-6


def test_without_a_mask_it_is():
    method = begun(f"{SMALL}&estimator=vanilla")
    talk = method.source.collect(method.decider)
    batch = method._arranged(talk, method.advantages(talk))
    assert (batch.valid[..., 0] == (talk.turns != PADDING)).all()


def test_matches_of_a_group_begin_alike_and_their_advantages_sum_to_zero():
    method = begun(f"{SMALL}&estimator=grpo")
    talk = method.source.collect(method.decider)
    maps = [talk.choices[:19, e, 0, 0].tolist() for e in range(4)]
    assert maps[0] == maps[1] != maps[2] == maps[3]
    gains = method.advantages(talk)[..., 0, 0]
    each = [gains[talk.turns[:, e] == 0, e] for e in range(4)]
    assert all((one == one[0]).all() for one in each)
    assert each[0][0] + each[1][0] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("frozen_lake-v0", {}),
        ("frozen_lake-v0", {"frozen": 0.3, "split": "any"}),
        ("sokoban-v0", {}),
        ("sokoban-v0", {"size": 7, "boxes": 2, "split": "any", "actions_per_turn": 5}),
    ],
)
def test_no_true_reply_is_cut_off(name, shape, representation):
    params = {"strategy": "world_modeling", "representation": representation, **shape}
    world = registry.make_world(name, shows="text", **params)
    needed = []
    for seed in range(20):
        world.reset(seed)
        said = dict.fromkeys(
            ("observation", "prediction"), belief(world.info(SEAT)["state"], representation)
        )
        most = [world.actions[3]] * world.params.actions_per_turn
        needed.append(len(tokens_of(written("world_modeling", most, said))))
    longest = longest_reply(world)
    holes = name == "frozen_lake-v0" and representation != "symbolic"
    assert max(needed) < longest if holes else max(needed) == longest
    method = begun("token_ppo?num_envs=1&recurrent=8", name=name, **params)
    assert method.source.most == longest


def test_what_is_said_all_the_time_and_is_wrong_is_fined_across_matches():
    templates, off = Repetition(), []
    wrong = "<think><observation>;box above left</observation><reasoning></reasoning></think>"
    for reply in (wrong, wrong, wrong.replace("box", "pit"), "nonsense"):
        world = registry.make_world("frozen_lake-v0", **task().params)
        world.reset(0)
        world.step({SEAT: f"{reply}<answer>Up</answer>"})
        off.append(fined(world, templates))
    assert off == pytest.approx([0, -0.05, 0, 0])


@pytest.mark.parametrize(
    "query",
    ["estimator=bi_level", "estimator=grpo", "estimator=vanilla", "policy=transformer&blocks=1"],
)
def test_training_measures_and_can_be_played_anywhere(query):
    method, progress = trained(f"{SMALL}&{query}", budget=8)
    assert [each.step for each in progress] == [4, 8]
    assert {"success", "format_rate", "state_estimation", "distinct_replies"} <= {
        *progress[-1].metrics
    }
    world = registry.make_world("frozen_lake-v0", **task().params)
    loaded = TokenPPO(method.config)
    loaded.load_state_dict(method.state_dict())
    replies = []
    for maker in (method, loaded):
        agent = maker.agents()[SEAT]
        turns = world.reset(5)
        agent.reset(world.seats[SEAT], 1)
        said = []
        while turns:
            said.append(agent.act(turns[SEAT]))
            turns = world.step({SEAT: said[-1]})
        replies.append(said)
    assert replies[0] == replies[1]


@pytest.mark.parametrize("query", ["kl=0.1&value_clip=0.5", "policy=transformer&kl=0.1"])
def test_a_stopped_training_goes_on_bit_for_bit(query):
    spec = f"{SMALL}&{query}"
    _, whole = trained(spec, budget=12)
    first, _ = trained(spec, budget=4)
    state = first.state_dict()
    second = resolve_method(spec).make()
    second.load_state_dict(state)
    rest = list(second.train(task(budget=12)))
    assert [each.metrics for each in rest] == [each.metrics for each in whole[1:]]


def stray(method, seed=1):
    """Move the policy away from its reference, which is where it is now."""
    method._reference = method._copy()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in method.decider.network.parameters.values():
            tensor += 0.05 * torch.randn(tensor.shape, generator=generator)


def log_probabilities(method, talk, network):
    """Of what was said, as the learner finds them."""
    mine, method.decider.network = method.decider.network, network
    network.album = mine.album
    with torch.no_grad():
        found = method.terms(method._arranged(talk, np.zeros_like(talk.values))).logp
    method.decider.network = mine
    return found.reshape(talk.turns.shape).numpy()


def priced(estimator, price, turns, counts):
    """What each token pays when every gamma and lambda is 1, in plain loops."""
    paid = np.zeros(price.shape)
    for e in range(price.shape[1]):
        here = np.flatnonzero(counts[:, e])
        ends = {int(here[turns[here, e] == turn].max()) for turn in set(turns[here, e])}
        for i in here:
            for j in here:
                same, later = turns[j, e] == turns[i, e], turns[j, e] > turns[i, e]
                if estimator == "turn":  # all tokens of a turn alike
                    pays = same or later
                elif estimator == "bi_level":  # of later turns, what their last tokens pay
                    pays = (same and j >= i) or (later and int(j) in ends)
                else:
                    pays = j >= i
                paid[i, e] += price[j, e] * pays
    return paid


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("estimator", ["masked", "token", "bi_level", "turn", "grpo", "vanilla"])
def test_straying_from_the_reference_costs_what_is_said(estimator, policy):
    levels = "kl=0.5&lam_turn=1&gamma_turn=1&scale=0.2"
    method = begun(f"{SMALL}&estimator={estimator}&policy={policy}&{levels}")
    talk = method.source.collect(method.decider)
    free = method.advantages(talk)
    method._reference = method._copy()
    np.testing.assert_allclose(method.advantages(talk), free, atol=1e-4)
    stray(method)
    talk = method.source.collect(method.decider)
    strayed, reference = method.advantages(talk)[..., 0, 0], method._reference
    method._reference = None
    free = method.advantages(talk)[..., 0, 0]
    counts = talk.turns != PADDING if estimator == "vanilla" else talk.turns >= 0
    theirs = log_probabilities(method, talk, reference)
    gap = np.where(counts, log_probabilities(method, talk, method.decider.network) - theirs, 0)
    assert np.abs(gap).max() > 0.01
    if estimator == "grpo":
        earned = talk.returns[:, 0] - 0.5 * gap.sum(0)
        pairs = earned.reshape(2, 2)
        wanted = (pairs - pairs.mean(1, keepdims=True)) / (pairs.std(1, keepdims=True) + 1e-6)
        np.testing.assert_allclose(strayed, np.where(counts, wanted.ravel(), 0), atol=1e-3)
    else:
        paid = priced(estimator, -0.5 * 0.2 * gap, talk.turns, counts)
        np.testing.assert_allclose(strayed - free, paid, atol=1e-4)
    assert method.measures()["strayed"] == pytest.approx(gap.sum() / counts.sum(), abs=1e-4)


def test_the_reference_is_the_policy_after_practice_and_stays_so():
    method, progress = trained(f"{SMALL}&kl=0.1", budget=8)
    other, _ = trained(f"{SMALL}&kl=0.1", budget=4)
    assert progress[0].metrics["strayed"] == pytest.approx(0, abs=1e-5)
    assert progress[1].metrics["strayed"] != pytest.approx(0, abs=1e-5)
    for name, tensor in method._reference.parameters.items():
        assert torch.equal(tensor, other._reference.parameters[name])
        assert not tensor.requires_grad
    free, progress = trained(budget=4)
    assert free._reference is None
    assert "strayed" not in progress[0].metrics


def test_pictures_are_seen_by_a_convolution():
    method = begun("token_ppo?num_envs=2&recurrent=16", shows="image", pixels=64)
    assert method.source.spaces.shape == (32, 32, 3)
    talk = method.source.collect(method.decider)
    method._learn(talk, 1e-3)
    assert talk.turns.max() >= 0


def test_other_worlds_and_uneven_groups_are_refused():
    bandit = TrainingTask("survival_bandit-v0")
    with pytest.raises(UsageError, match="answered by reasoning"):
        Talks(bandit, num_envs=1, group=1, most=9, fine=False, seed=0)
    with pytest.raises(UsageError, match="multiple of group"):
        begun("token_ppo?estimator=grpo&num_envs=9")


def test_draws_follow_the_probabilities():
    logp = np.log(np.array([[0.2, 0.5, 0.3]])).repeat(4, 0)
    assert draw(logp, np.array([0.1, 0.3, 0.69, 0.95])).tolist() == [0, 1, 1, 2]


def test_the_format_is_learned_by_practising():
    method = resolve_method("token_ppo?num_envs=16&recurrent=32&warm_up=30").make()
    progress = next(iter(method.train(task(budget=16, strategy="no_think"))))
    assert progress.metrics["format_rate"] > 0.5
