"""Sokoban and FrozenLake once more, on lists of characters, and solved breadth first."""

from __future__ import annotations

from collections import deque

STEPS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}
UNDER = {"S": "O", "P": "_", "√": "O", "X": "_", "O": "O", "_": "_"}


def find(rows, marks):
    return [(y, x) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in marks]


def push(rows, move):
    """One move: (rows after it, reward, whether all boxes are home)."""
    cells = [list(row) for row in rows]
    (y, x), (dy, dx) = find(rows, "PS")[0], STEPS[move]
    there, beyond = (y + dy, x + dx), (y + 2 * dy, x + 2 * dx)
    home = len(find(rows, "√"))
    if cells[there[0]][there[1]] in "X√" and cells[beyond[0]][beyond[1]] in "_O":
        cells[beyond[0]][beyond[1]] = "√" if cells[beyond[0]][beyond[1]] == "O" else "X"
        cells[there[0]][there[1]] = UNDER[cells[there[0]][there[1]]]
    if cells[there[0]][there[1]] in "_O":
        cells[there[0]][there[1]] = "S" if cells[there[0]][there[1]] == "O" else "P"
        cells[y][x] = UNDER[cells[y][x]]
    after = ["".join(row) for row in cells]
    solved = not find(after, "X")
    return after, -0.1 + len(find(after, "√")) - home + 10 * solved, solved


def walk(rows, move):
    """One move over the ice: (rows after it, reward, over)."""
    cells = [list(row) for row in rows]
    (y, x), (dy, dx) = find(rows, "P")[0], STEPS[move]
    if not (0 <= y + dy < len(rows) and 0 <= x + dx < len(rows[0])):
        return rows, 0.0, False
    what = cells[y + dy][x + dx]
    cells[y][x], cells[y + dy][x + dx] = "_", {"O": "X", "G": "√", "_": "P"}[what]
    return ["".join(row) for row in cells], 10.0 * (what == "G"), what != "_"


def solution(rows, step, most=60):
    """The shortest moves to the best end, or None."""
    start = tuple(rows)
    came, queue = {start: ()}, deque([start])
    while queue:
        here = queue.popleft()
        if len(came[here]) == most:
            continue
        for move in STEPS:
            after, reward, over = step(list(here), move)
            if over and reward > 1:
                return [*came[here], move]
            if not over and tuple(after) not in came:
                came[tuple(after)] = (*came[here], move)
                queue.append(tuple(after))
    return None
