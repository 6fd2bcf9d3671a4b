"""Residents of the town and reviewers of the conference do what their summaries say."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.agents.scripted.societies import BOTS
from gymposium.errors import UnknownName, UsageError

WAYS = {
    "town_cooperator": (0, 0, 1),
    "town_defector": (1, 1, 1),
    "town_discriminator": (1, 0, 1),
    "town_slanderer": (1, 0, 2),
}
"""Deed towards one of ill repute, towards a stranger, and what is said."""


def test_every_bot_says_what_it_is():
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.summary.endswith(".")
        assert bot.worlds == (("town-v0",) if name in WAYS else ("conference-v0",))
    assert set(BOTS) == {*WAYS, *REVIEWERS}


@pytest.mark.parametrize("name", WAYS)
def test_it_stays_and_treats_others_by_their_repute(name):
    world = gymposium.make("town-v0", api="world", people=20, seats=1, places=4)
    bot = BOTS[name]()
    bot.reset(world.seats["resident_0"], 0)
    ill, unknown, say = WAYS[name]
    turns, home, met = world.reset(0), None, 0
    while turns:
        turn = turns["resident_0"]
        action = bot.act(turn)
        world.check("resident_0", action)
        seen = turn.observation
        if seen["phase"] == 1:
            met += 1
            act, said = divmod(action - 4, 3)
            assert said == say
            assert act == (ill if seen["opinion"] < 0 else unknown)
        else:
            home = seen["place"] if home is None else home
            assert action == home
        turns = world.step({"resident_0": action})
    assert met > 5


def test_a_stern_discriminator_wants_proof():
    world = gymposium.make("town-v0", api="world", people=4, seats=1, places=1)
    bot = BOTS["town_discriminator"](least=1)
    bot.reset(world.seats["resident_0"], 0)
    world.reset(0)
    turn = world.step({"resident_0": 0})["resident_0"]
    assert turn.observation["opinion"] == 0
    assert (bot.act(turn) - 1) // 3 == 1
    with pytest.raises(UsageError, match="least=9 must be"):
        BOTS["town_discriminator"](least=9)


def test_they_refuse_other_worlds():
    seat = gymposium.make("auction-v0", api="world").seats["bidder_0"]
    for bot in BOTS.values():
        with pytest.raises(UsageError, match=f"plays {bot.worlds[0]} only"):
            bot().reset(seat, 0)


REVIEWERS = {"honest_reviewer": 1.0, "shrinking_reviewer": 1 / 2.44, "snobbish_reviewer": None}
"""What of a reading each believes."""


@pytest.mark.parametrize("name", REVIEWERS)
@pytest.mark.parametrize("mechanism", ["ratings", "pairwise"])
def test_a_reviewer_judges_by_what_it_makes_of_its_reading(name, mechanism):
    world = gymposium.make("conference-v0", api="world", mechanism=mechanism, seats=1, years=2)
    bot = BOTS[name]()
    bot.reset(world.seats["reviewer_0"], 0)
    turns = world.reset(0)
    while turns:
        seen = turns["reviewer_0"].observation
        action = bot.act(turns["reviewer_0"])
        world.check("reviewer_0", action)
        share = REVIEWERS[name]
        values = [
            float(it[0] + it[2]) if share is None else float(it[0]) * share
            for it in (seen["first"], seen["second"])
        ]
        if mechanism == "pairwise":
            assert action == 10 + (values[1] > values[0])
        else:
            assert action + 1 == min(max(round(6.3 + 0.55 * values[0]), 1), 10)
        turns = world.step({"reviewer_0": action})


def test_shrinking_rates_better_than_taking_the_reading_as_it_is():
    earned = {}
    for name in ("honest_reviewer", "shrinking_reviewer"):
        world = gymposium.make("conference-v0", api="world", seats=1, years=6, load=60)
        bot = BOTS[name]()
        bot.reset(world.seats["reviewer_0"], 0)
        turns = world.reset(0)
        while turns:
            turns = world.step({"reviewer_0": bot.act(turns["reviewer_0"])})
        earned[name] = world.outcome.metrics["seat_accuracy"]
    assert earned["shrinking_reviewer"] > earned["honest_reviewer"]


def test_as_chair_it_chooses_what_it_was_told():
    world = gymposium.make("conference-v0", api="world", mechanism="chair", seats=1)
    turn = world.reset(0)["chair"]
    for index, mechanism in enumerate(("ratings", "pairwise", "hybrid")):
        bot = BOTS["honest_reviewer"](mechanism=mechanism)
        bot.reset(world.seats["chair"], 0)
        assert bot.act(turn) == index
    with pytest.raises(UnknownName, match="pairwise"):
        BOTS["honest_reviewer"](mechanism="pairs")
