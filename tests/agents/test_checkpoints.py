"""Checkpoints: lossless, whole or absent, and clear about what is wrong with them."""

from __future__ import annotations

import contextlib
import errno
import json
import shutil

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents import checkpoints as module
from gymposium.agents.checkpoints import (
    checkpoints,
    digest,
    read_checkpoint,
    write_checkpoint,
)
from gymposium.errors import StoreError, UsageError

FACTS = {
    "method": "x",
    "params": {},
    "world": "iterated_matrix-v0",
    "world_params": {},
    "seats": {},
    "policies": [],
    "deterministic": True,
    "step": 7,
}
STATE = {
    "net": {0: torch.arange(6, dtype=torch.float32).reshape(2, 3), "b": torch.tensor(True)},
    "adam": {"state": {0: {"step": 3, "m": np.array(0.1)}}, "betas": (0.9, 0.999)},
    "rng": np.random.default_rng(5).bit_generator.state,
    "torch_rng": torch.Generator().manual_seed(3).get_state(),
    "odd": [None, b"\x00\xff", float("nan"), float("-inf"), -0.0, 2**200, "§", (1, [2, (3,)])],
    "empty": np.zeros((0, 4), np.uint8),
}


def same(one, two):
    if isinstance(one, torch.Tensor):
        return isinstance(two, torch.Tensor) and one.dtype == two.dtype and torch.equal(one, two)
    if isinstance(one, np.ndarray):
        return (one.dtype, one.shape) == (two.dtype, two.shape) and (one == two).all()
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return (type(one), len(one)) == (type(two), len(two)) and all(map(same, one, two))
    return type(one) is type(two) and repr(one) == repr(two)


def test_a_state_comes_back_as_it_was_and_can_be_written_on(tmp_path):
    path = write_checkpoint(tmp_path, FACTS, STATE)
    read = read_checkpoint(path)
    assert (read.step, read.facts["world"]) == (7, "iterated_matrix-v0")
    found = read.state()
    assert same(STATE, found)
    found["net"][0] += 1
    generator = np.random.default_rng()
    generator.bit_generator.state = found["rng"]
    assert generator.random() == np.random.default_rng(5).random()


numbers = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary())
nested = st.recursive(
    numbers | st.just(np.arange(3)) | st.just(torch.ones(2)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=4) | st.integers(-3, 3), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(state=st.dictionaries(st.text(max_size=4), nested, max_size=3))
def test_any_nesting_of_plain_data_and_arrays_survives(tmp_path_factory, state):
    path = write_checkpoint(tmp_path_factory.mktemp("any"), FACTS, state)
    assert same(state, read_checkpoint(path).state())


def test_equal_states_have_equal_hashes_and_others_do_not(tmp_path):
    one = write_checkpoint(tmp_path / "a", FACTS, STATE)
    two = write_checkpoint(tmp_path / "b", FACTS, STATE)
    changed = write_checkpoint(tmp_path / "c", FACTS, {**STATE, "empty": np.zeros(1)})
    assert digest(one) == digest(two) != digest(changed)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"a": {"b": {1, 2}}}, "set"),
        ({"a": np.array([None])}, "array of object at a"),
        ({"a": {(1, 2): 3}}, r"key \(1, 2\) at a"),
    ],
)
def test_what_cannot_be_kept_is_named(tmp_path, state, words):
    with pytest.raises(UsageError, match=words):
        write_checkpoint(tmp_path, FACTS, state)
    assert checkpoints(tmp_path) == {}


@pytest.mark.parametrize("calls", range(12))
def test_a_disk_that_fails_at_any_point_leaves_earlier_checkpoints_whole(
    tmp_path, monkeypatch, calls
):
    write_checkpoint(tmp_path, {**FACTS, "step": 1}, STATE)
    left = [calls]

    def failing(name, real):
        def call(*args, **kwargs):
            if left[0] == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            left[0] -= 1
            return real(*args, **kwargs)

        monkeypatch.setattr(name, call)

    failing("os.fsync", module.os.fsync)
    failing("pathlib.Path.open", module.Path.open)
    failing("pathlib.Path.rename", module.Path.rename)
    failing("pathlib.Path.mkdir", module.Path.mkdir)
    told = contextlib.nullcontext()
    if calls < 9:  # so many steps there are
        told = pytest.raises(StoreError, match="No space left")
    with told:
        write_checkpoint(tmp_path, {**FACTS, "step": 2}, STATE)
    monkeypatch.undo()
    for path in checkpoints(tmp_path).values():
        assert same(STATE, read_checkpoint(path).state())
    assert 1 in checkpoints(tmp_path)
    write_checkpoint(tmp_path, {**FACTS, "step": 3}, STATE)
    leftovers = [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")]
    assert leftovers == []


def test_what_is_wrong_with_a_checkpoint_is_said(tmp_path):
    path = write_checkpoint(tmp_path, FACTS, STATE)
    whole = (path / "method.json").read_text()

    def said(text=None, tensors=None, error=StoreError):
        broken = tmp_path / "broken"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(path, broken)
        if text is not None:
            (broken / "method.json").write_text(text)
        if tensors is not None:
            (broken / "policy.safetensors").write_bytes(tensors)
        with pytest.raises(error) as caught:
            read_checkpoint(broken).state()
        return str(caught.value)

    assert "not JSON" in said(whole[:100])
    assert "format 2" in said(whole.replace('"format": 1', '"format": 2'))
    assert "format None" in said("[]")
    assert "lacks" not in said(whole.replace('"policies"', '"polices"'))
    assert "'policies'" in said(whole.replace('"policies"', '"polices"'))
    data = (path / "policy.safetensors").read_bytes()
    assert "is not the file" in said(tensors=data[:-1])
    assert "is not the file" in said(tensors=b"")
    (path / "policy.safetensors").unlink()
    with pytest.raises(StoreError, match="No such file"):
        read_checkpoint(path).state()
    with pytest.raises(StoreError, match="is not a checkpoint"):
        read_checkpoint(tmp_path / "none")


def test_nothing_in_a_checkpoint_is_a_pickle(tmp_path):
    path = write_checkpoint(tmp_path, FACTS, STATE)
    assert sorted(entry.name for entry in path.iterdir()) == ["method.json", "policy.safetensors"]
    json.loads((path / "method.json").read_text())
    header = int.from_bytes((path / "policy.safetensors").read_bytes()[:8], "little")
    json.loads((path / "policy.safetensors").read_bytes()[8 : 8 + header])
