"""When a call that failed is made again, and how long to wait before that.

Exponential backoff with jitter, so that many callers do not come back at the same instant (Brooker,
"Exponential Backoff And Jitter", AWS Architecture Blog 2015); a server that says when to come back
(``Retry-After``, RFC 9110 section 10.2.3) is believed. The jitter comes from the call's own seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import numpy as np


class Trouble(Exception):
    """One attempt failed.

    Attributes:
        sentence: what happened, to follow the model's name.
        again: whether another attempt may help.
        wait: seconds the server asked to be left alone, or None.
    """

    def __init__(self, sentence: str, *, again: bool, wait: float | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.again = again
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Retries:
    """How patient to be.

    Attributes:
        most: attempts after the first.
        first: seconds before the second attempt, doubled each time.
        longest: the longest wait in seconds; a server that asks for more is not waited for.
    """

    most: int = 5
    first: float = 0.5
    longest: float = 60.0

    def delay(self, attempt: int, trouble: Trouble, seed: int) -> float | None:
        """Seconds until the next attempt, or None if there is to be none.

        Args:
            attempt: how many attempts have been repeated already.
            trouble: what the last one ended with.
            seed: of the call; equal seeds wait equally long.
        """
        if not trouble.again or attempt >= self.most:
            return None
        jitter = float(np.random.default_rng([seed, attempt]).random())
        if trouble.wait is None:
            return min(self.longest, self.first * 2.0**attempt) * (0.5 + 0.5 * jitter)
        return None if trouble.wait > self.longest else trouble.wait + self.first * jitter


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds a response asks to be left alone, or None if it does not say.

    Args:
        headers: of the response, names in lower case or case-insensitive. A date is compared with
            the response's own ``Date``, since the two clocks may differ.
        now: what to compare with if there is no ``Date``.
    """
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said)) if float(said) < float("inf") else None
    except ValueError:
        pass
    until, dated = _moment(said), _moment(headers.get("date", ""))
    if until is None:
        return None
    return max(0.0, (until - (dated or now or datetime.now(UTC))).total_seconds())


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
