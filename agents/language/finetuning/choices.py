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
    """Log-likelihood of every option as the whole answer, ``[K]`` for each choice."""
    rows = []
    for choice in choices:
        prompt = model.box.prompt_ids(choice.messages)
        rows += [Row(prompt, model.box.completion_ids(option)) for option in choice.options]
    said, _ = model.say(rows)
    whole = of_replies(said.logp, said.mask)
    sizes = [len(choice.options) for choice in choices]
    return list(torch.split(whole, sizes))
