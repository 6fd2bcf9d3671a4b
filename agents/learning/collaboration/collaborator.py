"""Training collaborators by reward: ICR, and PPO with the same start and the same anchor.

Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in Multi-Party Collaboration (NeurIPS
2025), section 4: a policy cloned from an expert is trained by PPO, held near its start, and (the
Interruptible Collaborative Roleplayer) held near what it would do were it told that its partner's
advice is useless. So it takes advice only where that pays for the difference. Their code subtracts
the log-ratio of what was sampled from the reward (``cf_mode=reward``); the divergence itself can
also be descended (``loss``). The counterfactual branch is held fixed: else it would come to meet
the policy, and both would learn to obey.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import Progress, TrainingTask

from ..adam import Adam
from ..encoding import encoder
from ..losses import Minibatch, Terms, log_density
from ..networks import Network
from ..policy import Policy, PolicyAgent
from ..ppo import PPO, PPOConfig, at_least
from ..preference import PREFERENCE_LOSSES, Pair, log_ratio
from ..rollouts import Rollout
from .counterfactual import Blind, Counterfactual, How, policy_divergence
from .examples import Examples, Hall, gathered

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
EXPERT = "scripted:participant?skill=0&stubbornness=0.75"
"""Who is cloned first: somebody with the bias of people who answer alone, who listens a little."""


@dataclass(frozen=True)
class CollaboratorConfig(PPOConfig):
    """Parameters of every collaborator: PPO's, set for short matches, and a few of its own."""

    num_envs: int = field(default=64, metadata=at_least(1, "matches played side by side"))
    epochs: int = field(default=4, metadata=at_least(1, "passes over each rollout"))
    minibatches: int = field(default=2, metadata=at_least(1, "parts of each pass"))
    lr: float = field(default=2e-3, metadata=at_least(0, "Adam's rate"))
    anneal: bool = field(default=False, metadata={"doc": "bring lr down to 0 over the budget"})
    gamma: float = field(default=1.0, metadata={"doc": "discount", "range": "0 to 1"})
    entropy: float = field(default=0.0, metadata=at_least(0, "weight of the entropy"))
    sharing: Literal["independent", "shared"] = field(
        default="shared", metadata={"doc": "a network for every seat, or one for all"}
    )
    expert: str = field(default=EXPERT, metadata={"doc": "the agent that is cloned first"})
    warm: int = field(default=1500, metadata=at_least(0, "decisions of the expert to clone"))
    clone_epochs: int = field(default=20, metadata=at_least(1, "passes over examples"))
    clone_lr: float = field(default=2e-3, metadata=at_least(0, "Adam's rate on examples"))
    anchor: float = field(
        default=0.01, metadata=at_least(0, "price of leaving the cloned policy (lambda_H)")
    )
    intent: float = field(
        default=0.0, metadata=at_least(0, "price of minding advice (lambda_Intent)")
    )
    cf_mode: Literal["reward", "loss"] = field(
        default="reward", metadata={"doc": "whether that price is a reward or a loss"}
    )
    counterfactual: How = field(
        default="hidden", metadata={"doc": "how the network is told that advice is useless"}
    )


@dataclass(frozen=True)
class ICRConfig(CollaboratorConfig):
    """The same, with the price of minding advice that the paper found best."""

    intent: float = field(
        default=0.2, metadata=at_least(0, "price of minding advice (lambda_Intent)")
    )


