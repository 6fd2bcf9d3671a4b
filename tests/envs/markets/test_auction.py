"""auction-v0 against its plain twin and what auction theory proves."""

from __future__ import annotations

import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from gymposium.agents.scripted.markets import BOTS
from gymposium.envs.markets.auction import FORMATS, Auction
from gymposium.errors import IllegalAction, UsageError

from ...oracles.auction_twin import first_price_payoff, payoffs, winners


def bids_of(world, bids):
    return dict(zip(world.seats, bids, strict=True))


def one_round(world, bids, seed=0):
    world.reset(seed)
    world.step(bids_of(world, bids))
    return list(world.outcome.returns.values())


def play(world, name, seed):
    bots = {seat: BOTS[name]() for seat in world.seats}
    for seat, bot in bots.items():
        bot.reset(world.seats[seat], 0)
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: bots[seat].act(turn) for seat, turn in turns.items()})
    return world.outcome


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("bidders", [2, 3, 5])
def test_random_play_with_faults_is_what_the_twin_computes(format, bidders):
    world = Auction(format=format, bidders=bidders, rounds=6, max_value=6, max_bid=8)
    rng = np.random.default_rng(bidders)
    for seed in range(40):
        turns, total, paid = world.reset(seed), np.zeros(bidders), 0.0
        worth = best = topped = 0
        while turns:
            values = [turn.observation["value"] for turn in turns.values()]
            bids = [None if rng.random() < 0.2 else int(rng.integers(9)) for _ in turns]
            turns = world.step(bids_of(world, bids))
            seen = [world.observe(seat) for seat in world.seats]
            won = [i for i, view in enumerate(seen) if view["won"]]
            leaders = winners(bids)
            assert len(won) == bool(leaders)
            assert set(won) <= set(leaders)
            winner = won[0] if won else None
            gains = payoffs(format, values, bids, winner)
            assert list(world.rewards.values()) == gains
            assert {view["winning_bid"] for view in seen} == {bids[winner] if won else -1}
            total += gains
            paid += (values[winner] if won else 0) - sum(gains)
            worth, best = worth + (values[winner] if won else 0), best + max(values)
            topped += bool(won) and values[winner] == max(values)
        assert list(world.outcome.returns.values()) == total.tolist()
        assert world.outcome.metrics["revenue"] == pytest.approx(paid / 6)
        assert world.outcome.metrics["efficiency"] == pytest.approx(worth / best)
        assert world.outcome.metrics["highest_value_won"] == pytest.approx(topped / 6)


@pytest.mark.parametrize(("bidders", "top"), [(2, 6), (3, 4)])
def test_truth_is_weakly_dominant_in_the_second_price_auction(bidders, top):
    grid = range(top + 1)
    beaten = 0
    for value in grid:
        world = Auction(
            format="second-price",
            bidders=bidders,
            rounds=1,
            max_value=top,
            values=(value,) + (0,) * (bidders - 1),
        )
        for others in itertools.product(grid, repeat=bidders - 1):
            for seed in range(2):  # whichever way ties fall
                truth = one_round(world, (value, *others), seed)[0]
                for bid in grid:
                    gain = one_round(world, (bid, *others), seed)[0]
                    assert gain <= truth
                    beaten += gain < truth
    assert beaten > 0


@pytest.mark.parametrize("bidders", [2, 3, 5])
@pytest.mark.parametrize("top", [20, 50])
def test_shading_is_the_best_reply_to_itself_in_the_first_price_auction(bidders, top):
    # In whole money the textbook's (n-1)/n v is an equilibrium up to rounding. The exact regret
    # (enumerated: every value, every bid) is below half a unit of money, at both grid sizes.
    world = Auction(bidders=bidders, max_value=top)
    bot = BOTS["shaded_bidder"]()
    bot.reset(world.seats["bidder_0"], 0)
    info = world.reset(0)["bidder_0"].info
    table = [int(bot._bid(value, info) + 1e-9) for value in range(top + 1)]
    for value in range(top + 1):
        gains = [
            first_price_payoff(value, bid, bidders - 1, table.__getitem__, top)
            for bid in range(top + 1)
        ]
        assert max(gains) - gains[table[value]] < 0.5
    truthful = [first_price_payoff(top, bid, bidders - 1, int, top) for bid in range(top + 1)]
    assert max(truthful) - truthful[top] > 0.5  # the tolerance does tell a bad strategy apart


