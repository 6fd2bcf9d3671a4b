"""A run from outside: start it, resume it, load it, read its tables.

``run(scenario, agents=[…])`` is the command line's ``gymposium tournament`` in Python: both make
the same plan, and a run begun by one can be resumed and read by the other.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium import __version__
from gymposium.errors import GymposiumError, StoreError, UsageError
from gymposium.types import World

from .executors.inline import run_to_end
from .keys import match_keys
from .meter import Meter
from .rows import MatchRow
from .runner import Job, Reporter, Runner, RunnerOptions
from .schedule import MatchSpec, next_round, schedule
from .store import RunFolder

if TYPE_CHECKING:
    import pandas as pd

    from ..agents.registry import AgentSpec
    from ..scenarios.model import Scenario
    from .ratings.leaderboard import Leaderboard


class Run:
    """A run folder, as results.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        """Open the run in ``path`` for reading.

        Raises:
            StoreError: not a run folder, or corrupt.
        """
        self.path = path
        with RunFolder(path) as folder:
            self.info = folder.info()
            self.rows = folder.rows()

    def leaderboard(self, *, bootstrap: int = 200, confidence: float = 0.95) -> Leaderboard:
        """Ratings with intervals, recomputed from the stored matches."""
        from .ratings.leaderboard import leaderboard

        seed = int(self.info.get("seed", 0))
        return leaderboard(self.rows, bootstrap=bootstrap, seed=seed, confidence=confidence)

    def table(self) -> pd.DataFrame:
        """The leaderboard as a data frame, one row per rated agent."""
        return self.leaderboard().to_frame()

    def matches(self) -> pd.DataFrame:
        """One row per seat of every finished match."""
        import pandas as pd

        return pd.DataFrame.from_records(list(_flat_rows(self.rows)))

    def transcript(self, key: str) -> list[dict[str, Any]]:
        """The record of one match, line by line (see ``arenas/record.py``)."""
        from .record import read_record

        with RunFolder(self.path) as folder:
            return list(read_record(folder.transcript_path(key)))

    def report(self, *, transcripts: int = 6) -> Path:
        """Write ``report.html`` into the folder and return its path."""
        from .report import write_report

        shown = [self.transcript(row.key) for row in _worth_showing(self.rows, transcripts)]
        target = self.path / "report.html"
        return write_report(self.info, self.leaderboard(), self.rows, shown, target)


def run(
    scenario: Scenario | str | Path,
    agents: Sequence[Any] | None = None,
    *,
    out: str | Path | None = None,
    seed: int | None = None,
    concurrency: int = 64,
    trusted: bool = False,
    budget: Mapping[str, float] | None = None,
    progress: Reporter | None = None,
) -> Run:
    """Play a scenario.

    Args:
        scenario: a scenario file, the name of a shipped one, a Scenario, or a world's id.
        agents: specs (``"random"``, ``"llm:smollm2"``, ``"my_file.py:MyAgent"``) or live Python
            objects; the default is the scenario's own agents.
        out: the run folder; the default is a new one under ``runs/``.
        seed: replaces the scenario's seed.
        concurrency: matches in flight; never changes a result.
        trusted: run users' agents in this process instead of a killable child process.
        budget: replaces limits of the scenario's budget.
        progress: told about progress.

    Returns:
        The finished run.

    Raises:
        UsageError: the scenario, an agent or a parameter cannot be used as written.
        BudgetSpent, BackendError, StoreError: stopped early; ``resume(path)`` goes on.
        KeyboardInterrupt: Ctrl-C; finished matches are stored and ``resume(path)`` goes on.
    """
    from ..agents.registry import resolve_all
    from ..scenarios.load import load_scenario

    chosen = load_scenario(scenario)
    changes: dict[str, Any] = {}
    if seed is not None:
        changes["seed"] = seed
    if budget:
        changes["budget"] = {**chosen.budget.model_dump(exclude_none=True), **budget}
    if changes:
        chosen = type(chosen).model_validate({**chosen.model_dump(), **changes})
    specs = resolve_all(chosen.agent_entries(agents), trusted=trusted)
    path = Path(out) if out is not None else _new_folder(chosen.name)
    plan = Plan(chosen, specs)
    with RunFolder(path, write=True, create=True) as folder:
        known = folder.info()
        if known:
            _refuse_other_run(path, known, plan)
        else:
            folder.set_info(**plan.describe())
        plan.play(folder, concurrency=concurrency, progress=progress)
    return Run(path)


