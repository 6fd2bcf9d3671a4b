"""Rollouts of any world: several matches played side by side through ``reset`` and ``step``.

A seat's decision is rewarded with all that comes until its next turn, or until the end. Seats need
not act at the same time or equally often, so time is each seat's own: decision t is its t-th, and
shorter lanes are padded. Whole matches are played, so that nothing has to be kept between rollouts.
Seats that are not trained are played by partners, who are ordinary agents.
"""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import IllegalAction
from gymposium.types import Action, Agent, Reply, Turn, World

from .encoding import Encoder, encoder
from .rollouts import Decider, Rollout, SeatSpaces, blank

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass
class _Decision:
    """One decision of a trained seat and what came of it."""

    seen: Array
    mask: Array
    choices: Array
    amounts: Array
    logp: float
    values: Array
    state: Array | None
    start: bool
    rewards: Array  # of all N seats since
    next_values: Any = 0.0
    terminated: bool = False
    truncated: bool = False


@dataclass
class _Table:
    """One of the matches played side by side."""

    world: World
    turns: dict[str, Turn] = field(default_factory=dict)
    partners: dict[str, Agent] = field(default_factory=dict)
    latest: dict[str, Array] = field(default_factory=dict)  # what each trained seat saw last
    open: dict[str, _Decision] = field(default_factory=dict)  # decisions still earning
    lanes: dict[str, list[_Decision]] = field(default_factory=dict)
    played: int = 0  # steps in this rollout


