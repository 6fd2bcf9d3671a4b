"""Seats agents in a world and plays matches: what a process needs to play, whoever stores it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from gymposium.errors import GymposiumError
from gymposium.types import Outcome, Seat, World

from ..agents.language.backends.cache import Payer, ResponseCache
from ..agents.language.backends.calls import Cost, Scope, calling
from .asking import Player
from .executors.inline import play_window
from .match import Match, MatchRules
from .meter import Meter, Spent
from .permits import Permits
from .record import Recorder
from .rows import Finished, MatchRow, SeatRow
from .schedule import MatchSpec

if TYPE_CHECKING:
    from ..agents.language.backends.desk import DeskLine
    from ..agents.registry import AgentSpec

_STALLED_SECONDS = 10.0


class Job(NamedTuple):
    """One match to be played."""

    key: str
    position: int
    spec: MatchSpec


class Partial(NamedTuple):
    """What is kept of a match that was cut short."""

    key: str
    record: bytes


class Standing(NamedTuple):
    """Where a host is: matches being played, turns asked so far, seats that keep it waiting."""

    running: int
    turns: int
    stalled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Operational knobs: none of them changes an outcome.

    Attributes:
        concurrency: matches in flight.
        children: child processes alive at once, for users' agents.
        cache: of language models' answers, or None.
        run: the run's id, under which the cache remembers what it paid for.
        desk: who makes models' calls, if another process does.
    """

    concurrency: int = 64
    children: int = max(8, 2 * (os.cpu_count() or 1))
    cache: ResponseCache | None = None
    run: str = ""
    desk: DeskLine | None = None


