"""What is printed when a run is over: the leaderboard, what it took, and where things are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import console, print_json, print_lines

if TYPE_CHECKING:
    from gymposium.arenas.rows import MatchRow, SeatRow
    from gymposium.arenas.run import Run


def print_summary(run: Run, *, as_json: bool) -> Path:
    """Print a run's results and write its report.

    Args:
        run: finished or not.
        as_json: print JSON with stable keys instead of tables.

    Returns:
        The report's path.
    """
    report = run.report()
    facts = summary(run, report)
    if as_json:
        print_json(facts)
        return report
    from gymposium.arenas.report.tables import leaderboard_table

    board = run.leaderboard()
    print()
    console().print(leaderboard_table(board))
    for note in board.notes:
        print_lines(f"note: {note}")
    print_lines("\n" + "\n".join(_lines(facts)))
    return report


def summary(run: Run, report: Path) -> dict[str, Any]:
    """The run's results as plain data with stable keys."""
    seats = [seat for row in run.rows for seat in row.seats]
    faults = Counter[str]()
    for seat in seats:
        faults.update(dict(seat.faults))
    board = run.leaderboard()
    return {
        "run": str(run.path),
        "status": run.info.get("status", "unknown"),
        "matches": len(run.rows),
        "turns": sum(seat.turns for seat in seats),
        "llm_turns": sum(seat.llm_turns for seat in seats),
        "llm_calls": sum(seat.llm_calls for seat in seats),
        "prompt_tokens": sum(seat.prompt_tokens for seat in seats),
        "completion_tokens": sum(seat.completion_tokens for seat in seats),
        "own_answer_share": own_answer_share(run.rows),
        "faults": dict(sorted(faults.items())),
        "leaderboard": [asdict(row) for row in board.rows],
        "notes": list(board.notes),
        "report": str(report),
    }


def own_answer_share(rows: Iterable[MatchRow]) -> float | None:
    """Share of language-model turns decided by the model's own parsed answer; None without any."""
    seats: list[SeatRow] = [seat for row in rows for seat in row.seats]
    asked = sum(seat.llm_turns for seat in seats)
    return sum(seat.parsed_turns for seat in seats) / asked if asked else None


def _lines(facts: dict[str, Any]) -> list[str]:
    tokens = f"{facts['prompt_tokens']:,} prompt + {facts['completion_tokens']:,} completion tokens"
    faults = ", ".join(f"{count} {kind}" for kind, count in facts["faults"].items()) or "none"
    lines = [f"matches:     {facts['matches']:,} ({facts['turns']:,} turns)"]
    if facts["llm_turns"]:
        share = facts["own_answer_share"]
        lines += [
            f"LLM:         {facts['llm_calls']:,} calls for {facts['llm_turns']:,} turns, {tokens}",
            f"own answers: {share:.0%} of LLM turns decided by the model's own parsed answer",
        ]
    lines.append(f"faults:      {faults}")
    lines.append(f"report:      {facts['report']}")
    if facts["status"] != "finished":
        lines.append(f"unfinished:  go on with `gymposium resume {facts['run']}`")
    else:
        lines.append(f"run:         {facts['run']} (again: `gymposium report {facts['run']}`)")
    return lines
