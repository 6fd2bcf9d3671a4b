"""Four grades by rule, in place of a judge who looks: deterministic, free, and only a rule.

SceneWeaver has a vision-language model grade realism, function, layout and completion from 0 to
10 under strict caps (arXiv 2509.20414). These rules follow its rubric as far as it can be computed;
they are *not* the paper's grades, and a planner that is steered by them must be judged by others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .bodies import supports
from .catalogue import Mount, category
from .contacts import collisions, is_outside
from .metrics import counted_items, covered, navigability
from .prisms import area
from .relations import broken, turn_between
from .room_types import RoomType, room_type
from .scene import WALL_KINDS, Item, RelationKind, Scene
from .zones import belongs, door_zones, front_zone, zone_of

LABEL = "rule-based grades (not a judge's)"
GRADES = ("realism", "function", "layout", "completion")
"""The four, by name."""
COVERED_GOAL = 0.35
"""Share of the floor that a complete room covers."""
_BLOCKED = 0.2
"""Share of a front's strip that may be taken before it counts as blocked."""
_TABLES = frozenset(
    [
        "dining_table",
        "round_table",
        "meeting_table",
        "kids_table",
        "desk",
        "dressing_table",
        "piano",
    ]
)


@dataclass(frozen=True)
class Grades:
    """0 to 10 each, with a comment each: what is missing most."""

    realism: float
    function: float
    layout: float
    completion: float
    comments: tuple[str, str, str, str] = ("", "", "", "")

    @property
    def total(self) -> float:
        """The sum of the four, 0 to 40."""
        return self.realism + self.function + self.layout + self.completion


def grade(scene: Scene) -> Grades:
    """Grade a room as its type wants it.

    Raises:
        UnknownName: the room is of a type that nothing is known of.
    """
    kind = room_type(scene.room.type)
    graded = (_realism, _function, _layout, _completion)
    real, function, layout, complete = (rule(scene, kind) for rule in graded)
    return Grades(
        round(real[0], 2),
        round(function[0], 2),
        round(layout[0], 2),
        round(complete[0], 2),
        (real[1], function[1], layout[1], complete[1]),
    )


def _realism(scene: Scene, kind: RoomType) -> tuple[float, str]:
    items = scene.items
    if not items:
        return 0.0, "the room is empty"
    strange = [item.id for item in items if item.category not in kind.plausible]
    odd = [item.id for item in items if not _usual_size(item)]
    loose = [item.id for item in items if not item.relations or broken(scene, item)]
    shares = [1 - len(bad) / len(items) for bad in (strange, odd, loose)]
    mark = 10 * (0.5 * shares[0] + 0.3 * shares[1] + 0.2 * shares[2])
    for bad, what in (
        (strange, f"unusual in a {kind.name}"),
        (odd, "of an unusual size"),
        (loose, "not standing as its relations say"),
    ):
        if bad:
            return mark, f"{what}: {_named(bad)}"
    return mark, ""


def _usual_size(item: Item) -> bool:
    row = category(item.category)
    return all(
        0.95 * low <= side <= 1.05 * high
        for side, low, high in zip(item.size, row.low, row.high, strict=True)
    )


def _function(scene: Scene, kind: RoomType) -> tuple[float, str]:
    filled = kind.filled(scene)
    missing = [role for role, there in filled.items() if not there]
    mark = 10 * (len(filled) - len(missing)) / len(filled)
    if not missing:
        return mark, ""
    wanted = {role.name: role for role in kind.required}
    parts = [
        f"{name} ({wanted[name].least} of {', '.join(sorted(wanted[name].categories))})"
        for name in missing
    ]
    return min(mark, 5.0), f"missing: {'; '.join(parts)}"