class Collaborator(PPO):
    """PPO from a cloned start; the base of all that learn to collaborate."""

    Config: ClassVar[type[CollaboratorConfig]] = CollaboratorConfig
    config: CollaboratorConfig

    def __init__(self, config: PPOConfig | None = None) -> None:
        super().__init__(config)
        if self.config.recurrent:
            raise UsageError("a collaborator has no memory yet: leave recurrent at 0")
        self._start: dict[str, torch.Tensor] | None = None  # the cloned policy, once there is one
        self._told: dict[str, float] = {}
        self._apart: torch.Tensor | None = None

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Clone the expert, then train as PPO does; see :meth:`PPO.train`."""
        self._begin(task)
        found: dict[str, float] = {}
        if self._start is None:
            found = self._clone(task) if self.config.warm else {}
            self._keep_start()
        for progress in super().train(task):
            yield replace(progress, metrics={**found, **progress.metrics}) if found else progress
            found = {}

    # What is learned from examples.

    def _clone(self, task: TrainingTask) -> dict[str, float]:
        """Learn from the expert's examples: how likely its choices became."""
        hall = self.hall(task)
        seed = np.random.SeedSequence(task.seed, spawn_key=(4,))
        return self.study(
            self.some(hall.demonstrations(self.config.expert, seed), self.config.warm)
        )

    def hall(self, task: TrainingTask) -> Hall:
        """Where examples are made."""
        spaces = self.source.spaces
        if self.config.sharing != "shared" and len(spaces.seats) > 1:
            raise UsageError("seats that learn from examples share a network: sharing=shared")
        read = encoder(spaces.observation_space)
        return Hall(task, spaces.seats, read, self.decider.layout)

    @staticmethod
    def some(matches: Iterator[Examples], least: int) -> Examples:
        """Matches' examples until there are enough."""
        kept, count = [], 0
        for examples in matches:
            kept.append(examples)
            count += len(examples)
            if count >= least:
                break
        return gathered(kept)

    def study(self, examples: Examples) -> dict[str, float]:
        """All passes over some examples."""
        adam, heights = Adam(self.decider.network.parameters), []
        rng = np.random.default_rng([len(examples), 5])
        for _ in range(self.config.clone_epochs):
            for rows in np.array_split(
                rng.permutation(len(examples)), max(1, len(examples) // 256)
            ):
                height = self.height(examples.take(rows))
                gradients = self.climb(height.mean(1))
                adam.ascend(gradients, self.config.clone_lr, longest=1.0, eps=1e-5)
                heights.append(float(height.detach().mean()))
        return {"examples": float(len(examples)), "example_height": heights[-1]}

    def height(self, examples: Examples) -> torch.Tensor:
        """What is climbed on examples, ``[1, N]``: their log-likelihood, or a preference."""
        logp = self.likely(self.decider.network, examples, examples.choices)
        if examples.against is None:
            return logp
        lost = self.likely(self.decider.network, examples, examples.against)
        with torch.no_grad():
            start = self.reference()
            refs = [
                self.likely(start, examples, choices)
                for choices in (examples.choices, examples.against)
            ]
        return -self.preference(Pair(logp, lost, refs[0], refs[1]))

    def preference(self, pair: Pair) -> torch.Tensor:
        """The loss of a comparison."""
        return PREFERENCE_LOSSES["dpo"](pair, 0.1)

    def likely(self, network: Network, examples: Examples, choices: Array) -> torch.Tensor:
        """Log-likelihood of choices, ``[1, N]``."""
        said = network.evaluate(examples.seen[:, None])
        rows = torch.from_numpy(np.asarray(choices, np.int64))[None]
        amounts = said.logits.new_zeros(1, len(rows[0]), 0)
        masks = torch.from_numpy(examples.masks)[None]
        return log_density(network, self.decider.layout, said.logits, rows, amounts, masks)[0]

    def reference(self) -> Network:
        """The cloned policy."""
        network = self.decider.network
        return Network(network.spec, self._start or {}, network.table)

    def _keep_start(self) -> None:
        parameters = self.decider.network.parameters
        self._start = {name: tensor.detach().clone() for name, tensor in parameters.items()}

    # What is learned from reward.

    def rewards(self, rollout: Rollout) -> Array:
        """The task's rewards less the two prices, decision by decision."""
        config, rewards = self.config, rollout.rewards
        self._told = {}
        if config.anchor:
            moved = self._ratio(rollout, self.reference(), rollout.seen)
            rewards = rewards - config.anchor * moved
            self._told["moved"] = _mean(moved, rollout.valid)
        if config.intent:
            gap = self._ratio(rollout, self.decider.network, self.turned(rollout.seen))
            if config.cf_mode == "reward":
                rewards = rewards - config.intent * gap
            self._told["counterfactual_gap"] = _mean(gap, rollout.valid)
        return np.asarray(rewards[..., None], np.float32)

    def terms(self, batch: Minibatch) -> Terms:
        """PPO's, and beside them the divergence, where that is descended itself."""
        terms = super().terms(batch)
        self._apart = None
        if self.config.intent and self.config.cf_mode == "loss":
            network, layout = self.decider.network, self.decider.layout
            with torch.no_grad():
                other = network.evaluate(self.turned(batch.seen)).logits
            logits = network.evaluate(batch.seen, state=batch.state).logits
            masks = None if batch.masks is None else torch.from_numpy(batch.masks).transpose(0, 1)
            valid = torch.from_numpy(batch.valid).transpose(0, 1)
            apart = policy_divergence(network, layout, logits, other, masks)
            self._apart = (apart * valid).sum(1) / valid.sum(1).clamp(min=1)
        return terms

    def gradients(self, terms: Terms) -> dict[str, torch.Tensor]:
        """PPO's direction, less the divergence where that is descended itself."""
        if self._apart is None:
            return super().gradients(terms)
        height = terms.surrogates[0] + self.side_terms(terms)
        return self.climb(height - self.config.intent * self._apart)

    def measures(self) -> dict[str, float]:
        """How far the policy has moved, and how much it minds advice, in nats a decision."""
        return dict(self._told)

    def turned(self, seen: Array) -> Array:
        """What would be seen by one told that advice is useless."""
        turn = Counterfactual(self.source.spaces.observation_space, self.config.counterfactual)
        return turn(seen)

    def _ratio(self, rollout: Rollout, network: Network, seen: Array) -> Array:
        """Log-ratio of every decision, ``[T, E, A]``: as it was taken, and as ``network`` would."""
        minds = self.decider.network.spec.minds
        shape = (rollout.logp.size // minds, minds)

        def lanes(array: Array) -> torch.Tensor:
            flat = np.ascontiguousarray(array).reshape(*shape, *array.shape[3:])
            return torch.from_numpy(flat).transpose(0, 1)

        with torch.no_grad():
            said = network.evaluate(np.ascontiguousarray(seen).reshape(*shape, *seen.shape[3:]))
            masks = None if rollout.masks is None else lanes(rollout.masks)
            parts = (said.logits, lanes(rollout.choices), lanes(rollout.amounts), masks)
            logp = log_density(network, self.decider.layout, *parts)[0].transpose(0, 1)
            ratio = log_ratio(torch.from_numpy(rollout.logp), logp.reshape(rollout.logp.shape))
        return np.where(rollout.valid, ratio.numpy(), 0.0)

    def extra_state(self) -> dict[str, Any]:
        """The cloned policy."""
        return {"start": dict(self._start or {})}

    def load_extra_state(self, state: Mapping[str, Any]) -> None:
        """Go on from the same cloned policy."""
        start = {name: torch.as_tensor(tensor) for name, tensor in state["start"].items()}
        self._start = start or None


class ICR(Collaborator):
    """The Interruptible Collaborative Roleplayer."""

    Config: ClassVar[type[CollaboratorConfig]] = ICRConfig


class PathSpecific(Collaborator):
    """PPO on what a policy does that was told advice is useless: the path from advice is cut.

    The form of the paper's PSO-Intent is not published; this is derived.
    """

    def _begin(self, task: TrainingTask) -> None:
        super()._begin(task)
        if not isinstance(self.decider, Blind):
            space = self.source.spaces.observation_space
            self.decider = Blind(self.decider, Counterfactual(space, self.config.counterfactual))

    def observe(self, rollout: Rollout) -> None:
        """What was learned from is what was seen by one told so."""
        rollout.seen = self.turned(rollout.seen)


class Cloning(Collaborator):
    """Behaviour cloning alone: the expert, and no reward."""

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Clone until the budget of ``steps`` (decisions looked at) is spent, batch by batch."""
        self._begin(task)
        total = task.budget.get("steps")
        while total is None or self.steps < total:
            examples = self.batch(task)
            found = self.study(examples)
            self.steps += len(examples)
            self.updates += 1
            self._keep_start()
            yield Progress(self.steps, None if total is None else int(total), found)

    def batch(self, task: TrainingTask) -> Examples:
        """The next examples."""
        seed = np.random.SeedSequence(task.seed, spawn_key=(4, self.updates))
        return self.some(
            self.hall(task).demonstrations(self.config.expert, seed), max(1, self.config.warm)
        )


@dataclass(frozen=True)
class PreferenceConfig(CollaboratorConfig):
    """Parameters of learning from comparisons."""

    beta: float = field(default=0.1, metadata=at_least(0, "how dear it is to leave the start"))
    pairs: int = field(default=500, metadata=at_least(1, "comparisons gathered at a time"))


class DPO(Collaborator):
    """Direct preference optimisation on comparisons of the cloned policy's own actions."""

    Config: ClassVar[type[CollaboratorConfig]] = PreferenceConfig
    config: PreferenceConfig
    loss: ClassVar[Any] = "dpo"

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Clone, then learn from comparisons until ``steps`` (two decisions each) are spent."""
        self._begin(task)
        total = task.budget.get("steps")
        if self._start is None:
            if self.config.warm:
                self._clone(task)
            self._keep_start()
        while total is None or self.steps < total:
            seed = np.random.SeedSequence(task.seed, spawn_key=(5, self.updates))
            pairs = self.some(self.hall(task).comparisons(self._player(), seed), self.config.pairs)
            found = self.study(pairs)
            self.steps += 2 * len(pairs)
            self.updates += 1
            yield Progress(self.steps, None if total is None else int(total), found)

    def _player(self) -> Any:
        """Makes agents that play the cloned policy."""
        spaces, task = self.source.spaces, self._require_task()
        network = self.reference().one(0)
        policy = Policy(network, spaces.observation_space, spaces.action_space, task.world)
        return lambda: PolicyAgent(policy)

    def preference(self, pair: Pair) -> torch.Tensor:
        """The loss of a comparison."""
        return PREFERENCE_LOSSES[self.loss](pair, self.config.beta)


class IPO(DPO):
    """Identity preference optimisation on the same comparisons."""

    loss = "ipo"


def _mean(values: Array, valid: Array) -> float:
    return float(values[valid].mean()) if valid.any() else 0.0
