"""A scenario with its agents resolved: which matches there are, and how they are played.

A plan is made from a scenario (``run``) or from what a folder keeps about its run (``resume``);
both give the same matches in the same order, with the same keys.
"""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium import __version__
from gymposium.errors import GymposiumError, StoreError, UsageError
from gymposium.types import World

from ..agents.language.backends.cache import ResponseCache
from ..agents.language.backends.prices import own_file
from .executors.inline import run_to_end
from .keys import match_keys
from .meter import Meter
from .record import Recorder
from .reporters import MessagesOnly, Silent
from .rows import MatchRow, SeatRow
from .runner import Job, Reporter, Runner, RunnerOptions
from .schedule import Cast, MatchSpec, next_round, schedule
from .store import RunFolder

if TYPE_CHECKING:
    from ..agents.registry import AgentSpec
    from ..scenarios.model import Scenario


class Plan:
    """A scenario with its agents resolved: which matches there are, and how to play them."""

    def __init__(
        self,
        scenario: Scenario,
        agents: Mapping[str, AgentSpec],
        make: Callable[..., World] | None = None,
    ) -> None:
        """Check everything that can be checked before the first match.

        Args:
            scenario: what is played.
            agents: everybody in it, by name.
            make: makes a world from its id and parameters; default: the registry's way.

        Raises:
            UsageError: an unknown world or parameter, or too few agents for the schedule.
        """
        from ..envs.registry import make_world
        from ..scenarios.load import validate_against_registry

        self.scenario = scenario
        self.agents = agents
        self._make = make or make_world
        self._entries = {entry.name: entry for entry in scenario.worlds}
        self._worlds: dict[str, World] = dict(validate_against_registry(scenario, make_world))
        self._kinds = kinds_of(self._worlds)
        refuse_unrateable(scenario, self._worlds)
        self._refuse_unpriced()

    def _world(self, cell: str) -> World:
        entry = self._entries[cell]
        return self._make(entry.id, **entry.params)

    def jobs(self, rows: Callable[[], list[MatchRow]]) -> Iterable[list[Job]]:
        """Batches of matches; a Swiss schedule's next batch depends on the stored rows."""
        cast = Cast.of(self.scenario)
        seat_ids = {name: tuple(world.seats) for name, world in self._worlds.items()}
        batch = schedule(self.scenario, cast, seat_ids, self._kinds)
        planned: list[MatchSpec] = []
        known: set[str] = set()
        while batch:
            first = len(planned)
            planned += batch
            keys = self._keys(planned)[first:]
            known.update(keys)
            yield [
                Job(key, first + place, spec)
                for place, (key, spec) in enumerate(zip(keys, batch, strict=True))
            ]
            # Only rows of the rounds planned so far: a resumed run must pair as it did before.
            played = [row for row in rows() if row.key in known] if self._in_rounds else []
            batch = next_round(self.scenario, cast, played, seat_ids)

    @property
    def _in_rounds(self) -> bool:
        return self.scenario.schedule.kind == "swiss"

    def _keys(self, specs: Sequence[MatchSpec]) -> list[str]:
        return match_keys(
            specs,
            {name: spec.identity for name, spec in self.agents.items()},
            fault_rules={name: _fault_rule(world) for name, world in self._worlds.items()},
            reasks=self.scenario.reasks,
        )

    def play(
        self,
        folder: RunFolder,
        *,
        concurrency: int,
        progress: Reporter | None,
        recorder: Callable[..., Recorder] = Recorder,
        cache: bool | str | Path = True,
    ) -> None:
        """Play what ``folder`` lacks; see :func:`run` for what is raised.

        With a person in a seat matches are played one at a time, and progress is not drawn over
        what the person reads.
        """
        reporter = progress or Silent()
        if any(spec.human for spec in self.agents.values()):
            concurrency, reporter = 1, MessagesOnly(reporter)
        limits = self.scenario.budget.model_dump(exclude_none=True)
        meter = Meter(limits, folder.spent())
        answers = self._answers(cache)
        runner = Runner(
            folder,
            self.agents,
            lambda spec: self._world(spec.cell),
            reasks=self.scenario.reasks,
            meter=meter,
            reporter=reporter,
            options=RunnerOptions(
                concurrency=concurrency, cache=answers, run=folder.info().get("id", "")
            ),
            recorder=recorder,
        )
        folder.set_info(status="running")
        try:
            run_to_end(
                self._play_batches(folder, runner, reporter),
                on_interrupt=lambda: reporter.message(
                    "stopping: finished matches are stored; go on with "
                    f"`gymposium resume {folder.path}` (Ctrl-C again stops at once)"
                ),
            )
        except (KeyboardInterrupt, GymposiumError) as error:
            folder.set_info(status="interrupted", why=str(error) or "Ctrl-C")
            raise
        finally:
            reporter.stop()
            if answers is not None:
                answers.close()
        folder.set_info(status="finished", finished=time.time())

    async def _play_batches(self, folder: RunFolder, runner: Runner, reporter: Reporter) -> None:
        from ..agents.isolation import shutdown
        from ..agents.language.backends.pool import leave_loop

        try:
            total = done = 0
            for batch in self.jobs(folder.rows):
                finished = folder.keys()
                missing = [job for job in batch if job.key not in finished]
                self._refuse_misfits(missing)
                total += len(batch)
                done += len(batch) - len(missing)
                reporter.start(total, done)
                await runner.run(missing)
                lost = {job.key for job in missing} - folder.keys()
                if lost:
                    raise GymposiumError(
                        f"{len(lost)} matches were not played to their end; resume the run"
                    )
                done = total
        finally:
            await shutdown()
            await leave_loop()

    def _answers(self, cache: bool | str | Path) -> ResponseCache | None:
        """The cache of answers, if a model plays here: stand-ins answer faster than it does."""
        models = [spec for spec in self.agents.values() if spec.language]
        if cache is False or all(spec.text.startswith("llm:scripted") for spec in models):
            return None
        return ResponseCache(None if cache is True else cache)

    def _refuse_unpriced(self) -> None:
        """Raise UsageError if money is limited and it is not known what somebody's tokens cost."""
        budget = self.scenario.budget
        if budget.money is None and budget.per_agent.money is None:
            return
        for name, spec in self.agents.items():
            if spec.language and not spec.priced:
                raise UsageError(
                    f"budget.money: it is not known what the tokens of {name!r} cost: list the "
                    f"model in {own_file()}, or limit calls or tokens instead"
                )

    def _refuse_misfits(self, jobs: Sequence[Job]) -> None:
        """Raise UsageError, before anything is played, if an agent cannot sit where it is to."""
        places = {
            (job.spec.cell, seat, name)
            for job in jobs
            for seat, name in job.spec.seating.items()
            if self.agents[name].fits is not None
        }
        for cell, seat, name in sorted(places):
            world, fits = self._worlds[cell], self.agents[name].fits
            if fits is not None:
                fits(getattr(world, "id", self._entries[cell].id), world.seats[seat])

    def limit(self, budget: Mapping[str, float]) -> None:
        """Replace limits of the budget."""
        self.scenario = limited(self.scenario, budget)
        self._refuse_unpriced()

    def describe(self) -> dict[str, Any]:
        """What the folder keeps about the run, plain data."""
        return {
            "scenario": self.scenario.model_dump(mode="json"),
            "agents": {
                name: {
                    "spec": spec.text,
                    "identity": spec.identity,
                    "trusted": not spec.isolated,
                    "deterministic": spec.deterministic,
                    "language": spec.language,
                }
                for name, spec in self.agents.items()
            },
            "id": secrets.token_hex(8),
            "seed": self.scenario.seed,
            "version": __version__,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "started": time.time(),
        }

    @classmethod
    def from_info(cls, path: Path, info: Mapping[str, Any], agents: Sequence[Any] | None) -> Plan:
        """The plan a folder was begun with.

        Raises:
            UsageError: an agent has changed, or is a live object that was not handed over again.
            StoreError: the folder does not say what it was.
        """
        from ..scenarios.model import Scenario

        if "scenario" not in info:
            raise StoreError(f"{path} holds no scenario: its run was stopped before it began")
        scenario = Scenario.model_validate(info["scenario"], strict=False)
        kept: Mapping[str, Mapping[str, Any]] = info["agents"]
        live = [name for name, facts in kept.items() if facts["spec"].startswith("python:")]
        if agents is None and live:
            raise UsageError(
                f"{path}: {live[0]!r} is a live Python object, which a folder cannot keep: resume "
                "from Python with resume(path, agents=[…])"
            )
        trusted = frozenset(name for name, facts in kept.items() if facts["trusted"])
        scenario, specs = seat_agents(scenario, agents, trusted=trusted)
        plan = cls(scenario, specs)
        _refuse_changed_agents(path, kept, plan)
        return plan


