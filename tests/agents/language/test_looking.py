"""What a model that looks is sent: the very pixels that the world drew for the turn."""

from __future__ import annotations

import asyncio
import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from gymposium.agents.registry import resolve
from gymposium.arenas.asking import Player
from gymposium.arenas.match import Match
from gymposium.envs.registry import make_world

from .http_server import completion, send, serving

SEAT = "player_0"
LEVEL = {"split": "test", "pixels": 48, "turns": 2}
WORLDS = [
    ("navigation-v0", {"size": 40, "turns": 2}, "rotateright, moveback", "Instruction: "),
    (
        "primitive_skill-v0",
        {"size": 40, "turns": 2, "task": "align"},
        "pick(0, 0, 20)",
        "Instruction: ",
    ),
    ("sokoban-v0", {**LEVEL, "level": 9}, "Up, Down", "Turn 1 of 2"),
    ("frozen_lake-v0", {**LEVEL, "level": 3}, "Left", "Turn 1 of 2"),
    (
        "svg_reconstruction-v0",
        {"turns": 2, "shows": "image", "strategy": "world_modeling"},
        "<svg viewBox='0 0 24 24'><circle cx='12' cy='12' r='8' fill='#2a6fbb'/></svg>",
        "It is your turn",
    ),
]


def pixels(part):
    head, _, data = part["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


def sent(body):
    """The parts of all messages that an endpoint got."""
    several = [it["content"] for it in body["messages"] if isinstance(it["content"], list)]
    return [part for parts in several for part in parts]


def pictures(body):
    return [pixels(part) for part in sent(body) if part["type"] == "image_url"]


@pytest.mark.parametrize(("id", "params", "answer", "told"), WORLDS)
def test_an_endpoint_gets_the_pixels_of_the_turn_and_its_reply_is_read_whole(
    id, params, answer, told
):
    parts = ("observation", "reasoning", "prediction")
    inner = "".join(f"<{part}>ahead</{part}>" for part in parts)
    reply = f"<think>{inner}</think><answer>{answer}</answer>"

    async def behave(server, request, writer):
        send(writer, completion(reply))

    world, shown = make_world(id, **params), []
    twin = make_world(id, **params)
    turns = twin.reset(4)
    while turns:
        shown.append(turns[SEAT])
        turns = twin.step({SEAT: reply})
    with serving(behave) as server:
        agent = resolve(f"llm:m@{server.url}?images=1").create()
        player = Player(world.seats[SEAT], agent, "looker", language=True)
        outcome = asyncio.run(Match(world, {SEAT: player}, 4).play())
    assert len(server.asked) == len(shown) == 2
    for body, turn in zip(server.asked, shown, strict=True):
        sent_pictures = pictures(body)
        assert len(sent_pictures) == len(turn.images)
        assert all(map(np.array_equal, sent_pictures, turn.images))
        assert "".join(part["text"] for part in sent(body) if part["type"] == "text")
    first = " ".join(part["text"] for part in sent(server.asked[0]) if part["type"] == "text")
    assert told in first
    assert outcome.metrics == twin.outcome.metrics
    assert outcome.metrics["format_rate"] == 1


def test_two_who_speak_are_each_sent_their_own_view_and_what_the_other_said():
    said = {"player_0": "the box is here", "player_1": "the target is there"}

    def answered(seat):
        return {"move": 0, "say": said[seat]}

    def endpoint(seat):
        async def behave(server, request, writer):
            send(writer, completion(json.dumps({"move": "stay", "say": said[seat]})))

        return behave

    params = {**LEVEL, "level": 3, "shows": "both"}
    del params["turns"]
    world, twin = (make_world("pair_sokoban-v0", horizon=2, **params) for _ in range(2))
    shown, turns = [], twin.reset(4)
    while turns:
        shown.append(turns)
        turns = twin.step({seat: answered(seat) for seat in turns})
    with serving(endpoint("player_0")) as one, serving(endpoint("player_1")) as two:
        servers = {"player_0": one, "player_1": two}
        players = {}
        for seat, server in servers.items():
            agent = resolve(f"llm:m@{server.url}?images=1").create()
            players[seat] = Player(world.seats[seat], agent, seat, language=True)
        asyncio.run(Match(world, players, 4).play())
    assert len(shown) == 2
    assert not np.array_equal(shown[0]["player_0"].images[0], shown[0]["player_1"].images[0])
    for seat, server in servers.items():
        assert len(server.asked) == 2
        for body, turns in zip(server.asked, shown, strict=True):
            (picture,) = pictures(body)
            assert np.array_equal(picture, turns[seat].images[0])
        (partner,) = set(said) - {seat}
        assert said[partner] not in json.dumps(server.asked[0])
        assert said[partner] in json.dumps(server.asked[1])
