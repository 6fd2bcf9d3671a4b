"""Why agents failed: for each kind of fault an agent had, one sentence from a record.

Counts come from the stored rows; the sentence said to the agent (or the exception it raised) is
only in the records, of which one per agent and kind is read, as far as needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from gymposium.errors import StoreError

from ..rows import MatchRow
from .figures import plain

AGENTS, LINES, SENTENCE = 40, 5_000, 240

Line = Mapping[str, Any]


def reasons(
    rows: Sequence[MatchRow], record: Callable[[str], Iterable[Line]]
) -> dict[str, dict[str, str]]:
    """Agent -> kind of fault -> a sentence.

    Args:
        rows: finished matches.
        record: match key -> the lines of its record.

    Returns:
        At most ``AGENTS`` agents; kinds whose records are lost or too long are left out.
    """
    where: dict[tuple[str, str], tuple[str, str]] = {}
    for row in rows:
        for seat in row.seats:
            for kind in seat.faults:
                where.setdefault((seat.agent, kind), (row.key, seat.seat))
    found: dict[str, dict[str, str]] = {}
    for (agent, kind), (key, place) in sorted(where.items()):
        if agent not in found and len(found) == AGENTS:
            continue
        try:
            sentence = _sentence(islice(record(key), LINES), place, kind)
        except StoreError:
            continue
        if sentence:
            found.setdefault(agent, {})[kind] = sentence
    return found


def _sentence(lines: Iterable[Line], seat: str, kind: str) -> str:
    """What was said when ``seat`` committed a fault of this kind; "" if the record is silent."""
    for line in lines:
        replies = line.get("replies")
        reply = replies.get(seat) if isinstance(replies, Mapping) else None
        if not isinstance(reply, Mapping) or reply.get("fault") != kind:
            continue
        errors = reply.get("errors")
        if isinstance(errors, list) and errors:
            last = errors[-1]
            said = last.get("error", "") if isinstance(last, Mapping) else last
            return " ".join(plain(said, SENTENCE).split())
    return ""
