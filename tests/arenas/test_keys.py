from __future__ import annotations

import dataclasses

import pytest

from gymposium.arenas.keys import KEY_FIELDS, agent_seed, match_key, match_keys
from gymposium.arenas.schedule import MatchSpec
from gymposium.errors import UsageError

SPEC = MatchSpec(
    world="iterated_matrix-v0",
    params={"game": "chicken", "rounds": 3},
    seating={"player_0": "a", "player_1": "b"},
    roles={},
    seed=7,
    block=0,
    cell="chicken",
    time_limit=30.0,
)
WHO = {"a": "random", "b": "scripted:grim", "c": "scripted:tit_for_tat"}
GOLDEN = "fc48706fb0f37ce3bda747f2bb44fdb0"


def key(spec: MatchSpec = SPEC, **changes: object) -> str:
    knobs = {"fault_rule": "default", "reasks": 2, **changes}
    return match_key(spec, WHO, **knobs)  # type: ignore[arg-type]


def test_the_key_of_a_known_match_is_frozen() -> None:
    """If this fails, every stored run would be played again: change the key only on purpose."""
    assert key() == GOLDEN
    assert KEY_FIELDS == (
        "world",
        "params",
        "seating",
        "seed",
        "fault_rule",
        "time_limit",
        "reasks",
        "copy",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"world": "iterated_matrix-v1"},
        {"params": {"game": "chicken", "rounds": 4}},
        {"seating": {"player_0": "b", "player_1": "a"}},
        {"seating": {"player_0": "a", "player_1": "c"}},
        {"seed": 8},
        {"time_limit": None},
    ],
)
def test_whatever_can_change_the_outcome_changes_the_key(change: dict[str, object]) -> None:
    assert key(dataclasses.replace(SPEC, **change)) != key()  # type: ignore[arg-type]


def test_the_fault_rule_and_the_reasks_change_the_key() -> None:
    assert len({key(), key(fault_rule="forfeit"), key(reasks=0), key(copy=1)}) == 4


@pytest.mark.parametrize(
    "change", [{"block": 5}, {"cell": "other"}, {"roles": {"player_0": "background"}}]
)
def test_labels_never_change_the_key(change: dict[str, object]) -> None:
    assert key(dataclasses.replace(SPEC, **change)) == key()  # type: ignore[arg-type]


def test_the_order_of_parameters_does_not_matter() -> None:
    assert key(dataclasses.replace(SPEC, params={"rounds": 3, "game": "chicken"})) == key()


def test_an_agent_is_its_identity_not_its_name() -> None:
    other = dataclasses.replace(SPEC, seating={"player_0": "x", "player_1": "b"})
    assert (
        match_key(other, {"x": "random", "b": "scripted:grim"}, fault_rule="default", reasks=2)
        == key()
    )


def test_equal_matches_of_one_schedule_are_told_apart() -> None:
    keys = match_keys([SPEC, SPEC, SPEC], WHO, fault_rules={"chicken": "default"}, reasks=2)
    assert keys[0] == key()
    assert len(set(keys)) == 3


def test_parameters_that_are_not_plain_data_are_refused() -> None:
    with pytest.raises(UsageError, match="plain data"):
        key(dataclasses.replace(SPEC, params={"game": {1, 2}}))


def test_agent_seeds_differ_by_seat_and_seed_and_are_not_the_worlds() -> None:
    seeds = {agent_seed(seed, seat) for seed in range(200) for seat in ("player_0", "player_1")}
    assert len(seeds) == 400
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert seeds.isdisjoint(range(200))
