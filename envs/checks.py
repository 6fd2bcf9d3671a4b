"""The public conformance kit for worlds: numbered requirements, each with its remedy.

``check_env`` plays a world at random and holds it to what the arena, the record and the learners
rely on. It raises instead of warning (the lists are PettingZoo's and Gymnasium's and what their
trackers complain of): all failures at once, so that a world's author reads them in one go.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from gymposium.errors import GymposiumError, MissingExtra, UnknownName, UsageError

from . import registry
from .overdue import Overdue, do_in_time
from .own_module import guest_prefix
from .registry import WorldSpec
from .requirements import ENDING, REQUIREMENTS, VIEWS, WORDS, Make, Subject, Unmet
from .speaker import StatefulWords
from .whereabouts import place_to_look
from .world import NotFinite, RuleWorld


@dataclass(frozen=True)
class Failure:
    """One requirement that a world does not meet.

    Attributes:
        number: of the requirement, stable across releases; 0: the world cannot even be made.
        world: id and parameters.
        found: what was seen.
        remedy: what to do about it.
    """

    number: int
    world: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.number}. {self.world}: {self.found} Remedy: {self.remedy}"


class WorldUnfit(GymposiumError):
    """A world fails the conformance kit; ``failures`` has one entry per unmet requirement."""

    def __init__(self, failures: list[Failure]) -> None:
        lines = "\n".join(str(failure) for failure in failures)
        count = len(failures)
        super().__init__(f"{count} requirement{'s are' if count > 1 else ' is'} not met:\n{lines}")
        self.failures = tuple(failures)

    def __reduce__(self) -> tuple[Any, ...]:
        return (WorldUnfit, (list(self.failures),))


def check_env(
    world: RuleWorld | WorldSpec | str | Make,
    *,
    deterministic: bool | None = None,
    steps: int = 200,
    views: bool = True,
    time_limit: float = 300.0,
) -> None:
    """Hold a world to all requirements.

    Args:
        world: an id or spec (its default parameters and every preset are checked), a world that
            has not begun, or a function that makes one.
        deterministic: True if the seed need not matter; None takes it from the registry.
        steps: at most so many steps of an episode are played per requirement.
        views: also run PettingZoo's and Gymnasium's own checkers on the derived views.
        time_limit: seconds that each requirement may take; what hangs ends the check.

    Raises:
        WorldUnfit: with every requirement that is not met.
        UnknownName, MissingExtra: there is no such world, or its library is not installed.
    """
    failures: list[Failure] = []
    for subject in _subjects(world, deterministic, steps):
        failures += _failures(subject, time_limit, views=views)
    if failures:
        raise WorldUnfit(failures)


def _subjects(
    world: RuleWorld | WorldSpec | str | Make, deterministic: bool | None, steps: int
) -> list[Subject]:
    if isinstance(world, str | WorldSpec):
        spec = registry.spec(world) if isinstance(world, str) else world
        seedless = spec.deterministic if deterministic is None else deterministic
        return [
            Subject(
                f"{spec.id} ({preset})" if preset else spec.id,
                lambda params=params: spec.load()(**params),  # type: ignore[misc]
                seedless,
                steps,
            )
            for preset, params in {"": {}, **spec.presets}.items()
        ]
    if isinstance(world, RuleWorld):
        pristine = world

        def make() -> RuleWorld:
            return copy.deepcopy(pristine)

        return [Subject(world.id, make, bool(deterministic), steps)]
    if not callable(world):
        raise UsageError(f"check_env takes an id, a world or a function; got {world!r:.80}")
    name = getattr(world, "__name__", type(world).__name__)
    return [Subject(name, world, bool(deterministic), steps)]


def _failures(subject: Subject, time_limit: float, *, views: bool) -> list[Failure]:
    wanted = {n: it for n, it in REQUIREMENTS.items() if views or n != VIEWS}
    found: list[Failure] = []
    for number, (check, remedy) in {0: (_made, _MAKING), **wanted}.items():
        try:
            _in_time(partial(_asked, check, subject), time_limit)
        except (UnknownName, MissingExtra):
            raise
        except Overdue as overdue:
            hangs = f"nothing came back within {time_limit:g} s; it is at {overdue.place}."
            found.append(Failure(number, subject.name, hangs, HANGING))
            break  # it is still at it, and whatever else is asked of it would hang too
        except Unmet as unmet:
            found.append(Failure(number, subject.name, str(unmet), remedy))
        except _Ends as ends:
            _tell(found, Failure(number, subject.name, str(ends), remedy))
        except StatefulWords as words:
            _tell(found, Failure(WORDS, subject.name, f"{words}.", REQUIREMENTS[WORDS][1]))
        except NotFinite as reward:
            _tell(found, Failure(ENDING, subject.name, f"{reward}.", REQUIREMENTS[ENDING][1]))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the world boundary: recorded
            _tell(found, Failure(number, subject.name, _raised(error), remedy))
        if found and not number:
            break  # what cannot be made cannot be checked
    return found


def _tell(found: list[Failure], failure: Failure) -> None:
    if all(it.found != failure.found for it in found):  # one mistake fails many, and is told once
        found.append(failure)


_MAKING = "let it be made with its default parameters and with those of each preset."
HANGING = "let reset, step, words and pictures return; a longer time_limit is for slow worlds."


class _Ends(Exception):
    """It raised what elsewhere means that a person wants to stop, or worse."""


def _made(subject: Subject) -> None:
    made: Any = subject.make()
    if not isinstance(made, RuleWorld):
        name, prefix = type(made).__name__, guest_prefix(type(made))
        door = f" but an environment of {prefix}; name it {prefix}:FILE.py:{name}" if prefix else ""
        raise Unmet(f"what is made is a {name}, no RuleWorld{door}.")


def _in_time(work: Callable[[], None], time_limit: float) -> None:
    over = monotonic() + time_limit
    do_in_time(work, lambda: over)


def _asked(check: Callable[[Subject], None], subject: Subject) -> None:
    try:
        check(subject)
    except (Exception, SystemExit):
        raise
    except BaseException as error:
        # No Ctrl-C is heard in a thread: this too is the world's own, and no end of the check.
        raise _Ends(_raised(error)) from error


def _raised(error: BaseException) -> str:
    return f"{type(error).__name__}: {error!s:.300} ({place_to_look(error)})."
