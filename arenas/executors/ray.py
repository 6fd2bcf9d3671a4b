"""Jobs over the machines of a Ray cluster (extra ``ray``).

Ray brings a job to a machine with a free core and, if that machine or the process on it dies, to
another one; what other jobs have told by then is not told again. What a job tells comes to the
caller when the job ends.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from gymposium.errors import GymposiumError, MissingExtra

from .interrupts import two_stage_interrupt
from .worker import Work

J = TypeVar("J")

_POLL_SECONDS = 0.1
_CONNECT_SECONDS = 10.0
_RETRIES = 3
"""How many deaths a job is forgiven: one that always brings its process down must end."""


def on_ray(
    work: Work[J, Any],
    jobs: Iterable[J],
    *,
    workers: int,
    address: str,
    on_told: Callable[[Sequence[Any]], None],
    on_interrupt: Callable[[], None],
) -> None:
    """Do all jobs; what they return is dropped.

    Args:
        work: a function of a module that is installed on every machine.
        jobs: started in this order, and taken only when they are about to be needed.
        workers: at most so many at a time; 0 for as many as the cluster has cores.
        address: of the cluster; "" for the one ``RAY_ADDRESS`` names, else one made here.
        on_told: called, in this thread, with all that a job told, when it has ended.
        on_interrupt: called at the first Ctrl-C, at once.

    Raises:
        MissingExtra: Ray is not installed.
        KeyboardInterrupt: Ctrl-C; jobs under way were given up.
        GymposiumError: there is no cluster at the address, or a job was lost too often.
        Exception: whatever a job, ``jobs`` or ``on_told`` raised first.
    """
    stop: list[bool] = []
    with (
        _cluster(address) as ray,
        two_stage_interrupt(lambda: stop.append(True), on_interrupt) as interrupted,
    ):
        remote = ray.remote(max_retries=_RETRIES, scheduling_strategy="SPREAD")(_do)
        under_way: list[Any] = []
        waiting = iter(jobs)
        try:
            while not stop:
                # Two for each core, so that none waits for this loop; cores come and go.
                room = workers or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
                while len(under_way) < room and (job := next(waiting, None)) is not None:
                    under_way.append(remote.remote(work, job))
                if not under_way:
                    break
                done, under_way = ray.wait(under_way, timeout=_POLL_SECONDS)
                for one in done:
                    on_told(_result(ray, one))
        finally:
            for one in under_way:
                with suppress(Exception):
                    ray.cancel(one)
    if interrupted():
        raise KeyboardInterrupt


def _do(work: Work[Any, Any], job: Any) -> list[Any]:
    told: list[Any] = []
    work(job, told.append, bool)
    return told


def _result(ray: Any, one: Any) -> list[Any]:
    try:
        told: list[Any] = ray.get(one)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, GymposiumError) else error
        raise cause from None
    except ray.exceptions.RayError as error:
        reason = str(error).strip().partition("\n")[0]
        raise GymposiumError(
            f"a worker of the Ray cluster died {_RETRIES + 1} times in the same matches "
            f"({type(error).__name__}: {reason}); finished matches are stored: resume"
        ) from error
    return told


def _refuse_silence(address: str) -> None:
    """Raise GymposiumError if nothing listens at ``HOST:PORT``; Ray itself tries for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdigit():
        return  # a name that Ray knows, such as auto or ray://…
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise GymposiumError(f"there is no Ray cluster at {address} ({error})") from error


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """The module, connected; what was connected before stays so."""
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("the executor ray", extra="ray", module="ray") from None
    ours = not ray.is_initialized()
    if ours:
        _refuse_silence(address)
        try:
            ray.init(address=address or None, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"at {address}" if address else "on this machine"
            reason = str(error).strip().partition("\n")[0]
            raise GymposiumError(f"there is no Ray cluster {where} ({reason})") from error
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()
