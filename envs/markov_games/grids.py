"""Two games on a board as tables: a pursuit, and Littman's soccer (1994) on a smaller pitch.

Both count who is where as one state, so that all that is exact for tables holds for them. Rewards
are paid in the states that follow a success, so that they are a function of the state.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from .games import MarkovGame

MOVES = {"stay": (0, 0), "north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
SLIP = 0.1
"""The chance that a move does not happen, in the pursuit."""
PURSUIT_SIDE = 4
PITCH = (3, 4)
"""Rows and columns of the soccer pitch; Littman's is 4 x 5, whose kernel takes 116 MB."""
Cell: TypeAlias = tuple[int, int]
HUNT = (
    f"max hunts min on a board of {PURSUIT_SIDE} x {PURSUIT_SIDE} cells; a move fails with "
    f"probability {SLIP}. In each step in which both share a cell, max gets 1, and both are set "
    "down anew, anywhere; in any other step max gets 0."
)
MATCH = (
    f"Soccer on a pitch of {PITCH[0]} rows and {PITCH[1]} columns. max scores by carrying the ball "
    "east off the last column, min west off the first one, in the middle of the side. Both move in "
    "an order decided by a toss; who moves into the other stays, and the ball is then with the one "
    "who was there. The step after a goal pays max 1 if max scored and 0 if min did, any other "
    "step 0.5; then there is a kick-off, with the ball at random."
)


def _cells(rows: int, columns: int) -> list[Cell]:
    return list(itertools.product(range(rows), range(columns)))


def _moved(cell: Cell, move: str, rows: int, columns: int) -> Cell:
    row, column = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
    return (row, column) if 0 <= row < rows and 0 <= column < columns else cell


@lru_cache(maxsize=8)
def pursuit(horizon: int = 20) -> MarkovGame:
    """``max`` hunts ``min`` on a square board; moves fail with probability ``SLIP``.

    While both share a cell ``max`` gets 1, and both are set down anew, anywhere.
    """
    side = PURSUIT_SIDE
    cells = _cells(side, side)
    states = list(itertools.product(cells, cells))
    index = {state: number for number, state in enumerate(states)}
    kernel = np.zeros((1, len(states), len(MOVES), len(MOVES), len(states)))
    rewards = np.zeros(kernel.shape[:-1])
    for number, (hunter, prey) in enumerate(states):
        if hunter == prey:
            kernel[0, number] = 1.0 / len(states)
            rewards[0, number] = 1.0
            continue
        for (a, mine), (b, yours) in itertools.product(enumerate(MOVES), enumerate(MOVES)):
            for goes, runs in itertools.product((True, False), (True, False)):
                chance = (1 - SLIP if goes else SLIP) * (1 - SLIP if runs else SLIP)
                there = _moved(hunter, mine, side, side) if goes else hunter
                away = _moved(prey, yours, side, side) if runs else prey
                kernel[0, number, a, b, index[there, away]] += chance
    names = tuple(
        f"max at row {h[0] + 1}, column {h[1] + 1}; min at row {p[0] + 1}, column {p[1] + 1}"
        for h, p in states
    )
    start = np.full(len(states), 1.0 / len(states))
    boards = tuple(_board({h: "M", p: "m"} if h != p else {h: "X"}, side, side) for h, p in states)
    return MarkovGame(kernel, rewards, start, horizon, names, tuple(MOVES), boards, HUNT)


@lru_cache(maxsize=8)
def soccer(horizon: int = 30) -> MarkovGame:
    """Littman's soccer: carry the ball off the other's side; ``max`` scores in the east.

    Both choose at the same time and move in an order decided by a toss. Who moves into the other
    stays, and the ball goes, or stays, to the one who was there. A goal of ``max`` pays it 1, one
    of ``min`` 0, any other step one half; then there is a kick-off with the ball at random.
    """
    pitch = PITCH
    cells = _cells(*pitch)
    mouth = tuple(row for row in range(pitch[0]) if abs(2 * row - pitch[0] + 1) <= 1)
    play = [(m, n, ball) for m in cells for n in cells if m != n for ball in (0, 1)]
    states: list[tuple[Cell, Cell, int] | str] = ["max scored", "min scored", *play]
    index = {state: number for number, state in enumerate(states)}
    off = [index[kick] for kick in _kick_offs(pitch, mouth)]
    kernel = np.zeros((1, len(states), len(MOVES), len(MOVES), len(states)))
    rewards = np.full(kernel.shape[:-1], 0.5)
    rewards[0, 0], rewards[0, 1] = 1.0, 0.0
    kernel[0, :2, :, :, off] = 1.0 / len(off)
    for state in play:
        for (a, mine), (b, yours) in itertools.product(enumerate(MOVES), enumerate(MOVES)):
            for order in ((0, 1), (1, 0)):
                after = _turns(state, (mine, yours), order, pitch, mouth)
                kernel[0, index[state], a, b, index[after]] += 0.5
    start = np.zeros(len(states))
    start[off] = 1.0 / len(off)
    names = tuple(state if isinstance(state, str) else _said(state) for state in states)
    boards = tuple(state if isinstance(state, str) else _pitch(state, pitch) for state in states)
    return MarkovGame(kernel, rewards, start, horizon, names, tuple(MOVES), boards, MATCH)


def _kick_offs(pitch: tuple[int, int], mouth: tuple[int, ...]) -> Iterator[tuple[Cell, Cell, int]]:
    mine, yours = (mouth[-1], 0), (mouth[0], pitch[1] - 1)
    for ball in (0, 1):
        yield mine, yours, ball


def _turns(
    state: tuple[Cell, Cell, int],
    moves: tuple[str, str],
    order: tuple[int, int],
    pitch: tuple[int, int],
    mouth: tuple[int, ...],
) -> tuple[Cell, Cell, int] | str:
    places, ball = [state[0], state[1]], state[2]
    for player in order:
        cell, move = places[player], moves[player]
        ahead = cell[1] + MOVES[move][1]
        if ball == player and cell[0] in mouth and ahead == (pitch[1] if player == 0 else -1):
            return "max scored" if player == 0 else "min scored"
        there = _moved(cell, move, *pitch)
        if there == places[1 - player]:
            ball = 1 - player
        else:
            places[player] = there
    return places[0], places[1], ball


def _said(state: tuple[Cell, Cell, int]) -> str:
    m, n, ball = state
    return (
        f"max at row {m[0] + 1}, column {m[1] + 1}; min at row {n[0] + 1}, column {n[1] + 1}; "
        f"{('max', 'min')[ball]} has the ball"
    )


def _pitch(state: tuple[Cell, Cell, int], pitch: tuple[int, int]) -> str:
    m, n, ball = state
    return _board({m: "X" if ball == 0 else "x", n: "O" if ball == 1 else "o"}, *pitch)


def _board(marks: Mapping[Cell, str], rows: int, columns: int) -> str:
    return "\n".join(
        " ".join(marks.get((row, column), ".") for column in range(columns)) for row in range(rows)
    )
