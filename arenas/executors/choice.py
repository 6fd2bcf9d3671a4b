"""Which executor is meant: ``inline``, ``processes``, ``ray`` or ``ray:ADDRESS``."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gymposium.errors import MissingExtra, UnknownName, UsageError

from .processes import in_processes
from .worker import Work

NAMES = ("inline", "processes", "ray")
_MOST, _PER_CORE = 64, 4
"""More processes than this take memory and gain nothing."""


@dataclass(frozen=True, slots=True)
class Executor:
    """Where jobs are done.

    Attributes:
        name: one of :data:`NAMES`.
        workers: processes; for ``ray`` 0 means as many as the cluster has cores.
        address: of a Ray cluster; "" for the one that ``RAY_ADDRESS`` names, else one of this
            machine's own.
    """

    name: str
    workers: int = 1
    address: str = ""

    def run(
        self,
        work: Work[Any, Any],
        jobs: Iterable[Any],
        *,
        on_told: Callable[[Sequence[Any]], None],
        on_interrupt: Callable[[], None],
        on_lost: Callable[[Any, str], Iterable[Any]] | None = None,
    ) -> None:
        """Do all jobs elsewhere; see :func:`.processes.in_processes`.

        A cluster repeats by itself what is lost; nothing is told of a job before it has ended.
        """
        if self.name == "ray":
            from .ray import on_ray

            on_ray(
                work,
                jobs,
                workers=self.workers,
                address=self.address,
                on_told=on_told,
                on_interrupt=on_interrupt,
            )
            return
        in_processes(
            work,
            jobs,
            workers=self.workers,
            on_told=on_told,
            on_interrupt=on_interrupt,
            on_lost=on_lost,
        )


def choose(name: str | None, workers: int | None) -> Executor:
    """The executor for what was asked for.

    Args:
        name: as written by the user; None: processes if there is more than one worker.
        workers: as written by the user; None: one, or a cluster's cores.

    Raises:
        UnknownName: no such executor.
        MissingExtra: Ray is asked for and not installed.
        UsageError: fewer than one worker, far more than cores, or several for ``inline``.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers must be at least 1, not {workers}")
    if name is None:
        name = "inline" if workers in (None, 1) else "processes"
    kind, _, address = name.partition(":")
    if kind not in NAMES or (address and kind != "ray"):
        raise UnknownName("executor", name, [*NAMES, "ray:ADDRESS"])
    if kind == "ray" and importlib.util.find_spec("ray") is None:
        raise MissingExtra("the executor ray", extra="ray", module="ray")
    if kind == "inline" and workers not in (None, 1):
        raise UsageError(
            f"the executor inline plays in one process and cannot have {workers} workers: leave "
            "one of the two out"
        )
    most = max(_MOST, _PER_CORE * (os.cpu_count() or 1))
    if kind == "processes" and (workers or 1) > most:
        raise UsageError(
            f"{workers} workers are too many for the {os.cpu_count() or 1} cores of this machine, "
            f"which {most} would already overrun: give it about as many as it has cores, and raise "
            "--concurrency for matches that wait for models"
        )
    return Executor(kind, workers or (0 if kind == "ray" else 1), address)
