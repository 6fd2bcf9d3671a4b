"""Networks as students, for what a table cannot hold: REINFORCE with an entropy bonus, and PPO.

The suite's networks, optimiser, agents and its one PPO. Tzannetos, Kamalaruban and Singla (NeurIPS
2025) report both updates; width, rates and bonus are derived.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import Agent, Seat, TrainingTask

from ..adam import Adam
from ..checkpoint import policies_from_state, policies_to_state
from ..deciding import ActionLayout
from ..encoding import encoder
from ..losses import log_density
from ..match_rollouts import MatchRollouts
from ..networks import Network, NetworkSpec, new_network
from ..policy import Policy, PolicyAgent
from ..ppo import PPO, PPOConfig
from .episodes import Court, Episodes
from .student import Lesson, PolicyGradient

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class _Player:
    """Reads observations for a network and draws from what it says."""

    def __init__(self, seat: Seat, rng: np.random.Generator) -> None:
        self._seat, self._rng = seat, rng
        self._read = encoder(seat.observation_space)
        self._layout = ActionLayout(seat.action_space)
        if not self._layout.simple:
            raise UsageError(
                f"a curriculum's network needs a Discrete choice, and {seat.id} has "
                f"{seat.action_space}"
            )

    def _net(self) -> Network:
        raise NotImplementedError

    def read(self, observations: Sequence[Any]) -> Array:
        """Encoded observations."""
        return np.stack([self._read.encode(seen) for seen in observations])

    def decide(self, seen: Array, masks: Array | None) -> Array:
        """Draws from the network."""
        logits = self._net().act(seen[:, None]).logits[0].numpy()
        noise = self._layout.noise(self._rng, len(seen))
        choices: Array = self._layout.draw(logits, np.zeros(0, np.float32), masks, noise).choices
        return choices[:, 0]

    def act_on(self, choice: int, turn: Any) -> Any:
        """The action that stands for it."""
        return self._layout.action(np.array([choice]), np.zeros(0))


class NetworkStudent(_Player, PolicyGradient):
    """REINFORCE on a network.

    Args:
        seat: whose spaces it is for.
        world: its id, for messages.
        lr: Adam's rate.
        baseline: see :class:`PolicyGradient`.
        entropy: weight of the entropy, which is averaged over decisions.
        rng: where its draws come from, the first of them the weights.

    Raises:
        UsageError: the observation cannot be read, or the choice is not Discrete.
    """

    def __init__(
        self,
        seat: Seat,
        world: str,
        *,
        lr: float,
        baseline: str,
        entropy: float,
        rng: np.random.Generator,
    ) -> None:
        PolicyGradient.__init__(self, baseline)
        _Player.__init__(self, seat, rng)
        self._world, self._lr, self._entropy = world, lr, entropy
        shape = self._read.shape
        spec = NetworkSpec(1, "small" if len(shape) == 3 else "mlp", shape, self._layout.logits)
        self._network = new_network(spec, rng)
        self._adam = Adam(self._network.parameters)

    def _net(self) -> Network:
        return self._network

    def climb(self, episodes: Episodes, weights: Array) -> None:
        """One step of Adam."""
        count = len(episodes.choices)
        said = self._network.evaluate(episodes.seen[:, None])
        masks = None if episodes.masks is None else torch.from_numpy(episodes.masks)[None]
        logp, entropy = log_density(
            self._network,
            self._layout,
            said.logits,
            torch.from_numpy(episodes.choices)[None, :, None],
            torch.zeros(1, count, 0),
            masks,
        )
        gains = torch.from_numpy(weights[episodes.rows].astype(np.float32))
        height = (logp[0] * gains).sum() / len(episodes) + self._entropy * entropy.mean()
        parameters = self._network.parameters
        found = torch.autograd.grad(height, list(parameters.values()), allow_unused=True)
        gradients = {
            name: torch.zeros_like(tensor) if grad is None else grad
            for (name, tensor), grad in zip(parameters.items(), found, strict=True)
        }
        self._adam.ascend(gradients, self._lr, longest=0.0, eps=1e-8)

    def agent(self) -> Agent:
        """The policy as an agent."""
        return PolicyAgent(self._policy())

    def state_dict(self) -> dict[str, Any]:
        """Weights, optimiser and moving average."""
        return {
            "policies": policies_to_state({self._seat.id: self._policy()}),
            "optimiser": self._adam.state_dict(),
            "average": self._average,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        (policy,) = policies_from_state(state["policies"]).values()
        with torch.no_grad():
            for name, tensor in self._network.parameters.items():
                if name in policy.network.parameters:
                    tensor.copy_(policy.network.parameters[name])
        self._adam.load_state_dict(state["optimiser"])
        self._average = float(state["average"])

    def _policy(self) -> Policy:
        seat = self._seat
        return Policy(self._network.one(0), seat.observation_space, seat.action_space, self._world)


class PPOStudent(_Player):
    """The suite's PPO, as it is; the world pays it under the budget.

    Args:
        seat: whose spaces it is for.
        task: what it learns for; None if it is only to be turned into an agent.
        config: of the PPO; a lesson is one match in each of its ``num_envs`` worlds.
        rng: where the draws of trials come from.

    Raises:
        UsageError: the observation cannot be read, or the choice is not Discrete.
    """

    def __init__(
        self, seat: Seat, task: TrainingTask | None, config: PPOConfig, rng: np.random.Generator
    ) -> None:
        super().__init__(seat, rng)
        self._ppo = _PPO(config)
        self._task = None if task is None else dataclasses.replace(task, budget={})
        self._course: Generator[Any] | None = None

    def _net(self) -> Network:
        self._begun()
        return self._ppo.decider.network

    def _begun(self) -> Generator[Any]:
        if self._course is None:
            if self._task is None:
                raise UsageError("this student is only to be played: it has no task")
            self._ppo.prepare(self._task)
            self._course = cast("Generator[Any]", self._ppo.train(self._task))
        return self._course

    def lesson(
        self, court: Court, budget: float, seeds: Sequence[int], trials: Episodes | None
    ) -> Lesson:
        """One rollout under the budget, and all epochs over it.

        Raises:
            UsageError: it is to learn from trials.
        """
        if trials is not None:
            raise UsageError("PPO plays its own episodes: reuse is for REINFORCE")
        course = self._begun()
        for world in self._ppo.worlds():
            world.set_task(court.held)
            world.set_budget(budget)
        progress = next(course)
        return Lesson(self._ppo.config.num_envs, progress.metrics["return"])

    def agent(self) -> Agent:
        """The policy as an agent."""
        return self._ppo.agents()[self._seat.id]

    def state_dict(self) -> dict[str, Any]:
        """All of PPO's."""
        self._begun()
        return {"ppo": self._ppo.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self._ppo.load_state_dict(state["ppo"])


class _PPO(PPO):
    """PPO whose worlds can be reached before it plays in them."""

    def prepare(self, task: TrainingTask) -> None:
        self._begin(task)

    def worlds(self) -> list[Any]:
        return cast("MatchRollouts", self.source).worlds