def resume(
    path: str | Path,
    agents: Sequence[Any] | None = None,
    *,
    concurrency: int = 64,
    budget: Mapping[str, float] | None = None,
    progress: Reporter | None = None,
) -> Run:
    """Play exactly the matches that a stopped run still lacks.

    Args:
        path: the run folder.
        agents: only for live Python objects, which a folder cannot keep: the same as in ``run``.
        concurrency: matches in flight.
        budget: new limits, for a run that stopped because its budget was spent.
        progress: told about progress.

    Raises:
        UsageError: an agent has changed since the run began, or cannot be made again.
        StoreError: not a run folder, corrupt, or in use.
    """
    path = Path(path)
    with RunFolder(path, write=True) as folder:
        plan = Plan.from_info(path, folder.info(), agents)
        if budget:
            plan.limit(budget)
        plan.play(folder, concurrency=concurrency, progress=progress)
    return Run(path)


def load(path: str | Path) -> Run:
    """Open a run, finished or not, for reading."""
    return Run(Path(path))


class Plan:
    """A scenario with its agents resolved: which matches there are, and how to play them."""

    def __init__(self, scenario: Scenario, agents: Mapping[str, AgentSpec]) -> None:
        """Check everything that can be checked before the first match.

        Raises:
            UsageError: an unknown world or parameter, or too few agents for the schedule.
        """
        from ..envs.registry import make_world

        self.scenario = scenario
        self.agents = agents
        self._make = make_world
        self._entries = {entry.name: entry for entry in scenario.worlds}
        self._worlds = {name: self._world(name) for name in self._entries}

    def _world(self, cell: str) -> World:
        entry = self._entries[cell]
        return self._make(entry.id, **entry.params)

    def jobs(self, rows: Callable[[], list[MatchRow]]) -> Iterable[list[Job]]:
        """Batches of matches; a Swiss schedule's next batch depends on the stored rows."""
        names = list(self.agents)
        seat_ids = {name: tuple(world.seats) for name, world in self._worlds.items()}
        batch = schedule(self.scenario, names, seat_ids)
        planned: list[MatchSpec] = []
        while batch:
            first = len(planned)
            planned += batch
            keys = self._keys(planned)[first:]
            yield [
                Job(key, first + place, spec)
                for place, (key, spec) in enumerate(zip(keys, batch, strict=True))
            ]
            batch = next_round(self.scenario, names, rows())

    def _keys(self, specs: Sequence[MatchSpec]) -> list[str]:
        return match_keys(
            specs,
            {name: spec.identity for name, spec in self.agents.items()},
            fault_rules={name: _fault_rule(world) for name, world in self._worlds.items()},
            reasks=self.scenario.reasks,
        )

    def play(self, folder: RunFolder, *, concurrency: int, progress: Reporter | None) -> None:
        """Play what ``folder`` lacks; see :func:`run` for what is raised."""
        reporter = progress or Silent()
        calls, prompt, completion = folder.totals()
        limits = self.scenario.budget.model_dump(exclude_none=True)
        meter = Meter(limits, calls, prompt, completion)
        runner = Runner(
            folder,
            self.agents,
            lambda spec: self._world(spec.cell),
            reasks=self.scenario.reasks,
            meter=meter,
            reporter=reporter,
            options=RunnerOptions(concurrency=concurrency),
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
        folder.set_info(status="finished", finished=time.time())

    async def _play_batches(self, folder: RunFolder, runner: Runner, reporter: Reporter) -> None:
        from ..agents.isolation import shutdown

        try:
            total = done = 0
            for batch in self.jobs(folder.rows):
                finished = folder.keys()
                missing = [job for job in batch if job.key not in finished]
                total += len(batch)
                done += len(batch) - len(missing)
                reporter.start(total, done)
                await runner.run(missing)
                done = total
        finally:
            await shutdown()

    def limit(self, budget: Mapping[str, float]) -> None:
        """Replace limits of the budget."""
        merged = {**self.scenario.budget.model_dump(exclude_none=True), **budget}
        self.scenario = type(self.scenario).model_validate(
            {**self.scenario.model_dump(), "budget": merged}
        )

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
        from ..agents.registry import resolve_all
        from ..scenarios.model import Scenario

        if "scenario" not in info:
            raise StoreError(f"{path} holds no scenario: its run was stopped before it began")
        scenario = Scenario.model_validate(info["scenario"])
        kept: Mapping[str, Mapping[str, Any]] = info["agents"]
        live = [name for name, facts in kept.items() if facts["spec"].startswith("python:")]
        if agents is None and live:
            raise UsageError(
                f"{path}: {live[0]!r} is a live Python object, which a folder cannot keep: resume "
                "from Python with resume(path, agents=[…])"
            )
        entries = (
            scenario.agent_entries(agents)
            if agents is not None
            else [
                {"spec": facts["spec"], "name": name, "trusted": facts["trusted"]}
                for name, facts in kept.items()
            ]
        )
        plan = cls(scenario, resolve_all(entries))
        _refuse_changed_agents(path, kept, plan)
        return plan


class Silent:
    """A Reporter that says nothing."""

    def start(self, total: int, done: int) -> None:
        """Say nothing."""

    def match_done(self, row: MatchRow) -> None:
        """Say nothing."""

    def tick(self, stats: Mapping[str, Any]) -> None:
        """Say nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Say nothing."""


def _fault_rule(world: World) -> str:
    return next(iter(world.seats.values())).fault_rule


def _new_folder(name: str) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{name}-{stamp}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path


def _refuse_other_run(path: Path, known: Mapping[str, Any], plan: Plan) -> None:
    """A folder given with ``out`` may hold this very run; any other is not to be mixed with it."""
    mine = plan.describe()
    for field, what in (("scenario", "another scenario"), ("agents", "other agents")):
        if known.get(field) != mine[field]:
            raise UsageError(
                f"the folder {path} already holds a run of {what}: choose another with --out, or "
                f"go on with it by `gymposium resume {path}`"
            )


def _refuse_changed_agents(path: Path, kept: Mapping[str, Mapping[str, Any]], plan: Plan) -> None:
    for name, facts in kept.items():
        spec = plan.agents.get(name)
        if spec is None or spec.identity != facts["identity"]:
            raise UsageError(
                f"{path}: the agent {name!r} ({facts['spec']}) has changed since the run began, "
                "and its finished matches would no longer be its own: restore it, or start a new "
                "run"
            )


def _flat_rows(rows: Sequence[MatchRow]) -> Iterable[dict[str, Any]]:
    for row in rows:
        for seat in row.seats:
            yield {
                "match": row.key,
                "cell": row.cell,
                "world": row.world,
                "seed": row.seed,
                "block": row.block,
                "seat": seat.seat,
                "agent": seat.agent,
                "role": seat.role,
                "return": seat.return_,
                "faults": sum(seat.faults.values()),
                "turns": seat.turns,
                "llm_calls": seat.llm_calls,
                "prompt_tokens": seat.prompt_tokens,
                "completion_tokens": seat.completion_tokens,
                "seconds": seat.seconds,
                "reason": row.reason,
                **{f"metric.{name}": value for name, value in row.metrics.items()},
            }


def _worth_showing(rows: Sequence[MatchRow], count: int) -> list[MatchRow]:
    """Matches for the report: one of each cell in turn, those with model calls first."""
    by_cell: dict[str, list[MatchRow]] = {}
    for row in sorted(rows, key=lambda row: -sum(seat.llm_calls > 0 for seat in row.seats)):
        by_cell.setdefault(row.cell, []).append(row)
    chosen: list[MatchRow] = []
    while len(chosen) < count and any(by_cell.values()):
        for waiting in by_cell.values():
            if waiting and len(chosen) < count:
                chosen.append(waiting.pop(0))
    return chosen
