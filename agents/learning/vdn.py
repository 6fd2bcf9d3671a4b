"""VDN: a team's value as the sum of what each of its members thinks its own action is worth.

Sunehag et al., *Value-Decomposition Networks for Cooperative Multi-Agent Learning* (2018): the
members learn from the team's reward alone, through the sum, and yet act each on what it sees
itself. Learned here as in Gallici et al., *Simplifying Deep Temporal Difference Learning* (2024),
section 4: from many matches side by side with returns Q(lambda), without a replay buffer and
without a second network, so that rollouts, networks and optimiser are those of PPO.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import TrainingTask

from .deciding import Drawn
from .gae import gae
from .losses import Minibatch
from .minibatches import arrange, minibatches
from .policy import Policy
from .ppo import PPO, PPOConfig, share
from .rollouts import Decider, Rollout

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class VDNConfig(PPOConfig):
    """PPO's parameters, of which ``clip``, ``entropy``, ``value`` and ``normalise`` are unused."""

    explore: float = field(default=1.0, metadata=share("share of random actions at the start"))
    explore_last: float = field(default=0.05, metadata=share("share of them at the end"))
    explore_for: float = field(
        default=0.5, metadata=share("share of the budget over which the one becomes the other")
    )
    sharing: Literal["independent"] = field(
        default="independent", metadata={"doc": "a network for every seat"}
    )


class ValueDecider(Decider):
    """Takes what is worth most, or with probability ``explore`` anything that is open."""

    explore = 0.0

    def decide(
        self,
        seen: Array,
        state: Array | None,
        masks: Array | None,
        starts: Array,
        asked: Any = None,
    ) -> tuple[Drawn, Array]:
        """As :meth:`Decider.decide`; the value of a seat is that of its best open action."""
        worth, _, hidden = self._ask(seen, state, starts)
        self.go_on(hidden, asked)
        open_ = np.ones(worth.shape, bool) if masks is None else masks
        worth = np.where(open_, worth, -np.inf)
        noise = self.layout.noise(self.rng, *seen.shape[:2]).uniform[..., 0]
        # Given that it is below `explore`, the number is uniform below it: it picks the action too.
        ranks = np.cumsum(open_, -1)
        rank = np.floor(noise / max(self.explore, 1e-9) * ranks[..., -1]) + 1
        anything = (ranks >= np.minimum(rank, ranks[..., -1])[..., None]).argmax(-1)
        choice = np.where(noise < self.explore, anything, worth.argmax(-1))
        drawn = Drawn(choice[..., None], noise[..., None][..., :0], np.zeros_like(noise))
        return drawn, worth.max(-1, keepdims=True)

    def worth(self, seen: Array, state: Array | None) -> Array:
        """Of the best action; no mask is known of what is seen last."""
        worth, _, _ = self._ask(seen, state, np.zeros(seen.shape[:2], bool))
        best: Array = worth.max(-1, keepdims=True)
        return best


class VDN(PPO):
    """Value decomposition: the trained seats are a team, whose reward is the sum of theirs."""

    Config: ClassVar[type[PPOConfig]] = VDNConfig
    config: VDNConfig
    decider: ValueDecider

    def policies(self) -> dict[str, Policy]:
        """The policies trained so far, by seat; they take what is worth most."""
        made = super().policies()
        return {seat: dataclasses.replace(policy, greedy=True) for seat, policy in made.items()}

    def observe(self, rollout: Rollout) -> None:
        """Refuse what has no common time, and explore less from the next rollout on."""
        valid, over = rollout.valid, rollout.terminated | rollout.truncated
        if (valid != valid[..., :1]).any() or (over != over[..., :1]).any():
            raise UsageError(
                f"vdn adds up what all seats do at one time, but the seats of {self._world} do "
                "not all act and end together; use another method, e.g. collective"
            )
        self.decider.explore = self._exploring(self.steps + rollout.decisions)

    def measures(self) -> dict[str, float]:
        """How much is explored next."""
        return {"explore": self.decider.explore}

    def _begin(self, task: TrainingTask) -> None:
        self._world, self._total = task.world, task.budget.get("steps")
        super()._begin(task)
        old: Decider = self.decider
        layout = old.layout
        if len(layout.sizes) != 1 or layout.amounts:
            raise UsageError(
                f"vdn gives each action a value, so it needs one choice among actions; the action "
                f"space of {task.world} is {layout.space}: use another method, e.g. collective"
            )
        if getattr(self.source, "turn_based", False):
            raise UsageError(
                f"vdn adds up what all seats do at one time, but in {task.world} they act in turn; "
                "use another method, e.g. collective"
            )
        if not isinstance(old, ValueDecider):
            self.decider = ValueDecider(old.network, layout, old.rng, central=False)
            self.decider.hidden = old.hidden
        self.decider.explore = self._exploring(self.steps)

    def _exploring(self, steps: int) -> float:
        config = self.config
        span = config.explore_for * (self._total or 0)
        left = 1 - min(1.0, steps / span) if span else 0.0
        return config.explore_last + (config.explore - config.explore_last) * left

    def _learn(self, rollout: Rollout, rate: float) -> dict[str, float]:
        first = np.s_[..., :1]  # of the seats: they end and count together
        values = rollout.values[..., 0].sum(-1, keepdims=True)
        ahead = gae(
            rollout.rewards.sum(-1, keepdims=True),
            values,
            rollout.next_values[..., 0].sum(-1, keepdims=True),
            terminated=rollout.terminated[first],
            truncated=rollout.truncated[first],
            gamma=self.config.gamma,
            lam=self.config.lam,
            valid=rollout.valid[first],
        )
        targets = np.broadcast_to((ahead + values)[..., None], rollout.values.shape)
        batch = arrange(rollout, rollout.values, shared=False)._replace(targets=targets)
        losses, norms = [], []
        for part in minibatches(batch, self.config, self._shuffle):
            loss = self.loss(part)
            gradients = self.climb(-loss)
            norm = self._adam.ascend(gradients, rate, longest=self.config.max_norm, eps=1e-5)
            losses.append(float(loss.detach()))
            norms.append(float(norm.mean()))
        found = {"value_loss": float(np.mean(losses)), "gradient_norm": float(np.mean(norms))}
        return found | self.measures()

    def loss(self, batch: Minibatch) -> torch.Tensor:
        """Half the mean squared error of the team's value ``sum_i Q_i(o_i, a_i)``."""
        said = self.decider.network.evaluate(batch.seen, starts=batch.starts, hidden=batch.hidden)
        minds = batch.choices.shape[-2]
        choices = torch.from_numpy(batch.choices.reshape(-1, minds)).T[..., None]
        team = said.logits.gather(-1, choices).squeeze(-1).sum(0)
        target, valid = (
            torch.from_numpy(np.ascontiguousarray(array).reshape(-1, minds)[:, 0])
            for array in (batch.targets, batch.valid)
        )
        return 0.5 * ((team - target).square() * valid).sum() / valid.sum().clamp(min=1)
