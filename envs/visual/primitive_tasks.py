"""The four tasks of ``primitive_skill-v0``: how each begins, in what stages it is done, in words.

Starts and successes are those of VAGEN's tasks (Wang et al., 2025, on ManiSkill); stages of three
of the four and the cabinet are ours (derived).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .primitive_table import APPLE, CUBE, Drawer, Item, Limits, Place, Table

if TYPE_CHECKING:
    import numpy as np

TARGETS: Mapping[str, Place] = {
    "left_target": (80.0, -100.0, 0.0),
    "right_target": (80.0, 100.0, 0.0),
}
RADIUS = 50.0
"""Of a target, in millimetres."""
_TABLE = Limits((-100.0, 150.0), (-200.0, 200.0), (10.0, 200.0))
_CABINET = Limits((-500.0, -100.0), (-600.0, 200.0), (10.0, 650.0))
_OPEN = 0.6


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        instruction: what is to be done.
        limits: where the hand may go.
        start: draws the things, and the drawer if there is one.
        stages: what must hold, in this order; all of it is success.
        marks: places that are seen but not moved.
        keyed: its stages bear the keys that the authors' program looks for.
    """

    instruction: str
    limits: Limits
    start: Callable[[np.random.Generator], tuple[list[Item], Drawer | None]]
    stages: tuple[Callable[[Table], bool], ...]
    marks: Mapping[str, Place]
    keyed: bool

    def reached(self, table: Table) -> tuple[bool, ...]:
        """Which stages hold now."""
        return tuple(stage(table) for stage in self.stages)


def _whole(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.integers(int(low), int(high) + 1))


def _cube(name: str, x: float, y: float) -> Item:
    return Item(name, CUBE, (x, y, CUBE))


def _align(rng: np.random.Generator) -> tuple[list[Item], Drawer | None]:
    while True:
        red = _cube("red_cube", _whole(rng, 100, 150), _whole(rng, -200, 100))
        green = _cube("green_cube", _whole(rng, 100, 150), _whole(rng, 100, 200))
        if _apart([red, green]):
            return [red, green], None


def _anywhere(
    names: Sequence[str], x: tuple[int, int], y: tuple[int, int]
) -> Callable[[np.random.Generator], tuple[list[Item], Drawer | None]]:
    def start(rng: np.random.Generator) -> tuple[list[Item], Drawer | None]:
        while True:
            items = [_cube(name, _whole(rng, *x), _whole(rng, *y)) for name in names]
            if _apart(items):
                return items, None

    return start


def _apart(items: Sequence[Item]) -> bool:
    """Whether no two footprints overlap."""
    return all(
        max(abs(a.place[0] - b.place[0]), abs(a.place[1] - b.place[1])) > a.half + b.half
        for index, a in enumerate(items)
        for b in items[:index]
    )


def _kitchen(rng: np.random.Generator) -> tuple[list[Item], Drawer | None]:
    apple = Item("apple", APPLE, (_whole(rng, -400, -200), _whole(rng, 0, 150), APPLE))
    drawer = Drawer(0.0)
    return [apple], drawer._replace(opening=_OPEN * drawer.travel)


def _named(table: Table, name: str) -> tuple[Item, bool]:
    """A thing, and whether it is in the hand."""
    index = next(i for i, item in enumerate(table.items) if item.name == name)
    return table.items[index], index == table.held


def _aligned(name: str) -> Callable[[Table], bool]:
    def holds(table: Table) -> bool:
        x, _, z = _named(table, name)[0].place
        return abs(x) <= 10 and abs(z) <= 50

    return holds


def _targeted(name: str, target: str) -> Callable[[Table], bool]:
    def holds(table: Table) -> bool:
        item, held = _named(table, name)
        x, y, _ = TARGETS[target]
        away = (item.place[0] - x) ** 2 + (item.place[1] - y) ** 2
        return not held and away <= RADIUS**2

    return holds


def _stacked(upper: str, lower: str) -> Callable[[Table], bool]:
    def holds(table: Table) -> bool:
        (one, first), (two, second) = _named(table, upper), _named(table, lower)
        away = (one.place[0] - two.place[0]) ** 2 + (one.place[1] - two.place[1]) ** 2
        gap = one.place[2] - two.place[2]
        return not (first or second) and away < 20**2 and gap > 20

    return holds


def _inside(table: Table) -> bool:
    apple, held = _named(table, "apple")
    if table.drawer is None or held:
        return False
    x, y, _ = table.drawer.centre
    away = (apple.place[0] - x) ** 2 + (apple.place[1] - y) ** 2
    return away <= 100**2 and 100 <= apple.place[2] <= 400


def _closed(table: Table) -> bool:
    return table.drawer is not None and table.drawer.opening <= 100 and _inside(table)


TASKS: Mapping[str, Task] = {
    "align": Task(
        "Bring both cubes to x = 0, at any y.",
        _TABLE,
        _align,
        (_aligned("red_cube"), _aligned("green_cube")),
        {},
        keyed=True,
    ),
    "place": Task(
        "Put the red cube on the left target and the green cube on the right target.",
        _TABLE,
        _anywhere(("red_cube", "green_cube"), (-100, 0), (-100, 100)),
        (_targeted("red_cube", "left_target"), _targeted("green_cube", "right_target")),
        TARGETS,
        keyed=False,
    ),
    "stack": Task(
        "Stack the red cube on the green cube, and the purple cube on the red one.",
        _TABLE,
        _anywhere(("red_cube", "green_cube", "purple_cube"), (-100, 150), (-200, 200)),
        (_stacked("red_cube", "green_cube"), _stacked("purple_cube", "red_cube")),
        {},
        keyed=False,
    ),
    "drawer": Task(
        "Put the apple into the drawer and close the drawer.",
        _CABINET,
        _kitchen,
        (_inside, _closed),
        {},
        keyed=False,
    ),
}
"""By name: AlignTwoCube, PlaceTwoCube, StackThreeCube, PutAppleInDrawer."""


def stage_score(task: Task, table: Table, *, legacy: bool) -> float:
    """What a state is worth: 10 for success, else twice the number of the highest stage.

    Args:
        task: which.
        table: its state.
        legacy: count stages only where the authors' program finds their keys.
    """
    reached = task.reached(table)
    if all(reached):
        return 10.0
    if legacy and not task.keyed:
        return 0.0
    return 2.0 * max((stage + 1 for stage, holds in enumerate(reached) if holds), default=0)


def things(task: Task, table: Table) -> dict[str, Any]:
    """All places that are told, by name, in whole millimetres."""
    places = {item.name: item.place for item in table.items}
    places.update(task.marks)
    if table.drawer is not None:
        places["drawer"], places["drawer_face"] = table.drawer.centre, table.drawer.face
    return {name: [round(part) for part in place] for name, place in places.items()}
