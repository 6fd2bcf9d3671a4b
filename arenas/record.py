"""The record of one match: JSON lines, compressed, complete enough to replay and to learn from.

Line kinds: ``match`` (what was played, by whom), ``step`` (what each asked seat was shown and what
it answered, with a hash of the world's state before the step) and ``outcome``. Wall times are not
in it, so that equal matches have equal bytes. Turns are written down before the agent sees them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import zstandard

from gymposium.errors import StoreError
from gymposium.types import Action, Outcome, Reply, Turn, World

from ..agents.wire import from_json, outcome_to_json, reply_to_json, to_json
from .asking import Answer

SCHEMA_VERSION = 1
_FLUSH_BYTES = 1 << 18
_COSTS = ("seconds", "cached", "money")


class Recorder:
    """Writes one match's record into memory; ``finish`` gives the compressed bytes."""

    def __init__(self, header: Mapping[str, Any], *, text: frozenset[str] = frozenset()) -> None:
        """Begin.

        Args:
            header: plain data saying what the match is.
            text: seats whose observations are also kept in words (those that read them).
        """
        self._compressor = zstandard.ZstdCompressor(level=3).compressobj()
        self._chunks: list[bytes] = []
        self._lines: list[bytes] = []
        self._size = 0
        self._text = text
        self._shown: dict[str, Any] = {}
        self._hash = ""
        self._step = 0
        self._write({"kind": "match", "schema": SCHEMA_VERSION, **header})

    def asked(self, world: World, turns: Mapping[str, Turn], step: int) -> None:
        """Write down what the seats are about to be shown."""
        self._hash = state_hash(world)
        self._step = step
        shown = {}
        for seat, turn in turns.items():
            entry: dict[str, Any] = {
                "observation": to_json(turn.observation),
                "reward": to_json(turn.reward),
            }
            if turn.action_mask is not None:
                entry["mask"] = to_json(turn.action_mask)
            if turn.info:
                entry["info"] = to_json(dict(turn.info))
            if seat in self._text:
                entry["text"] = turn.text
            shown[seat] = entry
        self._shown = shown

    def answered(self, actions: Mapping[str, Action], answers: Mapping[str, Answer]) -> None:
        """Write down the step: what was shown, and the answers (in full where there is more)."""
        replies = {}
        for seat, action in actions.items():
            answer = answers.get(seat)
            if answer is None:
                replies[seat] = {"action": to_json(action)}
            else:
                replies[seat] = _kept(action, answer)
        self._write(
            {
                "kind": "step",
                "step": self._step,
                "state": self._hash,
                "turns": self._shown,
                "replies": replies,
            }
        )

    def ended(self, world: World, outcome: Outcome) -> None:
        """Write down the end."""
        self._write(
            {"kind": "outcome", "state": state_hash(world), "outcome": outcome_to_json(outcome)}
        )

    def finish(self) -> bytes:
        """The whole record, compressed; the recorder is used up."""
        self._flush()
        return b"".join([*self._chunks, self._compressor.flush()])

    def _write(self, line: Mapping[str, Any]) -> None:
        encoded = orjson.dumps(line)
        self._lines.append(encoded)
        self._size += len(encoded)
        if self._size > _FLUSH_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._lines:
            self._lines.append(b"")
            self._chunks.append(self._compressor.compress(b"\n".join(self._lines)))
            self._lines = []
            self._size = 0


def state_hash(world: World) -> str:
    """16 hexadecimal digits that differ whenever the world's state does."""
    return hashlib.blake2b(world.fingerprint(), digest_size=8).hexdigest()


def read_record(path: Path, *, longest: int | None = None) -> Iterator[dict[str, Any]]:
    """The lines of a record, decoded to plain JSON (values keep their wire form).

    Args:
        path: the file.
        longest: lines of more bytes are not decoded: ``{"kind": "long", "bytes": …}`` stands for
            each. Whatever the record holds, reading it then takes little memory.

    Raises:
        StoreError: the file is missing, corrupt or cut short.
    """
    whole = ".partial" in path.name
    try:
        for line in _lines(path, longest):
            found = {"kind": "long", "bytes": line} if isinstance(line, int) else orjson.loads(line)
            # A long line may be the outcome.
            whole = whole or found.get("kind") in ("outcome", "long")
            yield found
    except FileNotFoundError:
        raise StoreError(
            f"the transcript {path} is missing: restore it, or play the run again"
        ) from None
    except (zstandard.ZstdError, orjson.JSONDecodeError, AttributeError) as error:
        raise StoreError(
            f"the transcript {path} is corrupt ({error}): restore it, or play the run again"
        ) from None
    if not whole:
        raise StoreError(
            f"the transcript {path} is corrupt (cut short): restore it, or play the run again"
        )


def _lines(path: Path, longest: int | None) -> Iterator[bytes | int]:
    """Each line, or its length if that is more than ``longest``."""
    parts: list[bytes] = []
    size = 0
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
        while block := reader.read(1 << 20):
            *ends, rest = block.split(b"\n")
            for end in ends:
                too_long = longest is not None and size + len(end) > longest
                yield size + len(end) if too_long else b"".join([*parts, end])
                parts, size = [], 0
            size += len(rest)
            if longest is None or size <= longest:
                parts.append(rest)
        if size:
            yield size if longest is not None and size > longest else b"".join(parts)


def decode(value: Any) -> Any:
    """A value of the record as the object it was (arrays, tuples, …)."""
    return from_json(value)


def _kept(action: Action, answer: Answer) -> dict[str, Any]:
    """The answer for the record; what cannot be written down is left out, and said so."""
    try:
        entry = _answer_to_json(action, answer)
        orjson.dumps(entry)
    except Exception as error:  # noqa: BLE001 - the agent boundary: recorded
        return {"action": to_json(action), "unwritable": type(error).__name__}
    return entry


def _answer_to_json(action: Action, answer: Answer) -> dict[str, Any]:
    entry: dict[str, Any] = {"action": to_json(action)}
    if answer.reply is not None:
        kept = reply_to_json(answer.reply)
        entry |= {name: kept[name] for name in ("text", "thought", "trace") if kept.get(name)}
    if answer.calls:
        # What a call took differs from run to run: that is kept in the store, not in the record.
        entry["calls"] = [
            {name: value for name, value in call.items() if name not in _COSTS}
            for call in reply_to_json(Reply(calls=answer.calls))["calls"]
        ]
    if answer.errors:
        entry["errors"] = [{"kind": kind, "error": sentence} for kind, sentence in answer.errors]
    if answer.fault:
        entry["fault"] = answer.fault
    return entry
