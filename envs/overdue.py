"""Work that is not waited for for ever: the only way out of Python code that hangs.

No other code can end it, on any system; so it is done in a thread that is left alone once it is
overdue. That thread may go on for as long as the process lives.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from .whereabouts import place_of_thread

_POLL_SECONDS = 0.05


class Overdue(Exception):
    """The work has not come back in time.

    Attributes:
        place: where it is, as ``FILE.py:LINE``.
    """

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


def do_in_time(work: Callable[[], None], due: Callable[[], float]) -> None:
    """Do ``work``, and wait for it as long as it is not overdue.

    Args:
        work: done in a thread of its own.
        due: asked again and again for the moment, by ``time.monotonic``, at which the work is to
            have come back; ``math.inf`` while it may take as long as it likes.

    Raises:
        Overdue: that moment is past. The work goes on, unheard.
        BaseException: whatever ``work`` raised.
    """
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed over to the caller's thread
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        left = due() - monotonic()
        thread.join(min(max(left, 0.0), _POLL_SECONDS))
        if left <= 0 and thread.is_alive():
            raise Overdue(place_of_thread(thread))
    if raised:
        raise raised[0]
