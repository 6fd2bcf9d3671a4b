"""Offline training as a method: a growing data set, and the policies that a recipe makes of it.

``gymposium train robust_zero_sum --method offline_robust`` records episodes in the nominal game, or
reads a Minari data set, and stops ten times on the way to make policies of what there is so far;
its steps are transitions. The policies sit in the seats ``max`` and ``min`` as ``trained:`` agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Agent, Progress, TrainingTask

from ...envs.markov_games.robust_zero_sum import MAX, MIN, RobustZeroSumParams
from ..planning.robust.evaluation import quality
from ..planning.robust.model import UNSEEN, Penalty
from ..planning.robust.value_iteration import MODES, Doubt
from .policy_table import PolicyTable
from .records import Policies, Records, collect, sample_evenly
from .robust_learning import ALGORITHMS, Recipe, learn

MOMENTS = 10
"""How often policies are made on the way."""
SOURCES = ("episodes", "generative")
WORLD = "robust_zero_sum-v0"


@dataclass(frozen=True)
class OfflineRobustConfig:
    """Parameters of offline robust training."""

    algorithm: str = field(
        default="rtz_vi_lcb", metadata={"doc": "what is made of the data", "choices": ALGORITHMS}
    )
    mode: str = field(
        default="pess", metadata={"doc": "how the two values are used", "choices": MODES}
    )
    radius: float = field(
        default=0.2, metadata={"doc": "of the uncertainty set of max", "range": ">= 0"}
    )
    radius_min: float | None = field(
        default=None, metadata={"doc": "of that of min; None: the same"}
    )
    divergence: str = field(
        default="tv", metadata={"doc": "of the sets", "choices": ("tv", "kl", "chi2")}
    )
    penalty: float = field(
        default=0.001, metadata={"doc": "constant of the penalty", "range": ">= 0"}
    )
    unseen: str = field(
        default="full", metadata={"doc": "penalty of what was never seen", "choices": UNSEEN}
    )
    confidence: float = field(default=1.0, metadata={"doc": "of p2m2po", "range": ">= 0"})
    subsample: str = field(
        default="none",
        metadata={"doc": "two-fold subsampling", "choices": ("none", "split", "trim")},
    )
    source: str = field(
        default="episodes",
        metadata={"doc": "uniform play in the nominal game, or even draws", "choices": SOURCES},
    )
    data: str = field(default="", metadata={"doc": "folder of a Minari data set to learn from"})

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise UsageError(
                f"offline_robust: source must be episodes or generative, got {self.source!r:.40}"
            )
        self.recipe(0)

    def recipe(self, seed: int) -> Recipe:
        """What is done with the data."""
        own = self.radius if self.radius_min is None else self.radius_min
        penalty = Penalty(self.penalty, self.unseen)  # type: ignore[arg-type]
        doubt = Doubt(self.radius, own, self.divergence)
        return Recipe(
            self.algorithm,
            self.mode,
            doubt,
            penalty,
            self.confidence,
            subsample=self.subsample,
            seed=seed,
        )


class OfflineRobust:
    """Policies for ``max`` and ``min`` out of a fixed data set."""

    Config: ClassVar[type[OfflineRobustConfig]] = OfflineRobustConfig

    def __init__(self, config: OfflineRobustConfig | None = None) -> None:
        self.config = config or self.Config()
        self.steps = 0
        self._policies: Policies | None = None

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Make policies of ever more of the data, up to the budget of ``steps`` (transitions).

        Raises:
            UsageError: another world, or partners: both seats are learned from the data.
        """
        if task.world != WORLD or task.partners:
            raise UsageError(
                f"offline_robust learns both seats of {WORLD} from recorded data, without "
                f"partners; got {task.world} with {len(task.partners)} partners"
            )
        params = RobustZeroSumParams(**task.params)
        game, total = params.build(), int(task.budget.get("steps", 10_000))
        data = self._data(params, total, task.seed)
        total = min(total, len(data))
        for moment in range(1, MOMENTS + 1):
            due = max(1, total * moment // MOMENTS)
            if due <= self.steps:
                continue
            recipe = self.config.recipe(task.seed)
            self._policies, self.steps = learn(data.first(due), recipe), due
            found = quality(game, self._policies, recipe.doubt)
            yield Progress(self.steps, total, found.measures())

    def agents(self) -> Mapping[str, Agent]:
        """A policy a seat."""
        if self._policies is None:
            raise UsageError("offline_robust has learned nothing yet")
        return {MAX: PolicyTable(self._policies.max), MIN: PolicyTable(self._policies.min)}

    def state_dict(self) -> dict[str, Any]:
        """The policies and how much data they were made of."""
        made = self._policies or ()
        return {"steps": self.steps, "policies": [np.asarray(part) for part in made]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken."""
        self.steps = int(state["steps"])
        parts = [np.asarray(part) for part in state["policies"]]
        self._policies = Policies(*parts) if parts else None

    def _data(self, params: RobustZeroSumParams, total: int, seed: int) -> Records:
        game = params.build()
        size = (game.states, *game.counts)
        if self.config.data:
            from .minari_files import read_minari

            data = read_minari(self.config.data, horizon=game.horizon)
            if data.size != size:
                raise UsageError(
                    f"the data set {self.config.data} is of {data.size} states and actions, the "
                    f"world has {size}: give the world the parameters it was recorded with"
                )
            return data
        if self.config.source == "generative":
            each = max(1, -(-total // int(np.prod(size))))
            data = sample_evenly(game, each, seed)
            return data.take(np.random.default_rng(seed).permutation(len(data)))
        return collect(game, max(1, -(-total // game.horizon)), seed)
