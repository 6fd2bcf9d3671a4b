"""haggling-v0 against its plain twin, backward induction, and its own promises."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

from gymposium.agents.scripted.markets import BOTS
from gymposium.envs.markets.haggling import Haggling
from gymposium.errors import IllegalAction, UsageError

from ...oracles.haggling_twin import equilibrium, tell

OFFER, ACCEPT, QUIT = 0, 1, 2
BARGAINERS = [name for name, bot in BOTS.items() if "haggling-v0" in bot.worlds]


def offer(price, say=""):
    return {"move": OFFER, "price": price, "say": say}


def accept():
    return {"move": ACCEPT, "price": 0, "say": ""}


def leave():
    return {"move": QUIT, "price": 0, "say": ""}


def the(turns):
    ((seat, turn),) = turns.items()
    return seat, turn


def replay(world, moves, seed=0):
    turns = world.reset(seed)
    for move in moves:
        turns = world.step({the(turns)[0]: move})
    return turns


def play(world, bots, seed):
    turns = world.reset(seed)
    for seat, bot in bots.items():
        bot.reset(world.seats[seat], 0)
    while turns:
        turns = world.step({seat: bots[seat].act(turn) for seat, turn in turns.items()})
    return world.outcome


@pytest.mark.parametrize("goods", [1, 2, 4])
def test_random_play_with_faults_is_what_the_twin_tells(goods):
    rng = np.random.default_rng(goods)
    world = Haggling(goods=goods, rounds=4)
    ends = set()
    for seed in range(150):
        turns = world.reset(seed)
        values = costs = None
        told = []
        while turns:
            seat, turn = the(turns)
            assert world.seats[seat].observation_space.contains(turn.observation)
            if seat == "buyer":
                values = turn.observation["values"].tolist()
            else:
                costs = turn.observation["values"].tolist()
            turn.action_space.seed(int(rng.integers(2**31)))
            action = turn.action_space.sample(mask=turn.action_mask)
            if action["move"] != OFFER and rng.random() < 0.6:
                action["move"] = OFFER
            if rng.random() < 0.15:
                action = None
            told.append(plain(action, world.params.top))
            turns = world.step({seat: action})
            if turns and values and costs:
                assert not tell(values, costs, 4, told).over
        final = world.outcome.final_observations
        values, costs = final["buyer"]["values"].tolist(), final["seller"]["values"].tolist()
        twin = tell(values, costs, 4, told)
        assert twin.over
        assert twin.turns == len(told)
        assert world.outcome.returns == {"buyer": twin.buyer, "seller": twin.seller}
        sold = twin.deal is not None and any(price is not None for price in twin.deal)
        assert world.outcome.metrics["agreement"] == sold
        ends.add(world.outcome.reason.split(":")[0][:16])
    assert len(ends) == 3  # deal, quit and deadline all occurred


def plain(action, top):
    if action is None:
        return None
    if action["move"] != OFFER:
        return ("accept", "quit")[action["move"] - 1]
    prices = np.atleast_1d(action["price"]).tolist()
    return tuple(None if price > top else price for price in prices)


@pytest.mark.parametrize("opening", ["buyer", "seller"])
def test_backward_induction_over_the_world_itself_equals_the_plain_game_tree(opening):
    top, rounds = 2, 2
    moves = [offer(price) for price in range(top + 1)] + [accept(), leave()]
    for value, cost in itertools.product(range(top + 1), repeat=2):
        world = Haggling(
            values=(value,), costs=(cost,), max_price=top, rounds=rounds, opening=opening
        )
        solved = solve(world, [], moves)
        assert solved == equilibrium(value, cost, top, 2 * rounds, opening == "buyer")
        # The last to make an offer that can be answered is the opener: it takes everything.
        assert solved[0 if opening == "buyer" else 1] == max(0, value - cost)


def solve(world, past, moves):
    """Backward induction over every history, through the world's own steps."""
    turns = replay(world, past)
    if not turns:
        return tuple(world.outcome.returns[seat] for seat in ("buyer", "seller"))
    seat, turn = the(turns)
    me = 0 if seat == "buyer" else 1
    legal = [m for m in moves if turn.action_mask is None or turn.action_mask["move"][m["move"]]]
    ways = [solve(world, [*past, move], moves) for move in legal]
    return max(ways, key=lambda way: (way[me], way[1 - me]))


