"""The process-wide generators are seen to move, torch's too, and looking moves none of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from gymposium.agents.checks import AgentUnfit, check_agent
from gymposium.envs.checks import WorldUnfit, check_env
from gymposium.envs.global_random import global_state, moved

from .tiny_worlds import Guess

DRAWS = {
    "random": random.random,
    "numpy.random": np.random.normal,
    "torch": lambda: torch.rand(1),
}


@pytest.mark.parametrize("name", DRAWS)
def test_whoever_draws_from_a_global_generator_is_seen_and_the_generator_named(name: str) -> None:
    before = global_state()
    assert moved(before) == ""
    draw: Callable[[], Any] = DRAWS[name]
    draw()
    assert moved(before) == name


class TorchDraws(Guess):
    __doc__ = Guess.__doc__

    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(rng)
        torch.manual_seed(int(rng.integers(100)))


def test_a_world_that_seeds_torch_for_all_is_unfit() -> None:
    with pytest.raises(WorldUnfit) as unfit:
        check_env(TorchDraws, views=False)
    (failure,) = unfit.value.failures
    assert failure.number == 7
    assert failure.found.endswith("generator of torch.")


class Agent:
    deterministic = False

    def reset(self, seat: Any, seed: int) -> None:
        self.n = int(seat.action_space.n)

    def act(self, turn: Any) -> int:
        return int(torch.randint(self.n, ()))


def test_an_agent_that_draws_from_torch_for_all_is_unfit() -> None:
    with pytest.raises(AgentUnfit) as unfit:
        check_agent(Agent)
    assert set(unfit.value.failures) == {8}
    assert "generator of torch had moved" in unfit.value.failures[8]
