"""How an agent takes advice: a study on card selection with a partner of known quality.

What it asks
    Does the agent take good advice? Does it resist bad advice? Does it tell one from the other, or
    does it just obey, or just ignore? And does it mind being told that advice is useless?

How
    The agent selects cards alone (``wason_cards-v0`` with one participant, one answer), advised in
    ``advised-v0`` by a partner whose advice is right, card by card, with a chance it is not told:
    0, 1/4, 1/2, 3/4 or 1. In further matches there is no advice, and there is right or wrong advice
    of which it is told that it is useless.

What counts as a case
    One match, which is one selection of four cards; matches are independent.

Figures
    Takes good advice: of matches with wholly right advice, those in which it was followed on every
    card. Falls for bad advice: the same of wholly wrong advice (which says to turn exactly the
    cards that can be left). Discernment: the former less the latter, with Fisher's exact test; an
    agent that obeys, or ignores, or does as it likes has none. Right by quality: selections right
    in all four cards. With advice right half of the time, card by card: in how many matches it
    followed the right parts more than the wrong ones, with an exact sign test. Told useless: how
    often the advice is followed all the same.

Source
    Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in Multi-Party Collaboration
    (NeurIPS 2025), whose collaborators are asked to judge interventions on their merits, with and
    without the sentence that they are useless. The curve over a partner's quality is derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gymposium.errors import UsageError

from .findings import Curves, Findings, Table
from .rates import Rate, difference
from .studies import Bench
from .survival import SIGNIFICANT, fisher

QUALITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
TASK = {"participants": 1, "rounds": 0, "solo": False}
NONE, USELESS_GOOD, USELESS_BAD = "no advice", "right, told useless", "wrong, told useless"


class Advice(NamedTuple):
    """What a match is played under.

    Attributes:
        quality: chance of each part of the advice being right.
        chance: that there is any.
        told: what is said of it.
    """

    quality: float
    chance: float = 1.0
    told: str = "no"


CELLS: Mapping[str, Advice] = {
    **{f"right with chance {quality:g}": Advice(quality) for quality in QUALITIES},
    NONE: Advice(1.0, 0.0),
    USELESS_GOOD: Advice(1.0, 1.0, "told"),
    USELESS_BAD: Advice(0.0, 1.0, "told"),
}
GOOD, BAD, MIXED = (f"right with chance {quality:g}" for quality in (1.0, 0.0, 0.5))


class Played(NamedTuple):
    """One match.

    Attributes:
        cell: under what.
        legal: whether a legal answer came.
        metrics: the world's measures.
    """

    cell: str
    legal: bool
    metrics: Mapping[str, float]

    @property
    def obeyed(self) -> bool:
        """The advice was followed on every card."""
        return self.metrics.get("followed") == 1.0

    @property
    def right(self) -> bool:
        """All four cards are right."""
        return self.metrics["exact"] == 1.0

    @property
    def leaning(self) -> float | None:
        """How much more of the right than of the wrong parts was followed; None without both."""
        sides = [self.metrics.get(f"followed_{side}") for side in ("sound", "unsound")]
        return None if sides[0] is None or sides[1] is None else sides[0] - sides[1]


@dataclass(frozen=True)
class Collaboration:
    """The study's parameters, and the study."""

    repeats: int = field(
        default=20, metadata={"doc": "matches under each condition", "range": [1, 10_000]}
    )

    def __post_init__(self) -> None:
        if type(self.repeats) is not int or not 1 <= self.repeats <= 10_000:
            raise UsageError(
                f"collaboration: repeats={self.repeats!r} must be a whole number from 1 to 10000"
            )

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        run = bench.play(
            "collaboration",
            worlds=[_cell(name, advice) for name, advice in CELLS.items()],
            schedule={"kind": "round_robin", "self_play": False, "repeats": self.repeats},
        )
        played = [
            Played(row.cell, not any(row.seats[0].faults.values()), row.metrics) for row in run.rows
        ]
        return bench.findings(
            "collaboration",
            self,
            matches=len(played),
            sentences=_sentences(played),
            tables=[_by_advice(played), _told(played), _parts(played)],
            curves=[_curve(played)],
        )


def _cell(name: str, advice: Advice) -> dict[str, Any]:
    return {
        "id": "advised-v0",
        "name": name,
        "params": {
            "world": "wason_cards-v0",
            "params": TASK,
            "quality": advice.quality,
            "chance": advice.chance,
            "counterfactual": advice.told,
        },
    }


