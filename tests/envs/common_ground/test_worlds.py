"""The rules of the three discussions, and of their judge."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.envs.common_ground.wason_words import LEAVE, TURN
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError


def play(world, seed, specs):
    turns, minds = world.reset(seed), {}
    for number, seat in enumerate(world.seats):
        minds[seat] = resolve(specs.get(seat, specs["*"])).create()
        minds[seat].reset(world.seats[seat], seed + number)
    while turns:
        actions = {}
        for seat, turn in turns.items():
            answer = minds[seat].act(turn)
            if isinstance(answer, str):
                answer = world.words.parse(seat, answer, turn.observation, turn.info)
            actions[seat] = answer
        turns = world.step(actions)
    return world.outcome


@pytest.mark.parametrize("id", ["wason_cards-v0", "weights_task-v0", "ranking_task-v0"])
def test_a_group_that_says_and_answers_the_truth_has_all_of_it_in_common(id):
    world = make_world(id, participants=2, rounds=1)
    turns = world.reset(3)
    while turns:
        turns = world.step({seat: world.good_action(seat) for seat in turns})
    metrics = world.outcome.metrics
    assert metrics["score"] == metrics["common_ground"] == 1
    assert metrics["ground_false"] == metrics["harmful"] == 0
    assert set(world.outcome.returns.values()) == {1.0}


@pytest.mark.parametrize("id", ["wason_cards-v0", "weights_task-v0", "ranking_task-v0"])
def test_agreement_is_not_paid_for(id):
    """Silent talk and true answers earn as much as a talk in which all is said."""
    world = make_world(id, participants=2, rounds=1, solo=False)
    turns = world.reset(3)
    while turns:
        talking = world.phase == 1
        turns = world.step({s: None if talking else world.good_action(s) for s in turns})
    assert world.outcome.metrics["ground_true"] <= 1  # what red weighs is told to all
    assert set(world.outcome.returns.values()) == {1.0}


@pytest.mark.parametrize("reward", ["fine", "exact"])
def test_the_group_turns_what_more_than_half_of_its_members_turn(reward):
    world = make_world("wason_cards-v0", participants=3, rounds=0, solo=False, reward=reward)
    for votes in itertools.product([TURN, LEAVE], repeat=3):
        turns = world.reset(0)
        due = world.questions.codes(world.ledger.truth)
        for vote in votes:
            (seat,) = turns
            codes = np.where(due == TURN, vote, LEAVE)
            turns = world.step({seat: {"stances": codes, "say": ""}})
        right = votes.count(TURN) > 1
        expected = 1.0 if right else 0.5 if reward == "fine" else 0.0
        assert world.outcome.returns["player_0"] == expected


def test_answers_alone_and_last_answers_are_unseen():
    world = make_world("wason_cards-v0", participants=2, rounds=1)
    turns = world.reset(5)
    (first,) = turns
    turns = world.step({first: world.good_action(first)})
    (second,) = turns
    assert not turns[second].observation["stances"][4:].any()
    world.step({second: world.good_action(second)})
    assert world.observe(first)["stances"][:4].all()
    assert not world.observe(first)["stances"][4:].any()


def test_a_hint_is_true_and_its_receivers_own():
    world = make_world("wason_cards-v0", hints=2)
    for seed in range(20):
        world.reset(seed)
        hints = [world.observe(seat)["hint"] for seat in world.members]
        due = world.questions.codes(world.ledger.truth)
        assert sum(bool(hint.any()) for hint in hints) == 2
        for hint in hints:
            assert (hint[hint > 0] == due[hint > 0]).all()


def test_a_weighing_is_seen_by_all_and_founds_what_follows_from_it():
    world = make_world(
        "weights_task-v0", weights=[10, 10, 20, 30, 50], private=0, scales=1, solo=False
    )
    turns = world.reset(0)
    names = world.questions.vocabulary.names
    founded = {names[p] for p in np.flatnonzero(world.ledger.founded)}
    assert founded == {"red = 10 g"}
    (seat,) = turns
    silent = {"stances": np.zeros(15, np.int64), "say": ""}
    pans = np.array([1, 2, 0, 0, 0])
    turns = world.step({seat: {**silent, "pans": pans}})
    founded = {names[p] for p in np.flatnonzero(world.ledger.founded)}
    assert founded == {"red = 10 g", "red = blue", "blue = 10 g"}
    assert {names[p] for p in np.flatnonzero(world.ledger.common)} == {"red = 10 g", "red = blue"}
    (seat,) = turns  # the scales are used up
    world.step({seat: {**silent, "pans": np.array([0, 0, 1, 2, 0])}})
    assert len([row for row in world._log]) == 1


def test_blocks_in_several_pans_are_weighed_by_their_sum():
    world = make_world("weights_task-v0", weights=[10, 10, 20, 30, 50], private=0, solo=False)
    (seat,) = world.reset(0)
    action = {"stances": np.zeros(15, np.int64), "say": "", "pans": np.array([1, 1, 2, 0, 0])}
    world.step({seat: action})
    assert world._log[0].tolist() == [1, 1, 2, 0, 0, 2]


def test_a_tie_over_a_block_is_no_answer():
    world = make_world("weights_task-v0", weights=[10] * 5, participants=2, rounds=0, solo=False)
    codes = np.zeros(15, np.int64)
    one, two = codes.copy(), codes.copy()
    one[10:], two[10:12] = 1, 2
    world.reset(0)
    assert world.grade(world.group([one, two])) == pytest.approx(3 / 5)


@pytest.mark.parametrize("items", [3, 4, 5])
def test_the_grade_of_an_order_is_footrule_against_brute_force(items):
    world = make_world("ranking_task-v0", items=items, told=1)
    world.reset(0)
    distances = {
        order: sum(abs(order.index(good) - int(world._rank[good])) for good in range(items))
        for order in itertools.permutations(range(items))
    }
    largest = max(distances.values())
    for order, distance in distances.items():
        assert world.grade(order) == pytest.approx(1 - distance / largest)
        assert world.answer_of(world.order(list(order))) == order


def test_what_follows_from_comparisons_is_the_closure_of_them():
    world = make_world("ranking_task-v0", participants=2, items=4, told=6)
    world.reset(0)
    assert np.array_equal(world.ledger.founded, world.ledger.truth)


def test_the_judge_reads_for_the_speaker_and_its_silence_leaves_the_speakers_own_stances():
    world = make_world("wason_cards-v0", participants=2, rounds=1, solo=False, judge=True)
    (seat,) = world.reset(0)
    own = np.array([TURN, 0, 0, 0])
    turns = world.step({seat: {"stances": own, "say": "whatever"}})
    assert set(turns) == {"judge"}
    assert turns["judge"].observation["words"] == "whatever"
    read = np.array([0, LEAVE, 0, 0])
    turns = world.step({"judge": {"stances": read, "say": ""}})
    assert world.ledger.public[world.members.index(seat)].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    (other,) = turns
    world.step({other: {"stances": own, "say": "words"}})
    world.step({"judge": None})
    assert world.ledger.public[world.members.index(other)].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert world.seats["judge"].role == "judge"


def test_a_judge_by_rule_reads_what_the_world_reads():
    specs = {"*": "scripted:rogue", "judge": "scripted:clause_judge"}
    judged = make_world("wason_cards-v0", participants=3, rounds=1, judge=True)
    outcome = play(judged, 4, specs)
    assert outcome.returns["judge"] == outcome.returns["player_0"]  # though it is never rated
    assert sum(outcome.tables["interventions"]["false"]) == 0  # a rogue's words claim nothing


def test_tables_tell_turn_by_turn_what_became_common_ground():
    world = make_world("wason_cards-v0", participants=2, rounds=1)
    outcome = play(world, 2, {"*": "scripted:expert"})
    ground = outcome.tables["common_ground"]
    assert ground["size"] == [0, 4]
    assert len(ground["new"][1].split("; ")) == 4
    assert outcome.tables["interventions"]["helpful"] == [1, 1]
    assert outcome.tables["turns"]["new_common_ground"] == ["", "", *ground["new"], "", ""]
    for params in ({}, {"adviser": "seat", "quality": 1.0}):  # a seat of its own has steps too
        inner = {"participants": 2, "rounds": 1}
        advised = make_world("advised-v0", world="wason_cards-v0", params=inner, **params)
        specs = {"*": "scripted:expert", "intervention": "random"}
        assert ("turns" in play(advised, 2, specs).tables) == (not params)


@pytest.mark.parametrize(
    ("id", "params"),
    [
        ("wason_cards-v0", {"participants": 0}),
        ("wason_cards-v0", {"hints": 5}),
        ("wason_cards-v0", {"solo": 2}),
        ("wason_cards-v0", {"roles": ["solver"]}),
        ("wason_cards-v0", {"roles": ["king"] * 4}),
        ("weights_task-v0", {"weights": [10, 20]}),
        ("weights_task-v0", {"weights": [10, 20, 30, 40, 55]}),
        ("weights_task-v0", {"blocks": 9}),
        ("ranking_task-v0", {"items": 3, "told": 4}),
        ("advised-v0", {"quality": 1.1}),
        ("advised-v0", {"world": "advised-v0"}),
        ("advised-v0", {"world": "haggling-v0"}),
        ("advised-v0", {"collaborators": ["nobody"]}),
    ],
)
def test_parameters_that_cannot_be_are_refused(id, params):
    with pytest.raises(UsageError):
        make_world(id, **params)
