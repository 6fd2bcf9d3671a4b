"""Actions as numbers: any space of choices and amounts, drawn from a network's outputs.

A space is taken apart into *choices* (Discrete, MultiDiscrete, MultiBinary: one categorical each)
and *amounts* (Box: independent normals; a bounded entry is squashed into its bounds by tanh, and
it is the unsquashed number that is stored and whose density counts, so that the change of variables
drops out of every ratio). Text is answered with nothing. A mask closes choices as
``space.sample(mask=)`` has it; what is masked has probability exactly 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Action

if TYPE_CHECKING:
    from gymposium.types import Space

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
CLOSED = -1e9
"""The logit of a masked choice: its probability underflows to exactly 0."""


class Drawn(NamedTuple):
    """Decisions in numbers, for a batch of shape ``[…]``.

    Attributes:
        choices: int64 ``[…, D]``, which option of each categorical.
        amounts: float32 ``[…, R]``, before squashing.
        logp: float32 ``[…]``, log-density of all of it together.
    """

    choices: Array
    amounts: Array
    logp: Array


class ActionLayout:
    """How one space's actions are made of choices and amounts.

    Attributes:
        sizes: options of each of the D categoricals.
        low, high: bounds of the R amounts.
        logits: sum of sizes.
        simple: the space is one Discrete.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        parts = list(_leaves(space, ()))
        self.sizes = tuple(size for part in parts for size in part.sizes)
        bounds = [part.bounds for part in parts if part.bounds is not None]
        self.low = np.concatenate([low for low, _ in bounds]) if bounds else np.zeros(0)
        self.high = np.concatenate([high for _, high in bounds]) if bounds else np.zeros(0)
        self.logits = sum(self.sizes)
        self.simple = type(space).__name__ == "Discrete"
        self._parts = parts
        self._ends = np.cumsum((0, *self.sizes))
        if not self.sizes and not len(self.low):
            raise UsageError(f"there is nothing to decide in the action space {space}")

    @property
    def amounts(self) -> int:
        """R, the number of amounts."""
        return len(self.low)

    def slices(self) -> Iterator[slice]:
        """Where the logits of each categorical lie."""
        for first, end in zip(self._ends[:-1], self._ends[1:], strict=True):
            yield slice(int(first), int(end))

    def mask(self, mask: Any) -> Array:
        """``Turn.action_mask`` as bool ``[logits]``, True for what is open."""
        if mask is None:
            return np.ones(self.logits, dtype=bool)
        if self.simple:
            return _open(np.asarray(mask, dtype=bool))
        pieces = [part.open(_at(mask, part.path)) for part in self._parts]
        return np.concatenate([piece for piece in pieces if len(piece)] or [np.ones(0, bool)])

    def action(self, choices: Array, amounts: Array) -> Action:
        """The element of the space that ``choices`` ``[D]`` and ``amounts`` ``[R]`` stand for."""
        if self.simple:
            return int(choices[0]) + int(self.space.start)  # type: ignore[attr-defined]
        chosen, numbers = iter(choices.tolist()), iter(self._unsquash(amounts).tolist())
        return _build(self.space, chosen, numbers)

    def choices(self, action: Action) -> Array:
        """The choices ``[D]`` an action was made of: the inverse of ``action`` where R is 0."""
        if self.simple:
            return np.array([int(action) - int(self.space.start)])  # type: ignore[attr-defined]
        return np.array([number for part in self._parts for number in part.chosen(action)])

    def draw(self, logits: Array, log_std: Array, mask: Array | None, noise: Noise | None) -> Drawn:
        """Draw decisions.

        Args:
            logits: float ``[…, logits + R]``; the last R are the means of the amounts.
            log_std: float, broadcast to ``[…, R]``.
            mask: bool ``[…, logits]`` or None.
            noise: the randomness to use; None takes the likeliest of everything.
        """
        batch = logits.shape[:-1]
        choices = np.zeros((*batch, len(self.sizes)), np.int64)
        logp = np.zeros(batch, np.float32)
        for d, at in enumerate(self.slices()):
            part = logits[..., at]
            if mask is not None:
                part = np.where(mask[..., at], part, CLOSED)
            part = part - part.max(-1, keepdims=True)
            weight = np.exp(part)
            total = weight.sum(-1)
            choice = part.argmax(-1)
            if noise is not None:
                reached = np.cumsum(weight, -1) > noise.uniform[..., d, None] * total[..., None]
                # Rounding can leave the last option unreached: then the likeliest is taken.
                choice = np.where(reached.any(-1), reached.argmax(-1), choice)
            choices[..., d] = choice
            chosen = np.take_along_axis(part, choice[..., None], -1)[..., 0]
            logp += (chosen - np.log(total)).astype(np.float32)
        mean = logits[..., self.logits :]
        z = np.zeros_like(mean) if noise is None else noise.normal
        amounts = (mean + np.exp(log_std) * z).astype(np.float32)
        if self.amounts:
            logp += (-0.5 * z**2 - log_std - _HALF_LOG_2PI).sum(-1).astype(np.float32)
        return Drawn(choices, amounts, logp)

    def noise(self, rng: np.random.Generator, *batch: int) -> Noise:
        """Fresh randomness for a batch of decisions."""
        return Noise(
            rng.random((*batch, len(self.sizes)), np.float32),
            rng.standard_normal((*batch, self.amounts), np.float32),
        )

    def _unsquash(self, amounts: Array) -> Array:
        low, high = self.low, self.high
        wide = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore", over="ignore"):
            inside = low + (high - low) * (np.tanh(amounts.astype(np.float64)) + 1) / 2
        return np.where(wide, inside, np.clip(amounts, low, high))


