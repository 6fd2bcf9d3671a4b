"""The course of a discussion: answers alone, talk in turns, answers again; and its books.

Every world of this family is a set of questions with a truth. Participants may first answer alone,
then speak in turns, then answer a last time, unseen; the group's answer is made of the last ones.
What each says is a row of stances (:mod:`.questions`) beside words; the :class:`~.ledger.Ledger`
keeps what each holds and what is common ground. Where there is a judge, the judge reads the words:
its reading replaces the speaker's own stances.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import NOTHING, Action

from ..limits import choice, whole
from ..world import RuleWorld
from .ledger import Ledger, Props
from .measures import METRICS, measures, tables
from .questions import SILENT, Codes, Questions
from .talk import CHARACTERS, MAX_SAY
from .words import ROLES, DiscussionWords

SOLO, TALK, ANSWER = range(3)
PHASES = ("alone", "talk", "answer")
JUDGE = "judge"
MOST = 8


@dataclass(frozen=True)
class DiscussionParams:
    """What every discussion can be set to."""

    participants: int = field(default=4, metadata={"doc": "how many take part", "range": [1, MOST]})
    rounds: int = field(
        default=2, metadata={"doc": "turns of talk for each participant", "range": [0, 50]}
    )
    solo: bool = field(default=True, metadata={"doc": "each answers alone before the talk"})
    judge: bool = field(
        default=False, metadata={"doc": "a seat that reads what is said, never rated"}
    )
    roles: tuple[str, ...] = field(
        default=(), metadata={"doc": "a role for each participant", "choices": tuple(ROLES)}
    )

    def __post_init__(self) -> None:
        where = self.where
        whole(where, "participants", self.participants, 1, MOST)
        whole(where, "rounds", self.rounds, 0, 50)
        for name in ("solo", "judge"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"{where}: {name} must be true or false")
        roles = tuple(self.roles)
        if roles:
            for role in roles:
                choice(where, "roles", role, tuple(ROLES))
            whole(where, "number of roles", len(roles), self.participants, self.participants)
        object.__setattr__(self, "roles", roles)

    where: ClassVar[str] = "discussion"


class Discussion(DiscussionWords, RuleWorld):
    """Base of the worlds of common ground.

    A world supplies ``questions``, ``_deal`` (the truth, and who has seen what), ``_scene`` and its
    space (what everybody sees), ``grade`` and ``group`` (the group's answer from the last ones).
    """

    turn_based: ClassVar[bool] = True
    kind = "cooperative"
    fault_rule = (
        "A turn without a legal answer is silence: nothing is said, no stance is taken, and an "
        "answer that is due stays open."
    )
    metric_names: tuple[str, ...] = METRICS
    return_range = (0.0, 1.0)
    params: DiscussionParams
    questions: Questions

    def _convene(self, questions: Questions) -> None:
        """Seat everybody; called at the end of a world's ``__init__``."""
        p, self.questions = self.params, questions
        self.members = tuple(f"player_{index}" for index in range(p.participants))
        count = p.participants
        self.schedule = (
            *([SOLO] * count if p.solo else []),
            *([TALK] * (p.rounds * count)),
            *([ANSWER] * count),
        )
        self.horizon = len(self.schedule) + (p.rounds * count if p.judge else 0)
        seen, action = self._member_space(), self._action_space()
        observation_spaces: dict[str, Any] = dict.fromkeys(self.members, seen)
        action_spaces: dict[str, Any] = dict.fromkeys(self.members, action)
        if p.judge:
            said = {"speaker": spaces.Discrete(count), "words": _text()}
            observation_spaces[JUDGE] = spaces.Dict({**said, **self._scene_space()})
            action_spaces[JUDGE] = action
        roles = dict.fromkeys(self.members, "participant") | {JUDGE: JUDGE}
        teams = dict.fromkeys(self.members, "group") if self.kind == "cooperative" else {}
        self._ledger: Ledger | None = None
        self._seat_all(
            list(observation_spaces), observation_spaces, action_spaces, roles=roles, teams=teams
        )

    def _member_space(self) -> spaces.Dict:
        count, sizes = self.params.participants, self.questions.sizes
        return spaces.Dict(
            {
                "phase": spaces.Discrete(3),
                "left": spaces.Box(0.0, 1.0, (1,), np.float32),
                "stances": spaces.MultiDiscrete(np.tile(sizes, count)),
                "speaker": spaces.Discrete(count + 1),
                "latest": spaces.MultiDiscrete(sizes),
                "heard": spaces.Tuple([_text() for _ in range(count)]),
                **self._scene_space(),
            }
        )

    def _action_space(self) -> spaces.Dict:
        stances = spaces.MultiDiscrete(self.questions.sizes)
        return spaces.Dict({"stances": stances, "say": _text(), **self._more_space()})

    # What a world supplies.

    @abstractmethod
    def _deal(self, rng: np.random.Generator) -> Props:
        """Draw a problem; returns the truth, bool ``[P]``."""

    def _brief(self, ledger: Ledger) -> None:
        """Let participants see what they see before the match."""

    def _scene_space(self) -> dict[str, spaces.Space[Any]]:
        """Spaces of what everybody sees."""
        return {}

    def _scene(self, member: int | None) -> dict[str, Any]:
        """What a participant (None: the judge) sees besides the talk."""
        return {}

    def _more_space(self) -> dict[str, spaces.Space[Any]]:
        """Spaces of what can be done besides talking."""
        return {}

    def _move(self, member: int, action: Action) -> None:
        """Do what an action does besides talking."""

    @abstractmethod
    def answer_of(self, codes: Codes) -> Any:
        """The answer that a row of codes amounts to; hashable, and None for none."""

    @abstractmethod
    def grade(self, answer: Any) -> float:
        """What an answer is worth, from 0 to 1; an answer of None is worth what silence is."""

    @abstractmethod
    def group(self, finals: Sequence[Codes]) -> Any:
        """The group's answer, made of its members' last ones."""

    def _given(self, codes: Codes) -> Codes:
        """An answer as it counts, where leaving something out says something."""
        return codes

    def reward(self, answer: Any) -> float:
        """What everybody earns by the group's answer."""
        return self.grade(answer)

    def _shares(self) -> dict[str, float]:
        """What each seat earns at the end."""
        return dict.fromkeys(self.possible_seats, self._earned)

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        p, width = self.params, len(self.questions.items)
        self._first = 0
        truth = self._deal(rng)
        self._ledger = Ledger(self.questions.vocabulary, p.participants, truth)
        self._brief(self._ledger)
        self._clock, self._spoken = 0, 0
        self._words = [""] * p.participants
        self._last_speaker = -1
        self._latest = np.zeros((p.participants, width), np.int64)
        self._solos: list[Codes | None] = [None] * p.participants
        self._finals: list[Codes | None] = [None] * p.participants
        self._courses: list[list[Any]] = [[] for _ in range(p.participants)]
        self._awaiting: tuple[int, Codes] | None = None
        self._earned = 0.0

    @property
    def ledger(self) -> Ledger:
        """The books of the match that is being played."""
        assert self._ledger is not None
        return self._ledger

    @property
    def phase(self) -> int:
        """Which phase the next turn belongs to."""
        return self.schedule[min(self._clock, len(self.schedule) - 1)]

    def _member(self) -> int:
        return (self._first + self._clock) % self.params.participants

    def _actors(self) -> tuple[str, ...]:
        return (JUDGE,) if self._awaiting is not None else (self.members[self._member()],)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        ((seat, action),) = actions.items()
        rewards = dict.fromkeys(self.possible_seats, 0.0)
        if seat == JUDGE:
            assert self._awaiting is not None
            member, codes = self._awaiting
            self._awaiting = None
            self._book(member, codes if action is None else _row(action))
        else:
            member = self._member()
            codes = (
                np.zeros(len(self.questions.items), np.int64) if action is None else _row(action)
            )
            if self.phase == TALK:
                self._words[member] = "" if action is None else str(action["say"])
                if action is not None:
                    self._move(member, action)
                if self.params.judge and self._words[member]:
                    self._awaiting = (member, codes)
                    return rewards
            self._book(member, codes)
        if self._clock == len(self.schedule):
            self.ledger.close()
            self._earned = self.reward(
                self.group([self._final(i) for i in range(len(self.members))])
            )
            rewards = self._shares()
        return rewards

    def _book(self, member: int, codes: Codes) -> None:
        """Enter what a member answered or said; the next turn begins."""
        if self.phase == TALK:
            claims, doubts = self.questions.claims(codes)
            self.ledger.speak(self._spoken, member, claims, doubts)
            self._spoken += 1
            self._latest[member] = codes
            self._last_speaker = member
            if codes.any():
                held = self.questions.codes(self.ledger.held[member])
                self._courses[member].append(self.answer_of(held))
        else:
            codes = self._given(codes)
            given = self._solos if self.phase == SOLO else self._finals
            given[member] = codes
            if self.phase == SOLO:
                self.ledger.hold(member, self.questions.claims(codes)[0])
            self._courses[member].append(self.answer_of(codes))
        self._clock += 1

    def _final(self, member: int) -> Codes:
        found = self._finals[member]
        return np.zeros(len(self.questions.items), np.int64) if found is None else found

    def good_action(self, seat: str) -> Action:
        """The best a seat can do by the truth: what a perfect adviser suggests."""
        codes = self.questions.codes(self.ledger.truth)
        mask = self._open_codes()
        allowed = np.array([bool(row[code]) for row, code in zip(mask, codes, strict=True)])
        return {"stances": np.where(allowed, codes, SILENT), "say": "", **self._no_move()}

    def as_counted(self, seat: str, action: Action) -> Action:
        """An action as it will count: in answers, what is left out may say something."""
        if self.phase == TALK or seat == JUDGE:
            return action
        return {**action, "stances": self._given(_row(action))}

    def advice_mask(self, seat: str) -> Any:
        """What advice can say, right or wrong: an answer to each question that is open."""
        rows = self._open_codes()
        for row in rows:
            if row[1:-1].any():
                row[0] = row[-1] = 0
        return {"stances": tuple(rows), "say": None, **dict.fromkeys(self._more_space())}

    def _no_move(self) -> dict[str, Any]:
        return {}

    def _open_codes(self) -> list[np.ndarray[Any, np.dtype[np.int8]]]:
        """What can be said now: int8 ``[K + 2]`` for each question."""
        talk = self.phase == TALK
        return [self._open_answers(q, talk=talk) for q in range(len(self.questions.items))]

    def _open_answers(self, question: int, *, talk: bool) -> np.ndarray[Any, np.dtype[np.int8]]:
        """The codes of a question that are open; an answer that is due leaves no doubt."""
        row = np.ones(self.questions.sizes[question], np.int8)
        row[-1] = talk
        return row

    def _mask(self, seat: str) -> Any:
        more: dict[str, Any] = {key: None for key in self._more_space()}
        return {"stances": tuple(self._open_codes()), "say": None, **more}

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat)}

    def _observe(self, seat: str) -> dict[str, Any]:
        if seat == JUDGE:
            speaker = (
                self._awaiting[0] if self._awaiting is not None else max(self._last_speaker, 0)
            )
            said = {"speaker": speaker, "words": self._words[speaker]}
            return {**said, **self._scene(None)}
        me, count = self.members.index(seat), self.params.participants
        around = [(me + step) % count for step in range(count)]
        questions, ledger = self.questions, self.ledger
        books = [ledger.held[me], *(ledger.public[other] for other in around[1:])]
        speaker = self._last_speaker
        heard = speaker not in (-1, me)
        left = 1 - self._clock / len(self.schedule)
        return {
            "phase": self.phase,
            "left": np.array([left], np.float32),
            "stances": np.concatenate([questions.codes(book) for book in books]),
            "speaker": around.index(speaker) + 1 if heard else 0,
            "latest": self._latest[speaker].copy() if heard else np.zeros_like(self._latest[me]),
            "heard": tuple(self._words[other] for other in around),
            **self._scene(me),
        }

    def _ended(self) -> tuple[bool, bool, str]:
        if self._clock < len(self.schedule):
            return False, False, ""
        return True, False, f"the group answered; that is worth {self._earned:.3g}"

    def _state(self) -> bytes:
        plain = (self._clock, self._first, self._words, self._awaiting, self._earned)
        rows = [self._latest.tobytes(), repr((self._solos, self._finals, plain)).encode()]
        return b"".join([*rows, self.ledger.state(), repr(self._scene(None)).encode()])

    def _metrics(self) -> dict[str, float]:
        return measures(self)

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        return tables(self)

    def render(self) -> str:
        """The talk so far for a spectator, and what is common ground."""
        if self._ledger is None:
            return super().render()
        names, ledger = self.proposition_names(), self.ledger
        lines = [f"Turn {self._clock} of {len(self.schedule)}: {PHASES[self.phase]}."]
        for member, seat in enumerate(self.members):
            held = "; ".join(names[p] for p in np.flatnonzero(ledger.held[member]))
            lines.append(f"[{seat}] holds: {held or 'nothing'}")
            if self._words[member]:
                lines.append(f"    {self._words[member]}")
        common = "; ".join(names[p] for p in np.flatnonzero(ledger.common))
        return "\n".join([*lines, f"Common ground: {common or 'nothing'}"])

    @property
    def solos(self) -> list[Codes | None]:
        """What each answered alone."""
        return self._solos

    @property
    def finals(self) -> list[Codes]:
        """What each answered last."""
        return [self._final(member) for member in range(len(self.members))]

    @property
    def courses(self) -> list[list[Any]]:
        """Each member's answers as they changed: alone, after each utterance, last."""
        return self._courses

    @property
    def earned(self) -> float:
        """What the group's answer earned."""
        return self._earned


def _row(action: Action) -> Codes:
    return np.asarray(action["stances"], np.int64)


def _text() -> spaces.Text:
    return spaces.Text(MAX_SAY, min_length=0, charset=CHARACTERS)


__all__ = ["ANSWER", "JUDGE", "NOTHING", "PHASES", "ROLES", "SOLO", "TALK", "Discussion"]
