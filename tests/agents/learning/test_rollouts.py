"""Rollouts: what is written down is what happened, through the kernels and through turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymposium.agents.learning.deciding import ActionLayout
from gymposium.agents.learning.networks import NetworkSpec, new_network
from gymposium.agents.learning.rollouts import Decider, Rollout
from gymposium.agents.learning.sources import rollout_source
from gymposium.envs.registry import make_world
from gymposium.envs.vector import make_vec
from gymposium.errors import UnknownName, UsageError
from gymposium.types import TrainingTask

GRID = {"map": "clean_up_mini", "agents": 3, "horizon": 10, "start_dirt": 0.0}


def source(world: str, steps: int, envs: int = 2, **task: Any) -> Any:
    return rollout_source(
        TrainingTask(world, **task), num_envs=envs, steps=steps, num_threads=1, seed=11
    )


def decider(
    made: Any, *, central: bool = False, recurrent: int = 0, shared: bool = False
) -> Decider:
    spaces = made.spaces
    layout = ActionLayout(spaces.action_space)
    spec = NetworkSpec(
        minds=1 if shared else len(spaces.seats),
        torso="small" if len(spaces.shape) == 3 else "mlp",
        shape=spaces.shape,
        logits=layout.logits,
        amounts=layout.amounts,
        recurrent=recurrent,
        central=spaces.central if central else None,
    )
    network = new_network(spec, np.random.default_rng(0), spaces.table)
    return Decider(network, layout, np.random.default_rng(1), central=central)


@pytest.fixture(scope="module")
def grid() -> tuple[Any, list[Rollout]]:
    made = source("clean_up-v0", 7, params=GRID)
    minds = decider(made)
    return minds, [made.collect(minds) for _ in range(3)]


def test_kernel_rollouts_are_the_single_worlds_matches(grid: tuple[Any, list[Rollout]]) -> None:
    _, rollouts = grid
    vec = make_vec("clean_up-v0", 2, autoreset="disabled", **GRID)
    key = np.random.SeedSequence(11, spawn_key=(0,)).generate_state(1, np.uint64)[0]
    vec.reset(seed=int(key >> np.uint64(1)))
    for e in range(2):
        world = make_world("clean_up-v0", **GRID)
        turns = world.reset(int(vec.seeds[e]))
        for t in range(10):
            rollout, at = rollouts[t // 7], t % 7
            seen = np.stack([turn.observation for turn in turns.values()])
            np.testing.assert_array_equal(seen, rollout.seen[at, e])
            actions = rollout.choices[at, e, :, 0]
            turns = world.step(dict(zip(turns, actions.tolist(), strict=True)))
            paid = list(world.rewards.values())
            np.testing.assert_allclose(paid, rollout.rewards[at, e])
        assert rollouts[1].truncated[2, e].all()
        returns = rollouts[1].returns[e]
        np.testing.assert_allclose(returns, list(world.outcome.returns.values()))


def test_a_match_begins_after_one_ended_and_values_do_not_cross_the_border(
    grid: tuple[Any, list[Rollout]],
) -> None:
    _, (first, second, third) = grid
    assert first.starts[0].all()
    assert not first.starts[1:].any()
    assert second.starts[3].all()  # step 10
    assert not second.starts[[0, 1, 2, 4, 5, 6]].any()
    assert third.starts[0].all()  # two rollouts cover a match: then the batch begins anew
    np.testing.assert_array_equal(first.next_values[:-1], first.values[1:])
    np.testing.assert_array_equal(first.next_values[-1], second.values[0])
    assert not np.allclose(second.next_values[2], second.values[3])
    assert not second.terminated.any()


def test_the_last_observation_of_a_truncated_match_is_what_its_end_is_worth() -> None:
    made = source("clean_up-v0", 10, params=GRID)
    minds = decider(made)
    rollout = made.collect(minds)
    world = make_vec("clean_up-v0", 2, autoreset="disabled", **GRID)
    key = np.random.SeedSequence(11, spawn_key=(0,)).generate_state(1, np.uint64)[0]
    world.reset(seed=int(key >> np.uint64(1)))
    for t in range(10):
        final, *_ = world.step(rollout.choices[t, :, :, 0])
    np.testing.assert_allclose(rollout.next_values[-1], minds.worth(final, None), rtol=1e-5)


def test_shared_and_central_minds_fill_the_same_shapes() -> None:
    made = source("clean_up-v0", 5, params=GRID)
    rollout = made.collect(decider(made, central=True, shared=True, recurrent=4))
    assert rollout.values.shape == (5, 2, 3, 1)
    assert rollout.state is not None
    assert rollout.state.shape[:3] == (5, 2, 3)
    np.testing.assert_array_equal(rollout.state[:, :, 0], rollout.state[:, :, 2])


def test_going_on_repeats_what_was_played() -> None:
    made = source("clean_up-v0", 4, params=GRID)
    minds = decider(made)
    made.collect(minds)
    saved, draws = made.state_dict(), minds.rng.bit_generator.state
    expected = made.collect(minds)
    again = source("clean_up-v0", 4, params=GRID)
    again.load_state_dict(saved)
    minds.rng.bit_generator.state = draws
    found = again.collect(minds)
    np.testing.assert_array_equal(found.seen, expected.seen)
    np.testing.assert_array_equal(found.rewards, expected.rewards)


def matches(world: str, envs: int = 3, **task: Any) -> Rollout:
    made = source(world, 12, envs, **task)
    return made.collect(decider(made))


@pytest.mark.parametrize(
    ("world", "params"),
    [
        ("haggling-v0", {}),
        ("haggling-v0", {"goods": 2}),
        ("auction-v0", {"format": "all-pay"}),
        ("iterated_matrix-v0", {"talk": True, "rounds": 4}),
        ("survival_bandit-v0", {"horizon": 6}),  # kernels, but no codes, and lives of any length
        ("clean_up-v0", GRID),
    ],
)
def test_every_seats_rewards_add_up_to_its_returns(world: str, params: dict[str, Any]) -> None:
    seats = list(make_world(world, **params).seats)
    partner = {seats[-1]: "random"} if world == "clean_up-v0" else {}
    rollout = matches(world, params=params, partners=partner)
    found = np.where(rollout.valid, rollout.rewards, 0).sum((0, 1))
    np.testing.assert_allclose(found, rollout.returns[:, rollout.own].sum(0), rtol=1e-5)
    assert rollout.valid.any()
    # A match can end before a seat's first turn.
    assert (rollout.starts.sum((0, 1)) <= len(rollout.returns)).all()


def test_a_seats_time_is_its_own() -> None:
    rollout = matches("haggling-v0", params={"opening": "buyer"})
    lanes = rollout.valid.sum(0)
    for lane in np.ndindex(*lanes.shape):
        assert rollout.valid[(slice(0, lanes[lane]), *lane)].all()  # no holes, padding behind
    ended = rollout.terminated | rollout.truncated
    # A match that ends before the seller's first turn leaves it nothing to decide.
    assert (ended.sum(0) <= rollout.starts.sum(0)).all()
    assert (ended.sum(0)[:, 0] == rollout.starts.sum(0)[:, 0]).all()
    inner = rollout.valid & ~ended
    following = np.roll(rollout.values, -1, axis=0)
    np.testing.assert_array_equal(rollout.next_values[inner], following[inner])
    assert not rollout.next_values[rollout.terminated].any()


def test_a_match_cut_short_is_worth_what_comes_next() -> None:
    params = {"continuation": 0.999, "cap": 3}
    rollout = matches("iterated_matrix-v0", params=params)
    assert rollout.truncated.any()
    assert rollout.next_values[rollout.truncated].all()


def test_masks_are_kept_and_obeyed() -> None:
    rollout = matches("haggling-v0", envs=8)
    assert rollout.masks is not None
    move = rollout.choices[..., 0][rollout.valid]
    open_moves = rollout.masks[rollout.valid][:, :3]
    assert not open_moves.all()
    assert open_moves[np.arange(len(move)), move].all()


def test_partners_play_the_seats_that_are_not_trained() -> None:
    params = {"game": "prisoners-dilemma", "rounds": 5}
    for spec, reward in (("always_cooperate", {3.0, 5.0}), ("always_defect", {0.0, 1.0})):
        partners = {"player_1": f"scripted:{spec}"}
        rollout = matches("iterated_matrix-v0", params=params, partners=partners)
        assert rollout.rewards.shape[2] == 1
        assert rollout.everyone.shape[3] == 2
        assert set(rollout.rewards[rollout.valid].tolist()) <= reward


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"seats": ("player_9",)}, "player_9"),
        ({"seats": ("player_0",)}, "player_1 is neither trained nor given a partner"),
        (
            {"seats": ("player_0", "player_1"), "partners": {"player_1": "random"}},
            "player_1 is both trained and given a partner",
        ),
        ({"partners": {"player_1": "rondom"}}, "random"),
    ],
)
def test_a_task_that_leaves_a_seat_open_is_refused(task: dict[str, Any], said: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=said):
        source("iterated_matrix-v0", 1, **task)
