"""What is trained: a LoRA adapter on a frozen model, its optimiser, and the adapter it began as.

Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models" (2021), through peft. The frozen
weights are in memory once, however many adapters a process trains and plays.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError

from ...learning.adam import Adam
from ..backends.white_box import WhiteBox
from ..weights import weights_digest
from .frozen import Frozen
from .tokens import Row, Said, next_token, say

Tensor: TypeAlias = torch.Tensor
Objective: TypeAlias = Callable[["Adapted", Sequence[Any], Sequence[float]], Tensor]


@lru_cache(maxsize=2)
def _base(model: str, digest: str, device: str, precision: str) -> WhiteBox:
    return WhiteBox.load(model, device=device, precision=precision)


def shared_box(model: str, device: str = "cpu", precision: str = "float32") -> WhiteBox:
    """A model of one's own to put an adapter on; its frozen weights are everybody's."""
    base = _base(model, weights_digest(model), device, precision)
    tensors = chain(base.model.parameters(), base.model.buffers())
    mine = copy.deepcopy(base.model, {id(tensor): tensor for tensor in tensors})
    return WhiteBox(mine, base.tokenizer, base.eye)


class Adapted:
    """A model with an adapter that learns.

    Attributes:
        box: the model.
        parameters: the tensors that learn, by name: the adapter's, and a critic's if there is one.
    """

    def __init__(
        self,
        model: str,
        *,
        rank: int,
        alpha: float,
        seed: int,
        device: str = "cpu",
        precision: str = "float32",
        temperature: float = 1.0,
        critic: bool = False,
        last: int = 0,
    ) -> None:
        """Load the model and put a fresh adapter on, which changes nothing yet.

        It is on the ``last`` so many layers (0: all); gradients of few are quickly found.
        Raises as :meth:`.WhiteBox.load`.
        """
        self.box = shared_box(model, device, precision)
        self.facts = {"model": weights_digest(model), "rank": rank, "alpha": alpha, "last": last}
        self.box.add_adapter(rank=rank, alpha=alpha, seed=seed, last=last)
        self._frozen = Frozen(self.box, last) if last and Frozen.serves(self.box) else None
        self._temperature = temperature
        self.parameters: dict[str, Tensor] = {
            name: tensor
            for name, tensor in self.box.model.named_parameters()
            if tensor.requires_grad
        }
        if critic:
            width = int(self.box.facts.hidden_size)
            for name, shape in (("critic.weight", width), ("critic.bias", 1)):
                self.parameters[name] = torch.zeros(
                    shape, device=self.box.device, requires_grad=True
                )
        self._critic = critic
        # One mind, as the optimiser has it; steps are taken in place.
        self._adam = Adam({name: p.detach()[None] for name, p in self.parameters.items()})
        self._start = {n: p.detach().clone() for n, p in self.parameters.items()}

    def say(self, rows: Sequence[Row]) -> tuple[Said, Tensor]:
        """Score replies: what the model says, and what the critic expects before each token.

        Values are 0 without a critic. See :func:`.tokens.say`.
        """
        said = say(self.box, rows, temperature=self._temperature, features=self._critic)
        if said.features is None:
            return said, torch.zeros_like(said.logp)
        weight, bias = (self.parameters[f"critic.{name}"] for name in ("weight", "bias"))
        return said, said.features @ weight + bias

    def next_token(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Log-probabilities of the first token after each prompt, ``[B, vocabulary]``."""
        if self._frozen is None:
            return next_token(self.box, prompts, temperature=self._temperature)
        return torch.log_softmax(self._frozen.next_logits(prompts).float() / self._temperature, -1)

    def judge(self, rows: Sequence[Row], *, part: int) -> list[tuple[Tensor, Tensor]]:
        """Log-probabilities and values of every row ``[T]``, without gradients.

        Args:
            rows: any number.
            part: rows in one pass.
        """
        found: list[tuple[Tensor, Tensor]] = []
        with torch.no_grad():
            for first in range(0, len(rows), part):
                some = rows[first : first + part]
                said, values = self.say(some)
                found += [
                    (said.logp[i, : len(row.completion)], values[i, : len(row.completion)])
                    for i, row in enumerate(some)
                ]
        return found

    @contextmanager
    def reference(self) -> Iterator[None]:
        """Inside, the model is the one that training began from."""
        now = {name: p.detach().clone() for name, p in self.parameters.items()}
        self._put(self._start)
        try:
            yield
        finally:
            self._put(now)

    def descend(
        self,
        examples: Sequence[Any],
        weights: Sequence[float],
        objective: Objective,
        *,
        lr: float,
        longest: float,
        part: int,
    ) -> dict[str, float]:
        """One step down an objective summed over examples, some at a time.

        Args:
            examples: rows, or pairs of rows.
            weights: what each counts.
            objective: (self, examples, weights) -> their weighted sum.
            lr: Adam's rate.
            longest: length to which the gradient is cut; 0 is off.
            part: examples in one pass.

        Raises:
            GymposiumError: the gradient is no number any more.
        """
        total = 0.0
        for parameter in self.parameters.values():
            parameter.grad = None
        for first in range(0, len(examples), part):
            span = slice(first, first + part)
            loss = objective(self, examples[span], weights[span])
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        gradients = {
            name: (torch.zeros_like(p) if p.grad is None else -p.grad)[None]  # Adam climbs
            for name, p in self.parameters.items()
        }
        norms = self._adam.ascend(gradients, lr, longest=longest, eps=1e-8)
        return {"loss": total, "gradient": float(norms[0])}

    def restart(self) -> None:
        """From here on the reference is the model as it is now."""
        self._start = {name: p.detach().clone() for name, p in self.parameters.items()}

    def state_dict(self) -> dict[str, Any]:
        """The adapter, where it began, and the optimiser."""
        now = {name: p.detach().clone() for name, p in self.parameters.items()}
        return {
            "facts": self.facts,
            "now": now,
            "start": self._start,
            "adam": self._adam.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where ``state`` was taken.

        Raises:
            UsageError: it is of another model, or of an adapter of another shape.
        """
        for name, mine in self.facts.items():
            theirs = state["facts"].get(name, 0)  # older ones were on all layers
            if theirs != mine:
                raise UsageError(
                    f"the checkpoint's adapter was trained with the {name} "
                    f"{str(theirs)[:12]}, this model has {str(mine)[:12]}: use the "
                    "model and parameters it was trained with"
                )
        self._put({name: torch.as_tensor(t) for name, t in state["now"].items()})
        self._start = {n: torch.as_tensor(t).to(self.box.device) for n, t in state["start"].items()}
        self._adam.load_state_dict(state["adam"])

    def _put(self, values: Mapping[str, Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in self.parameters.items():
                parameter.copy_(values[name])


def minibatches(
    count: int, parts: int, rng: np.random.Generator
) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """The numbers below ``count`` in a random order, in ``parts`` parts that are not empty."""
    yield from np.array_split(rng.permutation(count), min(parts, count))
