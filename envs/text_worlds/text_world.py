"""A world told in words by a program: seats perceive, speak or choose, and are paid.

What a world writes is who is in it (``_cast``), the story as a generator (``_story``, see
:mod:`.tale`), and what a game is worth (``_yardsticks``); this class makes a World of it. The rules
decide everything: no model is asked, and what is said changes a payoff only where a rule says so.
A match is copied by telling it again, since a generator cannot be copied.

Observation
    A Dict. ``ask``: 0 nothing, 1 to speak, 2 to choose. ``scene``: when, where and with whom.
    ``knows``: what the seat alone knows. ``news``: what it perceived since its last turn, at most
    ``MAX_NEWS`` characters (the latest). ``call``: what it is asked. ``options``: what can be
    chosen, one a line. ``facts``: the numbers among what it was told, in the order of
    ``fact_names``; -1 stands for unknown.

Actions
    A Dict ``{say, choose}`` of which one part is open at a time: a text of at most ``letters``
    characters, or the number of an option.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import NOTHING, Action, Turn

from ..limits import choice, flag, whole
from ..markets.money import CHARACTERS
from ..replay import Course, played_again
from ..text_card import text_card
from ..world import RuleWorld
from .facts import Person, Question, words_of
from .tale import Answer, Story, Tale
from .text_words import CHOOSE, MAX_NEWS, NOTHING_ASKED, SPEAK, TextWords, latest
from .yardsticks import Yardsticks

if TYPE_CHECKING:
    from gymposium.types import Image

MAX_LINE = 600
"""Characters of a scene, of what a person knows, and of a call to action."""
MAX_OPTIONS = 1_000
DRAWN_LINES = 12
_ASKING = "write `yield from` before tale.talk, tale.choose and tale.ask"
_TEXT = frozenset(CHARACTERS) | {"\n"}


@dataclass(frozen=True, kw_only=True)
class TextWorldParams:
    """Parameters that all text worlds have."""

    talk: int = field(
        default=1,
        metadata={"doc": "times each person speaks in a conversation", "range": (0, 20)},
    )
    letters: int = field(
        default=240,
        metadata={"doc": "longest speech", "unit": "characters", "range": (1, 2000)},
    )
    supporting: str = field(
        default="rule",
        metadata={
            "doc": "who speaks for supporting people: the world's rules, or seats of their own",
            "choices": ("rule", "seat"),
        },
    )
    dense: bool = field(
        default=False,
        metadata={"doc": "pay after each decision instead of at the end"},
    )

    world: ClassVar[str] = "a text world"

    def __post_init__(self) -> None:
        whole(self.world, "talk", self.talk, 0, 20)
        whole(self.world, "letters", self.letters, 1, 2000)
        choice(self.world, "supporting", self.supporting, ("rule", "seat"))
        flag(self.world, "dense", self.dense)


class TextWorld(TextWords, RuleWorld):
    """Base of the text worlds.

    Attributes:
        params_type: the dataclass of its parameters.
        fact_names: what the numbers of ``facts`` are.
        most_options: the most options of any question.
        main: ids of the seats that are paid.
        names: the word list that people's names are drawn from.
        tale: the match being told.
    """

    params_type: ClassVar[type[TextWorldParams]] = TextWorldParams
    fact_names: ClassVar[tuple[str, ...]] = ()
    names: ClassVar[str] = "people"
    own_metrics: ClassVar[tuple[str, ...]] = ()
    most_options: int = 2
    fault_rule = (
        "A seat without a legal answer says nothing where it was to speak. Where it was to choose, "
        "an option is drawn for it, and it forfeits what it would gain by the next payment."
    )
    tale: Tale

    def __init__(self, **params: Any) -> None:
        self._given = params
        self.params: Any = self.params_type(**params)
        self._match: Course = None
        self._roles = self._cast()
        support = {} if self.params.supporting == "seat" else self._support()
        self.people = {**self._roles, **support}
        seats = tuple(self._roles)
        view, act = self._observation_space(), self._action_space()
        self._yards: Yardsticks | None = None
        self._seat_all(
            seats, dict.fromkeys(seats, view), dict.fromkeys(seats, act), roles=self._roles
        )

    # What a world writes.

    def _cast(self) -> dict[str, str]:
        """Every seat with what it is in the world, in seating order; fills ``main`` as well."""
        raise NotImplementedError

    def _support(self) -> dict[str, str]:
        """People without a seat: id and role. With ``supporting="seat"`` they are in ``_cast``."""
        return {}

    def _story(self, tale: Tale) -> Story:
        """Tell one match."""
        raise NotImplementedError

    def _yardsticks(self) -> Yardsticks:
        """What this match was worth, per main seat; asked after its end."""
        raise NotImplementedError

    def _facts(self, seat: str) -> Sequence[float]:
        """The numbers among what the seat has been told, as ``fact_names`` has them."""
        return ()

    def _answer_for(self, who: str, question: Question) -> Answer:
        """What somebody without a seat says or chooses."""
        return None

    def _measures(self) -> dict[str, float]:
        """The world's own measures of a finished match, of ``own_metrics``."""
        return {}

    # The rules, as RuleWorld asks for them.

    def _observation_space(self) -> spaces.Dict:
        line = spaces.Text(MAX_LINE, min_length=0, charset=_TEXT)
        return spaces.Dict(
            {
                "ask": spaces.Discrete(3),
                "scene": line,
                "knows": line,
                "news": spaces.Text(MAX_NEWS, min_length=0, charset=_TEXT),
                "call": line,
                "options": spaces.Text(MAX_OPTIONS, min_length=0, charset=_TEXT),
                "facts": spaces.Box(-np.inf, np.inf, (len(self.fact_names),), np.float32),
            }
        )

    def _action_space(self) -> spaces.Dict:
        said = spaces.Text(self.params.letters, min_length=0, charset=CHARACTERS)
        return spaces.Dict({"say": said, "choose": spaces.Discrete(self.most_options)})

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match."""
        self._match = (seed, [])
        return super().reset(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _told_again, (type(self), self._given, self._match)

    def _begin(self, rng: np.random.Generator) -> None:
        known = words_of(self.names)
        if len(known) < len(self.people):
            raise UsageError(
                f"{self.id}: {len(self.people)} people, but {self.names}.txt has only "
                f"{len(known)} names"
            )
        names = rng.permutation(known)[: len(self.people)].tolist()
        people = {
            id: Person(id, name, role)
            for (id, role), name in zip(self.people.items(), names, strict=True)
        }
        self._done = False
        self._yards = None
        self.tale = Tale(rng, people, self.possible_seats, self._answer_for)
        self._telling = self._story(self.tale)
        if not isinstance(self._telling, Generator):
            raise UsageError(f"{self.id}: _story must be a generator; {_ASKING}")
        self._asked: Mapping[str, Question] = {}
        self._go_on(None)
        if self._done:
            raise UsageError(f"{self.id}: the story ends before anybody is asked; {_ASKING}")

    def _go_on(self, answers: Mapping[str, Answer] | None) -> None:
        try:
            asked: Any = self._telling.send(answers)  # type: ignore[arg-type]
        except StopIteration:
            self._asked, self._done = {}, True
            return
        if not (isinstance(asked, Mapping) and asked and {*asked} <= {*self.possible_seats}):
            raise UsageError(f"{self.id}: the story yields {asked!r:.80}; {_ASKING}")
        for question in asked.values():
            if len(question.options) > self.most_options:
                raise UsageError(
                    f"{self.id}: {question.call!r:.80} has {len(question.options)} options; "
                    f"most_options is {self.most_options}: set it in the class or in _cast"
                )
        self._asked = {seat: asked[seat] for seat in self.possible_seats if seat in asked}

    def _actors(self) -> Sequence[str]:
        return tuple(self._asked)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        if self._match is not None:
            self._match[1].append(dict(actions))
        answers: dict[str, Answer] = {}
        for seat, question in self._asked.items():
            action = actions[seat]
            if action is None:
                answers[seat] = None
            else:
                answers[seat] = int(action["choose"]) if question.options else action["say"]
        self.tale.answered(self._asked)
        self._go_on(answers)
        if not (self._done or self.params.dense):
            return dict.fromkeys(self.possible_seats, 0.0)
        earned = self.tale.collect()
        return {seat: earned[seat] for seat in self.possible_seats}

    def _check(self, seat: str, action: Action) -> None:
        question = self._asked.get(seat)
        if question is None:
            return
        if not question.options and action["choose"] != 0:
            raise IllegalAction("now is the time to speak: leave choose at 0")
        if question.options and action["say"]:
            raise IllegalAction("now is the time to choose: leave say empty")
        if question.options and action["choose"] >= len(question.options):
            raise IllegalAction(f"there are only {len(question.options)} options")

    def _mask(self, seat: str) -> Any:
        question = self._asked.get(seat)
        if question is None:
            return None
        open_ = np.zeros(self.most_options, dtype=np.int8)
        open_[: len(question.options) or 1] = 1
        return {"say": (0, None) if question.options else None, "choose": open_}

    def _info(self, seat: str) -> Mapping[str, Any]:
        mask = self._mask(seat)
        if mask is not None:
            return {"action_mask": mask}
        # What a match was worth would give away what is hidden in it while it lasts.
        return self.yardsticks._asdict() if self._over else NOTHING

    @property
    def yardsticks(self) -> Yardsticks:
        """Optimum, Nash and random return per main seat of the latest match."""
        if self._yards is None:
            self._yards = self._yardsticks()
        return self._yards

    def _ended(self) -> tuple[bool, bool, str]:
        return self._done, False, "the story is told" if self._done else ""

    def _state(self) -> bytes:
        tale = self.tale
        return tale.past + repr((tale.people, tale.clock, tale.scene, self._asked)).encode()

    def _observe(self, seat: str) -> dict[str, Any]:
        tale, question = self.tale, self._asked.get(seat)
        options = question.options if question else ()
        ask = NOTHING_ASKED if question is None else CHOOSE if options else SPEAK
        there = seat in tale.scene.present
        company = ", ".join(tale.name(id) for id in tale.scene.present if id != seat)
        scene = f"{tale.scene.title}, with {company}" if there and company else tale.scene.title
        return {
            "ask": ask,
            "scene": f"{tale.clock}. {scene if there else 'You are elsewhere'}.",
            "knows": f"You are {tale.name(seat)}. {tale.people[seat].knows}".strip(),
            "news": latest(tale.news(seat)),
            "call": question.to(tale.name(seat)) if question else "",
            "options": "\n".join(options),
            "facts": np.array(self._facts(seat), dtype=np.float32),
        }

    @property
    def metric_names(self) -> tuple[str, ...]:
        """All measures a finished match may have."""
        return (*self.own_metrics, "welfare", *(f"{name}_return" for name in Yardsticks._fields))

    def _metrics(self) -> dict[str, float]:
        welfare = float(np.mean([self._returns[seat] for seat in self.main]))
        yards = {f"{name}_return": it for name, it in self.yardsticks._asdict().items()}
        return {**self._measures(), "welfare": welfare, **yards}

    main: tuple[str, ...]

    def render(self) -> str:
        """All that has happened, as somebody who hears everything was told it."""
        if self._over is None:
            return super().render()
        lines = list(self.tale.log)
        for seat, question in self._asked.items():
            lines.append(f"({seat}) {question.to(self.tale.name(seat))}")
        return "\n".join(lines)

    def draw(self) -> Image:
        """The latest lines of the story on a card."""
        text = "\n".join(self.render().splitlines()[-DRAWN_LINES:])
        step = f"step {self._step_count}"
        return text_card(self.id, step, text, seats=self.possible_seats)


def _told_again(kind: type[TextWorld], params: Mapping[str, Any], course: Course) -> TextWorld:
    return played_again(kind(**params), course)
