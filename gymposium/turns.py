"""The question (:class:`Turn`) and the language it is put in (:class:`Words`).

Part of :mod:`gymposium.types`, which is where everybody imports them from.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

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

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
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
    _words: Words | None
    _text: str | None
    _images: tuple[Image, ...] | None
    _schema: Mapping[str, Any] | None

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
            return made
        return self._text

    @property
    def images(self) -> tuple[Image, ...]:
        """Pictures of the observation, uint8 HxWx3; empty unless the world shows some."""
        if self._images is None:
            words = self._words
            made = () if words is None else words.images(self.seat, self.observation, self.info)
            _SET_IMAGES(self, made)
            return made
        return self._images

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
            return made
        return self._schema

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
_SET_SEAT = vars(Turn)["seat"].__set__
_SET_STEP = vars(Turn)["step"].__set__
_SET_OBSERVATION = vars(Turn)["observation"].__set__
_SET_REWARD = vars(Turn)["reward"].__set__
_SET_SPACE = vars(Turn)["action_space"].__set__
_SET_MASK = vars(Turn)["action_mask"].__set__
_SET_INFO = vars(Turn)["info"].__set__
_SET_WORDS = vars(Turn)["_words"].__set__
_SET_TEXT = vars(Turn)["_text"].__set__
_SET_IMAGES = vars(Turn)["_images"].__set__
_SET_SCHEMA = vars(Turn)["_schema"].__set__


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
