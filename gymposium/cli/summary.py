"""What is printed when a run is over: the leaderboard, what it took, and where things are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import console, print_json, print_lines

if TYPE_CHECKING:
    from gymposium.arenas.rows import SeatRow
    from gymposium.arenas.run import Run

LINES = 30
"""Tags or cells, a line each."""


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
        "cached_calls": sum(seat.cached_calls for seat in seats),
        "cached_tokens": sum(seat.cached_tokens for seat in seats),
        "money": _money(seats),
        "own_answer_share": own_answer_share(run),
        "faults": dict(sorted(faults.items())),
        "metrics": _metrics(run),
        "normalised": [
            {"agent": mean.subject, "cell": mean.cell, "mean": mean.value}
            | {"low": mean.low, "high": mean.high}
            for mean in run.normalised()
        ],
        "pooled": [
            {"agent": mean.subject, "cell": mean.cell, "mean": mean.value}
            | {"low": mean.low, "high": mean.high}
            for mean in run.normalised(norm="pool")
        ],
        "by_tag": [
            {"agent": mean.subject, "tag": mean.cell, "mean": mean.value}
            | {"low": mean.low, "high": mean.high}
            for mean in run.breakdown()
        ],
        "leaderboard": [asdict(row) for row in board.rows],
        "notes": list(board.notes),
        "report": str(report),
    }


def own_answer_share(run: Run) -> float | None:
    """Share of the turns asked of language models that their own parsed answer decided.

    A turn for which no answer came in time counts as asked. None if no model was asked.
    """
    agents = run.info.get("agents", {})
    models = {name for name, facts in agents.items() if facts.get("language")}
    seats = [seat for row in run.rows for seat in row.seats if seat.agent in models]
    asked = sum(seat.turns for seat in seats)
    return sum(seat.parsed_turns for seat in seats) / asked if asked else None


def _money(seats: Iterable[SeatRow]) -> float | None:
    """US dollars paid; None if a price is not known."""
    paid = [seat.money for seat in seats]
    known = [each for each in paid if each is not None]
    return sum(known) if len(known) == len(paid) else None


def _metrics(run: Run) -> list[dict[str, Any]]:
    """Mean and interval, by cell, of the world metrics the scenario asks for."""
    wanted = run.info.get("scenario", {}).get("metrics", ())
    if not wanted:
        return []
    from gymposium.arenas.ratings.metrics import mean_metrics

    return [
        {"metric": mean.subject, "cell": mean.cell, "mean": mean.value}
        | {"low": mean.low, "high": mean.high}
        for mean in mean_metrics(run.rows, seed=int(run.info.get("seed", 0)))
        if mean.subject in wanted and mean.cell is not None
    ]


def _metric_lines(metrics: list[dict[str, Any]]) -> list[str]:
    shown: dict[str, list[str]] = {}
    for it in metrics:
        spread = "" if it["low"] is None else f" [{it['low']:.2f}…{it['high']:.2f}]"
        shown.setdefault(it["metric"], []).append(f"{it['cell']} {it['mean']:.2f}{spread}")
    return [f"{name + ':':<12} {', '.join(cells)}" for name, cells in shown.items()]


def _normalised_lines(found: list[dict[str, Any]]) -> list[str]:
    """Focal per-capita returns on the scale of the scenario's bounds, averaged over its cells."""
    if not found:
        return []
    shown = []
    for it in sorted(found, key=lambda it: -it["mean"]):
        if it["cell"] is None:
            spread = "" if it["low"] is None else f" [{it['low']:.2f}…{it['high']:.2f}]"
            shown.append(f"  {it['mean']:.2f}{spread}  {it['agent']}")
    heading = "normalised focal per-capita return (between the bounds of worlds or scenario):"
    return [heading, *shown]


def _beside_each_other(heading: str, by: str, found: list[dict[str, Any]]) -> list[str]:
    """The same by tag or by cell: a line for each, the agents beside each other."""
    shown: dict[str, list[str]] = {it[by]: [] for it in found}
    for it in sorted(found, key=lambda it: -it["mean"]):
        shown[it[by]].append(f"{it['agent']} {it['mean']:.2f}")
    lines = [f"  {name}: {', '.join(agents)}" for name, agents in shown.items()]
    more = [f"  … and {len(lines) - LINES} more with --json"] if len(lines) > LINES else []
    return [heading, *lines[:LINES], *more] if lines else []


def _lines(facts: dict[str, Any]) -> list[str]:
    from gymposium.arenas.report.figures import dollars

    tokens = f"{facts['prompt_tokens']:,} prompt + {facts['completion_tokens']:,} completion tokens"
    faults = ", ".join(f"{count} {kind}" for kind, count in facts["faults"].items()) or "none"
    lines = [f"matches:     {facts['matches']:,} ({facts['turns']:,} turns)"]
    if facts["llm_turns"]:
        share = facts["own_answer_share"] or 0.0
        lines += [
            f"LLM:         {facts['llm_calls']:,} calls for {facts['llm_turns']:,} turns, {tokens}",
            f"money:       {dollars(facts['money'])}, {facts['cached_calls']:,} calls "
            f"({facts['cached_tokens']:,} tokens) from the cache",
            f"own answers: {share:.0%} of LLM turns decided by the model's own parsed answer",
        ]
    lines.append(f"faults:      {faults}")
    lines += _metric_lines(facts["metrics"])
    lines += _normalised_lines(facts["normalised"])
    cells = [it for it in facts["normalised"] if it["cell"] is not None]
    if len({it["cell"] for it in cells}) > 1:
        lines += _beside_each_other("cell by cell:", "cell", cells)
    lines += _beside_each_other("by what cells ask for:", "tag", facts["by_tag"])
    lines.append(f"report:      {facts['report']}")
    if facts["status"] != "finished":
        lines.append(f"unfinished:  go on with `gymposium resume {facts['run']}`")
    else:
        lines.append(f"run:         {facts['run']} (again: `gymposium report {facts['run']}`)")
    return lines
