"""The published way, naively: a scalar search a state and pair of actions, an LP a stage."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize_scalar


def worst_by_search(row, value, radius):
    """The dual of total variation by bounded scalar minimisation, as the published code has it."""
    low, high = float(value.min()), float(value.max())

    def dual(level):
        return -(row @ np.minimum(value, level) - radius * (level - low))

    if low == high:
        return low
    found = minimize_scalar(dual, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return -min(found.fun, dual(low), dual(high))


def worst_by_program(row, value, radius):
    """The primal as a linear program: minimise q V with |q - p| / 2 <= radius."""
    size = len(row)
    cost = np.concatenate([value, np.zeros(size)])
    identity = np.eye(size)
    above = np.block([[identity, -identity], [-identity, -identity]])
    limits = np.concatenate([row, -row])
    total = np.concatenate([np.zeros(size), np.ones(size)])[None]
    made = linprog(
        cost,
        A_ub=np.vstack([above, total]),
        b_ub=np.append(limits, 2 * radius),
        A_eq=np.concatenate([np.ones(size), np.zeros(size)])[None],
        b_eq=[1.0],
    )
    return made.fun


def matrix_value(game):
    """(value, row strategy) of a zero-sum game, by linear programming."""
    rows, columns = game.shape
    made = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-game.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -made.fun, made.x[:rows]


def naive_step(kernel, rewards, value, radius, penalty, top):
    """One stage of Algorithm 2, state by state: the two values and both stage strategies."""
    states, rows, columns, _ = kernel.shape
    up, down = value
    plus, minus = np.empty(states), np.empty(states)
    mu, nu = np.empty((states, rows)), np.empty((states, columns))
    for s in range(states):
        high, low = np.empty((rows, columns)), np.empty((rows, columns))
        for a in range(rows):
            for b in range(columns):
                row = kernel[s, a, b]
                one, two = penalty(s, a, b, row, up), penalty(s, a, b, row, down)
                high[a, b] = rewards[s, a, b] + worst_by_search(row, up, radius) + one
                low[a, b] = rewards[s, a, b] - worst_by_search(row, -down, radius) - two
        high, low = np.clip(high, 0, top), np.clip(low, 0, top)
        plus[s], _ = matrix_value(high)
        minus[s], mu[s] = matrix_value(low)
        nu[s] = matrix_value(-high.T)[1]
    return plus, minus, mu, nu
