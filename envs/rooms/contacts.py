"""Which things are where another is, and which are outside the room.

#CN counts unordered pairs in contact deeper than 1 mm that share more than a tenth of a litre
(SceneWeaver, arXiv 2509.20414, and its code), from exact overlaps of parts. Rugs lie under
everything, and what rests on or in another thing may touch it: those pairs do not count. Books
that go through the side of their shelf do. #OB counts things whose outline from above is not within
the room grown by 1 cm.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from .bodies import bodies, footprint
from .catalogue import Mount, category
from .prisms import Overlaps, Packed
from .relations import SLACK, holds
from .scene import SUPPORTS, Item, Scene

LEAST_DEPTH = 0.001
"""Metres that a contact must exceed."""
LEAST_VOLUME = 1e-4
"""Cubic metres that a contact must exceed."""
BUFFER = 0.01
"""Metres by which a thing may stand out of the room."""


class Contact(NamedTuple):
    """Two things that share space: ``push`` = (x, y, metres) frees ``a`` of ``b`` in the plane."""

    a: str
    b: str
    depth: float
    volume: float
    push: tuple[float, float, float]

    @property
    def counts(self) -> bool:
        """Whether it is deep and large enough for #CN."""
        return self.depth > LEAST_DEPTH and self.volume > LEAST_VOLUME


def is_rug(item: Item) -> bool:
    """Whether a thing lies under others and is exempt."""
    return category(item.category).mount is Mount.RUG


def exempt(scene: Scene, a: Item, b: Item, depth: float) -> bool:
    """Whether two things may share space: a rug, or one that rests on the other.

    The latter no deeper than its place may be off: what sticks into its carrier is in contact.
    """
    if is_rug(a) or is_rug(b):
        return True
    if depth > SLACK:
        return False
    for child, parent in ((a, b), (b, a)):
        for relation in child.relations:
            if relation.kind in SUPPORTS and relation.parent == parent.id:
                return holds(scene, child, relation)
    return False


def contacts(scene: Scene) -> list[Contact]:
    """All pairs that share space and may not, in the scene's order; touching is no contact.

    Also those too small for #CN: ask :attr:`Contact.counts`.
    """
    return list(_contacts(scene))


@functools.lru_cache(maxsize=8)
def _contacts(scene: Scene) -> tuple[Contact, ...]:
    """Of the last few scenes: the executor, the metrics and the grades each ask for them."""
    return tuple(listed(scene, Packed(bodies(scene)).all_pairs()))


def listed(scene: Scene, found: Overlaps) -> list[Contact]:
    """The contacts of a scene from the overlaps of all its pairs."""
    things = scene.items
    rugs = np.array([is_rug(item) for item in things], dtype=bool)
    i, j = np.nonzero(found.volume > 0.0)
    free = ~(rugs[i] | rugs[j])
    i, j = i[free], j[free]
    resting = {
        frozenset((item.id, relation.parent))
        for item in things
        for relation in item.relations
        if relation.kind in SUPPORTS
    }
    shared = zip(
        i.tolist(),
        j.tolist(),
        found.depth[i, j].tolist(),
        found.volume[i, j].tolist(),
        found.push[i, j].tolist(),
        strict=True,
    )
    return [
        Contact(things[i].id, things[j].id, depth, volume, (push[0], push[1], push[2]))
        for i, j, depth, volume, push in shared
        if not (
            frozenset((things[i].id, things[j].id)) in resting
            and exempt(scene, things[i], things[j], depth)
        )
    ]


def collisions(scene: Scene) -> list[Contact]:
    """The pairs that #CN counts."""
    return [contact for contact in contacts(scene) if contact.counts]


def is_outside(scene: Scene, item: Item, buffer: float = BUFFER) -> bool:
    """Whether a thing's outline from above leaves the room by more than ``buffer`` metres."""
    outline = footprint(item)
    low, high = outline.min(axis=0), outline.max(axis=0)
    return bool((low < -buffer).any() or (high > np.array(scene.room.size) + buffer).any())


def outside(scene: Scene) -> tuple[str, ...]:
    """The ids of the things that #OB counts."""
    return tuple(item.id for item in scene if is_outside(scene, item))
