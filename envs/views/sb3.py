"""The focal vector environment as Stable-Baselines3 takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from .focal import FocalVectorEnv


def as_sb3(env: FocalVectorEnv) -> Any:
    """``env`` as a ``stable_baselines3.common.vec_env.VecEnv``.

    Args:
        env: of a vector world made with ``autoreset="same_step"``, which is how SB3 goes on.

    Raises:
        UsageError: Stable-Baselines3 is not installed, or another autoreset mode.
    """
    try:
        from stable_baselines3.common.vec_env import VecEnv
    except ImportError as error:
        raise UsageError(
            "as_sb3 needs stable_baselines3, which is not installed: pip install stable-baselines3"
        ) from error
    if env.vector.autoreset_mode is not AutoresetMode.SAME_STEP:
        raise UsageError("as_sb3 needs make_vec(..., autoreset='same_step')")

    class FocalVecEnv(VecEnv):
        """Stable-Baselines3's view: dones, and the last observation in the infos."""

        def __init__(self) -> None:
            self.render_mode = None
            super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

        def reset(self) -> Any:
            observations, _ = env.reset(seed=self._seeds[0])
            self._reset_seeds()
            return observations

        def step_async(self, actions: Any) -> None:
            self._actions = np.asarray(actions)

        def step_wait(self) -> Any:
            observations, rewards, terminated, truncated, found = env.step(self._actions)
            infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            for row in np.flatnonzero(terminated | truncated):
                infos[row] = {
                    "terminal_observation": found["final_obs"][row],
                    "TimeLimit.truncated": bool(truncated[row]),
                    "episode": {
                        "r": float(found["episode_returns"][row]),
                        "l": env.vector.horizon,
                        "t": 0.0,
                    },
                }
            return observations, rewards, terminated | truncated, infos

        def close(self) -> None:
            env.close()

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(env, attr_name) for _ in self._get_indices(indices)]

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(env, attr_name, value)

        def env_method(
            self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
        ) -> list[Any]:
            count = len(self._get_indices(indices))
            return [getattr(env, method_name)(*args, **kwargs)] * count

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * len(self._get_indices(indices))

        def _get_indices(self, indices: Any) -> Sequence[int]:
            if indices is None:
                return range(self.num_envs)
            return [indices] if isinstance(indices, int) else indices

    return FocalVecEnv()
