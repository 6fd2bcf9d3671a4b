"""The game master's desk: telling, asking, listening and paying, while one match is told.

A game master here is a program: a generator that uses these and yields whenever somebody must
answer. Speech reaches those present and nobody else. People without a seat are answered for by the
world's rules, in the same way as seats answer. All that happens goes into a log and into a hash, so
that two matches are the same if and only if the same things happened in them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from .facts import Clock, Person, Question, Scene, Speech

Answer: TypeAlias = str | int | None
"""What was said, or the index of the option chosen; None where no legal answer came."""
Answers: TypeAlias = dict[str, Any]
Story: TypeAlias = Generator[Mapping[str, Question], Mapping[str, Answer], None]
"""A match being told: yields what seats are asked, is sent what they answer."""
Asking: TypeAlias = Generator[Mapping[str, Question], Mapping[str, Answer], Answers]


class Tale:
    """One match, as its game master holds it.

    Args:
        rng: the match's generator.
        people: everybody, by id.
        seats: ids of those who answer for themselves.
        support: answers for those who do not: takes an id and a question.

    Attributes:
        clock: when it is now.
        scene: who is together now.
        said: every speech so far.
        log: what a spectator saw, line by line.
        moment: questions answered so far.
        earned: what everybody has been paid since it was last handed out.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        people: Mapping[str, Person],
        seats: Sequence[str],
        support: Callable[[str, Question], Answer],
    ) -> None:
        self.rng = rng
        self.people = people
        self.clock = Clock()
        self.scene = Scene("", tuple(people))
        self.said: list[Speech] = []
        self.log: list[str] = []
        self.moment = 0
        self.earned = dict.fromkeys(people, 0.0)
        self._seats = frozenset(seats)
        self._support = support
        self._news: dict[str, list[str]] = {id: [] for id in people}
        self._failing: set[str] = set()
        self._past = hashlib.blake2b(digest_size=16)

    def name(self, who: str) -> str:
        """What somebody is called; UnknownName if there is nobody with this id."""
        if who not in self.people:
            raise UnknownName("person", str(who), self.people, where="the story")
        return self.people[who].name

    def enter(self, title: str, present: Iterable[str], premise: str = "") -> None:
        """Begin a scene: who is in it hears the premise, and what is said until the next one."""
        self.scene = Scene(title, tuple(present))
        self._write(f"-- {self.clock}: {title} ({', '.join(map(self.name, self.scene.present))})")
        if premise:
            self.tell(premise)

    def tell(self, text: str, who: Iterable[str] | str | None = None) -> None:
        """Let people perceive something: one, several, or everybody in the scene."""
        audience = self._those(who)
        self._write(text if who is None else f"(to {', '.join(map(self.name, audience))}) {text}")
        for id in audience:
            self._news[id].append(text)

    def talk(self, call: str, *, who: Iterable[str] | str | None = None, rounds: int = 1) -> Story:
        """Everybody in the scene, or those named, says something in turn, ``rounds`` times over."""
        speakers = self._those(who)
        for _ in range(rounds):
            for speaker in speakers:
                answers = yield from self.ask({speaker: Question(call)})
                self.hear(speaker, answers[speaker])

    def hear(self, speaker: str, text: str) -> None:
        """Let everybody in the scene hear what somebody says; nothing said is silence."""
        others = tuple(id for id in self.scene.present if id != speaker)
        self.said.append(Speech(speaker, others, text, self.moment))
        line = f'{self.name(speaker)}: "{text}"' if text else f"{self.name(speaker)} says nothing."
        self._write(line)
        for id in others:
            self._news[id].append(line)

    def choose(
        self,
        call: str,
        options: Sequence[str],
        who: Iterable[str] | str | None = None,
        *,
        otherwise: int | None = None,
    ) -> Asking:
        """Have people choose, all at the same time.

        Args:
            call: the call to action.
            options: what can be chosen.
            who: those who choose, by default everybody in the scene.
            otherwise: the option that stands for a missing answer; None has one drawn.

        Returns:
            The index of the option that each has chosen.
        """
        question = Question(call, tuple(options), otherwise)
        return self.ask(dict.fromkeys(self._those(who), question))

    def ask(self, questions: Mapping[str, Question]) -> Asking:
        """Put questions to several people at the same time, each its own.

        A seat that gives no legal answer says nothing, or has an option drawn for it and forfeits
        what it would gain by the next payment.

        Returns:
            Everybody's answer: a text, or the index of an option.

        Raises:
            UsageError: the world answers for somebody with what is no answer.
        """
        seated = {id: it for id, it in questions.items() if id in self._seats}
        given = (yield seated) if seated else {}
        answers: Answers = {}
        for id, question in questions.items():
            answer = given[id] if id in seated else self._support(id, question)
            name, options = self.name(id), question.options
            if answer is None and options:
                self._failing.add(id)
                answer = question.otherwise
                answer = int(self.rng.integers(len(options))) if answer is None else answer
            answer = "" if answer is None else answer
            if answer not in range(len(options)) if options else not isinstance(answer, str):
                wanted = f"the index of one of {len(options)} options" if options else "a text"
                raise UsageError(f"_answer_for({id!r}) gives {answer!r:.80}; wanted is {wanted}")
            answers[id] = answer
            said = options[int(answer)] if options else answer
            self._write(f"{name} answers {said!r}", shown=bool(options))
        self.moment += 1
        return answers

    def pay(self, who: str, amount: float) -> None:
        """Pay somebody for what was decided; who failed to decide keeps losses only."""
        name = self.name(who)
        if who in self._failing:
            self._failing.discard(who)
            amount = min(0.0, amount)
        self.earned[who] += amount
        self._write(f"{name} earns {amount:g}")

    # For the world that the match is told in.

    def news(self, who: str) -> list[str]:
        """What somebody has perceived since they last answered."""
        return self._news[who]

    def answered(self, who: Iterable[str]) -> None:
        """Who answers has taken in what there was to perceive."""
        for id in who:
            self._news[id] = []

    def collect(self) -> dict[str, float]:
        """What everybody has earned since this was last called."""
        earned, self.earned = self.earned, dict.fromkeys(self.people, 0.0)
        return earned

    @property
    def past(self) -> bytes:
        """A hash of all that has happened."""
        return self._past.digest()

    def _those(self, who: Iterable[str] | str | None) -> tuple[str, ...]:
        """The people meant: by default all in the scene."""
        if who is None:
            return self.scene.present
        return (who,) if isinstance(who, str) else tuple(who)

    def _write(self, line: str, *, shown: bool = True) -> None:
        self._past.update(line.encode() + b"\n")
        if shown:
            self.log.append(line)
