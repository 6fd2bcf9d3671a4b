"""Participants of graded competence and stubbornness."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.common_ground import BIAS, HELD_OUT, TRAINING, Participant
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError

WORLDS = ("wason_cards-v0", "weights_task-v0", "ranking_task-v0")


def score(id, specs, matches=40, **params):
    world, found = make_world(id, **params), []
    for seed in range(matches):
        turns, minds = world.reset(seed), {}
        for number, seat in enumerate(world.seats):
            minds[seat] = resolve(specs[number % len(specs)]).create()
            minds[seat].reset(world.seats[seat], 100 * seed + number)
        while turns:
            actions = {seat: minds[seat].act(turn) for seat, turn in turns.items()}
            for seat, action in actions.items():
                world.check(seat, action)
            turns = world.step(actions)
        found.append(world.outcome.metrics)
    return {name: np.mean([metrics[name] for metrics in found]) for name in found[0]}


@pytest.mark.parametrize("id", WORLDS)
def test_competence_is_graded(id):
    scores = [
        score(id, [f"scripted:participant?skill={skill}&stubbornness=0.5"])["score"]
        for skill in (0, 0.5, 1)
    ]
    assert scores[0] < scores[2]
    assert scores[0] < scores[1] + 0.05 < scores[2] + 0.1


@pytest.mark.parametrize("id", WORLDS)
def test_a_rogue_misleads_those_who_listen_more_than_those_who_do_not(id):
    soft, firm = (
        score(id, [f"scripted:participant?skill=0.8&stubbornness={s}", "scripted:rogue"])["score"]
        for s in (0, 1)
    )
    assert soft < firm


def test_those_who_do_not_think_answer_with_peoples_bias():
    world, turned = make_world("wason_cards-v0", participants=1), dict.fromkeys("CEOV", 0)
    for seed in range(800):
        (turn,) = world.reset(seed).values()
        mind = Participant(skill=0, stubbornness=1)
        mind.reset(world.seats[turn.seat], seed)
        for kind in world.answer_of(mind.act(turn)["stances"]) or "":
            turned[kind] += 1
    for kind, share in BIAS.items():
        assert abs(turned[kind] / 800 - share) < 4 * np.sqrt(share * (1 - share) / 800)


@pytest.mark.parametrize("stubbornness", [0, 0.25, 1])
def test_advice_is_taken_with_what_is_left_of_stubbornness(stubbornness):
    task = {"participants": 1, "rounds": 0, "solo": False}
    world, followed = make_world("advised-v0", params=task, quality=0.0), []
    for seed in range(300):
        (turn,) = world.reset(seed).values()
        mind = Participant(skill=1, stubbornness=stubbornness)
        mind.reset(world.seats[turn.seat], seed)
        world.step({turn.seat: mind.act(turn)})
        followed.append(world.outcome.metrics["followed"])
    assert abs(np.mean(followed) - (1 - stubbornness)) < 0.06


def test_partners_to_train_with_and_to_be_tested_with_have_nothing_in_common():
    assert not set(TRAINING) & set(HELD_OUT)
    kinds = [{type(resolve(spec).create()) for spec in some} for some in (TRAINING, HELD_OUT)]
    assert not kinds[0] & kinds[1]


def test_shares_outside_0_to_1_and_other_worlds_are_refused():
    with pytest.raises(UsageError, match="skill"):
        Participant(skill=2)
    world = make_world("haggling-v0")
    with pytest.raises(UsageError, match="takes part"):
        Participant().reset(world.seats["buyer"], 0)
