"""Train arms: a method is trained on one seed, then what it made plays matches that are measured.

Measures: those of matches (:mod:`.playing`), where agents go by their seats and ``return`` averages
over the trained seats only; and ``train:NAME`` for every metric of the method's last progress.
"""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gymposium.errors import UsageError
from gymposium.types import Agent, Method, Progress, Seat, TrainingTask

from .playing import Counting, OnFraction, measures

if TYPE_CHECKING:
    from collections.abc import Generator

    from ...agents.registry import AgentSpec
    from ...scenarios.training import TrainingScenario

_SHARE = 0.9
"""The part of a measurement's progress that training is taken to be."""


def train(
    training: TrainingScenario, seed: int, folder: Path, on_fraction: OnFraction
) -> Mapping[str, float]:
    """Train with ``seed`` and measure.

    Args:
        training: the one method, its task, and how it is evaluated.
        seed: of the training and of the matches.
        folder: the run folder of the matches; replaced if it exists.
        on_fraction: told of progress.

    Returns:
        The measures.

    Raises:
        GymposiumError: the method or the task cannot be used as written, or fails.
    """
    from ...agents.methods import resolve_method

    entry = training.methods[0]
    spec = resolve_method(entry.spec)
    method = dataclasses.replace(spec, params={**spec.params, **entry.params}).make()
    task = TrainingTask(
        world=training.world,
        params=training.params,
        seats=training.seats,
        partners=training.partners,
        budget=training.budget.model_dump(exclude_none=True),
        seed=seed,
    )
    last = _train(method, task, lambda part: on_fraction(_SHARE * part))
    found = {f"train:{name}": float(value) for name, value in last.metrics.items()}
    shutil.rmtree(folder, ignore_errors=True)
    rest = 1.0 - _SHARE
    return found | _evaluate(
        training, method.agents(), seed, folder, lambda part: on_fraction(_SHARE + rest * part)
    )


def _train(method: Method, task: TrainingTask, on_fraction: OnFraction) -> Progress:
    """Let the method train until it is done or the budget is spent."""
    last = Progress(0)
    began = time.monotonic()
    steps, seconds = task.budget.get("steps"), task.budget.get("seconds")
    # A method's ``train`` is a generator, and closing it is how it is stopped.
    with closing(cast("Generator[Progress]", method.train(task))) as course:
        for last in course:
            total = last.total or steps
            on_fraction(min(1.0, last.step / total) if total else 0.0)
            if steps is not None and last.step >= steps:
                break
            if seconds is not None and time.monotonic() - began >= seconds:
                break
    return last


def _evaluate(
    training: TrainingScenario,
    trained: Mapping[str, Agent],
    seed: int,
    folder: Path,
    on_fraction: OnFraction,
) -> dict[str, float]:
    from ...envs.registry import make_world
    from ...scenarios.model import Scenario
    from ..run import run

    seats = make_world(training.world, **training.params).seats
    scenario = Scenario.model_validate(
        {
            "name": "evaluation",
            "worlds": [{"id": training.world, "params": dict(training.params)}],
            "schedule": {
                "kind": "round_robin",
                "rotate_seats": False,
                "self_play": False,
                "repeats": training.evaluation.matches,
            },
            "time_limit": training.evaluation.time_limit,
        }
    )
    guests = {**training.partners, **(training.evaluation.partners or {})}
    players = [_player(training, trained, guests, seat) for seat in seats.values()]
    finished = run(scenario, agents=players, seed=seed, out=folder, progress=Counting(on_fraction))
    among = [seat for seat in seats if seat not in training.partners]
    return measures(finished.rows, among=among)


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


def _player(
    training: TrainingScenario, trained: Mapping[str, Agent], guests: Mapping[str, str], seat: Seat
) -> AgentSpec:
    """Who sits in ``seat``: its partner, or the agent trained for it, for its role, or for all."""
    from ...agents.registry import resolve

    thing: Any
    if seat.id in guests:
        thing = guests[seat.id]
    elif len(trained) == 1:
        thing = next(iter(trained.values()))
    else:
        thing = trained.get(seat.id, trained.get(seat.role))
    if thing is None:
        raise UsageError(
            f"the method {training.methods[0].label} made no agent for the seat {seat.id!r} of "
            f"{training.world} (it made: {', '.join(trained)}): train the seat, or give it a "
            "partner"
        )
    spec = resolve(thing)
    return dataclasses.replace(spec, name=seat.id, text=f"{spec.text}@{seat.id}")
