"""A bandit over tools: which one mends which fault, learned from what calls of it brought.

The planner of ``scene_weaver-v0`` that learns. SceneWeaver (Yang et al., arXiv 2509.20414) has its
language model say how far each tool is to be trusted with the worst fault, less so where it did not
help. Here that trust is only the prior: what a call promises is a normal belief for each fault and
tool, begun at the trust's share of ``gain`` and moved by the rises in worth that calls brought.
Thompson sampling (1933) tries tools while it learns; afterwards the best belief is followed. Within
a match a promise is halved each time the tool did not help, which is the paper's loss of trust. It
needs no torch.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Agent, Progress, Seat, TrainingTask, Turn

from ...envs import registry
from ..scripted.room_planners import BEGIN, LOSS, faults, reasoned, trust_in

WORLD = "scene_weaver-v0"
REPORT = 40
"""Decisions between two reports of progress."""
_UNTRUSTED = 0.2
"""Trust in a tool that nothing is said of."""
_LEAST = 0.002
"""The rise in worth below which a call is not worth it."""


@dataclass(frozen=True)
class ToolBanditConfig:
    """Parameters of the bandit."""

    prior: float = field(
        default=4.0, metadata={"doc": "observations that the trust counts for", "range": "above 0"}
    )
    gain: float = field(
        default=0.05, metadata={"doc": "rise in worth that full trust promises", "range": "above 0"}
    )
    spread: float = field(
        default=0.05, metadata={"doc": "deviation of one rise in worth", "range": "above 0"}
    )

    def __post_init__(self) -> None:
        for name in ("prior", "gain", "spread"):
            if not getattr(self, name) > 0:
                raise UsageError(
                    f"tool_bandit: {name} must be above 0, got {getattr(self, name)!r}"
                )


class Beliefs:
    """What calls of tools promise, by (fault, tool)."""

    def __init__(self, config: ToolBanditConfig) -> None:
        self.config = config
        self.total: dict[tuple[str, str], float] = {}
        self.count: dict[tuple[str, str], int] = {}

    def mean(self, fault: str, tool: str, trust: float) -> float:
        """The promise: the prior's and the mean rise, weighted by observations."""
        prior, key = self.config.prior, (fault, tool)
        known = self.total.get(key, 0.0) + prior * self.config.gain * trust
        return known / (prior + self.count.get(key, 0))

    def deviation(self, fault: str, tool: str) -> float:
        """How uncertain the promise is."""
        weight = self.config.prior + self.count.get((fault, tool), 0)
        return self.config.spread / math.sqrt(weight)

    def learn(self, fault: str, tool: str, rise: float) -> None:
        """A call brought ``rise``."""
        key = (fault, tool)
        self.total[key] = self.total.get(key, 0.0) + rise
        self.count[key] = self.count.get(key, 0) + 1


