"""The fits that come with the package: ``fitted.npz``, written by :mod:`.fit`."""

from __future__ import annotations

import functools
from importlib import resources

import numpy as np

from ..prisms import Floats
from .denoiser import shapes
from .facings import Facings


@functools.cache
def _fitted() -> dict[str, Floats]:
    file = resources.files(__package__).joinpath("fitted.npz")
    with file.open("rb") as stream, np.load(stream) as stored:
        return {name: stored[name].astype(np.float64) for name in stored.files}


def facings() -> Facings:
    """The chain of categories and the Gaussians of places."""
    return Facings(*(_fitted()[f"facings_{name}"] for name in Facings._fields))


def denoiser() -> dict[str, Floats]:
    """The matrices of the diffusion model."""
    return {name: _fitted()[name] for name in shapes()}
