"""Matches over many processes or machines: shares of a run go out, finished matches come back.

Only names travel: of worlds, agents and seeds. Whoever takes a share makes its worlds and agents
itself, and refuses if an agent of that name is not the same there. What it sends back is what the
store keeps of a match; it is stored by the process that drives the run, and by no other.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gymposium import __version__
from gymposium.errors import GymposiumError, UnknownName, UsageError

from ..envs.registry import WorldSpec, make_world, register
from ..envs.registry import spec as world_spec
from ..envs.start_folder import here, start_folder
from .host import Host, HostOptions, Job, Partial, Standing
from .meter import Meter
from .rows import Finished

if TYPE_CHECKING:
    from ..agents.language.backends.desk import DeskAddress, DeskLine
    from ..agents.registry import AgentSpec

_SHARE_SECONDS = 0.1
"""Work in one share: much more than it costs to send, little enough to end together."""
_MOST = 256
_DEATHS = 3
"""A match that brings so many processes down, alone in each, would do so for ever."""
_WATCH_SECONDS = 0.1


class AgentName(NamedTuple):
    """An agent as it travels: enough to make it, and to know that it is the same one."""

    spec: str
    trusted: bool
    identity: str


@dataclass(frozen=True)
class Setup:
    """What all shares of a run have in common; plain data.

    Attributes:
        agents: by their names in the run.
        worlds: what was registered about the worlds.
        reasks: as in the scenario.
        concurrency: matches in flight in each process.
        children: child processes at once in each process.
        desk: where models' calls are made, if there are models.
        version: of gymposium.
        folder: that relative paths are relative to.
        path: where modules are looked for.
    """

    agents: Mapping[str, AgentName]
    worlds: tuple[WorldSpec, ...]
    reasks: int
    concurrency: int
    children: int
    desk: DeskAddress | None = None
    version: str = __version__
    folder: str = field(default_factory=lambda: str(here()))
    path: tuple[str, ...] = field(default_factory=lambda: tuple(sys.path))


class Share(NamedTuple):
    """Some matches of a run."""

    setup: Setup
    jobs: tuple[Job, ...]


class Took(NamedTuple):
    """How long so many matches took, one beside the other."""

    matches: int
    seconds: float


class At(NamedTuple):
    """Where one of the processes is."""

    process: str
    standing: Standing


Told: TypeAlias = Finished | Partial | At | Took
"""What a share tells while it is played."""


def setup_of(
    agents: Mapping[str, AgentSpec],
    worlds: Iterable[str],
    *,
    reasks: int,
    concurrency: int,
    workers: int,
    desk: DeskAddress | None = None,
) -> Setup:
    """What ``workers`` processes need to know.

    Args:
        agents: everybody in the run.
        worlds: ids.
        reasks: as in the scenario.
        concurrency: of the whole run.
        workers: processes.
        desk: as in :class:`Setup`.
    """
    return Setup(
        {name: AgentName(it.text, not it.isolated, it.identity) for name, it in agents.items()},
        tuple(world_spec(id) for id in dict.fromkeys(worlds)),
        reasks,
        concurrency=max(1, concurrency // workers),
        children=max(2, HostOptions().children // workers),
        desk=desk,
    )


class Sharing:
    """Deals jobs out in shares of like duration, and takes in what comes back.

    Where models answer, a share is instead a part of what is left (guided self-scheduling:
    Polychronopoulos and Kuck, 1987): a process waits for the last match of a share before it begins
    another, and would leave models idle meanwhile.

    Attributes:
        least: matches that a share holds if there are as many: agents that wait for something else
            than a core are asked side by side.
    """

    def __init__(
        self,
        setup: Setup,
        meter: Meter,
        keep: Callable[[Sequence[Finished | Partial]], None],
        tick: Callable[[Standing], None],
        *,
        lacks: Callable[[str], bool],
        least: int = 1,
    ) -> None:
        """Deal nothing yet.

        Args:
            setup: of all shares.
            meter: of the run.
            keep: stores matches.
            tick: told where all processes together are.
            lacks: whether the match of this key is not stored.
            least: see above.
        """
        self._setup, self._meter, self._keep, self._tick = setup, meter, keep, tick
        self._lacks = lacks
        self.least = least
        self._deaths: Counter[str] = Counter()
        self._given = self._done = self._turns = 0
        self._took = Took(0, 0.0)
        self._standing: dict[str, Standing] = {}

    def shares(self, jobs: Iterable[Job], left: int, workers: int) -> Iterator[Share]:
        """Shares, each cut when it is asked for: by then it is known how long a match takes.

        Args:
            jobs: to be dealt out.
            left: how many they are.
            workers: processes.

        Raises:
            BudgetSpent: the run's seconds are spent.
        """
        waiting = iter(jobs)
        while True:
            size = self.least
            if self._took.matches:
                mean = max(self._took.seconds / self._took.matches, 1e-6)
                size = max(size, min(_MOST, int(_SHARE_SECONDS / mean)))
            if self._setup.desk is not None:
                size = max(self.least, min(_MOST, -(-left // (2 * workers))))
            taken = tuple(islice(waiting, size))
            if not taken:
                return
            left -= len(taken)
            self._meter.before_match()
            self._given += len(taken)
            yield Share(self._setup, taken)

    def lost(self, share: Share, cause: str) -> list[Share]:
        """What to play of a share whose process died: what has not come back, each by itself.

        So a match that brings processes down is soon alone with one, and known.

        Args:
            share: what the process was playing.
            cause: why it died, in words.

        Raises:
            GymposiumError: a match has brought down too many.
        """
        self._standing.clear()  # of those that live it is soon told again
        left = [job for job in share.jobs if self._lacks(job.key)]
        if len(share.jobs) == 1:
            for job in left:
                self._deaths[job.key] += 1
                if self._deaths[job.key] == _DEATHS:
                    raise GymposiumError(
                        f"{_in_words(job)} brought down {_DEATHS} worker processes ({cause}); "
                        "finished matches are stored: mend its world or its agents, or give it "
                        "more memory, and resume"
                    )
        return [share._replace(jobs=(job,)) for job in left]

    def take(self, told: Sequence[Told]) -> None:
        """What shares tell; matches that arrive together are kept together."""
        matches = [each for each in told if isinstance(each, Finished | Partial)]
        if matches:
            self._keep(matches)
        for each in told:
            if isinstance(each, Finished):
                self._done += 1
                self._turns += sum(seat.turns for seat in each.row.seats)
            elif isinstance(each, Took):
                before = self._took
                self._took = Took(before.matches + each.matches, before.seconds + each.seconds)
            elif isinstance(each, At):
                self._standing[each.process] = each.standing
                stalled = (seat for it in self._standing.values() for seat in it.stalled)
                under_way = sum(it.turns for it in self._standing.values())
                running = self._given - self._done
                self._tick(Standing(running, self._turns + under_way, tuple(stalled)))


def _in_words(job: Job) -> str:
    seats = ", ".join(f"{seat}: {name}" for seat, name in job.spec.seating.items())
    return f"the match of {job.spec.cell!r} with seed {job.spec.seed} and {seats}"


def play_share(share: Share, tell: Callable[[Told], None], stopping: Callable[[], bool]) -> None:
    """Play a share, wherever this is.

    Args:
        share: what to play.
        tell: told of every match as it ends, and several times a second of where this process is.
        stopping: cut short what is being played, tell of it and return.

    Raises:
        UsageError: an agent cannot be made here, or is another one here.
        GymposiumError: a world failed.
    """
    with start_folder(Path(share.setup.folder)):
        place = _here(share.setup)
        began = perf_counter()
        with suppress(asyncio.CancelledError):
            place.loop.run(place.play(share.jobs, tell, stopping))
            tell(Took(len(share.jobs), perf_counter() - began))


class _Here:
    """What a process keeps between shares of one run: its loop, its worlds, its children."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.loop = asyncio.Runner()
        _prepare(setup)
        self._desk = None if setup.desk is None else _line_to(setup.desk)
        self.host = Host(
            {name: _agent(name, known, setup) for name, known in setup.agents.items()},
            lambda spec: make_world(spec.world, **spec.params),
            reasks=setup.reasks,
            meter=Meter(),
            options=HostOptions(
                concurrency=setup.concurrency, children=setup.children, desk=self._desk
            ),
        )

    async def play(
        self,
        jobs: Iterable[Job],
        tell: Callable[[Told], None],
        stopping: Callable[[], bool],
    ) -> None:
        playing = asyncio.ensure_future(self.host.play(jobs, tell))
        process = f"{platform.node()}:{os.getpid()}"
        while not playing.done():
            await asyncio.wait([playing], timeout=_WATCH_SECONDS)
            if not playing.done():
                tell(At(process, self._under_way()))
                if stopping():
                    playing.cancel()
        await playing

    def _under_way(self) -> Standing:
        """Turns of finished matches are known by their rows."""
        now = self.host.standing
        return now._replace(turns=self.host.turns_under_way)

    def close(self) -> None:
        from ..agents.isolation import shutdown

        self.loop.run(shutdown())
        if self._desk is not None:
            self._desk.hang_up()
        self.loop.close()


def _line_to(desk: DeskAddress) -> DeskLine:
    from ..agents.language.backends.desk import DeskLine

    return DeskLine(desk)


_current: _Here | None = None


def _here(setup: Setup) -> _Here:
    global _current
    if _current is None or _current.setup != setup:
        if _current is not None:
            _current.close()
        _current = _Here(setup)
    return _current


def _prepare(setup: Setup) -> None:
    """Have here what names mean there."""
    if setup.version != __version__:
        raise UsageError(
            f"{platform.node()} has gymposium {__version__}, and the run is driven by "
            f"{setup.version}: install the same version on every machine"
        )
    sys.path += [place for place in setup.path if place not in sys.path]
    for world in setup.worlds:
        try:
            world_spec(world.id)
        except UnknownName:
            register(world)


def _agent(name: str, known: AgentName, setup: Setup) -> AgentSpec:
    from ..agents.registry import resolve

    found = resolve(known.spec, root=Path(setup.folder), trusted=known.trusted)
    if found.identity != known.identity:
        raise UsageError(
            f"{name!r} ({known.spec}) is not on {platform.node()} what it is where the run is "
            "driven: bring its file or checkpoint up to date there, and resume"
        )
    return replace(found, name=name)
