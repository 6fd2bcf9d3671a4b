"""iterated_matrix-v0 against its plain twin, game theory, and its own promises."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.dilemmas.iterated_matrix import IteratedMatrix
from gymposium.errors import IllegalAction, UnknownName, UsageError

from ...oracles import matrix_twin as twin

CLASSICS = list(twin.TABLES)


def play(world, moves, seed=0):
    """Rewards per round when ``moves`` are played; the match may not be over."""
    turns, rewards = world.reset(seed), []
    for joint in moves:
        turns = world.step(dict(zip(turns, joint, strict=True)))
        rewards.append(list(world.rewards.values()))
    return rewards, turns


@pytest.mark.parametrize("game", CLASSICS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_random_play_with_faults_is_what_the_twin_computes(game, data):
    move = st.sampled_from([0, 1, None])
    moves = data.draw(st.lists(st.tuples(move, move), min_size=1, max_size=10))
    world = IteratedMatrix(game=game, rounds=len(moves))
    rewards, turns = play(world, moves)
    table = twin.TABLES[game]
    lowest = min(min(cell) for cell in table.values())
    assert turns == {}
    assert rewards == [twin.round_payoffs(table.__getitem__, joint, lowest) for joint in moves]
    assert list(world.outcome.returns.values()) == [
        sum(seat) for seat in zip(*rewards, strict=True)
    ]


@given(
    players=st.integers(2, 7),
    multiplier=st.sampled_from([0.5, 1.6, 2.0, 3.0]),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_public_goods_pay_what_the_twin_computes(players, multiplier, data):
    joint = data.draw(st.tuples(*[st.sampled_from([0, 1, None])] * players))
    world = IteratedMatrix(game="public-goods", players=players, multiplier=multiplier, rounds=1)
    rewards, _ = play(world, [joint])

    def pay(moves):
        return twin.public_goods(moves, multiplier)

    lowest = min(min(pay((0,) * k + (1,) * (players - k))) for k in range(players + 1))
    expected = twin.round_payoffs(pay, joint, lowest)
    assert rewards[0] == pytest.approx([float(value) for value in expected])


def counts(world):
    return [len(names) for names in world.game.labels]


def test_mutual_defection_is_the_only_equilibrium_of_the_prisoners_dilemma_and_is_worse():
    game = IteratedMatrix(game="prisoners-dilemma").game
    assert twin.pure_equilibria(game.pay, (2, 2)) == [(1, 1)]
    assert all(twin.strictly_dominant(game.pay, (2, 2), seat) == 1 for seat in (0, 1))
    assert all(a > b for a, b in zip(game.pay((0, 0)), game.pay((1, 1)), strict=True))
    assert 2 * game.pay((0, 0))[0] > sum(game.pay((0, 1)))  # taking turns does not pay


def test_the_stag_hunt_has_a_good_and_a_safe_equilibrium():
    game = IteratedMatrix(game="stag-hunt").game
    assert twin.pure_equilibria(game.pay, (2, 2)) == [(0, 0), (1, 1)]
    assert game.pay((0, 0)) > game.pay((1, 1))
    assert min(game.pay((1, other))[0] for other in (0, 1)) == game.pay((1, 1))[0]


def test_in_chicken_exactly_one_swerves():
    game = IteratedMatrix(game="chicken").game
    assert twin.pure_equilibria(game.pay, (2, 2)) == [(0, 1), (1, 0)]
    assert min(game.pay((1, 1))) == game.lowest
    assert twin.mixed_equilibrium(game.pay) == (Fraction(1, 2), Fraction(1, 2))


def test_the_sexes_want_to_meet_but_not_where():
    game = IteratedMatrix(game="battle-of-the-sexes").game
    assert twin.pure_equilibria(game.pay, (2, 2)) == [(0, 0), (1, 1)]
    assert game.pay((0, 0)) == game.pay((1, 1))[::-1]
    assert twin.mixed_equilibrium(game.pay) == (Fraction(3, 5), Fraction(2, 5))


def test_matching_pennies_is_zero_sum_and_only_half_and_half_is_safe():
    world = IteratedMatrix(game="matching-pennies")
    assert world.kind == "zero_sum"
    assert twin.pure_equilibria(world.game.pay, (2, 2)) == []
    assert twin.mixed_equilibrium(world.game.pay) == (Fraction(1, 2), Fraction(1, 2))
    assert [seat.role for seat in world.seats.values()] == ["matcher", "mismatcher"]


@pytest.mark.parametrize(("players", "multiplier"), [(2, 1.6), (4, 1.6), (5, 4.5)])
def test_keeping_is_dominant_in_public_goods_and_giving_is_better_for_all(players, multiplier):
    game = IteratedMatrix(game="public-goods", players=players, multiplier=multiplier).game
    assert game.kind == "mixed"
    for seat in range(players):
        assert twin.strictly_dominant(game.pay, [2] * players, seat) == 1
    assert twin.pure_equilibria(game.pay, [2] * players) == [(1,) * players]
    assert game.pay((0,) * players)[0] > game.pay((1,) * players)[0]


@pytest.mark.parametrize("game", [*CLASSICS, "public-goods"])
def test_a_fault_never_pays(game):
    world = IteratedMatrix(game=game)
    for others in ((0,), (1,)):
        faulty, _ = play(IteratedMatrix(game=game, rounds=1), [(None, *others)])
        for own in (0, 1):
            honest, _ = play(IteratedMatrix(game=game, rounds=1), [(own, *others)])
            assert faulty[0][0] <= honest[0][0]
        first, _ = play(IteratedMatrix(game=game, rounds=1), [(0, *others)])
        assert faulty[0][1] == first[0][1]
    assert f"{world.game.lowest:g}" in world.fault_rule
    assert world.seats["player_0"].fault_rule == world.fault_rule


def test_better_play_earns_more():
    returns = []
    for defections in range(11):
        moves = [(1 if r < defections else 0, 0) for r in range(10)]
        world = IteratedMatrix()
        play(world, moves)
        returns.append(world.outcome.returns["player_0"])
    assert returns == sorted(returns)
    assert len(set(returns)) == 11


def test_geometric_lengths_have_the_declared_distribution():
    p, n = 0.8, 4000
    lengths = Counter()
    world = IteratedMatrix(continuation=p, cap=30)
    for seed in range(n):
        turns, rounds = world.reset(seed), 0
        while turns:
            turns, rounds = world.step({"player_0": 0, "player_1": 0}), rounds + 1
        lengths[rounds] += 1
        assert world.ended == ((False, True) if "limit" in world.outcome.reason else (True, False))
    assert max(lengths) <= 30
    expected = [n * (1 - p) * p ** (k - 1) for k in range(1, 16)]
    expected.append(n - sum(expected))
    seen = [lengths[k] for k in range(1, 16)]
    seen.append(n - sum(seen))
    chi = sum((a - b) ** 2 / b for a, b in zip(seen, expected, strict=True))
    assert chi < 37.7  # the 0.1 % point of chi-square with 15 degrees of freedom
    assert lengths[30] == pytest.approx(n * p**29, abs=4 * math.sqrt(n * p**29) + 1)


def test_reaching_the_cap_is_a_truncation_and_the_last_fixed_round_an_end():
    world = IteratedMatrix(continuation=0.999999, cap=3)
    play(world, [(0, 0)] * 3)
    assert world.ended == (False, True)
    assert "limit of 3" in world.outcome.reason
    world = IteratedMatrix(rounds=3)
    play(world, [(0, 0)] * 3)
    assert world.ended == (True, False)


def test_nothing_seen_tells_the_hidden_length():
    long, short = IteratedMatrix(continuation=0.9), IteratedMatrix(continuation=0.9)
    by_length = {}
    for seed in range(30):
        long.reset(seed)
        by_length[long._length] = seed
    one, two = (world.reset(by_length[length]) for world, length in
                ((long, max(by_length)), (short, min(by_length))))  # fmt: skip
    for seat in one:
        assert one[seat].text == two[seat].text
        assert one[seat].info == two[seat].info
        assert long.seats[seat].rules == short.seats[seat].rules


def test_observations_show_oneself_first():
    world = IteratedMatrix(game="public-goods", players=3)
    _, turns = play(world, [(1, 0, None)])
    assert turns["player_0"].observation["last"].tolist() == [2, 1, 3]
    assert turns["player_1"].observation["last"].tolist() == [1, 3, 2]
    assert turns["player_2"].observation["last"].tolist() == [3, 2, 1]
    assert turns["player_2"].observation["round"] == 1


def test_words_tell_what_happened_with_the_payoffs_of_that_round():
    _, turns = play(IteratedMatrix(), [(0, 1)])
    assert turns["player_0"].text == (
        "Round 2 of 10. In the last round you chose cooperate, player_1 chose defect; "
        "you got 0, player_1 got 5. Choose: cooperate or defect."
    )
    _, turns = play(IteratedMatrix(), [(None, 1)])
    assert "you gave no legal answer (cooperate was played)" in turns["player_0"].text
    assert "player_0 gave no legal answer" in turns["player_1"].text
    assert "you got 5, player_0 got 0" in turns["player_1"].text


@pytest.mark.parametrize("game", CLASSICS)
def test_rules_spell_out_every_payoff_from_the_seats_own_side(game):
    world = IteratedMatrix(game=game)
    labels = world.game.labels
    for (first, second), (mine, theirs) in twin.TABLES[game].items():
        line = (
            f"you {labels[0][first]}, player_1 {labels[1][second]}: "
            f"you get {mine}, player_1 gets {theirs}"
        )
        assert line in world.seats["player_0"].rules
        line = (
            f"you {labels[1][second]}, player_0 {labels[0][first]}: "
            f"you get {theirs}, player_0 gets {mine}"
        )
        assert line in world.seats["player_1"].rules


# Talk.


def test_talk_is_heard_by_all_before_they_choose_and_binds_no_one():
    world = IteratedMatrix(talk=True, rounds=2)
    turns = world.reset(0)
    assert turns["player_0"].observation["phase"] == 0
    assert world.horizon == 4
    turns = world.step({"player_0": {"say": "I cooperate", "move": 0}, "player_1": None})
    assert turns["player_1"].observation["heard"] == ("", "I cooperate")
    assert "player_0 said: I cooperate" in turns["player_1"].text
    assert "You said nothing." in turns["player_1"].text
    assert turns["player_1"].observation["phase"] == 1
    turns = world.step({"player_0": {"say": "", "move": 1}, "player_1": {"say": "", "move": 0}})
    assert world.rewards == {"player_0": 5.0, "player_1": 0.0}
    assert turns["player_0"].observation["heard"] == ("", "")


def test_the_mask_opens_one_part_at_a_time():
    world = IteratedMatrix(talk=True)
    turn = world.reset(0)["player_0"]
    for _ in range(20):
        action = turn.action_space.sample(mask=turn.action_mask)
        assert action["move"] == 0
        world.check("player_0", action)
    with pytest.raises(IllegalAction, match="time to speak"):
        world.check("player_0", {"say": "", "move": 1})
    turn = world.step(dict.fromkeys(world.seats))["player_0"]
    for _ in range(20):
        action = turn.action_space.sample(mask=turn.action_mask)
        assert action["say"] == ""
        world.check("player_0", action)
    with pytest.raises(IllegalAction, match="time to choose"):
        world.check("player_0", {"say": "psst", "move": 1})


@pytest.mark.parametrize(
    ("said", "meant"),
    [("Trust me!", "Trust me!"), ('"Trust me!"', "Trust me!"), ("“Trust me!”", "Trust me!"),
     ('{"say": "Trust me!"}', "Trust me!"), ('{"action": "Trust me!"}', "Trust me!"),
     ("I say\nthis", "I say this"), ("", ""), ("cooperate", "cooperate"), ("{}", "{}")],
)  # fmt: skip
def test_messages_are_read_as_they_are_said(said, meant):
    world = IteratedMatrix(talk=True)
    turn = world.reset(0)["player_0"]
    assert world.parse("player_0", said, turn.observation, turn.info) == {"say": meant, "move": 0}


def test_choices_after_talk_are_read_as_choices():
    world = IteratedMatrix(talk=True)
    world.reset(0)
    turn = world.step(dict.fromkeys(world.seats))["player_0"]
    for said in ("defect", "b)", '{"move": "defect"}', '{"say": "ha", "move": "defect"}'):
        action = world.parse("player_0", said, turn.observation, turn.info)
        assert action == {"say": "", "move": 1}
        world.check("player_0", action)
    assert turn.schema == {"type": "string", "enum": ["cooperate", "defect"]}


@given(text=st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_message_is_said_or_refused(text):
    world = IteratedMatrix(talk=True, talk_length=50)
    turn = world.reset(0)["player_0"]
    try:
        action = world.parse("player_0", text, turn.observation, turn.info)
    except IllegalAction:
        return
    world.check("player_0", action)


# Games of one's own.


def test_any_matrix_can_be_played():
    rows, columns = 2, 3
    payoffs = [[[i * 10 + j, -j] for j in range(columns)] for i in range(rows)]
    world = IteratedMatrix(payoffs=payoffs, rounds=1)
    assert world.params.game == "custom"
    assert counts(world) == [2, 3]
    rewards, _ = play(world, [(1, 2)])
    assert rewards == [[12, -2]]
    assert world.game.labels == (("a", "b"), ("a", "b", "c"))


def test_three_seats_can_play_a_matrix_of_three_levels():
    payoffs = [[[[a + b + c, a, -c] for c in range(2)] for b in range(2)] for a in range(2)]
    world = IteratedMatrix(payoffs=payoffs, actions=[["x", "y"]] * 3, rounds=2)
    rewards, turns = play(world, [(1, 0, 1)])
    assert rewards == [[2, 1, -1]]
    assert "you chose y, player_1 chose x, player_2 chose y" in turns["player_0"].text


def test_the_kind_follows_from_the_payoffs():
    assert IteratedMatrix(payoffs=[[[1, 1], [0, 0]], [[0, 0], [2, 2]]]).kind == "cooperative"
    assert IteratedMatrix(payoffs=[[[2, 0], [1, 1]], [[0, 2], [2, 0]]]).kind == "zero_sum"
    assert IteratedMatrix().kind == "mixed"


def test_a_game_where_all_is_equal_is_playable():
    world = IteratedMatrix(payoffs=[[[1, 1], [1, 1]], [[1, 1], [1, 1]]], rounds=1)
    play(world, [(0, 1)])
    assert "efficiency" not in world.outcome.metrics


def test_metrics_are_what_they_are_called():
    world = IteratedMatrix(rounds=4)
    play(world, [(0, 0), (0, 1), (1, 1), (0, 0)])
    metrics = world.outcome.metrics
    assert metrics["rounds"] == 4
    assert metrics["welfare"] == (6 + 5 + 2 + 6) / 4
    assert metrics["efficiency"] == pytest.approx((19 / 4 - 2) / 4)
    assert metrics["rate_cooperate"] == 5 / 8
    assert metrics["rate_defect"] == 3 / 8


def test_numpy_integers_and_plain_ones_make_the_same_match():
    one, two = IteratedMatrix(), IteratedMatrix()
    play(one, [(0, 1), (1, 1)])
    play(two, [(np.int64(0), np.int64(1)), (np.int32(1), np.int8(1))])
    assert one.fingerprint() == two.fingerprint()


@pytest.mark.parametrize(
    ("params", "error", "hint"),
    [
        ({"game": "prisoner-dilema"}, UnknownName, "did you mean 'prisoners-dilemma'"),
        ({"game": "custom"}, UsageError, "needs payoffs"),
        ({"game": "chicken", "payoffs": [[[1, 1]]]}, UsageError, "must be custom"),
        ({"payoffs": [[1, 2], [3, 4]]}, UsageError, "nested lists"),
        ({"payoffs": "abc"}, UsageError, "nested lists"),
        ({"payoffs": [[[1, 1], [1, 1]], [[1, 1]]]}, UsageError, "uneven"),
        ({"payoffs": [[[1, 1], [1, "x"]]]}, UsageError, "not a number"),
        ({"payoffs": [[[1, 1], [1, float("nan")]]]}, UsageError, "not finite"),
        ({"payoffs": [[[1, 1], [1, 1]]], "actions": ["x", "y"]}, UsageError, "actions names 2, 2"),
        ({"actions": ["x"]}, UsageError, "has 2 and 2 actions"),
        ({"actions": ["x", "X"]}, UsageError, "not all different"),
        ({"actions": [1, 2]}, UsageError, "list of names"),
        ({"rounds": 0}, UsageError, "from 1 to 100000"),
        ({"rounds": 2.5}, UsageError, "whole number"),
        ({"rounds": True}, UsageError, "whole number"),
        ({"continuation": 1.0}, UsageError, "continuation"),
        ({"continuation": "often"}, UsageError, "continuation"),
        ({"players": 3}, UsageError, "public-goods only"),
        ({"game": "public-goods", "players": 1}, UsageError, "from 2 to 50"),
        ({"multiplier": -1}, UsageError, "multiplier"),
        ({"talk": "yes"}, UsageError, "true or false"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named_with_what_is_allowed(params, error, hint):
    with pytest.raises(error, match=hint):
        IteratedMatrix(**params)


def test_parameters_are_plain_data_that_come_back_from_json():
    params = {"payoffs": [[[1, 2], [0, 0]]], "actions": [["only"], ["x", "y"]]}
    again = json.loads(json.dumps(params))
    assert IteratedMatrix(**params).params == IteratedMatrix(**again).params
    assert hash(IteratedMatrix(**params).params)
