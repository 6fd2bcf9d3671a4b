"""The town of a thousand: model-ticks a second, beside Mesa's usual way of a ``step`` per agent.

Run: ``python benchmarks/town.py``. One core. The same rules, the same thousand people: once as
arrays inside the Mesa model (``town-v0``), once with a method call per agent and phase, as Mesa's
tutorials write it. Then the world with a bot in a seat, and the match loop with its record.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from typing import Any

import mesa
import numpy as np

import gymposium
from gymposium.agents.registry import resolve
from gymposium.envs.societies.town_model import TownModel
from gymposium.envs.societies.town_params import TownParams

PEOPLE, HOURS, NAIVE_HOURS = 1000, 300, 30
PARAMS = TownParams(people=PEOPLE, places=5, hours=HOURS, seats=1)


class Villager(mesa.Agent):
    """A person with a step of its own."""

    def __init__(self, model: Village, strategy: int, favourite: int) -> None:
        super().__init__(model)
        self.strategy, self.favourite, self.place = strategy, favourite, favourite
        self.wealth, self.news, self.partner = 0.0, None, None
        self.opinion: dict[Villager, int] = defaultdict(int)

    def go(self) -> None:
        """To the favourite place, or anywhere."""
        p, random = self.model.params, self.random
        self.place = self.favourite if random.random() < p.habit else random.randrange(p.places)
        self.partner = None
        self.model.here[self.place].append(self)

    def decide(self) -> None:
        """By the way it has."""
        if self.partner is not None:
            kind = self.strategy == 0 or (self.strategy == 2 and self.opinion[self.partner] >= 0)
            self.kind = kind != (self.random.random() < self.model.params.slips)
            about = self.news
            self.tale = (about, np.sign(self.opinion[about]) if about else 0)

    def meet(self) -> None:
        """Play, listen, judge."""
        other = self.partner
        if other is None:
            return
        self.wealth += self.model.matrix[1 - self.kind][1 - other.kind]
        about, word = other.tale
        heard = about not in (None, self) and word and self.opinion[other] >= 0
        if heard:
            self.judge(about, int(word))
        self.judge(other, 1 if other.kind else -1)
        self.news = about if heard and self.random.random() < 0.5 else other

    def watch(self) -> None:
        """Now and then see a meeting."""
        seen = self.model.held[self.place]
        if seen and self.random.random() < self.model.params.watch:
            one, two = self.random.choice(seen)
            if self not in (one, two):
                for who in (one, two):
                    self.judge(who, 1 if who.kind else -1)
                if self.partner is None:
                    self.news = one

    def imitate(self) -> None:
        """Take over the way of a richer partner."""
        other = self.partner
        copies = other and self.random.random() < self.model.params.imitation
        if copies and other.wealth > self.wealth:
            self.strategy = other.strategy

    def judge(self, whom: Villager, change: int) -> None:
        """Within -5 and 5."""
        self.opinion[whom] = max(-5, min(5, self.opinion[whom] + change))


class Village(mesa.Model):
    """The town as Mesa's tutorials would write it."""

    def __init__(self, params: TownParams, seed: int) -> None:
        super().__init__(seed=seed)
        self.params, self.matrix = params, params.matrix.tolist()
        for strategy in self.rng.permutation(np.arange(params.people) * 3 // params.people):
            Villager(self, int(strategy), int(self.rng.integers(params.places)))
        self.datacollector = mesa.DataCollector(
            {
                "payoff": lambda model: sum(one.wealth for one in model.agents),
                "cooperation": lambda model: sum(
                    one.kind for one in model.agents if one.partner is not None
                ),
            }
        )

    def step(self) -> None:
        """One hour."""
        self.here: Any = defaultdict(list)
        self.held: Any = {}
        self.agents.shuffle_do("go")
        for place in range(self.params.places):
            people = self.here[place]
            self.held[place] = list(zip(people[::2], people[1::2], strict=False))
            for one, two in self.held[place]:
                one.partner, two.partner = two, one
        for phase in ("decide", "meet", "watch", "imitate"):
            self.agents.shuffle_do(phase)
        self.datacollector.collect(self)


def rate(model: Any, ticks: int) -> float:
    """Ticks a second."""
    model.step()
    began = time.perf_counter()
    for _ in range(ticks):
        model.step()
    return ticks / (time.perf_counter() - began)


def world_rate() -> float:
    """Hours a second of the world, with a bot in its seat."""
    world = gymposium.make("town-v0", api="world", people=PEOPLE, hours=HOURS, seats=1)
    bot = resolve("scripted:town_discriminator").create()
    bot.reset(world.seats["resident_0"], 0)
    turns = world.reset(0)
    began = time.perf_counter()
    while turns:
        turns = world.step({seat: bot.act(turn) for seat, turn in turns.items()})
    return HOURS / (time.perf_counter() - began)


def match_rate() -> float:
    """Hours a second in the match loop, with everything recorded."""
    from gymposium.arenas.asking import Player
    from gymposium.arenas.match import Match
    from gymposium.arenas.record import Recorder

    world = gymposium.make("town-v0", api="world", people=PEOPLE, hours=HOURS, seats=1)
    bot = resolve("scripted:town_discriminator").create()
    players = {"resident_0": Player(world.seats["resident_0"], bot, "bot")}
    recorder = Recorder({})
    began = time.perf_counter()
    asyncio.run(Match(world, players, 0, recorder=recorder).play())
    recorder.finish()
    return HOURS / (time.perf_counter() - began)


def main() -> None:
    """Print the figures."""
    ours = rate(TownModel(PARAMS, np.random.default_rng(0)), HOURS)
    naive = rate(Village(PARAMS, 0), NAIVE_HOURS)
    print(f"{PEOPLE} people, model-ticks a second: {ours:6.0f} (goal: 200)")
    print(f"  with a step per Mesa agent:     {naive:6.1f}; ratio {ours / naive:.0f}")
    print(f"  the world with a bot in a seat: {world_rate():6.0f}")
    print(f"  match loop and record:          {match_rate():6.0f}")


if __name__ == "__main__":
    main()
