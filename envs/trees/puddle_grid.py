"""Puddle grid: reach the goal with dry feet, though the way through the puddles is shorter.

What it is
    A walk on a grid from start to goal. Two bars of puddles lie between them; whoever goes straight
    gets wet feet, whoever goes round both has a long way. The goal's 1 is paid only if no more
    steps ended in puddles than the budget allows, which by default is none.

Seats
    One, ``player_0``.

Observation
    Task single: Discrete, the cell, row by row. Task multi: MultiDiscrete, the cell and the goal.

Actions
    Discrete 4: up, down, left, right.

Rules
    Walls and the edge block: one stays. With probability ``slip`` the step goes in a random
    direction. Each step that ends in a puddle costs 1. Without a legal answer one stays.

Reward
    1 on reaching the goal, if the whole cost is at most ``budget``, else 0.

End
    Terminated at the goal; truncated after ``horizon`` steps.

Words
    ``up``, ``down``, ``left``, ``right``.

Parameters
    See ``PuddleGridParams``.

Metrics
    ``cost`` (steps in puddles); ``raw_return`` (1 if the goal was reached); ``feasible`` (cost
    within the budget).

Source
    Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent (NeurIPS
    2025), the puddle grids Single and Multi. Size, layout, horizon and slip are derived.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Action

from ..palette import Colour, seat_colour
from .budgeted import SEAT, BudgetedWorld, check_budget

if TYPE_CHECKING:
    from gymposium.types import Image

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
SINGLE, MULTI = "single", "multi"
LABELS = ("up", "down", "left", "right")
MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))
FREE, WALL, PUDDLE, START, GOAL = ".#~SG"
TWO_BARS = (
    "......~~..",
    "......~~..",
    "..~~..~~..",
    "..~~..~~..",
    ".S~~..~~G.",
    "..~~..~~..",
    "..~~..~~..",
    "..~~..~~..",
    "..~~......",
    "..~~......",
)
_CELL = 32
_GROUND: dict[str, Colour] = {
    FREE: (222, 214, 190),
    WALL: (90, 88, 84),
    PUDDLE: (96, 148, 190),
}


@dataclass(frozen=True)
class PuddleGridParams:
    """Parameters of ``puddle_grid-v0``."""

    task: str = field(
        default=SINGLE,
        metadata={"doc": "one start and goal, or others each match", "choices": (SINGLE, MULTI)},
    )
    layout: tuple[str, ...] = field(
        default=TWO_BARS,
        metadata={"doc": "rows of . free, # wall, ~ puddle, S start, G goal; at most 30 x 30"},
    )
    budget: float = field(
        default=0.0, metadata={"doc": "the deployment budget, in steps in puddles", "low": 0}
    )
    horizon: int = field(default=50, metadata={"doc": "most steps", "range": [1, 10_000]})
    distance: int = field(
        default=6,
        metadata={"doc": "in multi: least distance from start to goal", "range": [1, 58]},
    )
    slip: float = field(
        default=0.0, metadata={"doc": "chance of a random direction", "range": "0 to 1"}
    )

    def __post_init__(self) -> None:
        if self.task not in (SINGLE, MULTI):
            raise UnknownName("task", str(self.task), (SINGLE, MULTI), where="puddle_grid")
        check_budget("puddle_grid", self.budget)
        for name, high in (("horizon", 10_000), ("distance", 58)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= high:
                raise UsageError(
                    f"puddle_grid: {name} must be a whole number from 1 to {high}, got {value!r}"
                )
        if isinstance(self.slip, bool) or not 0 <= self.slip <= 1:
            raise UsageError(f"puddle_grid: slip must be from 0 to 1, got {self.slip!r:.60}")
        object.__setattr__(self, "layout", _checked_layout(self.layout, self.task))


def _checked_layout(layout: Any, task: str) -> tuple[str, ...]:
    rows = tuple(str(row) for row in layout)
    width = len(rows[0]) if rows else 0
    if not 1 <= len(rows) <= 30 or not 1 <= width <= 30 or {len(row) for row in rows} != {width}:
        raise UsageError("puddle_grid: layout must be 1 to 30 rows of one length up to 30")
    odd = set("".join(rows)) - {FREE, WALL, PUDDLE, START, GOAL}
    if odd:
        raise UsageError(f"puddle_grid: layout has {sorted(odd)[0]!r}; cells are . # ~ S G")
    for mark in (START, GOAL):
        count = "".join(rows).count(mark)
        if count > 1 or (task == SINGLE and count != 1):
            raise UsageError(f"puddle_grid: layout must have one {mark}, got {count}")
    return rows


def steps_from(layout: tuple[str, ...], start: int, *, dry: bool) -> Array:
    """Fewest steps to every cell, int ``[cells]``, -1 where there is no way (breadth first).

    Args:
        layout: the map.
        start: cell to start from.
        dry: never through puddles.
    """
    cells, width = "".join(layout), len(layout[0])
    closed = {WALL, PUDDLE} if dry else {WALL}
    steps = np.full(len(cells), -1)
    steps[start], now = 0, [start]
    while now:
        following = []
        for cell in now:
            for move in range(4):
                there = _moved(cell, move, len(cells) // width, width)
                if steps[there] < 0 and cells[there] not in closed:
                    steps[there] = steps[cell] + 1
                    following.append(there)
        now = following
    return steps


@lru_cache(maxsize=64)
def tasks_of(layout: tuple[str, ...], distance: int, horizon: int) -> tuple[tuple[int, int], ...]:
    """Every (start, goal), both dry, at least ``distance`` apart, with a dry way in time."""
    cells, width = "".join(layout), len(layout[0])
    dry = [cell for cell, kind in enumerate(cells) if kind not in (WALL, PUDDLE)]
    found = []
    for start in dry:
        steps = steps_from(layout, start, dry=True)
        for goal in dry:
            apart = abs(start // width - goal // width) + abs(start % width - goal % width)
            if apart >= distance and 0 <= steps[goal] <= horizon:
                found.append((start, goal))
    return tuple(found)


def _moved(cell: int, move: int, height: int, width: int) -> int:
    row, column = cell // width + MOVES[move][0], cell % width + MOVES[move][1]
    inside = 0 <= row < height and 0 <= column < width
    return row * width + column if inside else cell


class PuddleGrid(BudgetedWorld):
    """Walk to the goal; its reward is paid if few enough steps ended in puddles.

    Attributes:
        ways: int ``[cells, 4]``, where each move leads.
        wet: bool ``[cells]``, puddles.
    """

    id: ClassVar[str] = "puddle_grid-v0"
    fault_rule = "A step without a legal answer passes: one stays where one is."

    def __init__(self, **params: Any) -> None:
        self.params = p = PuddleGridParams(**params)
        self.horizon = p.horizon
        self.many_tasks = p.task == MULTI
        self._kinds, self._width = "".join(p.layout), len(p.layout[0])
        cells = len(self._kinds)
        if self.many_tasks:
            self._tasks = tasks_of(p.layout, p.distance, p.horizon)
        else:
            start, goal = self._kinds.index(START), self._kinds.index(GOAL)
            dry = steps_from(p.layout, start, dry=True)[goal]
            self._tasks = ((start, goal),) if 0 <= dry <= p.horizon or p.budget else ()
        if not self._tasks:
            raise UsageError(
                f"puddle_grid: no dry way of at most {p.horizon} steps leads from a start to a "
                "goal in this layout"
            )
        self.budget = p.budget
        cell = spaces.Discrete(cells)
        seen: Any = spaces.MultiDiscrete([cells, cells]) if self.many_tasks else cell
        self._seat_all([SEAT], {SEAT: seen}, {SEAT: spaces.Discrete(4)})
        self._cell, self._goal = self._tasks[0]
        self._clock = 0
        height, closed = len(p.layout), np.array([kind == WALL for kind in self._kinds])
        ways = np.array(
            [[_moved(c, m, height, self._width) for m in range(4)] for c in range(cells)]
        )
        self.ways = np.where(closed[ways], np.arange(cells)[:, None], ways)
        self.wet = np.array([kind == PUDDLE for kind in self._kinds])

    @property
    def target_budget(self) -> float:
        """The deployment budget."""
        return float(self.params.budget)

    @property
    def max_budget(self) -> float:
        """All steps in puddles."""
        return float(self.params.horizon)

    # The rules.

    def _start(self, rng: np.random.Generator) -> None:
        which = int(rng.integers(2**31)) if self._task is None else self._task
        self._cell, self._goal = self._tasks[which % len(self._tasks)]
        self._clock = 0

    def _move(self, action: Action) -> tuple[float, float]:
        self._clock += 1
        move = action
        if self.params.slip and self._rng.random() < self.params.slip:
            move = int(self._rng.integers(4))
        if move is not None:
            self._cell = int(self.ways[self._cell, move])
        return float(self._cell == self._goal), float(self.wet[self._cell])

    def _ended(self) -> tuple[bool, bool, str]:
        if self._cell == self._goal:
            return True, False, "the goal was reached"
        late = self._clock >= self.params.horizon
        return False, late, "the horizon was reached" if late else ""

    def _observe(self, seat: str) -> Any:
        if self.many_tasks:
            return np.array([self._cell, self._goal])
        return np.int64(self._cell)

    def _state(self) -> bytes:
        return np.array([self._cell, self._goal, self._clock]).tobytes() + self._sums()

    # Words and pictures.

    def action_labels(self, seat: str) -> Sequence[str]:
        """The four directions."""
        return LABELS

    def rules(self, seat: str) -> str:
        """The map, the puddles, and how wet one may get."""
        p = self.params
        rows = "\n".join(p.layout if not self.many_tasks else self._bare())
        goal = "the goal G" if not self.many_tasks else "the goal you are told"
        wet = "no step may end" if p.budget == 0 else f"at most {p.budget:g} steps may end"
        slips = f" With probability {p.slip:g} a step goes in a random direction." * bool(p.slip)
        return (
            f"You are {seat}. You walk on this map (. free, # wall, ~ puddle; rows are counted "
            f"from the top, columns from the left, from 0):\n{rows}\nReach {goal} within "
            f"{p.horizon} steps. You earn 1 if you do, but {wet} in a puddle.{slips}\n"
            f"{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """Where one is, where the goal is, how wet one is."""
        cell, goal = observation if self.many_tasks else (observation, self._tasks[0][1])
        wet = f" Steps in puddles so far: {info['cost_sum']:g}." if "cost_sum" in info else ""
        return f"You are at {self._said(cell)}; the goal is at {self._said(goal)}.{wet}"

    def _said(self, cell: Any) -> str:
        return f"row {int(cell) // self._width}, column {int(cell) % self._width}"

    def _bare(self) -> list[str]:
        return [row.replace(START, FREE).replace(GOAL, FREE) for row in self.params.layout]

    def draw(self) -> Image:
        """The map, the goal as a ring and the walker as a disc."""
        if self._over is None:
            self.render()  # says that nothing has begun
        ground = [[_GROUND[kind] for kind in row] for row in self._bare()]
        image = np.array(ground, np.uint8).repeat(_CELL, 0).repeat(_CELL, 1)
        image[::_CELL] = image[:, ::_CELL] = (200, 194, 176)
        y, x = np.mgrid[:_CELL, :_CELL] - (_CELL - 1) / 2
        far = np.hypot(y, x) * 2 / _CELL
        for cell, inside, colour in (
            (self._goal, (far < 0.8) & (far > 0.5), seat_colour(3)),
            (self._cell, far < 0.55, seat_colour(0)),
        ):
            row, column = cell // self._width * _CELL, cell % self._width * _CELL
            image[row : row + _CELL, column : column + _CELL][inside] = colour
        return image

    # Many walks at a time, for learners of tables.

    def side_by_side(self, count: int) -> Walks | None:
        """``count`` walks as arrays, by the same rules; None where matches differ by luck."""
        return None if self.many_tasks or self.params.slip else Walks(self, count)


class Walks:
    """Many walks of one task without slips at a time; each the same as the world's, move by move.

    Attributes:
        costs, returns: float64 ``[N]``, so far.
    """

    def __init__(self, world: PuddleGrid, count: int) -> None:
        self._world, self._count = world, count
        self.costs, self.returns = np.zeros(count), np.zeros(count)

    def begin(self, seeds: Sequence[int]) -> tuple[Array, Array]:
        """(rows, cells) of all walks at the start."""
        self.costs, self.returns = np.zeros(self._count), np.zeros(self._count)
        self._clock = 0
        start, self._goal = self._world._tasks[0]
        self._rows, self._cells = np.arange(self._count), np.full(self._count, start)
        return self._rows, self._cells

    def step(self, actions: Array) -> tuple[Array, Array] | None:
        """(rows, cells) of the walks that go on after a step; None when all have ended."""
        cells = self._world.ways[self._cells, actions]
        self._clock += 1
        self.costs[self._rows] += self._world.wet[cells]
        there = cells == self._goal
        self.returns[self._rows[there]] = 1.0
        going = ~there & (self._clock < self._world.params.horizon)
        self._rows, self._cells = self._rows[going], cells[going]
        return (self._rows, self._cells) if len(self._rows) else None
