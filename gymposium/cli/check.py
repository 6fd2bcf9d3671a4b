"""``gymposium check``: hold a world or an agent to the conformance kits."""

from __future__ import annotations

import contextlib
import io
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import GuardedGroup
from .output import print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymposium.errors import GymposiumError

app = typer.Typer(
    cls=GuardedGroup,
    no_args_is_help=True,
    help="Hold worlds and agents to the conformance kits; exit 1 with what is not met.",
)
_LONGER = 30.0  # seconds, past every limit, that native code may keep all other code waiting
STEPS = typer.Option(100, "--steps", min=1, help="at most so many steps of a match are played")


@app.command()
def world(
    spec: str = typer.Argument(
        help="a world's id, gymnasium:ID and the like, FILE.py:CLASS or package.module:CLASS"
    ),
    steps: int = STEPS,
    views: bool = typer.Option(
        True, help="also run PettingZoo's and Gymnasium's own checkers on the derived views"
    ),
    time_limit: float = typer.Option(
        300.0, "--time-limit", help="seconds that each requirement may take"
    ),
    as_json: bool = arguments.JSON,
) -> None:
    """Check a world: every requirement that is not met, with a remedy."""
    from concurrent.futures.process import BrokenProcessPool

    from gymposium.envs.checks import HANGING, Failure, WorldUnfit

    try:
        try:
            _apart(_check_world, spec, steps, views, time_limit, frozen=time_limit + _LONGER)
        except BrokenProcessPool:
            found = "it took down the process that checked it."
            remedy = "raise instead of ending the process; see above if its native code crashed."
            raise WorldUnfit([Failure(0, spec, found, remedy)]) from None
        except _Frozen as hangs:
            raise WorldUnfit([Failure(0, spec, str(hangs), HANGING)]) from None
    except WorldUnfit as unfit:
        failures = [
            {"number": it.number, "what": it.world, "found": it.found, "remedy": it.remedy}
            for it in unfit.failures
        ]
        _end(spec, failures, unfit, as_json=as_json)
    else:
        _end(spec, [], None, as_json=as_json)


@app.command()
def agent(
    spec: str = typer.Argument(help="an agent's spec, as for run"),
    world: str | None = typer.Option(
        None, "--world", "-w", help="the world to play (default: those it declares)"
    ),
    steps: int = STEPS,
    time_limit: float = typer.Option(10.0, "--time-limit", help="seconds an answer may take"),
    trusted: bool = arguments.TRUSTED,
    as_json: bool = arguments.JSON,
) -> None:
    """Check an agent: every requirement that is not met, with a remedy."""
    from gymposium.agents.checks import AgentUnfit, check_agent
    from gymposium.agents.registry import resolve

    own = resolve(spec).isolated  # a user's code, which may take its process down
    found: dict[int, str] = {}
    if not own or not trusted:
        found = _seen(partial(check_agent, spec, world, steps=steps, time_limit=time_limit))
    if own and not found.keys() & _GONE:
        # From outside its own process nobody sees what it does there to all others' things.
        most = 2 * time_limit + _LONGER
        again = partial(_apart, _check_trusted, spec, world, steps, time_limit, frozen=most)
        # What both see is told as a run sees it, which has the agent in its own process.
        found = {**_seen(again), **found}
    failures = [{"number": number, "found": it} for number, it in sorted(found.items())]
    _end(spec, failures, AgentUnfit(spec, found) if found else None, as_json=as_json)


_GONE = {1, 3}
"""Failures of agents that raise or hang, of which a second look would find no more."""


def _seen(look: Callable[[], None]) -> dict[int, str]:
    """What one look at an agent finds, by requirement number."""
    from concurrent.futures.process import BrokenProcessPool

    from gymposium.agents.checks import AgentUnfit

    try:
        look()
    except AgentUnfit as unfit:
        return unfit.failures
    except _Frozen as hangs:
        return {3: str(hangs)}
    except BrokenProcessPool:
        return {1: "it took down the process that checked it."}
    return {}


def _end(
    spec: str,
    failures: list[dict[str, Any]],
    unfit: GymposiumError | None,
    *,
    as_json: bool,
) -> None:
    if as_json:
        print_json({"spec": spec, "fit": not failures, "failures": failures})
    elif unfit is None:
        print_lines(f"{spec}: every requirement is met")
    else:
        print_lines(str(unfit))
    if unfit is not None:
        raise typer.Exit(1)


class _Frozen(Exception):
    """No Python code has run in the process for so long."""


def _apart(check: Callable[..., None], *arguments: Any, frozen: float) -> None:
    """Check in a process of its own.

    Raises:
        BrokenProcessPool: what is checked took the process down.
        _Frozen: native code let no other code run there for so many seconds; it was killed.
    """
    import multiprocessing
    import os
    import signal
    from concurrent.futures import ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from time import monotonic

    spawn = multiprocessing.get_context("spawn")
    pulse = spawn.Array("d", 2, lock=False)
    with ProcessPoolExecutor(1, spawn, initializer=_beat, initargs=(pulse,)) as child:
        checking = child.submit(check, *arguments)
        killed = False
        while not wait([checking], timeout=0.2).done:
            pid, at = pulse
            if pid and not killed and monotonic() - at > frozen:
                os.kill(int(pid), getattr(signal, "SIGKILL", signal.SIGTERM))
                killed = True
        try:
            checking.result()
        except BrokenProcessPool:
            if killed:
                raise _Frozen(f"nothing came back within {frozen:g} s.") from None
            raise


def _beat(pulse: Any) -> None:
    """In the process that checks: a sign of life, which code that hangs in Python lets pass."""
    import faulthandler
    import os
    import threading
    from time import monotonic, sleep

    faulthandler.enable()

    def beat() -> None:
        while True:
            pulse[:] = [os.getpid(), monotonic()]
            sleep(0.2)

    threading.Thread(target=beat, daemon=True).start()


def _check_trusted(spec: str, world: str | None, steps: int, time_limit: float) -> None:
    from gymposium.agents.checks import AgentUnfit, check_agent

    with contextlib.redirect_stdout(io.StringIO()):  # what is asked for is the list of failures
        try:
            check_agent(spec, world, steps=steps, time_limit=time_limit, trusted=True)
        except KeyboardInterrupt:  # a person's is heard by the parent
            raise AgentUnfit(spec, {1: "it raised KeyboardInterrupt."}) from None


def _check_world(spec: str, steps: int, views: bool, time_limit: float) -> None:
    from gymposium.envs.checks import check_env

    check_env(_world(spec), steps=steps, views=views, time_limit=time_limit)


def _world(spec: str) -> Any:
    """An id as it is; the class that a file or a module holds."""
    from gymposium.envs.adapters import ADAPTERS
    from gymposium.envs.own_module import import_failure, module_at
    from gymposium.errors import UnknownName, UsageError

    module_name, colon, name = spec.rpartition(":")
    if not colon or spec.partition(":")[0] in ADAPTERS:
        return spec
    try:
        module = module_at(module_name)
    except (Exception, SystemExit) as error:  # the plug-in boundary
        raise UsageError(f"{module_name} cannot be imported: {import_failure(error)}") from error
    found = getattr(module, name, None)
    if not callable(found):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise UnknownName("world", name, classes, where=module_name)
    return found