class MatchRollouts:
    """Rollouts of any world through its turns.

    Attributes:
        spaces: of the trained seats.
        seconds: spent in worlds and partners so far, for benchmarks.
    """

    def __init__(
        self,
        make: Callable[[], World],
        spaces: SeatSpaces,
        *,
        partners: Mapping[str, Callable[[], Agent]],
        num_envs: int,
        steps: int,
        seed: int,
    ) -> None:
        self.spaces = spaces
        self.seconds = 0.0
        self._tables = [_Table(make()) for _ in range(num_envs)]
        self._partners = partners
        self._steps = steps
        self._seed = seed
        self._count = 0
        self._runner: asyncio.Runner | None = None  # for partners that have to be waited for
        self._all = tuple(self._tables[0].world.seats)
        self._read: Encoder = encoder(spaces.observation_space)

    @property
    def turn_based(self) -> bool:
        """Whether seats never act at the same time, so that a decision's number is no time."""
        return bool(getattr(self._tables[0].world, "turn_based", False))

    @property
    def worlds(self) -> list[World]:
        """The worlds that matches are played in, side by side."""
        return [table.world for table in self._tables]

    def collect(self, decider: Decider) -> Rollout:
        """Play whole matches in every world, until each has played ``steps`` steps or more."""
        decider.hidden = None
        returns: list[Array] = []
        for e, table in enumerate(self._tables):
            table.lanes = {seat: [] for seat in self.spaces.seats}
            table.played = 0
            self._begin(table, e, 0)
        matches = [0] * len(self._tables)
        while any(table.turns for table in self._tables):
            actions = self._decide(decider)
            began = perf_counter()
            for e, table in enumerate(self._tables):
                if not table.turns:
                    continue
                earned = self._step(table, actions[e])
                for decision in table.open.values():
                    decision.rewards += earned
            self.seconds += perf_counter() - began
            over = [table for table in self._tables if table.open and not table.turns]
            self._close(over, decider)
            for e, table in enumerate(self._tables):
                if table in over:
                    returns.append(_returns(table.world, self._all))
                    if table.played < self._steps:
                        matches[e] += 1
                        self._begin(table, e, matches[e])
        self._count += 1
        return self._pack(decider, np.array(returns))

    def state_dict(self) -> dict[str, Any]:
        """How many rollouts there were: every match's seed follows from it."""
        return {"count": self._count}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with the rollout after the last one."""
        self._count = int(state["count"])

    def _begin(self, table: _Table, e: int, match: int) -> None:
        sequence = np.random.SeedSequence(self._seed, spawn_key=(self._count, e, match))
        world_seed, *seeds = (
            int(s) >> 1 for s in sequence.generate_state(1 + len(self._all), np.uint64)
        )
        table.turns = table.world.reset(world_seed)
        table.latest, table.partners = {}, {}
        for seat, seed in zip(self._all, seeds, strict=True):
            if seat in self._partners:
                table.partners[seat] = self._partners[seat]()
                reset: Any = table.partners[seat].reset  # may be async
                self._wait(reset(table.world.seats[seat], seed))

    def _decide(self, decider: Decider) -> list[dict[str, Action]]:
        """Everybody's actions, in every match that goes on."""
        seats, shape = self.spaces.seats, (len(self._tables), len(self.spaces.seats))
        asked = np.zeros(shape, bool)
        starts = np.zeros(shape, bool)
        seen = np.zeros((*shape, *self.spaces.shape), self._read.dtype)
        masks = np.ones((*shape, decider.layout.logits), bool)
        for e, table in enumerate(self._tables):
            for a, seat in enumerate(seats):
                turn = table.turns.get(seat)
                if turn is not None:
                    asked[e, a] = True
                    starts[e, a] = seat not in table.latest
                    seen[e, a] = table.latest[seat] = self._read.encode(turn.observation)
                    masks[e, a] = decider.layout.mask(turn.action_mask)
        state = self._state() if decider.central else None
        drawn, values = decider.decide(seen, state, masks, starts, asked)
        actions: list[dict[str, Action]] = [{} for _ in self._tables]
        for e, a in np.argwhere(asked):
            table, seat = self._tables[e], seats[a]
            choices, amounts = drawn.choices[e, a], drawn.amounts[e, a]
            actions[e][seat] = decider.layout.action(choices, amounts)
            decision = _Decision(
                seen[e, a].copy(),
                masks[e, a].copy(),
                choices,
                amounts,
                float(drawn.logp[e, a]),
                values[e, a],
                None if state is None else state[e].copy(),
                bool(starts[e, a]),
                np.zeros(len(self._all), np.float32),
            )
            if seat in table.open:
                table.open[seat].next_values = decision.values
            table.open[seat] = decision
            table.lanes[seat].append(decision)
        return actions

    def _state(self) -> Array:
        """What a central critic reads: what every trained seat saw last, side by side."""
        blank = np.zeros(self.spaces.shape, np.float32)
        rows = [
            [table.latest.get(seat, blank).ravel() for seat in self.spaces.seats]
            for table in self._tables
        ]
        return np.array(rows, np.float32).reshape(len(rows), -1)

    def _step(self, table: _Table, actions: dict[str, Action]) -> Array:
        """One step of one match; what each seat of the world earned in it."""
        for seat, turn in table.turns.items():
            if seat not in actions:
                answer = self._wait(table.partners[seat].act(turn))
                actions[seat] = _legal(answer, table.world, turn)
        table.turns = table.world.step(actions)
        table.played += 1
        rewards = table.world.rewards  # type: ignore[attr-defined]
        return np.array([rewards.get(seat, 0.0) for seat in self._all], np.float32)

    def _close(self, over: list[_Table], decider: Decider) -> None:
        """Settle the last decisions of matches that ended."""
        cut = False
        for table in over:
            outcome = table.world.outcome
            for seat, decision in table.open.items():
                decision.terminated = bool(outcome.terminated.get(seat, True))
                decision.truncated = not decision.terminated
                decision.next_values = np.zeros_like(decision.values)
                if decision.truncated:
                    cut = True
                    final = outcome.final_observations[seat]
                    table.latest[seat] = self._read.encode(final)
        if cut:
            shape = (len(self._tables), len(self.spaces.seats), *self.spaces.shape)
            state = self._state()
            seen = state.reshape(shape).astype(self._read.dtype)
            worth = decider.worth(seen, state if decider.central else None)
            for e, table in enumerate(self._tables):
                for a, seat in enumerate(self.spaces.seats):
                    decision = table.open.get(seat)  # type: ignore[assignment]
                    if table in over and decision is not None and decision.truncated:
                        decision.next_values = worth[e, a]
        for table in over:
            table.open = {}
            self._dismiss(table)

    def _dismiss(self, table: _Table) -> None:
        """Tell the partners how it ended, and let go of them."""
        for partner in table.partners.values():
            for call, given in (("end", (table.world.outcome,)), ("close", ())):
                if hasattr(partner, call):
                    self._wait(getattr(partner, call)(*given))

    def _wait(self, answer: Any) -> Any:
        """What an agent answers, waited for if need be."""
        if not inspect.isawaitable(answer):
            return answer
        if self._runner is None:
            self._runner = asyncio.Runner()
            weakref.finalize(self, self._runner.close)

        async def asked() -> Any:
            return await answer

        return self._runner.run(asked())

    def _pack(self, decider: Decider, returns: Array) -> Rollout:
        """The decisions as arrays, padded to the longest lane."""
        seats = self.spaces.seats
        longest = max(len(lane) for table in self._tables for lane in table.lanes.values())
        out = blank(longest, len(self._tables), len(seats), decider)
        out.seen = np.zeros((*out.valid.shape, *self.spaces.shape), self._read.dtype)
        out.masks = np.ones((*out.valid.shape, decider.layout.logits), bool)
        out.everyone = np.zeros((*out.valid.shape, len(self._all)), np.float32)
        out.own = np.array([self._all.index(seat) for seat in seats])
        out.returns = returns
        if decider.central:
            out.state = np.zeros((*out.valid.shape, *self.spaces.central), np.float32)
        out.valid[:] = False
        for e, table in enumerate(self._tables):
            for a, seat in enumerate(seats):
                for t, d in enumerate(table.lanes[seat]):
                    at = t, e, a
                    out.seen[at], out.masks[at], out.logp[at] = d.seen, d.mask, d.logp
                    out.choices[at], out.amounts[at] = d.choices, d.amounts
                    out.values[at] = d.values
                    out.next_values[at] = d.next_values
                    out.everyone[at], out.rewards[at] = d.rewards, d.rewards[out.own[a]]
                    out.terminated[at], out.truncated[at] = d.terminated, d.truncated
                    out.valid[at], out.starts[at] = True, d.start
                    if out.state is not None:
                        out.state[at] = d.state
        return out


def _legal(answer: Any, world: World, turn: Turn) -> Action:
    """A partner's action; words are parsed, and what is illegal counts as no answer."""
    if isinstance(answer, Reply):
        answer = answer.text if answer.action is None else answer.action
    try:
        if isinstance(answer, str):
            answer = world.words.parse(turn.seat, answer, turn.observation, turn.info)
        world.check(turn.seat, answer)
    except IllegalAction:
        return None
    return answer


def _returns(world: World, seats: tuple[str, ...]) -> Array:
    returns = world.outcome.returns
    return np.array([returns.get(seat, 0.0) for seat in seats])
