"""Groups as arrays are the single world, seed by seed and book by book; it is their plain twin."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.registry import make_world
from gymposium.envs.vector import make_vec
from gymposium.errors import UsageError

CASES = [
    {},
    {"participants": 3, "hints": 2, "rounds": 3},
    {"participants": 1, "rounds": 1, "hints": 1},
    {"participants": 2, "rounds": 2, "solo": False, "reward": "exact"},
    {"participants": 5, "rounds": 0, "hints": 5},
    {"participants": 8, "rounds": 12},
]
UNCOUNTED = ("unfounded", "reversals")  # the arrays count no words, and nobody's change of mind


def flat(world, observation):
    clock = round((1 - float(observation["left"][0])) * len(world.schedule))
    parts = [
        [observation["phase"], clock],
        observation["cards"],
        observation["hint"],
        observation["stances"],
        [observation["speaker"]],
        observation["latest"],
    ]
    return np.concatenate(parts).astype(np.uint8)


@pytest.mark.parametrize("params", CASES, ids=str)
def test_a_row_is_the_single_world_turn_by_turn(params):
    rows = 1 if params.get("rounds") == 12 else 8
    batch = make_vec("wason_cards-v0", rows, autoreset="disabled", **params)
    seen, infos = batch.reset(seed=11)
    worlds = [make_world("wason_cards-v0", **params) for _ in range(rows)]
    turns = [world.reset(int(seed)) for world, seed in zip(worlds, batch.seeds, strict=True)]
    rng = np.random.default_rng(3)
    for _ in range(batch.horizon):
        actions = rng.integers(0, 4, (rows, batch.num_agents, 4))
        actions *= rng.integers(0, 2, (rows, 1, 1))
        for e, world in enumerate(worlds):
            (seat,) = turns[e]
            assert seat == batch.agents[infos["actor"][e]]
            for a, name in enumerate(batch.agents):
                assert np.array_equal(seen[e, a], flat(world, world.observe(name)))
            stances = actions[e, infos["actor"][e]]
            turns[e] = world.step({seat: {"stances": stances, "say": ""}})
        seen, rewards, terminated, truncated, infos = batch.step(actions)
        for e, world in enumerate(worlds):
            paid = [world.rewards[name] for name in batch.agents]
            assert rewards[e].tolist() == pytest.approx(paid)
    assert terminated.all()
    assert not truncated.any()
    for e, world in enumerate(worlds):
        measured = {name: values[e] for name, values in infos.items() if name.startswith("metric_")}
        own = world.outcome.metrics
        assert set(own) - set(UNCOUNTED) == {name.removeprefix("metric_") for name in measured}
        for name, value in measured.items():
            assert value == pytest.approx(own[name.removeprefix("metric_")]), name


def test_books_or_no_books_the_groups_play_alike():
    world = make_world("wason_cards-v0")
    batches = [type(world.vector(16))(world, 16, track=track) for track in (True, False)]
    rng = np.random.default_rng(0)
    for batch in batches:
        batch.reset(seed=4)
    for _ in range(40):
        actions = rng.integers(0, 4, (16, 4, 4))
        kept, bare = (batch.step(actions) for batch in batches)
        assert np.array_equal(kept[0], bare[0])
        assert np.array_equal(kept[1], bare[1])


def test_rows_that_end_begin_anew_with_the_following_seed():
    batch = make_vec("wason_cards-v0", 3, participants=2, rounds=0, solo=False)
    batch.reset(seed=1)
    before = batch.seeds.copy()
    actions = np.ones((3, 2, 4), np.int64)
    batch.step(actions)
    assert batch.step(actions)[2].all()
    seen, rewards, terminated, _, _ = batch.step(actions)
    assert not terminated.any()
    assert not rewards.any()
    assert (batch.seeds != before).all()
    assert (seen[:, :, 1] == 0).all()
    single = make_world("wason_cards-v0", participants=2, rounds=0, solo=False)
    single.reset(int(batch.seeds[0]))
    assert np.array_equal(seen[0, 0, 2:6], single.observe("player_0")["cards"])


def test_deals_hold_one_card_of_each_class_in_every_order():
    from gymposium.envs.common_ground.wason_deal import SYMBOLS, deal
    from gymposium.envs.common_ground.wason_words import class_of

    dealt = deal(np.arange(20_000, dtype=np.uint64), 4, 2)
    assert (np.sort(dealt.classes, 1) == np.arange(4)).all()
    kinds = np.vectorize(class_of)(dealt.symbols)
    assert np.array_equal(kinds, dealt.classes)
    orders, counts = np.unique(dealt.classes, axis=0, return_counts=True)
    assert len(orders) == 24
    expected = 20_000 / 24
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi-square, 23 degrees of freedom
    assert set(dealt.symbols.ravel()) == set(range(len(SYMBOLS)))
    assert (np.bincount(dealt.first) > 4_500).all()
    assert ((dealt.hints >= 0).sum(1) == 2).all()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros((2, 4), np.int64), "shape"),
        (np.full((2, 4, 4), 4), "from 0 to 3"),
        (np.zeros((2, 4, 4)), "whole numbers"),
    ],
)
def test_actions_of_another_kind_are_refused(actions, message):
    batch = make_vec("wason_cards-v0", 2)
    with pytest.raises(UsageError, match="reset"):
        batch.step(actions)
    batch.reset(seed=0)
    with pytest.raises(UsageError, match=message):
        batch.step(actions)


def test_a_judge_cannot_be_asked_in_arrays():
    with pytest.raises(UsageError, match="no vector form with these parameters"):
        make_vec("wason_cards-v0", 2, judge=True)
