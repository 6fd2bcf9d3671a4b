"""A few matches, told step by step: the record's lines cut down to what a page can carry.

Everything here is untrusted and capped three times: a text, a match, and all matches together;
pictures together. Where a world keeps a table ``turns`` of one seat's turns, such as what was
believed and what was true, each step has its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from gymposium.errors import StoreError

from ..record import decode
from ..rows import MatchRow
from .figures import figure, name, plain
from .pictures import data_uris

MATCHES, STEPS, SEATS = 12, 40, 12
LINES = 50_000
"""Of a longer record the rest is not even read."""
TEXT, SPEECH = 600, 900
BUDGET, PICTURES = 300_000, 2_000_000
COLUMNS = 24
TURNS = "turns"

Line = Mapping[str, Any]


@dataclass(slots=True)
class Said:
    """What one seat was shown and answered in one step; ``earned`` until it was asked again."""

    seat: str
    agent: str
    shown: str
    action: str
    text: str
    thought: str
    fault: str
    errors: list[str]
    earned: str = ""
    pictures: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Characters it puts on the page, but for pictures."""
        words = (self.shown, self.action, self.text, self.thought, *self.errors)
        return sum(len(word) for word in words) + len(self.seat) + len(self.agent) + 50


@dataclass(slots=True)
class Step:
    """One step of a match; ``account`` is the world's own row of it, name by name.

    What of that row are mere numbers stands in ``figures``.
    """

    number: str
    said: list[Said] = field(default_factory=list)
    account: list[tuple[str, str]] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Transcript:
    """One match.

    Attributes:
        title: what was played, and by whom.
        steps: those that are shown.
        hidden: steps that are not.
        returns: (seat, agent, return) of the end, as far as it is known.
        reason: why it ended.
    """

    title: str
    steps: list[Step] = field(default_factory=list)
    hidden: int = 0
    returns: list[tuple[str, str, str]] = field(default_factory=list)
    reason: str = ""


def worth_showing(rows: Sequence[MatchRow], count: int) -> list[MatchRow]:
    """Matches for the report.

    Args:
        rows: finished matches.
        count: how many.

    Returns:
        The match with most faults, if any has one; then one of each cell in turn: the one with most
        agents that were not shown yet, and among those one with model calls.
    """
    by_cell: dict[str, list[MatchRow]] = {}
    for row in rows:
        by_cell.setdefault(row.cell, []).append(row)
    worst = max(rows, key=_faults, default=None)
    chosen = [worst] if worst is not None and _faults(worst) and count else []
    seen = {seat.agent for row in chosen for seat in row.seats}
    taken = {row.key for row in chosen}

    def worth(row: MatchRow) -> tuple[bool, int, bool]:
        new = len({seat.agent for seat in row.seats} - seen)
        return row.key not in taken, new, any(seat.llm_calls for seat in row.seats)

    while len(chosen) < min(count, len(rows)):
        for waiting in by_cell.values():
            best = max(waiting, key=worth)
            if best.key not in taken and len(chosen) < count:
                chosen.append(best)
                taken.add(best.key)
                seen.update(seat.agent for seat in best.seats)
    return chosen


def _faults(row: MatchRow) -> int:
    return sum(sum(seat.faults.values()) for seat in row.seats)


def tell(transcripts: Iterable[Line | Iterable[Line]]) -> list[Transcript]:
    """Cut records down for the page.

    Args:
        transcripts: decoded lines of records, one after the other (each begins with its ``match``
            line), or one iterable of lines per match, which may be lazy. Only the first matches are
            read; one whose record is lost or corrupt is left out, for it takes nothing from the
            ratings.

    Returns:
        At most ``MATCHES`` transcripts of at most ``STEPS`` steps, within ``BUDGET`` characters,
        with ``PICTURES`` characters of pictures.
    """
    told: list[Transcript] = []
    budget, pictures = BUDGET, PICTURES
    for lines in _matches(transcripts):
        if len(told) == MATCHES or budget <= 0:
            break
        left = MATCHES - len(told)
        try:
            transcript, used = _tell_one(lines, budget // left, pictures // left)
        except StoreError:
            continue
        budget -= used
        pictures -= sum(map(len, _pictures(transcript)))
        told.append(transcript)
    return told


def _matches(transcripts: Iterable[Line | Iterable[Line]]) -> Iterator[Iterable[Line]]:
    current: list[Line] = []
    for item in transcripts:
        if not isinstance(item, Mapping):
            yield item
            continue
        if item.get("kind") == "match" and current:
            yield current
            current = []
        current.append(item)
    if current:
        yield current


def _pictures(transcript: Transcript) -> Iterator[str]:
    for step in transcript.steps:
        for said in step.said:
            yield from said.pictures


def _tell_one(lines: Iterable[Line], budget: int, pictures: int) -> tuple[Transcript, int]:
    seating: Mapping[str, Any] = {}
    transcript = Transcript(_title({}, seating))
    used = 0
    waiting: dict[str, Said] = {}  # for what their answers earn
    for line in islice(lines, LINES):
        if line.get("kind") == "match":
            seating = _mapping(line.get("seating"))
            transcript.title = _title(line, seating)
            used += len(transcript.title)
        if line.get("kind") == "outcome":
            outcome = _mapping(line.get("outcome"))
            _end(transcript, outcome, seating)
            _earned(waiting, _mapping(outcome.get("final_rewards")))
            used += _account(transcript, outcome, budget - used)
        if line.get("kind") == "long":
            transcript.hidden += 1
        if line.get("kind") != "step":
            continue
        turns = _mapping(line.get("turns"))
        _earned(waiting, {seat: _mapping(turn).get("reward") for seat, turn in turns.items()})
        if len(transcript.steps) == STEPS or transcript.hidden:
            transcript.hidden += 1
            continue
        step = _step(line, seating)
        size = sum(said.size for said in step.said) + 50
        if used + size > budget:
            transcript.hidden += 1
            continue
        used += size
        transcript.steps.append(step)
        for seat, said in zip(_seats(line), step.said, strict=True):
            waiting[seat] = said
            look = _mapping(turns.get(seat)).get("look")
            shown = data_uris(look) if callable(look) and pictures > 0 else []
            said.pictures = shown if sum(map(len, shown)) <= pictures else []
            pictures -= sum(map(len, said.pictures))
    return transcript, used


def _earned(waiting: dict[str, Said], rewards: Line) -> None:
    """What answers came to earn; each is told once."""
    for seat, reward in rewards.items():
        if seat in waiting and isinstance(reward, int | float):
            waiting.pop(seat).earned = figure(float(reward))


def _account(transcript: Transcript, outcome: Line, budget: int) -> int:
    """Give each step its row of the table of turns; returns the characters used."""
    try:
        columns = decode(_mapping(outcome.get("tables")).get(TURNS))
    except Exception:  # noqa: BLE001 - a record that was tampered with: told without
        return 0
    shown, used = list(_mapping(columns).items())[:COLUMNS], 0
    for place, step in enumerate(transcript.steps):
        words, figures, size = list[tuple[str, str]](), list[tuple[str, str]](), 0
        for key, column in shown:
            if not isinstance(column, list | tuple) or place >= len(column):
                continue
            value = column[place]
            row = name(str(key)).replace("_", " "), plain(_cell(value), TEXT)
            if row[1]:
                size += len(row[0]) + len(row[1])
                (figures if _is_figure(value) else words).append(row)
        if used + size > budget:
            break
        used += size
        step.account, step.figures = words, figures
    return used


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, float) else value


