"""What a finished discussion is measured by, and its tables turn by turn.

The counts are those of Nath and Krishnaswamy (NeurIPS 2025) and their code: common ground and its
growth, gain in common ground (kinds of answers discussed less kinds answered alone), performance
gain, transitions (three answers of one participant in a row: all different, stuck, or there and
back).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .discussion import Discussion

METRICS = (
    "score",
    "solo_score",
    "gain",
    "common_ground",
    "ground_true",
    "ground_false",
    "ground_ever",
    "agreement",
    "solo_types",
    "talk_types",
    "cg_gain",
    "unique",
    "stuck",
    "circular",
    "helpful",
    "harmful",
    "adopted",
    "effect",
    "unfounded",
    "reversals",
)
"""Of every discussion. ``score``: of the group's answer. ``solo_score``: mean of the answers alone.
``gain``: the former less the latter. ``common_ground``: propositions that are common ground at the
end and true, of all true ones. ``ground_true``, ``ground_false``, ``ground_ever``: how many, at the
end and at any time. ``agreement``: how many hold the commonest answer to a question.
``solo_types``, ``talk_types``, ``cg_gain``: kinds of answers, alone, in the talk, and the
difference. ``unique``,
``stuck``, ``circular``: transitions. ``helpful``, ``harmful``: utterances that claim more truths
than errors, and the other way round. ``adopted``, ``effect``, ``unfounded``, ``reversals``: as in
:class:`~.ledger.Utterance`, summed."""


def measures(world: Discussion) -> dict[str, float]:
    """All METRICS that exist for this match."""
    ledger = world.ledger
    score = world.grade(world.group(world.finals))
    common, truth = ledger.common, ledger.truth
    found = {
        "score": score,
        "common_ground": float((common & truth).sum() / max(int(truth.sum()), 1)),
        "ground_true": float((common & truth).sum()),
        "ground_false": float((common & ~truth).sum()),
        "ground_ever": float(ledger.ever.sum()),
        "agreement": agreement([world.questions.codes(row) for row in ledger.held]),
        "helpful": float(sum(it.helpful > 0 for it in ledger.utterances)),
        "harmful": float(sum(it.helpful < 0 for it in ledger.utterances)),
    }
    for name in ("adopted", "effect", "unfounded", "reversals"):
        found[name] = float(sum(getattr(it, name) for it in ledger.utterances))
    started = [world.answer_of(codes) for codes in world.solos if codes is not None]
    if started:
        alone = float(np.mean([world.grade(answer) for answer in started]))
        found |= {"solo_score": alone, "gain": score - alone}
    solo, talk = len(set(started) - {None}), len(discussed(world))
    found |= {"solo_types": float(solo), "talk_types": float(talk), "cg_gain": float(talk - solo)}
    return found | transitions(world.courses)


def discussed(world: Discussion) -> set[Any]:
    """The kinds of answers that somebody stood for during the talk."""
    spoken = [
        course[1 if alone is not None else 0 : -1]
        for course, alone in zip(world.courses, world.solos, strict=True)
    ]
    return {answer for course in spoken for answer in course} - {None}


def agreement(rows: Sequence[Any]) -> float:
    """Holders of each question's commonest answer, where two or more answer, of all there could be.

    Args:
        rows: a row of codes ``[Q]`` for each participant, 0 for no answer.
    """
    codes = np.array(rows)
    total = 0
    for column in codes.T:
        answers = column[column > 0]
        if len(answers) > 1:
            total += int(np.bincount(answers).max())
    return total / codes.size


def transitions(courses: Iterable[Sequence[Any]]) -> dict[str, float]:
    """How often three answers in a row are all different, all the same, or there and back."""
    counts = dict.fromkeys(("unique", "stuck", "circular"), 0.0)
    for course in courses:
        for a, b, c in zip(course, course[1:], course[2:], strict=False):
            if a == b == c:
                counts["stuck"] += 1
            elif a == c:
                counts["circular"] += 1
            elif a != b and b != c:
                counts["unique"] += 1
    return counts


def tables(world: Discussion) -> Mapping[str, Mapping[str, Sequence[Any]]]:
    """What each utterance was worth (``interventions``) and how ``common_ground`` grew.

    ``turns`` tells the same step by step, for reports; a judge has steps of its own, so not there.
    """
    ledger, names = world.ledger, world.proposition_names()
    said = ledger.utterances
    fields = ("true", "false", "unfounded", "contradictions", "reversals", "adopted", "effect")
    grown: list[str] = []
    before = np.zeros(len(names), bool)
    for ground in ledger.ground:
        new, gone = ground & ~before, before & ~ground
        told = [names[p] for p in np.flatnonzero(new)]
        grown.append("; ".join(told + [f"no longer: {names[p]}" for p in np.flatnonzero(gone)]))
        before = ground
    steps = {} if world.params.judge else {"turns": {"new_common_ground": _by_step(world, grown)}}
    return steps | {
        "interventions": {
            "turn": [it.turn for it in said],
            "seat": [world.members[it.speaker] for it in said],
            **{name: [getattr(it, name) for it in said] for name in fields},
            "helpful": [it.helpful for it in said],
        },
        "common_ground": {
            "turn": [it.turn for it in said],
            "size": [int(ground.sum()) for ground in ledger.ground],
            "true": [int((ground & ledger.truth).sum()) for ground in ledger.ground],
            "new": grown,
        },
    }


def _by_step(world: Discussion, told: Sequence[str]) -> list[str]:
    """What is told of each utterance, in a row for each step of the match."""
    apart = [""] * len(world.members)
    return [*(apart if world.params.solo else []), *told, *apart]
