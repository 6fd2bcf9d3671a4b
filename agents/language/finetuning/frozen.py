"""What lies below an adapter on the last layers: passed through once for each prompt, and kept.

It never changes while the adapter learns, so that a prompt seen again costs the last layers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
import torch.nn.functional as F

if TYPE_CHECKING:
    from ..backends.white_box import WhiteBox

Tensor: TypeAlias = torch.Tensor
_MOST = 4096
_KINDS = ("llama",)  # others may do more between embeddings and layers than hand them on


class Frozen:
    """A model whose layers but the ``last`` so many are frozen.

    Args:
        box: the model, of a kind that :meth:`serves`.
        last: layers that may change, at least one.
    """

    def __init__(self, box: WhiteBox, last: int) -> None:
        self._box, self._last = box, last
        self._known: dict[tuple[int, ...], Tensor] = {}

    @staticmethod
    def serves(box: WhiteBox) -> bool:
        """Whether the model's layers can be run one part at a time."""
        return box.model.config.model_type in _KINDS

    def next_logits(self, prompts: Sequence[Sequence[int]]) -> Tensor:
        """Logits of the first token after each prompt, ``[B, vocabulary]``, with gradients."""
        for old in list(self._known)[: max(0, len(self._known) - _MOST)]:
            del self._known[old]
        self._pass([it for it in dict.fromkeys(map(tuple, prompts)) if it not in self._known])
        parts = [self._known[tuple(it)] for it in prompts]
        longest = max(map(len, parts))
        features = torch.stack([F.pad(it, (0, 0, longest - len(it), 0)) for it in parts])
        with self._last_layers():
            out = self._box.model(inputs_embeds=features, **self._places([len(it) for it in parts]))
        logits: Tensor = out.logits[:, -1]
        return logits

    def _pass(self, prompts: Sequence[Sequence[int]]) -> None:
        """Keep the features ``[T, features]`` that the last layers are given."""
        if not prompts:
            return
        longest = max(map(len, prompts))
        ids = [[0] * (longest - len(it)) + list(it) for it in prompts]
        with torch.no_grad():
            out = self._box.forward(
                torch.tensor(ids, device=self._box.device),
                output_hidden_states=True,
                **self._places([len(it) for it in prompts]),
            )
        given = out.hidden_states[-1 - self._last]
        self._known |= {
            tuple(it): row[longest - len(it) :].clone()
            for it, row in zip(prompts, given, strict=True)
        }

    def _places(self, lengths: Sequence[int]) -> dict[str, Any]:
        """Arguments of a pass over prompts of these lengths, padded on the left."""
        longest = max(lengths)
        seen = [[0] * (longest - it) + [1] * it for it in lengths]
        mask = torch.tensor(seen, device=self._box.device)
        return {
            "attention_mask": mask,
            "position_ids": (mask.cumsum(-1) - 1).clamp(min=0),
            "use_cache": False,
            "logits_to_keep": 1,
        }

    @contextmanager
    def _last_layers(self) -> Iterator[None]:
        """Inside, the model has these layers alone."""
        decoder = self._box.model.get_decoder()
        layers = decoder.layers
        decoder.layers = layers[-self._last :]
        try:
            yield
        finally:
            decoder.layers = layers