def test_a_fault_is_never_better_than_the_best_legal_move_at_any_history():
    top = 2
    moves = [offer(price) for price in range(top + 1)] + [accept(), leave()]
    for value, cost in [(2, 0), (2, 1), (1, 0), (0, 2)]:
        world = Haggling(values=(value,), costs=(cost,), max_price=top, rounds=2, opening="buyer")
        frontier = [[]]
        while frontier:
            past = frontier.pop()
            turns = replay(world, past)
            if not turns:
                continue
            seat, turn = the(turns)
            me = 0 if seat == "buyer" else 1
            assert solve(world, [*past, None], moves)[me] <= solve(world, past, moves)[me]
            if len(past) < 2:
                mask = turn.action_mask
                legal = [m for m in moves if mask is None or mask["move"][m["move"]]]
                frontier += [[*past, move] for move in [*legal, None]]


@pytest.mark.parametrize("name", BARGAINERS)
def test_no_plan_with_faults_beats_the_best_plan_without_against_a_bot(name):
    top, rounds = 4, 3
    own = [offer(price) for price in range(top + 1)] + [accept(), leave()]
    world = Haggling(values=(4,), costs=(1,), max_price=top, rounds=rounds, opening="buyer")

    def best(plan, moves):
        bot = BOTS[name]()
        bot.reset(world.seats["seller"], 0)
        turns, mine = world.reset(0), iter(plan)
        while turns:
            seat, turn = the(turns)
            if seat == "seller":
                turns = world.step({seat: bot.act(turn)})
                continue
            try:
                move = next(mine)
            except StopIteration:
                mask = turn.action_mask
                legal = [m for m in moves if not m or mask is None or mask["move"][m["move"]]]
                return max(best([*plan, m], moves) for m in legal)
            turns = world.step({seat: move})
        return world.outcome.returns["buyer"]

    assert best([], [*own, None]) == best([], own) > 0


def test_a_better_price_is_a_better_return_for_each_side():
    world = Haggling(values=(15,), costs=(5,), opening="seller")
    returns = []
    for price in range(world.params.top + 1):
        replay(world, [offer(price), accept()])
        returns.append((world.outcome.returns["buyer"], world.outcome.returns["seller"]))
    buyer, seller = zip(*returns, strict=True)
    assert buyer == tuple(15 - price for price in range(21))
    assert seller == tuple(price - 5 for price in range(21))


@pytest.mark.parametrize("goods", [1, 3])
def test_no_two_rational_bargainers_ever_deal_at_a_loss_and_shares_add_up(goods):
    world = Haggling(goods=goods)
    deals = 0
    for (a, b), seed in itertools.product(itertools.product(BARGAINERS, repeat=2), range(8)):
        outcome = play(world, {"buyer": BOTS[a](), "seller": BOTS[b]()}, seed)
        values, costs = (outcome.final_observations[s]["values"] for s in ("buyer", "seller"))
        possible = int(np.maximum(values - costs, 0).sum())
        buyer, seller = outcome.returns["buyer"], outcome.returns["seller"]
        assert min(buyer, seller) >= 0
        assert buyer + seller <= possible
        metrics = outcome.metrics
        deals += metrics["agreement"] == 1.0
        if possible:
            assert metrics["efficiency"] * possible == pytest.approx(buyer + seller)
        else:
            assert "efficiency" not in metrics
        if "buyer_share" in metrics:
            assert metrics["buyer_share"] * (buyer + seller) == pytest.approx(buyer)
        else:
            assert buyer + seller == 0
    assert deals > 50


def test_accept_without_an_offer_is_refused_and_changes_nothing():
    world = Haggling(opening="buyer")
    for past in ([], [None], [offer(3), None]):
        turns = replay(world, past)
        seat, turn = the(turns)
        before = world.fingerprint()
        with pytest.raises(IllegalAction, match="no offer on the table"):
            world.step({seat: accept()})
        assert world.fingerprint() == before
        assert turn.action_mask["move"].tolist() == [1, 0, 1]
        assert turn.info["action_mask"]["move"].tolist() == [1, 0, 1]
        sampled = {int(turn.action_space.sample(mask=turn.action_mask)["move"]) for _ in range(40)}
        assert sampled == {OFFER, QUIT}


def test_an_offer_stands_for_one_move_only():
    world = Haggling(opening="buyer")
    seat, turn = the(replay(world, [offer(3), offer(9)]))
    assert (seat, turn.observation["offer"].tolist()) == ("buyer", [9])
    seat, turn = the(replay(world, [offer(3), offer(9), None]))
    assert (seat, turn.observation["on_table"]) == ("seller", 0)


def test_a_fault_says_nothing_and_the_clock_runs_out():
    world = Haggling(rounds=2, opening="seller")
    turns = replay(world, [offer(9, "hello"), None])
    assert the(turns)[1].observation["words"] == ""
    assert replay(world, [None] * 4) == {}
    assert world.outcome.returns == {"buyer": 0.0, "seller": 0.0}
    assert "no deal within 2 rounds" in world.outcome.reason


