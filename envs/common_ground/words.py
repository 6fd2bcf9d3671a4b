"""The words of a discussion: what a participant is told, and what its answers claim.

An answer is JSON (``{"claims": ["turn A"], "unsure": [], "say": "…"}``) or plain talk, which is
read clause by clause (:mod:`.talk`) and heard by the others as it stands. All functions depend on
seat, observation and parameters alone.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import IllegalAction
from gymposium.types import Action

from .. import speech
from .questions import SILENT, Codes, Questions
from .talk import MAX_SAY, as_json, attitude, clauses, object_in, speakable

if TYPE_CHECKING:
    from .discussion import DiscussionParams

_TALK = 1

_MOST = 100  # entries of a list in an answer that are looked at
ROLES = {
    "member": "",
    "solver": "You work the problem out and say what follows.",
    "sceptic": "You question what is said without a reason.",
    "moderator": "You see to it that everybody is heard and that the group settles.",
    "follower": "You go along with a good reason when you hear one.",
}
"""Roles that participants can be given, and what each is told about it."""


class DiscussionWords(ABC):
    """The text side of :class:`~.discussion.Discussion`; a world adds its own names and reader."""

    params: DiscussionParams
    questions: Questions
    members: tuple[str, ...]
    _action_spaces: Mapping[str, Any]

    # What a world supplies.

    @abstractmethod
    def task(self, seat: str) -> str:
        """What the group has to find out, in words."""

    @abstractmethod
    def due(self) -> str:
        """What an answer has to name, for rules and refusals."""

    def earns(self) -> str:
        """What the group's answer brings whom."""
        return "All of you earn what the group's answer is worth, from 0 to 1."

    def scene(self, observation: Any) -> list[str]:
        """Lines on what is seen."""
        return []

    def local(self, sentence: str, observation: Any) -> str:
        """A proposition's name as it is said in this match."""
        return sentence

    @abstractmethod
    def mentions(self, text: str, observation: Any) -> Iterator[tuple[int, int]]:
        """(question, code) of whatever a clause would claim, were it to affirm it."""

    def denied(self, question: int, code: int) -> int:
        """The code of denying an answer; "unsure" where that says nothing else."""
        return int(self.questions.sizes[question]) - 1

    def read_more(self, found: Mapping[str, Any], text: str) -> dict[str, Any]:
        """What an answer does besides talking: of JSON ``found``, or of plain ``text``."""
        return {}

    def say_more(self, action: Action) -> dict[str, Any]:
        """The JSON of what an action does besides talking."""
        return {}

    def schema_more(self) -> dict[str, Any]:
        """The schema of that JSON, by key."""
        return {}

    def proposition_names(self) -> tuple[str, ...]:
        """Every proposition's name in the match that is being played."""
        return self.questions.vocabulary.names

    # What a seat is told.

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to play."""
        p = self.params
        example = as_json({"claims": [self.example(), "…"], "say": "Because …"})
        how = f"Answer with JSON like {example}, or in plain words (at most {MAX_SAY} characters)."
        if seat == "judge":
            return (
                f"{self.task(seat)}\nYou are the judge: you take no part. You are shown what a "
                "participant said; say which claims it makes for itself. Reports of what others "
                'think, questions and conditions are no claims; what it takes back is "unsure". '
                f"{how}"
            )
        others = ", ".join(name for name in self.members if name != seat) or "nobody else"
        course = [f"each speaks {p.rounds} times, in turns" if p.rounds else "nobody speaks"]
        if p.solo:
            course.insert(0, "each answers alone")
        course.append(f"each answers a last time, unseen ({self.due()})")
        told = [self.task(seat), f"You are {seat}; with you: {others}.", _role(p, seat)]
        told += [
            f"The course: {'; then '.join(course)}.",
            self.earns(),
            "What you say counts as your claim; only your own words do. You can take a claim back.",
            how,
        ]
        return "\n".join(line for line in told if line)

    def example(self) -> str:
        """A claim to show the form of an answer with."""
        return self.questions.vocabulary.names[0]

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The observation as ``seat`` is told it."""
        if seat == "judge":
            name, said = self.members[int(observation["speaker"])], str(observation["words"])
            return "\n".join([*self.scene(observation), f"{name} says: {json.dumps(said)}"])
        phase, (own, *others) = int(observation["phase"]), self._rows(observation)
        now = ("Answer alone", "The talk", "Your last answer, unseen")[phase]
        told = [f"{now}. {round(float(observation['left'][0]), 3):.0%} of the time is left."]
        told += self.scene(observation)
        told.append(f"You hold: {self._listed(own, observation) or 'nothing yet'}.")
        me = self.members.index(seat)
        latest = int(observation["speaker"])
        for step, row in enumerate(others, 1):
            name = self.members[(me + step) % len(self.members)]
            words, claimed = str(observation["heard"][step]), self._listed(row, observation)
            if words or claimed:
                said = f" said: {json.dumps(words, ensure_ascii=False)}" if words else ""
                claims = f" (has claimed: {claimed})" if claimed else ""
                told.append(f"{name}{said}{claims}" + (" <- last" if step + 1 == latest else ""))
        if phase != _TALK:
            told.append(f"Answer now: {self.due()}.")
        return "\n".join(told)

    def _rows(self, observation: Any) -> Codes:
        width = len(self.questions.items)
        return np.asarray(observation["stances"]).reshape(-1, width)

    def _listed(self, row: Codes, observation: Any) -> str:
        named = [
            self.local(self.questions.sentence(q, int(code)), observation)
            for q, code in enumerate(row)
            if SILENT < code < self.questions.sizes[q] - 1
        ]
        return "; ".join(named)

    # What a seat can answer.

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """JSON Schema of the answers that are legal now."""
        open_now = (info.get("action_mask") or {}).get("stances")
        names, doubts = [], []
        for q, item in enumerate(self.questions.items):
            row = np.ones(len(item.answers) + 2) if open_now is None else open_now[q]
            names += [
                self.local(answer, observation)
                for code, answer in enumerate(item.answers, 1)
                if row[code]
            ]
            doubts += [self.local(item.name, observation)] * bool(row[-1])
        properties: dict[str, Any] = {
            "claims": {"type": "array", "items": {"enum": names}, "maxItems": _MOST}
        }
        if doubts:
            properties["unsure"] = {"type": "array", "items": {"enum": doubts}, "maxItems": _MOST}
        properties["say"] = {"type": "string", "maxLength": MAX_SAY}
        return {
            "type": "object",
            "properties": {**properties, **self.schema_more()},
            "required": ["claims"],
            "additionalProperties": False,
        }

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The stances that ``text`` takes, and what the others hear of it.

        Raises:
            IllegalAction: it is empty, names a claim that there is not, or an answer is due and
                none can be read.
        """
        found = object_in(text)
        if found is not None:
            known = {"claims", "unsure", "say", *self.schema_more()}
            if not known & {str(key) for key in found}:
                raise IllegalAction(f'the answer needs "claims": a list such as {self._shape()}')
            say = speakable(str(found.get("say") or ""))
            if "claims" in found or "unsure" in found:
                codes = self._codes(found, observation)
            else:
                codes = self.read(seat, say, observation)
            return {"stances": codes, "say": say, **self.read_more(found, "")}
        say = speakable(speech.clean(text))
        if not say:
            lost = "nothing was said" if not text.strip() else "nothing of that can be said here"
            raise IllegalAction(
                f"{lost}: say something in Latin letters, digits and signs, or answer "
                f"{self._shape()}"
            )
        codes = self.read(seat, say, observation)
        if observation is not None and observation.get("phase", _TALK) != _TALK and not codes.any():
            raise IllegalAction(f"no answer can be read in that: {self.due()}")
        return {"stances": codes, "say": say, **self.read_more({}, say)}

    def _shape(self) -> str:
        return as_json({"claims": [self.example()], "say": "…"})

    def _codes(self, found: Mapping[str, Any], observation: Any) -> Codes:
        codes = np.zeros(len(self.questions.items), np.int64)
        local = {} if observation is None else self._local_places(observation)
        for name in _texts(found.get("claims"), "claims"):
            place = self.questions.place(name) or local.get(_folded(name))
            if place is None:
                raise IllegalAction(
                    f"{name[:60]!r} is no claim there is; a claim reads like {self.example()!r}"
                )
            asked, code = place
            codes[asked] = self._both(asked, int(codes[asked]), code)
        for name in _texts(found.get("unsure"), "unsure"):
            asked = self._question(name, observation)
            codes[asked] = self.questions.sizes[asked] - 1
        return codes

    def _both(self, question: int, one: int, other: int) -> int:
        """What two stances on a question come to in one utterance.

        The more telling one if it says the other as well ("red > blue, so red != blue"), else
        unsure.
        """
        if one in (SILENT, other):
            return other
        doubt = int(self.questions.sizes[question]) - 1
        if doubt in (one, other):
            return doubt
        says, first = self.questions.vocabulary.entails, int(self.questions.first[question]) - 1
        if says[first + one, first + other]:
            return one
        return other if says[first + other, first + one] else doubt

    def _local_places(self, observation: Any) -> dict[str, tuple[int, int]]:
        return {
            _folded(self.local(answer, observation)): (q, code)
            for q, item in enumerate(self.questions.items)
            for code, answer in enumerate(item.answers, 1)
        }

    def _question(self, name: str, observation: Any) -> int:
        for q, item in enumerate(self.questions.items):
            names = {item.name}
            if observation is not None:
                names.add(self.local(item.name, observation))
            if _folded(name) in map(_folded, names):
                return q
        first = self.questions.items[0].name
        raise IllegalAction(f"{name[:60]!r} is nothing to be unsure of; say for example {first!r}")

    def format(self, seat: str, action: Action) -> str:
        """``action`` as JSON, such that ``parse`` gives it back."""
        claims, unsure = [], []
        for q, code in enumerate(np.asarray(action["stances"]).tolist()):
            if code == self.questions.sizes[q] - 1:
                unsure.append(self.questions.items[q].name)
            elif code != SILENT:
                claims.append(self.questions.sentence(q, code))
        said: dict[str, Any] = {"claims": claims}
        if unsure:
            said["unsure"] = unsure
        if action["say"]:
            said["say"] = str(action["say"])
        return as_json({**said, **self.say_more(action)})

    def format_seen(self, seat: str, action: Action, observation: Any) -> str:
        """The claims of ``action`` as they are said in this match, and its words."""
        claims = self._listed(np.asarray(action["stances"]), observation) or "no claim"
        return f"{claims} ({action['say']})" if action["say"] else claims

    def read(self, seat: str, text: str, observation: Any) -> Codes:
        """The stances that plain talk takes: a row of codes ``[Q]``.

        What one utterance both affirms and denies, it is unsure of. "I agree" endorses the latest
        claims of another, and "I doubt that" is unsure of them, where nothing else is named.
        """
        questions = self.questions
        codes = np.zeros(len(questions.items), np.int64)
        if observation is None:
            return codes
        for clause in clauses(text, seat):
            for q, code in self.mentions(clause.text, observation):
                doubt = int(questions.sizes[q]) - 1
                said = self.denied(q, code) if clause.denies else code
                said = doubt if clause.unsure else said
                codes[q] = self._both(q, int(codes[q]), said)
        if not codes.any() and "latest" in observation:
            latest, feeling = np.asarray(observation["latest"]), attitude(text, seat)
            if feeling > 0:
                codes = np.where(latest < questions.sizes - 1, latest, SILENT)
            elif feeling < 0:
                codes = np.where(latest > SILENT, questions.sizes - 1, SILENT)
        return codes.astype(np.int64)


def _role(params: DiscussionParams, seat: str) -> str:
    index = int(seat.rpartition("_")[2])
    return ROLES[params.roles[index]] if params.roles else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _texts(value: Any, key: str) -> Iterable[str]:
    """The texts in a list of an answer."""
    if value is None:
        return []
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        raise IllegalAction(f'"{key}" must be a list of texts')
    return listed[:_MOST]
