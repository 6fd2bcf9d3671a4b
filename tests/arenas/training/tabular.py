"""Small methods for tests of the training runner: tabular REINFORCE, and ones that misbehave."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.agents.methods import MethodSpec
from gymposium.envs.registry import make_world
from gymposium.types import Progress, Seat, TrainingTask, Turn


class TableAgent:
    """Plays each action with the probability that a softmax gives it; no state but its own."""

    deterministic = True

    def __init__(self, logits: np.ndarray[Any, Any]) -> None:
        self.logits = logits

    def reset(self, seat: Seat, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> int:
        weights = np.exp(self.logits - self.logits.max())
        return int(self._rng.choice(len(weights), p=weights / weights.sum()))


@dataclass(frozen=True)
class TabularConfig:
    """What :class:`Tabular` takes."""

    lr: float = 0.2
    ends_after: int = 0
    """Matches after which it ends by itself; 0 for never."""
    nap: float = 0.0
    """Seconds slept each match."""
    die_at: int = 0
    """The step at which it kills its process, the first time."""
    raise_at: int = 0
    """The step at which it raises."""


class Tabular:
    """REINFORCE on one softmax a seat, a match at a time, in any world of discrete actions."""

    Config = TabularConfig

    def __init__(self, config: TabularConfig) -> None:
        self.config = config
        self.logits: dict[str, np.ndarray[Any, Any]] = {}
        self.step = 0
        self.baseline = {"all": 0.0}
        self.generator: Any = None

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        from gymposium.agents.registry import resolve

        world = make_world(task.world, **task.params)
        rng = np.random.default_rng(task.seed)
        if self.generator is not None:
            rng.bit_generator.state = self.generator
        for seat in task.seats:
            self.logits.setdefault(seat, np.zeros(int(world.seats[seat].action_space.n)))
        partners = {seat: resolve(spec) for seat, spec in task.partners.items()}
        total = int(task.budget["steps"])
        while not self.config.ends_after or self.step < self.config.ends_after:
            seed = int(rng.integers(2**31))
            agents = self.agents() | {seat: spec.create() for seat, spec in partners.items()}
            for place, (seat, agent) in enumerate(agents.items()):
                agent.reset(world.seats[seat], seed + place)
            turns, chosen = world.reset(seed), {seat: [] for seat in task.seats}
            while turns:
                actions = {seat: agents[seat].act(turn) for seat, turn in turns.items()}
                for seat in task.seats:
                    if seat in actions:
                        chosen[seat].append(actions[seat])
                turns = world.step(actions)
                self.step += 1
            returns = world.outcome.returns
            for seat in task.seats:
                self._learn(seat, chosen[seat], returns[seat])
            self.generator = rng.bit_generator.state
            self._misbehave()
            mean = float(np.mean([returns[seat] for seat in task.seats]))
            yield Progress(self.step, total, {"train_return": mean})

    def _learn(self, seat: str, actions: list[int], gain: float) -> None:
        logits = self.logits[seat].copy()
        weights = np.exp(logits - logits.max())
        policy = weights / weights.sum()
        grad = np.bincount(actions, minlength=len(logits)) - len(actions) * policy
        advantage = gain - self.baseline["all"]
        self.baseline["all"] += 0.1 * advantage
        self.logits[seat] = logits + self.config.lr * advantage * grad / max(1, len(actions))

    def _misbehave(self) -> None:
        time.sleep(self.config.nap)
        if self.config.raise_at and self.step >= self.config.raise_at:
            raise ZeroDivisionError("on purpose")
        mark = Path("died")
        if self.config.die_at and self.step >= self.config.die_at and not mark.exists():
            mark.touch()
            os._exit(9)

    def agents(self) -> Mapping[str, TableAgent]:
        return {seat: TableAgent(logits) for seat, logits in self.logits.items()}

    def state_dict(self) -> Mapping[str, Any]:
        return {
            "logits": self.logits,
            "step": self.step,
            "baseline": self.baseline,
            "generator": self.generator,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.logits = dict(state["logits"])
        self.step = state["step"]
        self.baseline = dict(state["baseline"])
        self.generator = state["generator"]


SPEC = MethodSpec(
    "tabular", f"{__name__}:Tabular", "REINFORCE on a table, for tests", extras=(), kind="policies"
)
