"""How good a pair of policies is, exactly, when the true nominal kernel is known.

Four backward recursions give the robust gap to equilibrium: a best response to a fixed policy is a
robust Markov decision process of one agent. The security loss compares what either player is
guaranteed with the most it could be guaranteed; exploitability is the same at radius 0, halved; the
nominal error is the published figure's measure, kept for comparison with it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....envs.markov_games.games import MarkovGame, with_kernel
from ....envs.markov_games.stage_games import solve_zero_sum
from ....envs.markov_games.uncertainty import worst_kernel
from ...offline.records import Policies
from .value_iteration import Doubt

Array: TypeAlias = np.ndarray[Any, Any]
Stage: TypeAlias = Callable[[int, Array], Array]
"""(step, ``[S, A, B]``) -> ``[S]``: what a stage is worth under some choice of actions."""


class Quality(NamedTuple):
    """Measures of a pair of policies; all but ``nominal_value`` are best at 0.

    Attributes:
        gap: the most either player could gain in its own worst case by playing otherwise.
        security_max, security_min: what each is short of its best guarantee.
        exploitability: half the sum of what both could gain in the nominal game.
        nominal_error: mean over first states of |V* - V| in the nominal game.
        nominal_value, worst_value, best_value: of the pair for ``max``: nominal, infimum, supremum.
    """

    gap: float
    security_max: float
    security_min: float
    exploitability: float
    nominal_error: float
    nominal_value: float
    worst_value: float
    best_value: float

    @property
    def security(self) -> float:
        """The security loss of both players together."""
        return self.security_max + self.security_min

    def measures(self) -> Mapping[str, float]:
        """All of them by name, ``security`` too."""
        return {**self._asdict(), "security": self.security}


NOMINAL = Doubt()


def quality(game: MarkovGame, policies: Policies, doubt: Doubt) -> Quality:
    """Every measure of ``policies`` in ``game``, whose kernel is the true nominal one."""
    mu, nu = policies
    low, high = _low(game, doubt), _high(game, doubt)
    mean = _low(game, NOMINAL)
    pair, answer_max, answer_min = _pair(mu, nu), _best_row(nu), _best_column(mu)
    worst, best = low(pair), high(pair)
    gap = max(low(answer_max) - worst, best - high(answer_min))
    equilibrium = values(game, NOMINAL, _nash)[0]
    value = values(game, NOMINAL, pair)[0]
    return Quality(
        gap=gap,
        security_max=low(_nash) - low(answer_min),
        security_min=high(answer_max) - high(_nash),
        exploitability=(mean(answer_max) - mean(answer_min)) / 2,
        nominal_error=float(game.start @ np.abs(equilibrium - value)),
        nominal_value=float(game.start @ value),
        worst_value=worst,
        best_value=best,
    )


def values(game: MarkovGame, doubt: Doubt, stage: Stage, *, high: bool = False) -> Array:
    """``[H + 1, S]``: backward recursion with the infimum (``high``: the supremum) of the set."""
    bound = doubt.high if high else doubt.low
    value = np.zeros((game.horizon + 1, game.states))
    for step in reversed(range(game.horizon)):
        quality = game.reward(step) + bound(game.kernel(step), value[step + 1])
        value[step] = stage(step, quality)
    return value


def guarantees(game: MarkovGame, doubt: Doubt) -> tuple[float, float]:
    """The most that ``max`` can be sure of, and the least that ``min`` can hold it to."""
    return _low(game, doubt)(_nash), _high(game, doubt)(_nash)


def cross_play(game: MarkovGame, rows: Mapping[str, Policies], doubt: Doubt) -> dict[str, Array]:
    """Every method's ``max`` against every method's ``min``.

    Returns:
        ``nominal``, ``worst`` (infimum of max's set) and ``best`` (supremum of min's set):
        ``[methods, methods]`` values for ``max``, rows in the order of ``rows``.
    """
    found = {name: np.empty((len(rows), len(rows))) for name in ("nominal", "worst", "best")}
    ways = {"nominal": _low(game, NOMINAL), "worst": _low(game, doubt), "best": _high(game, doubt)}
    for i, mine in enumerate(rows.values()):
        for j, yours in enumerate(rows.values()):
            for name, way in ways.items():
                found[name][i, j] = way(_pair(mine.max, yours.min))
    return found


def adversary(
    game: MarkovGame, policies: Policies, radius: float, *, against: str = "max"
) -> MarkovGame:
    """The game under the kernel within total variation ``radius`` that is worst for one player.

    Args:
        game: the nominal one.
        policies: what is played.
        radius: of the set.
        against: ``max`` or ``min``.

    Returns:
        The game with a kernel for every step.
    """
    sign = 1.0 if against == "max" else -1.0
    stage = _pair(*policies)
    value = np.zeros(game.states)
    kernels = []
    for step in reversed(range(game.horizon)):
        kernel = worst_kernel(game.kernel(step), sign * value, radius)
        kernels.append(kernel)
        value = stage(step, game.reward(step) + kernel @ value)
    return with_kernel(game, np.stack(kernels[::-1]))


def _low(game: MarkovGame, doubt: Doubt) -> Callable[[Stage], float]:
    return lambda stage: float(game.start @ values(game, doubt, stage)[0])


def _high(game: MarkovGame, doubt: Doubt) -> Callable[[Stage], float]:
    return lambda stage: float(game.start @ values(game, doubt, stage, high=True)[0])


def _pair(mu: Array, nu: Array) -> Stage:
    return lambda step, q: np.einsum("sa,sab,sb->s", mu[step], q, nu[step])


def _best_row(nu: Array) -> Stage:
    return lambda step, q: np.einsum("sab,sb->sa", q, nu[step]).max(axis=1)


def _best_column(mu: Array) -> Stage:
    return lambda step, q: np.einsum("sa,sab->sb", mu[step], q).min(axis=1)


def _nash(step: int, q: Array) -> Array:
    return solve_zero_sum(q).value