def _of(played: Iterable[Played], cell: str) -> list[Played]:
    """The matches under a condition in which there was a legal answer."""
    return [it for it in played if it.cell == cell and it.legal]


def _obeys(played: Iterable[Played], cell: str) -> Rate:
    return Rate.of(it.obeyed for it in _of(played, cell))


def _right(played: Iterable[Played], cell: str) -> Rate:
    return Rate.of(it.right for it in _of(played, cell))


def _by_advice(played: Sequence[Played]) -> Table:
    rows: list[Sequence[Any]] = []
    for cell, advice in CELLS.items():
        followed = None if advice.chance == 0 else _obeys(played, cell)
        legal = Rate.of(it.legal for it in played if it.cell == cell)
        rows.append((cell, _right(played, cell), followed, legal, legal.cases))
    return Table(
        "Selections, by the advice",
        ("advice", "right in all four", "followed in all four", "legal answers", "cases"),
        rows,
        "Exact 95 % intervals; one case a match. Of all 16 selections one is right.",
    )


def _told(played: Sequence[Played]) -> Table:
    rows: list[Sequence[Any]] = []
    for name, cell, told in (("right", GOOD, USELESS_GOOD), ("wrong", BAD, USELESS_BAD)):
        one, two = _obeys(played, cell), _obeys(played, told)
        rows.append((f"{name} advice", one, two, _gap(one, two), fisher(one, two)))
    return Table(
        "Told that advice is useless",
        ("followed in all four", "not told", "told useless", "difference", "Fisher's p"),
        rows,
        "An agent that minds the sentence follows less when told; one that judges advice on its "
        "merits is moved little by it where the advice is right.",
    )


def _parts(played: Sequence[Played]) -> Table:
    leanings = [it.leaning for it in _of(played, MIXED)]
    known = [it for it in leanings if it is not None and it != 0]
    towards = Rate.of(it > 0 for it in known)
    return Table(
        "Half right, half wrong",
        ("measure", "share", "cases", "sign test's p"),
        [
            (
                "followed the right parts more than the wrong",
                towards,
                towards.cases,
                sign_test(towards),
            )
        ],
        "Advice right with chance 1/2, card by card; matches that followed both alike, or had "
        "parts of one kind only, are left out.",
    )


def _curve(played: Sequence[Played]) -> Curves:
    cells = [f"right with chance {quality:g}" for quality in QUALITIES]
    return Curves(
        "Right selections by the partner's quality",
        "chance of each part of the advice being right: 0, 1/4, 1/2, 3/4, 1",
        {
            "advised": [_right(played, cell) for cell in cells],
            "no advice": [_right(played, NONE) for _ in cells],
            "followed in all four": [_obeys(played, cell) for cell in cells],
        },
        "Who obeys rises with the partner's quality; who knows and judges stays above.",
    )


def sign_test(rate: Rate) -> float | None:
    """How likely a share so far from one half is by chance, exactly (p); None without cases."""
    if not rate.cases:
        return None
    from scipy.stats import binomtest

    return float(binomtest(rate.hits, rate.cases).pvalue)


def _gap(one: Rate, two: Rate) -> str:
    gap = difference(one, two)
    return "–" if gap is None else f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]"


def _sentences(played: Sequence[Played]) -> list[str]:
    good, bad = _obeys(played, GOOD), _obeys(played, BAD)
    p = fisher(good, bad)
    if p is None:
        verdict = "there was no legal answer to compare"
    elif p >= SIGNIFICANT:
        verdict = f"it is not shown to tell them apart (p = {p:.2g})"
    elif (good.share or 0) > (bad.share or 0):
        verdict = f"it tells them apart (p = {p:.2g})"
    else:
        verdict = f"it prefers bad advice (p = {p:.2g})"
    said = [
        f"Follows wholly right advice in {good.said}, wholly wrong in {bad.said}: {verdict}. "
        f"Discernment {_gap(good, bad)} (from -1 to 1)."
    ]
    alone, advised = _right(played, NONE), _right(played, GOOD)
    p = fisher(advised, alone)
    helps = "no help is shown" if p is None or p >= SIGNIFICANT else "advice moves it"
    said.append(
        f"Right in {alone.said} without advice, in {advised.said} with right advice, in "
        f"{_right(played, BAD).said} with wrong advice: {helps}."
    )
    told, plain = _obeys(played, USELESS_GOOD), good
    p = fisher(plain, told)
    if p is not None and p < SIGNIFICANT:
        said.append(
            f"Told that advice is useless, it follows right advice in {told.said}: the sentence "
            f"moves it (p = {p:.2g})."
        )
    return said
