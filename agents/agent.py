"""Anything that answers is an agent: ``as_agent`` puts functions and foreign classes into shape.

The shape is :class:`gymposium.types.Agent`: ``reset(seat, seed)``, ``act(turn)``, optionally
``end(outcome)``; each may be ``async``. That any callable will do comes from Kaggle environments
(``f(observation)``) and TextArena (``__call__(text) -> text``). How a function is called is decided
once, by its first parameter:

- annotated ``str``: it is given the observation in words, ``turn.text``;
- annotated ``Turn``: it is given the turn;
- not annotated, but named ``text`` or ``observation``: words;
- otherwise: the turn.

An answer that is a ``str`` counts as words, which the world parses; anything else is the action, or
a :class:`~gymposium.types.Reply`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from gymposium.errors import UsageError
from gymposium.types import Action, Agent, Outcome, Reply, Seat, Turn

WORDY_NAMES = frozenset({"text", "observation"})
"""First parameters that, without an annotation, ask for words instead of the turn."""


class FunctionAgent:
    """A function in the shape of an agent; it remembers nothing between turns.

    Attributes:
        function: what is called each turn.
        wordy: whether it is given ``turn.text`` instead of the turn.
    """

    def __init__(self, function: Callable[..., Any], *, wordy: bool) -> None:
        self.function = function
        self.wordy = wordy

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to forget; a function that draws must take its randomness from the turn."""

    def act(self, turn: Turn) -> Action | Reply:
        """Call the function; an awaitable result is handed on."""
        return self.function(turn.text if self.wordy else turn)


class _Patient:
    """An object with ``act`` but without ``reset``: it needs no telling that a match begins."""

    def __init__(self, mind: Any) -> None:
        self._mind = mind
        self.act = mind.act
        end = getattr(mind, "end", None)
        self.end: Callable[[Outcome], Any] = _ignore if end is None else end

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing: the object has no reset of its own, and is fresh for each match."""


def _ignore(outcome: Outcome) -> None:
    """The end of a match, for those who do not care."""


def as_agent(thing: Any) -> Agent:
    """An agent made of whatever ``thing`` is.

    Args:
        thing: an agent; an object with ``act(turn)`` and perhaps ``reset(seat, seed)`` and
            ``end(outcome)``; a class of such, constructed without arguments; a function or another
            callable of one parameter (see the module for whether it is given the turn or words); a
            callable without parameters that makes one of these.

    Returns:
        An object with ``reset`` and ``act``, ``thing`` itself where it has both.

    Raises:
        UsageError: it can be none of these, and the message says what is missing.
    """
    if inspect.isclass(thing):
        return as_agent(construct(thing))
    act = getattr(thing, "act", None)
    if callable(act):
        _check_call(act, 1, f"{type(thing).__name__}.act", "act(self, turn)")
        reset = getattr(thing, "reset", None)
        if reset is None:
            return _Patient(thing)
        _check_call(reset, 2, f"{type(thing).__name__}.reset", "reset(self, seat, seed)")
        return thing  # type: ignore[no-any-return]
    if not callable(thing):
        raise UsageError(
            f"{_describe(thing)} cannot be an agent: it is not callable and has no act(turn)"
        )
    if is_factory(thing):
        return as_agent(construct(thing))
    return FunctionAgent(thing, wordy=takes_words(thing))


def construct(factory: Callable[[], Any]) -> Any:
    """Call a class or factory that takes no arguments.

    Raises:
        UsageError: it needs arguments.
    """
    if inspect.isclass(factory):
        try:
            inspect.signature(factory).bind()
        except TypeError as error:
            raise UsageError(
                f"{factory.__qualname__} cannot be constructed without arguments ({error}): give "
                "its parameters defaults, write them into the spec (?name=value), or hand over "
                "functools.partial"
            ) from None
        except ValueError:
            pass  # a builtin without a signature: calling it will tell
    return factory()


def is_factory(thing: Any) -> bool:
    """Whether a callable takes no argument, so that it makes agents instead of being one."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return False
    if hasattr(thing, "func") and inspect.isclass(thing.func):  # functools.partial of a class
        return True
    takes = (p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY)
    return not any(takes)


def takes_words(function: Callable[..., Any]) -> bool:
    """Whether ``function`` is to be called with ``turn.text`` (True) or with the turn (False).

    Raises:
        UsageError: it cannot be called with one argument, or it asks for something else by name.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    name = getattr(function, "__qualname__", type(function).__name__)
    _check_call(function, 1, name, f"{name}(turn) or {name}(text)")
    first = next(iter(signature.parameters.values()))
    annotation = first.annotation
    if annotation is inspect.Parameter.empty:
        return first.name in WORDY_NAMES
    if annotation is str or annotation in ("str", "'str'"):
        return True
    asks_for_turn = annotation is Turn or str(annotation).split(".")[-1].strip("'\"") == "Turn"
    if first.name in WORDY_NAMES and not asks_for_turn:
        raise UsageError(
            f"{name}({first.name}: {_type_name(annotation)}) cannot be called: annotate its "
            "parameter as str to be given words, or as gymposium.Turn to be given the turn, whose "
            ".observation is what the world emitted"
        )
    return False


def _type_name(annotation: Any) -> str:
    return annotation.__name__ if inspect.isclass(annotation) else str(annotation)


def _check_call(function: Callable[..., Any], count: int, name: str, wanted: str) -> None:
    # A method is looked at once, not once a match: this is a tenth of a short match's time.
    method = getattr(function, "__func__", None)
    if inspect.isfunction(method) and _takes(method, count + 1):
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C, without a signature: calling it will tell
    try:
        signature.bind(*([None] * count))
    except TypeError:
        raise UsageError(f"{name}{signature} cannot be called as {wanted}") from None


@functools.lru_cache(maxsize=1024)
def _takes(function: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(function).bind(*([None] * count))
    except (TypeError, ValueError):
        return False
    return True


def _describe(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) < 60 else f"a {type(thing).__qualname__}"
