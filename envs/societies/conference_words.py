"""The conference in words: rules, manuscripts on a desk, the years so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .conference_params import CHAIR, MECHANISMS

if TYPE_CHECKING:
    from .conference_params import ConferenceParams

JUDGEMENTS = (
    *(f"rate {mark}" for mark in range(1, 11)),
    "prefer the first",
    "prefer the second",
)
_HOW = {
    "ratings": "every judgement is a rating from 1 to 10",
    "pairwise": "every judgement compares two manuscripts",
    "hybrid": "first you rate manuscripts from 1 to 10, then those near the line are compared in "
    "pairs",
    CHAIR: "each year the chair decides whether you rate manuscripts, compare them in pairs, or "
    "do first the one and then the other",
}

_ONE_KIND = ("ratings", "pairwise")
_RATED = (
    "Answer with rate 1 to rate 10 where there is one manuscript: you earn 1 less a ninth for each "
    "point by which you miss the mark that its true quality deserves, which is 6.3 and 0.55 for "
    "each unit of quality, rounded."
)
_COMPARED = (
    "Answer with prefer the first or prefer the second where there are two: you earn 1 if the one "
    "you prefer is truly better."
)


def rules(params: ConferenceParams, seat: str, how_to_answer: str) -> str:
    """All that a newcomer must know."""
    p = params
    venue = (
        f"You are {seat} of a conference that is held {p.years} times. Each year {p.authors} "
        f"manuscripts from {p.institutions} institutions are submitted and {p.accepted} accepted; "
        f"{p.reviewers} reviewers make {p.load} judgements each."
    )
    if seat == CHAIR:
        return (
            f"{venue}\nEach year you choose how manuscripts are judged: by ratings (a mark from 1 "
            "to 10, the best means are accepted), pairwise (two manuscripts are compared at a "
            "time) or hybrid (half the judgements are ratings, the others compare manuscripts near "
            "the line). Reviewers read with error, differ in generosity and may like famous "
            "institutions or dislike the unusual.\nYou earn the share of the truly best "
            f"manuscripts that were accepted, from 0 to 1 a year. {how_to_answer}"
        )
    source = (
        "You do not learn where a manuscript comes from."
        if p.blind
        else "You are told how well known its institution is."
    )
    told = [_RATED, _COMPARED]
    if p.mechanism in _ONE_KIND:
        told, how_to_answer = [told[_ONE_KIND.index(p.mechanism)]], ""
    return (
        f"{venue} You are one of them; {_HOW[p.mechanism]}.\n"
        "You are told what quality you would put a manuscript at from reading it, where 0 is the "
        "average of new manuscripts and most lie between -2 and 2; your reading errs by about "
        f"{p.noise:g}. You are told how unlike the others it is. {source}\n"
        f"{' '.join(told)}\nYour aim is the highest total for yourself. {how_to_answer}".rstrip()
    )


def describe(params: ConferenceParams, seat: str, seen: Mapping[str, Any]) -> str:
    """What a seat is told."""
    year = int(seen["year"])
    if seat == CHAIR:
        return _chair(params, year, seen)
    task = int(seen["task"])
    if task == 2:
        over = year >= params.years
        return "The last year is over." if over else "Nothing lies on your desk now."
    head = f"Year {year + 1} of {params.years}, {int(seen['left'])} judgements left in this round."
    first = _manuscript(params, seen["first"])
    if task == 0:
        return f"{head}\nThe manuscript: {first}\nWhich mark do you give?"
    second = _manuscript(params, seen["second"])
    return f"{head}\nThe first: {first}\nThe second: {second}\nWhich is better?"


def _chair(params: ConferenceParams, year: int, seen: Mapping[str, Any]) -> str:
    lines = []
    if int(seen["last"]) < len(MECHANISMS):
        citations, gini = map(float, seen["figures"])
        lines.append(
            f"Last year it was judged by {MECHANISMS[int(seen['last'])]}. The accepted have a mean "
            f"log citation count of {citations:.2f}; their concentration on institutions (Gini) is "
            f"{gini:.2f}."
        )
    over = year >= params.years
    ask = f"Year {year + 1} of {params.years}. How are manuscripts to be judged?"
    return "\n".join([*lines, "The last year is over." if over else ask])


def _manuscript(params: ConferenceParams, seen: Any) -> str:
    read, novelty, prestige = map(float, seen)
    told = f"you read a quality of {read:+.2f}; it is {_grade(novelty, _UNLIKE)} ({novelty:+.1f})"
    if params.blind:
        return f"{told}."
    return f"{told}; its institution is {_grade(prestige, _KNOWN)} ({prestige:+.1f})."


_UNLIKE = ("much like others", "fairly usual", "of usual novelty", "rather unusual", "very unusual")
_KNOWN = ("unknown", "little known", "known", "well known", "famous")


def _grade(value: float, words: Sequence[str]) -> str:
    return words[sum(value > line for line in (-1.5, -0.5, 0.5, 1.5))]


def years(series: Mapping[str, Sequence[Any]]) -> list[str]:
    """A line per year."""
    return [
        f"year {year}, {mechanism}: overlap {overlap:.2f}, citations {citations:.1f}, "
        f"institutions' Gini {gini:.2f}, novelty {novelty:+.2f}, prestige {prestige:+.2f}"
        for year, mechanism, overlap, citations, gini, novelty, prestige in zip(
            *(
                series[name]
                for name in (
                    "year",
                    "mechanism",
                    "overlap",
                    "citations",
                    "gini",
                    "novelty_gap",
                    "prestige_gap",
                )
            ),
            strict=True,
        )
    ]
