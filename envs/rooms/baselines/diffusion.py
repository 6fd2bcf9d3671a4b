"""DiffuScene and PhyScene at small scale: twelve things out of noise, in fifty steps.

A denoising diffusion model (Ho et al. 2020) over unordered things: category, place, facing and
size together (DiffuScene, Tang et al. 2024). PhyScene (Yang et al. 2024) adds guidance: at every
step the places move down the gradient of what things overlap and stick out of the room by.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from ..catalogue import Mount, category
from ..prisms import Floats
from ..scene import Scene
from .denoiser import STEPS, clean, columns, noise_left, waves
from .records import SLOTS, about, categories, read

GUIDANCE = 1.0
"""Weight of the gradient: metres of way for every metre that it is long."""
_SHARES = [0, 1, 4, 5, 6]
"""Columns that are shares: place and size."""


def furnish(scene: Scene, rng: np.random.Generator) -> Scene:
    """Denoise twelve things."""
    return _denoised(scene, rng, 0.0)


def furnish_guided(scene: Scene, rng: np.random.Generator) -> Scene:
    """Denoise twelve things, pushing them apart and inwards at every step."""
    return _denoised(scene, rng, GUIDANCE)


def coded(chosen: NDArray[np.int64], numbers: Floats) -> Floats:
    """Rows of things as what the model denoises [N, 12, columns], each about -1 to 1."""
    known = len(categories()) + 1
    one_hot = np.asarray(2.0 * np.eye(known)[chosen] - 1.0)
    scaled = numbers.copy()
    scaled[..., _SHARES] = 2.0 * scaled[..., _SHARES] - 1.0
    return np.concatenate([one_hot, scaled], axis=-1)


def _denoised(scene: Scene, rng: np.random.Generator, guidance: float) -> Scene:
    from .weights import denoiser

    weights, left = denoiser(), noise_left()
    room = about(scene)[None]
    now = rng.normal(size=(1, SLOTS, columns()))
    for step in reversed(range(STEPS)):
        told = np.concatenate([waves([step]), room], axis=1)
        guess = np.clip(clean(weights, now, told), -1.0, 1.0)
        if guidance:
            guess[0] = _pushed(scene, guess[0], guidance)
        before = left[step - 1] if step else 1.0
        kept = left[step] / before
        mean = np.sqrt(before) * (1 - kept) * guess + np.sqrt(kept) * (1 - before) * now
        now = mean / (1 - left[step])
        if step:
            spread = (1 - before) / (1 - left[step]) * (1 - kept)
            now = now + np.sqrt(spread) * rng.normal(size=now.shape)
    chosen, numbers = _decoded(now[0])
    return read(scene, chosen, numbers, int(rng.integers(2**31)))


def _decoded(rows: Floats) -> tuple[NDArray[np.int64], Floats]:
    known = len(categories()) + 1
    numbers = rows[:, known:].copy()
    numbers[:, _SHARES] = (numbers[:, _SHARES] + 1.0) / 2.0
    return rows[:, :known].argmax(axis=-1), numbers


def _pushed(scene: Scene, rows: Floats, weight: float) -> Floats:
    """Rows of things a step down the gradient of their cost.

    That is half the square of the way [m] by which boxes along the walls overlap or stick out;
    rugs and what hangs are in nobody's way.
    """
    chosen, numbers = _decoded(rows)
    low, high, solid = _ranges()
    there = solid[chosen]
    sizes = low[chosen] + np.clip(numbers[:, 4:6], 0.0, 1.0) * (high - low)[chosen]
    turn = np.arctan2(numbers[:, 3], numbers[:, 2])
    c, s = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    half = np.stack([c * sizes[:, 0] + s * sizes[:, 1], s * sizes[:, 0] + c * sizes[:, 1]], 1) / 2
    room = np.array(scene.room.size)
    at = numbers[:, :2] * room
    apart = at[:, None] - at[None]
    shared = half[:, None] + half[None] - np.abs(apart)
    both = there[:, None] & there & ~np.eye(SLOTS, dtype=bool) & (shared > 0).all(axis=-1)
    shallow = shared == shared.min(axis=-1, keepdims=True)
    way = (both[..., None] * shallow * np.sign(apart) * shared).sum(axis=1)
    way += np.maximum(half - at, 0.0) - np.maximum(at + half - room, 0.0)
    moved = rows.copy()
    first = len(categories()) + 1
    moved[:, first : first + 2] += 2.0 * weight * way * there[:, None] / room
    return moved


@functools.cache
def _ranges() -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Least and greatest depth and width [C + 1, 2], and whether a thing stands in the way."""
    rows = [category(name) for name in categories()]
    low, high = (
        np.array([*(size[:2] for size in found), (0.0, 0.0)])
        for found in ([row.low for row in rows], [row.high for row in rows])
    )
    return low, high, np.array([*(row.mount is Mount.FLOOR for row in rows), False])
