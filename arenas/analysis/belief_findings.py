"""Figures of the study of beliefs: the turns of a run, who scores them, and the tables."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ...envs import registry
from ...envs.visual.belief_words import coverage, from_words
from ...envs.visual.strategies import parts_of
from ..claims.statistics import mean
from ..judging.state_scorers import Belief, Blend, Exact, Judge, StateScorer
from .findings import Span, Table
from .rates import Rate
from .survival import SIGNIFICANT, fisher

if TYPE_CHECKING:
    import pandas as pd

    from ..run import Run

Scores: TypeAlias = Mapping[str, np.ndarray[Any, np.dtype[np.float64]]]
PARTS: Mapping[str, tuple[str, str, str]] = {
    "observation": ("state_before", "grounding_reward", "belief of the state now"),
    "prediction": ("state", "worldmodeling_reward", "belief of the state to come"),
}
"""By part of a reply: the column of the truth, of the exact score, and what it is called."""
_SHARES = {
    "format_correct": "replies of the format",
    "action_is_valid": "turns of known actions only",
    "action_is_effective": "turns that changed something",
}


class Asked(Protocol):
    """Parameters that say who scores."""

    @property
    def scorer(self) -> str:
        """``exact``, ``judge`` or ``blend``."""

    @property
    def judge(self) -> str:
        """A model, or ""."""


class Read:
    """The turns of an agent in a run.

    Args:
        run: finished.
        agent: its name there; None if it is the only one.

    Attributes:
        turns: all turns, one a row, in order.
        match: the number of each turn's match, from 0.
        success: of each match, bool.
        lengths: mean characters of a reply, of each match.
        parts: which beliefs were asked for in some match.

    Raises:
        UsageError: it played no match that is answered by reasoning.
    """

    def __init__(self, run: Run, agent: str | None = None) -> None:
        rows = {
            row.key: row
            for row in run.rows
            if agent is None or [seat.agent for seat in row.seats] == [agent]
        }
        turns = _turns(run)
        turns = turns[turns["match"].isin(rows)].reset_index(drop=True)
        if not len(turns):
            raise UsageError(
                f"{agent or 'the agent'} played no turn of a world that is answered by reasoning, "
                "such as frozen_lake-v0 or sokoban-v0"
            )
        self.turns = turns
        self.match = turns.groupby("match", sort=False).ngroup().to_numpy()
        played = [rows[key] for key in turns["match"].unique()]
        self.success = np.array([row.metrics["success"] == 1 for row in played])
        self.lengths = np.array([row.metrics["reply_length"] for row in played])
        self.worlds = sorted({row.world for row in played})
        self._cells = {row.cell: _world(run, row.key) for row in reversed(played)}
        strategies = {world.params.strategy for world in self._cells.values()}
        asked = {part for strategy in strategies for part in parts_of(strategy)}
        self.parts = [part for part in PARTS if part in asked]

    def by_match(self, values: Any) -> Any:
        """The mean of each match."""
        return np.bincount(self.match, values) / np.bincount(self.match)

    def scores(self, part: str, scorers: Mapping[str, StateScorer]) -> Any:
        """How right each turn's belief was, 0 where the format was not kept.

        Args:
            part: of a reply.
            scorers: by cell.
        """
        truth, exact, _ = PARTS[part]
        made = np.zeros(len(self.turns))
        for cell, scorer in scorers.items():
            here = np.flatnonzero(
                (self.turns["cell"] == cell) & self.turns["format_correct"].astype(bool)
            )
            found = [
                Belief(str(row[part]), json.loads(row[truth]), float(row[exact]))
                for row in self.turns.iloc[here].to_dict("records")
            ]
            made[here] = asyncio.run(scorer.score(found))
        return made

    def judges(self, model: str) -> dict[str, Judge]:
        """A judge for each cell, all of one model."""
        from ...agents.language.backends.pool import get_backend

        backend = get_backend(model)
        return {
            cell: Judge(
                backend, getattr(world, "weights", {}), partly=getattr(world, "partly", False)
            )
            for cell, world in self._cells.items()
        }

    def exact(self) -> dict[str, StateScorer]:
        """The worlds' own scores, for each cell."""
        return {cell: Exact() for cell in self._cells}

    def said(self) -> Any:
        """Of each belief in words about a grid, the share of axes that could be read."""
        spoken = {
            cell
            for cell, world in self._cells.items()
            if hasattr(world, "legend") and world.params.representation == "natural"
        }
        rows = self.turns[self.turns["cell"].isin(spoken)]
        texts = [text for part in self.parts for text in rows[part] if text]
        return [coverage(from_words(text)) for text in texts]


def _turns(run: Run) -> pd.DataFrame:
    try:
        turns = run.world_table("turns")
    except UnknownName:
        turns = None
    if turns is None or not {*PARTS} <= {*turns.columns}:
        raise UsageError(
            f"no match of {run.path} is answered by reasoning about state; play frozen_lake-v0, "
            "sokoban-v0, navigation-v0 or primitive_skill-v0"
        )
    return turns[turns["observation"].notna()]


