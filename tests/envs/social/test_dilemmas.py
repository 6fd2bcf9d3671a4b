"""What must be true of the social dilemmas whatever is played: closed forms and conservation."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium
from gymposium.envs.social import clean_up_rules, harvest_rules

STAY, ZAP, CLEAN = 6, 7, 8


def rollout(id, envs=64, steps=300, choose=None, seed=0, **params):
    """The vector world after random (or chosen) play, and all its rewards ``[steps, E, A]``."""
    vector = gymposium.make_vec(id, envs, **{"horizon": 10_000, **params})
    vector.reset(seed)
    rng, rewards = np.random.default_rng(seed), []
    for step in range(steps):
        actions = rng.integers(0, vector.single_action_space.n, (envs, vector.num_agents))
        if choose is not None:
            actions = choose(actions, step)
        _, reward, *_ = vector.step(actions)
        rewards.append(reward)
    return vector, np.array(rewards)


def items(vector):
    return vector.state()[..., 0]


def never_clean(actions, step):
    return np.where(actions == CLEAN, STAY, actions)


def stay(actions, step):
    return np.full_like(actions, STAY)


def test_the_clean_up_map_has_the_cells_of_the_source():
    vector = gymposium.make_vec("clean_up-v0", 1)
    vector.reset(0)
    counts = {name: int((items(vector) == k).sum()) for k, name in enumerate(clean_up_rules.ITEMS)}
    assert counts["orchard"] == 122
    assert counts["dirt"] == 79
    assert counts["dirt"] + counts["clean bank"] == 147
    assert counts["river"] == 20


def test_without_cleaning_clean_up_returns_exactly_nothing():
    vector, rewards = rollout("clean_up-v0", steps=1000, choose=never_clean, horizon=2000)
    assert not rewards.any()
    assert (vector.metrics()["dirt_fraction"] >= 79 / 167).all()


def test_dirt_comes_back_at_half_a_piece_a_step_after_step_fifty():
    vector, _ = rollout("clean_up-v0", envs=400, steps=51, choose=stay)
    assert ((items(vector) == clean_up_rules.DIRT).sum((1, 2)) == 79).all()
    vector, _ = rollout("clean_up-v0", envs=400, steps=91, choose=stay)
    new = (items(vector) == clean_up_rules.DIRT).sum((1, 2)) - 79
    assert abs(new.mean() - 20) < 4 * np.sqrt(10 / 400)  # 40 steps of p = 1/2


def test_a_clean_river_grows_a_twentieth_of_the_empty_orchard_a_step():
    vector, _ = rollout("clean_up-v0", envs=2000, steps=1, choose=stay, start_dirt=0.0)
    grown = (items(vector) == clean_up_rules.APPLE).sum((1, 2))
    assert abs(grown.mean() - 0.05 * 122) < 4 * np.sqrt(122 * 0.05 * 0.95 / 2000)


def test_growth_falls_in_a_line_with_dirt_and_stops_at_the_threshold():
    for dirty, share in ((33, (0.4 - 33 / 167) / 0.4), (66, (0.4 - 66 / 167) / 0.4), (67, 0)):
        vector, _ = rollout("clean_up-v0", envs=2000, steps=1, choose=stay, start_dirt=dirty / 167)
        grown = (items(vector) == clean_up_rules.APPLE).sum((1, 2)).mean()
        assert abs(grown - 122 * 0.05 * share) <= 4 * np.sqrt(122 * 0.05 * share / 2000)


def test_cleaning_pays_nothing_but_lets_apples_grow():
    def busy(actions, step):
        return np.where(actions == ZAP, CLEAN, actions)

    vector, rewards = rollout("clean_up-v0", steps=1500, choose=busy, zap="off", start_dirt=0.3)
    metrics = vector.metrics()
    assert (metrics["cleaned"] > 0).all()
    assert rewards.sum() > 0
    assert np.array_equal(rewards.sum((0, 2)), metrics["collected"])


def test_apples_only_ever_grow_in_the_orchard():
    vector, _ = rollout("clean_up-v0", steps=1)
    orchard = np.isin(items(vector), (clean_up_rules.ORCHARD, clean_up_rules.APPLE))
    vector, _ = rollout("clean_up-v0", steps=400, start_dirt=0.1)
    now = np.isin(items(vector), (clean_up_rules.ORCHARD, clean_up_rules.APPLE))
    assert np.array_equal(orchard, now)
    assert orchard[0].sum() == 122


def test_an_isolated_bare_patch_never_regrows():
    bare = "Saa\n.aa\n"

    def eat_all(actions, step):  # a tour over the four apples: e, e, s, w, then wait
        tour = [2, 2, 4, 3]
        return np.full_like(actions, tour[step] if step < 4 else STAY)

    vector, rewards = rollout(
        "harvest-v0", envs=32, steps=3000, choose=eat_all, map=bare, agents=1, regrowth=(0, 0, 0, 0)
    )
    assert (rewards.sum((0, 2)) == 4).all()
    vector, rewards = rollout(
        "harvest-v0", envs=32, steps=3000, choose=eat_all, map=bare, agents=1,
        regrowth=(0.0, 1e-9, 1e-9, 1e-9),
    )  # fmt: skip
    assert (rewards.sum((0, 2)) == 4).all()
    assert not (items(vector) == harvest_rules.APPLE).any()


@pytest.mark.parametrize(
    ("left", "rate"), [(0, 0.0), (1, 0.001), (2, 0.005), (3, 0.025), (5, 0.025)]
)
def test_an_apple_regrows_by_the_number_of_apples_near(left, rate):
    """One cell is eaten bare beside ``left`` apples: the share regrown after k steps is known."""
    others = "a" * min(left, 2), "a" * max(left - 2, 0)
    rows = f"Sa{others[0]:.<2}\n.{others[1]:.<3}\n"
    steps, envs = 60, 4000

    def bite(actions, step):  # onto the apple, and back
        return np.full_like(actions, {0: 2, 1: 3}.get(step, STAY))

    vector, _ = rollout("harvest-v0", envs=envs, steps=steps + 2, choose=bite, map=rows, agents=1)
    regrown = (items(vector)[:, 0, 1] == harvest_rules.APPLE).mean()
    expected = 1 - (1 - rate) ** steps
    # Neighbours never change here. The bite is at step 0, the seat leaves in step 1.
    assert abs(regrown - expected) <= 4 * np.sqrt(expected * (1 - expected) / envs)


def test_greedy_harvesters_earn_the_apples_and_then_nothing():
    _, rewards = rollout(
        "harvest-v0", steps=4000, envs=16, map="harvest_mini", agents=4, zap="off",
        regrowth=(0, 0, 0, 0),
    )  # fmt: skip
    assert (rewards.sum((0, 2)) == 20).all()
    assert not rewards[3000:].any()


def test_coins_are_conserved():
    vector, rewards = rollout("coins-v0", steps=2000, map="coins_mini", rate=0.05)
    metrics = vector.metrics()
    total = metrics["own_coins"] - metrics["foreign_coins"]
    assert np.array_equal(rewards.sum((0, 2)), total)
    assert set(np.unique(rewards.sum(2))) <= {-2.0, -1.0, 0.0, 1.0, 2.0}
    assert np.array_equal(metrics["collected"], metrics["own_coins"] + metrics["foreign_coins"])


def test_coins_appear_at_their_rate_and_in_their_colours():
    vector, _ = rollout("coins-v0", envs=2000, steps=1, choose=stay, colour_probs=(15, 1))
    green, red = ((items(vector) == code).sum() for code in (3, 4))
    cells = 174 * 2000
    assert abs(green + red - 0.001 * cells) < 4 * np.sqrt(0.001 * cells)
    assert abs(green - 15 / 16 * (green + red)) < 4 * np.sqrt((green + red) * 15 / 256)


def test_near_and_far_seats_start_where_they_are_told():
    world = gymposium.make(
        "clean_up-v0", api="world", agents=4, spawn_positions=("far", "far", "near", "near")
    )
    for seed in range(3):
        world.reset(seed)
        rows = [int(r) for r in np.argwhere(world.global_state()[..., 1])[:, 0]]
        assert max(sorted(rows)[:2]) <= 7  # beside the banks, farthest from the orchard
        assert min(sorted(rows)[2:]) >= 12


def test_respawned_seats_come_back_at_once_and_absent_ones_after_their_time():
    rows = "S.S\n...\n"
    for zap, away in (("respawn", 0), ("timeout", 5)):
        world = gymposium.make(
            "harvest-v0", api="world", map=rows + "..a", agents=2, zap=zap, zap_steps=5,
            spawn_positions=((1, 0), (1, 1)),
        )  # fmt: skip
        turns, missing = world.reset(1), 0
        while world.game and world._batch.state.heading[0, 0] != 1:  # agent_0 turns to the east
            turns = world.step({"agent_0": 0, "agent_1": STAY})
        turns = world.step({"agent_0": ZAP, "agent_1": STAY})
        assert turns["agent_1"].info["zapped"] == 1
        for _ in range(8):
            missing += bool(turns["agent_1"].observation[9, 5, 1] & 128)
            turns = world.step({"agent_0": STAY, "agent_1": STAY})
        assert missing == away
        state = world.global_state()
        assert (state[..., 1] > 0).sum() == 2
        assert state[0, 0, 1] or state[0, 2, 1]


@pytest.mark.parametrize("id", ["clean_up-v0", "harvest-v0", "coins-v0"])
def test_seats_never_share_a_cell(id):
    vector, _ = rollout(id, envs=8, steps=0)
    for step in range(300):
        rng = np.random.default_rng(step)
        shape = (8, vector.num_agents)
        vector.step(rng.integers(0, vector.single_action_space.n, shape))
        assert ((vector.state()[..., 1] > 0).sum((1, 2)) == vector.num_agents).all()


@pytest.mark.parametrize("needed", [2, 3])
def test_fewer_miners_than_needed_never_get_gold(needed):
    vector, rewards = rollout(
        "coop_mining-v0", envs=200, steps=400, map="coop_mining_mini", agents=needed - 1,
        min_miners=needed, max_miners=needed, gold_rate=0.3, iron_rate=0.0, window=50,
    )  # fmt: skip
    assert (items(vector) == 6).any()  # it was struck all the time
    assert not rewards.any()


def test_gold_pays_each_of_the_miners():
    _, rewards = rollout(
        "coop_mining-v0", envs=50, steps=400, map="Soo\nooS\n", agents=2, gold_rate=0.3,
        iron_rate=0.0, window=5,
    )  # fmt: skip
    assert rewards.any()
    assert set(np.unique(rewards)) == {0.0, 8.0}
    assert (rewards[..., 0] == rewards[..., 1]).all()


def test_a_token_given_twice_is_worth_nine():
    world = gymposium.make(
        "gift-v0", api="world", map="tS.\n.S.\n", agents=2, rate=0.0, cooldown=0, horizon=99,
        spawn_positions=((0, 1), (1, 1)),
    )  # fmt: skip
    gift, consume = 7, 8
    for seed in range(50):  # until agent_0 looks south and agent_1 north, at each other
        world.reset(seed)
        if world._batch.state.heading[0].tolist() == [0, 2]:
            break
    world._batch.state.carried[0, 0, 0] = 1
    world.step({"agent_0": gift, "agent_1": STAY})
    assert world._batch.state.carried[0].tolist() == [[0, 0, 0], [0, 3, 0]]
    for _ in range(3):
        world.step({"agent_0": STAY, "agent_1": gift})
    assert world._batch.state.carried[0].tolist() == [[0, 0, 9], [0, 0, 0]]
    world.step({"agent_0": consume, "agent_1": consume})
    assert world.rewards == {"agent_0": 9.0, "agent_1": 0.0}


def test_green_feeds_all_alike_and_blue_all_others():
    for symbol, expected in (("R", [1, 0, 0]), ("G", [2 / 3] * 3), ("B", [0, 1.5, 1.5])):
        world = gymposium.make(
            "mushrooms-v0", api="world", map=f"S{symbol}S\n..S\n", agents=3, horizon=9,
            spawn_positions=((0, 0), (0, 2), (1, 2)),
        )  # fmt: skip
        world.reset(0)
        world.step({"agent_0": 2, "agent_1": STAY, "agent_2": STAY})
        assert list(world.rewards.values()) == pytest.approx(expected)


@pytest.mark.parametrize("game", ["prisoners-dilemma", "stag-hunt", "chicken"])
def test_pure_strategies_are_paid_by_the_matrix_in_the_limit(game):
    world = gymposium.make(
        "matrix_arena-v0", api="world", map="S1\nS2\n", agents=2, game=game, horizon=9,
        spawn_positions=((0, 0), (1, 0)),
    )  # fmt: skip
    table = world.params.table
    for seed in range(50):
        world.reset(seed)
        if world._batch.state.heading[0, 0] == 0:  # agent_0 looks at agent_1
            break
    many = 10**8
    for a in range(2):
        for b in range(2):
            world.reset(seed)
            state = world._batch.state
            state.carried[0, 0, :2] = (many, 0) if a == 0 else (0, many)
            state.carried[0, 1, :2] = (many, 0) if b == 0 else (0, many)
            state.holding[0] = 8
            world.step({"agent_0": 7, "agent_1": STAY})
            assert list(world.rewards.values()) == pytest.approx([table[a][b], table[b][a]])
