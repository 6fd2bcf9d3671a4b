"""The bots of Coop Mining, Gift, Mushrooms and Matrix Arena do what their names promise."""

from __future__ import annotations

import pytest

from gymposium.agents.registry import resolve
from gymposium.errors import UsageError

from .table import Table


def metrics(world, *bots, horizon=400, **params):
    table = Table(world, bots, horizon=horizon, **params).play()
    return table, table.world.outcome.metrics


def test_iron_miners_strike_no_gold_and_gold_miners_no_iron():
    _, iron = metrics("coop_mining-v0", *["iron_miner"] * 6)
    _, gold = metrics("coop_mining-v0", *["gold_miner"] * 6)
    assert iron["iron_mined"] > 10
    assert iron["gold_mined"] == 0
    assert gold["iron_mined"] == 0
    assert gold["gold_mined"] > 3


def test_a_helpful_miner_never_begins_with_gold_but_joins():
    _, alone = metrics("coop_mining-v0", *["helpful_miner"] * 6)
    assert alone["gold_mined"] == 0
    table, mixed = metrics("coop_mining-v0", *["helpful_miner"] * 5, "gold_miner", horizon=800)
    assert mixed["gold_mined"] > 0
    assert table.tally("RETURN")[:5].max() > 8


def test_keepers_give_nothing_and_givers_end_with_more():
    _, keepers = metrics("gift-v0", *["token_keeper"] * 6)
    _, givers = metrics("gift-v0", *["token_giver"] * 6)
    assert keepers["gifts"] == 0
    assert keepers["consumed"] > 20
    assert givers["gifts"] > 10
    assert givers["consumed"] > 1.5 * keepers["consumed"]


def test_a_reciprocator_gives_only_once_it_has_been_given():
    _, among = metrics("gift-v0", *["token_reciprocator"] * 6)
    assert among["gifts"] == 0
    given = []
    table = Table("gift-v0", ["token_reciprocator"] * 3 + ["token_giver"] * 3, horizon=600)

    def note(turns, actions):
        given.extend(seat for seat in ("agent_0", "agent_1", "agent_2") if actions[seat] == 7)

    table.play(look=note)
    assert given


@pytest.mark.parametrize(
    ("bot", "kind"),
    [("selfish_picker", "red"), ("fair_picker", "green"), ("generous_picker", "blue")],
)
def test_pickers_eat_their_own_kind_only(bot, kind):
    _, eaten = metrics("mushrooms-v0", *[bot] * 5)
    counts = {name: eaten[f"eaten_{name}"] for name in ("red", "green", "blue", "orange")}
    assert counts.pop(kind) > 5
    assert sum(counts.values()) <= 1  # one may grow under a foot


def test_the_selfish_live_off_the_generous_and_badly_off_each_other():
    among, _ = metrics("mushrooms-v0", *["selfish_picker"] * 5)
    guest, _ = metrics("mushrooms-v0", "selfish_picker", *["generous_picker"] * 4)
    returns = guest.tally("RETURN")
    assert returns[0] > 2 * returns[1:].max()
    assert returns[0] > 5 * among.tally("RETURN").max()


def test_gatherers_bring_what_they_say_to_their_meetings():
    share = {
        bot: metrics("matrix_arena-v0", *[bot] * 8)[1]
        for bot in ("cooperative_gatherer", "mixed_gatherer", "selfish_gatherer")
    }
    assert all(found["meetings"] > 5 for found in share.values())
    assert share["cooperative_gatherer"]["first_share"] > 0.7
    assert share["selfish_gatherer"]["first_share"] < 0.3
    assert 0.3 < share["mixed_gatherer"]["first_share"] < 0.7


def test_defection_pays_among_cooperators_and_costs_all():
    mixed, _ = metrics("matrix_arena-v0", "selfish_gatherer", *["cooperative_gatherer"] * 7)
    fair, _ = metrics("matrix_arena-v0", *["cooperative_gatherer"] * 8)
    greedy, _ = metrics("matrix_arena-v0", *["selfish_gatherer"] * 8)
    returns = mixed.tally("RETURN")
    assert returns[0] > returns[1:].mean()
    assert fair.tally("RETURN").sum() > greedy.tally("RETURN").sum()


@pytest.mark.parametrize("spec", ["token_reciprocator?memory=0", "mixed_gatherer?amount=0"])
def test_nonsense_parameters_are_refused(spec):
    with pytest.raises(UsageError, match="whole number from 1"):
        resolve(f"scripted:{spec}").create()
