"""Replies as rows of tokens, and what a model says to them: log-probabilities ``[B, T]``.

A row is one model call: what stood before it and what was said. Prompts are padded on the left and
replies on the right, so that all replies begin in one column and only their logits are computed;
replies to one prompt, as those of a group are, share its pass.
What others said is in prompts alone: no loss ever sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import torch

from gymposium.errors import UsageError

from ..backends.seeing import Pictures
from ..backends.torch_sampling import following

if TYPE_CHECKING:
    from ..backends.white_box import WhiteBox

Tensor: TypeAlias = torch.Tensor


@dataclass
class Row:
    """One reply to learn from.

    Attributes:
        prompt: token ids before it, at least one.
        completion: its token ids.
        extras: of every token, ``[T]``: ``old`` (log-probability when said), ``reference``,
            ``advantages``, ``targets``, … as the loss at hand needs them.
        pictures: that the prompt shows, as the world drew them.
    """

    prompt: Sequence[int]
    completion: Sequence[int]
    extras: dict[str, Tensor] = field(default_factory=dict)
    pictures: Pictures = ()

    def asks_as(self, other: Row) -> bool:
        """Whether both answer one question: the same prompt, with the same pictures."""
        return (
            self.prompt == other.prompt
            and len(self.pictures) == len(other.pictures)
            and all(map(np.array_equal, self.pictures, other.pictures))
        )


class Said(NamedTuple):
    """What a model says to rows.

    Attributes:
        logp: log-probability of every token, ``[B, T]``, with gradients.
        mask: bool ``[B, T]``, False where there is padding.
        features: the model's last features before each token ``[B, T, features]``, without
            gradients; None unless asked for.
    """

    logp: Tensor
    mask: Tensor
    features: Tensor | None = None


def say(
    box: WhiteBox, rows: Sequence[Row], *, temperature: float = 1.0, features: bool = False
) -> Said:
    """Score the rows' replies in one pass.

    Args:
        box: the model.
        rows: at least one, of any lengths.
        temperature: above 0; log-probabilities are of the distribution at that temperature.
        features: give these too.

    Raises:
        UsageError: a prompt is empty, or a row is longer than the model's context.
    """
    before = max(len(row.prompt) for row in rows)
    most = max(len(row.completion) for row in rows)
    if min(len(row.prompt) for row in rows) == 0:
        raise UsageError("a reply needs a prompt of at least one token to be scored")
    longest = max(len(row.prompt) + len(row.completion) for row in rows)
    if longest > box.context:
        raise UsageError(
            f"an example of {longest} tokens does not fit the model's {box.context}: shorten it"
        )
    first = rows[0]
    if len(rows) > 1 and len(first.prompt) > 1 and all(row.asks_as(first) for row in rows):
        out, ids = _after(box, rows, most, features=features)
    else:
        out, ids = _padded(box, rows, before, most, features=features)
    logits = out.logits[:, :-1].float() / temperature
    logp = torch.log_softmax(logits, -1).gather(2, ids[..., None]).squeeze(-1)
    kept = out.hidden_states[-1][:, -(most + 1) : -1].detach().float() if features else None
    lengths = torch.tensor([len(row.completion) for row in rows], device=box.device)
    return Said(logp, torch.arange(most, device=box.device) < lengths[:, None], kept)


def next_token(
    box: WhiteBox, prompts: Sequence[Sequence[int]], *, temperature: float = 1.0
) -> Tensor:
    """Log-probabilities of what the model says first after each prompt, ``[B, vocabulary]``."""
    rows = [Row(prompt, ()) for prompt in prompts]
    out, _ = _padded(box, rows, max(len(it) for it in prompts), 0, features=False)
    return torch.log_softmax(out.logits[:, -1].float() / temperature, -1)


def _padded(
    box: WhiteBox, rows: Sequence[Row], before: int, most: int, *, features: bool
) -> tuple[Any, Tensor]:
    """The pass over whole rows, and the replies' tokens ``[B, T]``."""
    filled, seen = [], []
    for row in rows:
        left, right = before - len(row.prompt), most - len(row.completion)
        filled.append([0] * left + [*row.prompt, *row.completion] + [0] * right)
        seen.append([0] * left + [1] * (len(row.prompt) + len(row.completion)) + [0] * right)
    ids, mask = (torch.tensor(each, device=box.device) for each in (filled, seen))
    shown = box.beside(ids, mask, [row.pictures for row in rows])
    out = box.forward(
        ids,
        attention_mask=None if bool(mask.all()) else mask,
        use_cache=False,
        logits_to_keep=most + 1,
        output_hidden_states=features,
        **{"position_ids": (mask.cumsum(-1) - 1).clamp(min=0), **shown},
    )
    return out, ids[:, before:]


def _after(box: WhiteBox, rows: Sequence[Row], most: int, *, features: bool) -> tuple[Any, Tensor]:
    """The same for replies to one prompt, which is passed through once, gradients and all."""
    *known, last = rows[0].prompt
    before = torch.tensor([known], device=box.device)
    shown = box.beside(before, None, [rows[0].pictures])
    past = box.forward(before, use_cache=True, logits_to_keep=1, **shown)
    filled = [[last, *row.completion] + [0] * (most - len(row.completion)) for row in rows]
    ids = torch.tensor(filled, device=box.device)
    cache = box.copies(box.cache_of(past), len(known), len(rows))
    if "position_ids" in shown:  # the model counts otherwise in pictures
        begin = following(shown["position_ids"])
        more = {
            "position_ids": begin + torch.arange(ids.shape[1], device=box.device).expand_as(ids)
        }
    else:
        more = {}
    out = box.forward(ids, cache=cache, use_cache=True, output_hidden_states=features, **more)
    return out, ids[:, 1:]


def extra(rows: Sequence[Row], name: str, like: Tensor) -> Tensor:
    """One of the rows' extras as ``[B, T]``, 0 where there is padding."""
    made = torch.zeros_like(like)
    for place, row in enumerate(rows):
        made[place, : len(row.completion)] = row.extras[name]
    return made.detach()
