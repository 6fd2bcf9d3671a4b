"""The market bots do what their summaries say."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gymposium.agents.scripted.markets import BOTS
from gymposium.envs.markets.auction import Auction
from gymposium.envs.markets.haggling import Haggling
from gymposium.errors import UsageError

BARGAINERS = [name for name, bot in BOTS.items() if "haggling-v0" in bot.worlds]
BIDDERS = [name for name, bot in BOTS.items() if "auction-v0" in bot.worlds]
WORLDS = {"haggling-v0": Haggling, "auction-v0": Auction}


def offers(name, seat, *, rounds=5, **params):
    """What a bot offers, turn by turn, while the other side says nothing."""
    world = Haggling(values=(16,), costs=(4,), rounds=rounds, opening=seat)
    bot = BOTS[name](**params)
    bot.reset(world.seats[seat], 0)
    turns, made = world.reset(0), []
    while turns:
        ((actor, turn),) = turns.items()
        action = bot.act(turn) if actor == seat else None
        if action:
            made.append(action["price"])
        turns = world.step({actor: action})
    return made


def bid(name, value, format, bidders, **params):
    world = Auction(format=format, bidders=bidders, values=(value,) * bidders, max_value=20)
    bot = BOTS[name](**params)
    bot.reset(world.seats["bidder_0"], 0)
    return bot.act(world.reset(0)["bidder_0"])


def test_every_bot_says_what_it_is():
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.summary.endswith(".")
        assert bot.worlds[0] in WORLDS
        assert bot.deterministic


@pytest.mark.parametrize("name", BARGAINERS)
@pytest.mark.parametrize("goods", [1, 3])
@pytest.mark.parametrize("rounds", [1, 4])
def test_bargainers_only_ever_make_legal_moves(name, goods, rounds):
    # max_price below the dearest cost: some goods cannot be sold at all.
    world = Haggling(goods=goods, rounds=rounds, max_price=9, cost_range=(0, 14))
    rng = np.random.default_rng(0)
    for seed in range(30):
        bots = {seat: BOTS[name](margin=int(rng.integers(3))) for seat in world.seats}
        for seat, bot in bots.items():
            bot.reset(world.seats[seat], seed)
        turns = world.reset(seed)
        while turns:
            ((seat, turn),) = turns.items()
            turns = world.step({seat: bots[seat].act(turn) if rng.random() < 0.8 else None})
        assert min(world.outcome.returns.values()) >= 0


def test_the_linear_bargainer_concedes_in_equal_steps_to_its_limit():
    assert offers("linear_bargainer", "buyer") == [0, 4, 8, 12, 16]
    assert offers("linear_bargainer", "seller") == [20, 16, 12, 8, 4]
    assert offers("linear_bargainer", "buyer", margin=4) == [0, 3, 6, 9, 12]


def test_boulware_holds_out_and_conceder_gives_in():
    boulware = offers("boulware_bargainer", "buyer")
    conceder = offers("conceder_bargainer", "buyer")
    linear = offers("linear_bargainer", "buyer")
    assert boulware[0] == linear[0] == conceder[0] == 0
    assert boulware[-1] == linear[-1] == conceder[-1] == 16
    assert all(b < m < c for b, m, c in zip(boulware, linear, conceder, strict=True) if 0 < m < 16)


def test_the_firm_bargainer_names_one_price():
    assert offers("firm_bargainer", "buyer") == [8] * 5
    assert offers("firm_bargainer", "seller") == [12] * 5


def test_the_reciprocal_bargainer_mirrors_concessions():
    world = Haggling(values=(16,), costs=(4,), opening="seller")
    bot = BOTS["reciprocal_bargainer"]()
    bot.reset(world.seats["buyer"], 0)
    turns, answers = world.reset(0), []
    for asked in (20, 14, 14, 19):
        turns = world.step({"seller": {"move": 0, "price": asked, "say": ""}})
        action = bot.act(turns["buyer"])
        answers.append(action["price"])
        turns = world.step({"buyer": action})
    assert answers == [0, 6, 6, 3]


@pytest.mark.parametrize("name", BARGAINERS)
def test_a_bargainer_takes_an_offer_better_than_its_own(name):
    world = Haggling(values=(16,), costs=(4,), opening="seller")
    bot = BOTS[name]()
    bot.reset(world.seats["buyer"], 0)
    world.reset(0)
    turn = world.step({"seller": {"move": 0, "price": 0, "say": ""}})["buyer"]
    assert bot.act(turn)["move"] == 1


@pytest.mark.parametrize(
    ("name", "format", "expected"),
    [
        ("truthful_bidder", "first-price", 12),
        ("shaded_bidder", "first-price", 8),
        ("shaded_bidder", "second-price", 8),
        ("equilibrium_bidder", "first-price", 8),
        ("equilibrium_bidder", "second-price", 12),
        ("equilibrium_bidder", "all-pay", 2),  # 12 (12/20)^2 2/3 = 2.88
    ],
)
def test_bidders_follow_the_textbook(name, format, expected):
    assert bid(name, 12, format, bidders=3) == expected


def test_the_shade_can_be_chosen():
    assert bid("shaded_bidder", 12, "first-price", 3, shade=0.5) == 6
    assert bid("shaded_bidder", 12, "first-price", 3, shade=0) == 0


@pytest.mark.parametrize("name", BIDDERS)
def test_bidders_stay_within_the_highest_bid(name):
    world = Auction(max_value=20, max_bid=3, values=(20, 20, 20))
    bot = BOTS[name]()
    bot.reset(world.seats["bidder_0"], 0)
    turn = world.reset(0)["bidder_0"]
    assert turn.action_space.contains(bot.act(turn))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("linear_bargainer", {"beta": 0}),
        ("linear_bargainer", {"margin": -1}),
        ("firm_bargainer", {"concession": 2}),
        ("shaded_bidder", {"shade": 1.5}),
    ],
)
def test_a_bad_parameter_is_refused(name, params):
    with pytest.raises(UsageError, match=next(iter(params))):
        BOTS[name](**params)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_in_the_wrong_world_says_so(name):
    other = Auction() if name in BARGAINERS else Haggling()
    seat = next(iter(other.seats.values()))
    with pytest.raises(UsageError, match="only"):
        BOTS[name]().reset(seat, 0)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_pickles_and_starts_fresh_at_reset(name):
    world = WORLDS[BOTS[name].worlds[0]](**({"opening": "buyer"} if name in BARGAINERS else {}))
    seat = next(iter(world.seats))
    bot = BOTS[name]()
    answers = []
    for _ in range(2):
        bot.reset(world.seats[seat], 0)
        first = bot.act(world.reset(5)[seat])
        answers.append(first)
        bot = pickle.loads(pickle.dumps(bot))
    assert answers[0] == answers[1]
