"""The public conformance kit for worlds: numbered requirements, each with its remedy.

``check_env`` plays a world at random and holds it to what the arena, the record and the learners
rely on. It raises instead of warning (the lists are PettingZoo's and Gymnasium's and what their
trackers complain of): all failures at once, so that a world's author reads them in one go.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from gymposium.errors import GymposiumError, UsageError

from . import registry
from .registry import WorldSpec
from .requirements import REQUIREMENTS, VIEWS, Make, Subject, Unmet
from .world import RuleWorld


@dataclass(frozen=True)
class Failure:
    """One requirement that a world does not meet.

    Attributes:
        number: of the requirement, stable across releases.
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
) -> None:
    """Hold a world to all requirements.

    Args:
        world: an id or spec (its default parameters and every preset are checked), a world that
            has not begun, or a function that makes one.
        deterministic: True if the seed need not matter; None takes it from the registry.
        steps: at most so many steps of an episode are played per requirement.
        views: also run PettingZoo's and Gymnasium's own checkers on the derived views.

    Raises:
        WorldUnfit: with every requirement that is not met.
    """
    failures: list[Failure] = []
    for subject in _subjects(world, deterministic, steps):
        failures += _failures(subject, views=views)
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


def _failures(subject: Subject, *, views: bool) -> list[Failure]:
    found = []
    for number, (check, remedy) in REQUIREMENTS.items():
        if number == VIEWS and not views:
            continue
        try:
            check(subject)
        except Unmet as unmet:
            found.append(Failure(number, subject.name, str(unmet), remedy))
        except Exception as error:  # noqa: BLE001 - the world boundary: recorded as a failure
            place = _place(error)
            seen = f"{type(error).__name__}: {error!s:.300}{place}."
            found.append(Failure(number, subject.name, seen, remedy))
    return found


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return f" ({code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})"
