"""Making Sokoban rooms by playing backwards, and solving them breadth first.

The standard generator (Racanière et al., Imagination-Augmented Agents, 2017; gym-sokoban): a random
walk that digs with five masks, boxes on their targets, then a depth-first search of backward play,
in which the player pulls. Its best state is the room: changes of the pulled box times how far all
boxes are from home. Wang et al., VAGEN (2025), then let the player wander off half of the time.

A state is one number: the player's place among the floor cells, then each box's, in that base.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...grid.cache import kernel, part
from ...grid.rng import below, seed_match, uniform

WALL, FLOOR, TARGET, BOX_ON, BOX, PLAYER, PLAYER_ON = range(7)
CODES = 7
DEPTH = 100
"""Of backward play."""
MAX_STATES = 2_000_000
MAX_BOXES = 4
_TURN, _WANDER, _STRAY = 0.35, 0.5, 3
# Three by three cells around the digger: across, down, and three corners.
_MASKS = np.array(
    [
        [0, 0, 0, 1, 1, 1, 0, 0, 0],
        [0, 1, 0, 0, 1, 0, 0, 1, 0],
        [0, 0, 0, 1, 1, 0, 0, 1, 0],
        [0, 0, 0, 1, 1, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 1, 0, 1, 0],
    ],
    np.uint8,
)


class Desk(NamedTuple):
    """What is needed while a room is made; kernels allocate nothing.

    Attributes:
        place: int64 ``[cells]``, floor cells by number.
        number: int64 ``[cells]``, and back; -1 for walls.
        next: int64 ``[cells, 4]``, the floor cell that each move leads to, by number, or -1.
        depth: int16 ``[states]``, moves to a state; -1 for none yet.
        queue: int32 ``[states]``.
        stack: int64 ``[DEPTH + 1, 4]``: state, next move, changes, last box of backward play.
        home: int64 ``[MAX_BOXES]``, targets by number.
        boxes: int64 ``[MAX_BOXES]``, boxes of the state at hand.
        masks: uint8 ``[5, 9]``.
    """

    place: Any
    number: Any
    next: Any
    depth: Any
    queue: Any
    stack: Any
    home: Any
    boxes: Any
    masks: Any


def new_desk(height: int, width: int, boxes: int) -> Desk:
    """A desk for rooms of one size."""
    cells, states = height * width, ((height - 2) * (width - 2)) ** (boxes + 1)
    return Desk(
        place=np.zeros(cells, np.int64),
        number=np.zeros(cells, np.int64),
        next=np.zeros((cells, 4), np.int64),
        depth=np.zeros(states, np.int16),
        queue=np.zeros(states, np.int32),
        stack=np.zeros((DEPTH + 1, 4), np.int64),
        home=np.zeros(MAX_BOXES, np.int64),
        boxes=np.zeros(MAX_BOXES, np.int64),
        masks=_MASKS.copy(),
    )


@kernel
def _pick(rng: Any, e: int, n: int) -> Any:
    """A whole number below ``n``; called, not inlined: it stands in a dozen places."""
    return below(rng, e, n)


@kernel
def _chance(rng: Any, e: int) -> Any:
    """A number in (0, 1]."""
    return uniform(rng, e)


@kernel
def _dig(rng: Any, e: int, grid: Any, masks: Any, height: int, width: int) -> None:
    """A random walk that digs floor out of walls."""
    grid[e, :] = WALL
    row, column = 1 + _pick(rng, e, height - 2), 1 + _pick(rng, e, width - 2)
    way = _pick(rng, e, 4)
    for _ in range(int(1.7 * (height + width))):
        if _chance(rng, e) < _TURN:
            way = _pick(rng, e, 4)
        row += (way == 1) - (way == 0)
        column += (way == 3) - (way == 2)
        row, column = min(max(row, 1), height - 2), min(max(column, 1), width - 2)
        mask = _pick(rng, e, 5)
        for k in range(9):
            y, x = row + k // 3 - 1, column + k % 3 - 1
            inside = 0 < y < height - 1 and 0 < x < width - 1
            if inside and masks[mask, k]:
                grid[e, y * width + x] = FLOOR


@kernel
def _survey(grid: Any, e: int, desk: Desk, width: int) -> int:
    """Number the floor cells and say where moves lead. Returns how many there are."""
    floors = 0
    for cell in range(grid.shape[1]):
        desk.number[cell] = -1
        if grid[e, cell] != WALL:
            desk.number[cell] = floors
            desk.place[floors] = cell
            floors += 1
    for k in range(floors):
        cell = desk.place[k]
        desk.next[k, 0] = desk.number[cell - width]
        desk.next[k, 1] = desk.number[cell + width]
        desk.next[k, 2] = desk.number[cell - 1]
        desk.next[k, 3] = desk.number[cell + 1]
    return floors


@part
def _box_at(held: Any, boxes: int, place: int) -> int:
    """Which of the boxes held is at a place; -1 for none."""
    for b in range(boxes):
        if held[b] == place:
            return b
    return -1


@part
def _unpack(held: Any, boxes: int, floors: int, state: int) -> int:
    """Take a state's boxes into ``held``. Returns the player's place."""
    for b in range(boxes):
        held[b] = state % floors
        state //= floors
    return state


@part
def _packed(held: Any, boxes: int, floors: int, player: int) -> int:
    state = player
    for b in range(boxes - 1, -1, -1):
        state = state * floors + held[b]
    return state


@kernel
def _score(desk: Desk, boxes: int, player: int, changes: int, width: int) -> int:
    """How good a room the state on the desk is: changes times displacement; 0 for none."""
    far = 0
    for b in range(boxes):
        home, here = desk.place[desk.home[b]], desk.place[desk.boxes[b]]
        far += abs(home // width - here // width) + abs(home % width - here % width)
        covered = desk.home[b] == player or _box_at(desk.boxes, boxes, desk.home[b]) >= 0
        if covered:
            return 0
    return changes * far


@kernel
def _backwards(desk: Desk, boxes: int, floors: int, player: int, width: int) -> tuple[int, int]:
    """The best state of backward play, depth first from boxes at home, and its score."""
    states = floors
    for _ in range(boxes):
        states *= floors
    desk.depth[:states] = -1
    for b in range(boxes):
        desk.boxes[b] = desk.home[b]
    start = _packed(desk.boxes, boxes, floors, player)
    stack, top = desk.stack, 0
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = start, 0, 0, -1
    desk.depth[start] = 0
    best, best_score = start, 0
    while top >= 0:
        move = stack[top, 1]
        if move == 8 or top == DEPTH:
            top -= 1
            continue
        stack[top, 1] += 1
        here = _unpack(desk.boxes, boxes, floors, stack[top, 0])
        way = move % 4
        there = desk.next[here, way]
        if there < 0 or _box_at(desk.boxes, boxes, there) >= 0:
            continue
        changes, last = stack[top, 2], stack[top, 3]
        if move < 4:  # pull what is behind
            behind = desk.next[here, way ^ 1]
            pulled = _box_at(desk.boxes, boxes, behind) if behind >= 0 else -1
            if pulled < 0:
                continue
            desk.boxes[pulled] = here
            changes += pulled != last
            last = pulled
        state = _packed(desk.boxes, boxes, floors, there)
        if desk.depth[state] >= 0:
            continue
        top += 1
        desk.depth[state] = top
        stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = state, 0, changes, last
        score = _score(desk, boxes, there, changes, width)
        if score > best_score:
            best, best_score = state, score
    return best, best_score


@kernel
def make_room(rng: Any, e: int, grid: Any, desk: Desk, height: int, width: int, boxes: int) -> None:
    """Write a room into ``grid[e]``; all draws come from generator ``e``."""
    while True:
        _dig(rng, e, grid, desk.masks, height, width)
        floors = _survey(grid, e, desk, width)
        if floors < 2 * boxes + 1:
            continue
        for b in range(boxes):
            home = _pick(rng, e, floors)
            taken = True
            while taken:
                taken = False
                for k in range(b):
                    taken = taken or desk.home[k] == home
                if taken:
                    home = _pick(rng, e, floors)
            desk.home[b] = home
            desk.boxes[b] = home
        player = _pick(rng, e, floors)
        while _box_at(desk.boxes, boxes, player) >= 0:
            player = _pick(rng, e, floors)
        best, score = _backwards(desk, boxes, floors, player, width)
        if score > 0:
            break
    player = _unpack(desk.boxes, boxes, floors, best)
    if _chance(rng, e) <= _WANDER:
        player = _wander(rng, e, desk, boxes, player, 1 + _pick(rng, e, _STRAY))
    _write(grid, e, desk, boxes, player)


@kernel
def _wander(rng: Any, e: int, desk: Desk, boxes: int, player: int, steps: int) -> int:
    """Where the player is after a few random steps that push nothing."""
    for _ in range(steps):
        free = 0
        for way in range(4):
            there = desk.next[player, way]
            free += there >= 0 and _box_at(desk.boxes, boxes, there) < 0
        if free == 0:
            return player
        chosen = _pick(rng, e, free)
        here = player
        for way in range(4):
            there = desk.next[here, way]
            if there >= 0 and _box_at(desk.boxes, boxes, there) < 0:
                if chosen == 0:
                    player = there
                chosen -= 1
    return player


@kernel
def _write(grid: Any, e: int, desk: Desk, boxes: int, player: int) -> None:
    """Boxes, targets and player of the desk as codes."""
    for b in range(boxes):
        grid[e, desk.place[desk.home[b]]] = TARGET
    for b in range(boxes):
        cell = desk.place[desk.boxes[b]]
        grid[e, cell] = BOX_ON if grid[e, cell] == TARGET else BOX
    cell = desk.place[player]
    grid[e, cell] = PLAYER_ON if grid[e, cell] == TARGET else PLAYER


@kernel
def rooms_of(
    seeds: Any, grid: Any, rng: Any, desk: Desk, height: int, width: int, boxes: int
) -> None:
    """The room of each seed, one after the other: uint8 ``[L, H W]`` into ``grid``."""
    for e in range(seeds.shape[0]):
        seed_match(rng, e, seeds[e])
        make_room(rng, e, grid, desk, height, width, boxes)


@kernel
def optima(grid: Any, desk: Desk, width: int, boxes: int, most: int, found: Any) -> None:
    """The fewest moves that solve each room, breadth first; -1 if there are none up to ``most``.

    Args:
        grid: uint8 ``[L, H W]``, with as many targets as boxes.
        desk: for rooms of this size.
        width: of a room.
        boxes: in each room.
        most: moves to look ahead.
        found: int64 ``[L]``, written.
    """
    for e in range(grid.shape[0]):
        found[e] = _optimum(grid, e, desk, width, boxes, most)


@kernel
def _optimum(grid: Any, e: int, desk: Desk, width: int, boxes: int, most: int) -> Any:
    floors = _survey(grid, e, desk, width)
    player, b = 0, 0
    for cell in range(grid.shape[1]):
        what = grid[e, cell]
        if what in (BOX, BOX_ON):
            desk.boxes[b] = desk.number[cell]
            b += 1
        if what in (PLAYER, PLAYER_ON):
            player = desk.number[cell]
    states = floors
    for _ in range(boxes):
        states *= floors
    desk.depth[:states] = -1
    start = _packed(desk.boxes, boxes, floors, player)
    desk.depth[start], desk.queue[0] = 0, start
    first, last = 0, 1
    while first < last:
        state = desk.queue[first]
        first += 1
        moves = desk.depth[state]
        here = _unpack(desk.boxes, boxes, floors, state)
        home = True
        for b in range(boxes):
            what = grid[e, desk.place[desk.boxes[b]]]
            home = home and (what in (TARGET, BOX_ON, PLAYER_ON))
        if home:
            return moves
        if moves == most:
            continue
        for way in range(4):
            there = desk.next[here, way]
            if there < 0:
                continue
            pushed = _box_at(desk.boxes, boxes, there)
            if pushed >= 0:
                beyond = desk.next[there, way]
                if beyond < 0 or _box_at(desk.boxes, boxes, beyond) >= 0:
                    continue
                desk.boxes[pushed] = beyond
            after = _packed(desk.boxes, boxes, floors, there)
            if pushed >= 0:
                desk.boxes[pushed] = there
            if desk.depth[after] < 0:
                desk.depth[after] = moves + 1
                desk.queue[last] = after
                last += 1
    return -1
