import asyncio

from gymnasium import spaces

from gymposium.agents.language.backends.protocol import Completion
from gymposium.types import Seat, Turn, Usage

RULES = "You are player_0. You play a game with player_1.\nEach round you cooperate or defect."
SCHEMA = {"type": "string", "enum": ["cooperate", "defect"]}


class Recording:
    """A backend that notes what it is asked and answers from a list."""

    deterministic = True
    trainable = False
    name = "recording"

    def __init__(self, answers=(), context_tokens=None, usage=None):
        self.answers = list(answers)
        self.context_tokens = context_tokens
        self.asked = []
        self.parameters = []
        self.usage = usage or (lambda messages: Usage(0, 1))

    async def complete(self, messages, **parameters):
        self.asked.append([dict(message) for message in messages])
        self.parameters.append(parameters)
        text = self.answers.pop(0) if self.answers else '{"action":"cooperate"}'
        return [Completion(text, self.usage(messages))]

    async def close(self):
        pass


def make_seat(**changes):
    space = spaces.Discrete(2)
    return Seat(**{"id": "player_0", "observation_space": space, "action_space": space} | changes)


def make_turn(step, text, *, schema=SCHEMA, reward=0.0, info=None):
    return Turn(
        "player_0", step, 0, reward, spaces.Discrete(2), info=info or {}, text=text, schema=schema
    )


def play(agent, turns):
    """The replies of ``agent`` to ``turns``."""

    async def go():
        return [await agent.act(turn) for turn in turns]

    return asyncio.run(go())
