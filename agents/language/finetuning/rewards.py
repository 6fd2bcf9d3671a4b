"""Fine-tuning by reward: group-relative advantages, PPO with a critic over tokens, and ICR.

``llm_grpo``: Shao et al., DeepSeekMath (2024): several matches that begin alike are each other's
baseline. ``llm_ppo``: Schulman et al. (2017) token by token, as Ouyang et al. (2022) do, the
divergence from the start being part of the reward. The tokens of a seat's whole match are one
episode: only what the model said is in it. ``llm_icr``: Nath and Krishnaswamy (2025), who also
subtract what a reply owes to its partner's advice: the same tokens are scored once more behind a
prompt that calls the advice useless.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch

from ....envs.common_ground.advice import USELESS
from ...learning.gae import Estimator, Tokens, carried
from ...learning.preference import intent_rewards
from ..backends.seeing import Pictures
from .adapter import Adapted
from .episodes import Episode
from .losses import clipped_loss, drift, group_advantages, value_loss
from .method import FineTuning, FineTuningConfig, number
from .tokens import Row, Tensor, extra


@dataclass(frozen=True)
class RewardConfig(FineTuningConfig):
    """Parameters of learning from reward."""

    clip: float = field(default=0.2, metadata=number("how far a probability ratio may pay", 0))
    beta: float = field(default=0.02, metadata=number("price of leaving the start", 0))


class RewardTuning(FineTuning):
    """What learning from reward has in common."""

    Config: ClassVar[type[FineTuningConfig]] = RewardConfig
    config: RewardConfig

    def update(self) -> dict[str, float]:
        """Play, work out advantages, climb."""
        episodes = self.episodes()
        rows = [row for episode in episodes for row in episode.rows()]
        told = self.prepare(episodes, rows)
        found = self.learn(rows, [len(row.completion) for row in rows], self.objective)
        return measures(episodes) | told | found

    @abstractmethod
    def prepare(self, episodes: Sequence[Episode], rows: Sequence[Row]) -> dict[str, float]:
        """Give every row its extras; what was measured on the way."""

    def objective(self, model: Adapted, rows: Sequence[Row], weights: Sequence[float]) -> Tensor:
        """The clipped surrogate, weighted, and what a method adds."""
        said, values = model.say(rows)
        gains, old = extra(rows, "advantages", said.logp), said.logp.detach()
        if "old" in rows[0].extras:
            old = extra(rows, "old", said.logp)
        loss = clipped_loss(said.logp, old, gains, said.mask, self.config.clip)
        loss = loss + self.beside(rows, said.logp, values, said.mask)
        return (loss.sum(-1) * torch.as_tensor(weights, device=loss.device)).sum()

    def beside(self, rows: Sequence[Row], logp: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """Further losses of every token."""
        return torch.zeros_like(logp)

    def score(self, rows: Sequence[Row]) -> list[Tensor]:
        """Keep what the model says now (``old``) and said at the start; returns its values."""
        part, values = self.config.part, []
        for row, (logp, worth) in zip(rows, self.adapted.judge(rows, part=part), strict=True):
            row.extras["old"] = logp
            values.append(worth)
        if self.config.beta:
            with self.adapted.reference():
                for row, (logp, _) in zip(rows, self.adapted.judge(rows, part=part), strict=True):
                    row.extras["reference"] = logp
        return values


class GRPO(RewardTuning):
    """Advantages relative to matches that began alike; no critic."""

    def prepare(self, episodes: Sequence[Episode], rows: Sequence[Row]) -> dict[str, float]:
        """One advantage for every token of an episode."""
        if self.config.beta or self.config.epochs * self.config.minibatches > 1:
            self.score(rows)  # else the one step is taken where the replies were sampled
        earned, told = self.worth(episodes)
        gains = group_advantages(earned, [episode.group for episode in episodes])
        queue = iter(rows)
        for episode, gain in zip(episodes, gains, strict=True):
            for _ in episode.calls:
                row = next(queue)
                row.extras["advantages"] = torch.full((len(row.completion),), float(gain))
        return told

    def worth(self, episodes: Sequence[Episode]) -> tuple[list[float], dict[str, float]]:
        """What each episode is paid, and what was measured."""
        return [episode.earned for episode in episodes], {}

    def beside(self, rows: Sequence[Row], logp: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """The divergence from the start."""
        if not self.config.beta:
            return torch.zeros_like(logp)
        return self.config.beta * drift(logp, extra(rows, "reference", logp), mask)


@dataclass(frozen=True)
class PPOTokensConfig(RewardConfig):
    """Parameters of PPO over tokens."""

    epochs: int = field(default=4, metadata=number("passes over each batch", 1))
    gamma: float = field(default=1.0, metadata=number("discount from token to token", 0, 1))
    lam: float = field(default=0.95, metadata=number("decay of advantages (GAE)", 0, 1))
    estimator: Estimator = field(
        default="token", metadata={"doc": "how rewards of calls become advantages of tokens"}
    )
    gamma_turn: float = field(default=1.0, metadata=number("discount from call to call", 0, 1))
    lam_turn: float = field(default=1.0, metadata=number("decay from call to call", 0, 1))
    value: float = field(default=0.5, metadata=number("weight of the critic's loss", 0))
    intent: float = field(default=0.0, metadata=number("price of minding advice", 0))


class PPOTokens(RewardTuning):
    """PPO with a critic on the model's last features, which it does not change."""

    Config: ClassVar[type[FineTuningConfig]] = PPOTokensConfig
    config: PPOTokensConfig
    critic: ClassVar[bool] = True

    def prepare(self, episodes: Sequence[Episode], rows: Sequence[Row]) -> dict[str, float]:
        """Rewards and advantages token by token, over each whole episode."""
        config, values = self.config, self.score(rows)
        if config.intent:
            self._score_counterfactual(episodes, rows)
        first, moved, gaps, spread = 0, [], [], []
        for episode in episodes:
            span = slice(first, first + len(episode.calls))
            first = span.stop
            mine, worth = rows[span], torch.cat(values[span])
            paid = torch.cat(
                [self._paid(row, reward) for row, reward in zip(mine, episode.rewards, strict=True)]
            )
            gains = self._advantages(mine, episode.rewards, paid, worth)
            sizes = [len(row.completion) for row in mine]
            for row, gain, target in zip(
                mine, torch.split(gains, sizes), torch.split(gains + worth, sizes), strict=True
            ):
                row.extras |= {"advantages": gain, "targets": target}
                spread.append(gain)
                if config.beta:
                    moved.append(row.extras["old"] - row.extras["reference"])
                if config.intent:
                    gaps.append(row.extras["old"] - row.extras["counterfactual"])
        self._normalise(rows, torch.cat(spread))
        named = (("moved", moved), ("counterfactual_gap", gaps))
        return {name: float(torch.cat(each).mean()) for name, each in named if each}

    def beside(self, rows: Sequence[Row], logp: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """The critic's loss."""
        return self.config.value * value_loss(values, extra(rows, "targets", logp), mask)

    def _paid(self, row: Row, reward: float) -> Tensor:
        extras = {
            n: row.extras[n][None] for n in ("reference", "counterfactual") if n in row.extras
        }
        return intent_rewards(
            torch.tensor([reward], device=row.extras["old"].device),
            row.extras["old"][None],
            beta=self.config.beta,
            intent=self.config.intent,
            **extras,
        )[0]

    def _advantages(
        self, rows: Sequence[Row], rewards: Sequence[float], paid: Tensor, worth: Tensor
    ) -> Tensor:
        """Of an episode's tokens, by the estimator that was chosen; each call is a turn."""
        config = self.config
        sizes = [len(row.completion) for row in rows]
        turns = np.repeat(np.arange(len(rows)), sizes)
        by_turn = np.zeros(len(turns))
        by_turn[np.cumsum(sizes) - 1] = rewards
        earned, values = (each.detach().cpu().double().numpy() for each in (paid, worth))
        found = carried(
            Tokens(turns, values, by_turn, earned - by_turn),
            config.estimator,
            gamma=config.gamma,
            lam=config.lam,
            gamma_turn=config.gamma_turn,
            lam_turn=config.lam_turn,
        )
        return torch.as_tensor(found, dtype=worth.dtype, device=worth.device)

    @staticmethod
    def _normalise(rows: Sequence[Row], gains: Tensor) -> None:
        middle, spread = gains.mean(), gains.std(correction=0)
        for row in rows:
            row.extras["advantages"] = (row.extras["advantages"] - middle) / (spread + 1e-8)

    def _score_counterfactual(self, episodes: Sequence[Episode], rows: Sequence[Row]) -> None:
        """The same replies behind the same messages, to one told that advice is useless."""
        calls = [call for episode in episodes for call in episode.calls]
        others = [
            Row(
                self.adapted.box.prompt_ids(shown_again(told_useless(call.messages), row.pictures)),
                row.completion,
                pictures=row.pictures,
            )
            for call, row in zip(calls, rows, strict=True)
        ]
        found = self.adapted.judge(others, part=self.config.part)
        for row, (logp, _) in zip(rows, found, strict=True):
            row.extras["counterfactual"] = logp


@dataclass(frozen=True)
class ICRTokensConfig(PPOTokensConfig):
    """The same, with the price of minding advice that the paper found best."""

    intent: float = field(default=0.2, metadata=number("price of minding advice", 0))


class ICRTokens(PPOTokens):
    """The Interruptible Collaborative Roleplayer, in words."""

    Config: ClassVar[type[FineTuningConfig]] = ICRTokensConfig


def told_useless(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """The messages, with a sentence at the end of the first that calls advice useless."""
    first, *others = messages
    return [{**first, "content": f"{first['content']}\n{USELESS}"}, *map(dict, others)]


def shown_again(messages: Sequence[Any], pictures: Pictures) -> list[dict[str, Any]]:
    """The messages of a record with the pictures themselves in place of their hashes."""
    left = iter(pictures)
    return [
        {**each, "images": [next(left) for _ in each["images"]]} if "images" in each else each
        for each in messages
    ]


def measures(episodes: Sequence[Episode]) -> dict[str, float]:
    """What a batch of episodes was like: returns, tokens a reply, faults an episode."""
    lengths = [len(call.completion_ids or ()) for each in episodes for call in each.calls]
    faults = [sum(each.outcome.faults.get(each.seat, {}).values()) for each in episodes]
    return {
        "return": float(np.mean([episode.earned for episode in episodes])),
        "tokens": float(np.mean(lengths)),
        "faults": float(np.mean(faults)),
    }
