"""What holds for every world in the registry, at its defaults and at every preset."""

from __future__ import annotations

import copy
import pickle
import random
import warnings

import jsonschema
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from gymposium.envs import registry
from gymposium.envs.checks import check_env
from gymposium.envs.sameness import arrays_in, same
from gymposium.errors import UsageError

CASES = [
    (spec.id, preset)
    for spec in registry.specs()
    for preset in ("", *spec.presets)
]  # fmt: skip
IDS = [f"{id}:{preset or 'defaults'}" for id, preset in CASES]
every_world = pytest.mark.parametrize(("id", "preset"), CASES, ids=IDS)


def params(id, preset):
    chosen = dict(registry.spec(id).presets[preset]) if preset else {}
    # Worlds whose length is a plain parameter are played short, and those whose pictures have a
    # size are drawn small: nothing below depends on it.
    known = registry.parameters(id)
    short = {"horizon": 40} if "horizon" in known else {}
    if known.get("steps", {}).get("type") == "int":
        short["steps"] = 6
    if known.get("size", {}).get("unit") == "pixels":
        short["size"] = 32
    return {**chosen, **short}


def fresh(id, preset):
    return registry.make_world(id, **params(id, preset))


def legal(turn, rng):
    turn.action_space.seed(int(rng.integers(2**31)))
    if turn.action_mask is None:
        return turn.action_space.sample()
    return turn.action_space.sample(mask=turn.action_mask)


def bytes_of_play(world, seed, steps, silent=None):
    """Every byte seen in ``steps`` random steps, over as many matches as that takes."""
    rng, seen, match = np.random.default_rng(1), [], 0
    turns = world.reset(seed)
    for _ in range(steps):
        if not turns:
            match += 1
            turns = world.reset(seed + 1000 * match)
        seen.append([(t.seat, t.step, t.observation, t.reward, t.text) for t in turns.values()])
        actions = {seat: legal(turn, rng) for seat, turn in turns.items()}
        if silent is not None:
            actions = {s: None if silent in (s, "all") else a for s, a in actions.items()}
        turns = world.step(actions)
        seen.append(world.fingerprint())
    return pickle.dumps(seen)


@every_world
def test_it_passes_the_conformance_kit(id, preset):
    check_env(lambda: fresh(id, preset), deterministic=registry.spec(id).deterministic, views=False)


@every_world
@pytest.mark.filterwarnings("ignore")
def test_it_passes_pettingzoos_checkers(id, preset, capsys):
    def view(api):
        return registry.make(id, api=api, **params(id, preset))

    api_test(view("aec"), num_cycles=50)
    parallel_api_test(view("parallel"), num_cycles=50)
    seed_test(lambda: view("aec"), num_cycles=50)
    parallel_seed_test(lambda: view("parallel"), num_cycles=50)


@every_world
def test_one_seed_gives_identical_bytes_for_200_steps(id, preset):
    steps = 200 if id != "scene_weaver-v0" else 30  # of which each furnishes half a room
    plays = [bytes_of_play(fresh(id, preset), 3, steps) for _ in range(2)]
    assert plays[0] == plays[1]


@pytest.mark.parametrize("id", [spec.id for spec in registry.specs()])
def test_the_seed_matters_for_some_parameters(id):
    presets = ["", *registry.spec(id).presets]
    differ = []
    for preset in presets:
        world = fresh(id, preset)
        rules = set()
        for seed in range(10):
            rng, turns = np.random.default_rng(0), world.reset(seed)
            play = []
            while turns:
                play.append([(t.seat, t.text) for t in turns.values()])
                turns = world.step({s: legal(t, rng) for s, t in turns.items()})
            rules.add(pickle.dumps(play))
        differ.append(len(rules) > 1)
    assert all(differ) or (registry.spec(id).deterministic and any(differ))


@every_world
def test_resets_without_a_seed_follow_from_the_last_one(id, preset):
    views = [registry.make(id, api="parallel", **params(id, preset)) for _ in range(2)]
    for seed in (5, None, None, 6, None):
        first, second = (view.reset(seed=seed) for view in views)
        assert same(first, second)
        assert views[0].world.fingerprint() == views[1].world.fingerprint()


