"""The vector API: seeds, rows that equal single worlds, autoreset, buffers, threads, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gymposium
from gymposium.envs.vector import VectorWorld
from gymposium.errors import UnknownName, UsageError

WORLDS = ["clean_up-v0", "harvest-v0", "coins-v0"]
every_world = pytest.mark.parametrize("id", WORLDS)


def actions_for(vector, rng):
    return rng.integers(0, vector.single_action_space.n, (vector.num_envs, vector.num_agents))


@every_world
def test_each_row_is_the_single_world_with_its_seed_also_after_autoreset(id):
    vector = gymposium.make_vec(id, 5, horizon=7, autoreset="same_step")
    observations, _ = vector.reset(11)
    spawned = np.random.SeedSequence(11, spawn_key=(3,)).generate_state(1, np.uint64)[0]
    assert vector.seeds[3] == spawned
    single = gymposium.make(id, api="world", horizon=7)
    rng = np.random.default_rng(0)
    turns = single.reset(int(vector.seeds[3]))
    for _ in range(30):
        for k, seat in enumerate(vector.agents):
            assert np.array_equal(turns[seat].observation, observations[3, k])
        actions = actions_for(vector, rng)
        observations, rewards, _, truncated, infos = vector.step(actions)
        turns = single.step(dict(zip(vector.agents, actions[3].tolist(), strict=True)))
        assert [single.rewards[seat] for seat in vector.agents] == rewards[3].tolist()
        assert truncated[3] == (not turns)
        if not turns:
            outcome = single.outcome
            for k, seat in enumerate(vector.agents):
                assert np.array_equal(outcome.final_observations[seat], infos["final_obs"][3, k])
                assert outcome.returns[seat] == infos["episode_returns"][3, k]
            for name, value in outcome.metrics.items():
                assert infos[f"metric_{name}"][3] == pytest.approx(value)
            turns = single.reset(int(vector.seeds[3]))


@every_world
def test_one_seed_gives_one_course_and_another_another(id):
    def course(seed):
        vector, rng = gymposium.make_vec(id, 4, horizon=9), np.random.default_rng(0)
        seen = [vector.reset(seed)[0].tobytes()]
        for _ in range(25):
            out = vector.step(actions_for(vector, rng))
            seen.append(b"".join(array.tobytes() for array in out[:4]))
        return seen

    assert course(1) == course(1)
    assert course(1) != course(2)


def test_next_step_mode_begins_anew_in_the_step_after_the_end():
    vector, rng = gymposium.make_vec("clean_up-v0", 3, horizon=4), np.random.default_rng(0)
    vector.reset(1)
    seeds = vector.seeds.copy()
    ends = []
    for _ in range(10):
        _, _, terminated, truncated, infos = vector.step(actions_for(vector, rng))
        ends.append(truncated.tolist())
        assert not terminated.any()
        assert ("episode_returns" in infos) == truncated.any()
    assert ends == [[k % 5 == 3] * 3 for k in range(10)]
    assert (vector.seeds != seeds).all()


def test_without_autoreset_an_ended_row_must_be_reset_first():
    vector = gymposium.make_vec("coins-v0", 3, horizon=2, autoreset="disabled")
    rng = np.random.default_rng(0)
    vector.reset(1)
    vector.step(actions_for(vector, rng))
    *_, truncated, _ = vector.step(actions_for(vector, rng))
    assert truncated.all()
    with pytest.raises(UsageError, match="row 0 is over"):
        vector.step(actions_for(vector, rng))
    before = vector.state()
    observations, _ = vector.reset(mask=np.array([True, False, True]))
    assert np.array_equal(vector.state()[1], before[1])
    assert vector.observation_space.contains(observations)
    with pytest.raises(UsageError, match="row 1 is over"):
        vector.step(actions_for(vector, rng))


@every_world
def test_arrays_are_fresh_unless_a_buffer_is_given(id):
    vector, rng = gymposium.make_vec(id, 6), np.random.default_rng(0)
    first, _ = vector.reset(3)
    kept = first.copy()
    second, rewards, *_, infos = vector.step(actions_for(vector, rng))
    events = infos["collected"].copy()
    third, later, *_, _ = vector.step(actions_for(vector, rng))
    assert np.array_equal(first, kept)
    assert not np.shares_memory(second, third)
    assert not np.shares_memory(rewards, later)
    assert np.array_equal(infos["collected"], events)
    buffer = np.zeros(vector.observation_space.shape, np.uint8)
    observations, *_ = vector.step(actions_for(vector, rng), out=buffer)
    assert observations is buffer
    assert buffer.any()
    assert vector.observation_space.contains(observations)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    courses = []
    for number in (1, threads):
        vector = gymposium.make_vec("clean_up-v0", 7, num_threads=number, horizon=5)
        rng = np.random.default_rng(0)
        seen = [vector.reset(2)[0].tobytes()]
        for _ in range(12):
            seen.append(vector.step(actions_for(vector, rng))[0].tobytes())
        vector.close()
        courses.append(seen)
    assert courses[0] == courses[1]


def test_planes_are_a_function_of_the_codes():
    vector = gymposium.make_vec("clean_up-v0", 2)
    observations, _ = vector.reset(0)
    planes = vector.planes(observations)
    assert vector.num_planes == 19
    assert gymposium.make_vec("harvest-v0", 1).num_planes == 15
    assert gymposium.make_vec("coins-v0", 1).num_planes == 14
    assert planes.shape == (2, 7, 19, 11, 11)
    assert planes.dtype == np.float32
    assert set(np.unique(planes)) == {0.0, 1.0}
    items = planes[..., :9, :, :]
    assert np.array_equal(items.argmax(-3) + 1, np.where(items.any(-3), observations[..., 0], 1))
    assert np.array_equal(items.any(-3), observations[..., 0] > 0)
    assert (planes[..., 9, :, :].sum((-1, -2)) == 1).all()
    assert planes[..., 9, 9, 5].all()


def test_a_single_world_can_be_pickled_in_mid_match():
    world = gymposium.make("clean_up-v0", api="world", horizon=9)
    world.reset(1)
    copy = pickle.loads(pickle.dumps(world))
    moves = dict.fromkeys(world.possible_seats, 8)
    for _ in range(3):
        world.step(moves)
        copy.step(moves)
        assert copy.fingerprint() == world.fingerprint()


def test_four_thousand_matches_fit_in_two_hundred_megabytes():
    vector = gymposium.make_vec("clean_up-v0", 4096)
    observations, _ = vector.reset(0)
    state = sum(array.nbytes for array in vector._batch.state)
    assert state + observations.nbytes < 200e6


def test_it_is_a_vector_world():
    vector = gymposium.make_vec("coins-v0", 2)
    for name in VectorWorld.__annotations__:
        assert hasattr(vector, name), name


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (np.zeros((4, 6), int), r"shape \(4, 7\)"),
        (np.zeros((4, 7)), "float64"),
        (np.full((4, 7), 9), "action 9 of agent_0 in row 0"),
        (np.full((4, 7), -1), "action -1"),
    ],
)
def test_wrong_actions_are_named(wrong, says):
    vector = gymposium.make_vec("clean_up-v0", 4)
    with pytest.raises(UsageError, match="nothing has begun"):
        vector.step(np.zeros((4, 7), int))
    vector.reset(0)
    with pytest.raises(UsageError, match=says):
        vector.step(wrong)


def test_wrong_numbers_modes_and_buffers_are_named():
    with pytest.raises(UsageError, match="num_envs"):
        gymposium.make_vec("coins-v0", 0)
    with pytest.raises(UsageError, match="num_threads"):
        gymposium.make_vec("coins-v0", 1, num_threads=0)
    with pytest.raises(UnknownName, match="autoreset"):
        gymposium.make_vec("coins-v0", 1, autoreset="sometimes")
    with pytest.raises(UsageError, match="no vector form"):
        gymposium.make_vec("iterated_matrix-v0", 1)
    vector = gymposium.make_vec("coins-v0", 2)
    with pytest.raises(UsageError, match="out must be"):
        vector.reset(0, out=np.zeros((2, 2, 11, 11, 2), np.float32))
    with pytest.raises(UsageError, match="first reset"):
        vector.reset(0, mask=np.array([True, False]))
