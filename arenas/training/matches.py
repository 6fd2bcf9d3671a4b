"""Matches for methods that learn from what their agents do: the arena's own loop, handed to them.

A method that trains a language model needs whole agents in whole matches (prompts, memory, faults),
not arrays of observations; so the arena plays, and the method's agents keep what they need.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from gymposium.types import Agent, Outcome, Play, World

from ...agents.registry import AgentSpec, resolve
from ..asking import Player
from ..match import Match, MatchRules
from .evaluation import run_here


def match_player(world: str, params: Mapping[str, Any], partners: Mapping[str, str]) -> Play:
    """The match loop over one world; nobody is asked twice, since a fault is something to learn.

    Args:
        world: its id.
        params: of the world.
        partners: seat id -> agent spec, for the seats that are not given.
    """
    from ...envs.registry import make_world

    worlds: list[World] = []
    specs: dict[str, AgentSpec] = {}

    def play(seatings: Sequence[Mapping[str, Agent]], seeds: Sequence[int]) -> Sequence[Outcome]:
        specs.update({seat: resolve(text) for seat, text in partners.items() if seat not in specs})
        while len(worlds) < len(seeds):
            worlds.append(make_world(world, **params))
        matches = [
            Match(table, _seated(table, seating, specs), seed, MatchRules(reasks=0))
            for table, seating, seed in zip(worlds, seatings, seeds, strict=False)
        ]
        outcomes: list[Outcome] = []

        async def all_of_them() -> None:
            outcomes.extend(await asyncio.gather(*(match.play() for match in matches)))

        run_here(all_of_them())
        return outcomes

    return play


def _seated(
    world: World, seating: Mapping[str, Agent], partners: Mapping[str, AgentSpec]
) -> dict[str, Player]:
    """Everybody in their seats; what a learning agent's model cannot answer stops the match."""
    players = {}
    for seat in world.seats.values():
        if seat.id in seating:
            players[seat.id] = Player(seat, seating[seat.id], "learner", language=True)
        else:
            spec = partners[seat.id]
            players[seat.id] = Player(seat, spec.create(), spec.name, language=spec.language)
    return players
