"""The baselines by name: each furnishes an empty room in one go, and nothing corrects it.

They are small stand-ins for the methods they are named after (arXiv 2509.20414, section 4), made
of the parts those methods are known by; what they furnish with is this package's catalogue and
grammar. The learned ones know only the rooms that they were fitted to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..scene import Scene
from . import diffusion, facings, footprints, graphs, recalling
from .records import ROOM_TYPES


class Baseline(NamedTuple):
    """One way to furnish.

    ``make`` takes an empty room (:func:`..grammar.shell`) and a generator, and returns the room
    furnished; ``rooms`` are the types it knows, None for all.
    """

    name: str
    summary: str
    make: Callable[[Scene, np.random.Generator], Scene]
    rooms: tuple[str, ...] | None = None

    def furnish(self, scene: Scene, rng: np.random.Generator) -> Scene:
        """Furnish an empty room.

        Raises:
            UsageError: something is in it already, or the baseline does not know such rooms.
        """
        if scene.items:
            raise UsageError(f"{self.name} furnishes empty rooms; this one has {len(scene)} things")
        if self.rooms is not None and scene.room.type not in self.rooms:
            raise UsageError(
                f"{self.name} was fitted to {' and '.join(self.rooms)} only, not to a "
                f"{scene.room.type}"
            )
        return self.make(scene, rng)


BASELINES: dict[str, Baseline] = {
    row.name: row
    for row in (
        Baseline(
            "layoutgpt",
            "a remembered room of the type, its places moved by 30 cm at random, unchecked",
            recalling.furnish,
        ),
        Baseline(
            "idesign",
            "ten things and a graph of their relations, placed by search that goes back",
            graphs.furnish,
        ),
        Baseline(
            "holodeck",
            "floor plans by depth-first search for soft constraints, many small things on tops",
            footprints.furnish,
        ),
        Baseline(
            "atiss",
            "one thing after the other: a chain of categories, Gaussians of places by facing",
            facings.furnish,
            ROOM_TYPES,
        ),
        Baseline(
            "diffuscene",
            "twelve vectors of things out of noise by a small diffusion model",
            diffusion.furnish,
            ROOM_TYPES,
        ),
        Baseline(
            "physcene",
            "the same model, pushed off overlaps and walls while it denoises",
            diffusion.furnish_guided,
            ROOM_TYPES,
        ),
    )
}


def baseline(name: str) -> Baseline:
    """The baseline called ``name``.

    Raises:
        UnknownName: there is none.
    """
    try:
        return BASELINES[name]
    except KeyError:
        raise UnknownName("baseline", name, BASELINES) from None