class Host:
    """Plays jobs on one event loop; worlds are kept for the next match of their cell."""

    def __init__(
        self,
        agents: Mapping[str, AgentSpec],
        make_world: Callable[[MatchSpec], World],
        *,
        reasks: int,
        meter: Meter,
        options: HostOptions,
        recorder: Callable[..., Recorder | None] = Recorder,
    ) -> None:
        self._agents = agents
        self._make_world = make_world
        self._reasks = reasks
        self._meter = meter
        self._options = options
        self._recorder = recorder
        self._idle: dict[str, list[World]] = {}
        self._playing: dict[str, Match] = {}
        self._turns = 0
        self._permits = Permits(options.children)

    async def play(self, jobs: Iterable[Job], tell: Callable[[Finished | Partial], None]) -> None:
        """Play ``jobs``.

        Args:
            jobs: consumed lazily.
            tell: told of each match as it ends, or, when playing stops early, as it is cut short.

        Raises:
            BudgetSpent, BackendError: a model cannot answer.
            GymposiumError: a world failed.
            asyncio.CancelledError: stopped.
            Exception: what ``tell`` raised.
        """

        async def one(job: Job) -> None:
            tell(await self.play_one(job, tell))

        await play_window(jobs, one, concurrency=self._options.concurrency)

    @property
    def turns_under_way(self) -> int:
        """Turns asked so far in matches that are being played."""
        return sum(it.turns for match in self._playing.values() for it in match.players.values())

    @property
    def standing(self) -> Standing:
        """Where it is now."""
        now = perf_counter()
        players = [player for match in self._playing.values() for player in match.players.values()]
        stalled = tuple(
            f"{player.name} in {player.seat.id}"
            for player in players
            if player.waiting_since is not None and now - player.waiting_since > _STALLED_SECONDS
        )
        return Standing(len(self._playing), self._turns + self.turns_under_way, stalled)

    async def play_one(self, job: Job, tell: Callable[[Partial], None]) -> Finished:
        """Play one match, with errors as :meth:`play`; ``tell`` is told if it is cut short."""
        self._meter.before_match()
        seating = job.spec.seating
        isolated = sum(self._agents[name].isolated for name in seating.values())
        async with self._permits.take(isolated):
            world = self._take_world(job.spec)
            options = self._options
            scope = Scope(
                cache=options.cache,
                payer=Payer(options.run, job.key),
                desk=options.desk,
                shared=True,
            )
            with calling(scope):
                players = {
                    seat: self._player(
                        replace(world.seats[seat], time_limit=job.spec.time_limit), name
                    )
                    for seat, name in seating.items()
                }
            began = perf_counter()
            match = self._playing[job.key] = self._match(job, world, players)
            try:
                with calling(scope):
                    outcome = await match.play()
            except BaseException:
                if match.step and match.recorder is not None:
                    # Best effort: what stopped the match may be the disk itself.
                    with suppress(Exception):
                        tell(Partial(job.key, match.recorder.finish()))
                raise
            finally:
                del self._playing[job.key]
                self._turns += sum(player.turns for player in players.values())
                await _release(players)
        row = self._row(job, world, players, outcome, perf_counter() - began)
        if getattr(world, "untouched", True):
            self._idle.setdefault(job.spec.cell, []).append(world)
        record = b"" if match.recorder is None else match.recorder.finish()
        calls = {seat: player.calls for seat, player in players.items() if player.calls}
        return Finished(row, job.position, match.step, record, calls)

    def _player(self, seat: Seat, name: str) -> Player:
        spec = self._agents[name]
        try:
            return Player(seat, spec.create(), name, language=spec.language, human=spec.human)
        except GymposiumError:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - the agent boundary: its own constructor
            return Player(seat, None, name, language=spec.language, out="error")

    def _match(self, job: Job, world: World, players: Mapping[str, Player]) -> Match:
        spec = job.spec
        header = {
            "key": job.key,
            "world": spec.world,
            "params": dict(spec.params),
            "cell": spec.cell,
            "seed": spec.seed,
            "block": spec.block,
            "seating": dict(spec.seating),
            "agents": {name: self._agents[name].identity for name in spec.seating.values()},
        }
        readers = frozenset(seat for seat, player in players.items() if player.language)
        return Match(
            world,
            players,
            spec.seed,
            MatchRules(spec.time_limit, self._reasks),
            self._recorder(header, text=readers),
            self._meter,
        )

    def _row(
        self,
        job: Job,
        world: World,
        players: Mapping[str, Player],
        outcome: Outcome,
        seconds: float,
    ) -> MatchRow:
        spec = job.spec
        return MatchRow(
            key=job.key,
            world=spec.world,
            kind=getattr(world, "kind", "mixed"),
            cell=spec.cell,
            seed=spec.seed,
            block=spec.block,
            seats=tuple(
                _seat_row(player, spec.roles.get(seat, "focal"), outcome)
                for seat, player in players.items()
            ),
            metrics=outcome.metrics,
            reason=outcome.reason,
            seconds=seconds,
            deterministic=all(self._agents[name].deterministic for name in spec.seating.values()),
        )

    def _take_world(self, spec: MatchSpec) -> World:
        idle = self._idle.get(spec.cell)
        return idle.pop() if idle else self._make_world(spec)


def _seat_row(player: Player, role: str, outcome: Outcome) -> SeatRow:
    seat = player.seat.id
    paid, found = Spent(), Spent()
    for call in player.calls:
        (found if call.cached else paid).add(1, Cost(call.usage, call.money))
    return SeatRow(
        seat=seat,
        agent=player.name,
        role=role,
        team=player.seat.team,
        return_=float(outcome.returns[seat]),
        faults=dict(player.faults),
        turns=player.turns,
        llm_turns=player.llm_turns,
        parsed_turns=player.parsed_turns,
        llm_calls=paid.calls,
        prompt_tokens=paid.prompt_tokens,
        completion_tokens=paid.completion_tokens,
        seconds=player.seconds,
        cached_calls=found.calls,
        cached_tokens=found.tokens,
        money=paid.money,
    )


async def _release(players: Mapping[str, Player]) -> None:
    """Give back what agents hold (child processes); nothing they do here can hurt the match."""
    for player in players.values():
        close = getattr(player.agent, "close", None)
        if close is None:
            continue
        with suppress(Exception):
            waiting = close()
            if inspect.isawaitable(waiting):
                await waiting
