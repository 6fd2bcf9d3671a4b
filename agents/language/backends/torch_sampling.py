"""Several answers at once from a torch model: one batch, one KV cache, one generator an answer.

Equal prompts are read once; prompts are padded on the left; an answer that has ended leaves the
batch. Each answer draws from a ``torch.Generator`` of its own, one number a token, so that what it
says does not depend on who is in the batch with it, but for the last bits of the sums. Nucleus
sampling: Holtzman et al., "The Curious Case of Neural Text Degeneration" (2020).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from .grammar_mask import Matcher
    from .seeing import Pictures
    from .white_box import WhiteBox


@dataclass(slots=True, eq=False)
class Ask:
    """One answer to be sampled, and what has come of it.

    Attributes:
        prompt: token ids.
        seed: of its generator.
        temperature: 0 for the likeliest token each time.
        top_p: nucleus to sample from; 1 for all.
        max_tokens: where it is cut off.
        matcher: the grammar it has to fit, or None.
        pictures: that the prompt shows.
        stop: set from outside when nobody waits for it any more.
        tokens: sampled so far, the one that ended it included.
        logprobs: of each, by the model alone: at temperature 1, before nucleus and grammar.
        ended: by a token of its own, not by a limit.
    """

    prompt: Sequence[int]
    seed: int
    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 256
    matcher: Matcher | None = None
    pictures: Pictures = ()
    stop: threading.Event = field(default_factory=threading.Event)
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ended: bool = False


def sample(box: WhiteBox, asks: Sequence[Ask]) -> None:
    """Answer all of ``asks``, which are filled in.

    Args:
        box: the model.
        asks: at least one; prompts of any lengths.
    """
    import torch

    with torch.inference_mode():
        _sample(box, asks)


def _sample(box: WhiteBox, asks: Sequence[Ask]) -> None:
    import torch

    device = box.device
    read = {_question(ask): ask for ask in asks}
    prompts = [ask.prompt for ask in read.values()]
    longest = max(map(len, prompts))
    padded = [[0] * (longest - len(prompt)) + list(prompt) for prompt in prompts]
    seen = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    ids = torch.tensor(padded, device=device)
    mask = torch.tensor(seen, device=device)
    places = (mask.cumsum(-1) - 1).clamp(min=0)
    generators = {id(ask): torch.Generator().manual_seed(ask.seed) for ask in asks}
    going = list(asks)
    order = {question: place for place, question in enumerate(read)}
    copies = [order[_question(ask)] for ask in asks]
    more = box.beside(ids, mask, [ask.pictures for ask in read.values()])
    places = more.pop("position_ids", places)
    cache: Any = None
    while going:
        # All-ones masks are left out: the kernels for unmasked attention are quicker.
        out = box.forward(
            ids,
            cache=cache,
            attention_mask=None if bool(mask.all()) else mask,
            position_ids=places,
            use_cache=True,
            logits_to_keep=1,
            **more,
        )
        more, places = {}, following(places)
        cache = box.cache_of(out)
        logits = out.logits[:, -1].float().cpu()
        if len(going) > len(logits):  # the prompts have been read: a row for each answer from here
            chosen = torch.tensor(copies, device=device)
            cache.batch_select_indices(chosen)
            mask, places, logits = mask[chosen], places[chosen], logits[copies]
        for ask, row in zip(going, logits, strict=True):
            _take(ask, row, generators[id(ask)], box)
        keep = [i for i, ask in enumerate(going) if not _is_over(ask)]
        if len(keep) < len(going):
            if not keep:
                return
            chosen = torch.tensor(keep, device=device)
            cache.batch_select_indices(chosen)
            mask, places = mask[chosen], places[chosen]
            going = [going[i] for i in keep]
        ids = torch.tensor([[ask.tokens[-1]] for ask in going], device=device)
        mask = torch.cat([mask, mask.new_ones(len(going), 1)], 1)


def following(places: torch.Tensor) -> torch.Tensor:
    """The place behind those of each row, ``[rows, 1]``; pictures may count along three axes."""
    return places.reshape(-1, *places.shape[-2:]).amax((0, 2))[:, None] + 1


def _question(ask: Ask) -> tuple[Any, ...]:
    """Equal for those whose prompts need be read only once."""
    shown = tuple((picture.shape, picture.tobytes()) for picture in ask.pictures)
    return (*ask.prompt, shown)


def _is_over(ask: Ask) -> bool:
    return ask.ended or len(ask.tokens) >= ask.max_tokens or ask.stop.is_set()


def _take(ask: Ask, logits: torch.Tensor, generator: torch.Generator, box: WhiteBox) -> None:
    """Draw the next token of one answer from its logits, [vocabulary] on the CPU."""
    import torch

    allowed = logits
    if ask.matcher is not None:
        allowed = logits.masked_fill(~ask.matcher.allowed(len(logits)), float("-inf"))
    if box.eye is not None:  # a picture cannot be said
        allowed = allowed.index_fill(0, torch.tensor([box.eye.token]), float("-inf"))
    if ask.temperature == 0:
        token = int(allowed.argmax())
    else:
        probabilities = torch.softmax(allowed.double() / ask.temperature, -1)
        token = _draw(probabilities, ask.top_p, generator)
    ask.tokens.append(token)
    ask.logprobs.append(float(torch.log_softmax(logits, -1)[token]))
    ask.ended = token in box.stops
    if ask.matcher is not None and not ask.ended:
        ask.matcher.take(token)


def _draw(probabilities: torch.Tensor, top_p: float, generator: torch.Generator) -> int:
    """A token from the smallest set of likeliest ones that together have ``top_p``."""
    import torch

    if top_p < 1:
        ordered, tokens = probabilities.sort(descending=True, stable=True)
        # Before it less than top_p was reached: the first is always in.
        outside = ordered.cumsum(0) - ordered >= top_p
        probabilities = probabilities.index_fill(0, tokens[outside], 0.0)
    total = probabilities.cumsum(0)
    point = torch.rand((), generator=generator, dtype=torch.float64) * total[-1]
    return int(torch.searchsorted(total, point, right=True))
