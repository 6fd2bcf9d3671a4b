"""Furniture that pushes itself free: the optimiser of SceneWeaver's executor.

Pass after pass every thing is snapped to the nearest pose in which its relations hold, and then
translated, within the directions those leave free, away from what it overlaps: at most 5 cm along
the depths and normals of its contacts, and as far away from the other things' centres (brief of
arXiv 2509.20414 from its code: n = 50 passes). A move that leaves fewer violations (contacts,
broken relations, parts outside) is taken, one that leaves more is not, between equals decides
Metropolis with a temperature that falls from 3 to 0.001 over the first 85 % of the passes. What
comes out is the best scene seen; nothing says that it is free of contacts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .bodies import bodies, parts
from .contacts import Contact, exempt, is_outside, listed
from .prisms import Floats, Packed
from .relations import broken, snap
from .scene import ROOM, Item, Scene, carried_along

PASSES = 50
STEP = 0.05
"""Metres of the longest translation."""
TRIES = 5
"""Proposals without effect before a thing is left for the next pass."""
_HOT, _COLD = 3.0, 0.001


class Optimised(NamedTuple):
    """The best scene seen, and how it was found."""

    scene: Scene
    passes: int
    proposed: int
    accepted: int
    violations: int
    """Contacts that count, broken relations and things outside, in ``scene``."""


def cooling(passes: int) -> float:
    """The factor between the temperatures of two passes: they fall to 0.001 in 85 % of them."""
    return float((_COLD / _HOT) ** (1 / (0.85 * passes)))


def temperature(number: int, passes: int) -> float:
    """The temperature of pass ``number`` (from 0) of ``passes``."""
    return min(max(_HOT * cooling(passes) ** number, _COLD), _HOT)


def accepts(
    before: tuple[int, float], after: tuple[int, float], heat: float, rng: np.random.Generator
) -> bool:
    """Whether a move from (violations, loss) to another is taken."""
    if before[0] != after[0]:
        return after[0] < before[0]
    worse = after[1] - before[1]
    return worse <= 0 or bool(rng.random() < math.exp(-worse / heat))


def optimise(scene: Scene, rng: np.random.Generator, *, passes: int = PASSES) -> Optimised:
    """Snap and push until nothing is wrong or ``passes`` are spent."""
    field = _Field(scene)
    cost = field.cost()
    best, least = scene, cost
    proposed = accepted = done = 0
    order = parents_first(scene.items)
    while done < passes and cost[0]:
        heat = temperature(done, passes)
        for name in order:
            tried, taken = field.step(name, heat, rng)
            proposed += tried
            accepted += taken
        done += 1
        cost = field.cost()
        if cost < least:
            best, least = field.scene, cost
    return Optimised(best, done, proposed, accepted, least[0])


def parents_first(items: Iterable[Item]) -> list[str]:
    """The ids in an order in which parents precede their children; cycles are cut somewhere."""
    known = {item.id: item for item in items}
    order: dict[str, None] = {}
    for start in known:
        path, seen = [start], {start}
        while path:
            waiting = (
                r.parent
                for r in known[path[-1]].relations
                if r.parent != ROOM and r.parent in known and r.parent not in order
            )
            parent = next((p for p in waiting if p not in seen), None)
            if parent is None:
                order[path.pop()] = None
            else:
                seen.add(parent)
                path.append(parent)
    return list(order)


class _Field:
    """A scene under way, packed once; moved bodies are written over their old places."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._packed = Packed(bodies(scene))
        self._index = {item.id: n for n, item in enumerate(scene)}

    def cost(self) -> tuple[int, float]:
        """(violations, loss) of the whole scene; the loss is the depth [m] of its contacts."""
        found = [c for c in listed(self.scene, self._packed.all_pairs()) if c.counts]
        wrong = sum(
            len(broken(self.scene, item)) + is_outside(self.scene, item) for item in self.scene
        )
        return len(found) + wrong, sum(contact.depth for contact in found)

    def step(self, name: str, heat: float, rng: np.random.Generator) -> tuple[int, int]:
        """One move of a thing and what it carries: (proposals made, 1 if one was taken)."""
        old = self.scene
        before = self._own_cost(name)
        if before[0] == 0:
            return 0, 0
        for tried in range(1, TRIES + 1):
            pose = snap(old, old[name])
            self._put(old, name, pose.item)
            touching = [c for c in self._contacts_of(name) if c.counts]
            way = self._way(name, touching, pose.free, rng, straight=tried == 1)
            if way is not None:
                x, y, z = pose.item.location
                moved = replace(pose.item, location=(x + float(way[0]), y + float(way[1]), z))
                self._put(old, name, snap(self.scene, moved).item)
            if self.scene[name] != old[name]:
                if accepts(before, self._own_cost(name), heat, rng):
                    return tried, 1
                self._restore(old, name)
                return tried, 0
            if not touching:
                break
        self._restore(old, name)
        return tried, 0

    def _way(
        self,
        name: str,
        touching: list[Contact],
        free: Floats,
        rng: np.random.Generator,
        *,
        straight: bool,
    ) -> Floats | None:
        """SceneWeaver's translation, or one in a random free direction where that is stuck."""
        if not touching:
            return None
        here = np.array(self.scene[name].location[:2])
        out, away = np.zeros(2), np.zeros(2)
        for contact in touching:
            x, y, depth = contact.push
            out += depth * np.array((x, y))
            apart = here - self.scene[contact.b].location[:2]
            length = float(np.hypot(*apart))
            if length > 1e-9:
                away += depth * apart / length
        out, away = free @ out, free @ away
        longest = float(np.hypot(*out))
        step = min(STEP, longest) if longest > 1e-9 else STEP
        way = step * (_unit(out) + _unit(away))
        if straight and float(np.hypot(*way)) > 1e-9:
            return way
        angle = rng.uniform(0, 2 * math.pi)
        return np.asarray(STEP * (free @ (math.cos(angle), math.sin(angle))))

    def _put(self, old: Scene, name: str, item: Item) -> None:
        """The scene ``old`` with one thing, and what it carries, at another pose."""
        was = old[name]
        if item == was:
            self._restore(old, name)
            return
        carried = [carried_along(old[child], was, item) for child in old.burden(name)]
        self.scene = old.replaced(item, *carried)
        for thing in (item, *carried):
            self._packed.place(self._index[thing.id], parts(thing))

    def _restore(self, old: Scene, name: str) -> None:
        if self.scene is old:
            return
        self.scene = old
        for thing in (name, *old.burden(name)):
            self._packed.place(self._index[thing], parts(old[thing]))

    def _contacts_of(self, name: str) -> list[Contact]:
        """The contacts of one thing with what it does not carry."""
        found = self._packed.of(self._index[name])
        item, carried = self.scene[name], self.scene.burden(name)
        result = []
        for j in np.flatnonzero(found.volume[0] > 0.0):
            other = self.scene.items[j]
            deep = float(found.depth[0, j])
            if other.id in carried or exempt(self.scene, item, other, deep):
                continue
            x, y, length = found.push[0, j]
            result.append(
                Contact(
                    name,
                    other.id,
                    deep,
                    float(found.volume[0, j]),
                    (float(x), float(y), float(length)),
                )
            )
        return result

    def _own_cost(self, name: str) -> tuple[int, float]:
        """(violations, loss) of a thing and of what it carries."""
        group = (name, *self.scene.burden(name))
        wrong, loss = 0, 0.0
        for thing in group:
            item = self.scene[thing]
            wrong += is_outside(self.scene, item)
            if thing == name:
                wrong += len(broken(self.scene, item))
            for contact in self._contacts_of(thing):
                if contact.counts and contact.b not in group:
                    wrong += 1
                    loss += contact.depth
        return wrong, loss


def _unit(vector: Floats) -> Floats:
    length = float(np.hypot(*vector))
    return vector / length if length > 1e-9 else np.zeros(2)
