"""Payoffs of the five families against the published tables, closed forms and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.text_worlds.labor_action import pressure
from gymposium.envs.text_worlds.pub_coordination import night_out
from gymposium.envs.text_worlds.reality_show import payoffs
from gymposium.envs.text_worlds.state_formation import (
    LIKED,
    PLANS,
    Plan,
    effect,
    reasons_in,
    reasons_needed,
    year_worth,
)
from gymposium.envs.text_worlds.text_haggling import best_offer
from gymposium.envs.text_worlds.yardsticks import of_stage

from .telling import options, play


def choosing(picks):
    """Silent play that chooses what ``picks(seat, turn)`` names, or has the index of."""

    def answer(seat, turn):
        if not options(turn):
            return ""
        pick = picks(seat, turn)
        return {
            "say": "",
            "choose": options(turn).index(pick) if isinstance(pick, str) else int(pick),
        }

    return answer


# Reality show.


@pytest.mark.parametrize(
    ("game", "players", "totals"),
    [
        ("prisoners-dilemma", 3, [3, 5, 6, 6]),
        ("prisoners-dilemma", 4, [4, 7.5, 10, 11.5, 12]),
    ],
)
def test_totals_by_number_of_cooperators(game, players, totals):
    for count, total in enumerate(totals):
        assert sum(payoffs(game, [who < count for who in range(players)])) == total


@pytest.mark.parametrize(
    ("game", "all_cooperate", "all_defect"),
    [("prisoners-dilemma", 2, 1), ("chicken", 12, -2), ("stag-hunt", 11, 6)],
)
def test_three_of_one_mind(game, all_cooperate, all_defect):
    assert payoffs(game, [True] * 3) == [all_cooperate] * 3
    assert payoffs(game, [False] * 3) == [all_defect] * 3


@pytest.mark.parametrize(
    ("game", "gain"),
    [
        ("prisoners-dilemma", lambda others: 0.5 * others + 1),
        ("chicken", lambda others: 1.5 * others - 6),
        ("stag-hunt", lambda others: 3 - 3.5 * others),
        ("chicken-strict", lambda others: 2 * others - 3),
    ],
)
@pytest.mark.parametrize("players", [3, 4])
def test_what_defecting_gains_beside_so_many_cooperators(game, gain, players):
    for others in range(players):
        rest = [who < others for who in range(players - 1)]
        found = payoffs(game, [False, *rest])[0] - payoffs(game, [True, *rest])[0]
        assert found == pytest.approx(gain(others))


@pytest.mark.parametrize("players", [3, 4])
def test_strict_chicken_is_a_dilemma_and_the_contests_is_none(players):
    def nash(game):
        return of_stage(lambda it: payoffs(game, [not bad for bad in it]), [2] * players)

    loose, strict = nash("chicken"), nash("chicken-strict")
    assert loose.nash == loose.optimum  # all cooperate, and it is best for each
    assert strict.nash < strict.optimum
    everybody = payoffs("chicken-strict", [True] * players)
    assert sum(everybody) / players == strict.optimum


def test_a_season_has_five_to_seventeen_rounds_and_pays_the_table():
    lengths = set()
    for seed in range(60):
        world = registry.make_world("reality_show-v0")
        play(world, seed, choosing(lambda seat, turn: int(seat == "player_0")))
        rounds = world.outcome.metrics["rounds"]
        lengths.add(rounds)
        assert world.outcome.returns["player_0"] == rounds * 4.0  # 1.5 * 2 + 1
        assert world.outcome.returns["player_1"] == rounds * 1.0
    assert min(lengths) == 5
    assert max(lengths) <= 17
    assert len(lengths) > 6


# Pubs.


def together(people):
    """Everybody likes to be with all others."""
    return {one: [other for other in people if other != one] for one in people}


def test_a_night_among_friends():
    people = ("a", "b", "c")
    likes = {"a": 0, "b": 0, "c": 1}

    def worth(went, closed=-1):
        at = dict(zip(people, went, strict=True))
        return night_out(at, likes, together(people), closed)

    assert worth((0, 0, 0)) == {"a": 1.0, "b": 1.0, "c": 0.8}
    assert worth((0, 0, 0), closed=0) == {"a": 0, "b": 0, "c": 0}
    assert worth((0, 1, 1)) == {"a": 0, "b": 0.4, "c": 0.5}


def test_tough_friendship_is_worth_what_the_contest_says():
    likes, company = {"a": 0, "b": 1}, {"a": "ab", "b": "ab"}

    def own(mine, friends):
        return night_out({"a": mine, "b": friends}, likes, company, -1)["a"]

    assert own(1, 1) == 0.8
    assert own(0, 0) == 1.0
    assert own(0, 1) == 0.5
    assert own(1, 0) == pytest.approx(0.4)


def test_the_single_friend_of_the_first_person_likes_another_pub():
    for seed in range(20):
        world = registry.make_world("pub_coordination-v0", friendship="single", players=5)
        world.reset(seed)
        people = world.tale.people
        assert [it.id for it in world._bonds.of("player_0", people)] == ["player_1"]
        assert world._likes["player_0"] != world._likes["player_1"]
        assert len(world._bonds.of("player_1", people)) == len(people) - 1


def test_only_the_first_person_hears_that_a_pub_is_closed():
    world = registry.make_world("pub_coordination-v0", closure=1.0, games=2)
    course = play(world, 0, choosing(lambda seat, turn: 0))
    for turns in course:
        for seat, turn in turns.items():
            heard = turn.observation["facts"][2] >= 0
            assert heard == (seat == "player_0")
    told = [t.text for turns in course for t in turns.values() if "have heard that" in t.text]
    assert len(told) == 2


def test_stubborn_friends_go_where_they_like_whatever_is_said():
    for seed in range(5):
        world = registry.make_world("pub_coordination-v0", stubborn=3, games=2)
        play(world, seed, choosing(lambda seat, turn: 0))
        for _, went in world._night_worth:
            assert all(went[id] == world._likes[id] for id in world._friends)


def test_what_somebody_spoke_of_is_the_pub_named_last():
    world = registry.make_world("pub_coordination-v0")
    world.reset(0)
    first, second = (pub.name for pub in world._pubs)
    assert world._last_named(f"Not {first}, let us go to {second}!") == 1
    assert world._last_named(f"{second.upper()} is closed: {first.removeprefix('the ')}") == 0
    assert world._last_named("Anywhere.") == -1


# Haggling.


def test_profits_of_a_deal_sum_to_the_gain_whatever_the_price():
    for price in range(5):
        world = registry.make_world("text_haggling-v0", players=2, games=1)
        play(world, 1, choosing(lambda s, t, price=price: price if len(options(t)) == 5 else 0))
        (meeting, deal), *_ = world._past
        gain = meeting.values[0] - meeting.costs[0]
        assert deal == (0, price + 1)
        assert world.outcome.returns[meeting.buyer] == meeting.values[0] - price - 1
        assert sum(world.outcome.returns.values()) == gain == 2 * world.yardsticks.optimum


def test_refusing_pays_nobody():
    world = registry.make_world("text_haggling-v0")
    play(
        world,
        0,
        choosing(lambda seat, turn: len(options(turn)) - 1 if len(options(turn)) == 2 else 0),
    )
    assert set(world.outcome.returns.values()) == {0.0}


def test_in_the_strange_game_the_best_is_not_to_trade():
    world = registry.make_world("text_haggling-v0", values=[1, 1], costs=[6, 6], players=2, games=3)
    play(world, 0, choosing(lambda seat, turn: 0))
    assert sum(world.outcome.returns.values()) == -5 * 3
    assert world.yardsticks.optimum == world.yardsticks.nash == 0


def test_the_merchants_keep_to_their_rules():
    def deals(partner, price):
        world = registry.make_world("text_haggling-v0", players=1, partner=partner, games=20)
        pick = lambda s, t: price - 1 if len(options(t)) == 5 else 0  # noqa: E731
        play(world, 2, choosing(pick))
        bought = [deal for it, deal in world._past if it.buyer == "player_0"]
        sold = [deal for it, deal in world._past if it.seller == "player_0"]
        return set(bought), set(sold)

    assert deals("gullible", 1) == ({(0, 1)}, {(0, 3)})
    assert deals("stubborn", 4) == ({(0, 4)}, {(0, 4)})
    assert deals("stubborn", 3) == ({None}, {(0, 4)})


@pytest.mark.parametrize(
    ("value", "costs", "price"),
    [(5, (1, 2), 2), (6, (1, 2), 2), (2, (1, 5), 1), (6, (1, 5), 3), (6, (3, 3), 3)],
)
def test_the_best_single_offer_weighs_profit_and_chance(value, costs, price):
    low, high = costs
    chance = {p: np.mean([c <= p for c in range(low, high + 1)]) for p in range(1, 6)}
    best = max((value - p) * chance[p] for p in chance)
    assert (value - price) * chance[price] == best
    assert best_offer([value], costs, 5) == (0, price)


# Labour.


def days(world, plan):
    """Play with ``plan(seat, day)`` true for a strike; the returns."""
    pick = lambda seat, turn: int(plan(seat, int(turn.observation["facts"][1])))  # noqa: E731
    play(world, 0, choosing(pick))
    return world.outcome.returns


@pytest.mark.parametrize(
    ("skin", "rules", "work", "strike_once", "free_ride"),
    [
        ("railroad", "v2", 1.5, 2.75, 4.0),
        ("garment", "v2", 2.0, 4.5, 5.75),
        ("coal", "v2", 3.0, 6.6, 7.8),
        ("railroad", "contest", 2.25, 3.5, 4.75),
    ],
)
def test_coins_are_those_of_the_contest(skin, rules, work, strike_once, free_ride):
    def world():
        return registry.make_world("labor_action-v0", skin=skin, rules=rules)

    assert days(world(), lambda seat, day: False)["player_0"] == pytest.approx(work)
    assert days(world(), lambda s, day: day == 1)["player_0"] == pytest.approx(strike_once)
    rider = days(world(), lambda seat, day: day == 1 and seat != "player_0")
    assert rider["player_0"] == pytest.approx(free_ride)


def test_pressure_by_number_of_strikers():
    assert [pressure(n, 3, 0.5) for n in range(4)] == [0, 1, 2, 2]
    assert [pressure(n, 4, 0.45) for n in range(5)] == [0, 1, 2, 2, 2]


def test_bosses_keep_to_their_rules():
    def raised(boss, striking):
        world = registry.make_world("labor_action-v0", boss=boss, skin="garment", rules="v2")
        days(world, lambda seat, day: day in striking)
        return world.outcome.metrics["raised"]

    assert raised("fixed-rule", {1}) == 1
    assert raised("fixed-rule", set()) == 0
    assert raised("fixed-rule", {4}) == 0  # after the last day nobody decides
    assert raised("paranoid", {1}) == 0
    assert raised("paranoid", {1, 3}) == 0
    assert raised("paranoid", {1, 2}) == 1
    assert raised("busting", {1, 2, 3}) == 0


@pytest.mark.parametrize("boss", ["fixed-rule", "paranoid", "busting"])
@pytest.mark.parametrize("rules", ["contest", "v2"])
def test_in_the_worst_equilibrium_nobody_strikes(boss, rules):
    world = registry.make_world("labor_action-v0", boss=boss, rules=rules)
    idle = days(world, lambda seat, day: False)
    assert world.yardsticks.nash == pytest.approx(idle["player_0"])
    assert world.yardsticks.worst < world.yardsticks.nash <= world.yardsticks.optimum


# State formation.


def test_effects_and_gates_are_those_of_the_contest():
    assert effect(0) == 0
    assert effect(1) == pytest.approx(1)
    assert effect(0.5) == pytest.approx(0.733, abs=1e-3)
    assert effect(0.1423) == pytest.approx(0.25, abs=1e-3)
    assert effect(0.0560) == pytest.approx(0.1, abs=1e-3)
    assert effect(0.8017) == pytest.approx(0.935, abs=1e-3)


def test_the_best_year_without_and_with_a_treaty():
    thrifty = Plan("", 0.8015, 0.0561, 0.1424)
    alone = year_worth([[thrifty]] * 2, treaty=False)
    assert sum(worth for *_, worth in alone) == pytest.approx(1.870, abs=2e-3)
    guest = Plan("", 0.8576, 0.0, 0.1424)
    shared = year_worth([[thrifty], [guest]], treaty=True)
    assert sum(worth for *_, worth in shared) == pytest.approx(1.893, abs=2e-3)
    assert [fed for _, fed, _ in year_worth([[thrifty], [guest]], treaty=False)] == [True, False]


def test_any_gate_shut_is_worth_nothing():
    idle = PLANS[0]
    assert [worth for *_, worth in year_worth([[idle], [idle]], treaty=True)] == [0, 0]
    assert all(sum((plan.free, plan.farm, plan.train)) == pytest.approx(1) for plan in PLANS)


def test_reasons_are_words_and_plans_need_them():
    assert reasons_in("Let us REST, harvest and train.") == {"free", "farm", "train"}
    assert reasons_in("Forrest Armstrong") == set()
    liked, good = PLANS[LIKED["rest"]], PLANS[3]
    assert reasons_needed(liked, good) == {"train"} | {"farm"}
    assert reasons_needed(good, good) == set()


def test_a_judge_decides_whether_there_is_a_treaty():
    for ruling, holds in (("yes", 1), ("no", 0)):
        world = registry.make_world("state_formation-v0", years=1, judge=True)

        def answer(seat, turn, ruling=ruling):
            if not options(turn):
                return "We share the harvest."
            chosen = options(turn).index(ruling) if seat == "judge" else 0
            return {"say": "", "choose": chosen}

        play(world, 0, answer)
        assert world.seats["judge"].role == "judge"
        assert world.outcome.metrics["treaties"] == holds
        assert f"answers '{ruling}'" in world.render()
        assert world.outcome.returns["judge"] == 0


def test_no_verdict_of_a_judge_means_no():
    for seed in range(8):
        world = registry.make_world("state_formation-v0", years=2, judge=True)
        say_yes = lambda s, t: None if s == "judge" else {"say": "", "choose": 0}  # noqa: E731
        play(world, seed, say_yes)
        assert world.outcome.metrics["treaties"] == 0


def test_both_must_say_yes_for_a_treaty():
    for first, second in product(("yes", "no"), repeat=2):
        world = registry.make_world("state_formation-v0", years=1)
        said = {"player_0": first, "player_1": second}
        play(
            world,
            0,
            choosing(lambda seat, t, said=said: said[seat] if "yes" in options(t) else 0),
        )
        assert world.outcome.metrics["treaties"] == (first == second == "yes")
