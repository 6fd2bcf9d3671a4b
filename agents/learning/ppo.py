"""The one PPO. As it stands it is IPPO: every agent climbs its own reward with its own network.

Schulman et al., Proximal Policy Optimization Algorithms (2017); de Witt et al., *Is Independent
Learning All You Need in the StarCraft Multi-Agent Challenge?* (2020). A method changes only what it
must, by overriding one of a few parts: ``rewards`` (what is maximised, one stream an objective),
``advantages``, ``terms`` and ``gradients`` (the terms of the loss, and what is done with them),
``heads`` (how many critics), ``central`` (whether they see the whole state). Worlds with kernels
are rolled out as arrays; all others, and all with partners, through their turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError
from gymposium.types import Agent, Progress, TrainingTask

from .adam import Adam
from .checkpoint import policies_from_state, policies_to_state
from .deciding import ActionLayout
from .gae import gae
from .losses import Minibatch, Terms, ppo_terms
from .minibatches import arrange, minibatches
from .networks import NetworkSpec, Torso, new_network
from .policy import Policy, PolicyAgent
from .rollouts import Decider, Rollout, RolloutSource
from .sources import rollout_source

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def at_least(low: float, doc: str, **more: Any) -> dict[str, Any]:
    """Metadata of a parameter with a lower bound."""
    return {"doc": doc, "range": f"at least {low}", "low": low, **more}


def share(doc: str) -> dict[str, Any]:
    """Metadata of a parameter from 0 to 1."""
    return {"doc": doc, "range": "0 to 1", "low": 0, "high": 1}


@dataclass(frozen=True)
class PPOConfig:
    """Parameters that every method has; the defaults are those of Kim and Sycara's Clean-Up."""

    num_envs: int = field(default=64, metadata=at_least(1, "matches played side by side"))
    rollout: int = field(
        default=0,
        metadata=at_least(0, "steps between updates; 0 is one match", unit="steps"),
    )
    epochs: int = field(default=2, metadata=at_least(1, "passes over each rollout"))
    minibatches: int = field(default=16, metadata=at_least(1, "parts of each pass"))
    lr: float = field(default=5e-4, metadata=at_least(0, "Adam's rate"))
    anneal: bool = field(default=True, metadata={"doc": "bring lr down to 0 over the budget"})
    gamma: float = field(default=0.99, metadata=share("discount"))
    lam: float = field(default=0.95, metadata=share("decay of advantages (GAE)"))
    clip: float = field(default=0.2, metadata=at_least(0, "how far a probability ratio may pay"))
    entropy: float = field(default=0.01, metadata=at_least(0, "weight of the entropy"))
    value: float = field(default=0.5, metadata=at_least(0, "weight of the critics' loss"))
    max_norm: float = field(
        default=0.5, metadata=at_least(0, "length to which each mind's gradient is cut; 0 is off")
    )
    normalise: bool = field(
        default=True, metadata={"doc": "scale advantages to deviation 1, a minibatch at a time"}
    )
    network: Literal["auto", "paper", "small", "mlp"] = field(
        default="auto", metadata={"doc": "the torso; auto is small for maps, mlp for vectors"}
    )
    recurrent: int = field(default=0, metadata=at_least(0, "width of a gated unit; 0 is none"))
    sharing: Literal["independent", "shared"] = field(
        default="independent", metadata={"doc": "a network for every seat, or one for all"}
    )
    num_threads: int = field(default=1, metadata=at_least(1, "threads that step the worlds"))

    def __post_init__(self) -> None:
        for name, item in self.__dataclass_fields__.items():
            value, low = getattr(self, name), item.metadata.get("low")
            if low is not None and not low <= value <= item.metadata.get("high", np.inf):
                span = item.metadata["range"]
                raise UsageError(f"the method's parameter {name} must be {span}, got {value!r}")


