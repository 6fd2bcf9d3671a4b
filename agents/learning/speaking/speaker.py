"""A network that speaks: an eye, an embedding of tokens, and a gated unit that remembers both.

It is one of :mod:`..networks`, recurrent over tokens instead of steps. Its eye is that network's
torso: dense layers for drawings in symbols, a small convolution for pictures (brought down to 32 by
32). What is seen changes once a turn, what is said at every token: so the pictures are kept apart,
in an album, and a step names its page.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ..networks import Network, NetworkSpec, new_network
from .vocabulary import BEGIN, END, TOKENS, drawing_in, planes, text_of, tokens_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
EYE = 32
"""Side of a picture as the eye sees it."""
_WIDTH = 64


class Speaker(Network):
    """One mind whose observations are (token said last, page of the album).

    Attributes:
        album: ``[P, …]``, all that is seen in the texts at hand.
    """

    album: Array = np.zeros(0)

    def _torso(self, name: str, seen: Array) -> torch.Tensor:
        pages, place = np.unique(seen[:, 0, 1], return_inverse=True)
        eye = super()._torso(name, self.album[pages][:, None])
        said = self.parameters["tokens.weight"][:, torch.from_numpy(seen[:, 0, 0].copy())]
        return torch.relu(eye[:, torch.from_numpy(place)] + said)

    def speak(
        self, seen: Array, hidden: torch.Tensor | None
    ) -> tuple[Array, Array, torch.Tensor | None]:
        """One token on, without gradients.

        Args:
            seen: int64 ``[E, 2]``.
            hidden: ``[1, E, recurrent]``, None at the beginning.

        Returns:
            Log-probabilities of the next token ``[E, V]``, values ``[E]`` before it, and hidden.
        """
        said = self.act(seen[:, None], hidden)
        values = said.values[0, :, 0].numpy() if self.spec.values else np.zeros(len(seen))
        return torch.log_softmax(said.logits[0], -1).numpy(), values, said.hidden


def new_speaker(shape: tuple[int, ...], width: int, rng: np.random.Generator) -> Speaker:
    """A speaker that knows nothing.

    Args:
        shape: of a page.
        width: of the gated unit.
        rng: where its weights come from.
    """
    torso = "small" if len(shape) == 3 else "mlp"
    spec = NetworkSpec(1, torso, shape, len(TOKENS), recurrent=width)  # type: ignore[arg-type]
    made = new_network(spec, rng)
    first = rng.standard_normal((1, len(TOKENS), _WIDTH)).astype(np.float32)
    made.parameters["tokens.weight"] = torch.from_numpy(first).requires_grad_()
    return Speaker(spec, made.parameters)


def look(turn: Turn) -> tuple[Array, list[int]]:
    """What a speaker sees of a turn: a page for its eye, and the tokens it reads.

    Raises:
        UsageError: the world shows neither a picture nor a drawing in symbols.
    """
    rows = drawing_in(str(turn.observation["text"]))
    read = tokens_of("\n".join(rows))
    if "image" in turn.observation:
        return _small(turn.observation["image"]), read
    if not rows:
        raise UsageError(
            f"{turn.seat} shows neither a picture nor a drawing in symbols, which is all that "
            "token_ppo reads: train with shows='text' or shows='image' in frozen_lake or sokoban"
        )
    return planes(rows), read


def _small(picture: Array) -> Array:
    from PIL import Image as Pictures

    return np.asarray(Pictures.fromarray(picture).resize((EYE, EYE), Pictures.Resampling.BOX))


class SpeakerAgent:
    """Plays a speaker in one seat of one match; what it answers is text."""

    deterministic: ClassVar[bool] = True

    def __init__(self, network: Speaker, *, most: int) -> None:
        """Take the network.

        Args:
            network: a speaker; others may use it too.
            most: tokens of a reply.
        """
        self._network, self._most = network, most

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: nothing remembered, fresh draws."""
        self._rng = np.random.default_rng(seed)
        self._hidden: torch.Tensor | None = None
        self._last = BEGIN

    def act(self, turn: Turn) -> str:
        """Read what is shown, then say a reply, token by token."""
        page, read = look(turn)
        self._network.album = page[None]
        for token in read:
            self._next()
            self._last = token
        said: list[int] = []
        while len(said) < self._most and (not said or said[-1] != END):
            said.append(draw(self._next(), self._rng.random(1))[0])
            self._last = said[-1]
        return text_of(said)

    def _next(self) -> Array:
        logp, _, self._hidden = self._network.speak(np.array([[self._last, 0]]), self._hidden)
        return logp


def draw(logp: Array, luck: Array) -> Array:
    """A token for each row of log-probabilities ``[E, V]``, given a number from 0 to 1 each."""
    sums = np.exp(logp.astype(np.float64)).cumsum(-1)
    found: Array = (sums < luck[:, None] * sums[:, -1:]).sum(-1).clip(max=logp.shape[1] - 1)
    return found
