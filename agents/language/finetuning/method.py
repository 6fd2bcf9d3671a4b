"""The base of every method that fine-tunes a language model in the seats of a world.

A step is a reply-giving match of a seat (an episode), or an example where there are examples. All
trained seats share one adapter. With ``trained:RUN/METHOD/seed-0`` the model plays as it was
trained; the same folder is an adapter too: ``llm:transformers/MODEL?adapter=RUN/…/step-…``.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Agent, Progress, TrainingTask

from ..backends.transformers import TransformersBackend
from ..llm_agent import MEMORY_TOKENS, LLMAgent
from .adapter import Adapted, Objective, minibatches
from .episodes import Episode, play_episodes
from .lockstep import Lockstep


def number(doc: str, low: float, high: float = np.inf) -> dict[str, Any]:
    """Metadata of a parameter with bounds."""
    span = f"at least {low:g}" if high == np.inf else f"{low:g} to {high:g}"
    return {"doc": doc, "low": low, "high": high, "range": span}


@dataclass(frozen=True)
class FineTuningConfig:
    """Parameters of every method that fine-tunes."""

    model: str = field(
        default="smollm2", metadata={"doc": "what is trained: a known model, or a model's folder"}
    )
    device: str = field(default="cpu", metadata={"doc": "as torch names it: cpu, cuda"})
    precision: Literal["float32", "bfloat16"] = field(
        default="float32", metadata={"doc": "of the frozen weights; bfloat16 takes half the room"}
    )
    rank: int = field(default=8, metadata=number("of the adapter's matrices", 1))
    alpha: float = field(default=16.0, metadata=number("the adapter's scale, over its rank", 0))
    last: int = field(default=0, metadata=number("last layers with an adapter; 0: all", 0))
    lr: float = field(default=1e-4, metadata=number("Adam's rate", 0))
    max_norm: float = field(default=1.0, metadata=number("longest gradient; 0 is off", 0))
    epochs: int = field(default=1, metadata=number("passes over each batch", 1))
    minibatches: int = field(default=1, metadata=number("steps of each pass", 1))
    part: int = field(default=8, metadata=number("replies in one pass of the model", 1))
    average: Literal["token", "reply"] = field(
        default="token", metadata={"doc": "whether long replies count more"}
    )
    groups: int = field(default=1, metadata=number("beginnings in each batch", 1))
    size: int = field(default=8, metadata=number("matches of each beginning", 1))
    slots: int = field(default=32, metadata=number("replies sampled at a time", 1))
    temperature: float = field(default=1.0, metadata=number("of sampling", 1e-3, 2))
    max_tokens: int = field(default=0, metadata=number("of a reply; 0: the longest legal one", 0))
    max_text: int = field(default=0, metadata=number("characters of a text; 0: the world's", 0))
    memory_tokens: int = field(default=MEMORY_TOKENS, metadata=number("of earlier turns", 0))
    images: bool = field(
        default=False, metadata={"doc": "send the pictures that a world draws of a turn"}
    )
    think: bool = field(default=False, metadata={"doc": "a short thought before the action"})
    persona: str = field(default="", metadata={"doc": "who the model is to be"})
    constrained: bool = field(
        default=True, metadata={"doc": "hold replies to their JSON Schema while learning"}
    )
    fault: float = field(default=0.0, metadata=number("what each fault costs", 0))
    exact: bool = field(
        default=True, metadata={"doc": "play one reply at a time: equal seeds, equal play"}
    )

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            value, low = getattr(self, item.name), item.metadata.get("low")
            if low is not None and not low <= value <= item.metadata["high"]:
                raise UsageError(
                    f"the method's parameter {item.name} must be {item.metadata['range']}, got "
                    f"{value!r}"
                )


class FineTuning(ABC):
    """A language model that learns in a world.

    Attributes:
        config: its parameters.
        steps: episodes or examples so far.
        updates: batches learned from so far.
        adapted: the model, once training has begun.
    """

    Config: ClassVar[type[FineTuningConfig]] = FineTuningConfig
    critic: ClassVar[bool] = False
    config: FineTuningConfig
    adapted: Adapted

    def __init__(self, config: FineTuningConfig | None = None) -> None:
        self.config = self.Config() if config is None else config
        self.steps = self.updates = 0
        self.seats: tuple[str, ...] = ()
        self._task: TrainingTask | None = None
        self._loaded: Mapping[str, Any] | None = None
        self._backends: dict[str, TransformersBackend] = {}

    @abstractmethod
    def update(self) -> dict[str, float]:
        """Gather one batch and learn from it; adds to ``steps``, returns what it measured."""

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Train until the budget of ``steps`` is spent, batch by batch.

        Raises:
            UsageError: the model or the task does not fit.
            GymposiumError: the world failed, or the training diverged.
        """
        self._task, self.seats = task, tuple(task.seats)
        self._build(task.seed)
        total = task.budget.get("steps")
        while total is None or self.steps < total:
            found = self.update()
            self.updates += 1
            yield Progress(self.steps, None if total is None else int(total), found)

    def agents(self) -> Mapping[str, Agent]:
        """The model as it is now, by seat."""
        self._build(0)
        if "play" not in self._backends:
            self._backends["play"] = _Playing(self._name, self.adapted, exact=self.config.exact)
        return {seat: self._agent(self._backends["play"]) for seat in self.seats}

    def state_dict(self) -> dict[str, Any]:
        """All that a fresh instance needs to go on, bit for bit on a CPU."""
        self._build(0)
        return {
            "steps": self.steps,
            "updates": self.updates,
            "seats": list(self.seats),
            "adapted": self.adapted.state_dict(),
            "own": self.own_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        self.steps, self.updates = int(state["steps"]), int(state["updates"])
        self.seats = tuple(state["seats"])
        self._loaded = state
        if hasattr(self, "adapted"):
            self._take(state)

    def own_state(self) -> dict[str, Any]:
        """What a method remembers beside the model."""
        return {}

    def load_own_state(self, state: Mapping[str, Any]) -> None:  # noqa: B027 - most have none
        """Go on from there."""

    # What methods use.

    @property
    def task(self) -> TrainingTask:
        """What is trained for."""
        if self._task is None:
            raise UsageError("nothing is trained yet: iterate over train(task) first")
        return self._task

    @property
    def rng(self) -> np.random.Generator:
        """Fresh for each update: where its order is drawn from."""
        return np.random.default_rng(
            np.random.SeedSequence(self.task.seed, spawn_key=(1, self.updates))
        )

    def episodes(self, agent: Any = None) -> list[Episode]:
        """Play one batch of matches.

        Args:
            agent: makes what sits in the seats; default: the model as it is now.
        """
        if self.task.play is None:
            raise UsageError(
                "fine-tuning learns from matches of the arena: use `gymposium train`, or give the "
                "task play=match_player(world, params, partners)"
            )
        found = play_episodes(
            self.task.play,
            self.seats,
            agent or (lambda: self._agent(self.rollouts)),
            groups=self.config.groups,
            size=self.config.size,
            seed=np.random.SeedSequence(self.task.seed, spawn_key=(0, self.updates)),
            fault=self.config.fault,
        )
        self.steps += self.config.groups * self.config.size * len(self.seats)
        return found

    @property
    def rollouts(self) -> TransformersBackend:
        """The model as it answers in rollouts."""
        if "rollouts" not in self._backends:
            self._backends["rollouts"] = Lockstep(
                self._name,
                self.adapted.box,
                slots=self.config.slots,
                constrained=self.config.constrained,
            )
        return self._backends["rollouts"]

    def learn(
        self, examples: Sequence[Any], lengths: Sequence[int], objective: Objective
    ) -> dict[str, float]:
        """All steps over one batch.

        Args:
            examples: rows or pairs.
            lengths: tokens of each; what it counts by ``average``. Ones count examples alike.
            objective: see :meth:`.Adapted.descend`; each example's weight is that of one token.
        """
        config, found, rng = self.config, {}, self.rng
        for _ in range(config.epochs):
            for places in minibatches(len(examples), config.minibatches, rng):
                tokens = sum(lengths[i] for i in places)
                weights = [
                    1 / tokens if config.average == "token" else 1 / (lengths[i] * len(places))
                    for i in places
                ]
                found = self.adapted.descend(
                    [examples[i] for i in places],
                    weights,
                    objective,
                    lr=config.lr,
                    longest=config.max_norm,
                    part=config.part,
                )
        return found

    def options(self) -> dict[str, Any]:
        """How the seat's agent is set."""
        config = self.config
        return {
            "temperature": config.temperature,
            "max_tokens": config.max_tokens or None,
            "max_text": config.max_text or None,
            "memory_tokens": config.memory_tokens,
            "think": config.think,
            "images": config.images,
            "persona": config.persona,
        }

    @property
    def _name(self) -> str:
        return f"transformers/{self.config.model}"

    def _agent(self, backend: TransformersBackend) -> LLMAgent:
        agent = LLMAgent(backend, **self.options())
        agent.deterministic = backend.deterministic  # type: ignore[attr-defined]
        return agent

    def _build(self, seed: int) -> None:
        if hasattr(self, "adapted"):
            return
        config = self.config
        self.adapted = Adapted(
            config.model,
            rank=config.rank,
            alpha=config.alpha,
            seed=int(np.random.SeedSequence(seed, spawn_key=(2,)).generate_state(1)[0] >> 1),
            device=config.device,
            precision=config.precision,
            temperature=config.temperature,
            critic=self.critic,
            last=config.last,
        )
        if config.images and self.adapted.box.eye is None:
            raise UsageError(
                f"images=true needs a model that sees: {config.model} takes words only; give the "
                "folder of a vision-language model"
            )
        if self._loaded is not None:
            self._take(self._loaded)

    def _take(self, state: Mapping[str, Any]) -> None:
        self.adapted.load_state_dict(state["adapted"])
        self.load_own_state(state["own"])


class _Playing(TransformersBackend):
    """Plays an adapted model that is in memory already."""

    def __init__(self, name: str, adapted: Adapted, *, exact: bool) -> None:
        super().__init__(name, name, context=adapted.box.context, exact=exact)
        self._box = adapted.box
