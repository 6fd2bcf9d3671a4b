"""The dilemma bots do what their names say, in two-seat games, among many, and with talk."""

from __future__ import annotations

import pytest

from gymposium.agents.scripted.dilemmas import BOTS
from gymposium.envs import registry
from gymposium.errors import UsageError

C, D = 0, 1


def answers(bot, others, seed=0, **params):
    """The bot's moves against seats that play fixed moves (tuples, one per round)."""
    params.setdefault("game", "public-goods" if len(others[0]) > 1 else "prisoners-dilemma")
    if params["game"] == "public-goods":
        params["players"] = len(others[0]) + 1
    world = registry.make_world("iterated_matrix-v0", rounds=len(others), **params)
    own, *rest = world.possible_seats
    agent = BOTS[bot]() if isinstance(bot, str) else bot
    agent.reset(world.seats[own], seed)
    turns, moves = world.reset(0), []
    for joint in others:
        moves.append(agent.act(turns[own]))
        turns = world.step({own: moves[-1], **dict(zip(rest, joint, strict=True))})
    return moves


def rounds(text):
    return [tuple(C if move == "C" else D for move in word) for word in text.split()]


def test_a_sequence_is_played_whatever_comes_and_its_last_move_for_ever():
    bot = BOTS["sequence"]("CDDC")
    assert answers(bot, rounds("D D C D D D")) == [C, D, D, C, C, C]
    assert answers(bot, rounds("C C C")) == [C, D, D]  # a new match begins anew
    for moves in ("", "CX", 3):
        with pytest.raises(UsageError, match="letters C and D"):
            BOTS["sequence"](moves)


@pytest.mark.parametrize(
    ("bot", "others", "own"),
    [
        ("always_cooperate", "C D D D C", "CCCCC"),
        ("always_defect", "C C C D C", "DDDDD"),
        ("tit_for_tat", "C D D C C", "CCDDC"),
        ("suspicious_tit_for_tat", "C D D C C", "DCDDC"),
        ("tit_for_two_tats", "D C D D C C", "CCCCDC"),
        ("grim", "C D C C C", "CCDDD"),
        ("win_stay_lose_shift", "C D D C C D C", "CCDCCCD"),
        ("alternator", "C C C C", "CDCD"),
    ],
)
def test_a_bot_plays_as_its_name_says(bot, others, own):
    expected = [C if move == "C" else D for move in own]
    assert answers(bot, rounds(others)) == expected


@pytest.mark.parametrize(
    ("bot", "others", "own"),
    [
        ("tit_for_tat", "CCC CCD CDD DDD CDD", "CCCDD"),  # the majority counts, ties are trusted
        ("grim", "CCC CCD CCC", "CCD"),
        ("win_stay_lose_shift", "CCC DDD DDD CCC", "CCDC"),
    ],
)
def test_among_many_the_majority_is_the_other(bot, others, own):
    expected = [C if move == "C" else D for move in own]
    assert answers(bot, rounds(others)) == expected


def test_a_silent_partner_counts_as_the_action_played_for_it():
    assert answers("grim", [(None,), (None,), (D,), (C,)]) == [C, C, C, D]


def test_generosity_and_coins_follow_their_probability():
    always, never = BOTS["generous_tit_for_tat"](1.0), BOTS["generous_tit_for_tat"](0.0)
    assert answers(always, rounds("D D D D")) == [C, C, C, C]
    assert answers(never, rounds("D D D C")) == [C, D, D, D]
    moves = answers("generous_tit_for_tat", rounds("D " * 900))[1:]
    assert 0.26 < moves.count(C) / len(moves) < 0.41
    assert answers(BOTS["coin"](1.0), rounds("D D")) == [C, C]
    moves = answers("coin", rounds("D " * 900))
    assert 0.43 < moves.count(C) / len(moves) < 0.57


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_is_reproducible_and_forgets_the_last_match(bot):
    agent = BOTS[bot]()
    one = answers(agent, rounds("C D D C D C C D"), seed=5)
    again = answers(agent, rounds("C D D C D C C D"), seed=5)
    assert one == again == answers(BOTS[bot](), rounds("C D D C D C C D"), seed=5)


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("preset", registry.spec("iterated_matrix-v0").presets)
def test_every_bot_plays_every_preset_legally(bot, preset):
    params = registry.spec("iterated_matrix-v0").presets[preset]
    world = registry.make_world("iterated_matrix-v0", **params)
    agents = {seat: BOTS[bot]() for seat in world.seats}
    for index, (seat, agent) in enumerate(agents.items()):
        agent.reset(world.seats[seat], index)
    turns = world.reset(1)
    while turns:
        turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
    assert world.outcome.reason


def test_promises_are_cut_to_what_may_be_said():
    world = registry.make_world("iterated_matrix-v0", rounds=1, talk=True, talk_length=5)
    agent = BOTS["tit_for_tat"]()
    agent.reset(world.seats["player_0"], 0)
    said = agent.act(world.reset(0)["player_0"])
    world.check("player_0", said)
    assert said["say"] == "I wil"


def test_axelrods_lesson_tit_for_tat_never_beats_its_partner_yet_does_well():
    totals = dict.fromkeys(("tit_for_tat", "always_defect", "always_cooperate", "grim"), 0.0)
    for one in totals:
        for two in totals:
            world = registry.make_world("iterated_matrix-v0", rounds=50)
            agents = dict(zip(world.seats, (BOTS[one](), BOTS[two]()), strict=True))
            for seat, agent in agents.items():
                agent.reset(world.seats[seat], 0)
            turns = world.reset(0)
            while turns:
                turns = world.step({s: agents[s].act(t) for s, t in turns.items()})
            mine, theirs = world.outcome.returns.values()
            totals[one] += mine
            assert one != "tit_for_tat" or mine <= theirs
    assert totals["tit_for_tat"] > totals["always_defect"]


def test_bots_say_who_they_are():
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.summary == bot.__doc__.splitlines()[0]
        assert bot.worlds == ("iterated_matrix-v0",)
        assert bot.deterministic is True


def test_a_bot_refuses_another_world_and_a_chance_beyond_one():
    world = registry.make_world("haggling-v0")
    with pytest.raises(UsageError, match="iterated_matrix-v0 only"):
        BOTS["grim"]().reset(world.seats["buyer"], 0)
    for name in ("coin", "generous_tit_for_tat"):
        for wrong in (-0.1, 1.5, True, "half"):
            with pytest.raises(UsageError, match="from 0 to 1"):
                BOTS[name](wrong)
