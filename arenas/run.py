"""A run from outside: start it, resume it, load it, read its tables.

``run(scenario, agents=[…])`` is the command line's ``gymposium tournament`` in Python: both make
the same plan, and a run begun by one can be resumed and read by the other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gymposium.errors import UsageError

from ..envs.start_folder import located, start_folder
from .casting import seat_agents
from .plan import Plan, limited
from .playing import Means, executor_for, play_plan
from .record import Recorder
from .rows import MatchRow
from .runner import Reporter
from .store import RunFolder

if TYPE_CHECKING:
    import pandas as pd

    from ..scenarios.model import Scenario
    from .ratings.leaderboard import Leaderboard
    from .ratings.metrics import Mean, Norm


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

    @cached_property
    def rows(self) -> list[MatchRow]:
        """All finished matches, in schedule order; read when they are first asked for."""
        with RunFolder(self.path) as folder:
            return folder.rows()

    def leaderboard(
        self,
        rating: str | None = None,
        *,
        anchors: Mapping[str, float] | None = None,
        bootstrap: int = 200,
        confidence: float = 0.95,
    ) -> Leaderboard:
        """Ratings with intervals, recomputed from the stored matches.

        Args:
            rating: one of ``gymposium list ratings``; default: the scenario's.
            anchors: agents whose rating is given, for ratings in points.
            bootstrap: replicas behind the intervals.
            confidence: of the intervals.

        Raises:
            UsageError: the rating is not defined for these matches.
        """
        from .ratings.leaderboard import leaderboard
        from .ratings.registry import DEFAULT

        return leaderboard(
            self.rows,
            rating=rating or self.info.get("scenario", {}).get("rating", DEFAULT),
            anchors=anchors,
            bootstrap=bootstrap,
            seed=int(self.info.get("seed", 0)),
            confidence=confidence,
        )

    def normalised(
        self, *, norm: Norm = "bounds", bootstrap: int = 200, confidence: float = 0.95
    ) -> list[Mean]:
        """Focal per-capita returns on one scale for all cells.

        Args:
            norm: ``bounds``: from 0 to 1 between the ``bounds`` the scenario gives for a cell, or
                the yardsticks of its world; ``pool``: between the worst and the best agent of it.
            bootstrap: replicas behind the intervals.
            confidence: of the intervals.

        Returns:
            Per rated agent over all cells that have a scale (``cell`` None), then per agent and
            cell. Empty without a scale.
        """
        from .ratings.breakdown import bounds_of
        from .ratings.metrics import normalised_returns

        seed = int(self.info.get("seed", 0))
        return normalised_returns(
            self.rows,
            bounds_of(self.info.get("scenario")),
            norm=norm,
            bootstrap=bootstrap,
            seed=seed,
            confidence=confidence,
        )

    def breakdown(
        self, *, norm: Norm = "bounds", bootstrap: int = 200, confidence: float = 0.95
    ) -> list[Mean]:
        """Normalised returns by the tags of the scenario's cells, and the gaps between pairs.

        Returns:
            Per agent and tag the mean over the cells that carry it (``cell`` is the tag), then the
            gaps ``resident - visitor`` and ``development - held-out`` where there are both.
        """
        from .ratings.breakdown import by_tag

        seed = int(self.info.get("seed", 0))
        return by_tag(
            self.rows,
            self.info.get("scenario"),
            norm=norm,
            bootstrap=bootstrap,
            seed=seed,
            confidence=confidence,
        )

    def table(self) -> pd.DataFrame:
        """The leaderboard as a data frame, one row per rated agent."""
        return self.leaderboard().to_frame()

    def matches(self) -> pd.DataFrame:
        """One row per seat of every finished match."""
        import pandas as pd

        from .export.matches import flat_rows

        metrics = sorted({name for row in self.rows for name in row.metrics})
        flat = [each for row in self.rows for each in flat_rows(row, metrics)]
        return pd.DataFrame.from_records(flat)

    def world_table(self, name: str) -> pd.DataFrame:
        """A table that the worlds keep of their matches, such as ``town-v0``'s ``series``.

        Args:
            name: of the table, as the world calls it.

        Returns:
            All matches' rows, in schedule order, after columns that say which match it was.

        Raises:
            UnknownName: no match has such a table; names those there are.
        """
        import pandas as pd

        from .export.tables import table_rows

        with RunFolder(self.path) as folder:
            batches = table_rows(folder, self.rows, name)
            return pd.DataFrame.from_records([row for batch in batches for row in batch])

    def transcript(self, key: str) -> list[dict[str, Any]]:
        """The record of one match, line by line (see ``arenas/record.py``)."""
        from .record import read_record

        with RunFolder(self.path) as folder:
            return list(read_record(folder.transcript_path(key)))

    @start_folder()
    def report(self, *, transcripts: int = 6) -> Path:
        """Write ``report.html`` into the folder and return its path."""
        from .report import write_report
        from .report.labels import Labels
        from .report.learning import curves_of
        from .report.reasons import reasons
        from .report.transcripts import worth_showing

        labels = Labels()
        return write_report(
            self.info,
            self.leaderboard(),
            self.rows,
            (labels.of(self._skimmed(row.key)) for row in worth_showing(self.rows, transcripts)),
            self.path / "report.html",
            reasons=reasons(self.rows, self._skimmed),
            learning=curves_of(located(self.path)),
        )

    def export_matches(self, out: str | Path) -> int:
        """Write a row per seat of every match; see :func:`.export.export_matches`."""
        from .export import export_matches

        return export_matches(self.path, Path(out))

    def export_table(self, name: str, out: str | Path) -> int:
        """Write what :meth:`world_table` gives; see :func:`.export.export_table`."""
        from .export import export_table

        return export_table(self.path, name, Path(out))

    def export_transcripts(
        self,
        out: str | Path,
        format: Literal["chat", "preferences"] = "chat",
        *,
        min_return: float | None = None,
        own_answers: bool = False,
        min_gap: float = 0.0,
    ) -> int:
        """Write language models' answers to learn from; see :func:`.export.export_transcripts`."""
        from .export import export_transcripts

        return export_transcripts(
            self.path,
            Path(out),
            format,
            min_return=min_return,
            own_answers=own_answers,
            min_gap=min_gap,
        )

    def _skimmed(self, key: str) -> Iterator[dict[str, Any]]:
        """The record of one match, lazily, without lines too long for a page."""
        from .record import read_record

        with RunFolder(self.path) as folder:
            path = folder.transcript_path(key)
        return read_record(path, longest=1 << 21)


