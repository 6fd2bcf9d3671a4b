"""The residents of the town do what their summaries say."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.agents.scripted.societies import BOTS
from gymposium.errors import UsageError

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
        assert bot.worlds == ("town-v0",)
    assert set(BOTS) == set(WAYS)


@pytest.mark.parametrize("name", BOTS)
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
        if seen["partner"] >= 0:
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
        with pytest.raises(UsageError, match="plays town-v0 only"):
            bot().reset(seat, 0)