def _layout(scene: Scene, kind: RoomType) -> tuple[float, str]:
    del kind
    items = counted_items(scene)
    if not items:
        return 0.0, "the room is empty"
    collided = {name for pair in collisions(scene) for name in (pair.a, pair.b)}
    out = [item.id for item in items if is_outside(scene, item)]
    off_wall = [item.id for item in items if any(r.kind in WALL_KINDS for r in broken(scene, item))]
    turned = [item.id for item in items if averted(scene, item)]
    blocked = [item.id for item in items if front_blocked(scene, item)]
    zones = door_zones(scene)
    in_door = [item.id for item in items if any(z.shares(zone_of(item)) > 0 for z in zones)]
    seats = sum(category(item.category).seat for item in items)
    walled = sum(bool(item.kinds() & WALL_KINDS) for item in items)
    fronts = sum(category(item.category).front for item in items)
    shares = (
        1 - len(collided) / len(items),
        1 - len(out) / len(items),
        1 - len(off_wall) / max(walled, 1),
        1 - len(turned) / max(seats, 1),
        1 - len(blocked) / max(fronts, 1),
        float(not in_door),
        navigability(scene),
    )
    mark = 10 * sum(shares) / len(shares)
    comment = ""
    for bad, what in (
        (sorted(collided), "colliding"),
        (out, "outside the room"),
        (in_door, "before the door"),
        (off_wall, "away from its wall"),
        (turned, "not facing its table"),
        (blocked, "with a blocked front"),
    ):
        if bad:
            comment = f"{what}: {_named(bad)}"
            break
    else:
        if shares[-1] < 0.9:
            comment = "parts of the floor cannot be reached from the door"
    return (min(mark, 5.0) if collided else mark), comment


def averted(scene: Scene, item: Item) -> bool:
    """A seat that turns away from the table it stands at."""
    if not category(item.category).seat:
        return False
    tables = [other for other in scene if other.category in _TABLES]
    if not tables:
        return False
    table = min(tables, key=lambda other: math.dist(other.location[:2], item.location[:2]))
    dx, dy = (table.location[k] - item.location[k] for k in range(2))
    if math.hypot(dx, dy) > 2.0:
        return False
    return abs(turn_between(item.rotation, math.atan2(dy, dx))) > math.radians(75)


def front_blocked(scene: Scene, item: Item) -> bool:
    """Whether walls or strangers take more than a fifth of the strip before a thing's front."""
    strip = front_zone(item)
    if strip is None or category(item.category).mount is Mount.TOP:
        return False
    x, y = scene.room.size
    kept = max(0.0, min(strip.x[1], x) - max(strip.x[0], 0.0))
    kept *= max(0.0, min(strip.y[1], y) - max(strip.y[0], 0.0))
    whole = (strip.x[1] - strip.x[0]) * (strip.y[1] - strip.y[0])
    taken = 1 - kept / whole
    for other in scene:
        if taken > _BLOCKED:
            return True
        share = strip.shares(zone_of(other))
        if share > 0.0 and other.id != item.id and not belongs(scene, item, other):
            taken += share / strip.volume
    return taken > _BLOCKED


def _completion(scene: Scene, kind: RoomType) -> tuple[float, str]:
    items = counted_items(scene)
    floor = covered(scene) / COVERED_GOAL
    carriers = [item for item in items if _is_carrier(item)]
    bare = [item.id for item in carriers if not scene.resting.get(item.id)]
    filled = 1 - len(bare) / len(carriers) if carriers else 0.0
    number = min(len(items) / kind.target, 1.0)
    mark = 10 * min(1.0, (min(floor, 1.0) + filled + number) / 3)
    weakest = min((floor, "floor"), (filled, "tops"), (number, "number"))
    if weakest[0] >= 0.95:
        return mark, ""
    comments = {
        "floor": "much of the floor is empty",
        "tops": f"nothing stands on {_named(bare)}"
        if bare
        else "there is nothing to put things on",
        "number": f"{len(items)} things where {kind.target} are usual",
    }
    return mark, comments[weakest[1]]


def _is_carrier(item: Item) -> bool:
    """Something one would put things on: a large enough top of a thing that stands."""
    if category(item.category).seat or RelationKind.ON_FLOOR not in item.kinds():
        return False
    return any(area(support.outline) > 0.015 for support in supports(item))


def _named(names: list[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
