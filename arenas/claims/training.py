"""Train arms: one method learns on one seed, and its last evaluation becomes the measures.

The training run (:mod:`arenas.training`) lies in the measurement's folder and goes on from its last
checkpoint when it was stopped. Measures: those of its evaluation matches (``return``,
``return.SEAT``, ``min``, ``geomean``, ``gini``, the world's metrics, ``faults``), and
``train.NAME`` for every figure the method itself reported last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .playing import OnFraction

if TYPE_CHECKING:
    from ...scenarios.training import TrainingScenario
    from ..training.learner import LearnerEvent


class _Counting:
    """Turns what a training run reports into a fraction."""

    def __init__(self, on_fraction: OnFraction) -> None:
        self._on_fraction = on_fraction
        self._steps = 1

    def start(self, scenario: TrainingScenario, known: Sequence[LearnerEvent]) -> None:
        self._steps = scenario.budget.steps

    def event(self, event: LearnerEvent) -> None:
        self._on_fraction(min(1.0, event.step / self._steps))

    def message(self, text: str) -> None: ...

    def stop(self) -> None: ...


def train(
    training: TrainingScenario, seed: int, folder: Path, on_fraction: OnFraction
) -> Mapping[str, float]:
    """Train with ``seed`` and measure.

    Args:
        training: the one method, its task, and how it is evaluated.
        seed: of the learner and of the evaluation matches.
        folder: the training run's folder, gone on with if it was begun.
        on_fraction: told of progress.

    Returns:
        The measures.

    Raises:
        GymposiumError: as :func:`arenas.training.train.train`.
        KeyboardInterrupt: the learner is saved.
    """
    from ..training.train import train as learn

    run = learn(training, out=folder, seed=seed, seeds=1, progress=_Counting(on_fraction))
    return _last(run.evaluations) | {
        f"train.{name}": value for name, value in _last(run.curves).items()
    }


def _last(frame: Any) -> dict[str, float]:
    """The figures of the last row."""
    if frame.empty:
        return {}
    row = frame.iloc[-1].drop(["method", "seed", "step"]).to_dict()
    return {str(name): float(value) for name, value in row.items()}


def method_identity(training: TrainingScenario) -> Any:
    """What the outcome depends on: the scenario's fields, the method and who its partners are.

    Raises:
        UsageError: the method or a partner does not exist.
    """
    from ...agents.methods import resolve_method
    from ...agents.registry import resolve

    partners = {**training.partners, **(training.evaluation.partners or {})}
    return {
        "training": training.model_dump(mode="json", exclude={"name", "description"}),
        "method": resolve_method(training.methods[0].spec).entry_point,
        "partners": {seat: resolve(spec).identity for seat, spec in partners.items()},
    }
