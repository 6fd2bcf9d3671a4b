"""``pettingzoo:classic/connect_four_v3``: any PettingZoo environment, Parallel or AEC.

One's own goes by its file or module: ``pettingzoo:market.py:Market``. Agents that leave early are
asked no more; the match goes on for the rest.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.env_registry.registration import aec_registry, parallel_registry
from pettingzoo.env_registry.registration import make as make_pettingzoo

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Action

from ..whereabouts import placed
from .foreign import ForeignWorld, check_kind, parts_of, told_in
from .own_environment import found_at, made_with_pictures

if TYPE_CHECKING:
    from gymposium.types import Image

_STEP = ("observations", "rewards", "terminations", "truncations", "infos")


def make(name: str, kind: str = "mixed", **params: Any) -> ForeignWorld:
    """The world called ``name``: its Parallel form if it has one, else AEC.

    Args:
        name: as for ``pettingzoo.make``, or ``FILE.py:CLASS``.
        kind: ``zero_sum``, ``mixed`` or ``cooperative``; PettingZoo does not say.
        **params: handed to ``pettingzoo.make``, or to the class.

    Raises:
        UnknownName: PettingZoo knows no such environment; names the nearest.
        UsageError: it cannot be made.
    """
    creator, own_id = found_at("pettingzoo", name)
    known = {*parallel_registry, *aec_registry}
    base, _, version = own_id.rpartition("_v")
    id = own_id if own_id in known or not version.isdigit() else f"{base}-v{version}"
    if creator is None and id not in known:
        raise UnknownName("PettingZoo environment", name, sorted(known))
    try:
        env = _registered(id, params) if creator is None else made_with_pictures(creator, params)
    except Exception as error:
        raise UsageError(placed(f"pettingzoo cannot make {id!r}: {error}", error)) from error
    kinds: dict[type, type[_PettingZooWorld]] = {ParallelEnv: ParallelWorld, AECEnv: AecWorld}
    for api, world in kinds.items():
        if isinstance(env, api):
            return world(id if name == own_id else name, env, kind, params)
    raise UsageError(
        f"pettingzoo cannot make {name!r}: what is made is a {type(env).__name__}, "
        "no ParallelEnv and no AECEnv"
    )


def _registered(id: str, params: Mapping[str, Any]) -> Any:
    api: Any = "parallel" if id in parallel_registry else "aec"
    try:
        return make_pettingzoo(api, id, **{"render_mode": "rgb_array", **params})
    except (TypeError, AssertionError):
        return make_pettingzoo(api, id, **params)  # takes no render mode


class _PettingZooWorld(ForeignWorld):
    def __init__(self, name: str, env: Any, kind: str, params: Mapping[str, Any]) -> None:
        self.id, self.params = f"pettingzoo:{name}", {"kind": kind, **params}
        self.kind = check_kind(kind, self.id)
        self._env = env
        ids = list(self._env.possible_agents)
        self._seat_foreign(
            ids,
            {seat: self._env.observation_space(seat) for seat in ids},
            {seat: self._env.action_space(seat) for seat in ids},
            None,
        )

    def _see(self, seat: str, observation: Any, infos: Any) -> None:
        if seat not in self.seats:
            known = ", ".join(self.possible_seats)
            raise UsageError(f"{seat!r} is not among the possible_agents, which are {known:.200}")
        self._seen[seat] = observation
        mask = told_in(observation).get("action_mask")
        if mask is None:
            mask = told_in(told_in(infos).get(seat)).get("action_mask")
        self._masks[seat] = self._mask_of(seat, mask)

    def _about(self) -> str:
        inner = self._env.unwrapped
        doc = type(inner).__doc__ or inspect.getdoc(inspect.getmodule(type(inner))) or ""
        return inspect.cleandoc(doc)

    def draw(self) -> Image:
        """The environment's own picture; of those that have none, the text of ``render``."""
        frame = None
        if self._over is not None and getattr(self._env, "render_mode", None) == "rgb_array":
            frame = self._env.render()
        return super().draw() if frame is None else np.asarray(frame, np.uint8)

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


class ParallelWorld(_PettingZooWorld):
    """A Parallel environment: all agents still in the game act at the same time."""

    def _restart(self, seed: int) -> None:
        answer = self._env.reset(seed=seed)
        observations, infos = parts_of(answer, ("observations", "infos"), "reset")
        self._look(observations, self._env.agents, infos)
        self._playing = tuple(self._env.agents)

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        answer = self._env.step(dict(actions))
        observations, rewards, terminated, truncated, infos = parts_of(answer, _STEP, "step")
        self._look(observations, (), infos)
        here = self._env.agents  # who comes later is asked from then on
        self._playing = tuple(it for it in here if not (terminated.get(it) or truncated.get(it)))
        if not self._playing:
            self._finished = any(terminated.values())
            self._cut = not self._finished
        return dict(rewards)

    def _look(self, observations: Any, wanted: Sequence[str], infos: Any) -> None:
        lacking = [seat for seat in wanted if seat not in told_in(observations)]
        if not isinstance(observations, Mapping) or lacking:
            who = ", ".join(lacking) or "anybody"
            raise UsageError(f"there is no observation for {who:.200}: it must be a dict by agent")
        for seat, observation in observations.items():
            self._see(seat, observation, infos)

    def _actors(self) -> Sequence[str]:
        return self._playing


class AecWorld(_PettingZooWorld):
    """An AEC environment: one agent acts at a time."""

    turn_based = True

    def _restart(self, seed: int) -> None:
        self._earned: dict[str, Any] = {}
        self._ruled = False  # whether the rules, and not a limit, took somebody out
        self._env.reset(seed=seed)
        self._pass_the_dead()
        self._look()

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        ((_, action),) = actions.items()
        self._env.step(action)
        self._earned = dict(self._env.rewards)
        self._pass_the_dead()
        self._look()
        return self._earned

    def _pass_the_dead(self) -> None:
        env = self._env
        while env.agents:
            seat = env.agent_selection
            if seat not in self.seats:
                known = ", ".join(self.possible_seats)
                raise UsageError(f"agent_selection is {seat!r}; possible_agents are {known:.200}")
            if not (env.terminations[seat] or env.truncations[seat]):
                return
            self._ruled |= bool(env.terminations[seat])
            self._see(seat, env.observe(seat), env.infos)
            before = dict(env.rewards)
            env.step(None)
            if seat in env.agents:
                raise UsageError(f"step(None) leaves {seat} among the agents, though it is out")
            self._earn_late(before)
        self._finished, self._cut = self._ruled, not self._ruled

    def _earn_late(self, before: Mapping[str, float]) -> None:
        """Rewards paid while the dead are passed; those left standing were counted before."""
        for seat, reward in self._env.rewards.items():
            if reward and reward != before.get(seat):
                self._earned[seat] = self._earned.get(seat, 0.0) + reward

    def _look(self) -> None:
        for seat in self._env.agents:
            self._see(seat, self._env.observe(seat), self._env.infos)

    def _actors(self) -> Sequence[str]:
        return (self._env.agent_selection,) if self._env.agents else ()