class PPO:
    """IPPO, and the base of every method that trains policies.

    Attributes:
        config: its parameters.
        steps: decisions of trained seats so far.
        updates: rollouts learned from so far.
        source: where rollouts come from, once training has begun.
    """

    Config: ClassVar[type[PPOConfig]] = PPOConfig
    heads: ClassVar[int] = 1
    central: ClassVar[bool] = False
    source: RolloutSource
    decider: Decider

    def __init__(self, config: PPOConfig | None = None) -> None:
        self.config = self.Config() if config is None else config
        self.steps = self.updates = 0
        self._loaded: Mapping[str, Any] | None = None
        self._task: TrainingTask | None = None

    # What methods override.

    def rewards(self, rollout: Rollout) -> Array:
        """What is maximised: float32 ``[T, E, A, heads]``."""
        return rollout.rewards[..., None]

    def advantages(self, rollout: Rollout) -> Array:
        """How much better each decision was than expected: float32 ``[T, E, A, heads]``."""
        config = self.config
        return gae(
            self.rewards(rollout),
            rollout.values,
            rollout.next_values,
            terminated=rollout.terminated[..., None],
            truncated=rollout.truncated[..., None],
            gamma=config.gamma,
            lam=config.lam,
            valid=rollout.valid[..., None],
        )

    def terms(self, batch: Minibatch) -> Terms:
        """What can be climbed, of one minibatch."""
        config, decider = self.config, self.decider
        return ppo_terms(
            decider.network, decider.layout, batch, clip=config.clip, normalise=config.normalise
        )

    def gradients(self, terms: Terms) -> dict[str, torch.Tensor]:
        """The direction to climb, by parameter."""
        return self.climb(terms.surrogates[0] + self.side_terms(terms))

    def observe(self, rollout: Rollout) -> None:
        """Look at a rollout before it is learned from."""

    def measures(self) -> dict[str, float]:
        """The method's own measures of the latest update; called once after it."""
        return {}

    def extra_state(self) -> dict[str, Any]:
        """What a subclass has to remember."""
        return {}

    def load_extra_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``extra_state`` gave."""

    # The Method protocol.

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Train until the budget of ``steps`` (decisions of trained seats) is spent.

        Args:
            task: ``world``, ``params``, ``seats`` (empty for all), ``partners`` (agent specs for
                the other seats), ``budget`` (``steps``; without it training goes on until the
                generator is closed), ``seed``.

        Raises:
            UsageError: the world's spaces cannot be learned, or the saved state is of another task.
        """
        self._begin(task)
        total = task.budget.get("steps")
        while total is None or self.steps < total:
            rollout = self.source.collect(self.decider)
            self.observe(rollout)
            self.steps += rollout.decisions
            self.updates += 1
            done = 0.0 if total is None else min(1.0, (self.steps - rollout.decisions) / total)
            rate = self.config.lr * (1 - done if self.config.anneal else 1)
            metrics = {**_returns(rollout, self.source.spaces.seats), **self._learn(rollout, rate)}
            yield Progress(self.steps, None if total is None else int(total), metrics)

    def agents(self) -> Mapping[str, Agent]:
        """The policies trained so far, each as an agent, by seat."""
        return {seat: PolicyAgent(policy) for seat, policy in self.policies().items()}

    def policies(self) -> dict[str, Policy]:
        """The policies trained so far, by seat; seats that share parameters share the object."""
        if self._task is None and self._loaded is not None:
            return policies_from_state(self._loaded["policies"])
        world = self._require_task().world
        spaces, network = self.source.spaces, self.decider.network
        made = [
            Policy(network.one(m), spaces.observation_space, spaces.action_space, world)
            for m in range(network.spec.minds)
        ]
        return {seat: made[a % len(made)] for a, seat in enumerate(spaces.seats)}

    def policies_state(self) -> dict[str, Any]:
        """The policies as plain data and tensors: all that playing them takes."""
        return policies_to_state(self.policies())

    def state_dict(self) -> dict[str, Any]:
        """All that a fresh instance needs to go on, bit for bit; tensors, arrays and plain data."""
        hidden = self.decider.hidden
        return {
            "task": _identity(self._require_task()),
            "steps": self.steps,
            "updates": self.updates,
            "policies": self.policies_state(),
            "parameters": {
                name: tensor.detach().clone()
                for name, tensor in self.decider.network.parameters.items()
            },
            "optimiser": self._adam.state_dict(),
            "rng": {name: rng.bit_generator.state for name, rng in self._generators()},
            "hidden": None if hidden is None else hidden.clone(),
            "source": self.source.state_dict(),
            "extra": self.extra_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on, with the next ``train``, where ``state`` was taken."""
        self._loaded = state

    # The loop's parts.

    def climb(self, height: torch.Tensor) -> dict[str, torch.Tensor]:
        """Gradients of every parameter of a height ``[M]``; what it does not move gets zeros."""
        parameters = self.decider.network.parameters
        grads = torch.autograd.grad(height.sum(), list(parameters.values()), allow_unused=True)
        return {
            name: torch.zeros_like(tensor) if grad is None else grad
            for (name, tensor), grad in zip(parameters.items(), grads, strict=True)
        }

    def side_terms(self, terms: Terms) -> torch.Tensor:
        """Entropy and critics' losses with their weights, ``[M]``: what no surgery touches."""
        losses = terms.value_losses.sum(0)
        return self.config.entropy * terms.entropy - self.config.value * losses

    def _begin(self, task: TrainingTask) -> None:
        """Build everything for a task; then load what there is to load."""
        if self._task is not None and self._task == task:
            return
        self._task = task
        seeds = np.random.SeedSequence(task.seed).spawn(4)
        world_seed = int(seeds[0].generate_state(1, np.uint64)[0] >> np.uint64(1))
        self._build(task, seeds, world_seed)
        network = self.decider.network
        self._shuffle = np.random.default_rng(seeds[3])
        self._adam = Adam(network.parameters)
        if self._loaded is not None:
            self._load(self._loaded, task)

    def _build(self, task: TrainingTask, seeds: list[np.random.SeedSequence], seed: int) -> None:
        """Where rollouts come from, and who decides in them."""
        config = self.config
        self.source = source = rollout_source(
            task,
            num_envs=config.num_envs,
            steps=config.rollout,
            num_threads=config.num_threads,
            seed=seed,
        )
        spaces = source.spaces
        layout = ActionLayout(spaces.action_space)
        spec = NetworkSpec(
            minds=1 if config.sharing == "shared" else len(spaces.seats),
            torso=_torso(config.network, spaces.shape),
            shape=spaces.shape,
            logits=layout.logits,
            amounts=layout.amounts,
            values=self.heads,
            recurrent=config.recurrent,
            central=spaces.central if self.central else None,
        )
        table = spaces.table if spec.torso != "mlp" else None
        network = new_network(spec, np.random.default_rng(seeds[1]), table)
        draws = np.random.default_rng(seeds[2])
        self.decider = Decider(network, layout, draws, central=self.central)

    def _load(self, state: Mapping[str, Any], task: TrainingTask) -> None:
        for name, mine in _identity(task).items():
            if state["task"][name] != mine:
                raise UsageError(
                    f"the saved state is of a training with {name} {state['task'][name]!r}, this "
                    f"one has {mine!r}: begin a new training"
                )
        parameters = self.decider.network.parameters
        saved = {name: torch.as_tensor(array) for name, array in state["parameters"].items()}
        shapes = ({n: tuple(t.shape) for n, t in kept.items()} for kept in (parameters, saved))
        if len({tuple(sorted(shape.items())) for shape in shapes}) > 1:
            raise UsageError(
                "the saved state is of a network of another shape: train with the parameters "
                "(network, sharing, recurrent, method) it was saved with"
            )
        with torch.no_grad():
            for name, tensor in parameters.items():
                tensor.copy_(saved[name])
        self._adam.load_state_dict(state["optimiser"])
        for name, rng in self._generators():
            rng.bit_generator.state = state["rng"][name]
        self.steps, self.updates = int(state["steps"]), int(state["updates"])
        self.source.load_state_dict(state["source"])
        hidden = state["hidden"]
        self.decider.hidden = None if hidden is None else torch.as_tensor(hidden)
        self.load_extra_state(state["extra"])

    def _generators(self) -> tuple[tuple[str, np.random.Generator], ...]:
        return ("draws", self.decider.rng), ("shuffle", self._shuffle)

    def _arranged(self, rollout: Rollout, advantages: Array) -> Minibatch:
        return arrange(rollout, advantages, shared=self.config.sharing == "shared")

    def _learn(self, rollout: Rollout, rate: float) -> dict[str, float]:
        """All epochs over one rollout."""
        config = self.config
        batch = self._arranged(rollout, self.advantages(rollout))
        sums: dict[str, list[float]] = {}
        for part in minibatches(batch, config, self._shuffle):
            gradients = self.gradients(terms := self.terms(part))
            norms = self._adam.ascend(gradients, rate, longest=config.max_norm, eps=1e-5)
            for name, value in (
                ("entropy", terms.entropy),
                ("value_loss", terms.value_losses),
                ("clipped", terms.clipped),
                ("kl", terms.kl),
                ("gradient_norm", norms),
            ):
                sums.setdefault(name, []).append(float(value.detach().mean()))
        return {name: float(np.mean(found)) for name, found in sums.items()} | self.measures()

    def _require_task(self) -> TrainingTask:
        if self._task is None:
            raise UsageError("nothing is trained yet: iterate over train(task) first")
        return self._task


def _identity(task: TrainingTask) -> dict[str, Any]:
    """What a saved state must agree with the task about, as JSON would give it back."""
    plain = {
        "world": task.world,
        "params": dict(task.params),
        "seats": list(task.seats),
        "partners": dict(task.partners),
        "seed": task.seed,
    }
    return json.loads(json.dumps(plain))  # type: ignore[no-any-return]


def _torso(network: str, shape: tuple[int, ...]) -> Torso:
    if network == "auto":
        return "small" if len(shape) == 3 else "mlp"
    if network != "mlp" and len(shape) != 3:
        raise UsageError(
            f"the network {network!r} reads maps, but an observation here is a vector of "
            f"{shape[0]} numbers: use network=mlp"
        )
    return network  # type: ignore[return-value]


def _returns(rollout: Rollout, seats: tuple[str, ...]) -> dict[str, float]:
    """Mean task returns of the matches that ended, of the trained seats."""
    if not len(rollout.returns):
        return {}
    means = rollout.returns[:, rollout.own].mean(0)
    named = {f"return/{seat}": float(mean) for seat, mean in zip(seats, means, strict=True)}
    return {"return": float(means.mean()), "episodes": float(len(rollout.returns)), **named}
