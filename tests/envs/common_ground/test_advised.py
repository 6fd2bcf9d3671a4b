"""Advice: how it arrives, who sees it, and that it can be carried out."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.registry import make_world
from gymposium.errors import UsageError

ALONE = {"participants": 1, "rounds": 0, "solo": False}


def matches(count, chooser, **params):
    """The outcomes of matches in which every asked seat acts as ``chooser`` has it."""
    world, found = make_world("advised-v0", **params), []
    for seed in range(count):
        turns = world.reset(seed)
        while turns:
            turns = world.step({seat: chooser(world, turn) for seat, turn in turns.items()})
        found.append(world.outcome.metrics)
    return found


def obey(world, turn):
    return turn.observation["advice"]


def known(world, turn):
    return world.good_action(turn.seat)


@pytest.mark.parametrize("quality", [0.9, 0.5, 0.1])
def test_who_obeys_is_right_as_often_as_all_four_pieces_of_advice_are(quality):
    played = matches(1500, obey, params=ALONE, quality=quality)
    exact = np.mean([metrics["exact"] for metrics in played])
    fine = np.mean([metrics["score"] for metrics in played])
    expected = quality**4
    assert abs(exact - expected) < 4 * np.sqrt(expected * (1 - expected) / 1500) + 1e-3
    assert abs(fine - quality) < 4 * np.sqrt(quality * (1 - quality) / 6000)


def test_the_books_tell_sound_advice_that_was_followed_from_unsound():
    played = matches(200, known, params=ALONE, quality=0.5)
    for metrics in played:
        assert metrics["followed"] == metrics["sound"]
        assert metrics.get("followed_sound", 1.0) == 1.0
        assert metrics.get("followed_unsound", 0.0) == 0.0


def test_an_answer_that_leaves_cards_unnamed_follows_the_advice_to_leave_them():
    world = make_world("advised-v0", params=ALONE, quality=1.0)
    turn = world.reset(0)["player_0"]
    named = [c for c in turn.text.splitlines()[-1].split(": ")[1].split("; ") if "turn" in c]
    said = " and ".join(named)
    world.step({"player_0": world.parse("player_0", said, turn.observation, turn.info)})
    assert world.outcome.metrics["exact"] == world.outcome.metrics["followed"] == 1


@pytest.mark.parametrize("modify", [0.0, 0.3, 1.0])
def test_advice_is_carried_out_as_often_as_the_partner_meddles(modify):
    played = matches(1000, known, params=ALONE, quality=0.0, modify=modify)
    exact = np.mean([metrics["exact"] for metrics in played])
    assert abs(exact - (1 - modify)) < 4 * np.sqrt(max(modify * (1 - modify), 1e-9) / 1000)
    assert np.mean([metrics["modified"] for metrics in played]) == pytest.approx(1 - exact)


def test_the_collaborator_sees_advice_and_not_its_quality():
    seen = {}
    for quality in (0.0, 1.0):
        world = make_world("advised-v0", params=ALONE, quality=quality)
        turn = world.reset(0)["player_0"]
        seen[quality] = turn
        assert set(turn.observation) == {"seen", "advice", "advised", "counterfactual"}
        assert "1" not in turn.text.replace("100%", "").split("advises")[1] or quality
    rules = {seen[q].seat: world.seats[seen[q].seat].rules for q in seen}
    assert len(set(rules.values())) == 1


def test_there_are_turns_without_advice():
    played = matches(600, known, params=ALONE, chance=0.25)
    given = [metrics["advised"] for metrics in played]
    assert abs(np.mean(given) - 0.25) < 0.07


@pytest.mark.parametrize(("how", "advised"), [("no", 1), ("told", 1), ("hidden", 0)])
def test_a_counterfactual_is_told_and_perhaps_shown_nothing(how, advised):
    world = make_world("advised-v0", params=ALONE, counterfactual=how)
    turn = world.reset(0)["player_0"]
    assert turn.observation["advised"] == advised
    assert turn.observation["counterfactual"] == (how != "no")
    assert ("useless" in turn.text) == (how != "no")


def test_an_intervention_agent_advises_in_a_seat_of_its_own_and_earns_what_they_earn():
    world = make_world(
        "advised-v0",
        params={"participants": 2, "rounds": 1},
        adviser="seat",
        collaborators=["player_1"],
        quality=1.0,
    )
    turns, course = world.reset(0), []
    while turns:
        (seat,) = turns
        course.append(seat)
        if seat == "player_1":
            assert turns[seat].observation["advised"] == 1
            action = turns[seat].observation["advice"]
        else:
            action = world.good_action(seat)
        turns = world.step({seat: action})
    assert course.count("intervention") == course.count("player_1") == 3
    asked = [index for index, seat in enumerate(course) if seat == "player_1"]
    assert all(course[index - 1] == "intervention" for index in asked)
    assert world.outcome.returns["intervention"] == world.outcome.returns["player_1"] == 1


def test_the_small_instance_is_what_it_is_in_closed_form():
    """a pays 1 if carried out, b 0.6; a partner that turns a into c costs whoever ignores it."""
    from gymposium.agents.planning.modified_mdp import ModifiedMDP

    m = 0.9
    modification = np.eye(3)[None].copy()
    modification[0, 0] = [1 - m, 0, m]
    game = ModifiedMDP(np.array([[1.0, 0.6, 0.0]]), np.zeros((1, 3, 1)), modification)
    assert game.worth(game.ignoring())[0] == pytest.approx(0.1)
    assert game.worth(game.optimal())[0] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("world", "seat"),
    [
        ("gymnasium:CartPole-v1", "player_0"),
        ("pettingzoo:classic/connect_four_v3", "player_0"),
        ("survival_bandit-v0", "player_0"),
    ],
)
def test_worlds_of_all_kinds_can_be_advised(world, seat):
    made = make_world("advised-v0", world=world, adviser="seat", quality=0.5)
    turns, rng = made.reset(0), np.random.default_rng(0)
    for _ in range(30):
        if not turns:
            break
        actions = {}
        for asked, turn in turns.items():
            turn.action_space.seed(int(rng.integers(2**31)))
            actions[asked] = turn.action_space.sample(mask=turn.action_mask)
        turns = made.step(actions)
    assert "intervention" in made.seats


def test_a_world_of_judges_alone_has_nobody_to_advise():
    with pytest.raises(UsageError, match="no seats but judges"):
        make_world("advised-v0", world="room_judging-v0", adviser="seat")


@pytest.mark.parametrize(
    "world",
    [
        "auction-v0",
        "coins-v0",
        "haggling-v0",
        "iterated_matrix-v0",
        "peer_review-v0",
        "principal_agent-v0",
        "puddle_grid-v0",
        "ranking_task-v0",
        "weights_task-v0",
    ],
)
def test_garbled_advice_can_be_carried_out_in_worlds_of_all_families(world):
    """Whatever arrives is an action that the world takes, and what is seen is in its space."""
    first = next(iter(make_world(world).seats))
    made = make_world(
        "advised-v0", world=world, adviser="seat", collaborators=[first], quality=0.3, modify=1.0
    )
    turns = made.reset(0)
    for step in range(24):
        if not turns:
            break
        actions = {}
        for asked, turn in turns.items():
            assert made.seats[asked].observation_space.contains(turn.observation)
            turn.action_space.seed(step)
            actions[asked] = turn.action_space.sample(mask=turn.action_mask)
        turns = made.step(actions)
    if not turns:
        assert made.outcome.metrics.get("modified", 1) == 1
    made.close()
