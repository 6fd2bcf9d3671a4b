"""Turns answered by reasoning, in a world as small as can be: a corridor with a door at its end."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from gymposium.envs.checks import check_env
from gymposium.envs.visual.reasoned_turns import SEAT, ReasonedTurns, ReasonedTurnsParams
from gymposium.envs.visual.replies import MAX_REPLY, written
from gymposium.errors import UnknownName, UsageError

PARTS = {"observation": "at 0", "reasoning": "go", "prediction": "at 2"}


@dataclass(frozen=True)
class CorridorParams(ReasonedTurnsParams):
    length: int = field(default=4)


class Corridor(ReasonedTurns):
    id = "corridor-v0"
    actions = ("Left", "Right")

    def __init__(self, **params):
        self.params = CorridorParams(**params)
        self._seat_reader((20, 40))

    def _start(self, rng):
        self._place = int(rng.integers(2))

    def _do(self, action):
        self._place = max(0, self._place + (1 if action else -1))
        return -0.1

    def _done(self):
        return (self._place == self.params.length,) * 2

    def _closing(self):
        return 10.0 if self._place == self.params.length else 0.0

    def _truth(self):
        return {"place": self._place}

    def _scene(self):
        return "." * self._place + "P"

    def _picture(self):
        picture = np.zeros((20, 40, 3), np.uint8)
        picture[:, 5 * self._place : 5 * self._place + 5] = 200
        return picture

    def _score(self, text, truth):
        return float(text == f"at {truth['place']}")

    def _situation(self):
        return bytes([self._place])

    def _told(self):
        return "Walk right to the door."

    def _examples(self):
        return PARTS, ("Right", "Right")


def begun(place=0, **params):
    world = Corridor(**params)
    seed = next(seed for seed in range(50) if world.reset(seed) and world._place == place)
    return world, world.reset(seed)[SEAT]


def turn_after(world, reply):
    return world.step({SEAT: reply})[SEAT]


def test_a_turn_pays_its_format_its_beliefs_and_its_actions():
    world, _ = begun()
    turn = turn_after(world, written("world_modeling", ["Right", "right"], PARTS))
    assert turn.reward == pytest.approx(0.5 + 0.5 + 0.5 - 0.2)
    metrics = turn.info["turn_metrics"]
    assert (metrics["grounding_reward"], metrics["worldmodeling_reward"]) == (1.0, 1.0)
    assert turn.info["state_before"] == {"place": 0}
    assert turn.info["state"] == {"place": 2}
    assert turn.info["executed"] == ["Right", "right"]


def test_a_prediction_is_of_the_state_after_the_actions_that_were_carried_out():
    world, _ = begun()
    turn = turn_after(world, written("world_modeling", ["Right", "jump", "Right"], PARTS))
    assert turn.info["state"] == {"place": 1}
    assert not turn.info["turn_metrics"]["action_is_valid"]
    assert turn.reward == pytest.approx(-0.1)  # an unknown action costs the format and the beliefs


def test_beliefs_of_a_reply_out_of_format_score_nothing_though_it_is_carried_out():
    world, _ = begun()
    turn = turn_after(world, "Well: " + written("world_modeling", ["Right"], PARTS))
    assert turn.reward == pytest.approx(-0.1)
    assert turn.info["turn_metrics"]["grounding_reward"] == 0.0
    strict, _ = begun(loose=False)
    turn = turn_after(strict, "Well: " + written("world_modeling", ["Right"], PARTS))
    assert turn.info["executed"] == []
    assert turn.reward == 0.0


def test_actions_beyond_the_most_are_dropped_in_silence():
    world, _ = begun()
    turn = turn_after(world, written("world_modeling", ["Right"] * 3 + ["jump"], PARTS))
    assert turn.info["executed"] == ["Right"] * 3
    assert turn.info["turn_metrics"]["format_correct"]


@pytest.mark.parametrize("form", ["tags", "json"])
@pytest.mark.parametrize("strategy", ["no_think", "free_think", "grounding", "worldmodeling"])
def test_only_the_parts_that_a_strategy_has_are_scored(strategy, form):
    world, turn = begun(strategy=strategy, form=form)
    names = {"grounding": ("observation",), "worldmodeling": ("prediction",)}.get(strategy, ())
    parts = {name: PARTS[name] for name in names}
    reply = written(strategy, ["Right", "Right"], parts, form=form)
    turn = turn_after(world, world.parse(SEAT, reply, turn.observation, turn.info))
    assert turn.reward == pytest.approx(0.5 + 0.5 * len(parts) - 0.2)


def test_what_comes_at_the_end_is_paid_once_and_the_door_ends_it():
    world, _ = begun(strategy="no_think")
    world.step_parsed(["Right", "Right"])
    assert world.step_parsed(["Right", "Right", "Right"]) == {}
    assert world.outcome.terminated[SEAT]
    assert world.outcome.returns[SEAT] == pytest.approx(10 + 2 * 0.5 - 4 * 0.1)
    assert world.outcome.metrics["success"] == 1.0
    assert world.outcome.metrics["actions"] == 4


def test_a_match_is_truncated_after_its_turns_and_silence_earns_nothing():
    world, _ = begun(turns=2)
    world.step({SEAT: None})
    assert world.step({SEAT: None}) == {}
    assert world.outcome.truncated[SEAT]
    assert world.outcome.returns[SEAT] == 0.0
    assert world.outcome.metrics["format_rate"] == 0.0


def test_a_belief_said_again_is_fined_where_it_is_wrong():
    world, _ = begun(fine_templates=True)
    wrong = {**PARTS, "observation": "somewhere", "prediction": "elsewhere"}
    earned = [
        turn_after(world, written("world_modeling", ["Left"], wrong)).reward for _ in range(2)
    ]
    assert earned == pytest.approx([0.5 - 0.1, 0.5 - 0.1 - 2 * 0.5 * 0.1])


@pytest.mark.parametrize("shows", ["text", "image", "both"])
def test_the_picture_and_the_text_are_shown_as_asked(shows):
    _, turn = begun(place=1, shows=shows)
    assert ("image" in turn.observation) == (shows != "text") == bool(turn.images)
    assert ("\n.P\n" in turn.text) == (shows != "image")
    assert ("<image>" in turn.text) == (shows != "text")
    if turn.images:
        assert turn.images[0] is turn.observation["image"]


def test_a_reply_in_an_envelope_is_taken_out_and_a_long_one_cut():
    world, turn = begun()
    reply = written("world_modeling", ["Right"], PARTS)
    for sent in (reply, f'{{"thought": "x", "action": "{reply}"}}'):
        assert world.parse(SEAT, sent, turn.observation, turn.info) == reply
    long = world.parse(SEAT, "\x00é→" * MAX_REPLY, turn.observation, turn.info)
    assert world.in_space(SEAT, long)


def test_it_passes_the_conformance_kit():
    check_env(Corridor, steps=60)
    check_env(lambda: Corridor(form="json", shows="text"), steps=60, views=False)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"strategy": "guess"}, UnknownName),
        ({"representation": "verse"}, UnknownName),
        ({"shows": "film"}, UnknownName),
        ({"form": "xml"}, UnknownName),
        ({"turns": 0}, UsageError),
        ({"actions_per_turn": True}, UsageError),
        ({"belief_rewards": (1.0,)}, UsageError),
        ({"format_reward": float("nan")}, UsageError),
    ],
)
def test_parameters_are_checked(params, error):
    with pytest.raises(error):
        Corridor(**params)