class Noise(NamedTuple):
    """Randomness of a batch of decisions: uniform ``[…, D]``, normal ``[…, R]``."""

    uniform: Array
    normal: Array


_HALF_LOG_2PI = float(0.5 * np.log(2 * np.pi))


class _Leaf(NamedTuple):
    path: tuple[Any, ...]
    sizes: tuple[int, ...]
    bounds: tuple[Array, Array] | None = None
    start: tuple[int, ...] = ()

    def chosen(self, action: Any) -> list[int]:
        if not self.sizes:
            return []
        found = np.ravel(_at(action, self.path))
        return [int(n) - first for n, first in zip(found, self.start, strict=True)]

    def open(self, mask: Any) -> Array:
        if mask is None or not self.sizes:
            return np.ones(sum(self.sizes), dtype=bool)
        if len(self.sizes) == 1 and not isinstance(mask, tuple):
            return _open(np.asarray(mask, dtype=bool).ravel())
        if isinstance(mask, tuple):  # MultiDiscrete's: a (nested) tuple with an array per entry
            return np.concatenate([_open(np.asarray(m, dtype=bool)) for m in _flat(mask)])
        # MultiBinary's: 0 and 1 are prescribed, 2 is free.
        each = np.asarray(mask).ravel()
        return np.stack([each != 1, each != 0], axis=1).ravel()


def _flat(mask: Any) -> Iterator[Any]:
    for item in mask:
        if isinstance(item, tuple):
            yield from _flat(item)
        else:
            yield item


def _open(mask: Array) -> Array:
    """With nothing open there is nothing to obey: Gymnasium then samples the first option."""
    return mask if mask.any() else np.arange(len(mask)) == 0


def _at(mask: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        if mask is None:
            return None
        mask = mask[key]
    return mask


def _leaves(space: Any, path: tuple[Any, ...]) -> Iterator[_Leaf]:
    kind = type(space).__name__
    if kind == "Discrete":
        yield _Leaf(path, (int(space.n),), start=(int(space.start),))
    elif kind == "MultiDiscrete":
        sizes = tuple(int(n) for n in np.asarray(space.nvec).ravel())
        yield _Leaf(path, sizes, start=tuple(np.ravel(space.start).tolist()))
    elif kind == "MultiBinary":
        count = int(np.prod(space.shape))
        yield _Leaf(path, (2,) * count, start=(0,) * count)
    elif kind == "Box":
        low, high = (np.asarray(b, np.float64).ravel() for b in (space.low, space.high))
        yield _Leaf(path, (), (low, high))
    elif kind in ("Dict", "Tuple"):
        inner = space.spaces.items() if kind == "Dict" else enumerate(space.spaces)
        for key, part in inner:
            yield from _leaves(part, (*path, key))
    elif kind == "Text" and space.min_length == 0:
        yield _Leaf(path, ())
    else:
        raise UsageError(
            f"a network cannot act in the space {space}; the spaces it can: Discrete, "
            "MultiDiscrete, MultiBinary, Box, Dict, Tuple, and Text that may stay empty"
        )


def _build(space: Any, choices: Iterator[int], numbers: Iterator[float]) -> Any:
    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.start) + next(choices)
    if kind in ("MultiDiscrete", "MultiBinary"):
        picked = [next(choices) for _ in range(int(np.prod(space.shape)))]
        start = getattr(space, "start", 0)
        return (np.array(picked).reshape(space.shape) + start).astype(space.dtype)
    if kind == "Box":
        found = np.array([next(numbers) for _ in range(int(np.prod(space.shape)))])
        if np.issubdtype(space.dtype, np.integer):
            found = np.rint(found)
        found = found.reshape(space.shape).astype(space.dtype)
        return np.clip(found, space.low, space.high).astype(space.dtype)
    if kind == "Dict":
        return {key: _build(part, choices, numbers) for key, part in space.spaces.items()}
    if kind == "Tuple":
        return tuple(_build(part, choices, numbers) for part in space.spaces)
    return ""
