"""The error vocabulary: every way gymposium says no, in one sentence a person can act on.

Each error names the thing, the place and the remedy. The command line prints the sentence (no
traceback unless ``--debug``) and exits with ``exit_code``: 2 for wrong usage, 1 for failure.
This module and :mod:`gymposium.types` are the two that every room may import.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GymposiumError(Exception):
    """Root of the vocabulary; catching it catches everything gymposium raises on purpose."""

    exit_code = 1


class UsageError(GymposiumError):
    """The request cannot be carried out as it was written: wrong field, value or combination."""

    exit_code = 2


class UnknownName(UsageError):
    """A world, agent, model, preset or field that does not exist; offers the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        known = sorted(known)
        near = nearest(name, known)
        place = f" in {where}" if where else ""
        if near:
            hint = f"did you mean {' or '.join(repr(item) for item in near)}?"
        elif known:
            hint = f"known: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}."
        else:
            hint = "there is none yet."
        super().__init__(f"unknown {kind} {name!r}{place}: {hint}")
        self.kind = kind
        self.name = name
        self.suggestions = tuple(near)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


class MissingExtra(UsageError):
    """An optional dependency is not installed; carries the exact line that installs it."""

    def __init__(self, feature: str, *, extra: str, module: str) -> None:
        super().__init__(
            f"{feature} needs the module {module!r}, which is not installed: "
            f"pip install 'gymposium[{extra}]'"
        )
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


class IllegalAction(GymposiumError):
    """An action or an answer in words that the rules do not allow now.

    The message is addressed to the speaker and says what would be legal: it is handed back to the
    agent when it is asked again.
    """


class AgentFault(GymposiumError):
    """An agent raised, timed out, died or talked nonsense; ``kind`` is one of FAULT_KINDS."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


FAULT_KINDS = ("illegal", "error", "timeout", "crash")


class PlayerLeft(GymposiumError):
    """A person left a match that was being played; it does not count, and can be played again."""

    exit_code = 130


class BackendError(GymposiumError):
    """A language-model backend cannot answer: not installed, not reachable, refused, timed out."""


class BudgetSpent(GymposiumError):
    """A limit on calls, tokens, seconds or money is reached; the run stops and can be resumed."""


class StoreError(GymposiumError):
    """A run folder cannot be read or written: corrupt, half written, full disk, newer format."""


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> list[str]:
    """The ``count`` spellings of ``known`` closest to ``name``, best first; often empty."""
    return difflib.get_close_matches(name, list(known), n=count, cutoff=0.6)


def _rebuild(
    cls: type[GymposiumError], args: tuple[object, ...], state: dict[str, object]
) -> GymposiumError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error
