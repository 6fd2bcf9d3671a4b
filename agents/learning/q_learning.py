"""Tabular Q-learning (Watkins, 1989): a table of values for worlds small enough to have one.

The states are the observations met, as they are. One seat learns; the others, if there are any,
have partners. The step size of a state and action falls as a power of its visits, so that values
settle (Even-Dar and Mansour, 2003). It needs no torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Agent, Progress, Seat, TrainingTask, Turn, World

from ...envs import registry
from ..registry import resolve
from ..wire import to_json

Key: TypeAlias = str
REPORT = 2_000
"""Decisions between two reports of progress."""


@dataclass(frozen=True)
class QLearningConfig:
    """Parameters of Q-learning."""

    epsilon: float = field(
        default=0.1, metadata={"doc": "chance of a random choice while learning", "range": "0 to 1"}
    )
    power: float = field(
        default=0.7,
        metadata={"doc": "step size is visits to minus this", "range": "above 0.5 to 1"},
    )
    gamma: float = field(default=1.0, metadata={"doc": "discount", "range": "0 to 1"})
    vary: str = field(
        default="", metadata={"doc": "a parameter of the world drawn anew for every match"}
    )
    low: int = field(default=1, metadata={"doc": "its lowest value"})
    high: int = field(default=1, metadata={"doc": "its highest value"})

    def __post_init__(self) -> None:
        for name, low, high in (("epsilon", 0, 1), ("gamma", 0, 1), ("power", 0.5, 1)):
            value = getattr(self, name)
            if not low <= value <= high or (name == "power" and value == low):
                span = self.__dataclass_fields__[name].metadata["range"]
                raise UsageError(f"q_learning: {name} must be {span}, got {value!r}")
        if self.vary and not self.low <= self.high:
            raise UsageError(f"q_learning: low={self.low} must not be above high={self.high}")


class QLearning:
    """Tabular Q-learning for one seat with a Discrete choice.

    Attributes:
        values: by observation, the values of all actions.
        visits: by observation, how often each action was learned from.
        steps: decisions so far.
    """

    Config: ClassVar[type[QLearningConfig]] = QLearningConfig

    def __init__(self, config: QLearningConfig | None = None) -> None:
        self.config = config or self.Config()
        self.values: dict[Key, Any] = {}
        self.visits: dict[Key, Any] = {}
        self.steps = 0
        self._seat = ""
        self._choices = 0
        self._rng: np.random.Generator | None = None
        self._worlds: dict[int, World] = {}  # by the value of what varies

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Learn, match after match, until the budget of ``steps`` (decisions) is spent.

        Raises:
            UsageError: no or several seats would learn, or the choice is not Discrete.
        """
        if self._rng is None:
            self._rng = np.random.default_rng(np.random.SeedSequence(task.seed))
        total = task.budget.get("steps")
        returns: list[float] = []
        due = self.steps + REPORT
        while total is None or self.steps < total:
            returns.append(self._match(task, self._rng))
            if self.steps >= due or (total is not None and self.steps >= total):
                due = self.steps + REPORT
                measures = {"return": float(np.mean(returns)), "states": float(len(self.values))}
                returns = []
                yield Progress(self.steps, None if total is None else int(total), measures)

    def agents(self) -> Mapping[str, Agent]:
        """The greedy agent of the table so far, by seat."""
        return {self._seat: GreedyTable(self.values)}

    def state_dict(self) -> dict[str, Any]:
        """All that a fresh instance needs to go on, bit for bit."""
        keys = list(self.values)
        shape = (len(keys), self._choices)
        return {
            "keys": keys,
            "values": np.array([self.values[key] for key in keys], np.float64).reshape(shape),
            "visits": np.array([self.visits[key] for key in keys], np.int64).reshape(shape),
            "steps": self.steps,
            "seat": self._seat,
            "rng": None if self._rng is None else self._rng.bit_generator.state,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        rows = zip(state["keys"], np.asarray(state["values"]), strict=True)
        self.values = {key: row.copy() for key, row in rows}
        rows = zip(state["keys"], np.asarray(state["visits"]), strict=True)
        self.visits = {key: row.copy() for key, row in rows}
        self.steps, self._seat = int(state["steps"]), str(state["seat"])
        self._choices = int(np.asarray(state["values"]).shape[1])
        if state["rng"] is not None:
            self._rng = np.random.default_rng(0)
            self._rng.bit_generator.state = state["rng"]

    def _match(self, task: TrainingTask, rng: np.random.Generator) -> float:
        world = self._world(task, rng)
        own = self._own_seat(task, world)
        turns = world.reset(int(rng.integers(2**63)))
        others = self._partners(task, world, rng)
        last: tuple[Key, int] | None = None
        while turns:
            actions = {seat: others[seat].act(turns[seat]) for seat in turns if seat != own}
            if own in turns:
                turn = turns[own]
                key = _key(turn.observation)
                if last is not None:
                    self._learn(*last, turn.reward, self._row(key).max())
                actions[own] = action = self._choose(key, turn.action_mask, rng)
                last = (key, action)
                self.steps += 1
            turns = world.step(actions)
        if last is not None:
            self._learn(*last, world.outcome.final_rewards[own], 0.0)
        return float(world.outcome.returns[own])

    def _world(self, task: TrainingTask, rng: np.random.Generator) -> World:
        vary, value = self.config.vary, 0
        if vary:
            value = int(rng.integers(self.config.low, self.config.high + 1))
        made = self._worlds.get(value)
        if made is None:
            params = {**task.params, vary: value} if vary else task.params
            made = self._worlds[value] = registry.make_world(task.world, **params)
        return made

    def _own_seat(self, task: TrainingTask, world: World) -> str:
        seats = tuple(task.seats) or tuple(s for s in world.seats if s not in task.partners)
        for seat in (*seats, *task.partners):
            if seat not in world.seats:
                raise UnknownName("seat", seat, world.seats, where=task.world)
        if len(seats) != 1 or len(task.partners) != len(world.seats) - 1:
            raise UsageError(
                f"q_learning trains one seat of {task.world} beside partners in all others; "
                f"name the seat and give partners to the rest of {', '.join(world.seats)}"
            )
        space = world.seats[seats[0]].action_space
        if not isinstance(space, Discrete) or space.start != 0:
            raise UsageError(f"q_learning needs a Discrete choice; {task.world} has {space}")
        self._seat, self._choices = seats[0], int(space.n)
        return seats[0]

    def _partners(
        self, task: TrainingTask, world: World, rng: np.random.Generator
    ) -> dict[str, Any]:
        made = {}
        for seat, spec in task.partners.items():
            agent: Any = resolve(spec).create()
            agent.reset(world.seats[seat], int(rng.integers(2**63)))
            made[seat] = agent
        return made

    def _choose(self, key: Key, mask: Any, rng: np.random.Generator) -> int:
        row = self._row(key)
        legal = np.arange(len(row)) if mask is None else np.flatnonzero(mask)
        if rng.random() < self.config.epsilon:
            return int(legal[rng.integers(len(legal))])
        best = legal[row[legal] >= row[legal].max()]
        return int(best[rng.integers(len(best))])

    def _learn(self, key: Key, action: int, reward: float, later: float) -> None:
        visits = self.visits[key]
        visits[action] += 1
        row = self.values[key]
        target = reward + self.config.gamma * later
        row[action] += (target - row[action]) * float(visits[action]) ** -self.config.power

    def _row(self, key: Key) -> Any:
        row = self.values.get(key)
        if row is None:
            row = self.values[key] = np.zeros(self._choices)
            self.visits[key] = np.zeros(self._choices, np.int64)
        return row


class GreedyTable:
    """Plays the best known action; of a state never met, the first legal one."""

    deterministic = True

    def __init__(self, values: Mapping[Key, Any]) -> None:
        self._values = values

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to forget."""

    def act(self, turn: Turn) -> int:
        """The action of the highest value."""
        return self.choose(_key(turn.observation), turn)

    def choose(self, key: Key, turn: Turn) -> int:
        """The same for the state of that key."""
        row = self._values.get(key)
        mask = turn.action_mask
        count = int(turn.action_space.n)  # type: ignore[attr-defined]
        legal = np.arange(count) if mask is None else np.flatnonzero(mask)
        return int(legal[0] if row is None else legal[row[legal].argmax()])


def _key(observation: Any) -> Key:
    if isinstance(observation, np.ndarray):
        return f"{observation.dtype.str}{observation.tobytes().hex()}"
    return repr(to_json(observation))
