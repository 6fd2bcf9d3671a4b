"""A real picture of each world: a match between its bots, stopped half way and drawn."""

from __future__ import annotations

import io
from typing import Any

from gymposium.agents.registry import known_agents, resolve
from gymposium.envs.registry import WorldSpec, make_world
from gymposium.errors import UsageError
from gymposium.types import Reply, Seat, Turn

SEED, MOST_STEPS = 3, 40


def picture(spec: WorldSpec) -> bytes:
    """PNG of a frame in the middle of a seeded match; the same bytes every time."""
    from PIL import Image

    world = _played(spec, _steps(spec) // 2)
    frame = Image.fromarray(world.draw())
    factor = max(1, 480 // max(frame.size))
    frame = frame.resize((frame.width * factor, frame.height * factor), Image.Resampling.NEAREST)
    file = io.BytesIO()
    frame.save(file, "PNG", optimize=True)
    return file.getvalue()


def _steps(spec: WorldSpec) -> int:
    """Steps a match lasts, counted up to a limit."""
    return _walk(spec, MOST_STEPS)[1]


def _played(spec: WorldSpec, steps: int) -> Any:
    return _walk(spec, steps)[0]


def _fits(bot: str, world: str, seat: Seat) -> bool:
    """Whether a bot sits in such a seat."""
    fits = resolve(bot).fits
    try:
        if fits is not None:
            fits(world, seat)
    except UsageError:
        return False
    return True


def _walk(spec: WorldSpec, most: int) -> tuple[Any, int]:
    """A world after ``most`` steps of its first bot in every seat, or random where it has none."""
    bots = [info.spec for info in known_agents() if spec.id in info.worlds] or ["random"]
    world = make_world(spec.id)
    turns = world.reset(SEED)
    agents = {}
    for number, (seat, facts) in enumerate(world.seats.items()):
        here = [bot for bot in bots if _fits(bot, spec.id, facts)] or ["random"]
        agents[seat] = resolve(here[number % len(here)]).create()
        agents[seat].reset(facts, number)
    for step in range(most):
        if not turns:
            return world, step
        turns = world.step({seat: _action(world, agents[seat], turns[seat]) for seat in turns})
    return world, most


def _action(world: Any, agent: Any, turn: Turn) -> Any:
    """What an agent does; what it says in words, the world parses."""
    said = agent.act(turn)
    if isinstance(said, Reply):
        said = said.text if said.action is None else said.action
    if isinstance(said, str):
        return world.words.parse(turn.seat, said, turn.observation, turn.info)
    return said
