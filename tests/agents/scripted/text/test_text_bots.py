"""Background populations of the contest do what their names say, shown by playing them."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.text.bots import BOTS, TEXT
from gymposium.agents.scripted.text.parts import PARTS
from gymposium.envs import registry
from gymposium.errors import UsageError

COOPERATOR, DEFECTOR = "text_cooperator", "text_defector"
KIND = (COOPERATOR, "text_reciprocator", "text_punisher")


def play(id, seed, bots, **params):
    """One match of a world; ``bots`` are dealt round its seats. The world after it."""
    world = registry.make_world(id, **params)
    agents = {}
    for number, (seat, told) in enumerate(world.seats.items()):
        bot = bots[number % len(bots)]
        agents[seat] = resolve(bot if bot == "random" else f"scripted:{bot}").create()
        agents[seat].reset(told, 100 * seed + number)
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
    return world


def measured(metric, id, bots, seeds=8, **params):
    return np.mean(
        [play(id, seed, bots, **params).outcome.metrics[metric] for seed in range(seeds)]
    )


@pytest.mark.parametrize("name", sorted(BOTS))
@pytest.mark.parametrize("id", TEXT)
def test_a_bot_plays_every_preset_of_every_text_world_by_the_rules(name, id):
    for preset in registry.spec(id).presets.values():
        for supporting in ("rule", "seat"):
            play(id, 1, [name], **{**preset, "supporting": supporting, "letters": 40})


def test_every_role_of_every_text_world_has_a_part():
    roles = set()
    for id in TEXT:
        for preset in registry.spec(id).presets.values():
            world = registry.make_world(id, **{**preset, "supporting": "seat"})
            roles |= {told.role for told in world.seats.values()}
    assert roles == set(PARTS)


def test_a_bot_refuses_another_world():
    seat = registry.make_world("haggling-v0").seats["buyer"]
    with pytest.raises(UsageError, match="another world's"):
        resolve("scripted:text_cooperator").create().reset(seat, 0)


@pytest.mark.parametrize("kind", KIND)
@pytest.mark.parametrize(
    ("id", "params"),
    [
        ("reality_show-v0", {"game": "prisoners-dilemma"}),
        ("reality_show-v0", {"game": "stag-hunt", "players": 4}),
        ("labor_action-v0", {"rules": "v2"}),
        ("labor_action-v0", {"skin": "coal"}),
        ("pub_coordination-v0", {"pubs": 3}),
        ("pub_coordination-v0", {"closure": 1.0}),
        ("text_haggling-v0", {}),
        ("text_haggling-v0", {"goods": 3, "top": 6}),
        ("state_formation-v0", {}),
    ],
)
def test_among_their_own_the_kind_earn_more_than_defectors(kind, id, params):
    assert measured("welfare", id, [kind], **params) > measured("welfare", id, [DEFECTOR], **params)


def test_one_defector_among_cooperators_does_better_than_they_in_the_dilemma():
    world = play("reality_show-v0", 0, [DEFECTOR, COOPERATOR, COOPERATOR])
    returns = world.outcome.returns
    assert returns["player_0"] > returns["player_1"] == returns["player_2"]


def test_cooperators_never_defect_and_defectors_never_cooperate():
    assert measured("cooperation", "reality_show-v0", [COOPERATOR]) == 1
    assert measured("cooperation", "reality_show-v0", [DEFECTOR]) == 0


def test_reciprocators_forgive_and_punishers_do_not():
    def kindness(bot):
        """Choices of two ``bot`` s, round by round, beside one who cooperates from the third on."""
        world = registry.make_world("reality_show-v0", talk=0, extra=4)
        bots = {seat: resolve(f"scripted:{bot}").create() for seat in ("player_1", "player_2")}
        other = resolve("scripted:text_defector").create()
        for seat, agent in {**bots, "player_0": other}.items():
            agent.reset(world.seats[seat], 0)
        turns, kept, number = world.reset(2), [], 0
        while turns:
            number += 1
            acts = {seat: bots[seat].act(turns[seat]) for seat in bots}
            kept.append(acts["player_1"]["choose"])
            if number < 3:  # two defect against one of the bots, then all is well
                acts["player_2"] = {"say": "", "choose": 1}
            acts["player_0"] = {"say": "", "choose": int(number < 3)}
            turns = world.step(acts)
        return kept

    reciprocal, punishing = kindness("text_reciprocator"), kindness("text_punisher")
    assert reciprocal[:3] == punishing[:3] == [0, 1, 1]
    assert reciprocal[-1] == 0
    assert set(punishing[1:]) == {1}


def test_a_warning_of_a_closed_door_reaches_cooperators_and_defectors_keep_it():
    at_door = {
        bot: measured("closed_door", "pub_coordination-v0", [bot], closure=1.0, stubborn=0)
        for bot in (COOPERATOR, DEFECTOR)
    }
    assert at_door[COOPERATOR] == 0
    assert at_door[DEFECTOR] > 0.2


def test_cooperative_workers_strike_until_the_raise_and_not_for_a_boss_who_never_gives_in():
    for rules, coins in (("v2", 2.75), ("contest", 3.5)):
        world = play("labor_action-v0", 0, [COOPERATOR], rules=rules)
        assert world.outcome.returns["player_0"] == pytest.approx(coins)
    busted = play("labor_action-v0", 0, [COOPERATOR], boss="busting", days=6, rules="v2")
    assert [sum(day) for day in busted._struck] == [3, 3, 0, 0, 0, 0]


def test_conditional_workers_do_not_strike_alone():
    for bot in ("text_reciprocator", "text_punisher"):
        world = play("labor_action-v0", 0, [bot, DEFECTOR, DEFECTOR], days=4)
        assert [day[0] for day in world._struck] == [1, 0, 0, 0]


def test_sellers_who_punish_refuse_what_cooperators_take():
    def agreement(seller):
        world = play("text_haggling-v0", 0, [DEFECTOR, seller], players=2, games=30)
        sold = [deal for it, deal in world._past if it.seller == "player_1"]
        return np.mean([deal is not None for deal in sold])

    assert agreement(COOPERATOR) > 0.3  # whenever the lowest price covers the cost
    assert agreement("text_punisher") == 0


def test_a_defecting_elder_lives_off_the_other_villages_warriors():
    both = play("state_formation-v0", 0, [COOPERATOR])
    assert both.outcome.metrics["treaties"] == both.outcome.metrics["persuaded"] == 1
    mixed = play("state_formation-v0", 0, [COOPERATOR, DEFECTOR])
    assert mixed.outcome.metrics["treaties"] == 0
