"""Bending what a language model prefers: options and how often each is to be chosen, as targets.

Mazeika et al., Utility Engineering (2025), section on control: a model is trained on forced choices
so that the share of each answer becomes the one of another population (there: a citizens'
assembly). Here the whole distribution is the target, a soft label over the options' tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gymposium.errors import UsageError

from ...learning.preference import of_replies
from .adapter import Adapted, minibatches
from .losses import choice_loss
from .tokens import Row, Tensor


@dataclass(frozen=True)
class Choice:
    """One forced choice.

    Attributes:
        messages: the question, as chat messages.
        options: the answers, two or more, as the model would write them.
        targets: how often each is to be given; they sum to 1.
    """

    messages: Sequence[Any]
    options: Sequence[str]
    targets: Sequence[float]

    def __post_init__(self) -> None:
        fine = len(self.options) == len(self.targets) >= 2 and min(self.targets) >= 0
        if not fine or abs(sum(self.targets) - 1) > 1e-6:
            raise UsageError(
                f"a choice needs two options or more, and a share of each that sum to 1; got "
                f"{len(self.options)} options with {list(self.targets)}"
            )


def choice_probabilities(
    model: Adapted, choices: Sequence[Choice], *, part: int = 8
) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    """How often the model gives each option, were it to give one of them; no sampling.

    Args:
        model: as it is now.
        choices: any number.
        part: choices in one pass.
    """
    made: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    with torch.no_grad():
        for first in range(0, len(choices), part):
            for logp in _scores(model, choices[first : first + part]):
                made.append(torch.softmax(logp.double(), -1).cpu().numpy())
    return made


def fit_choices(
    model: Adapted,
    choices: Sequence[Choice],
    *,
    steps: int,
    rng: np.random.Generator,
    lr: float = 1e-4,
    batch: int = 8,
    longest: float = 1.0,
    part: int = 8,
) -> list[float]:
    """Train the model's adapter until it chooses as the targets say.

    Args:
        model: whose adapter is trained; see :class:`.Adapted`.
        choices: with their targets.
        steps: of the optimiser.
        rng: decides which choices are in which batch.
        lr: Adam's rate.
        batch: choices a step.
        longest: length to which the gradient is cut.
        part: choices in one pass.

    Returns:
        The mean cross-entropy of each step's batch; it cannot fall below the targets' entropy.

    Raises:
        GymposiumError: the training diverged.
    """
    losses: list[float] = []
    while len(losses) < steps:
        for places in minibatches(len(choices), max(1, len(choices) // batch), rng):
            some = [choices[i] for i in places]
            found = model.descend(
                some, [1 / len(some)] * len(some), _objective, lr=lr, longest=longest, part=part
            )
            losses.append(found["loss"])
            if len(losses) == steps:
                break
    return losses


def _objective(model: Adapted, choices: Sequence[Choice], weights: Sequence[float]) -> Tensor:
    total = torch.zeros((), device=model.box.device)
    for choice, weight, logp in zip(choices, weights, _scores(model, choices), strict=True):
        targets = torch.as_tensor(choice.targets, dtype=logp.dtype, device=logp.device)
        total = total + weight * choice_loss(logp[None], targets[None])[0]
    return total


def _scores(model: Adapted, choices: Sequence[Choice]) -> list[Tensor]:
    """Log-likelihood of every option, ``[K]`` for each choice.

    Letters and other options of one token are told apart by that token, in one pass of the prompt;
    longer ones are scored as the whole answer, with its end.
    """
    found: dict[int, Tensor] = {}
    prompts = [model.box.prompt_ids(choice.messages) for choice in choices]
    said = [[model.box.completion_ids(it, end=False) for it in each.options] for each in choices]
    short = [at for at, each in enumerate(said) if all(len(ids) == 1 for ids in each)]
    if short:
        logp = model.next_token([prompts[at] for at in short])
        found |= {
            at: row[[ids[0] for ids in said[at]]] for at, row in zip(short, logp, strict=True)
        }
    long = [at for at in range(len(choices)) if at not in found]
    if long:
        rows = [
            Row(prompts[at], model.box.completion_ids(option))
            for at in long for option in choices[at].options
        ]  # fmt: skip
        scored, _ = model.say(rows)
        parts = torch.split(of_replies(scored.logp, scored.mask), [len(said[at]) for at in long])
        found |= dict(zip(long, parts, strict=True))
    return [found[at] for at in range(len(choices))]