def _world(run: Run, key: str) -> Any:
    from ..record import read_record
    from ..store import RunFolder

    with RunFolder(run.path) as folder:
        header = next(read_record(folder.transcript_path(key)))
    return registry.make_world(header["world"], **header["params"])


def conclude(read: Read, asked: Asked, folder: Path) -> dict[str, Any]:
    """Sentences and tables.

    Args:
        read: the turns.
        asked: who scores.
        folder: where a judge's answers are kept.

    Returns:
        Fields of :class:`.findings.Findings`.
    """
    exact: Scores = {part: read.scores(part, read.exact()) for part in read.parts}
    shown, tables, unread = exact, [], 0
    if asked.judge:
        shown, judged, unread = _judged(read, asked, folder)
        tables.append(_agreement(exact, judged))
    means = {part: read.by_match(values) for part, values in shown.items()}
    measures = _measures(read, means)
    split = _by_belief(means, read.success)
    sentences = [*_sentences(read, means, split)]
    if unread:
        sentences.append(f"Beliefs that the judge could not read, which it gives 0: {unread}.")
    return {
        "matches": len(read.success),
        "sentences": sentences,
        "tables": [measures, *tables, *([split] if split.rows else [])],
    }


def _judged(read: Read, asked: Asked, folder: Path) -> tuple[Scores, Scores, int]:
    """Scores to be shown, the judge's, and how many beliefs it could not read."""
    from ...agents.language.backends.cache import ResponseCache
    from ...agents.language.backends.calls import Scope, calling

    judges = read.judges(asked.judge)
    chosen: Mapping[str, StateScorer] = judges
    if asked.scorer == "blend":
        chosen = {cell: Blend(Exact(), judge) for cell, judge in judges.items()}
    elif asked.scorer == "exact":
        chosen = read.exact()
    cache = ResponseCache(folder / "judge.sqlite")
    try:
        with calling(Scope(cache=cache, agent="judge")):
            judged = {part: read.scores(part, judges) for part in read.parts}
            shown = {part: read.scores(part, chosen) for part in read.parts}
    finally:
        cache.close()
    return shown, judged, sum(judge.unread for judge in judges.values())


def _measures(read: Read, means: Scores) -> Table:
    turns = read.turns
    rows: list[Sequence[Any]] = [["success", Rate.of(read.success.tolist())]]
    rows += [[PARTS[part][2], _span(values)] for part, values in means.items()]
    for name, said in _SHARES.items():
        rows.append([said, _span(read.by_match(turns[name].to_numpy(float)))])
    axes = read.said()
    if axes:
        rows.append(["axes said in words", float(np.mean(axes))])
    replies = turns[["observation", "prediction", "answer"]].drop_duplicates()
    rows.append(["distinct replies, of all", len(replies) / len(turns)])
    rows.append(["characters of a reply", float(read.lengths.mean())])
    note = "Scores and shares: means over matches, with 95 % intervals."
    return Table("Measures", ("measure", "found"), rows, note)


def _span(values: Any) -> Span:
    """The mean of matches with its interval, as far as that lies where values can be."""
    found = mean(values)
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    least = min(0.0, float(values.min()))  # a fine for templates
    return Span(found.value, max(low, least), min(high, 1.0))


def _agreement(exact: Scores, judged: Scores) -> Table:
    rows: list[Sequence[Any]] = []
    for part, told in exact.items():
        apart = judged[part] - told
        both = np.std(told) > 0 and np.std(judged[part]) > 0
        rows.append(
            [
                PARTS[part][2],
                Rate.of((np.abs(apart) < 1e-9).tolist()),
                float(apart.mean()),
                float(np.corrcoef(told, judged[part])[0, 1]) if both else None,
            ]
        )
    return Table(
        "The judge beside the rules",
        ("of", "turns with the same score", "judge's mean, less the rules'", "correlation"),
        rows,
        "Both are 0 where the format was not kept.",
    )


def _by_belief(means: Scores, success: Any) -> Table:
    """Success of the matches with the better beliefs, and of the others."""
    rows: list[Sequence[Any]] = []
    for part, values in means.items():
        better = values > np.median(values)
        sides = [Rate.of(success[side].tolist()) for side in (better, ~better)]
        rows.append([PARTS[part][2], *sides, fisher(*sides)])
    return Table(
        "Success by belief",
        ("of", "believed better than in half of its matches", "the other matches", "p"),
        rows,
        "Fisher's exact test, two-sided. A hard match may spoil both belief and success.",
    )


def _sentences(read: Read, means: Scores, split: Table) -> list[str]:
    said = [f"It succeeds in {Rate.of(read.success.tolist()).said} of matches."]
    told = [f"{values.mean():.2f} of the {PARTS[part][2]}" for part, values in means.items()]
    if told:
        scores = " and ".join(told).replace("of the belief of", "of", 2)
        said.append(f"Its beliefs score {scores}, of at most 1.")
    for what, better, other, chance in split.rows:
        if chance is not None and chance < SIGNIFICANT:
            more = "more" if (better.share or 0) > (other.share or 0) else "less"
            said.append(
                f"It succeeds {more} often where its {what} is better: {better.said}, else "
                f"{other.said} (p = {chance:.2g})."
            )
    return said
