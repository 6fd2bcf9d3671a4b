"""The network of the small diffusion model, for numpy and torch alike.

Two blocks of attention over the twelve things of a room: what a thing is, where the others are,
how much noise there is and what room it is give what the thing is without noise. Nothing says in
which order things come, as in DiffuScene (Tang et al. 2024). It is fitted with torch
(:mod:`.fit`) and sampled with numpy, so that users need no torch: both call the same function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..prisms import Floats
from .records import NUMBERS, categories

WIDTH = 64
BLOCKS = 2
STEPS = 50
_WAVES = 8


def columns() -> int:
    """Numbers of a thing: its category one-hot (one more for nothing), then the seven."""
    return len(categories()) + 1 + NUMBERS


def shapes() -> dict[str, tuple[int, int]]:
    """The matrices of the network; the last row of each is a bias."""
    told = columns() + 2 * _WAVES + 4
    found = {"in": (told + 1, WIDTH)}
    for block in range(BLOCKS):
        found[f"look{block}"] = (WIDTH + 1, 3 * WIDTH)
        found[f"mix{block}"] = (WIDTH + 1, WIDTH)
        found[f"think{block}"] = (WIDTH + 1, 2 * WIDTH)
        found[f"say{block}"] = (2 * WIDTH + 1, WIDTH)
    return {**found, "out": (WIDTH + 1, columns())}


def noise_left() -> Floats:
    """The share [50] of the signal's variance left after each step: a cosine, from 1 to 0."""
    at = (np.arange(1, STEPS + 1) / STEPS + 0.008) / 1.008
    left: Floats = (np.cos(at * np.pi / 2) / np.cos(0.004 / 1.008 * np.pi)) ** 2
    return np.maximum(left, 1e-4)


def waves(step: Any) -> Floats:
    """Steps [N] as sines and cosines [N, 16]."""
    angles = (np.asarray(step)[:, None] + 1) / STEPS * np.pi * 2.0 ** np.arange(_WAVES)[None] / 2
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def clean(weights: Mapping[str, Any], noisy: Any, told: Any, xp: Any = np) -> Any:
    """What the things [N, 12, columns] are without noise.

    ``told`` [N, 20] is the step in waves and the room; ``xp`` is numpy or torch, and all arrays are
    that library's.
    """

    def layer(name: str, values: Any) -> Any:
        return values @ weights[name][:-1] + weights[name][-1]

    def level(values: Any) -> Any:
        values = values - values.mean(-1, keepdims=True)
        return values / xp.sqrt((values * values).mean(-1, keepdims=True) + 1e-5)

    spread = xp.zeros((*noisy.shape[:2], told.shape[1]), dtype=noisy.dtype) + told[:, None, :]
    hidden = layer("in", xp.concatenate([noisy, spread], -1))
    for block in range(BLOCKS):
        looked = layer(f"look{block}", level(hidden))
        query, key, value = (looked[..., k * WIDTH : (k + 1) * WIDTH] for k in range(3))
        scores = query @ xp.swapaxes(key, 1, 2) / WIDTH**0.5
        weight = xp.exp(scores - xp.amax(scores, -1)[..., None])
        weight = weight / weight.sum(-1, keepdims=True)
        hidden = hidden + layer(f"mix{block}", weight @ value)
        thought = layer(f"think{block}", level(hidden))
        hidden = hidden + layer(f"say{block}", thought * (thought > 0))
    return layer("out", level(hidden))
