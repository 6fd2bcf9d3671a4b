"""Which tokens may come next, so that an answer fits its JSON Schema.

The automaton is llguidance's; here it is bound to one tokenizer and its bit masks are turned into
torch's. JSON is written without white space, as the other local backend writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from gymposium.errors import BackendError, MissingExtra

if TYPE_CHECKING:
    import torch

_MOST_KEPT = 1024


class Grammars:
    """Matchers for one tokenizer; schemas are compiled once.

    Args:
        tokenizer: a fast tokenizer of transformers.
        vocabulary: number of the model's logits.
    """

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        try:
            from llguidance.hf import from_tokenizer
        except ModuleNotFoundError as error:
            raise MissingExtra("constrained answers", extra="train", module="llguidance") from error
        self._tokens = from_tokenizer(tokenizer, vocabulary)
        self._made: dict[bytes, Any] = {}

    def matcher(self, schema: Mapping[str, Any]) -> Matcher:
        """A fresh matcher at the beginning of an answer.

        Raises:
            BackendError: the schema cannot be enforced.
        """
        from llguidance import LLMatcher

        key = orjson.dumps(schema, default=dict)
        made = self._made.get(key)
        if made is None:
            try:
                grammar = LLMatcher.grammar_from_json_schema(
                    key.decode(), defaults={"whitespace_flexible": False}
                )
                made = LLMatcher(self._tokens, grammar)
            except ValueError as error:
                raise _refusal(str(error)) from error
            if made.is_error():
                raise _refusal(made.get_error())
            if len(self._made) >= _MOST_KEPT:
                self._made.clear()
            self._made[key] = made
        return Matcher(made.deep_copy())


class Matcher:
    """One answer's way through its grammar."""

    def __init__(self, automaton: Any) -> None:
        self._automaton = automaton

    def allowed(self, vocabulary: int) -> torch.Tensor:
        """The tokens that may come next, at least one: bool [vocabulary], on the CPU."""
        import numpy as np
        import torch

        bits = np.frombuffer(self._automaton.compute_bitmask(), np.uint8)
        return torch.from_numpy(np.unpackbits(bits, bitorder="little")[:vocabulary].astype(bool))

    def take(self, token: int) -> None:
        """Go on by a token that was allowed."""
        self._automaton.consume_token(token)


def _refusal(why: str) -> BackendError:
    line = (why.strip().splitlines() or ["no reason given"])[0][:300]
    return BackendError(f"cannot constrain an answer to the schema ({line})")