def seat_agents(
    scenario: Scenario, agents: Sequence[Any] | None, *, trusted: bool | frozenset[str] = False
) -> tuple[Scenario, dict[str, AgentSpec]]:
    """Find out who plays.

    Args:
        scenario: its own agents play unless others are given.
        agents: specs or live Python objects that replace ``scenario.agents``; a world's own extra
            agents, the background and the judges stay.
        trusted: run users' agents in this process: all, or those of these names.

    Returns:
        The scenario with these agents written into it, and every agent in it by name.

    Raises:
        UsageError: an agent that cannot be made.
    """
    from ..agents.registry import resolve
    from ..scenarios.load import change

    live: dict[str, AgentSpec] = {}
    if agents is not None:
        entries: list[Any] = []
        for agent in agents:
            if isinstance(agent, str | Mapping):
                entries.append(agent)
            else:
                spec = resolve(agent)
                live[spec.text] = spec
                taken = any(name == spec.name for name in map(_name_of, entries))
                entries.append(spec.text if taken else {"spec": spec.text, "name": spec.name})
        scenario = change(scenario, agents=entries)
    everyone = [
        *scenario.agents,
        *scenario.background,
        *scenario.judges,
        *(entry for world in scenario.worlds for entry in world.agents),
    ]
    found: dict[str, AgentSpec] = {}
    for entry in everyone:
        name = entry.label
        if name not in found:
            mine = trusted if isinstance(trusted, bool) else name in trusted
            found[name] = live.get(entry.spec) or resolve(entry.as_spec(), trusted=mine)
    return scenario, found


