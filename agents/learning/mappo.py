"""MAPPO: independent actors whose critics see the state of the whole world.

Yu et al., The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games (2022). The critic
is a network of its own. It reads the world's global state where the world has kernels (the whole
map in codes), else what every trained seat saw last, side by side.
"""

from __future__ import annotations

from typing import ClassVar

from .ppo import PPO


class MAPPO(PPO):
    """PPO with a centralised critic."""

    central: ClassVar[bool] = True
