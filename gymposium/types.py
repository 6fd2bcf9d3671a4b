"""The five types everything is made of, and the small records that travel between them.

A :class:`World` says who must act now, by handing out :class:`Turn` objects; an :class:`Agent`
answers them; a :class:`Method` makes agents; a ``Scenario`` (``gymposium.scenarios``) is an
experiment as data. This module and :mod:`gymposium.errors` are the two that every room may
import; it imports nothing but numpy, and gymnasium only for type checkers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import gymnasium
    import numpy as np

    Image: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
    Space: TypeAlias = gymnasium.Space[Any]

Action: TypeAlias = Any
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""The empty, immutable mapping: the default ``info``."""


class Words(Protocol):
    """A world in words: the text side of its observations and actions (``envs/words.py``).

    Every method is a function of its arguments and of the world's *parameters*; none may look at
    the world's state, so that a Turn can be described later, elsewhere, or not at all.
    """

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to play; stable over the whole match."""
        ...

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The observation as ``seat`` would be told it."""
        ...

    def images(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> tuple[Image, ...]:
        """The observation as pictures (uint8, HxWx3) for seats that look; usually empty."""
        ...

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """JSON Schema of the text actions that are legal now."""
        ...

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The action that ``text`` means; raises IllegalAction with a sentence that helps."""
        ...

    def format(self, seat: str, action: Action) -> str:
        """``action`` in words, such that ``parse`` gives it back."""
        ...


class Turn:
    """What one seat is asked, once. Immutable; safe to keep.

    ``text``, ``images`` and ``schema`` are computed on first access, and always before pickling.

    Attributes:
        seat: the PettingZoo agent id.
        step: number of ``World.step`` calls before this turn, from 0.
        observation: what the world emitted, an element of the seat's observation space; fresh,
            never written to again by the world.
        reward: sum of the seat's rewards since its previous turn (or since the start).
        action_space: the space an answer must lie in.
        action_mask: whatever ``action_space.sample(mask=)`` accepts, or None if all is legal.
        info: extras. ``error`` and ``attempt`` are present when the seat is asked again.
    """

    __slots__ = (
        "_images",
        "_schema",
        "_text",
        "_words",
        "action_mask",
        "action_space",
        "info",
        "observation",
        "reward",
        "seat",
        "step",
    )
    seat: str
    step: int
    observation: Any
    reward: float
    action_space: Space
    action_mask: Any
    info: Mapping[str, Any]

    def __init__(
        self,
        seat: str,
        step: int,
        observation: Any,
        reward: float,
        action_space: Space,
        action_mask: Any = None,
        info: Mapping[str, Any] = NOTHING,
        *,
        words: Words | None = None,
        text: str | None = None,
        images: tuple[Image, ...] | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        _SET_SEAT(self, seat)
        _SET_STEP(self, step)
        _SET_OBSERVATION(self, observation)
        _SET_REWARD(self, reward)
        _SET_SPACE(self, action_space)
        _SET_MASK(self, action_mask)
        _SET_INFO(self, info)
        _SET_WORDS(self, words)
        _SET_TEXT(self, text)
        _SET_IMAGES(self, images)
        _SET_SCHEMA(self, schema)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Turn is immutable: cannot set {name!r}; use Turn.again or copy it")

    __delattr__ = None  # type: ignore[assignment]

    @property
    def text(self) -> str:
        """The observation in words; a function of (seat, observation, info) only."""
        if self._text is None:
            words = self._words
            made = "" if words is None else words.describe(self.seat, self.observation, self.info)
            _SET_TEXT(self, made)
        return self._text  # type: ignore[no-any-return]

    @property
    def images(self) -> tuple[Image, ...]:
        """Pictures of the observation, uint8 HxWx3; empty unless the world shows some."""
        if self._images is None:
            words = self._words
            made = () if words is None else words.images(self.seat, self.observation, self.info)
            _SET_IMAGES(self, made)
        return self._images  # type: ignore[no-any-return]

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of a legal text action."""
        if self._schema is None:
            words = self._words
            made: Mapping[str, Any] = (
                NOTHING
                if words is None
                else words.action_schema(self.seat, self.observation, self.info)
            )
            _SET_SCHEMA(self, made)
        return self._schema  # type: ignore[no-any-return]

    def again(self, error: str, attempt: int) -> Turn:
        """This turn, asked again: ``info`` gains ``error`` (why) and ``attempt`` (from 1)."""
        info = {**self.info, "error": error, "attempt": attempt}
        return Turn(
            self.seat,
            self.step,
            self.observation,
            self.reward,
            self.action_space,
            self.action_mask,
            info,
            words=self._words,
            text=self._text,
            images=self._images,
            schema=self._schema,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        state = (
            self.seat,
            self.step,
            self.observation,
            self.reward,
            self.action_space,
            self.action_mask,
            dict(self.info),
            self.text,
            self.images,
            self.schema,
        )
        return (_turn_from_state, state)

    def __repr__(self) -> str:
        return (
            f"Turn(seat={self.seat!r}, step={self.step}, observation={self.observation!r}, "
            f"reward={self.reward})"
        )


# Slot descriptors set fields past the blocked __setattr__, at a third of object.__setattr__'s cost.
_SET_SEAT = Turn.seat.__set__  # type: ignore[attr-defined]
_SET_STEP = Turn.step.__set__  # type: ignore[attr-defined]
_SET_OBSERVATION = Turn.observation.__set__
_SET_REWARD = Turn.reward.__set__  # type: ignore[attr-defined]
_SET_SPACE = Turn.action_space.__set__  # type: ignore[attr-defined]
_SET_MASK = Turn.action_mask.__set__
_SET_INFO = Turn.info.__set__  # type: ignore[attr-defined]
_SET_WORDS = Turn._words.__set__  # type: ignore[attr-defined]
_SET_TEXT = Turn._text.__set__  # type: ignore[attr-defined]
_SET_IMAGES = Turn._images.__set__  # type: ignore[attr-defined]
_SET_SCHEMA = Turn._schema.__set__  # type: ignore[attr-defined]


def _turn_from_state(
    seat: str,
    step: int,
    observation: Any,
    reward: float,
    action_space: Space,
    action_mask: Any,
    info: Mapping[str, Any],
    text: str,
    images: tuple[Image, ...],
    schema: Mapping[str, Any],
) -> Turn:
    return Turn(
        seat,
        step,
        observation,
        reward,
        action_space,
        action_mask,
        info,
        text=text,
        images=images,
        schema=schema,
    )


@dataclass(frozen=True, slots=True)
class Seat:
    """One place at the table, as the agent in it is told about it before the match.

    Attributes:
        id: the PettingZoo agent id.
        observation_space, action_space: Gymnasium spaces.
        rules: the world's rules in words, for this seat.
        role: what the seat is in the world (``buyer``) or the study (``judge`` is never rated).
        team: seats of one team share an interest; None when every seat is its own.
        horizon: the most steps a match can last, or None if unbounded.
        fault_rule: what happens, in words, when no legal answer comes.
        time_limit: seconds the agent may think over one turn, or None.
    """

    id: str
    observation_space: Space
    action_space: Space
    rules: str = ""
    role: str = "player"
    team: str | None = None
    horizon: int | None = None
    fault_rule: str = ""
    time_limit: float | None = None


class Usage(NamedTuple):
    """Tokens one model call took."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One model call behind a reply, complete enough to learn from or to replay.

    Attributes:
        model: the backend's name for the model.
        messages: the chat messages sent (role, content).
        completion: the text that came back, unedited.
        parameters: temperature, max_tokens, seed, schema, … as sent.
        usage: tokens.
        seconds: wall time.
        prompt_ids, completion_ids: token ids where the backend gives them.
        logprobs: per completion token, log-probability *before* any grammar mask, where given.
        cached: the answer came from the response cache.
        finish_reason: ``stop``, ``length``, or the backend's own word.
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    completion: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt_ids: Sequence[int] | None = None
    completion_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None
    cached: bool = False
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with more to keep than the action.

    If ``action`` is None, ``text`` is the answer: the arena extracts the action from it and has
    the world parse it. The record keeps everything; the world sees only the action.
    """

    action: Action = None
    text: str | None = None
    thought: str | None = None
    calls: Sequence[Call] = ()
    trace: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended, per seat. For every seat: sum of Turn.reward + final_reward = return.

    Attributes:
        returns: undiscounted sum of rewards.
        final_rewards: rewards after the seat's last turn.
        final_observations: what the seat would have seen next.
        terminated, truncated: the rules ended it / a limit did.
        faults: per seat, counts by kind (``illegal``, ``error``, ``timeout``, ``crash``).
        metrics: the world's own measures of this match (``efficiency``, …).
        reason: one sentence on why the match ended.
    """

    returns: Mapping[str, float]
    final_rewards: Mapping[str, float] = field(default_factory=dict)
    final_observations: Mapping[str, Any] = field(default_factory=dict)
    terminated: Mapping[str, bool] = field(default_factory=dict)
    truncated: Mapping[str, bool] = field(default_factory=dict)
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@runtime_checkable
class Agent(Protocol):
    """A mind. One instance sits in one seat of one match.

    ``act`` may also be ``async def``; ``act_batch`` and ``end`` are optional. A returned ``str`` is
    an answer in words, which the world parses.
    """

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match begins; all randomness must come from ``seed``."""
        ...

    def act(self, turn: Turn) -> Action | Reply | Awaitable[Action | Reply]:
        """Answer one turn."""
        ...


class World(Protocol):
    """The one shape the match loop knows: who must act *now*."""

    @property
    def seats(self) -> Mapping[str, Seat]:
        """What each seat is told before the match, by id, in seating order."""
        ...

    @property
    def words(self) -> Words:
        """The world's text side."""
        ...

    @property
    def outcome(self) -> Outcome:
        """How the match ended; only after it has."""
        ...

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match; all randomness comes from ``seed``. Returns the seats to act now."""
        ...

    def step(self, actions: Mapping[str, Action]) -> dict[str, Turn]:
        """Play the asked seats' actions; ``None`` means "no legal answer": the fault rule applies.

        Returns the seats to act next, ``{}`` when the match is over. Raises IllegalAction for an
        action the rules do not allow now, in which case nothing has changed.
        """
        ...

    def check(self, seat: str, action: Action) -> None:
        """Raise IllegalAction, with a sentence for the speaker, unless ``action`` is legal now."""
        ...

    def fingerprint(self) -> bytes:
        """Bytes that differ whenever the state differs (generators included); for replays."""
        ...


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """What a Method is given: a world or data set, the seats trained, partners, budget, seed."""

    world: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seats: Sequence[str] = ()
    partners: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Plain data a Method yields: how far it is and what it measured."""

    step: int
    total: int | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


class Method(Protocol):
    """How agents are made: every paper's training procedure has this one shape.

    ``train`` is a generator: the arena owns progress, logging, checkpoints, budget, resume and
    stop. State is saved only at yields; closing the generator stops it.
    """

    def train(self, task: TrainingTask) -> Iterator[Progress]: ...

    def agents(self) -> Mapping[str, Agent]: ...

    def state_dict(self) -> Mapping[str, Any]: ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...
