"""A result: what was measured, what came of each claim, and where it was run; kept as JSON.

The file holds the figure of every seed, so that intervals and verdicts can be computed again from
it (:func:`judge`) without running anything.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gymposium.errors import StoreError, UnknownName

from .statistics import estimate
from .verdicts import verdict

if TYPE_CHECKING:
    import pandas as pd

    from ...scenarios.claim import Claim, ClaimFile, ScaleName

FORMAT = 1
_NUMBERS = re.compile(r"\[\s[^\[\]{}\"]*\]")
"""A list of numbers, which goes on one line."""

Measured: TypeAlias = Mapping[str, Sequence[Mapping[str, float]]]
"""Arm -> the measures of each seed, in the order of the seeds."""


@dataclass(frozen=True)
class ClaimResult:
    """What came of one claim.

    Attributes:
        name, sentence: the claim's.
        compare: the kind of comparison.
        about: what is compared, in words.
        expect: in words, where the claim lies, e.g. ``above 0``.
        reference: the bound, or 0 for an equivalence.
        paper, where: the paper's figure in words and where it stands.
        paper_value: the same as a number, if it is one.
        value, low, high: our estimate with its interval; None where it is unknown.
        seeds: seeds the estimate rests on.
        verdict: one of :data:`.verdicts.VERDICTS`.
        note: what a reader should know about the estimate, or "".
    """

    name: str
    sentence: str
    compare: str
    about: str
    expect: str
    reference: float
    paper: str
    where: str
    paper_value: float | None
    value: float | None
    low: float | None
    high: float | None
    seeds: int
    verdict: str
    note: str = ""


@dataclass(frozen=True)
class Result:
    """A claim file, run at one scale.

    Attributes:
        name, title: the claim file's.
        paper: what was reproduced (title, authors, venue, year, link).
        scale: ``smoke``, ``cpu`` or ``full``.
        confidence: of the intervals.
        seeds: seeds of every arm.
        measures: arm -> measure -> a figure per seed (None: not measured on that seed).
        claims: what came of them, in the file's order.
        origin: commits, versions, machine, date and seconds: where the figures come from.
    """

    name: str
    title: str
    paper: Mapping[str, Any]
    scale: str
    confidence: float
    seeds: Sequence[int]
    measures: Mapping[str, Mapping[str, Sequence[float | None]]]
    claims: Sequence[ClaimResult]
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdicts(self) -> dict[str, str]:
        """Claim name -> verdict."""
        return {claim.name: claim.verdict for claim in self.claims}

    def table(self) -> pd.DataFrame:
        """One row per claim."""
        import pandas as pd

        return pd.DataFrame([dataclasses.asdict(claim) for claim in self.claims])

    def to_json(self) -> str:
        """The result as JSON with stable keys; :func:`read_result` reads it back."""
        data = {"format": FORMAT, **dataclasses.asdict(self)}
        text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return _NUMBERS.sub(lambda row: " ".join(row[0].split()), text)

    def measured(self) -> dict[str, list[dict[str, float]]]:
        """The measures of each arm by seed, as :func:`judge` takes them."""
        return {
            arm: [
                {name: _or_nan(row[place]) for name, row in by_name.items()}
                for place in range(len(self.seeds))
            ]
            for arm, by_name in self.measures.items()
        }


def read_result(path: Path) -> Result:
    """The result in a JSON file.

    Raises:
        StoreError: it cannot be read, or is not a result of this format.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise ValueError("another format")
        claims = [ClaimResult(**claim) for claim in data.pop("claims")]
        return Result(claims=claims, **data)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{path} is not a result of this version ({error}): run the claims again"
        ) from None


def make_result(
    file: ClaimFile, scale: ScaleName, measured: Measured, origin: Mapping[str, Any]
) -> Result:
    """Judge what was measured and put it together.

    Args:
        file: the claims.
        scale: the scale that was run.
        measured: every arm on the same seeds 0, 1, …
        origin: where the figures come from.

    Returns:
        The result.

    Raises:
        UnknownName: a claim names a measure that its arm does not report.
    """
    seeds = list(range(len(next(iter(measured.values())))))
    measures = {
        arm: {
            name: [_finite(row.get(name)) for row in rows]
            for name in dict.fromkeys(name for row in rows for name in row)
        }
        for arm, rows in measured.items()
    }
    return Result(
        name=file.name,
        title=file.title,
        paper=file.paper.model_dump(mode="json"),
        scale=scale,
        confidence=file.confidence,
        seeds=seeds,
        measures=measures,
        claims=[judge(file, claim, scale, measured) for claim in file.claims],
        origin=origin,
    )


def judge(file: ClaimFile, claim: Claim, scale: ScaleName, measured: Measured) -> ClaimResult:
    """Estimate and judge one claim; arguments and errors as for :func:`make_result`."""
    levels = file.levels(claim, scale) if claim.arm is None else {}
    sides = [(arm, claim.metric) for arm in levels] or claim.sides()
    columns = [np.array(_column(arm, name, measured)) for arm, name in sides]
    found = estimate(claim.compare, columns, list(levels.values()), confidence=file.confidence)
    judged = verdict(
        found,
        expect=claim.expect,
        bound=claim.threshold,
        worth=claim.worth,
        margin=claim.margin,
        smoke=scale == "smoke",
    )
    within = claim.margin is not None
    return ClaimResult(
        name=claim.name,
        sentence=claim.sentence,
        compare=claim.compare,
        about=_about(claim, sides),
        expect=f"within ±{claim.margin:g}" if within else f"{claim.expect} {claim.threshold:g}",
        reference=claim.threshold,
        paper=claim.paper.shown,
        where=claim.paper.where,
        paper_value=claim.paper.value,
        value=_finite(found.value),
        low=_finite(found.low),
        high=_finite(found.high),
        seeds=found.seeds,
        verdict=judged,
        note=found.note,
    )


def _column(arm: str, name: str, measured: Measured) -> list[float]:
    rows = measured[arm]
    if not any(name in row for row in rows):
        known = sorted({known for row in rows for known in row})
        raise UnknownName("measure", name, known, where=f"the arm {arm!r}")
    return [row.get(name, float("nan")) for row in rows]


def _about(claim: Claim, sides: Sequence[tuple[str, str]]) -> str:
    if claim.compare == "slope":
        return f"slope of {claim.metric} over {', '.join(arm for arm, _ in sides)}"
    arm, name = sides[0]
    if claim.compare == "value":
        return f"{name} in {arm}"
    other, other_name = sides[1]
    sign = "/" if claim.compare == "ratio" else "−"
    if other == arm:
        return f"{name} {sign} {other_name} in {arm}"
    if other_name == name:
        return f"{name}: {arm} {sign} {other}"
    return f"{name} in {arm} {sign} {other_name} in {other}"


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
