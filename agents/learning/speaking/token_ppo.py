"""PPO over the tokens of a policy's own replies, with a choice of how turns' rewards reach tokens.

Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (2025), sections 4
and 5, at the scale of minutes: the policy is a small :mod:`.speaker` instead of a language model,
first taught the form of replies (not the facts), since a language model brings that along. The
losses, the loop and the optimiser are those of :mod:`..ppo`; only the advantages are others:

- ``masked``: the whole return on the last token, token by token over what was written (VAGEN-Base);
- ``token``, ``turn``, ``bi_level``, ``varlam``: rewards where turns end, carried to the tokens by
  the estimator of that name (``turn`` is Turn-PPO, ``bi_level`` VAGEN-Full's);
- ``grpo``: what matches that began alike earned, relative to each other, and no critic;
- ``vanilla``: the whole return on the last token, and nothing masked: what was read is learned too.

The paper's runs also pay for leaving the policy that learning began from (``kl``, 0.001 there) and
hold the critic near what it said in the rollout (``value_clip``, 0.5 there). Both are off unless
asked for: the claim that is on record was measured without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import torch
from gymnasium.spaces import Discrete

from gymposium.errors import UsageError
from gymposium.types import Agent, Progress, TrainingTask

from ...language.finetuning.losses import group_advantages
from ..deciding import ActionLayout
from ..gae import PADDING, Tokens, carried, turn_targets
from ..losses import Minibatch, Terms, ppo_terms
from ..minibatches import arrange, minibatches
from ..networks import NetworkSpec
from ..ppo import PPO, PPOConfig, at_least, share
from ..rollouts import Decider, Rollout
from .attention import new_attending, speaker_of
from .speaker import Speaker, SpeakerAgent, new_speaker
from .talks import Talk, Talks
from .vocabulary import TOKENS

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class TokenPPOConfig(PPOConfig):
    """Parameters of PPO over tokens; rollouts are whole matches, and steps are matches."""

    estimator: Literal["masked", "token", "turn", "bi_level", "varlam", "grpo", "vanilla"] = field(
        default="bi_level", metadata={"doc": "how rewards of turns become advantages of tokens"}
    )
    gamma: float = field(default=1.0, metadata=share("discount from token to token"))
    lam: float = field(default=1.0, metadata=share("decay from token to token"))
    gamma_turn: float = field(default=0.95, metadata=share("discount from turn to turn"))
    lam_turn: float = field(default=1.0, metadata=share("decay from turn to turn"))
    scale: float = field(
        default=0.1, metadata=at_least(0, "what rewards are multiplied by before the critic")
    )
    epochs: int = field(default=4, metadata=at_least(1, "passes over each rollout"))
    minibatches: int = field(default=2, metadata=at_least(1, "parts of each pass"))
    lr: float = field(default=2e-3, metadata=at_least(0, "Adam's rate"))
    entropy: float = field(default=0.003, metadata=at_least(0, "weight of the entropy"))
    policy: Literal["gated", "transformer"] = field(
        default="gated", metadata={"doc": "how it remembers: in a gated unit, or by looking back"}
    )
    recurrent: int = field(
        default=128, metadata=at_least(1, "width of the gated unit, or of the transformer")
    )
    blocks: int = field(default=2, metadata=at_least(1, "transformer: blocks that look back"))
    kl: float = field(
        default=0.0,
        metadata=at_least(0, "price, in the reward, of leaving the policy after practice"),
    )
    value_clip: float = field(
        default=0.0,
        metadata=at_least(0, "how far a critic may pay to move, in scaled reward; 0 is off"),
    )
    group: int = field(default=8, metadata=at_least(1, "grpo: matches that begin alike"))
    reply: int = field(
        default=0, metadata=at_least(0, "most tokens of a reply; 0: the longest that may be true")
    )
    warm_up: int = field(default=60, metadata=at_least(0, "batches of practising the format"))
    anti_template: bool = field(
        default=True, metadata={"doc": "fine beliefs that are said all the time and are wrong"}
    )


class TokenPPO(PPO):
    """PPO over tokens."""

    Config: ClassVar[type[PPOConfig]] = TokenPPOConfig
    config: TokenPPOConfig
    source: Talks
    _measured: Mapping[str, float] = {}
    _reference: Speaker | None = None

    def train(self, task: TrainingTask) -> Iterator[Progress]:
        """Train until the budget of ``steps`` (matches) is spent; practise the format first.

        Raises:
            UsageError: the world is not answered by reasoning, or shows nothing it can read.
        """
        self._begin(task)
        if not self.updates and self._loaded is None:
            for _ in range(self.config.warm_up):
                self._practise()
        if self.config.kl and self._reference is None:
            self._reference = self._copy()
        yield from super().train(task)

    def observe(self, rollout: Rollout) -> None:
        """Keep what was measured."""
        self._measured = rollout.measured  # type: ignore[attr-defined]

    def measures(self) -> dict[str, float]:
        """Success, format, beliefs and the like of the latest batch."""
        return dict(self._measured)

    def advantages(self, rollout: Rollout) -> Array:
        """By the estimator that was chosen; ``[T, E, 1, 1]``."""
        if not isinstance(rollout, Talk):
            raise UsageError("advantages of tokens need a rollout over tokens")
        config, name = self.config, self.config.estimator
        price = -config.kl * self._strayed(rollout)
        if name == "grpo":
            earned = rollout.returns[:, 0] + price.sum(0)
            gains = group_advantages(earned.tolist(), rollout.group.tolist())
            made = np.where(rollout.turns >= 0, gains, 0)
        else:
            values = rollout.values[..., 0, 0].astype(np.float64)
            rewards = rollout.rewards[..., 0].astype(np.float64) * config.scale
            made = carried(
                Tokens(rollout.turns, values, rewards, price * config.scale),
                name,
                gamma=config.gamma,
                lam=config.lam,
                gamma_turn=config.gamma_turn,
                lam_turn=config.lam_turn,
            )
        return made.astype(np.float32)[..., None, None]

    def _strayed(self, rollout: Talk) -> Array:
        """Log-probability of what was said, less the reference's: ``[T, E]``, 0 elsewhere."""
        if self._reference is None:
            return np.zeros(rollout.turns.shape)
        said, reference = rollout.choices.reshape(1, -1, 1), self._reference
        reference.album = self.decider.network.album  # type: ignore[attr-defined]
        with torch.no_grad():
            logp = torch.log_softmax(reference.evaluate(rollout.seen).logits, -1)
        theirs = logp.gather(-1, torch.from_numpy(said))[0, :, 0].numpy()
        masked = self.config.estimator != "vanilla"
        counts = rollout.turns >= 0 if masked else rollout.turns != PADDING
        gap = np.where(counts, rollout.logp[..., 0] - theirs.reshape(rollout.turns.shape), 0)
        self._measured = {**self._measured, "strayed": float(gap.sum() / counts.sum())}
        return gap.astype(np.float64)

    def terms(self, batch: Minibatch) -> Terms:
        """As PPO's, with the critic held near what it said."""
        config, decider = self.config, self.decider
        return ppo_terms(
            decider.network,
            decider.layout,
            batch,
            clip=config.clip,
            normalise=config.normalise,
            value_clip=config.value_clip,
        )

    def extra_state(self) -> dict[str, Any]:
        """The policy that learning began from, where leaving it is paid for."""
        return {} if self._reference is None else {"reference": self._reference.parameters}

    def load_extra_state(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        if "reference" in state:
            kept = {name: torch.as_tensor(it) for name, it in state["reference"].items()}
            self._reference = speaker_of(self.decider.network.spec, kept)

    def gradients(self, terms: Terms) -> dict[str, torch.Tensor]:
        """The surrogate with entropy, and the critic's loss where there is a critic."""
        if self.config.estimator == "grpo":
            return self.climb(terms.surrogates[0] + self.config.entropy * terms.entropy)
        return super().gradients(terms)

    def agents(self) -> Mapping[str, Agent]:
        """The speaker so far; what it answers is text."""
        if self._task is None and self._loaded is not None:
            kept = self._loaded["policies"]
            spec = NetworkSpec(**{**kept["spec"], "shape": tuple(kept["spec"]["shape"])})
            tensors = {name: torch.as_tensor(found) for name, found in kept["tensors"].items()}
            return {kept["seat"]: SpeakerAgent(speaker_of(spec, tensors), most=int(kept["reply"]))}
        self._require_task()
        seat = self.source.spaces.seats[0]
        return {seat: SpeakerAgent(self._copy(), most=self.source.most)}

    def policies_state(self) -> dict[str, Any]:
        """The speaker as plain data and tensors."""
        network = self._copy()
        return {
            "seat": self.source.spaces.seats[0],
            "spec": dict(network.spec.__dict__),
            "tensors": network.parameters,
            "reply": self.source.most,
        }

    def _copy(self) -> Speaker:
        network = self.decider.network
        kept = {name: tensor.detach().clone() for name, tensor in network.parameters.items()}
        return speaker_of(network.spec, kept)

    def _build(self, task: TrainingTask, seeds: list[np.random.SeedSequence], seed: int) -> None:
        """Worlds, speaker and decider."""
        config = self.config
        if task.partners:
            raise UsageError("token_ppo trains worlds of one seat: leave out the partners")
        if config.estimator == "grpo" and config.num_envs % config.group:
            raise UsageError("token_ppo: num_envs must be a multiple of group")
        self.source = Talks(
            task,
            num_envs=config.num_envs,
            group=config.group if config.estimator == "grpo" else 1,
            most=config.reply,
            fine=config.anti_template,
            seed=seed,
        )
        shape = self.source.spaces.shape
        rng = np.random.default_rng(seeds[1])
        network = (
            new_speaker(shape, config.recurrent, rng)
            if config.policy == "gated"
            else new_attending(shape, config.recurrent, config.blocks, rng)
        )
        layout = ActionLayout(Discrete(len(TOKENS)))
        self.decider = Decider(network, layout, np.random.default_rng(seeds[2]), central=False)

    def _arranged(self, rollout: Rollout, advantages: Array) -> Any:
        if self.config.estimator == "vanilla":
            rollout.valid = (rollout.turns != PADDING)[..., None]  # type: ignore[attr-defined]
        made = arrange(rollout, advantages, shared=True)
        if self.config.estimator != "turn" or not isinstance(rollout, Talk):
            return made
        values, rewards = rollout.values[..., 0, 0], rollout.rewards[..., 0]
        targets = turn_targets(Tokens(rollout.turns, values, rewards), advantages[..., 0, 0])
        return made._replace(targets=targets.astype(np.float32)[..., None, None])

    def _practise(self) -> None:
        """One batch of replies of the format, made likelier."""
        rollout = self.source.practise(self.decider)
        batch = arrange(rollout, np.zeros_like(rollout.values), shared=True)
        for part in minibatches(batch, self.config, self._shuffle):
            valid = torch.from_numpy(part.valid).flatten(0, 1).T
            height = (self.terms(part).logp * valid).sum(1) / valid.sum(1)
            self._adam.ascend(self.climb(height), 5e-3, longest=1.0, eps=1e-5)
