"""Bots for ``robust_zero_sum-v0``: one that plans with the game it is told, one that has only data.

Both make tables (Li et al., NeurIPS 2025, and variants) when a match begins, and play them: the
planner with the nominal kernel itself, the offline one with a model of recorded episodes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.markov_games.robust_zero_sum import RobustZeroSumParams
from ..offline.policy_table import PolicyTable, told_game
from ..offline.records import Policies, collect
from ..offline.robust_learning import Recipe, learn
from ..planning.robust.model import Penalty, known
from ..planning.robust.value_iteration import both, solve

WORLDS = ("robust_zero_sum-v0",)


class RobustPlanner:
    """Plans with the game it is told, doubting its kernel by a radius; pess, paper or bimatrix."""

    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(self, radius: float = 0.2, mode: str = "pess", divergence: str = "tv") -> None:
        """Choose the doubt; radius 0 is Nash value iteration."""
        self._options = (float(radius), mode, divergence)
        _recipe("rtz_vi", *self._options, 0.0)

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match."""
        self._seat, self._seed, self._table = seat, seed, None

    _table: PolicyTable | None

    def act(self, turn: Turn) -> int:
        """What the table says; it is made in the first turn."""
        if self._table is None:
            made = self._made(told_game(turn, type(self).__name__))
            self._table = PolicyTable(getattr(made, self._seat.id))
            self._table.reset(self._seat, self._seed)
        return self._table.act(turn)

    def _made(self, game: RobustZeroSumParams) -> Policies:
        return _planned(game, *self._options)


class OfflineRobust(RobustPlanner):
    """Learns from recorded episodes of the told game, by RTZ-VI-LCB or what it is compared with."""

    def __init__(
        self,
        algorithm: str = "rtz_vi_lcb",
        episodes: int = 100,
        radius: float = 0.2,
        mode: str = "pess",
        divergence: str = "tv",
        penalty: float = 0.001,
        data_seed: int = 0,
    ) -> None:
        """Choose the data, the same for every match, and what is made of them."""
        for name, value, low in (("episodes", episodes, 1), ("data_seed", data_seed, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise UsageError(
                    f"offline_robust: {name} must be a whole number from {low} up, got {value!r}"
                )
        self._how = (algorithm, float(radius), mode, divergence, float(penalty))
        self._from = (episodes, data_seed)
        _recipe(*self._how)

    def _made(self, game: RobustZeroSumParams) -> Policies:
        return _learned(game, self._from, self._how)


def _recipe(algorithm: str, radius: float, mode: str, divergence: str, penalty: float) -> Recipe:
    return Recipe(algorithm, mode, both(radius, divergence), Penalty(penalty))


@lru_cache(maxsize=32)
def _planned(game: RobustZeroSumParams, radius: float, mode: str, divergence: str) -> Policies:
    return solve(known(game.build()), both(radius, divergence), mode=mode).policies


@lru_cache(maxsize=32)
def _learned(game: RobustZeroSumParams, source: tuple[int, int], how: tuple[Any, ...]) -> Policies:
    return learn(collect(game.build(), *source), _recipe(*how))


BOTS: dict[str, type] = {"robust_planner": RobustPlanner, "offline_robust": OfflineRobust}
