"""Which student fits which seat."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, Text

from gymposium.errors import MissingExtra, UnknownName
from gymposium.types import Seat, TrainingTask

from .responder import ResponderStudent
from .student import Student
from .table import TableStudent

STUDENTS = ("auto", "table", "network", "ppo", "responder")
_TABLE_RATE, _NETWORK_RATE, _RESPONDER_RATE = 1.0, 1e-3, 1.0
# A rate of 1 on a softmax of two is a rate of 2 on its log-odds.


def make_student(
    config: Any, seat: Seat, task: TrainingTask | None, rng: np.random.Generator
) -> Student:
    """The student that a config asks for.

    Args:
        config: a ``CurriculumConfig``.
        seat: where it learns.
        task: what it learns for; None for a student that is only to be turned into an agent.
        rng: where its draws come from.

    Raises:
        UnknownName: there is no such student.
        MissingExtra: it needs torch, which is not installed.
        UsageError: it cannot act in such a seat.
    """
    name = _fitting(seat) if config.student == "auto" else config.student
    if name == "table":
        return TableStudent(
            seat,
            lr=config.lr or _TABLE_RATE,
            baseline=config.baseline,
            epsilon=config.epsilon,
            rng=rng,
        )
    if name == "responder":
        return ResponderStudent(
            seat,
            lr=config.lr or _RESPONDER_RATE,
            baseline=config.baseline,
            epsilon=config.epsilon,
            rng=rng,
        )
    if name in ("network", "ppo"):
        if find_spec("torch") is None:
            raise MissingExtra(f"the student {name!r}", extra="train", module="torch")
        from ..ppo import PPOConfig
        from .network import NetworkStudent, PPOStudent

        if name == "network":
            return NetworkStudent(
                seat,
                "" if task is None else task.world,
                lr=config.lr or _NETWORK_RATE,
                baseline=config.baseline,
                entropy=config.entropy,
                rng=rng,
            )
        own = PPOConfig(
            num_envs=config.episodes,
            epochs=4,
            minibatches=4,
            lr=config.lr or _NETWORK_RATE,
            anneal=False,
            gamma=1.0,
            entropy=config.entropy,
        )
        return PPOStudent(seat, task, own, rng)
    raise UnknownName("student", str(config.student), STUDENTS, where="the method")


def _fitting(seat: Seat) -> str:
    if isinstance(seat.action_space, Text):
        return "responder"
    return "table" if isinstance(seat.observation_space, Discrete) else "network"
