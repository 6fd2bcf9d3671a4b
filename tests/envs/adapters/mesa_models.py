"""Mesa models for tests: one with every part of the hook, and some that lack one."""

from __future__ import annotations

import random
from typing import Any

import mesa
import numpy as np
from gymnasium import spaces

VIEW = spaces.Discrete(1000)


class Auctioneer(mesa.Model):
    """Two asked in turn within a tick, a third only in odd ticks; stops after seven ticks."""

    action_names = {"ann": ("pass", "take")}  # noqa: RUF012

    def __init__(self, seed: Any = None, prize: int = 3) -> None:
        super().__init__(seed=seed)
        self.prize = prize
        self.won = dict.fromkeys(("ann", "bob", "cyd"), 0)
        self.left = 0
        self.seats = {name: (VIEW, spaces.Discrete(2)) for name in self.won}
        self.datacollector = mesa.DataCollector({"left": "left", "odd_one": lambda model: [1, 2]})
        self.heard: list[Any] = []

    def decisions(self) -> Any:
        self.left = self.random.randint(1, self.prize)
        for name in ("ann", "bob"):
            answers = yield [name]
            self.heard.append(answers)
            if answers[name] and self.left:
                self.left -= 1
                self.won[name] += 1
        if self.steps % 2:
            answers = yield {"cyd"}
            self.won["cyd"] -= answers["cyd"]
        self.step()

    def step(self) -> None:
        self.datacollector.collect(self)
        self.running = self.steps < 7

    def mask(self, name: str) -> Any:
        return np.array([1, name != "cyd"], np.int8)

    def observe(self, name: str) -> int:
        return self.left

    def score(self, name: str) -> float:
        return 10 * self.won[name]


class Careless(Auctioneer):
    """Draws from Python's own generator and ignores its seed."""

    def decisions(self) -> Any:
        self.left = random.randint(0, 999)
        yield list(self.won)
        self.step()


class NoScore(mesa.Model):
    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed=seed)

    def decisions(self) -> Any:
        yield []

    def observe(self, name: str) -> int:
        return 0


class NoSeats(NoScore):
    def score(self, name: str) -> float:
        return 0.0


class Seedless(Auctioneer):
    def __init__(self) -> None:
        super().__init__(seed=1)


class AsksStrangers(Auctioneer):
    def decisions(self) -> Any:
        yield ["dan"]


class AsksNobody(Auctioneer):
    def decisions(self) -> Any:
        yield []


class NoGenerator(Auctioneer):
    def decisions(self) -> Any:
        return ["ann"]


class NeverAsks(Auctioneer):
    def decisions(self) -> Any:
        self.step()
        yield from ()


class Broken(Auctioneer):
    def __init__(self, seed: Any = None) -> None:
        raise ValueError("no luck today")