@start_folder()
def run(
    scenario: Scenario | str | Path,
    agents: Sequence[Any] | None = None,
    *,
    out: str | Path | None = None,
    seed: int | None = None,
    concurrency: int = 64,
    workers: int | None = None,
    executor: str | None = None,
    trusted: bool = False,
    budget: Mapping[str, Any] | None = None,
    progress: Reporter | None = None,
    recorder: Callable[..., Recorder] = Recorder,
    cache: bool | str | Path = True,
) -> Run:
    """Play a scenario.

    Args:
        scenario: a scenario file, the name of a shipped one, a Scenario, or a world's id.
        agents: specs (``"random"``, ``"llm:smollm2"``, ``"my_file.py:MyAgent"``) or live Python
            objects; the default is the scenario's own agents.
        out: the run folder; the default is a new one under ``runs/``.
        seed: replaces the scenario's seed.
        concurrency: matches in flight; never changes a result, nor do ``workers`` and ``executor``.
        workers: processes that matches are spread over; default: this one.
        executor: ``inline`` (this process), ``processes``, or ``ray`` (``ray:ADDRESS``) for the
            machines of a cluster; default: ``processes`` if there are several workers.
        trusted: run users' agents in this process instead of a killable child process.
        budget: replaces limits of the scenario's budget.
        progress: told about progress.
        recorder: writes a match down as it is played; :func:`.viewer.live.watched` makes one that
            also shows it.
        cache: language models' answers are kept and found again in a file in the user's cache
            folder, in the file named here, or (False) not at all.

    Returns:
        The finished run.

    Raises:
        UsageError: the scenario, an agent or a parameter cannot be used as written.
        BudgetSpent, BackendError, StoreError: stopped early; ``resume(path)`` goes on.
        KeyboardInterrupt: Ctrl-C; finished matches are stored and ``resume(path)`` goes on.
    """
    from ..envs.registry import specs as world_specs
    from ..scenarios.load import change
    from ..scenarios.load import load as load_scenario

    chosen = load_scenario(scenario, worlds=[spec.id for spec in world_specs()])
    if seed is not None:
        chosen = change(chosen, seed=seed)
    if budget:
        chosen = limited(chosen, budget)
    chosen, specs = seat_agents(chosen, agents, trusted=trusted)
    path = Path(out) if out is not None else new_folder(chosen.name)
    plan = Plan(chosen, specs)
    means = Means(concurrency, workers, executor, progress, recorder, cache)
    executor_for(plan, means)  # refuses before there is a folder
    with RunFolder(path, write=True, create=True) as folder:
        known = folder.info()
        if known:
            _refuse_other_run(path, known, plan)
        else:
            folder.set_info(**plan.describe())
        play_plan(plan, folder, means)
    return Run(path)


@start_folder()
def resume(
    path: str | Path,
    agents: Sequence[Any] | None = None,
    *,
    concurrency: int = 64,
    workers: int | None = None,
    executor: str | None = None,
    budget: Mapping[str, Any] | None = None,
    progress: Reporter | None = None,
    cache: bool | str | Path = True,
) -> Run:
    """Play exactly the matches that a stopped run still lacks.

    Args:
        path: the run folder.
        agents: only for live Python objects, which a folder cannot keep: the same as in ``run``.
        concurrency: as in ``run``; so are ``workers`` and ``executor``.
        workers: processes.
        executor: where matches are played.
        budget: new limits, for a run that stopped because its budget was spent.
        progress: told about progress.
        cache: as in ``run``.

    Raises:
        UsageError: an agent has changed since the run began, or cannot be made again.
        StoreError: not a run folder, corrupt, or in use.
    """
    path = Path(path)
    with RunFolder(path, write=True) as folder:
        plan = Plan.from_info(path, folder.info(), agents)
        if budget:
            plan.limit(budget)
        means = Means(concurrency, workers, executor, progress, cache=cache)
        play_plan(plan, folder, means)
    return Run(path)


def load(path: str | Path) -> Run:
    """Open a run, finished or not, for reading."""
    return Run(Path(path))


def new_folder(name: str) -> Path:
    """A folder under ``runs/`` that does not exist yet, called after ``name`` and the time."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    base = Path("runs") / f"{safe}-{time.strftime('%Y%m%d-%H%M%S')}"
    path, number = base, 1
    while located(path).exists():
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
