"""What a model that looks is sent: the very pixels that the world drew for the turn."""

from __future__ import annotations

import asyncio
import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from gymposium.agents.registry import resolve
from gymposium.arenas.asking import Player
from gymposium.arenas.match import Match
from gymposium.envs.registry import make_world

from .http_server import completion, send, serving

SEAT = "player_0"
WORLDS = [
    ("navigation-v0", {"size": 40, "turns": 2}, "rotateright, moveback"),
    ("primitive_skill-v0", {"size": 40, "turns": 2, "task": "align"}, "pick(0, 0, 20)"),
]


def pixels(part):
    head, _, data = part["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


@pytest.mark.parametrize(("id", "params", "answer"), WORLDS)
def test_an_endpoint_gets_the_pixels_of_the_turn_and_its_reply_is_read_whole(id, params, answer):
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
        sent = [
            part
            for message in body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
        ]
        (picture,) = [pixels(part) for part in sent if part["type"] == "image_url"]
        assert np.array_equal(picture, turn.images[0])
        words = " ".join(part["text"] for part in sent if part["type"] == "text")
        assert re.search(r"Instruction: ", words)
    assert outcome.metrics == twin.outcome.metrics
    assert outcome.metrics["format_rate"] == 1
