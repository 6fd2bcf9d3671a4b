"""The report: one self-contained page that says what was run and what came out of it.

No script, no request: styles and charts are inline, and the page's own content policy forbids the
rest. All words of agents go through autoescaping and are cut to size, so that 100,000 matches and a
talkative model still make a page that opens at once. Equal input gives equal bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..export.writing import whole
from ..ratings.leaderboard import Leaderboard, LeaderRow
from ..ratings.metrics import YARDSTICKS, Mean, mean_metrics
from ..ratings.registry import RATINGS
from ..rows import MatchRow
from . import figures
from .charts import Bar, Scale
from .learning import CurvePoint, plots
from .matrix import matrix
from .profile import profile
from .returns import CELLS, cells
from .summary import Summary, summarise
from .templates import template
from .transcripts import Line, tell

ROWS, MEASURES, NOTES = 200, 60, 20


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row of the leaderboard with its bar."""

    row: LeaderRow
    bar: Bar | None


def write_report(
    run_info: Mapping[str, Any],
    leaderboard: Leaderboard,
    rows: Sequence[MatchRow],
    transcripts: Iterable[Line | Iterable[Line]],
    path: str | Path,
    *,
    reasons: Mapping[str, Mapping[str, str]] | None = None,
    learning: Iterable[CurvePoint] = (),
) -> Path:
    """Write the page.

    Args:
        run_info: plain data about the run: ``scenario`` (a name or the scenario's data), ``seed``,
            ``version``, ``python``, ``machine``, ``commit``, ``started``, ``agents``; anything else
            that is there is listed as well.
        leaderboard: the ratings of ``rows``.
        rows: finished matches.
        transcripts: decoded lines of a few records (:func:`.transcripts.tell`).
        path: the file to write; replaced in one step if it exists.
        reasons: agent -> kind of fault -> a sentence (:func:`.reasons.reasons`).
        learning: points of learning curves, where agents were trained.

    Returns:
        ``path``.

    Raises:
        StoreError: the file cannot be written.
    """
    path = Path(path)
    page = render_report(
        run_info, leaderboard, rows, transcripts, reasons=reasons, learning=learning
    )
    with whole(path, "the report ") as part:
        part.write_text(page, encoding="utf-8", errors="replace", newline="\n")
    return path


def render_report(
    run_info: Mapping[str, Any],
    leaderboard: Leaderboard,
    rows: Sequence[MatchRow],
    transcripts: Iterable[Line | Iterable[Line]] = (),
    *,
    reasons: Mapping[str, Mapping[str, str]] | None = None,
    learning: Iterable[CurvePoint] = (),
) -> str:
    """The page as text; arguments as in :func:`write_report`."""
    summary = summarise(rows)
    shown = leaderboard.rows[:ROWS]
    around = 0.0 if RATINGS[leaderboard.rating].anchors and not leaderboard.anchors else None
    ends = [x for row in shown for x in (row.rating, row.low, row.high)]
    scale = Scale.around(ends, include=around)
    return template("page.html").render(
        title=_title(run_info),
        description=_description(run_info),
        facts=_facts(run_info),
        settings=_settings(run_info),
        agents=_agents(run_info),
        board=leaderboard,
        ranked=[Ranked(row, scale.bar(row.rating, row.low, row.high)) for row in shown],
        scale=scale,
        hidden=len(leaderboard.rows) - len(shown),
        summary=summary,
        players=[agent for agent in summary.agents if agent.role != "judge"][:ROWS],
        spenders=[agent for agent in summary.agents if agent.turns or agent.llm_calls][:ROWS],
        rating=RATINGS[leaderboard.rating],
        masses=any(row.mass is not None and row.mass != row.rating for row in leaderboard.rows),
        lead=_lead(leaderboard, summary),
        cells=cells(leaderboard.cells, rows, summary.cells),
        cells_hidden=max(0, len(summary.cells) - CELLS),
        effects=leaderboard.seat_effect[:MEASURES],
        profile=profile(run_info.get("scenario"), rows, leaderboard),
        duels=matrix([row.agent for row in leaderboard.rows], leaderboard.pairs),
        measures=_measures(leaderboard, rows),
        reasons=reasons or {},
        learning=plots(learning),
        notes=[figures.plain(note, 1000) for note in leaderboard.notes[:NOTES]],
        transcripts=tell(transcripts),
        level=f"{100 * leaderboard.confidence:g} %",
    )


def _lead(board: Leaderboard, summary: Summary) -> str:
    """The result in one sentence."""
    first = [row.agent for row in board.rows if row.rank == 1 and row.connected]
    compared = sum(row.connected for row in board.rows)
    if not first or compared < 2:
        return "Nothing was compared, so nobody leads."
    if len(first) == compared and compared > 1:
        return f"No difference between the {compared} agents is established."
    names = [figures.name(agent) for agent in first[:4]]
    if len(first) == 1:
        return f"{names[0]} leads: its interval lies above all others."
    more = f" and {len(first) - 4} more" if len(first) > 4 else ""
    return f"{', '.join(names)}{more} share the lead: their intervals overlap."


def _title(info: Mapping[str, Any]) -> str:
    scenario = info.get("scenario")
    if isinstance(scenario, Mapping):
        scenario = scenario.get("title") or scenario.get("name")
    return figures.name(str(info.get("title") or scenario or "Run"))


def _description(info: Mapping[str, Any]) -> str:
    scenario = info.get("scenario")
    found = scenario.get("description") if isinstance(scenario, Mapping) else None
    return figures.plain(found or info.get("description") or "", 800)


def _facts(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Short facts about the run, in a fixed order, unknown ones after the known."""
    known = ("seed", "version", "commit", "python", "machine", "started", "finished", "status")
    names = {"version": "gymposium"}
    facts = []
    others = sorted(set(map(str, info)) - {*known, "scenario", "agents", "title", "description"})
    for key in [*known, *others[:20]]:
        value = info.get(key)
        if value in (None, "", [], {}):
            continue
        if key in ("started", "finished") and isinstance(value, int | float):
            value = _moment(value)
        facts.append((figures.name(names.get(key, key)), figures.plain(value, 300)))
    return facts


def _moment(value: float) -> str:
    try:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return str(value)


def _settings(info: Mapping[str, Any]) -> str:
    scenario = info.get("scenario")
    if not isinstance(scenario, Mapping):
        return ""
    text = json.dumps(scenario, indent=2, ensure_ascii=False, default=str)
    return figures.plain(text, 12_000)


def _agents(info: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(name, spec, remarks) of every agent the run knew."""
    agents = info.get("agents")
    if not isinstance(agents, Mapping):
        return []
    found = []
    for agent, facts in sorted(agents.items(), key=lambda item: str(item[0]))[:ROWS]:
        facts = facts if isinstance(facts, Mapping) else {"spec": facts}
        remarks = [word for word in ("deterministic", "trusted") if facts.get(word) is True]
        remarks += ["language model"] if facts.get("language") is True else []
        spec = figures.plain(facts.get("spec") or "", 200)
        found.append((figures.name(str(agent)), spec, ", ".join(remarks)))
    return found


def _measures(board: Leaderboard, rows: Sequence[MatchRow]) -> list[Mean]:
    """The worlds' own measures; an average over a single cell would only repeat it."""
    found = mean_metrics(rows, bootstrap=board.replicas, confidence=board.confidence)
    cells = Counter(mean.subject for mean in found if mean.cell is not None)
    shown = [it for it in found if it.subject not in YARDSTICKS]
    return [mean for mean in shown if mean.cell or cells[mean.subject] > 1][:MEASURES]
