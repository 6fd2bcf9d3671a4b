"""A stored match played again from its recorded actions, every state checked on the way.

The record keeps a hash of the world's state before each step (``arenas/record.py``); a replay that
meets another state says at which step, since from there on it would show a match that never was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gymposium.errors import StoreError, UnknownName, UsageError
from gymposium.types import Outcome, World

from ...envs.start_folder import start_folder
from ..record import decode, read_record, state_hash
from ..rows import MatchRow
from ..store import RunFolder
from .scenes import Screen, Spectator, seating_of

if TYPE_CHECKING:
    from ..run import Run


_DIGITS = 8  # a longer row of them is the start of a key


def find_match(run: Run, wanted: str = "1") -> MatchRow:
    """The match meant by ``wanted``: its place in the run (from 1), its key, or the key's start.

    Raises:
        UnknownName: there is none.
        UsageError: the run has no finished match, or several keys start so.
    """
    if not run.rows:
        raise UsageError(f"{run.path} holds no finished match yet; go on with `gymposium resume`")
    if wanted.isdecimal() and len(wanted) < _DIGITS:
        found = run.rows[int(wanted) - 1 : int(wanted)] if int(wanted) else []
    else:
        found = [row for row in run.rows if wanted and row.key.startswith(wanted)]
    if len(found) > 1:
        raise UsageError(f"{len(found)} matches of {run.path} start with {wanted!r}; write more")
    if not found:
        places = f"{run.path} (1 to {len(run.rows)}, or the start of a key)"
        raise UnknownName("match", wanted, [row.key for row in run.rows], where=places)
    return found[0]


@start_folder()
def replay(run: Run, match: str = "1", screens: Sequence[Screen] = ()) -> int:
    """Play a stored match again.

    Args:
        run: the run that holds it.
        match: which one, see :func:`find_match`.
        screens: where to show it; with none it is only checked. It ends early when the viewers of
            all screens have left.

    Returns:
        Steps whose states were as recorded.

    Raises:
        StoreError: the record is damaged, or the world no longer does what it did.
        UnknownName, UsageError: there is no such match, or its world is not to be had.
    """
    row = find_match(run, match)
    with RunFolder(run.path) as folder:
        return _replayed(read_record(folder.transcript_path(row.key)), row.key, screens)


def _replayed(lines: Iterable[Mapping[str, Any]], key: str, screens: Sequence[Screen]) -> int:
    from ...envs.registry import make_world

    lines = iter(lines)
    header = next(lines)
    world: World = make_world(header["world"], **header["params"])
    spectator = Spectator(seating_of(header), screens)
    turns, step = world.reset(header["seed"]), 0
    try:
        for line in lines:
            _check(world, line, key, step)
            if line["kind"] == "outcome":
                outcome: Outcome = world.outcome
                spectator.ended(world, outcome, step)
                break
            spectator.asked(world, turns, step)
            if screens and not spectator.screens:
                break
            actions = {seat: decode(reply["action"]) for seat, reply in line["replies"].items()}
            spectator.answered(world, actions)
            turns, step = world.step(actions), step + 1
    finally:
        spectator.leave()
    return step


def _check(world: World, line: Mapping[str, Any], key: str, step: int) -> None:
    if state_hash(world) != line["state"]:
        raise StoreError(
            f"match {key} cannot be replayed: the state at step {step} is not the recorded one, so "
            f"{getattr(world, 'id', 'the world')} has changed since; use the version that played it"
        )
