"""What holds for every world with a vector form: wrong values are named, and change nothing."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import gymposium
from gymposium.envs import registry
from gymposium.errors import UnknownName, UsageError

FAST = [spec.id for spec in registry.specs() if {"grid", "vector"} & {*spec.tags}]
SLOW = [spec.id for spec in registry.specs() if spec.id not in FAST]
every_vector = pytest.mark.parametrize("id", FAST)


def begun(id, envs=3, **options):
    vector = gymposium.make_vec(id, envs, **options)
    vector.reset(5)
    return vector


def still(vector):
    """Actions that every seat has, as the batch wants them."""
    return np.zeros(vector.action_space.shape, np.int64)


def bytes_of(result):
    return [array.tobytes() for array in result[:4]]


@pytest.mark.parametrize("id", SLOW)
def test_worlds_without_a_vector_form_say_so(id):
    with pytest.raises(UsageError, match="no vector form"):
        gymposium.make_vec(id, 1)


@every_vector
@pytest.mark.parametrize("name", ["num_envs", "num_threads"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "2", True, None, 2**31 + 1, 2**80])
def test_counts_are_whole_numbers_within_bounds(id, name, value):
    with pytest.raises(UsageError, match=f"{name} must be a whole number from 1 to"):
        gymposium.make_vec(id, **({"num_envs": 2} | {name: value}))


@every_vector
def test_more_matches_than_memory_holds_are_refused(id):
    with pytest.raises(UsageError, match="memory cannot hold num_envs=2147483648"):
        gymposium.make_vec(id, 2**31)


@every_vector
@pytest.mark.parametrize("mode", ["sometimes", None, 3])
def test_unknown_modes_are_named(id, mode):
    with pytest.raises(UnknownName, match="autoreset"):
        gymposium.make_vec(id, 2, autoreset=mode)


@every_vector
@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, [1, 2], np.float64(2), float("nan")])
def test_seeds_are_whole_numbers_of_at_least_0(id, seed):
    vector = begun(id)
    before = vector.seeds.copy()
    with pytest.raises(UsageError, match="seed must be a whole number"):
        vector.reset(seed)
    assert np.array_equal(vector.seeds, before)


@pytest.mark.parametrize("id", FAST + SLOW)
@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_so_are_those_of_single_worlds(id, seed):
    world = gymposium.make(id, api="world")
    with pytest.raises(UsageError, match="seed must be a whole number"):
        world.reset(seed)


@every_vector
def test_numpy_integers_are_seeds(id):
    one, other = gymposium.make_vec(id, 2), gymposium.make_vec(id, 2)
    assert one.reset(np.uint64(7))[0].tobytes() == other.reset(7)[0].tobytes()


@every_vector
@pytest.mark.parametrize(
    "mask", [[True], np.ones(3), np.ones((3, 1), bool), [[True], [True, False]], "x", object()]
)
def test_masks_are_one_boolean_a_row(id, mask):
    with pytest.raises(UsageError, match="mask must be"):
        begun(id).reset(0, mask=mask)


def wrong_actions(vector):
    right = still(vector)
    return {
        "fractions": right.astype(float),
        "booleans": right.astype(bool),
        "ragged": [[0], [0, 0], []],
        "text": "abc",
        "nothing": None,
        "an object": object(),
        "too few rows": right[:2],
        "no rows": right[:0],
        "one axis more": right[..., None],
        "negative": right - 1,
        "too large": right + 10**6,
        "beyond int64": right.astype(np.uint64) + np.uint64(2**63 + 5),
    }


@every_vector
def test_wrong_actions_are_one_error_and_change_nothing(id):
    vector, untouched = begun(id), begun(id)
    for name, actions in wrong_actions(vector).items():
        with pytest.raises(UsageError, match="action") as caught:
            vector.step(actions)
        assert str(caught.value).startswith(id), name
    assert bytes_of(vector.step(still(vector))) == bytes_of(untouched.step(still(vector)))


@every_vector
def test_buffers_of_the_wrong_kind_are_named(id):
    vector, untouched = begun(id), begun(id)
    right = vector.reset(5)[0]
    locked = right.copy()
    locked.flags.writeable = False
    wrong = {
        "another dtype": right.astype(np.float64),
        "too few rows": right[:1].copy(),
        "a list": right.tolist(),
        "a number": 3,
        "read-only": locked,
    }
    for buffer in wrong.values():
        with pytest.raises(UsageError, match="out must be"):
            vector.step(still(vector), out=buffer)
    assert bytes_of(vector.step(still(vector))) == bytes_of(untouched.step(still(vector)))


@every_vector
def test_a_closed_batch_plays_on(id):
    vector, open_ = begun(id, num_threads=2), begun(id)
    for _ in range(3):
        vector.close()
        assert bytes_of(vector.step(still(vector))) == bytes_of(open_.step(still(vector)))


@every_vector
def test_any_number_of_threads_plays_the_same(id):
    courses = []
    for threads in (1, 2, 1000):
        vector = begun(id, envs=5, num_threads=threads)
        courses.append([bytes_of(vector.step(still(vector))) for _ in range(4)])
        vector.close()
    assert courses[1:] == courses[:1] * 2


@every_vector
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_copy_in_mid_match_goes_its_own_same_way(id, copied):
    vector = begun(id, num_threads=2)
    vector.step(still(vector))
    other = copied(vector)
    after = [bytes_of(vector.step(still(vector))) for _ in range(3)]
    assert [bytes_of(other.step(still(vector))) for _ in range(3)] == after


@every_vector
@pytest.mark.parametrize("call", ["reset", "step"])
def test_a_second_thread_inside_is_refused(id, call):
    vector = begun(id)
    said = []

    def second():
        try:
            vector.reset(1) if call == "reset" else vector.step(still(vector))
        except UsageError as error:
            said.append(str(error))

    with vector._busy:  # as while another thread is inside
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert "two threads use one vector world" in said[0]
    second()
    assert len(said) == 1
