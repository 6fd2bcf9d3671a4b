"""The match loop: a dozen lines, the same for every world and every kind of agent.

Seats that act at the same time are asked at the same time; seats whose agents answer at once (plain
functions and bots) are never sent through the event loop. Everything that can go wrong with an
agent is handled in :mod:`.asking`; what goes wrong with a world ends the match with a sentence.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from gymposium.errors import GymposiumError, IllegalAction
from gymposium.types import Action, Outcome, Reply, Turn, World

from ..envs.whereabouts import told
from .asking import Answer, Player, ask, not_the_agents_doing, take_seat
from .keys import agent_seed
from .meter import Meter
from .record import Recorder

_STEPS_BETWEEN_YIELDS = 256
# Exact types that cannot be awaitable, a Reply or words: most actions, checked without a chain.
_PLAIN_TYPES = frozenset({int, float, dict, tuple, list, bool, np.int64, np.ndarray})


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What the arena adds to the world's rules.

    Attributes:
        time_limit: seconds for one answer; None for no limit.
        reasks: how often a seat is asked again after a failed answer.
    """

    time_limit: float | None = None
    reasks: int = 2


@dataclass(slots=True)
class Match:
    """One match being played: ``await Match(...).play()``.

    Attributes:
        world: reset by ``play``.
        players: by seat id, for every seat of the world.
        seed: the world's seed; agents get one-way derivations of it.
        rules: time limit and repetitions.
        recorder: where turns and answers are written down, or None.
        meter: the run's budget for language models, or None.
        step: steps played so far.
    """

    world: World
    players: Mapping[str, Player]
    seed: int
    rules: MatchRules = field(default_factory=MatchRules)
    recorder: Recorder | None = None
    meter: Meter | None = None
    step: int = 0

    async def play(self) -> Outcome:
        """Play to the end.

        Returns:
            The outcome, with the faults the arena counted.

        Raises:
            BudgetSpent, BackendError: a model cannot answer; the match is to be played again.
            GymposiumError: the world itself failed; names the world, the step and the seed.
        """
        players, world, recorder = self.players, self.world, self.recorder
        await asyncio.gather(
            *(
                take_seat(player, agent_seed(self.seed, seat), self.rules.time_limit)
                for seat, player in players.items()
            )
        )
        turns = self._guard(lambda: world.reset(self.seed))
        while turns:
            if recorder is not None:
                recorder.asked(world, turns, self.step)
            actions, answers = await self._gather(turns)
            if recorder is not None:
                recorder.answered(actions, answers)
            try:
                turns = world.step(actions)
            except BaseException as error:
                raise self._world_failed(error) from error
            self.step += 1
            if self.step % _STEPS_BETWEEN_YIELDS == 0:
                await asyncio.sleep(0)
        outcome: Outcome = self._guard(lambda: world.outcome)
        outcome = dataclasses.replace(
            outcome, faults={seat: dict(p.faults) for seat, p in players.items() if p.faults}
        )
        if recorder is not None:
            recorder.ended(world, outcome)
        await self._dismiss(outcome)
        return outcome

    async def _gather(
        self, turns: Mapping[str, Turn]
    ) -> tuple[dict[str, Action], dict[str, Answer]]:
        """Every asked seat's action, and the fuller answers where there is more to keep."""
        actions: dict[str, Action] = {}
        answers: dict[str, Answer] = {}
        waiting: dict[str, Coroutine[Any, Any, Answer]] = {}
        check = self.world.check
        for seat, turn in turns.items():
            player = self.players[seat]
            player.turns += 1
            actions[seat] = None
            if player.out:
                player.faults[player.out] = player.faults.get(player.out, 0) + 1
                answers[seat] = Answer(None, fault=player.out)
                continue
            raw: Any = None
            failed: BaseException | None = None
            began = perf_counter()
            try:
                raw = player.agent.act(turn)
                if type(raw) in _PLAIN_TYPES:
                    check(seat, raw)
                    actions[seat] = raw
                    continue
            except BaseException as error:  # noqa: BLE001
                # The agent boundary: asking() records it, or raises what is not its doing.
                failed = error
            finally:
                player.seconds += perf_counter() - began
            waiting[seat] = self._ask(player, turn, raw, failed)
        if waiting:
            await self._await_all(waiting, actions, answers)
        return actions, answers

    def _ask(
        self, player: Player, turn: Turn, raw: Any, failed: BaseException | None
    ) -> Coroutine[Any, Any, Answer]:
        return ask(
            self.world,
            player,
            turn,
            reasks=self.rules.reasks,
            time_limit=self.rules.time_limit,
            meter=self.meter,
            first=raw,
            failed=failed if raw is not None or failed else IllegalAction(_NO_ANSWER),
        )

    async def _await_all(
        self,
        waiting: Mapping[str, Coroutine[Any, Any, Answer]],
        actions: dict[str, Action],
        answers: dict[str, Answer],
    ) -> None:
        if len(waiting) == 1:
            (seat, only), *_ = waiting.items()
            found = {seat: await only}
        else:
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = {seat: group.create_task(asked) for seat, asked in waiting.items()}
            except BaseExceptionGroup as failures:
                raise failures.exceptions[0] from None
            found = {seat: task.result() for seat, task in tasks.items()}
        for seat, answer in found.items():
            actions[seat] = answer.action
            if _worth_keeping(answer):
                answers[seat] = answer

    async def _dismiss(self, outcome: Outcome) -> None:
        """Tell the agents how it ended; what they do with it cannot hurt anybody."""
        for player in self.players.values():
            end = getattr(player.agent, "end", None)
            if end is None or player.out:
                continue
            try:
                waiting = end(outcome)
                if inspect.isawaitable(waiting):
                    async with asyncio.timeout(self.rules.time_limit):
                        await waiting
            except BaseException as error:
                if not_the_agents_doing(error, player):
                    raise
                player.drop("error", "end() failed")

    def _guard(self, call: Any) -> Any:
        try:
            return call()
        except BaseException as error:
            raise self._world_failed(error) from error

    def _world_failed(self, error: BaseException) -> GymposiumError:
        """Whatever a world raises is its failure, what elsewhere means "stop" included.

        Ctrl-C comes as a signal that executors handle, never as an exception in a world's midst.
        """
        name = getattr(self.world, "id", type(self.world).__name__)
        return GymposiumError(
            f"the world {name} failed at step {self.step} with seed {self.seed}: {told(error)}"
        )


_NO_ANSWER = "act() returned None; return an action, a Reply or words"


def _worth_keeping(answer: Answer) -> bool:
    reply: Reply | None = answer.reply
    return bool(answer.errors or answer.calls or answer.fault or reply is not None)
