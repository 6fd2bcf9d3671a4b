"""Bots for grids: the oracle, the misreader, the pair; and a fake model that plays by pixels."""

from __future__ import annotations

import asyncio
import base64
import io

import numpy as np
import pytest
from PIL import Image

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.puzzlers import (
    WORLDS,
    PairPusher,
    Puzzle,
    PuzzleOracle,
    PuzzleResponder,
)
from gymposium.arenas.asking import Player
from gymposium.arenas.match import Match
from gymposium.envs.registry import make_world
from gymposium.envs.visual.grid_beliefs import told
from gymposium.envs.visual.replies import written
from gymposium.envs.visual.sprites import sheet
from gymposium.errors import UsageError
from tests.oracles import sokoban_twin as twin

from ..language.http_server import completion, send, serving

SEAT = "player_0"
STEPS = {"sokoban-v0": twin.push, "frozen_lake-v0": twin.walk}
every_world = pytest.mark.parametrize("id", WORLDS)


def outcomes(id, bot, seeds, **params):
    world, found = make_world(id, **{"shows": "text", "split": "test", **params}), []
    for seed in seeds:
        agents = {seat: bot() for seat in world.seats}
        turns = world.reset(seed)
        for seat, agent in agents.items():
            agent.reset(world.seats[seat], seed)
        while turns:
            turns = world.step({seat: agents[seat].act(turn) for seat, turn in turns.items()})
        found.append(world.outcome)
    return found


def mean(found, name):
    return float(np.mean([outcome.metrics[name] for outcome in found]))


@every_world
@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
@pytest.mark.parametrize("form", ["tags", "json"])
def test_the_oracle_solves_every_test_level_and_believes_what_is_true(id, representation, form):
    found = outcomes(id, PuzzleOracle, range(12), representation=representation, form=form)
    for name in ("success", "format_rate", "state_estimation", "transition_modeling"):
        assert mean(found, name) == 1, name


@every_world
def test_the_oracle_plays_moves_too(id):
    assert (
        mean(outcomes(id, PuzzleOracle, range(12), control="move", shows="codes"), "success") == 1
    )


@every_world
def test_its_plans_are_as_short_as_a_plain_search_finds(id):
    world = make_world(id, split="test")
    for seed in range(25):
        world.reset(seed)
        state = world.state_of(world.codes)
        assert len(Puzzle(state).plan()) == len(twin.solution(state["map"], STEPS[id]))


@every_world
def test_success_grows_with_the_accuracy_of_beliefs(id):
    levels = [
        outcomes(id, lambda chance=chance: PuzzleResponder(chance, chance), range(60))
        for chance in (0.0, 0.5, 1.0)
    ]
    for name in ("success", "state_estimation", "transition_modeling"):
        low, middle, high = (mean(found, name) for found in levels)
        assert low < middle < high, name
    assert mean(levels[0], "format_rate") == 1


@every_world
def test_what_it_foresees_is_scored_apart_from_what_it_sees(id):
    found = outcomes(id, lambda: PuzzleResponder(1.0, 0.0), range(20))
    assert mean(found, "success") == mean(found, "state_estimation") == 1
    assert mean(found, "transition_modeling") < 0.6


def test_a_pair_that_talks_solves_rooms_and_a_silent_one_none():
    talking = outcomes("pair_sokoban-v0", PairPusher, range(30), beliefs=True)
    silent = outcomes("pair_sokoban-v0", lambda: PairPusher(talk=False), range(10), beliefs=True)
    assert mean(talking, "success") > 0.7
    assert mean(silent, "success") == 0
    assert mean(talking, "belief") > mean(silent, "belief") + 0.2
    windows = outcomes("pair_sokoban-v0", PairPusher, range(20), views="windows")
    assert mean(windows, "success") > 0.5


@pytest.mark.parametrize("chance", [-0.1, 1.5, "often"])
def test_chances_are_checked(chance):
    with pytest.raises(UsageError, match="seeing"):
        PuzzleResponder(chance)


def looked_at(world, part):
    """What the pixels show, by comparing tiles with the sprites."""
    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    size = image.shape[0] // world.codes.shape[0]
    sprites = sheet(world.sheet, size)
    tiles = image.reshape(-1, size, image.shape[1] // size, size, 3).swapaxes(1, 2)
    same = (tiles[:, :, None] == sprites).all((-1, -2, -3))
    assert (same.sum(-1) == 1).all()
    return world.state_of(same.argmax(-1))


@every_world
def test_a_model_at_an_endpoint_can_play_by_the_pixels_it_is_sent(id):
    world, seen = make_world(id, split="test"), []

    async def behave(server, request, writer):
        (part,) = [
            part
            for message in request.body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        ]
        state = looked_at(world, part)
        seen.append((state, world.state_of(world.codes)))
        moves = twin.solution(state["map"], STEPS[id])[:3]
        parts = {"observation": told(state, "natural"), "reasoning": "< a > b & c"}
        send(writer, completion(written("world_modeling", moves, parts)))

    with serving(behave) as server:
        for seed in range(3):
            agent = resolve(f"llm:m@{server.url}?images=1").create()
            player = Player(world.seats[SEAT], agent, "looker", language=True)
            outcome = asyncio.run(Match(world, {SEAT: player}, seed).play())
            assert outcome.metrics["success"] == 1
            assert outcome.metrics["state_estimation"] == 1
            assert not player.faults
    assert all(drawn == true for drawn, true in seen)
    system = server.asked[0]["messages"][0]["content"]
    assert "<observation>" in system
    assert "JSON" not in system  # the world reads the reply whole: nothing else is asked for


def test_a_reply_in_json_is_asked_for_by_its_schema():
    world = make_world("sokoban-v0", form="json", shows="text", turns=1)

    async def behave(server, request, writer):
        send(writer, completion(written("world_modeling", ["Up"], form="json")))

    with serving(behave) as server:
        agent = resolve(f"llm:m@{server.url}").create()
        player = Player(world.seats[SEAT], agent, "writer", language=True)
        outcome = asyncio.run(Match(world, {SEAT: player}, 0).play())
    asked = server.asked[0]["response_format"]["json_schema"]["schema"]
    assert [*asked["properties"]] == ["observation", "reasoning", "prediction", "action"]
    assert asked["properties"]["action"]["items"]["enum"] == ["Up", "Down", "Left", "Right"]
    assert outcome.metrics["format_rate"] == 1
