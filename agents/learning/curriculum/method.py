"""Curricula of budgets as methods: a teacher, a student, and the loop between them.

Algorithm 1 of Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent
(NeurIPS 2025): draw a task; let the teacher look at M episodes of the current policy, if it wants
to, and choose a budget; let the student learn from K episodes under it. A step is an episode, and
the teacher's count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Agent, Progress, Seat, TrainingTask

from .episodes import Court, Episodes, gated
from .student import Student
from .students import STUDENTS, make_student
from .teachers import Span, Teacher


@dataclass(frozen=True)
class CurriculumConfig:
    """Parameters that every curriculum has."""

    student: str = field(
        default="auto",
        metadata={
            "doc": "what learns: table, network (REINFORCE both), ppo, or responder (of text); "
            "auto is a table where observations are numbered",
            "choices": STUDENTS,
        },
    )
    episodes: int = field(default=8, metadata={"doc": "K, episodes of a lesson", "low": 1})
    lr: float = field(
        default=0.0, metadata={"doc": "the student's rate; 0 is its own: 1 for a table", "low": 0}
    )
    baseline: Literal["mean", "moving", "none"] = field(
        default="mean",
        metadata={
            "doc": "what REINFORCE takes off: the mean of the lesson, of lessons, or nothing"
        },
    )
    epsilon: float = field(
        default=0.0,
        metadata={"doc": "a table's share of uniform choices", "low": 0, "high": 1},
    )
    entropy: float = field(default=0.01, metadata={"doc": "a network's bonus", "low": 0})
    reuse: bool = field(
        default=False,
        metadata={"doc": "learn from the teacher's trials, not new episodes (biased, cheaper)"},
    )
    tasks: int = field(
        default=0, metadata={"doc": "how many tasks there are to train on; 0: no end", "low": 0}
    )
    report: int = field(default=10, metadata={"doc": "lessons between reports", "low": 1})

    def __post_init__(self) -> None:
        if self.student not in STUDENTS:
            raise UnknownName("student", self.student, STUDENTS, where="the method")
        for name, item in self.__dataclass_fields__.items():
            value, low = getattr(self, name), item.metadata.get("low")
            if low is not None and not low <= value <= item.metadata.get("high", np.inf):
                raise UsageError(
                    f"the method's parameter {name} must be at least {low}"
                    + (f" and at most {item.metadata['high']}" if "high" in item.metadata else "")
                    + f", got {value!r}"
                )


class Curriculum(ABC):
    """A student trained under budgets that a teacher chooses.

    Attributes:
        config: its parameters.
        steps: episodes so far, the teacher's included.
        trials: how many of them were the teacher's.
        lessons: lessons so far.
    """

    Config: ClassVar[type[CurriculumConfig]] = CurriculumConfig
    student: Student

    def __init__(self, config: CurriculumConfig | None = None) -> None:
        self.config = self.Config() if config is None else config
        self.steps = self.trials = self.lessons = 0
        self.teacher = self.make_teacher()
        self._task: TrainingTask | None = None
        self._loaded: Mapping[str, Any] | None = None

    @abstractmethod
    def make_teacher(self) -> Teacher:
        """The teacher that the config describes."""

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Train until the budget of ``steps`` (episodes, the teacher's included) is spent.

        Args:
            task: a world with a budget; schedules stretch over its budget of steps.

        Raises:
            UsageError: the world has no budget, or the student cannot act in it.
        """
        self._begin(task)
        total = task.budget.get("steps")
        while total is None or self.steps < total:
            rows: list[dict[str, float]] = []
            while len(rows) < self.config.report and (total is None or self.steps < total):
                done = 0.0 if total is None else self.steps / total
                rows.append(self.step(done))
            means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
            counted = {"trials": float(self.trials), "lessons": float(self.lessons)}
            yield Progress(self.steps, None if total is None else int(total), means | counted)

    def step(self, done: float) -> dict[str, float]:
        """One choice of a budget and one lesson.

        Args:
            done: share of the training that is over.

        Returns:
            ``budget`` (as a share of the way from the target to the highest), ``return`` (paid
            under it) and, where the teacher looked, ``trial.target``, ``trial.cost``,
            ``trial.raw`` (paid under the target, mean cost, raw return).
        """
        config, court, rng = self.config, self._court, self._rng
        if court.world.many_tasks:
            court.set_task(int(rng.integers(config.tasks or 2**31)))
        span = self.span()
        measures, trials = {}, None
        if self.teacher.trials:
            trials = court.play(self.student, self._seeds(self.teacher.trials))
            paid = gated(trials.costs, trials.returns, span.target)
            measures = {
                "trial.target": float(paid.mean()),
                "trial.cost": float(trials.costs.mean()),
                "trial.raw": float(trials.returns.mean()),
            }
        budget = self.teacher.choose(span, done, trials, rng)
        seeds = self._seeds(config.episodes)
        lesson = self.student.lesson(court, budget, seeds, trials if config.reuse else None)
        self.trials += self.teacher.trials
        self.steps += self.teacher.trials + lesson.played
        self.lessons += 1
        place = (budget - span.target) / max(span.highest - span.target, 1e-12)
        return {"budget": place, "return": lesson.paid, **measures}

    def span(self) -> Span:
        """The budgets of the task that is set."""
        return Span(self._court.world.target_budget, self._court.world.max_budget)

    def measure(self, seeds: Sequence[int]) -> Episodes:
        """One episode of the current policy a seed, on the seeds' own tasks; nothing is learned."""
        self._require()
        self._court.set_task(None)
        return self._court.play(self.student, seeds)

    def begin(self, task: TrainingTask) -> None:
        """Build everything for a task, without training."""
        self._begin(task)

    def agents(self) -> Mapping[str, Agent]:
        """The student as an agent, by its seat."""
        if self._task is None and self._loaded is not None:
            spaces = self._loaded["spaces"]
            seat = _seat(spaces)
            student = make_student(self.config, seat, None, np.random.default_rng(0))
            student.load_state_dict(self._loaded["student"])
            return {seat.id: student.agent()}
        self._require()
        return {self._court.seat: self.student.agent()}

    def state_dict(self) -> dict[str, Any]:
        """All that a fresh instance needs to go on, bit for bit."""
        self._require()
        seat = self._court.world.seats[self._court.seat]
        return {
            "steps": self.steps,
            "trials": self.trials,
            "lessons": self.lessons,
            "student": self.student.state_dict(),
            "teacher": self.teacher.state_dict(),
            "rng": {
                "own": self._rng.bit_generator.state,
                "student": self._draws.bit_generator.state,
            },
            "spaces": _spaces(seat),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on, with the next ``train``, where ``state`` was taken."""
        self._loaded = state

    def _begin(self, task: TrainingTask) -> None:
        if self._task is not None and self._task == task:
            return
        if task.partners:
            raise UsageError(f"{task.world} has one seat: a curriculum has no place for partners")
        self._court = Court(task)
        self._task = task
        own, draws = np.random.SeedSequence(task.seed).spawn(2)
        self._rng, self._draws = np.random.default_rng(own), np.random.default_rng(draws)
        seat = self._court.world.seats[self._court.seat]
        self.student = make_student(self.config, seat, task, self._draws)
        if self._loaded is not None:
            state = self._loaded
            self.steps, self.trials = int(state["steps"]), int(state["trials"])
            self.lessons = int(state["lessons"])
            self.student.load_state_dict(state["student"])
            self.teacher.load_state_dict(state["teacher"])
            self._rng.bit_generator.state = state["rng"]["own"]
            self._draws.bit_generator.state = state["rng"]["student"]

    def _seeds(self, count: int) -> list[int]:
        return [int(seed) for seed in self._rng.integers(2**63, size=count)]

    def _require(self) -> None:
        if self._task is None:
            raise UsageError("nothing is trained yet: iterate over train(task) first")


def _spaces(seat: Seat) -> dict[str, Any]:
    from ...wire import space_to_json

    return {
        "seat": seat.id,
        "observation_space": space_to_json(seat.observation_space),
        "action_space": space_to_json(seat.action_space),
    }


def _seat(spaces: Mapping[str, Any]) -> Seat:
    from ...wire import space_from_json

    return Seat(
        id=spaces["seat"],
        observation_space=space_from_json(spaces["observation_space"]),
        action_space=space_from_json(spaces["action_space"]),
        rules="",
    )
