"""The game master tells, asks, listens and pays as it says."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.checks import check_env
from gymposium.envs.text_worlds.text_words import MAX_NEWS, latest
from gymposium.errors import IllegalAction, UsageError

from .telling import FAMILIES, Duel, options, play


def silent_or_first(seat, turn):
    return {"say": "", "choose": 0}


def test_a_world_of_a_dozen_lines_passes_the_conformance_kit():
    check_env(Duel)


def forgets_to_yield(tale, everybody):
    tale.choose("Shoot?", ("no", "yes"), everybody)
    yield from ()


def is_no_generator(tale, everybody):
    tale.tell("Nobody is asked.", everybody)


def yields_words(tale, everybody):
    yield "Shoot?"


def asks_nobody(tale, everybody):
    yield from tale.choose("Shoot?", ("no", "yes"), ())
    yield {}


MISTAKES = {
    forgets_to_yield: "duel-v0: the story ends before anybody is asked; write `yield from`",
    is_no_generator: "duel-v0: _story must be a generator; write `yield from`",
    yields_words: "duel-v0: the story yields 'Shoot\\?'; write `yield from`",
    asks_nobody: "duel-v0: the story yields {}",
    lambda tale, _: (yield from tale.choose("?", ("no", "yes"), "rihgt")): "did you mean 'right'",
    lambda tale, _: (yield from tale.talk("?", who=["nobody"])): "unknown person 'nobody'",
    lambda tale, _: (yield tale.enter("Here", ["nobody"])): "unknown person 'nobody'",
    lambda tale, _: (yield tale.tell("Psst!", "nobody")): "unknown person 'nobody'",
    lambda tale, _: (yield tale.pay("nobody", 1.0)): "unknown person 'nobody'",
    lambda tale, all_: (yield from tale.choose("?", "abc", all_)): "3 options; most_options is 2",
    lambda tale, all_: (yield from tale.choose("?", ("a", "a"), all_)): "different texts",
    lambda tale, all_: (yield from tale.choose("?", ("a", "b\nc"), all_)): "one line each",
    lambda tale, all_: (yield from tale.choose("?", ("a", ""), all_)): "one line each",
    lambda tale, all_: (yield from tale.choose("?", (1, 2), all_)): "different texts",
    lambda tale, _: (yield from tale.choose("?", ("a", "b"), "aunt")): "_answer_for.*'aunt'.*index",
    lambda tale, _: (yield from tale.talk("?", who="uncle")): "_answer_for.*'uncle'.*a text",
}


@pytest.mark.parametrize("story", MISTAKES, ids=lambda story: MISTAKES[story][:40])
def test_a_storys_mistake_is_told_in_one_sentence_that_names_it(story):
    class Wrong(Duel):
        _story = staticmethod(lambda tale: story(tale, ("left", "right")))

        def _support(self):
            return {"aunt": "aunt", "uncle": "uncle"}

        def _answer_for(self, who, question):
            return "perhaps" if question.options else 1

    with pytest.raises(UsageError, match=MISTAKES[story]):
        Wrong().reset(0)


def test_more_people_than_there_are_names_for_are_refused():
    class Crowd(Duel):
        def _support(self):
            return {f"one_{number}": "face" for number in range(1000)}

    with pytest.raises(UsageError, match=r"1003 people, but people.txt has only \d+ names"):
        Crowd().reset(0)


def test_a_missing_answer_may_stand_for_an_option():
    class Silent(Duel):
        def _story(self, tale):
            self.picked = yield from tale.choose("?", ("no", "yes"), ("left",), otherwise=1)

    for seed in range(6):
        world = Silent()
        play(world, seed, lambda seat, turn: None)
        assert world.picked == {"left": 1}


def test_speech_reaches_those_present_and_nobody_else():
    course = play(Duel(), 0, lambda s, t: options(t)[0] if options(t) else f"I am {s}!")
    heard = dict.fromkeys(("left", "right", "home"), "")
    for turns in course:
        for seat, turn in turns.items():
            heard[seat] += turn.text
    assert "I am left!" in heard["right"]
    assert "I am right!" in heard["left"]
    assert "I am" not in heard["home"]
    assert "All is quiet." in heard["home"]


def test_what_is_asked_at_the_same_time_is_answered_without_seeing_the_other():
    world = Duel(talk=0)
    turns = world.reset(0)
    assert list(turns) == ["left", "right"]
    assert all(turn.text.count("Shoot") == 1 for turn in turns.values())


def test_a_call_to_choose_has_exactly_its_options_as_schema_and_speech_a_capped_string():
    world = Duel(letters=50)
    course = play(world, 0, silent_or_first)
    asked = [turn for turns in course for turn in turns.values()]
    schemas = [dict(turn.schema) for turn in asked]
    assert schemas[0] == {"type": "string", "maxLength": 50}
    assert schemas[2] == {"type": "string", "enum": ["no", "yes"]}


def test_one_cannot_choose_while_asked_to_speak_or_speak_while_asked_to_choose():
    world = Duel()
    world.reset(0)
    with pytest.raises(IllegalAction, match="time to speak"):
        world.step({"left": {"say": "", "choose": 1}})
    world = Duel(talk=0)
    world.reset(0)
    with pytest.raises(IllegalAction, match="time to choose"):
        world.step({seat: {"say": "now!", "choose": 0} for seat in ("left", "right")})


@pytest.mark.parametrize(
    "said",
    ["yes", "Yes.", '{"choose": 1}', '{"choose": "yes"}', "I say: yes", "**yes**", "1"],
)
def test_an_option_is_recognised_in_many_forms(said):
    world = Duel(talk=0)
    turn = world.reset(0)["left"]
    assert world.parse("left", said, turn.observation, turn.info)["choose"] == 1


def test_a_number_means_the_option_that_has_it_in_its_name():
    world = registry.make_world("text_haggling-v0", talk=0)
    (seat, turn), *_ = world.reset(0).items()
    for said in ("3", "3 coins", "I offer 3 coins, take it or leave it", '{"choose": "3 coins"}'):
        assert world.parse(seat, said, turn.observation, turn.info)["choose"] == 2


def test_who_fails_to_decide_forfeits_the_gain_and_keeps_the_loss():
    def earned(silent, seed):
        world = Duel(talk=0)
        play(world, seed, lambda seat, turn: None if seat == silent else {"say": "", "choose": 0})
        return world.outcome.returns

    drawn = [earned("left", seed)["left"] for seed in range(20)]
    assert set(drawn) == {0.0, -1.0}  # drawn "no" gains nothing, drawn "yes" loses
    assert earned("home", 0)["left"] == 1.0


def test_pay_comes_at_the_end_or_with_each_decision():
    for dense, first in ((False, 0.0), (True, 1.0)):
        world = Duel(talk=0, dense=dense)
        world.reset(0)
        world.step({seat: {"say": "", "choose": 0} for seat in ("left", "right")})
        assert world.rewards["left"] == first
        world.step({"home": {"say": "", "choose": 0}})
        assert world.outcome.returns == {"left": 1.0, "right": 1.0, "home": 0.0}


def test_old_news_is_left_out_from_the_top():
    lines = [f"line {number:4d} " + "x" * 90 for number in range(100)]
    kept = latest(lines)
    assert len(kept) <= MAX_NEWS
    assert kept.startswith("(Much else has happened.)")
    assert kept.endswith(lines[-1])
    assert latest(lines[:3]) == "\n".join(lines[:3])


@pytest.mark.parametrize("id", FAMILIES)
def test_what_a_match_was_worth_is_told_after_it_and_not_before(id):
    world = registry.make_world(id)
    course = play(world, 3, silent_or_first)
    assert not any({"optimum", "nash", "random"} & set(t.info) for s in course for t in s.values())
    view = registry.make(id, api="parallel")
    _, infos = view.reset(seed=3)
    while view.agents:
        acting = {seat: {"say": "", "choose": 0} for seat in view.agents}
        _, _, _, _, infos = view.step(acting)
    assert infos["player_0"]["optimum"] == world.outcome.metrics["optimum_return"]
    assert infos["player_0"]["nash"] <= infos["player_0"]["optimum"]


@pytest.mark.parametrize("id", FAMILIES)
def test_instances_differ_in_their_names_from_seed_to_seed(id):
    told = [next(iter(registry.make_world(id).reset(seed).values())).text for seed in range(6)]
    assert len(set(told)) == 6


@pytest.mark.parametrize("id", FAMILIES)
def test_no_match_exceeds_its_horizon_and_the_longest_reaches_it(id):
    for supporting in ("rule", "seat"):
        world = registry.make_world(id, supporting=supporting)
        longest = max(len(play(world, seed, silent_or_first)) for seed in range(40))
        assert longest <= world.horizon
        if id != "reality_show-v0":  # whose longest season is rare
            assert longest == world.horizon


@pytest.mark.parametrize("id", FAMILIES)
def test_a_world_is_copied_in_mid_match_without_touching_the_original(id):
    world = registry.make_world(id)
    turns = world.reset(1)
    turns = world.step({seat: {"say": "Hello.", "choose": 0} for seat in turns})
    before = world.fingerprint()
    for other in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        other.step({seat: {"say": "", "choose": 0} for seat in turns})
        assert other.fingerprint() != before
    assert world.fingerprint() == before


def test_the_same_words_at_another_time_are_another_state():
    def state(order):
        world = Duel()
        world.reset(0)
        for seat, said in zip(("left", "right"), order, strict=True):
            world.step({seat: {"say": said, "choose": 0}})
        return world.fingerprint()

    assert state(("a", "b")) != state(("b", "a"))


def test_every_preset_has_a_prompt_of_bounded_length_at_every_turn():
    for id in FAMILIES:
        for preset in registry.spec(id).presets.values():
            world = registry.make_world(id, **preset)
            loud = lambda seat, turn: None if options(turn) else "word " * 200  # noqa: E731
            lengths = [len(t.text) for turns in play(world, 0, loud) for t in turns.values()]
            assert max(lengths) < 3000


def test_text_grows_linearly_over_a_hundred_turns():
    world = registry.make_world("pub_coordination-v0", games=20)
    course = play(world, 0, lambda s, t: {"say": "" if options(t) else "Here.", "choose": 0})
    mine = [turns["player_0"] for turns in course if "player_0" in turns]
    lengths = np.array([len(turn.text) for turn in mine])
    assert len(course) == 100
    first, last = lengths[2:14], lengths[-12:]
    assert last.mean() < 1.1 * first.mean()


def test_refusals_name_the_world_the_parameter_and_what_is_allowed():
    for id in FAMILIES:
        with pytest.raises(UsageError, match=f"{id}.*talk"):
            registry.make_world(id, talk=-1)
        with pytest.raises(UsageError, match="supporting"):
            registry.make_world(id, supporting="model")
        with pytest.raises(UsageError, match="true or false"):
            registry.make_world(id, dense=1)