def test_the_worlds_first_price_payoffs_agree_with_exact_expectation():
    value, bid, top = 15, 9, 20
    exact = float(first_price_payoff(value, bid, 2, lambda v: 2 * v // 3, top))
    rng = np.random.default_rng(1)
    gains = []
    for seed in range(3000):
        others = rng.integers(top + 1, size=2).tolist()
        world = Auction(bidders=3, rounds=1, max_value=top, values=(value, *others))
        gains.append(one_round(world, (bid, *(2 * v // 3 for v in others)), seed)[0])
    error = np.std(gains) / len(gains) ** 0.5
    assert abs(np.mean(gains) - exact) < 4 * error


def test_equilibrium_revenue_is_the_same_in_all_formats():
    # Revenue equivalence, on common values: (n-1)/(n+1) of the top each. Bids are rounded down, by
    # less than a unit each, so first-price may miss up to 1 and all-pay up to 3 units.
    rounds, top, bidders = 4000, 1000, 3
    revenue, slack = {}, {"first-price": 1, "second-price": 0, "all-pay": bidders}
    for format in FORMATS:
        world = Auction(format=format, bidders=bidders, rounds=rounds, max_value=top)
        outcome = play(world, "equilibrium_bidder", seed=11)
        paid = np.array(
            [sum(payoffs_paid(format, bids, winner)) for bids, winner, _ in world._history]
        )
        assert outcome.metrics["revenue"] == pytest.approx(paid.mean())
        assert outcome.metrics["efficiency"] > 0.999
        revenue[format] = paid
    theory = top * (bidders - 1) / (bidders + 1)
    for format, paid in revenue.items():
        error = 4 * paid.std() / rounds**0.5
        assert -error - slack[format] < paid.mean() - theory < error
    gap = revenue["first-price"] - revenue["all-pay"]
    assert -4 * gap.std() / rounds**0.5 - 1 < gap.mean() < 4 * gap.std() / rounds**0.5 + 3


def payoffs_paid(format, bids, winner):
    return [-gain for gain in payoffs(format, [0] * len(bids), list(bids), winner)]


@pytest.mark.parametrize("format", FORMATS)
def test_a_fault_never_gains_over_any_legal_bid_of_nothing(format):
    world = Auction(format=format, bidders=2, rounds=3, max_value=3)
    for seed in range(30):
        for bids in itertools.product([None, 0, 1, 3], repeat=3):
            returns = []
            for mine in (0, None):
                world.reset(seed)
                for bid in bids:
                    world.step({"bidder_0": mine, "bidder_1": bid})
                returns.append(world.outcome.returns["bidder_0"])
            assert returns[1] == 0.0 <= returns[0]


def test_a_fault_does_not_disturb_the_luck_of_later_rounds():
    world = Auction(bidders=3, rounds=4, max_value=5)
    for seed in range(20):
        tails = []
        for first in (0, None):
            world.reset(seed)
            world.step({"bidder_0": first, "bidder_1": 0, "bidder_2": 0})
            values = [world.observe(seat)["value"] for seat in world.seats]
            world.step(dict.fromkeys(world.seats, 2))
            tails.append((values, [world.observe(seat)["won"] for seat in world.seats]))
        assert tails[0] == tails[1]


def test_ties_are_won_by_each_with_equal_chance():
    world = Auction(bidders=4, rounds=2000, max_value=5)
    world.reset(3)
    wins = np.zeros(4)
    for _ in range(2000):
        world.step({"bidder_0": 2, "bidder_1": 1, "bidder_2": 2, "bidder_3": 2})
        wins += [world.observe(seat)["won"] for seat in world.seats]
    assert wins[1] == 0
    assert chisquare(wins[[0, 2, 3]]).pvalue > 0.001


def test_a_higher_value_and_a_lower_price_are_better():
    returns = [
        one_round(Auction(bidders=2, rounds=1, values=(value, 0)), (5, 3))[0]
        for value in (5, 9, 20)
    ]
    assert returns == [0, 4, 15]
    world = Auction(bidders=2, rounds=1, values=(9, 0))
    assert [one_round(world, (bid, 3))[0] for bid in (4, 5, 6)] == [5, 4, 3]


def test_values_can_be_given_for_all_rounds_or_round_by_round():
    world = Auction(bidders=2, rounds=2, values=[[1, 2], [3, 4]])
    told = [[turn.observation["value"] for turn in world.reset(0).values()]]
    turns = world.step(dict.fromkeys(world.seats, 0))
    told.append([turn.observation["value"] for turn in turns.values()])
    assert told == [[1, 2], [3, 4]]


def test_a_bidder_sees_only_its_own_value():
    seen = []
    for other in (0, 20):
        world = Auction(bidders=2, rounds=2, values=(9, other))
        turn = world.reset(0)["bidder_0"]
        seen.append((turn.observation, turn.text, dict(turn.info), world.seats["bidder_0"].rules))
    assert seen[0] == seen[1]


def test_equal_seeds_give_equal_bytes_and_seeds_matter():
    def trace(seed):
        world = Auction()
        turns, prints = world.reset(seed), [world.fingerprint()]
        while turns:
            turns = world.step({s: t.observation["value"] // 2 for s, t in turns.items()})
            prints.append(world.fingerprint())
        return prints

    assert trace(4) == trace(4)
    assert len({trace(seed)[0] for seed in range(20)}) == 20
    assert len(set(trace(4))) == 6


def test_a_match_can_be_pickled_in_the_middle():
    world = Auction(rounds=2)
    world.reset(1)
    world.step(dict.fromkeys(world.seats, 3))
    twin = pickle.loads(pickle.dumps(world))
    for one in (world, twin):
        one.step(dict.fromkeys(world.seats, 3))
    assert twin.outcome == world.outcome
    assert twin.fingerprint() == world.fingerprint()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"format": "first price"}, "first-price"),
        ({"bidders": 1}, "bidders=1"),
        ({"rounds": "5"}, "rounds='5'"),
        ({"max_bid": 0}, "max_bid=0"),
        ({"values": [1]}, "list of 3"),
        ({"values": [[1, 2, 3]]}, "rows"),
        ({"values": [1, 2, 99]}, "99"),
    ],
)
def test_a_bad_parameter_is_refused_by_name(params, named):
    with pytest.raises(UsageError, match="auction-v0") as refused:
        Auction(**params)
    assert named in str(refused.value)


WORLD = Auction()
TURN = WORLD.reset(0)["bidder_0"]


def read(text):
    return WORLD.parse("bidder_0", text, TURN.observation, TURN.info)


@pytest.mark.parametrize(
    "text",
    ["12", "$12", "12.", "**12**", "I bid 12.", "Bid: 12", '{"bid": 12}', '{"bid": "$12"}',
     '{"action": 12}', '{"action": {"bid": 12}}', "```json\n12\n```", "Answer: 12", '"12"',
     "My value is 18, so I bid 12.", "<think>18?</think> 12", "12 dollars", "bid=12", "12.0"],
)  # fmt: skip
def test_a_bid_in_many_dresses(text):
    assert read(text) == 12


@pytest.mark.parametrize(
    "text",
    ["", "high", "21", "-1", "12.5", "bid 12.5", "I bid $12.50.", "10 or 12",
     '{"bid": null}', '{"bid": true}', "9" * 5000,
     '{"bid": NaN}', '{"bid": [3]}', "{}", "nothing at all"],
)  # fmt: skip
def test_what_is_no_bid_is_refused_with_the_range(text):
    with pytest.raises(IllegalAction, match="from 0 to 20"):
        read(text)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from(["bid", "12", "$", "{", '"bid":', "}", "-", "1e9", "१"])).map(
            " ".join
        ),
    )
)
def test_any_text_is_a_legal_bid_or_an_illegal_action_error(text):
    try:
        bid = read(text)
    except IllegalAction:
        return
    assert TURN.action_space.contains(bid)


def test_every_bid_round_trips_and_fits_the_schema():
    for bid in range(21):
        text = WORLD.format("bidder_0", bid)
        assert read(text) == bid
    assert TURN.schema["minimum"] == 0
    assert TURN.schema["maximum"] == 20
    assert json.dumps(TURN.schema)


@pytest.mark.parametrize("format", FORMATS)
def test_rules_text_and_render_tell_the_story(format):
    world = Auction(format=format, bidders=2, rounds=2, values=(9, 4))
    assert "not begun" in world.render()
    turn = world.reset(0)["bidder_0"]
    assert "1 other bidder" in world.seats["bidder_0"].rules
    assert turn.text == "Rounds left: 2.\nThe good on sale now is worth 9 to you."
    turn = world.step({"bidder_0": 6, "bidder_1": 3})["bidder_0"]
    price = 3 if format == "second-price" else 6
    assert f"you won; the winning bid was 6, the price {price}" in turn.text
    turn = world.observe("bidder_1")
    assert "you did not win" in world.describe("bidder_1", turn, {})
    world.step({"bidder_0": None, "bidder_1": None})
    assert "nothing was sold" in world.describe("bidder_0", world.observe("bidder_0"), {})
    assert "not sold" in world.render()
