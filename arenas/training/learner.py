"""One learner: a method on one seed, driven to its budget, saved and measured on the way.

A :class:`~gymposium.types.Method` is a generator; its state may be saved at its yields and nowhere
else. At such a moment this module writes a row, and when it is time a checkpoint, from which the
evaluation matches are then played. Everything it decides (when to save, to measure, to stop) it
decides from steps and from what is on disk, never from a clock (but for a budget of seconds), so
that a learner killed at any instant and begun again ends as if nothing had happened: it goes on
from its newest checkpoint, and rows later than that are taken back.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gymposium import __version__
from gymposium.errors import GymposiumError, UnknownName, UsageError
from gymposium.types import Method, Progress, TrainingTask

from ...agents.checkpoints import (
    checkpoints,
    read_checkpoint,
    remove_checkpoint,
    write_checkpoint,
)
from ...agents.methods import MethodSpec, method_names, register_method
from ...agents.trained import BEST, FOLDER
from ...agents.wire import space_to_json
from ...envs.start_folder import here, start_folder
from ...envs.whereabouts import told
from ...scenarios.training import TrainingScenario
from .curves import CurveFile, Row, TensorBoard
from .evaluation import evaluate, trained_seats
from .files import own_folder, write_json
from .matches import match_player

if TYPE_CHECKING:
    from collections.abc import Generator

STATUS, PROGRESS, EVALUATION = "status.json", "progress.csv", "evaluation.csv"


@dataclass(frozen=True)
class LearnerJob:
    """What one learner is to do; plain enough to be sent to another process.

    Attributes:
        folder: where its files are.
        scenario: the training scenario.
        arm: the method's label in it.
        method: the method, with parameters.
        seed: of the method.
        home: that relative paths are relative to.
    """

    folder: Path
    scenario: TrainingScenario
    arm: str
    method: MethodSpec
    seed: int
    home: Path = field(default_factory=here)


@dataclass(frozen=True)
class LearnerEvent:
    """What a learner tells while it runs.

    Attributes:
        arm, seed: which learner.
        step, total: how far it is.
        metrics: what the method measured.
        measures: what an evaluation found, when there was one.
        status: ``running``, ``finished``, ``interrupted`` or ``failed``, when it changed.
        why: a sentence with it.
    """

    arm: str
    seed: int
    step: int
    total: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    status: str = ""
    why: str = ""


def learn(
    job: LearnerJob, tell: Callable[[LearnerEvent], None], stopping: Callable[[], bool]
) -> LearnerEvent:
    """Drive one learner until it is done, stopped or failed.

    Args:
        job: which one.
        tell: told of each moment of progress.
        stopping: save and return as soon as this is true.

    Returns:
        The last event, whose ``status`` says how it ended. An exception out of a method becomes
        ``failed``: other learners go on.
    """
    with start_folder(job.home), own_folder(job.folder):
        learner = Learner(job, tell)
        if job.method.name not in method_names():  # registered by hand, in another process
            register_method(dataclasses.replace(job.method, params={}))
        try:
            with _threads(job.scenario.threads, job.method):
                return learner.run(stopping)
        except GymposiumError as error:
            return learner.ended("failed", str(error))
        except Exception as error:  # noqa: BLE001 - the plug-in boundary: a method's own code
            return learner.ended("failed", told(error))


class Learner:
    """The course of one learner; see the module."""

    def __init__(self, job: LearnerJob, tell: Callable[[LearnerEvent], None]) -> None:
        self._job, self._tell = job, tell
        scenario = job.scenario
        self._steps = scenario.budget.steps
        self._checkpoints = job.folder / FOLDER
        saved = checkpoints(self._checkpoints)
        self._step = max(saved, default=0)
        last = self._step if saved else None
        self._progress = CurveFile(job.folder / PROGRESS, last_step=last)
        self._evaluations = CurveFile(job.folder / EVALUATION, last_step=last)
        self._earlier = self._progress.rows[-1]["seconds"] if self._progress.rows else 0.0
        self._began = time.monotonic()
        self._board = TensorBoard(job.folder / "tensorboard", last_step=self._step)
        self._facts: dict[str, Any] = {}

    def run(self, stopping: Callable[[], bool]) -> LearnerEvent:
        """Go on from the newest checkpoint; see :func:`learn`."""
        with self._board:
            method = self._job.method.make()
            task = self._task()
            if self._step:
                newest = read_checkpoint(checkpoints(self._checkpoints)[self._step])
                method.load_state_dict(newest.state())
                if newest.facts["measured"] and not self._evaluated(self._step):
                    self._evaluate()
                elif self._evaluations.rows:  # it may have been killed just before remembering
                    self._remember_best()
            self._status("running")
            why = self._over(self._step) or self._drive(method, task, stopping)
            if why is None:
                return self.ended("interrupted", "stopped; it can be resumed")
            self._prune(final=True)
            return self.ended("finished", why)

    def _drive(
        self, method: Method, task: TrainingTask, stopping: Callable[[], bool]
    ) -> str | None:
        """Let the method learn; why it is over, or None when it was asked to stop."""
        # A method's ``train`` is a generator, and closing it is how it is stopped.
        with closing(cast("Generator[Progress]", method.train(task))) as course:
            for progress in course:
                before, self._step = self._step, progress.step
                if self._step <= before:
                    raise UsageError(
                        f"the method {self._job.arm} yielded step {self._step} after step "
                        f"{before}: its steps must grow"
                    )
                self._note(progress)
                over = self._over(self._step)
                measure = bool(over) or self._crossed(self._job.scenario.evaluate_every, before)
                save = measure or self._crossed(self._job.scenario.checkpoints.every, before)
                if save:
                    self._save(method, measured=measure, scheduled=True)
                if measure:
                    self._evaluate()
                    over = over or self._over(self._step)
                if over:
                    return over
                if stopping():
                    if not save:
                        self._save(method, measured=False, scheduled=False)
                    return None
        if not self._step:
            raise UsageError(f"the method {self._job.arm} ended without any progress")
        if not self._evaluated(self._step):
            self._save(method, measured=True, scheduled=True)
            self._evaluate()
        return "the method ended"

    def _over(self, step: int) -> str:
        """Why learning is over after ``step``; "" if it is not."""
        budget, stop = self._job.scenario.budget, self._job.scenario.stop
        if step >= budget.steps:
            return f"all {budget.steps:,} steps"
        if budget.seconds is not None and self._seconds() >= budget.seconds:
            return f"all {budget.seconds:g} seconds"
        if stop is not None and self._evaluations.rows:
            values = _signed(self._evaluations.rows, stop.measure, lower=stop.lower_is_better)
            best, waited = values[0], 0
            for value in values[1:]:
                better = value > best + stop.margin
                best, waited = (value, 0) if better else (best, waited + 1)
            if waited >= stop.patience:
                return f"{stop.measure} has not improved for {waited} evaluations"
        return ""

    def _crossed(self, every: int | None, before: int) -> bool:
        return every is not None and self._step // every > before // every

    def _evaluated(self, step: int) -> bool:
        return bool(self._evaluations.rows) and self._evaluations.rows[-1]["step"] == step

    def _seconds(self) -> float:
        return self._earlier + time.monotonic() - self._began

    def _note(self, progress: Progress) -> None:
        metrics = {name: float(value) for name, value in progress.metrics.items()}
        self._progress.add({"step": self._step, "seconds": self._seconds(), **metrics})
        self._board.add(self._step, time.time(), metrics)
        self._tell(self._event(metrics=metrics))

    def _evaluate(self) -> None:
        path = checkpoints(self._checkpoints)[self._step]
        folder = self._job.folder / "evaluation"
        found = evaluate(self._job.scenario, path, folder, step=self._step)
        self._evaluations.add({"step": self._step, **found})
        self._board.add(
            self._step, time.time(), {f"evaluation/{name}": v for name, v in found.items()}
        )
        self._remember_best()
        self._prune()
        self._tell(self._event(measures=found))

    def _remember_best(self) -> None:
        stop = self._job.scenario.stop
        name, lower = (stop.measure, stop.lower_is_better) if stop else ("return", False)
        rows = self._evaluations.rows
        values = _signed(rows, name, lower=lower)
        best = max(range(len(rows)), key=lambda place: (values[place], place))
        write_json(
            self._job.folder / BEST,
            {"step": int(rows[best]["step"]), "measure": name, "value": rows[best].get(name)},
        )

    def _save(self, method: Method, *, measured: bool, scheduled: bool) -> None:
        agents = method.agents()
        facts = {
            **self._facts,
            "step": self._step,
            "policies": list(agents),
            "deterministic": all(getattr(it, "deterministic", False) for it in agents.values()),
            "measured": measured,
            "scheduled": scheduled,
        }
        write_checkpoint(self._checkpoints, facts, method.state_dict())
        if scheduled:
            self._prune()

    def _prune(self, *, final: bool = False) -> None:
        """Keep the newest few and the best; what an interruption left goes with the next."""
        found = checkpoints(self._checkpoints)
        newest = max(found, default=0)
        regular = []
        for step, path in found.items():
            if (step == newest and not final) or read_checkpoint(path).facts["scheduled"]:
                regular.append(step)
            else:
                remove_checkpoint(path)
        kept = {*regular[-self._job.scenario.checkpoints.keep :]}
        best = self._job.folder / BEST
        if best.exists():
            kept.add(json.loads(best.read_text(encoding="utf-8"))["step"])
        for step in regular:
            if step not in kept:
                remove_checkpoint(found[step])

    def _task(self) -> TrainingTask:
        """What the method is given; raises UsageError for seats that do not exist."""
        from ...envs.registry import make_world

        scenario, spec = self._job.scenario, self._job.method
        seats = make_world(scenario.world, **scenario.params).seats
        trained = trained_seats(scenario, seats)
        self._facts = {
            "method": spec.name,
            "params": dict(spec.params),
            "world": scenario.world,
            "world_params": dict(scenario.params),
            "seats": {
                seat: {
                    "observation_space": space_to_json(seats[seat].observation_space),
                    "action_space": space_to_json(seats[seat].action_space),
                }
                for seat in trained
            },
            "partners": dict(scenario.partners),
            "seed": self._job.seed,
            "gymposium": __version__,
        }
        budget = scenario.budget.model_dump(exclude_none=True)
        return TrainingTask(
            world=scenario.world,
            params=scenario.params,
            seats=trained,
            partners=scenario.partners,
            budget=budget,
            seed=self._job.seed,
            play=match_player(scenario.world, scenario.params, scenario.partners),
        )

    def _event(self, **more: Any) -> LearnerEvent:
        return LearnerEvent(self._job.arm, self._job.seed, self._step, self._steps, **more)

    def _status(self, status: str, why: str = "") -> None:
        write_json(
            self._job.folder / STATUS,
            {"status": status, "why": why, "step": self._step, "seconds": self._seconds()},
        )

    def ended(self, status: str, why: str) -> LearnerEvent:
        """Write down how it ended, and tell."""
        self._status(status, why)
        event = self._event(status=status, why=why)
        self._tell(event)
        return event


def _signed(rows: list[Row], name: str, *, lower: bool) -> list[float]:
    """A measure over the evaluations, turned so that more is better; -inf where it is undefined.

    Raises:
        UsageError: no evaluation measures it.
    """
    if not any(name in row for row in rows):
        known = [key for key in rows[-1] if key != "step"]
        raise UnknownName("measure", name, known, where="the evaluation")
    found = [(-1 if lower else 1) * row.get(name, math.nan) for row in rows]
    return [-math.inf if math.isnan(value) else value for value in found]


@contextmanager
def _threads(count: int, method: MethodSpec) -> Iterator[None]:
    """Let torch use so many threads: sums of floating-point numbers depend on it."""
    if "train" not in method.extras:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
