"""Networks of many minds at once: every parameter has the mind as its first axis.

N agents that learn apart are one stack of N networks whose dense layers are one batched product, so
that they cost about one pass; agents that share parameters are a stack of one. Torsos by name:

- ``paper``: convolutions 5x5x32, 3x3x32, 3x3x32 and a dense layer of 64, the net of Kim and Sycara
  (2025) and of SocialJax;
- ``small``: one strided 3x3x16 convolution and a dense layer of 64, an order of magnitude faster;
- ``mlp``: two dense layers of 64, for observations that are vectors.

Behind the torso sit the heads, each a hidden dense layer and an output: one actor, one critic for
each objective. A recurrent network has a gated unit (GRU) between torso and heads. A centralised
critic is a torso of its own that reads the state of the whole world. Weights start orthogonal, with
gain sqrt(2), 0.01 for the actor's last layer and 1 for the critics'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import torch
import torch.nn.functional as F

from .lookup import kernel_rows, lookup_convolution

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Torso = Literal["paper", "small", "mlp"]
Parameters: TypeAlias = dict[str, torch.Tensor]


class _Convolution(NamedTuple):
    size: int
    channels: int
    stride: int = 1


CONVOLUTIONS: dict[str, tuple[_Convolution, ...]] = {
    "paper": (_Convolution(5, 32), _Convolution(3, 32), _Convolution(3, 32)),
    "small": (_Convolution(3, 16, 2),),
    "mlp": (),
}
DENSE: dict[str, tuple[int, ...]] = {"paper": (64,), "small": (64,), "mlp": (64, 64)}
HEAD = 64


@dataclass(frozen=True)
class NetworkSpec:
    """The shape of a stack of networks; plain data.

    Attributes:
        minds: how many networks.
        torso: one of the names above.
        shape: of an observation: ``(H, W, K)`` for codes or pictures, ``(D,)`` for vectors.
        logits, amounts: outputs of the actor.
        values: number of critics' outputs.
        recurrent: width of the gated unit, 0 for none.
        central: shape of the world's state that the critics read; None if they share the torso.
    """

    minds: int
    torso: Torso
    shape: tuple[int, ...]
    logits: int
    amounts: int = 0
    values: int = 1
    recurrent: int = 0
    central: tuple[int, ...] | None = None


class Outputs(NamedTuple):
    """What a network says: logits ``[M, B, logits + R]``, values ``[M, B, V]``, hidden state."""

    logits: torch.Tensor
    values: torch.Tensor
    hidden: torch.Tensor | None


class Layer(NamedTuple):
    """What one layer said before its activation, and what it said it with.

    ``said`` is one tensor ``[M, B, …]``, or, where ``apart``, one ``[B, …]`` for each mind;
    ``weights`` has what each of them was made with, in the order of the ``parameters``' names.
    """

    said: list[torch.Tensor]
    weights: Sequence[tuple[torch.Tensor, ...]]
    parameters: tuple[str, ...]
    apart: bool


class Network:
    """A stack of networks.

    Attributes:
        spec: its shape.
        parameters: tensors by name, the mind being axis 0.
        table: what codes stand for (``lookup.code_table``), or None where observations are
            pictures or vectors.
        layers: what the policy's layers said in the latest ``evaluate``.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        parameters: Parameters,
        table: torch.Tensor | None = None,
    ) -> None:
        self.spec = spec
        self.parameters = parameters
        self.table = table
        self.layers: list[Layer] = []
        self._kept: dict[str, tuple[int, torch.Tensor]] = {}

    def act(self, seen: Array, hidden: torch.Tensor | None = None) -> Outputs:
        """One step without gradients: ``seen`` ``[B, M, …]``, ``hidden`` ``[M, B, recurrent]``."""
        with torch.no_grad():
            features = self._torso("torso", seen)
            if self.spec.recurrent:
                hidden = self._gate(self._dense("gate.input", features), hidden)
                features = hidden
            return Outputs(self._actor(features), self._critics(features, None), hidden)

    def evaluate(
        self,
        seen: Array,
        *,
        state: Array | None = None,
        starts: Array | None = None,
        hidden: torch.Tensor | None = None,
    ) -> Outputs:
        """All of a batch, with gradients.

        Args:
            seen: ``[B, M, …]``; recurrent networks take ``[T, B, M, …]``.
            state: what a central critic reads, of the same leading shape.
            starts: bool ``[T, B, M]``, where a match begins: the hidden state is forgotten.
            hidden: ``[M, B, recurrent]``, before the first step.

        Returns:
            Outputs over ``B`` (recurrent: over ``T * B``).
        """
        self.layers = []
        flat = seen
        if self.spec.recurrent:
            flat = seen.reshape(-1, *seen.shape[2:])
        features = self._torso("torso", flat)
        if self.spec.recurrent:
            inputs = self._dense("gate.input", features)
            inputs = inputs.reshape(len(features), *seen.shape[:2], -1)
            fresh = np.zeros(seen.shape[:3], bool) if starts is None else starts
            going = torch.from_numpy(~fresh).permute(0, 2, 1)[..., None]
            along = []
            for t, step in enumerate(inputs.unbind(1)):
                if hidden is not None and fresh[t].any():
                    hidden = hidden * going[t]
                hidden = self._gate(step, hidden)
                along.append(hidden)
            features = torch.stack(along, 1).flatten(1, 2)
        if state is not None and self.spec.recurrent:
            state = state.reshape(-1, *state.shape[2:])
        return Outputs(self._actor(features), self._critics(features, state), hidden)

    def worth(self, state: Array) -> torch.Tensor:
        """A central critic's values ``[M, B, V]`` of states ``[B, M, …]``, without gradients."""
        with torch.no_grad():
            return self._head("value", self._torso("critic", state))

    def one(self, mind: int) -> Network:
        """The network of one mind, as a stack of one, without the critics; shares no memory."""
        kept = {
            name: tensor.detach()[mind : mind + 1].clone()
            for name, tensor in self.parameters.items()
            if is_policy(name)
        }
        spec = {**self.spec.__dict__, "minds": 1, "values": 0, "central": None}
        return Network(NetworkSpec(**spec), kept, self.table)

    @property
    def log_std(self) -> torch.Tensor:
        """Of the amounts, ``[M, R]``."""
        return self.parameters["actor.log_std"]

    def _torso(self, name: str, seen: Array) -> torch.Tensor:
        """Features ``[M, B, F]`` of observations ``[B, M, …]``."""
        p = self.parameters
        if seen.ndim == 5 and CONVOLUTIONS[self.spec.torso]:
            features = self._convolve(name, np.ascontiguousarray(seen))
        else:
            # A map that a net without convolutions reads is a vector of numbers from 0 to 1.
            scale = 255 if seen.dtype == np.uint8 else 1
            vector = seen.reshape(*seen.shape[:2], -1).astype(np.float32) / scale
            features = torch.from_numpy(vector).transpose(0, 1)
        layer = 0
        while f"{name}.dense{layer}.weight" in p:
            features = torch.relu(self._dense(f"{name}.dense{layer}", features))
            layer += 1
        return features

    def _convolve(self, name: str, seen: Array) -> torch.Tensor:
        p = self.parameters
        layers = CONVOLUTIONS[self.spec.torso]
        weight, bias = p[f"{name}.conv0.weight"], p[f"{name}.conv0.bias"]
        if self.table is not None:
            first = lookup_convolution(seen, self._rows(name, weight, self.table), self.table)
        else:
            pixels = torch.from_numpy(seen).permute(1, 0, 4, 2, 3).float() / 255
            first = torch.stack(
                [_convolution(x, w, None, layers[0]) for x, w in zip(pixels, weight, strict=True)]
            ).permute(0, 1, 3, 4, 2)
        first = first + bias[:, None, None, None, :]
        self._note(f"{name}.conv0", [first])
        first = torch.relu(first)
        if len(layers) == 1:
            return first.flatten(2)
        minds = [mind.permute(0, 3, 1, 2) for mind in first.unbind()]  # channels last in memory
        for i, layer in enumerate(layers[1:], 1):
            weights, biases = (p[f"{name}.conv{i}.{part}"].unbind() for part in ("weight", "bias"))
            apart = list(zip(weights, biases, strict=True))
            made = [_convolution(x, *wb, layer) for x, wb in zip(minds, apart, strict=True)]
            self._note(f"{name}.conv{i}", made, apart)
            minds = [torch.relu(y) for y in made]
        return torch.stack([x.permute(0, 2, 3, 1).flatten(1) for x in minds])

    def _rows(self, name: str, weight: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """The first layer's lookup rows; kept between steps without gradients."""
        stride = CONVOLUTIONS[self.spec.torso][0].stride
        if torch.is_grad_enabled():
            return kernel_rows(weight, table, stride)
        version, rows = self._kept.get(name, (-1, weight))
        if version != weight._version:  # any update in place counts it up
            rows = kernel_rows(weight, table, stride)
            self._kept[name] = weight._version, rows
        return rows

    def _gate(self, inputs: torch.Tensor, hidden: torch.Tensor | None) -> torch.Tensor:
        """One step of a gated recurrent unit (Cho et al., 2014), behind its dense layer."""
        if hidden is None:
            hidden = inputs.new_zeros(*inputs.shape[:2], self.spec.recurrent)
        r, z, n = inputs.chunk(3, -1)
        hr, hz, hn = self._dense("gate.hidden", hidden).chunk(3, -1)
        z = torch.sigmoid(z + hz)
        return (1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hn) + z * hidden

    def _actor(self, features: torch.Tensor) -> torch.Tensor:
        return self._head("actor", features)

    def _critics(self, features: torch.Tensor, state: Array | None) -> torch.Tensor:
        if self.spec.central is None:
            if not self.spec.values:
                return features.new_zeros(*features.shape[:2], 0)
            return self._head("value", features)
        if state is None:
            return features.new_zeros(*features.shape[:2], self.spec.values)
        return self._head("value", self._torso("critic", state))

    def _head(self, name: str, features: torch.Tensor) -> torch.Tensor:
        """One or several heads side by side: hidden layers, then each its own outputs."""
        p = self.parameters
        hidden = torch.relu(self._dense(f"{name}.hidden", features))
        if name == "actor":
            return self._dense("actor.output", hidden)
        parts = hidden.reshape(*hidden.shape[:2], self.spec.values, HEAD)
        weight, bias = p["value.output.weight"], p["value.output.bias"]
        values: torch.Tensor = (parts * weight[:, None]).sum(-1) + bias[:, None]
        return values

    def _dense(self, name: str, x: torch.Tensor) -> torch.Tensor:
        p = self.parameters
        made = torch.baddbmm(p[f"{name}.bias"][:, None, :], x, p[f"{name}.weight"])
        self._note(name, [made])
        return made

    def _note(
        self,
        name: str,
        said: list[torch.Tensor],
        apart: Sequence[tuple[torch.Tensor, ...]] | None = None,
    ) -> None:
        if torch.is_grad_enabled() and is_policy(f"{name}."):
            names = f"{name}.weight", f"{name}.bias"
            whole = [tuple(self.parameters[each] for each in names)]
            self.layers.append(Layer(said, apart or whole, names, apart is not None))


def new_network(spec: NetworkSpec, rng: np.random.Generator, table: Array | None = None) -> Network:
    """A network with fresh weights, every draw from ``rng``; gradients are switched on."""
    made: dict[str, Array] = {}
    width = _init_torso(made, "torso", spec, spec.shape, rng, table)
    if spec.recurrent:
        for name, size in (("input", width), ("hidden", spec.recurrent)):
            _init_dense(made, f"gate.{name}", spec.minds, size, 3 * spec.recurrent, 1.0, rng)
        width = spec.recurrent
    _init_dense(made, "actor.hidden", spec.minds, width, HEAD, 2**0.5, rng)
    outputs = spec.logits + spec.amounts
    _init_dense(made, "actor.output", spec.minds, HEAD, outputs, 0.01, rng)
    if spec.amounts:
        made["actor.log_std"] = np.full((spec.minds, spec.amounts), -0.5, np.float32)
    if spec.central is not None:
        width = _init_torso(made, "critic", spec, spec.central, rng, table)
    heads = [_orthogonal(rng, spec.minds, width, HEAD, 2**0.5) for _ in range(spec.values)]
    made["value.hidden.weight"] = np.concatenate(heads, -1)
    made["value.hidden.bias"] = np.zeros((spec.minds, spec.values * HEAD), np.float32)
    ends = [_orthogonal(rng, spec.minds, HEAD, 1, 1.0)[..., 0] for _ in range(spec.values)]
    made["value.output.weight"] = np.stack(ends, 1)
    made["value.output.bias"] = np.zeros((spec.minds, spec.values), np.float32)
    parameters = {name: torch.from_numpy(a).requires_grad_() for name, a in made.items()}
    return Network(spec, parameters, None if table is None else torch.from_numpy(table))


def is_policy(name: str) -> bool:
    """Whether a parameter belongs to the torso or the actor: what policy gradients are about."""
    return not name.startswith(("value.", "critic."))


def _convolution(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, layer: _Convolution
) -> torch.Tensor:
    weight = weight.contiguous(memory_format=torch.channels_last)
    return F.conv2d(x, weight, bias, layer.stride, (layer.size - 1) // 2)


def _init_torso(
    made: dict[str, Array],
    name: str,
    spec: NetworkSpec,
    shape: tuple[int, ...],
    rng: np.random.Generator,
    table: Array | None,
) -> int:
    """Weights of a torso; returns the width of its features."""
    if len(shape) == 3 and CONVOLUTIONS[spec.torso]:
        height, width, channels = shape
        if table is not None:
            channels = table.shape[-1]
        for i, layer in enumerate(CONVOLUTIONS[spec.torso]):
            fan = channels * layer.size**2
            weight = _orthogonal(rng, spec.minds, fan, layer.channels, 2**0.5).swapaxes(1, 2)
            size = (spec.minds, layer.channels, channels, layer.size, layer.size)
            made[f"{name}.conv{i}.weight"] = np.ascontiguousarray(weight).reshape(size)
            made[f"{name}.conv{i}.bias"] = np.zeros((spec.minds, layer.channels), np.float32)
            height, width = -(-height // layer.stride), -(-width // layer.stride)
            channels = layer.channels
        features = height * width * channels
    else:
        features = int(np.prod(shape))
    for i, wide in enumerate(DENSE[spec.torso]):
        _init_dense(made, f"{name}.dense{i}", spec.minds, features, wide, 2**0.5, rng)
        features = wide
    return features


def _init_dense(
    made: dict[str, Array],
    name: str,
    minds: int,
    inputs: int,
    outputs: int,
    gain: float,
    rng: np.random.Generator,
) -> None:
    made[f"{name}.weight"] = _orthogonal(rng, minds, inputs, outputs, gain)
    made[f"{name}.bias"] = np.zeros((minds, outputs), np.float32)


def _orthogonal(
    rng: np.random.Generator, minds: int, inputs: int, outputs: int, gain: float
) -> Array:
    """Orthogonal matrices ``[minds, inputs, outputs]`` (Saxe et al., 2014), times ``gain``."""
    tall, thin = max(inputs, outputs), min(inputs, outputs)
    q, r = np.linalg.qr(rng.standard_normal((minds, tall, thin)))
    q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    if inputs < outputs:
        q = q.swapaxes(1, 2)
    return np.ascontiguousarray(gain * q).astype(np.float32)