def _seats(line: Line) -> list[str]:
    """Who was shown something or answered, as many as are told."""
    return list({**_mapping(line.get("turns")), **_mapping(line.get("replies"))})[:SEATS]


def _title(header: Line, seating: Mapping[str, Any]) -> str:
    what = str(header.get("cell") or header.get("world") or "match")
    who = " · ".join(_agent(seat, seating) for seat in list(seating)[:SEATS])
    seed = f", seed {plain(header['seed'], 24)}" if "seed" in header else ""
    return f"{name(what)}{seed}" + (f": {who}" if who else "")


def _step(line: Line, seating: Mapping[str, Any]) -> Step:
    step = Step(plain(line.get("step", ""), 12))
    turns, replies = _mapping(line.get("turns")), _mapping(line.get("replies"))
    for seat in _seats(line):
        turn, reply = _mapping(turns.get(seat)), _mapping(replies.get(seat))
        shown = turn.get("text")
        action, errors = reply.get("words") or reply.get("action"), reply.get("errors")
        step.said.append(
            Said(
                seat=name(str(seat)),
                agent=_agent(seat, seating),
                shown=plain(_readable(turn.get("observation")) if shown is None else shown, TEXT),
                action="" if action is None else plain(_readable(action), TEXT),
                text=plain(reply.get("text") or "", SPEECH),
                thought=plain(reply.get("thought") or "", TEXT),
                fault=plain(reply.get("fault") or "", 40),
                errors=[_error(error) for error in errors[:3]] if isinstance(errors, list) else [],
            )
        )
    return step


def _end(transcript: Transcript, outcome: Line, seating: Mapping[str, Any]) -> None:
    counted = [_mapping(kinds).values() for kinds in _mapping(outcome.get("faults")).values()]
    faults = sum(n for counts in counted for n in counts if isinstance(n, int))
    if faults:
        transcript.title += f" ({faults} {'fault' if faults == 1 else 'faults'})"
    transcript.reason = plain(outcome.get("reason") or "", 300)
    returns = _mapping(outcome.get("returns"))
    for seat, value in list(returns.items())[:SEATS]:
        known = isinstance(value, int | float)
        shown = figure(float(value)) if known else plain(value, 40)
        transcript.returns.append((name(str(seat)), _agent(seat, seating), shown))


def _agent(seat: Any, seating: Mapping[str, Any]) -> str:
    found = seating.get(seat, "")
    if isinstance(found, Mapping):
        found = found.get("name") or found.get("agent") or ""
    return name(str(found)) if found else name(str(seat))


def _error(error: Any) -> str:
    sentence = _mapping(error).get("error", error)
    return plain(sentence, 300)


def _readable(value: Any, depth: int = 0) -> Any:
    """A value of the wire form without its type tags, for reading only."""
    if depth > 8:
        return "…"
    if isinstance(value, list):
        return [_readable(item, depth + 1) for item in value[:200]]
    if not isinstance(value, Mapping):
        return value[: 2 * TEXT] if isinstance(value, str) else value
    if len(value) == 1:
        ((tag, inner),) = value.items()
        if isinstance(tag, str) and tag.startswith("$"):
            typed = tag in ("$number", "$array") and isinstance(inner, list) and inner
            return _readable(inner[-1] if typed else inner, depth + 1)
    return {str(key): _readable(item, depth + 1) for key, item in list(value.items())[:100]}


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}
