"""One thread at a time: what a batch of matches asks of its callers, said when they forget.

A batch has one course, and its buffers serve one call; two threads inside it would mix both without
a word. Copies (by pickle or ``copy``) are batches of their own, to be used beside the original.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from gymposium.errors import UsageError

_M = TypeVar("_M", bound=Callable[..., Any])


class Exclusive:
    """What has an ``id`` and lets one thread at a time into its methods marked :func:`alone`."""

    id: str

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, so that a batch can be copied in mid-match."""
        return {name: value for name, value in self.__dict__.items() if name != "_busy"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take up what was copied, with a lock of its own."""
        self.__dict__.update(state, _busy=threading.Lock())


def alone(method: _M) -> _M:
    """Refuse a second thread while one is inside.

    Raises:
        UsageError: from the second thread's call.
    """

    @functools.wraps(method)
    def guarded(self: Exclusive, *args: Any, **kwargs: Any) -> Any:
        if not self._busy.acquire(blocking=False):
            raise UsageError(
                f"{self.id}: two threads use one vector world at the same time; give each its own "
                "(num_threads=… makes several threads play the rows of one)"
            )
        try:
            return method(self, *args, **kwargs)
        finally:
            self._busy.release()

    return cast("_M", guarded)
