"""An intervention agent beside the agents of any PettingZoo environment.

The two-player Modified-Action MDP of Langlois and Everitt (2021), as Nath and Krishnaswamy use it
(Learning "Partner-Aware" Collaborators in Multi-Party Collaboration, NeurIPS 2025), around a live
AEC or Parallel environment; ``advised-v0`` is the same for worlds of the registry. Before each turn
of a collaborator the agent ``intervention`` suggests an action for it; the collaborator sees the
advice that arrives, never how good it is, and the advice may be carried out in its place.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from gymposium.errors import UnknownName, UsageError

from ..common_ground.advice import Channel, advised_space, advised_view

INTERVENTION = "intervention"


class ModifiedAction(AECEnv[str, Any, Any]):
    """An environment with an intervention agent.

    Collaborators observe a Dict of ``seen``, ``advice``, ``advised`` and ``counterfactual`` (always
    0; what an agent is told otherwise is between it and its trainer). The intervention agent
    observes ``whom`` and ``seen``, acts in the collaborators' action space (None for no advice is
    not needed: let ``chance`` be below 1) and is paid the mean of the collaborators' rewards.

    Args:
        env: an AEC or a Parallel environment; the latter is converted.
        collaborators: the agents that are advised.
        quality: chance that each part of the advice arrives as it was meant.
        chance: that there is advice at all, turn by turn.
        modify: chance that the advice is carried out instead of the collaborator's action.

    Raises:
        UnknownName: a collaborator is not an agent of the environment.
        UsageError: none is named, they see or do different things, or a chance is not from 0 to 1.
    """

    def __init__(
        self,
        env: AECEnv[str, Any, Any] | ParallelEnv[str, Any, Any],
        collaborators: Sequence[str],
        *,
        quality: float = 1.0,
        chance: float = 1.0,
        modify: float = 0.0,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.env: Any = parallel_to_aec(env) if isinstance(env, ParallelEnv) else env
        self.metadata = {**self.env.metadata, "is_parallelizable": False}
        self.render_mode = getattr(self.env, "render_mode", None)
        self.collaborators = tuple(collaborators)
        known = list(self.env.possible_agents)
        for name in self.collaborators:
            if name not in known:
                raise UnknownName("agent", name, known, where="modified action: collaborators")
        if not self.collaborators or INTERVENTION in known:
            raise UsageError(
                "modified action: name at least one collaborator, in an environment without an "
                f"agent called {INTERVENTION!r}"
            )
        self._channel = Channel(quality, chance, modify).checked("modified action")
        first = self.collaborators[0]
        self._inner_action, self._inner_seen = (
            self.env.action_space(first),
            self.env.observation_space(first),
        )
        for name in self.collaborators[1:]:
            spaces_of = (self.env.action_space(name), self.env.observation_space(name))
            if spaces_of != (self._inner_action, self._inner_seen):
                raise UsageError(
                    f"modified action: {first} and {name} see or do different things; name one"
                )
        self.possible_agents = [*known, INTERVENTION]
        whom = spaces.Discrete(len(self.collaborators))
        self._seen_spaces: dict[str, Any] = {
            name: advised_space(self._inner_seen, self._inner_action)
            if name in self.collaborators
            else self.env.observation_space(name)
            for name in known
        }
        self._seen_spaces[INTERVENTION] = spaces.Dict({"whom": whom, "seen": self._inner_seen})
        self._own_action = copy.deepcopy(self._inner_action)

    def observation_space(self, agent: str) -> Any:
        """What an agent can see; the same object each time."""
        return self._seen_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent can do; the intervention agent's is an action for a collaborator."""
        return self._own_action if agent == INTERVENTION else self.env.action_space(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; the channel's luck comes from the same seed."""
        self.env.reset(seed=seed, options=options)
        self._rng = np.random.default_rng(None if seed is None else [seed, 1])
        self.agents = [*self.env.agents, INTERVENTION]
        self._advice: Any = None
        self._advised = False
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._read(dict.fromkeys(self.agents, 0.0))

    def observe(self, agent: str) -> Any:
        """What an agent sees now."""
        if agent == INTERVENTION:
            whom = self._current if self._current in self.collaborators else self.collaborators[0]
            seen = self.env.observe(whom)
            return {"whom": self.collaborators.index(whom), "seen": copy.deepcopy(seen)}
        seen = self.env.observe(agent)
        if agent not in self.collaborators:
            return seen
        advice = self._advice if agent == self._current else None
        return advised_view(seen, advice, self._inner_action, counterfactual=False)

    def step(self, action: Any) -> None:
        """Take the selected agent's action."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._bury(agent, action)
            return
        self._cumulative_rewards[agent] = 0.0
        if agent == INTERVENTION:
            mask = self._mask_of(self._current)
            self._advice = self._channel.deliver(action, self._inner_action, mask, self._rng)
            self._advised = True
            self._read(dict.fromkeys(self.agents, 0.0))
        else:
            taken = action
            if agent in self.collaborators:
                swap = self._rng.random() < self._channel.modify
                if swap and self._advice is not None and action is not None:
                    taken = self._advice
            self.env.step(taken)
            self._advice, self._advised = None, False
            rewards = dict(self.env.rewards)
            paid = [rewards[name] for name in self.collaborators if name in rewards]
            self._read({**rewards, INTERVENTION: float(np.mean(paid)) if paid else 0.0})
        self._accumulate_rewards()

    def _mask_of(self, agent: str) -> Any:
        seen = self.env.observe(agent)
        if isinstance(seen, dict) and "action_mask" in seen:
            return seen["action_mask"]
        return self.env.infos.get(agent, {}).get("action_mask")

    def _bury(self, agent: str, action: Any) -> None:
        """An agent that is out leaves."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        if agent == INTERVENTION:
            self.agents = [name for name in self.agents if name != INTERVENTION]
            self._read(dict.fromkeys(self.agents, 0.0))
            return
        self.env.step(None)
        self._read(dict.fromkeys(self.agents, 0.0))

    @property
    def _current(self) -> str:
        """Whose turn the environment has it to be."""
        return str(self.env.agent_selection)

    def _read(self, rewards: dict[str, float]) -> None:
        """Take over how the environment stands; the intervention agent goes with the last."""
        env, here = self.env, INTERVENTION in self.agents
        self.agents = [*env.agents, *([INTERVENTION] if here else [])]
        left = [name for name in self.collaborators if name in env.agents]
        going = any(not (env.terminations[name] or env.truncations[name]) for name in left)
        cut = bool(left) and not going and all(env.truncations[name] for name in left)
        self.terminations = {name: bool(env.terminations[name]) for name in env.agents}
        self.truncations = {name: bool(env.truncations[name]) for name in env.agents}
        self.infos = {name: env.infos.get(name, {}) for name in env.agents}
        if here:
            self.terminations[INTERVENTION] = not going and not cut
            self.truncations[INTERVENTION] = cut
            self.infos[INTERVENTION] = {}
        self.rewards = {name: float(rewards.get(name, 0.0)) for name in self.agents}
        for name in list(self._cumulative_rewards):
            if name not in self.agents:
                del self._cumulative_rewards[name]
        if here and not going:
            self.agent_selection = INTERVENTION
        elif env.agents:
            current = self._current
            due = current in self.collaborators and not self._advised
            alive = not (env.terminations[current] or env.truncations[current])
            self.agent_selection = INTERVENTION if here and due and alive else current
            if here and due and alive:
                mask = self._mask_of(current)
                self.infos[INTERVENTION] = {} if mask is None else {"action_mask": mask}

    def render(self) -> Any:
        """As the environment renders."""
        return self.env.render()

    def close(self) -> None:
        """Release the environment."""
        self.env.close()
