"""Two of Mesa's own example models with a decision hook: how to give one to a model of yours.

Both leave Mesa's model as it is and add who decides what; see :mod:`.mesa_world` for the hook.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from mesa.examples.basic.boltzmann_wealth_model.model import BoltzmannWealth
from mesa.examples.basic.schelling.model import Schelling

Asks = Generator[list[str], Mapping[str, int], None]


class Boltzmann(BoltzmannWealth):  # type: ignore[misc]
    """Everybody starts with a coin and walks about; whoever has a coin gives one to a cellmate.

    The seats may keep theirs. One is told its coins and how many others stand in its cell, and is
    asked when both are more than zero. Score: the coins one holds.
    """

    def __init__(self, seats: int = 2, n: int = 50, width: int = 6, height: int = 6, seed: Any = 0):
        super().__init__(n=n, width=width, height=height, seed=seed)
        self.sitting = {f"walker_{i}": agent for i, agent in enumerate(self.agents[:seats])}
        self.by_agent = {agent: seat for seat, agent in self.sitting.items()}
        seen = spaces.Dict({"coins": spaces.Discrete(n + 1), "cellmates": spaces.Discrete(n)})
        self.seats = {seat: (seen, spaces.Discrete(2)) for seat in self.sitting}
        self.action_names = dict.fromkeys(self.sitting, ("keep", "give"))

    def decisions(self) -> Asks:
        """One tick of Mesa's model, stopping at each seat whose turn it is to give."""
        for agent in self.agents.shuffle():
            agent.move()
            seat = self.by_agent.get(agent)
            if agent.wealth > 0:
                if seat is not None and len(agent.cell.agents) > 1:
                    answers = yield [seat]
                    if answers[seat] == 0:
                        continue
                agent.give_money()
        self.datacollector.collect(self)

    def observe(self, seat: str) -> dict[str, int]:
        """Coins and company."""
        agent = self.sitting[seat]
        return {"coins": agent.wealth, "cellmates": len(agent.cell.agents) - 1}

    def score(self, seat: str) -> float:
        """The coins held."""
        return float(self.sitting[seat].wealth)


class Neighbourhood(Schelling):  # type: ignore[misc]
    """Two kinds of people on a grid; who has too few neighbours of its kind moves elsewhere.

    The seats decide at the start of each tick whether to stay or to move to a random empty cell,
    seeing how many of their neighbours are of their kind and how many are not. Score: the ticks at
    whose end one is content.
    """

    def __init__(
        self,
        seats: int = 2,
        width: int = 10,
        height: int = 10,
        homophily: float = 0.4,
        seed: Any = 0,
    ):
        super().__init__(width=width, height=height, homophily=homophily, seed=seed)
        self.sitting = {f"neighbour_{i}": agent for i, agent in enumerate(self.agents[:seats])}
        self.content = dict.fromkeys(self.sitting, 0)
        seen = spaces.Box(0, 8, (2,), np.int64)
        self.seats = {seat: (seen, spaces.Discrete(2)) for seat in self.sitting}
        self.action_names = dict.fromkeys(self.sitting, ("stay", "move"))

    def decisions(self) -> Asks:
        """Ask all seats at once, then let Mesa's model take its step."""
        answers = yield list(self.sitting)
        for seat, agent in self.sitting.items():
            agent.happy = answers[seat] == 0  # in Mesa's step the unhappy move
        self.step()
        for seat, agent in self.sitting.items():
            self.content[seat] += agent.happy

    def observe(self, seat: str) -> Any:
        """Neighbours of one's kind, and others."""
        agent = self.sitting[seat]
        kinds = [other.type for other in agent.cell.neighborhood.agents]
        same = kinds.count(agent.type)
        return np.array([same, len(kinds) - same], np.int64)

    def score(self, seat: str) -> float:
        """Ticks at whose end it was content."""
        return float(self.content[seat])
