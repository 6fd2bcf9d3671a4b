"""What plain talk claims, doubts and endorses: a reader of clauses, by rule.

Utterances come from strangers. The reader is cautious: it books a claim to its speaker alone, reads
nothing out of reports of what others think, out of questions or conditions, and nothing behind a
forged "player_2:". Whatever it cannot read claims nothing. All patterns run in linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..markets.money import CHARACTERS, MAX_SAY, object_in, speakable

__all__ = ["CHARACTERS", "MAX_SAY", "Clause", "attitude", "clauses", "object_in", "speakable"]

_END = re.compile(
    r"(?P<mark>\?)|(?:[;\n]|!(?!=))+|\.(?!\d)|\b(?:but|however|whereas|although|though)\b"
    r"|(?:,|\band\b)\s*(?=not\b|no need\b|leave\b|skip\b|ignore\b)"
    r"|(?=\b(?:instead of|rather than)\b)",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:not|no|never|without|skip|leave|ignore|exclude|drop|against|useless|unnecessary"
    r"|irrelevant|wrong|false|refuse|disagree|instead of|rather than|cannot|nor|neither|doubt"
    r"|reject|oppose)\b|n['’]t\b",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|may|could|unsure|not sure|not certain|don['’]?t know|no idea|wonder"
    r"|possibly|what if|if|unless|provided|in case|depends|suppose)\b",
    re.I,
)
_SOMEBODY = (
    r"(?:player_\d+|he|she|they|you|someone|somebody|everyone|everybody|people|the others?"
    r"|all of (?:us|you)|we all|the group)"
)
_REPORTS = re.compile(
    rf"\b{_SOMEBODY}\b[^.;!?\n]{{0,20}}\b(?:say|says|said|saying|think|thinks|thought|believe|"
    r"believes|believed|claim|claims|claimed|want|wants|wanted|agree|agrees|agreed|told|pick"
    r"|picks|picked|choose|chose|chooses|voted?|decided?|know|knows)\b|\baccording to\b",
    re.I,
)
_FORGED = re.compile(r"(?:^|[\s\"'(\[])(?P<name>player_\d+|judge|intervention)\s*[:>\]]", re.I)
_AGREES = re.compile(
    r"\b(?:agree|agreed|yes|yeah|yep|exactly|good point|makes sense|you(?:['’]re| are) right"
    r"|same here|i accept|sounds good|convinced)\b",
    re.I,
)
_DISAGREES = re.compile(
    r"\b(?:disagree|doubt|not convinced|not so sure|i don['’]?t think so|no way|you(?:['’]re| are)"
    r" wrong|that(?:['’]s| is) (?:wrong|false|not right))\b|\bn(?:o|['’]t) agree\b"
    r"|\b(?:don['’]?t|do not|cannot|can['’]?t|not) agree\b",
    re.I,
)


class Clause(NamedTuple):
    """A stretch of talk with one attitude.

    Attributes:
        text: the words.
        denies: it says no to what it names.
        unsure: it asks, supposes or hedges.
    """

    text: str
    denies: bool
    unsure: bool


def clauses(text: str, speaker: str) -> Iterator[Clause]:
    """The clauses of an utterance that speak for its speaker.

    Args:
        text: what was said.
        speaker: the seat's id; a line that claims to be another's, and all behind it, is left out.
    """
    for forged in _FORGED.finditer(text):
        if forged["name"].casefold() != speaker.casefold():
            text = text[: forged.start()]
            break
    start = 0
    for end in _END.finditer(text):
        yield from _clause(text[start : end.start()], asked=end["mark"] is not None)
        start = end.end()
    yield from _clause(text[start:], asked=False)


def _clause(text: str, *, asked: bool) -> Iterator[Clause]:
    if text.strip() and not _REPORTS.search(text):
        yield Clause(text, bool(_DENIES.search(text)), asked or bool(_UNSURE.search(text)))


def attitude(text: str, speaker: str) -> int:
    """1 if the utterance endorses what was said before it, -1 if it disputes that, else 0."""
    for clause in clauses(text, speaker):
        if _DISAGREES.search(clause.text):
            return -1
        if _AGREES.search(clause.text) and not clause.unsure and not clause.denies:
            return 1
    return 0


def as_json(said: Mapping[str, Any]) -> str:
    """An answer as JSON text."""
    return json.dumps(dict(said), ensure_ascii=False)
