"""Bots at a table: a match of a grid world between them, looked at from behind the scenes."""

from __future__ import annotations

import numpy as np

from gymposium.agents.registry import resolve
from gymposium.envs import registry
from gymposium.envs.grid import state as columns


class Table:
    """A match in progress.

    Attributes:
        world: the world itself.
        counts: tallies by name, one number a seat.
    """

    def __init__(self, world, bots, *, seed=0, **params):
        self.world = registry.make_world(world, **{"agents": len(bots), **params})
        self.turns = self.world.reset(seed)
        self.agents = {}
        for number, (seat, bot) in enumerate(zip(self.world.seats, bots, strict=True)):
            spec = bot if bot == "random" else f"scripted:{bot}"
            self.agents[seat] = resolve(spec).create()
            self.agents[seat].reset(self.world.seats[seat], 1000 * seed + number)

    def play(self, steps=None, look=None):
        """Play on; ``look(before, actions)`` is called with every step's turns and actions."""
        while self.turns and steps != 0:
            actions = {seat: self.agents[seat].act(turn) for seat, turn in self.turns.items()}
            if look is not None:
                look(self.turns, actions)
            self.turns = self.world.step(actions)
            steps = None if steps is None else steps - 1
        return self

    @property
    def state(self):
        """The kernels' arrays."""
        return self.world._batch.state

    def tally(self, name):
        """A tally by its name in ``envs.grid.state``, one number a seat."""
        return self.state.tally[0, :, getattr(columns, name)].astype(int)

    def items(self):
        """The whole map's items."""
        return np.asarray(self.world.global_state())[..., 0]