def test_words_and_turns_left_reach_the_other_side():
    world = Haggling(rounds=3, opening="seller")
    left = []
    turns = world.reset(1)
    for i in range(6):
        seat, turn = the(turns)
        left.append((seat, turn.observation["rounds_left"], turn.observation["opened"]))
        assert turn.observation["words"] == ("" if i == 0 else f"word {i - 1}")
        turns = world.step({seat: offer(5, f"word {i}")})
    assert left == [
        ("seller", 3, 1), ("buyer", 3, 0), ("seller", 2, 1),
        ("buyer", 2, 0), ("seller", 1, 1), ("buyer", 1, 0),
    ]  # fmt: skip


def test_who_waits_sees_how_many_moves_it_will_still_have():
    world = Haggling(rounds=2, opening="seller")
    world.reset(0)
    left = []
    for _ in range(4):
        world.step({world.actors()[0]: None})
        left.append(tuple(world.observe(seat)["rounds_left"] for seat in ("seller", "buyer")))
    assert left == [(1, 2), (1, 1), (0, 1), (0, 0)]


def test_a_seat_sees_nothing_of_the_others_secret():
    seen = []
    for value in (8, 19):
        world = Haggling(values=(value,), costs=(7,), opening="buyer")
        _, turn = the(replay(world, [offer(3, "hm")]))
        rules = world.seats["seller"].rules
        seen.append((repr(turn.observation), turn.text, turn.schema, turn.action_space, rules))
    assert seen[0] == seen[1]


def test_goods_left_out_stay_with_the_seller():
    world = Haggling(goods=2, values=(10, 10), costs=(4, 4), max_price=12, opening="buyer")
    replay(world, [offer(np.array([6, 13])), {**accept(), "price": np.array([0, 0])}])
    assert world.outcome.returns == {"buyer": 4.0, "seller": 2.0}
    assert world.outcome.metrics["efficiency"] == 0.5
    replay(world, [offer(np.array([13, 13])), {**accept(), "price": np.array([0, 0])}])
    assert world.outcome.metrics["agreement"] == 0.0


def test_equal_seeds_give_equal_bytes_and_seeds_matter():
    def trace(seed):
        world = Haggling(goods=2)
        turns, prints = world.reset(seed), []
        while turns:
            seat, turn = the(turns)
            turn.action_space.seed(3)
            turns = world.step({seat: turn.action_space.sample(mask=turn.action_mask)})
            prints.append(world.fingerprint())
        return prints

    assert trace(5) == trace(5)
    assert len({trace(seed)[0] for seed in range(20)}) == 20
    openers = {the(Haggling().reset(seed))[0] for seed in range(20)}
    assert openers == {"buyer", "seller"}


def test_given_secrets_leave_the_other_draws_of_a_seed_alone():
    opener = [the(Haggling().reset(seed))[0] for seed in range(10)]
    assert [the(Haggling(values=[9], costs=[2]).reset(seed))[0] for seed in range(10)] == opener


def test_a_match_can_be_pickled_and_copied_in_the_middle():
    world = Haggling(opening="buyer")
    replay(world, [offer(3)])
    for twin in (pickle.loads(pickle.dumps(world)), copy.deepcopy(world)):
        assert twin.fingerprint() == world.fingerprint()
        assert twin.step({"seller": accept()}) == {}
        assert twin.outcome.metrics["agreement"] == 1.0
    assert the(world.step({"seller": offer(9)}))[0] == "buyer"


def test_a_spectator_reads_the_whole_haggle():
    world = Haggling(values=(14,), costs=(6,), opening="seller")
    assert "not begun" in world.render()
    replay(world, [offer(12, "Fine lamp."), offer(7), accept()])
    assert 'seller offers 12: "Fine lamp."' in world.render()
    assert "The buyer earns 7, the seller 1." in world.render()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"goods": 0}, "goods=0"),
        ({"goods": True}, "goods=True"),
        ({"rounds": 1.5}, "rounds=1.5"),
        ({"opening": "byer"}, "'buyer'"),
        ({"value_range": [9, 3]}, "lowest, highest"),
        ({"values": [1, 2]}, "list of 1"),
        ({"costs": "7"}, "costs='7'"),
        ({"max_price": 0}, "max_price=0"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(params, named):
    with pytest.raises(UsageError, match="haggling-v0") as refused:
        Haggling(**params)
    assert named in str(refused.value)


def test_returns_stay_in_the_declared_range():
    world = Haggling(values=(3,), costs=(9,), max_price=12, opening="buyer")
    low, high = world.return_range
    for price in range(13):
        replay(world, [offer(price), accept()])
        assert all(low <= value <= high for value in world.outcome.returns.values())
    assert (low, high) == (-9.0, 3.0)
