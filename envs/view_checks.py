"""PettingZoo's and Gymnasium's own checkers, run on the views of a world."""

from __future__ import annotations

import contextlib
import importlib
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .sameness import same

if TYPE_CHECKING:
    from .world import RuleWorld

CYCLES = 40


def check_views(make: Callable[[], RuleWorld]) -> None:
    """Run the checkers that fit the world's number of seats.

    Args:
        make: makes a fresh world.

    Raises:
        Exception: whatever a checker raises, usually AssertionError.
    """
    # The checkers print their progress and warn of matters of taste (observations that are dicts).
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        _check_pettingzoo(make)
        if len(make().seats) == 1:
            from gymnasium.utils.env_checker import check_env

            from .views.gymnasium import GymnasiumView

            check_env(GymnasiumView(make()))
    _check_resets(make)


def _check_pettingzoo(make: Callable[[], RuleWorld]) -> None:
    checkers: Any = importlib.import_module("pettingzoo.test")  # it has no types

    from .views.aec import AecView
    from .views.parallel import ParallelView

    checkers.api_test(AecView(make()), num_cycles=CYCLES)
    checkers.seed_test(lambda: AecView(make()), num_cycles=CYCLES)
    checkers.parallel_api_test(ParallelView(make()), num_cycles=CYCLES)
    checkers.parallel_seed_test(lambda: ParallelView(make()), num_cycles=CYCLES)


def _check_resets(make: Callable[[], RuleWorld]) -> None:
    """``reset(seed); reset(); reset()`` gives two instances the same three episodes."""
    from .views.parallel import ParallelView

    one, two = ParallelView(make()), ParallelView(make())
    for seed in (7, None, None):
        seen = [_episode(view, seed) for view in (one, two)]
        if not same(*seen):
            raise AssertionError("reset(seed); reset(); reset() differs between two instances")


def _episode(view: Any, seed: int | None) -> list[Any]:
    observations, infos = view.reset(seed=seed)
    seen: list[Any] = [(observations, infos)]
    rng = np.random.default_rng(0)
    for _ in range(CYCLES):
        if not view.agents:
            break
        actions = {}
        for agent in view.agents:
            space = view.action_space(agent)
            space.seed(int(rng.integers(2**31)))
            actions[agent] = space.sample(mask=infos[agent].get("action_mask"))
        observations, rewards, _, _, infos = view.step(actions)
        seen.append((observations, infos, rewards))
    return seen
