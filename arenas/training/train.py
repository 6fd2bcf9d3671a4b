"""Training from outside: start it, and go on with it.

``train("clean_up", methods=["fcgrad", "ippo"], seeds=4)`` is the command line's
``gymposium train`` in Python; what it leaves is a folder (:mod:`.run`) that either can go on with.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from gymposium.errors import GymposiumError, UnknownName, UsageError

from ...agents.methods import MethodSpec, resolve_method
from ...envs.start_folder import located, start_folder
from ...scenarios.training import MethodEntry, TrainingScenario, load_training
from ..executors.processes import run_jobs
from .curves import read_rows
from .evaluation import evaluation_partners, trained_seats
from .learner import EVALUATION, LearnerEvent, LearnerJob, learn
from .run import FILE, TrainingRun, learner_folder, safe_name, write_info


class TrainingReporter(Protocol):
    """What training tells about its progress (the command line draws it)."""

    def start(self, scenario: TrainingScenario, known: Sequence[LearnerEvent]) -> None:
        """Learning begins; ``known`` are evaluations and steps of an earlier session."""
        ...

    def event(self, event: LearnerEvent) -> None:
        """A learner has got on."""
        ...

    def message(self, text: str) -> None:
        """A sentence for the person who waits."""
        ...

    def stop(self) -> None:
        """It has ended, well or not."""
        ...


class Silent:
    """A TrainingReporter that says nothing."""

    def start(self, scenario: TrainingScenario, known: Sequence[LearnerEvent]) -> None:
        """Say nothing."""

    def event(self, event: LearnerEvent) -> None:
        """Say nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Say nothing."""


@start_folder()
def train(
    scenario: TrainingScenario | Mapping[str, Any] | str | Path,
    methods: Sequence[str | Mapping[str, Any]] | None = None,
    *,
    out: str | Path | None = None,
    workers: int = 1,
    progress: TrainingReporter | None = None,
    **changes: Any,
) -> TrainingRun:
    """Let methods learn in a world.

    Args:
        scenario: a training scenario (file, name of a shipped one, mapping) or a world's id.
        methods: method specs (``"fcgrad?beta=0.7"``), in place of the scenario's.
        out: the folder; the default is a new one under ``runs/``. One that holds this very run is
            gone on with.
        workers: processes that learners are spread over; never changes a result.
        progress: told about progress.
        changes: other fields of the scenario: ``seeds=4``, ``params={…}``, ``budget={"steps":
            1e6}``, ``evaluation={…}``, ``partners={…}``, ``stop={…}``; mappings are merged.

    Returns:
        The finished run.

    Raises:
        UsageError: the scenario, a method, a partner or a parameter cannot be used as written.
        GymposiumError: a learner failed; the others were finished.
        KeyboardInterrupt: Ctrl-C; learners are saved and ``resume_training(path)`` goes on.
    """
    from ...envs.registry import specs

    chosen = load_training(scenario, worlds=[spec.id for spec in specs()])
    if methods is not None:
        changes["methods"] = list(methods)
    chosen = merged(chosen, changes)
    chosen, made = checked(chosen)
    path = Path(out) if out is not None else new_training_folder(chosen.name)
    place = located(path)
    if (place / FILE).exists():
        known = TrainingRun(path).scenario
        if _identity(known) != _identity(chosen):
            raise UsageError(
                f"the folder {path} already holds another training run: choose another with "
                f"--out, or go on with it by `gymposium resume {path}`"
            )
    elif place.is_dir() and any(place.iterdir()):
        raise UsageError(f"the folder {path} is not empty: choose another with --out")
    write_info(path, chosen)
    return _learn(path, chosen, made, workers, progress or Silent())


@start_folder()
def resume_training(
    path: str | Path,
    *,
    workers: int = 1,
    budget: Mapping[str, float] | None = None,
    progress: TrainingReporter | None = None,
) -> TrainingRun:
    """Go on with a training run that was stopped, or further with one that is finished.

    Args:
        path: the run's folder.
        workers: as in :func:`train`.
        budget: new limits (``{"steps": 2e6}``): finished learners go on from their last checkpoint.
        progress: told about progress.

    Raises:
        UsageError, StoreError: not a training run, or a method of it is no longer known.
    """
    run = TrainingRun(path)
    chosen = merged(run.scenario, {"budget": dict(budget)} if budget else {})
    chosen, made = checked(chosen)
    if chosen != run.scenario:
        write_info(run.path, chosen, run.info)
    return _learn(run.path, chosen, made, workers, progress or Silent())


def merged(scenario: TrainingScenario, changes: Mapping[str, Any]) -> TrainingScenario:
    """``scenario`` with some fields replaced; mappings within parts are merged."""
    data = scenario.model_dump(mode="json")
    parts = {
        name: {**(data[name] or {}), **value}
        if isinstance(value, Mapping) and isinstance(data.get(name), Mapping | None)
        else value
        for name, value in changes.items()
    }
    if changes.get("budget", {}).get("steps") and "evaluation" not in changes:
        # The spacing of evaluations stays when a budget is raised, so that curves stay comparable.
        parts.setdefault("evaluation", data["evaluation"])
    return scenario.changed(**parts) if parts else scenario


def checked(
    scenario: TrainingScenario,
) -> tuple[TrainingScenario, dict[str, MethodSpec]]:
    """Everything that can be checked before learning begins.

    Returns:
        The scenario with the spacing of its evaluations written into it and its world's id
        complete; its methods by label.

    Raises:
        UsageError: unknown world, parameter, seat, partner or method, or nobody to learn.
    """
    from ...agents.registry import resolve
    from ...envs.registry import make_world, spec

    if not scenario.methods:
        raise UsageError(
            f"{scenario.name} names no method: add one with --method; `gymposium train --list` "
            "shows what there is"
        )
    evaluation = {
        **scenario.evaluation.model_dump(mode="json"),
        "every": scenario.evaluate_every,
    }
    scenario = scenario.changed(world=spec(scenario.world).id, evaluation=evaluation)
    seats = make_world(scenario.world, **scenario.params).seats
    partners = evaluation_partners(scenario)
    for seat in (*scenario.seats, *partners):
        if seat not in seats:
            raise UnknownName("seat", seat, seats, where=scenario.world)
    trained = trained_seats(scenario, seats)
    if not trained:
        raise UsageError(f"{scenario.name}: every seat has a partner in it, so none learns")
    for seat in seats:
        if seat in trained and seat in partners:
            raise UsageError(f"{scenario.name}: {seat!r} learns, so no partner can sit there")
        if seat not in trained and seat not in partners:
            raise UsageError(
                f"{scenario.name}: the seat {seat!r} neither learns nor has a partner in it: add "
                f"--partner {seat}=AGENT, or let it learn"
            )
    for seat, text in partners.items():
        partner = resolve(text)
        if partner.fits is not None:
            partner.fits(scenario.world, seats[seat])
    folders: dict[str, str] = {}
    for entry in scenario.methods:
        twin = folders.setdefault(safe_name(entry.label), entry.label)
        if twin != entry.label:
            raise UsageError(f"{twin!r} and {entry.label!r} would share a folder: rename one")
    return scenario, {entry.label: _method(entry) for entry in scenario.methods}


def _method(entry: MethodEntry) -> MethodSpec:
    found = resolve_method(entry.spec)
    made = dataclasses.replace(found, params={**found.params, **entry.params})
    made.config()
    return made


def _learn(
    path: Path,
    scenario: TrainingScenario,
    methods: Mapping[str, MethodSpec],
    workers: int,
    reporter: TrainingReporter,
) -> TrainingRun:
    jobs = [
        LearnerJob(
            learner_folder(located(path), entry.label, seed),
            scenario,
            entry.label,
            methods[entry.label],
            seed,
        )
        # Seeds outermost, so that methods get on side by side.
        for seed in range(scenario.seed, scenario.seed + scenario.seeds)
        for entry in scenario.methods
    ]

    def hear(told: Sequence[LearnerEvent]) -> None:
        for event in told:
            reporter.event(event)

    reporter.start(scenario, list(_earlier(jobs)))
    try:
        ended = run_jobs(
            learn,
            jobs,
            workers=workers,
            on_told=hear,
            on_interrupt=lambda: reporter.message(
                f"stopping: learners are being saved; go on with `gymposium resume {path}` "
                "(Ctrl-C again stops at once)"
            ),
        )
    finally:
        reporter.stop()
    failed = [event for event in ended if event.status == "failed"]
    if failed:
        first = failed[0]
        more = f" ({len(failed) - 1} more failed)" if len(failed) > 1 else ""
        raise GymposiumError(
            f"{first.arm} on seed {first.seed} failed after {first.step:,} steps: "
            f"{first.why.rstrip('.')}{more}; `gymposium resume {path}` tries again"
        )
    return TrainingRun(path)


def _earlier(jobs: Sequence[LearnerJob]) -> Sequence[LearnerEvent]:
    """What earlier sessions found, for those who draw curves."""
    found = []
    for job in jobs:
        total = job.scenario.budget.steps
        for row in read_rows(job.folder / EVALUATION):
            measures = {name: value for name, value in row.items() if name != "step"}
            found.append(
                LearnerEvent(job.arm, job.seed, int(row["step"]), total, measures=measures)
            )
    return found


def _identity(scenario: TrainingScenario) -> Any:
    """The fields that say what is learned: not how far, nor what is kept."""
    return scenario.model_dump(mode="json", exclude={"budget", "checkpoints", "description"})


def new_training_folder(name: str) -> Path:
    """A folder under ``runs/`` that does not exist yet."""
    base = Path("runs") / f"{safe_name(name)}-{time.strftime('%Y%m%d-%H%M%S')}"
    path, number = base, 1
    while located(path).exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path
