"""``gymnasium:CartPole-v1``: any Gymnasium environment as a world of one seat.

One's own goes by its file or module: ``gymnasium:maze.py:Maze``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Action

from ..whereabouts import placed
from .foreign import ForeignWorld, parts_of, told_in
from .own_environment import found_at, made_with_pictures

if TYPE_CHECKING:
    from gymposium.types import Image

SEAT = "player_0"
_STEP = ("observation", "reward", "terminated", "truncated", "info")


class GymnasiumWorld(ForeignWorld):
    """A Gymnasium environment in which one seat plays."""

    turn_based = True

    def __init__(self, name: str, **params: Any) -> None:
        """Open the environment.

        Args:
            name: as for ``gymnasium.make``, or ``FILE.py:CLASS``.
            **params: handed to it.

        Raises:
            UsageError: Gymnasium cannot make it.
        """
        self.id, self.params = f"gymnasium:{name}", params
        self._env = _open(name, params)
        spec = self._env.spec
        self._seat_foreign(
            [SEAT],
            {SEAT: self._env.observation_space},
            {SEAT: self._env.action_space},
            None if spec is None else spec.max_episode_steps,
        )

    def _restart(self, seed: int) -> None:
        answer = self._env.reset(seed=seed)
        observation, info = parts_of(answer, ("observation", "info"), "reset")
        self._take(observation, info)

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        answer = self._env.step(actions[SEAT])
        observation, reward, terminated, truncated, info = parts_of(answer, _STEP, "step")
        self._finished, self._cut = bool(np.all(terminated)), bool(np.all(truncated))
        self._take(observation, info)
        return {SEAT: reward}

    def _take(self, observation: Any, info: Any) -> None:
        self._seen[SEAT] = observation
        self._masks[SEAT] = self._mask_of(SEAT, told_in(info).get("action_mask"))

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _about(self) -> str:
        return inspect.cleandoc(type(self._env.unwrapped).__doc__ or "")

    def draw(self) -> Image:
        """The environment's own picture; of those that have none, the text of ``render``."""
        if self._over is None or self._env.render_mode != "rgb_array":
            return super().draw()
        return np.asarray(self._env.render(), np.uint8)

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


def _open(name: str, params: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    given: dict[str, Any] = {"disable_env_checker": True, **params}
    creator, id = found_at("gymnasium", name)
    try:
        if creator is not None:
            return _checked(made_with_pictures(creator, params))
        spec = gymnasium.spec(id)
        if "rgb_array" in _modes(spec):
            given.setdefault("render_mode", "rgb_array")
        return gymnasium.make(id, **given)
    except Exception as error:
        raise UsageError(placed(f"gymnasium cannot make {name!r}: {error}", error)) from error


def _checked(env: Any) -> gymnasium.Env[Any, Any]:
    if not isinstance(env, gymnasium.Env):
        raise TypeError(f"what is made is a {type(env).__name__}, no gymnasium.Env")
    return env


def _modes(spec: Any) -> Sequence[str]:
    from gymnasium.envs.registration import load_env_creator

    creator = spec.entry_point
    if isinstance(creator, str):
        creator = load_env_creator(creator)
    modes: Sequence[str] = getattr(creator, "metadata", {}).get("render_modes", ())
    return modes
