"""The five types everything is made of, and the small records that travel between them.

A :class:`World` says who must act now, by handing out :class:`Turn` objects; an :class:`Agent`
answers them; a :class:`Method` makes agents; a ``Scenario`` (``gymposium.scenarios``) is an
experiment as data. This module and :mod:`gymposium.errors` are the two that every room may
import; it imports nothing heavier than the standard library.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from .turns import NOTHING, Action, Turn, Words

if TYPE_CHECKING:
    from .turns import Image, Space

__all__ = [
    "NOTHING",
    "Action",
    "Agent",
    "Call",
    "Image",
    "Method",
    "Outcome",
    "Play",
    "Progress",
    "Reply",
    "Seat",
    "Space",
    "TrainingTask",
    "Turn",
    "Usage",
    "Words",
    "World",
]


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
        whole_reply: the world reads a reply as it was written, thoughts and tags included; a
            language model is told its form by the rules alone.
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
    whole_reply: bool = False


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
        cached: the answer came from the response cache and was not paid for.
        money: US dollars it cost; None if the price is not known.
        finish_reason: ``stop``, ``length``, or the backend's own word.
        tools: what happened on the way to the answer, in order: ``kind`` is ``tool_call`` (with
            ``name`` and ``arguments``) or ``tool_result`` (with ``name`` and ``text``).
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    completion: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()  # noqa: RUF009 - a named tuple is immutable
    seconds: float = 0.0
    prompt_ids: Sequence[int] | None = None
    completion_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None
    cached: bool = False
    finish_reason: str = "stop"
    money: float | None = None
    tools: Sequence[Mapping[str, Any]] = ()


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
        tables: the world's own tables of this match, by name, each as equally long columns.
    """

    returns: Mapping[str, float]
    final_rewards: Mapping[str, float] = field(default_factory=dict)
    final_observations: Mapping[str, Any] = field(default_factory=dict)
    terminated: Mapping[str, bool] = field(default_factory=dict)
    truncated: Mapping[str, bool] = field(default_factory=dict)
    faults: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    tables: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)


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


class Play(Protocol):
    """The arena's match loop, as a method may use it to see what its agents do."""

    def __call__(
        self, seatings: Sequence[Mapping[str, Agent]], seeds: Sequence[int]
    ) -> Sequence[Outcome]:
        """Play matches side by side, one a seed; seats not named are the partners'.

        Raises GymposiumError if the world failed or a model could not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """What a Method is given: a world or data set, the seats trained, partners, budget, seed.

    ``play`` is the arena's match loop over the task's world; None outside an arena.
    """

    world: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seats: Sequence[str] = ()
    partners: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    play: Play | None = field(default=None, compare=False, repr=False)


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

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Train, yielding progress; the state may be saved at each yield."""
        ...

    def agents(self) -> Mapping[str, Agent]:
        """The agents made so far, by seat or role."""
        ...

    def state_dict(self) -> Mapping[str, Any]:
        """All that a fresh instance needs to go on."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        ...