class BanditPlanner:
    """Follows beliefs; with ``rng`` it samples from them and learns, without it does neither."""

    deterministic = True

    def __init__(self, beliefs: Beliefs, rng: np.random.Generator | None = None) -> None:
        self._beliefs, self._rng = beliefs, rng

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: nothing was called yet."""
        self._lost: dict[tuple[str, str], float] = {}
        self._last: tuple[str, str] | None = None

    def act(self, turn: Turn) -> str:
        """The call that promises most; the end where none promises enough."""
        self.told(turn.reward)
        offered = list(turn.info["offered"])
        best, least, ideas = None, _LEAST, "Only slight gains are left."
        for fault, comment, trusted in self._wrong(turn, offered):
            for tool in offered:
                if tool == "terminate":
                    continue
                promise = self._promise(fault, tool, trusted.get(tool, _UNTRUSTED))
                if promise > least:
                    best, least, ideas = (fault, tool), promise, comment
        self._last = best or self._first(offered)
        tool = self._last[1] if self._last is not None else "terminate"
        return json.dumps({"tool": tool, "ideas": ideas[:400]})

    def told(self, rise: float) -> None:
        """What the last call brought."""
        if self._last is not None:
            if self._rng is not None:
                self._beliefs.learn(*self._last, rise)
            if rise < _LEAST:
                self._lost[self._last] = LOSS * self._lost.get(self._last, 1.0)
        self._last = None

    def _promise(self, fault: str, tool: str, trust: float) -> float:
        value = self._beliefs.mean(fault, tool, trust)
        if self._rng is not None:
            value += self._beliefs.deviation(fault, tool) * float(self._rng.normal())
        return value * self._lost.get((fault, tool), 1.0)

    @staticmethod
    def _wrong(turn: Turn, offered: list[str]) -> Iterator[tuple[str, str, Mapping[str, float]]]:
        if "terminate" not in offered and turn.observation["physics"][0] == 0:
            yield "begin", "Begin the room.", BEGIN
            return
        for fault, (_, comment) in faults(turn).items():
            yield fault, reasoned(fault, comment), trust_in(fault, comment)

    @staticmethod
    def _first(offered: list[str]) -> tuple[str, str] | None:
        """Where one may not end, what is offered first."""
        return None if "terminate" in offered else ("any", offered[0])


class ToolBandit:
    """Trains :class:`BanditPlanner`.

    Attributes:
        beliefs: about every fault and tool.
        steps: calls so far.
    """

    Config: ClassVar[type[ToolBanditConfig]] = ToolBanditConfig

    def __init__(self, config: ToolBanditConfig | None = None) -> None:
        self.config = config or self.Config()
        self.beliefs = Beliefs(self.config)
        self.steps = 0
        self._rng: np.random.Generator | None = None

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Furnish rooms until the budget of ``steps`` (calls) is spent.

        Raises:
            UsageError: another world, or one in which calls have no ideas.
        """
        if task.world != WORLD or task.params.get("control", "call") != "call" or task.partners:
            raise UsageError(f"tool_bandit trains in {WORLD} with control: call, alone")
        world: Any = registry.make_world(task.world, **task.params)
        (seat,) = world.seats
        rng = self._rng = self._rng or np.random.default_rng(np.random.SeedSequence(task.seed))
        total = task.budget.get("steps")
        returns: list[float] = []
        due = self.steps + REPORT
        while total is None or self.steps < total:
            planner = BanditPlanner(self.beliefs, rng)
            planner.reset(world.seats[seat], 0)
            turns = world.reset(int(rng.integers(2**63)))
            while turns:
                turn = turns[seat]
                said = planner.act(turn)
                turns = world.step({seat: world.parse(seat, said, turn.observation, turn.info)})
                self.steps += 1
            planner.told(world.outcome.final_rewards[seat])
            returns.append(world.outcome.returns[seat])
            if self.steps >= due or (total is not None and self.steps >= total):
                due = self.steps + REPORT
                yield Progress(
                    self.steps,
                    None if total is None else int(total),
                    {"return": float(np.mean(returns))},
                )
                returns = []

    def agents(self) -> Mapping[str, Agent]:
        """The planner that follows the beliefs so far."""
        return {"player_0": BanditPlanner(self.beliefs)}

    def state_dict(self) -> dict[str, Any]:
        """All that a fresh instance needs to go on, bit for bit."""
        keys = list(self.beliefs.total)
        return {
            "keys": [list(key) for key in keys],
            "total": np.array([self.beliefs.total[key] for key in keys], np.float64),
            "count": np.array([self.beliefs.count[key] for key in keys], np.int64),
            "steps": self.steps,
            "rng": None if self._rng is None else self._rng.bit_generator.state,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        keys = [(str(fault), str(tool)) for fault, tool in state["keys"]]
        self.beliefs.total = dict(zip(keys, np.asarray(state["total"]).tolist(), strict=True))
        self.beliefs.count = dict(zip(keys, np.asarray(state["count"]).tolist(), strict=True))
        self.steps = int(state["steps"])
        if state["rng"] is not None:
            self._rng = np.random.default_rng(0)
            self._rng.bit_generator.state = state["rng"]
