"""Fine-tuning by examples: supervised, and from pairs.

``llm_sft`` learns to say what an expert does in the seat, or what a file of conversations says.
``llm_dpo`` learns from pairs (Rafailov et al., 2023, and its relatives, by ``loss``): those of a
file, or the best and the worst of the model's own first answers to the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch

from gymposium.errors import UnknownName, UsageError

from ....envs import registry
from ...learning.preference import PREFERENCE_LOSSES, Pair, PreferenceLoss, of_replies
from ...registry import resolve
from .adapter import Adapted
from .episodes import Demonstrator
from .examples import PairRows, conversations, pairs
from .losses import likelihood_loss
from .method import FineTuning, FineTuningConfig, number
from .rewards import measures
from .tokens import Row, Tensor


@dataclass(frozen=True)
class ImitationConfig(FineTuningConfig):
    """Parameters of learning from examples."""

    data: str = field(
        default="", metadata={"doc": "a JSON-lines file that `gymposium export` wrote; '': none"}
    )
    batch: int = field(default=8, metadata=number("examples of the file in each batch", 1))


@dataclass(frozen=True)
class SupervisedConfig(ImitationConfig):
    """Parameters of supervised learning."""

    expert: str = field(
        default="", metadata={"doc": "the agent to imitate, where there is no data"}
    )


class Supervised(FineTuning):
    """Behaviour cloning in words."""

    Config: ClassVar[type[FineTuningConfig]] = SupervisedConfig
    config: SupervisedConfig

    def update(self) -> dict[str, float]:
        """Read or watch, and learn."""
        rows, told = self.examples()
        found = self.learn(rows, [len(row.completion) for row in rows], self.objective)
        return told | found

    def examples(self) -> tuple[list[Row], dict[str, float]]:
        """One batch, and what was measured on the way."""
        config = self.config
        if config.data:
            rows = conversations(config.data, self.adapted.box)
            self.steps += config.batch
            return [rows[i] for i in self.rng.integers(len(rows), size=config.batch)], {}
        if not config.expert or config.think:
            raise UsageError(
                "llm_sft learns from data=FILE or from expert=AGENT, which does not think aloud"
            )
        spec, world = (
            resolve(config.expert),
            registry.make_world(self.task.world, **self.task.params),
        )
        options = self.options()
        episodes = self.episodes(
            lambda: Demonstrator(self.rollouts, spec.create(), world.words.format, **options)
        )
        return [row for episode in episodes for row in episode.rows()], measures(episodes)

    @staticmethod
    def objective(model: Adapted, rows: Sequence[Row], weights: Sequence[float]) -> Tensor:
        """The replies' weighted negative log-likelihood."""
        said, _ = model.say(rows)
        loss = likelihood_loss(said.logp, said.mask).sum(-1)
        total: Tensor = (loss * torch.as_tensor(weights, device=loss.device)).sum()
        return total


@dataclass(frozen=True)
class PreferenceTuningConfig(ImitationConfig):
    """Parameters of learning from pairs."""

    loss: PreferenceLoss = field(default="dpo", metadata={"doc": "dpo, ipo, hinge or simpo"})
    beta: float = field(default=0.1, metadata=number("how dear it is to leave the start", 0))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.loss not in PREFERENCE_LOSSES:
            raise UnknownName("loss", str(self.loss), PREFERENCE_LOSSES, where="llm_dpo")


class PreferenceTuning(FineTuning):
    """Direct preference optimisation, and its relatives."""

    Config: ClassVar[type[FineTuningConfig]] = PreferenceTuningConfig
    config: PreferenceTuningConfig

    def update(self) -> dict[str, float]:
        """Read or compare, and learn."""
        found, told = self.comparisons()
        if not found:  # nobody did better than anybody
            return told | {"pairs": 0.0}
        rows = [row for pair in found for row in pair]
        with self.adapted.reference():
            judged = self.adapted.judge(rows, part=self.config.part)
        for row, (logp, _) in zip(rows, judged, strict=True):
            row.extras["reference"] = logp
        learned = self.learn(found, [1] * len(found), self.objective)
        return told | {"pairs": float(len(found))} | learned

    def comparisons(self) -> tuple[list[PairRows], dict[str, float]]:
        """One batch of pairs, and what was measured on the way."""
        config = self.config
        if config.data:
            known = pairs(config.data, self.adapted.box)
            self.steps += config.batch
            return [known[i] for i in self.rng.integers(len(known), size=config.batch)], {}
        episodes, found = self.episodes(), []
        for group in dict.fromkeys(episode.group for episode in episodes):
            mine = [episode for episode in episodes if episode.group == group]
            order = np.argsort([episode.earned for episode in mine], kind="stable")
            worst, best = mine[order[0]], mine[order[-1]]
            answers = PairRows(best.rows()[0], worst.rows()[0])
            if best.earned > worst.earned and answers.chosen.prompt == answers.rejected.prompt:
                found.append(answers)
        return found, measures(episodes)

    def objective(
        self, model: Adapted, found: Sequence[PairRows], weights: Sequence[float]
    ) -> Tensor:
        """The pairs' weighted loss."""
        rows = [row for name in range(2) for row in (pair[name] for pair in found)]
        said, _ = model.say(rows)
        mean = self.config.loss == "simpo"
        now = of_replies(said.logp, said.mask, mean=mean).chunk(2)
        then = [row.extras["reference"] for row in rows]
        held = torch.stack([each.mean() if mean else each.sum() for each in then]).chunk(2)
        loss: Any = PREFERENCE_LOSSES[self.config.loss](Pair(*now, *held), self.config.beta)
        total: Tensor = (loss * torch.as_tensor(weights, device=loss.device)).sum()
        return total
