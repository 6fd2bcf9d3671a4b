"""Limits per minute: a token bucket that tells each caller how long to wait.

The bucket refills steadily and holds a tenth of a minute's worth, and the two together never exceed
the limit: in no span of sixty seconds are more than ``per_minute`` let through, which is what
providers count. Callers are served in order of arrival (Turner, "New directions in communications",
IEEE Communications Magazine 1986).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Bucket:
    """A limit of ``per_minute`` units; safe for any number of threads and event loops."""

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._holds = max(1.0, per_minute / 10)
        self._per_second = (per_minute - self._holds or per_minute) / 60
        self._level = self._holds
        self._at = clock()
        self._lock = threading.Lock()

    def take(self, units: float = 1.0) -> float:
        """Take ``units``.

        Returns:
            Seconds to wait before using them; they are taken at once, so no one overtakes.
        """
        with self._lock:
            self._refill()
            self._level -= units
            return max(0.0, -self._level / self._per_second)

    def give_back(self, units: float) -> None:
        """Return what was taken and turned out not to be needed (negative: take more)."""
        with self._lock:
            self._refill()
            self._level = min(self._holds, self._level + units)

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self._holds, self._level + (now - self._at) * self._per_second)
        self._at = now
