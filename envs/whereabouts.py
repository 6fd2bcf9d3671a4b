"""Where code is, as its author looks for it: ``FILE.py:LINE`` of an error, or of a thread."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_OURS = ("gymposium",)
_WRAPPERS = (
    "gymnasium.core",
    "gymnasium.envs.registration",
    "gymnasium.spaces",
    "gymnasium.utils",
    "gymnasium.vector",
    "gymnasium.wrappers",
    "pettingzoo.env_registry",
    "pettingzoo.utils",
    "textarena.core",
    "textarena.envs.registration",
    "textarena.wrappers",
)
"""Modules of other libraries through which every call to an environment goes."""
_PYTHON = os.path.dirname(os.__file__) + os.sep
_INSTALLED = {"site-packages", "dist-packages"}


def place_of(error: BaseException) -> str:
    """Where it was raised; "" of one that was not."""
    return _told(traceback.extract_tb(error.__traceback__))


def place_of_thread(thread: threading.Thread) -> str:
    """Where a thread that runs Python code is now."""
    frame = sys._current_frames().get(thread.ident or 0)
    return _told(traceback.extract_stack(frame))


def place_of_guest(error: BaseException) -> str:
    """The innermost line of code that is not ours and led to the error; "" if there is none.

    That is a line of somebody's own files before one of an installed library, of which those that
    only wrap environments do not count.
    """
    places = [place for each in _chain(error) for place in _places(each)]
    own = [place for place, installed in places if not installed]
    return (own or [place for place, _ in places] or [""])[0]


def place_to_look(error: BaseException) -> str:
    """The guest's line, or where it was raised if no guest had a part in it."""
    return place_of_guest(error) or place_of(error)


def place_of_own(error: BaseException) -> str:
    """As :func:`place_of_guest`, in somebody's own files only."""
    places = (place for each in _chain(error) for place in _places(each))
    return next((place for place, installed in places if not installed), "")


def placed(sentence: str, error: BaseException) -> str:
    """``sentence``, which tells of ``error``, with the guest's line where it does not name it."""
    place = place_of_guest(error)
    return sentence if not place or place in sentence else f"{sentence} ({place})"


def told(error: BaseException) -> str:
    """An error out of a guest's code: its kind, its words and the guest's line."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - even its words may fail
        words = "(its message cannot be shown)"
    return placed(f"{type(error).__name__}: {words}", error)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it was raised for, from the last to the first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or context


def _places(error: BaseException) -> Iterator[tuple[str, bool]]:
    """The guests' lines, innermost first, each with whether it is an installed library's."""
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        path = Path(frame.f_code.co_filename)
        installed = not _INSTALLED.isdisjoint(path.parts)
        pythons = not installed and str(path).startswith(("<", _PYTHON))
        if not pythons and not _passes_on(frame):
            yield f"{path.name}:{line}", installed


def _passes_on(frame: FrameType) -> bool:
    module = f"{frame.f_globals.get('__name__', '')}."
    return any(module.startswith(f"{it}.") for it in (*_OURS, *_WRAPPERS))


def _told(frames: traceback.StackSummary) -> str:
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
