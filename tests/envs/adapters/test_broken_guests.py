"""What a broken environment does is told in one sentence that names it, and hurts no other."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv

import gymposium
from gymposium.envs.adapters.masks import allows_nothing, as_mask
from gymposium.errors import GymposiumError, UsageError

from .foreign_envs import MortalTurns

HERE = __name__


class Solo(gymnasium.Env[Any, Any]):
    """Three steps; its third brings what ``step`` and ``reset`` are told to give."""

    observation_space = spaces.Discrete(4)
    action_space = spaces.Discrete(3)

    def __init__(self, **gives: Any) -> None:
        self.gives = gives

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self._step = 0
        return BEGINNINGS[self.gives.get("reset", "good")]

    def step(self, action: Any) -> Any:
        self._step += 1
        last = self._step == 3
        info = {"action_mask": MASKS[self.gives["mask"]]} if "mask" in self.gives else {}
        whole = (1, REWARDS[self.gives.get("reward", "good")] if last else 1.0, last, False, info)
        return {"four": whole[:4], "no info": (*whole[:4], None)}.get(
            self.gives.get("step", ""), whole
        )


BEGINNINGS: dict[str, Any] = {"good": (0, {}), "nothing": None, "one": 0}
REWARDS: dict[str, Any] = {
    "good": 1.0, "nan": float("nan"), "inf": np.inf, "none": None, "array": np.ones(2)
}  # fmt: skip
MASKS: dict[str, Any] = {
    "zeros": [0, 0, 0], "long": [1] * 5, "twos": [2, 0, 1], "words": "all", "halves": [0.5, 1, 1]
}  # fmt: skip


class Crowd(ParallelEnv[str, Any, Any]):
    """Ann is there from the start, bob comes at step 2, and everybody leaves at step 4."""

    def __init__(self, comes: str = "bob") -> None:
        self.possible_agents, self._comes = ["ann", "bob"], comes

    def observation_space(self, agent: str) -> Any:
        return spaces.Discrete(5)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self._step = ["ann"], 0
        return {"ann": 0}, {}

    def step(self, actions: Any) -> Any:
        assert set(actions) == set(self.agents)
        self._step += 1
        if self._step == 2:
            self.agents = ["ann", self._comes]
        here, over = self.agents, self._step == 4
        self.agents = [] if over else here
        return (
            dict.fromkeys(here, self._step), {agent: 1.0 for agent in actions},
            dict.fromkeys(here, over), dict.fromkeys(here, False), None,
        )  # fmt: skip


class Undying(MortalTurns):
    """Whoever is out stays among the agents for ever."""

    def step(self, action: Any) -> None:
        if not self.terminations[self.agent_selection]:
            super().step(action)


class Lost(MortalTurns):
    """Has somebody act who is not there."""

    def step(self, action: Any) -> None:
        super().step(action)
        self.agent_selection = "zed"


class Bequest(MortalTurns):
    """Whoever is carried out leaves 7 to each that is still there."""

    def step(self, action: Any) -> None:
        dead = self.terminations[self.agent_selection]
        super().step(action)
        if dead:
            self.rewards = dict.fromkeys(self.agents, 7.0)


@pytest.mark.parametrize(
    ("id", "params", "says"),
    [
        ("gymnasium:Solo", {"reward": "nan"}, "the reward of player_0 is nan"),
        ("gymnasium:Solo", {"reward": "inf"}, "the reward of player_0 is inf"),
        ("gymnasium:Solo", {"reward": "none"}, "the reward of player_0 is None, which is no num"),
        ("gymnasium:Solo", {"reward": "array"}, "which is no number"),
        ("gymnasium:Solo", {"reset": "nothing"}, r"reset must return \(observation, info\)"),
        ("gymnasium:Solo", {"reset": "one"}, r"reset must return \(observation, info\)"),
        ("gymnasium:Solo", {"step": "four"}, "step must return .*it returned 4"),
        ("gymnasium:Solo", {"mask": "zeros"}, "mask of player_0 leaves nothing"),
        ("gymnasium:Solo", {"mask": "long"}, "mask of player_0 must be 3 times 0 or 1"),
        ("gymnasium:Solo", {"mask": "twos"}, "mask of player_0 must be 3 times 0 or 1"),
        ("gymnasium:Solo", {"mask": "words"}, "mask of player_0 must be 3 times 0 or 1"),
        ("gymnasium:Solo", {"mask": "halves"}, "mask of player_0 must be 3 times 0 or 1"),
        ("pettingzoo:Crowd", {"comes": "dan"}, "'dan' is not among the possible_agents"),
        ("pettingzoo:Lost", {}, "agent_selection is 'zed'"),
        ("pettingzoo:Undying", {}, r"step\(None\) leaves \w+ among the agents"),
    ],
)
def test_a_broken_guest_is_named_with_what_it_did(
    tmp_path: Any, id: str, params: dict[str, Any], says: str
) -> None:
    prefix, _, name = id.partition(":")
    world = f"{prefix}:{HERE}:{name}"
    with pytest.raises(GymposiumError, match=rf"the world {world} failed at step \d.*{says}"):
        gymposium.run(
            {"name": "broken", "worlds": [{"id": world, "params": params}], "agents": ["random"]},
            out=tmp_path / "run",
        )


def test_an_info_of_none_says_nothing() -> None:
    world = gymposium.make(f"gymnasium:{HERE}:Solo", api="world", step="no info")
    turns = world.reset(0)
    while turns:
        turns = world.step({"player_0": 0})
    assert world.outcome.returns == {"player_0": 3.0}


def test_who_comes_later_is_asked_from_then_on() -> None:
    world = gymposium.make(f"pettingzoo:{HERE}:Crowd", api="world")
    turns, asked = world.reset(0), []
    while turns:
        asked.append(tuple(turns))
        world.render()
        turns = world.step(dict.fromkeys(turns, 0))
    assert asked == [("ann",), ("ann",), ("ann", "bob"), ("ann", "bob")]
    assert world.outcome.returns == {"ann": 4.0, "bob": 2.0}


@pytest.mark.parametrize("seed", range(6))
def test_what_is_paid_while_the_dead_are_carried_out_is_counted(seed: int) -> None:
    returns = []
    for name in ("Bequest", "MortalTurns"):
        place = HERE if name == "Bequest" else MortalTurns.__module__
        world = gymposium.make(f"pettingzoo:{place}:{name}", api="world")
        turns, order = world.reset(seed), []
        while turns:
            order += turns
            turns = world.step(dict.fromkeys(turns, 0))
        returns.append(world.outcome.returns)
    last = {seat: max(i for i, s in enumerate(order) if s == seat) for seat in world.seats}
    for seat in world.seats:
        left = sum(last[other] < last[seat] for other in world.seats)
        assert returns[0][seat] - returns[1][seat] == 7 * left


@pytest.mark.parametrize(
    ("space", "mask"),
    [
        (spaces.Discrete(3, start=1), [True, False, True]),
        (spaces.MultiDiscrete([2, 3]), ([1, 0], [0, 1, 1])),
        (spaces.MultiDiscrete([2, 3]), np.array([1, 0, 0, 1, 1])),
        (spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1)]), ([0, 1], None)),
        (spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Text(3)}), {"a": [0, 1]}),
    ],
)
def test_masks_of_every_space_can_be_sampled_by(space: Any, mask: Any) -> None:
    fitted = as_mask(space, mask, "the mask")
    assert space.contains(space.sample(mask=fitted))
    assert not allows_nothing(fitted)


def test_a_mask_of_parts_names_the_part_that_does_not_fit() -> None:
    with pytest.raises(UsageError, match=r"the mask\[1\] must be 3 times 0 or 1"):
        as_mask(spaces.MultiDiscrete([2, 3]), ([1, 0], [1, 1]), "the mask")
    with pytest.raises(UsageError, match="the mask has 1 parts; its action space has 2"):
        as_mask(spaces.Tuple([spaces.Discrete(2)] * 2), ([1, 1],), "the mask")
    assert allows_nothing(as_mask(spaces.MultiDiscrete([2, 2]), ([1, 1], [0, 0]), "the mask"))