@every_world
def test_a_copy_in_mid_match_plays_on_identically(id, preset):
    world, rng = fresh(id, preset), np.random.default_rng(2)
    turns = world.reset(9)
    further = world.step({s: legal(t, rng) for s, t in turns.items()})
    turns = further or world.reset(9)
    copies = [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    while turns:
        actions = {s: legal(t, rng) for s, t in turns.items()}
        turns = world.step(actions)
        for other in copies:
            theirs = other.step(actions)
            assert theirs.keys() == turns.keys()
            assert other.fingerprint() == world.fingerprint()
            for seat, turn in turns.items():
                assert same(theirs[seat].observation, turn.observation)
                assert theirs[seat].reward == turn.reward
    assert same(vars_of(copies[0].outcome), vars_of(world.outcome))
    assert same(vars_of(copies[1].outcome), vars_of(world.outcome))


def vars_of(outcome):
    names = ("returns", "final_rewards", "final_observations", "terminated", "metrics", "reason")
    return {name: getattr(outcome, name) for name in names}


@every_world
@pytest.mark.parametrize("silent", ["nobody", "first", "all"])
def test_rewards_add_up_to_the_return_whoever_is_silent(id, preset, silent):
    world, rng = fresh(id, preset), np.random.default_rng(3)
    seats = world.possible_seats
    mute = {"nobody": (), "first": seats[:1], "all": seats}[silent]
    for seed in range(5):
        turns, earned, steps = world.reset(seed), dict.fromkeys(seats, 0.0), 0
        while turns:
            for seat, turn in turns.items():
                earned[seat] += turn.reward
            turns = world.step({s: None if s in mute else legal(t, rng) for s, t in turns.items()})
            steps += 1
        outcome = world.outcome
        assert world.horizon is None or steps <= world.horizon
        for seat in seats:
            assert earned[seat] + outcome.final_rewards[seat] == pytest.approx(
                outcome.returns[seat], abs=1e-9
            )
            assert world.return_range[0] - 1e-9 <= outcome.returns[seat]
            assert outcome.returns[seat] <= world.return_range[1] + 1e-9
            space = world.seats[seat].observation_space
            assert space.contains(outcome.final_observations[seat])
        assert outcome.reason


@every_world
def test_global_generators_are_left_alone(id, preset):
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    bytes_of_play(fresh(id, preset), 0, 50)
    for api in ("parallel", "aec"):
        registry.make(id, api=api, **params(id, preset)).reset(seed=1)
    after = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert before == after


@every_world
def test_observations_never_change_and_share_no_memory(id, preset):
    world, rng = fresh(id, preset), np.random.default_rng(4)
    kept, turns = [], world.reset(0)
    for _ in range(30):
        for turn in turns.values():
            kept.append((turn, copy.deepcopy(turn.observation), turn.text))
        if not turns:
            break
        turns = world.step({s: legal(t, rng) for s, t in turns.items()})
    for turn, was, text in kept:
        assert same(turn.observation, was)
        assert world.describe(turn.seat, turn.observation, turn.info) == text
    arrays = [array for turn, _, _ in kept for array in arrays_in(turn.observation)]
    for index, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[index + 1 : index + 20])


@every_world
def test_an_agent_that_writes_into_its_observation_changes_nothing(id, preset):
    def play(spoil):
        world, rng = fresh(id, preset), np.random.default_rng(5)
        turns, prints = world.reset(0), []
        while turns:
            actions = {s: legal(t, rng) for s, t in turns.items()}
            if spoil:
                for turn in turns.values():
                    for array in arrays_in(turn.observation):
                        array.fill(0)
                    if isinstance(turn.observation, dict):
                        turn.observation.clear()
                    if isinstance(turn.action_mask, np.ndarray):
                        turn.action_mask.fill(0)
            turns = world.step(actions)
            prints.append(world.fingerprint())
        return prints

    assert play(spoil=False) == play(spoil=True)


@every_world
def test_it_renders_before_during_and_after(id, preset):
    world, rng = fresh(id, preset), np.random.default_rng(6)
    try:
        assert world.render()
    except UsageError as error:
        assert "reset" in str(error)  # noqa: PT017
    frames, turns = [], world.reset(0)
    while turns:
        frames.append(world.render())
        turns = world.step({s: legal(t, rng) for s, t in turns.items()})
    frames.append(world.render())
    world.close()
    assert all(isinstance(frame, str) and frame for frame in frames)
    assert len(set(frames)) > 1


@every_world
def test_words_lead_back_to_the_action_and_fit_the_schema(id, preset):
    world, rng = fresh(id, preset), np.random.default_rng(7)
    for seed in range(3):
        turns = world.reset(seed)
        while turns:
            actions = {}
            for seat, turn in turns.items():
                action = actions[seat] = legal(turn, rng)
                said = world.format(seat, action)
                back = world.parse(seat, said, turn.observation, turn.info)
                assert same(back, action, exact=False), said
                world.check(seat, back)
                jsonschema.Draft202012Validator.check_schema(dict(turn.schema))
            turns = world.step(actions)


@every_world
def test_a_newcomer_is_told_what_matters(id, preset):
    world = fresh(id, preset)
    for seat, told in world.seats.items():
        assert seat in told.rules
        assert len(told.rules) > 100
        assert told.fault_rule
        assert told.horizon == world.horizon
    low, high = world.return_range
    assert low <= high


@every_world
def test_the_declared_kind_and_shape_are_true(id, preset):
    spec, world, rng = registry.spec(id), fresh(id, preset), np.random.default_rng(8)
    assert spec.seats[0] <= len(world.seats) <= spec.seats[1]
    assert spec.kind in (world.kind, "by parameters")
    assert spec.turn_based == world.turn_based
    totals = set()
    for seed in range(10):
        turns = world.reset(seed)
        while turns:
            assert not world.turn_based or len(turns) == 1
            turns = world.step({s: legal(t, rng) for s, t in turns.items()})
        totals.add(round(sum(world.outcome.returns.values()), 6))
        if world.kind == "cooperative":
            assert len({round(value, 6) for value in world.outcome.returns.values()}) == 1
    if world.kind == "zero_sum":
        assert len(totals) == 1


def test_no_warning_is_given_by_a_match():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for id, preset in CASES:
            bytes_of_play(fresh(id, preset), 0, 20)
