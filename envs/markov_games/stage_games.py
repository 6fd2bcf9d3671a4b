"""Stage games solved by the thousand: zero-sum by the simplex method, general-sum by Lemke-Howson.

One linear program for every state and step of a game is what planning in Markov games costs; here
they are solved in one call of a compiled kernel. A zero-sum game is first looked through for a
saddle point, then solved in closed form if it is 2 x 2, else by the simplex method on the tableau
of von Neumann's program (Bland's rule once it has gone on suspiciously long). A general-sum game is
solved by Lemke and Howson's complementary pivoting (1964) with lexicographic ties, from each of its
labels until the answer checks out. Every answer is checked: what either side could gain is at most
``TOLERANCE`` times the spread of the pay-offs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import GymposiumError

from ..grid.cache import kernel

Array: TypeAlias = np.ndarray[Any, Any]
TOLERANCE = 1e-8
_TINY = 1e-11


class Equilibria(NamedTuple):
    """Answers, game by game: ``value [..., ]``, ``row [..., A]``, ``column [..., B]``.

    For general-sum games ``value`` is the row player's and ``other`` the column player's; for
    zero-sum games ``other`` is ``-value``.
    """

    value: Array
    row: Array
    column: Array
    other: Array


def solve_zero_sum(games: Array) -> Equilibria:
    """Values and optimal strategies of matrix games.

    Args:
        games: float64 ``[..., A, B]``: what the row player gets and the column player pays.

    Returns:
        Values and one optimal strategy a player; optimal strategies need not be unique.

    Raises:
        GymposiumError: a pay-off is not finite.
    """
    flat = _finite(games)
    count, rows, columns = flat.shape
    value, row, column = np.empty(count), np.zeros((count, rows)), np.zeros((count, columns))
    board = np.empty((rows + 1, rows + columns + 1))
    _zero_sum(flat, value, row, column, board, np.empty(rows, np.int64))
    made = _shaped(games, value, row, column, -value)
    _check(games, -games, made)
    return made


def solve_general_sum(row_pay: Array, column_pay: Array) -> Equilibria:
    """One Nash equilibrium of each bimatrix game.

    Args:
        row_pay: float64 ``[..., A, B]``: what the row player gets.
        column_pay: the same shape: what the column player gets.

    Raises:
        GymposiumError: a pay-off is not finite, or no equilibrium was found.
    """
    first, second = _finite(row_pay), _finite(column_pay)
    count, rows, columns = first.shape
    row, column = np.zeros((count, rows)), np.zeros((count, columns))
    size = rows + columns
    boards = np.empty((columns, size + 1)), np.empty((rows, size + 1))
    bases = np.empty(columns, np.int64), np.empty(rows, np.int64)
    _general_sum(first, second, row, column, boards[0], boards[1], bases[0], bases[1])
    value = np.einsum("ga,gab,gb->g", row, first, column)
    other = np.einsum("ga,gab,gb->g", row, second, column)
    made = _shaped(row_pay, value, row, column, other)
    _check(row_pay, column_pay, made)
    return made


def _finite(games: Array) -> Array:
    flat = np.ascontiguousarray(games, np.float64).reshape(-1, *games.shape[-2:])
    if not np.isfinite(flat).all():
        raise GymposiumError("a stage game has a pay-off that is no finite number")
    return flat


def _shaped(games: Array, value: Array, row: Array, column: Array, other: Array) -> Equilibria:
    shape = games.shape[:-2]
    return Equilibria(
        value.reshape(shape),
        row.reshape(*shape, -1),
        column.reshape(*shape, -1),
        other.reshape(shape),
    )


def _check(row_pay: Array, column_pay: Array, made: Equilibria) -> None:
    gains = (row_pay @ made.column[..., None]).max(axis=(-2, -1)) - made.value
    losses = (made.row[..., None, :] @ column_pay).max(axis=(-2, -1)) - made.other
    spread = np.maximum(np.abs(row_pay).max(axis=(-2, -1)), np.abs(column_pay).max(axis=(-2, -1)))
    gap = np.maximum(gains, losses) / np.maximum(spread, 1.0)
    if gap.size and not gap.max() <= TOLERANCE:
        raise GymposiumError(
            f"stage game {int(gap.argmax())} was not solved: a player could still gain "
            f"{float(gap.max()):.3g} of the pay-offs' size"
        )


@kernel
def _zero_sum(games: Any, value: Any, row: Any, column: Any, board: Any, basis: Any) -> None:
    count, rows, columns = games.shape
    for g in range(count):
        game = games[g]
        floor, ceiling, a, b = -np.inf, np.inf, 0, 0
        top, bottom = -np.inf, np.inf
        for i in range(rows):
            least = np.inf
            for j in range(columns):
                least = min(least, game[i, j])
                top, bottom = max(top, game[i, j]), min(bottom, game[i, j])
            if least > floor:
                floor, a = least, i
        for j in range(columns):
            most = -np.inf
            for i in range(rows):
                most = max(most, game[i, j])
            if most < ceiling:
                ceiling, b = most, j
        if floor >= ceiling:
            row[g, a], column[g, b], value[g] = 1.0, 1.0, floor
            continue
        if rows == 2 and columns == 2:
            det = game[0, 0] - game[0, 1] - game[1, 0] + game[1, 1]
            row[g, 0] = (game[1, 1] - game[1, 0]) / det
            column[g, 0] = (game[1, 1] - game[0, 1]) / det
            row[g, 1], column[g, 1] = 1.0 - row[g, 0], 1.0 - column[g, 0]
            # Measured from the least pay-off: large ones close together would lose digits.
            value[g] = (
                bottom
                + (
                    (game[0, 0] - bottom) * (game[1, 1] - bottom)
                    - (game[0, 1] - bottom) * (game[1, 0] - bottom)
                )
                / det
            )
            continue
        _simplex(game, bottom, top - bottom, board, basis)
        total = 0.0
        for i in range(rows):
            if basis[i] < columns:
                column[g, basis[i]] = max(board[i, rows + columns], 0.0)
                total += column[g, basis[i]]
        for j in range(columns):
            column[g, j] /= total
        weight = 0.0
        for i in range(rows):
            row[g, i] = max(board[rows, columns + i], 0.0)
            weight += row[g, i]
        for i in range(rows):
            row[g, i] /= weight
        value[g] = (1.0 / total - 1.0) * (top - bottom) + bottom


@kernel
def _simplex(game: Any, bottom: float, spread: float, board: Any, basis: Any) -> None:
    """Most of sum(y) with M y <= 1, y >= 0, where M is the game moved and scaled into [1, 2]."""
    rows, columns = game.shape
    width = rows + columns
    for i in range(rows):
        for j in range(columns):
            board[i, j] = (game[i, j] - bottom) / spread + 1.0
        for j in range(rows):
            board[i, columns + j] = 1.0 if i == j else 0.0
        board[i, width] = 1.0
        basis[i] = columns + i
    for j in range(width + 1):
        board[rows, j] = -1.0 if j < columns else 0.0
    for step in range(100 * width):
        enter, most = -1, -_TINY
        for j in range(width):
            if board[rows, j] < most:
                enter = j
                if step > 5 * width:  # Bland: the first, so that it cannot cycle
                    break
                most = board[rows, j]
        if enter < 0:
            return
        leave, least = -1, np.inf
        for i in range(rows):
            if board[i, enter] > _TINY:
                ratio = board[i, width] / board[i, enter]
                if leave < 0 or ratio < least or (ratio == least and basis[i] < basis[leave]):
                    leave, least = i, ratio
        if leave < 0:
            return
        _pivot(board, leave, enter)
        basis[leave] = enter


@kernel
def _pivot(board: Any, leave: int, enter: int) -> None:
    width = board.shape[1]
    pivot = board[leave, enter]
    for j in range(width):
        board[leave, j] /= pivot
    for i in range(board.shape[0]):
        if i != leave and board[i, enter] != 0.0:
            factor = board[i, enter]
            for j in range(width):
                board[i, j] -= factor * board[leave, j]
            board[i, enter] = 0.0


@kernel
def _general_sum(
    first: Any, second: Any, row: Any, column: Any, xs: Any, ys: Any, in_x: Any, in_y: Any
) -> None:
    count, rows, columns = first.shape
    for g in range(count):
        for label in range(rows + columns):
            _set_up(first[g], second[g], xs, ys, in_x, in_y)
            _lemke_howson(label, rows, xs, ys, in_x, in_y)
            _read(xs, in_x, 0, row[g])
            _read(ys, in_y, rows, column[g])
            if _regret(first[g], second[g], row[g], column[g]) <= 1e-12:
                break


@kernel
def _set_up(first: Any, second: Any, xs: Any, ys: Any, in_x: Any, in_y: Any) -> None:
    """Tableaux of {x: second' x <= 1} and {y: first y <= 1}; a column's number is its label."""
    rows, columns = first.shape
    low1, low2, top1, top2 = np.inf, np.inf, -np.inf, -np.inf
    for i in range(rows):
        for j in range(columns):
            low1, top1 = min(low1, first[i, j]), max(top1, first[i, j])
            low2, top2 = min(low2, second[i, j]), max(top2, second[i, j])
    scale1 = 1.0 / (top1 - low1) if top1 > low1 else 1.0
    scale2 = 1.0 / (top2 - low2) if top2 > low2 else 1.0
    size = rows + columns
    xs[:, :] = 0.0
    ys[:, :] = 0.0
    for j in range(columns):
        for i in range(rows):
            xs[j, i] = (second[i, j] - low2) * scale2 + 1.0
        xs[j, rows + j], xs[j, size], in_x[j] = 1.0, 1.0, rows + j
    for i in range(rows):
        for j in range(columns):
            ys[i, rows + j] = (first[i, j] - low1) * scale1 + 1.0
        ys[i, i], ys[i, size], in_y[i] = 1.0, 1.0, i


@kernel
def _lemke_howson(label: int, rows: int, xs: Any, ys: Any, in_x: Any, in_y: Any) -> None:
    enter, on_x = label, label < rows
    for _ in range(10_000):
        if on_x:
            place = _lexicographic(xs, enter, rows, xs.shape[1] - 1)
            if place < 0:
                return
            gone, in_x[place] = in_x[place], enter
            _pivot(xs, place, enter)
        else:
            place = _lexicographic(ys, enter, 0, rows)
            if place < 0:
                return
            gone, in_y[place] = in_y[place], enter
            _pivot(ys, place, enter)
        if gone == label:
            return
        enter, on_x = gone, not on_x


@kernel
def _lexicographic(board: Any, enter: int, start: int, stop: int) -> int:
    """The row that leaves; ties are broken by the slacks' columns, which rules out cycles."""
    width = board.shape[1]
    found = -1
    for i in range(board.shape[0]):
        if board[i, enter] <= _TINY:
            continue
        if found < 0:
            found = i
            continue
        for place in range(stop - start + 1):
            j = width - 1 if place == 0 else start + place - 1
            mine = board[i, j] / board[i, enter]
            best = board[found, j] / board[found, enter]
            if mine < best - 1e-13:
                found = i
                break
            if mine > best + 1e-13:
                break
    return found


@kernel
def _read(board: Any, basis: Any, start: int, out: Any) -> None:
    """The strategy that a tableau ends with, normalised."""
    out[:] = 0.0
    total = 0.0
    for i in range(len(basis)):
        label = basis[i] - start
        if 0 <= label < len(out):
            out[label] = max(board[i, board.shape[1] - 1], 0.0)
            total += out[label]
    for label in range(len(out)):
        out[label] = out[label] / total if total > 0.0 else 1.0 / len(out)


@kernel
def _regret(first: Any, second: Any, row: Any, column: Any) -> float:
    rows, columns = first.shape
    best1, best2, got1, got2, scale = -np.inf, -np.inf, 0.0, 0.0, 1.0
    for i in range(rows):
        pays = 0.0
        for j in range(columns):
            pays += first[i, j] * column[j]
            scale = max(scale, abs(first[i, j]), abs(second[i, j]))
        best1 = max(best1, pays)
        got1 += row[i] * pays
    for j in range(columns):
        pays = 0.0
        for i in range(rows):
            pays += second[i, j] * row[i]
        best2 = max(best2, pays)
        got2 += column[j] * pays
    return max(best1 - got1, best2 - got2) / scale
