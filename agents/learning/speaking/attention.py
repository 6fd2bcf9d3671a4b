"""A speaker that attends: a small causal transformer over what was read and said.

It sees, embeds, and is trained as a :mod:`.speaker`; where that one has a gated unit, this one has
blocks that look back (Vaswani et al., "Attention Is All You Need", 2017), with the norm before each
part (Xiong et al., 2020) and places told by turning keys and queries (Su et al., RoFormer, 2021),
so that no text is too long. While it speaks it keeps keys and values and takes a token at a time.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F

from gymposium.errors import UsageError

from ..networks import NetworkSpec, Outputs, Parameters
from .speaker import Speaker, new_speaker

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
HEADS = 4
_WIDER = 4
_SLOWEST = 1_000.0


class Attending(Speaker):
    """A speaker whose memory is the whole text.

    What it hands on between tokens (``hidden``) are the keys and values of every block so far,
    ``[1, E, tokens, blocks x 2 x width]``.
    """

    def act(self, seen: Array, hidden: torch.Tensor | None = None) -> Outputs:
        """One token on, without gradients; ``seen`` ``[E, 1, 2]``."""
        with torch.no_grad():
            stream = self._torso("torso", seen)[0][:, None]
            features, kept = self._blocks(stream, None if hidden is None else hidden[0])
            features = features.transpose(0, 1)
            return Outputs(self._actor(features), self._critics(features, None), kept[None])

    def evaluate(
        self,
        seen: Array,
        *,
        state: Array | None = None,
        starts: Array | None = None,
        hidden: torch.Tensor | None = None,
    ) -> Outputs:
        """Whole texts at once, with gradients; ``seen`` ``[T, E, 1, 2]``.

        Texts begin at the first token and end in padding, which nothing real looks at.
        """
        self.layers = []
        steps, lanes = seen.shape[:2]
        stream = self._torso("torso", seen.reshape(-1, *seen.shape[2:]))[0]
        features, _ = self._blocks(stream.reshape(steps, lanes, -1).transpose(0, 1), None)
        features = features.transpose(0, 1).reshape(1, steps * lanes, -1)
        return Outputs(self._actor(features), self._critics(features, None), None)

    @property
    def blocks(self) -> int:
        """How many there are."""
        return sum(name.endswith(".ask.weight") for name in self.parameters)

    def _blocks(
        self, stream: torch.Tensor, kept: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Features of ``[E, T, 64]`` behind what is ``kept``, and all that is kept then."""
        lanes, steps = stream.shape[:2]
        before = 0 if kept is None else kept.shape[1]
        x = self._linear("attend.input", stream)
        width = x.shape[-1]
        past = None if kept is None else kept.chunk(2 * self.blocks, -1)
        keeping: list[torch.Tensor] = []
        for number in range(self.blocks):
            name = f"attend{number}"
            asked = self._linear(f"{name}.ask", self._normed(f"{name}.norm", x))
            query, key, value = (
                each.reshape(lanes, steps, HEADS, -1).transpose(1, 2) for each in asked.chunk(3, -1)
            )
            query, key = (_turned(each, before) for each in (query, key))
            flat = [each.transpose(1, 2).reshape(lanes, steps, width) for each in (key, value)]
            if past is not None:
                flat = [
                    torch.cat([old, new], 1)
                    for old, new in zip(past[2 * number : 2 * number + 2], flat, strict=True)
                ]
            keeping += flat
            key, value = (
                each.reshape(lanes, before + steps, HEADS, -1).transpose(1, 2) for each in flat
            )
            back = torch.ones(steps, before + steps, dtype=torch.bool).tril(before)
            found = F.scaled_dot_product_attention(query, key, value, attn_mask=back)
            found = found.transpose(1, 2).reshape(lanes, steps, width)
            x = x + self._linear(f"{name}.answer", found)
            wide = F.gelu(self._linear(f"{name}.wide", self._normed(f"{name}.middle", x)))
            x = x + self._linear(f"{name}.narrow", wide)
        return self._normed("attend.norm", x), torch.cat(keeping, -1)

    def _linear(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return x @ self.parameters[f"{name}.weight"][0] + self.parameters[f"{name}.bias"][0]

    def _normed(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], self.parameters[f"{name}.weight"][0])


def new_attending(
    shape: tuple[int, ...], width: int, blocks: int, rng: np.random.Generator
) -> Attending:
    """One that knows nothing.

    Args:
        shape: of a page.
        width: of the stream; a multiple of eight, for the heads.
        blocks: how many look back, one behind the other.
        rng: where its weights come from.

    Raises:
        UsageError: the width does not fit the heads.
    """
    if width % (2 * HEADS):
        raise UsageError(
            f"a transformer's width must be a multiple of {2 * HEADS}, not {width}: set recurrent"
        )
    made = new_speaker(shape, width, rng)
    parameters: Parameters = {
        name: tensor for name, tensor in made.parameters.items() if not name.startswith("gate.")
    }
    seen = made.parameters["gate.input.weight"].shape[1]

    def dense(name: str, inputs: int, outputs: int, gain: float) -> None:
        drawn = rng.standard_normal((1, inputs, outputs)) * gain / np.sqrt(inputs)
        parameters[f"{name}.weight"] = torch.from_numpy(drawn.astype(np.float32))
        parameters[f"{name}.bias"] = torch.zeros(1, outputs)

    dense("attend.input", seen, width, 1.0)
    for number in range(blocks):
        name = f"attend{number}"
        for norm in ("norm", "middle"):
            parameters[f"{name}.{norm}.weight"] = torch.ones(1, width)
        # What a block adds begins small, the smaller the more there are.
        dense(f"{name}.ask", width, 3 * width, 1.0)
        dense(f"{name}.answer", width, width, (2 * blocks) ** -0.5)
        dense(f"{name}.wide", width, _WIDER * width, 1.0)
        dense(f"{name}.narrow", _WIDER * width, width, (2 * blocks) ** -0.5)
    parameters["attend.norm.weight"] = torch.ones(1, width)
    return Attending(made.spec, {n: t.detach().requires_grad_() for n, t in parameters.items()})


def speaker_of(spec: NetworkSpec, parameters: Parameters) -> Speaker:
    """The speaker that these parameters are of."""
    kind = Attending if "attend.norm.weight" in parameters else Speaker
    return kind(spec, parameters)


def _turned(x: torch.Tensor, before: int) -> torch.Tensor:
    """Queries or keys ``[E, heads, T, D]``, turned by their places, the first being ``before``."""
    half = x.shape[-1] // 2
    speed = _SLOWEST ** (-torch.arange(half) / half)
    angle = (before + torch.arange(x.shape[2]))[:, None] * speed
    one, two = x.chunk(2, -1)
    return torch.cat(
        [one * angle.cos() - two * angle.sin(), one * angle.sin() + two * angle.cos()], -1
    )