def _name_of(entry: Any) -> str:
    return str(entry.get("name") or entry["spec"]) if isinstance(entry, Mapping) else str(entry)


def refuse_unrateable(scenario: Scenario, worlds: Mapping[str, World]) -> None:
    """Refuse a schedule that would leave nothing to compare, or not what the rating needs.

    Args:
        scenario: the experiment.
        worlds: its worlds by cell.

    Raises:
        UsageError: Swiss pairing in a world that is not zero-sum: nobody would meet the same others
            as anybody else, and seats of one match are not compared there. Or there is no such
            rating, or it is not defined for these matches.
    """
    from .ratings.registry import DEFAULT, rating

    wanted = rating(scenario.rating)
    if wanted.name != DEFAULT:
        wanted.check(list(_planned_rows(scenario, worlds)))
    if scenario.schedule.kind != "swiss":
        return
    for cell, kind in kinds_of(worlds).items():
        if kind != "zero_sum":
            raise UsageError(
                f"scenario {scenario.name}: swiss rounds cannot rate agents in {cell}, which is "
                f"{kind}, not zero_sum: agents are compared there by how they fare with the same "
                "others; use schedule.kind round_robin or pairs"
            )


def kinds_of(worlds: Mapping[str, World]) -> dict[str, str]:
    """What may be compared in each cell: ``zero_sum``, ``mixed`` or ``cooperative``."""
    return {cell: getattr(world, "kind", "mixed") for cell, world in worlds.items()}


def _planned_rows(scenario: Scenario, worlds: Mapping[str, World]) -> Iterable[MatchRow]:
    """The first block's matches (for swiss: the first round) as rows without results."""
    seat_ids = {cell: tuple(world.seats) for cell, world in worlds.items()}
    kinds = kinds_of(worlds)
    once = scenario.schedule.model_copy(update={"repeats": 1})
    first = scenario.model_copy(update={"schedule": once})
    for spec in schedule(first, Cast.of(first), seat_ids, kinds):
        seats = tuple(
            SeatRow(
                seat, agent, spec.roles.get(seat, "focal"), worlds[spec.cell].seats[seat].team, 0
            )
            for seat, agent in spec.seating.items()
        )
        yield MatchRow("", spec.world, kinds[spec.cell], spec.cell, spec.seed, spec.block, seats)


def limited(scenario: Scenario, budget: Mapping[str, float]) -> Scenario:
    """The scenario with some limits of its budget replaced (``per_agent.calls`` goes deeper)."""
    from ..scenarios.load import change

    merged = scenario.budget.model_dump(exclude_none=True)
    for name, limit in budget.items():
        place, _, field = name.rpartition(".")
        if place:
            merged[place] = {**merged.get(place, {}), field: limit}
        elif isinstance(limit, Mapping):
            merged[name] = {**merged.get(name, {}), **limit}
        else:
            merged[name] = limit
    return change(scenario, budget=merged)


def _fault_rule(world: World) -> str:
    return next(iter(world.seats.values())).fault_rule


def _refuse_changed_agents(path: Path, kept: Mapping[str, Mapping[str, Any]], plan: Plan) -> None:
    for name, facts in kept.items():
        spec = plan.agents.get(name)
        if spec is None or spec.identity != facts["identity"]:
            raise UsageError(
                f"{path}: the agent {name!r} ({facts['spec']}) has changed since the run began, "
                "and its finished matches would no longer be its own: restore it, or start a new "
                "run"
            )
