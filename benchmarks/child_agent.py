"""What a turn costs in a child process, beside the same turn in this one; figures of one run.

Run it by hand: ``python benchmarks/child_agent.py``. Target: at most 300 µs a turn on top.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import gymnasium as gym
import numpy as np

from gymposium.agents.isolation import shutdown
from gymposium.agents.registry import resolve
from gymposium.types import Seat, Turn

CODE = """
class Bot:
    def reset(self, seat, seed):
        self.last = 0

    def act(self, turn):
        self.last = 1 - self.last
        return self.last
"""
TURNS = 2000
SCHEMA = {"type": "string", "enum": ["cooperate", "defect"]}


def turns(observation, space, text):
    """Fresh turns, so that nothing is cached between them."""
    for step in range(TURNS):
        yield Turn(
            "a", step, observation, 1.0, space, None, {}, text=text, images=(), schema=SCHEMA
        )


async def measure(spec, name, observation, observation_space, text):
    """Median and 95th percentile of a turn, in microseconds."""
    space = gym.spaces.Discrete(2)
    seat = Seat("a", observation_space, space, rules="play")
    agent = spec.create()
    began = time.perf_counter()
    waiting = agent.reset(seat, 1)
    if waiting is not None:
        await waiting
    start = time.perf_counter() - began
    times: list[float] = []
    answers = []
    for turn in turns(observation, space, text):
        began = time.perf_counter()
        answer = agent.act(turn)
        if not isinstance(answer, int):
            answer = await answer
        times.append((time.perf_counter() - began) * 1e6)
        answers.append(answer)
    if answers != [1, 0] * (TURNS // 2):
        raise SystemExit(f"{name}: wrong answers")
    times.sort()
    median, high = statistics.median(times), times[int(len(times) * 0.95)]
    print(f"{name:34} start {start * 1e3:7.1f} ms  turn {median:7.1f} µs  (95 %: {high:7.1f} µs)")
    if hasattr(agent, "close"):
        await agent.close()
    return median


async def main():
    """Print one line a case, and the differences."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench_bot.py"
        path.write_text(CODE, encoding="utf-8")
        child, here = resolve(f"{path}:Bot"), resolve(f"{path}:Bot", trusted=True)
        word = "The others played cooperate, defect. " * 8
        cases = {
            "discrete observation, short text": (1, gym.spaces.Discrete(4), "round 3"),
            "dict observation, 300 characters": (
                {"round": 3, "last": np.zeros(2, np.int8), "told": "hello"},
                gym.spaces.Discrete(4),
                word,
            ),
            "88x88x3 image observation": (
                np.zeros((88, 88, 3), np.uint8),
                gym.spaces.Box(0, 255, (88, 88, 3), np.uint8),
                "a picture",
            ),
        }
        for name, (observation, space, text) in cases.items():
            inside = await measure(here, f"in process: {name}"[:34], observation, space, text)
            outside = await measure(child, f"child:      {name}"[:34], observation, space, text)
            print(f"{'':34} overhead {outside - inside:.1f} µs")
        await shutdown()


if __name__ == "__main__":
    asyncio.run(main())
