"""Choosing by likelihood: the answer is not written but picked from the legal ones.

Every legal answer is scored by the log-likelihood the model gives to its whole text, end included,
and one is drawn with probabilities in proportion to likelihood ** (1 / temperature): the likeliest
at temperature 0. So a model too small to write what it means can still be asked what it prefers;
OpenSpiel's and Concordia's models are asked so, and so are multiple-choice benchmarks (Brown et
al., "Language Models are Few-Shot Learners", 2020, section 2.4).

Endpoints do not score given texts, but many tell how likely the first token of an answer was: they
are shown the legal answers as lettered options and asked for a letter (Robinson et al., "Leveraging
Large Language Models for Multiple Choice Question Answering", 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import orjson

from gymposium.errors import BackendError
from gymposium.types import Usage

from .protocol import ChatBackend, Completion, Scored

MOST_CHOICES = 64
"""A question with more legal answers is answered in writing."""
MOST_LETTERS = 20
"""As many tokens endpoints tell the log-probabilities of."""
_AROUND = 16  # tokens put around each answer, or around the list of them; rather too many


class Choosing:
    """A backend that picks from the answers a schema allows, where they can be listed.

    Args:
        backend: scores answers, and writes those that cannot be listed; kept as ``inner``.
        letters: one that cannot score whole answers may be given them as lettered options.

    Raises:
        BackendError: it cannot score.
    """

    def __init__(self, backend: ChatBackend, *, letters: bool = False) -> None:
        score, kind, self._most = getattr(backend, "score", None), "likelihood", MOST_CHOICES
        if score is None and letters:
            score, kind = getattr(backend, "score_letters", None), "letters"
            self._most = MOST_LETTERS
        if score is None:
            raise BackendError(f"{backend.name} cannot tell how likely it finds an answer")
        self._score = score
        self.inner = backend
        self.name = backend.name
        self.identity = f"{getattr(backend, 'identity', backend.name)}|{kind}"
        self.deterministic = backend.deterministic
        self.trainable = backend.trainable
        self.local = bool(getattr(backend, "local", False))

    @property
    def context_tokens(self) -> int | None:
        """As the backend's."""
        return self.inner.context_tokens

    def most_tokens(self, schema: Mapping[str, Any] | None) -> int:
        """What scoring the answers takes at most beside the messages: a token is a byte or more."""
        return sum(len(answer.encode()) + _AROUND for answer in legal_answers(schema)) + _AROUND

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        n: int = 1,
        seed: int | None = None,
        logprobs: int = 0,
        temperature: float = 0.7,
        top_p: float = 1.0,
        max_tokens: int = 256,
        timeout: float | None = None,
    ) -> list[Completion]:
        """Pick ``n`` answers; see :class:`.protocol.ChatBackend`.

        The completions' ``trace`` holds all choices with their log-likelihoods.
        """
        answers = legal_answers(schema)
        if not 0 < len(answers) <= self._most:
            return await self.inner.complete(
                messages,
                schema=schema,
                n=n,
                seed=seed,
                logprobs=logprobs,
                temperature=temperature,
                top_p=top_p,
                max_tokens=max_tokens,
                timeout=timeout,
            )
        began = perf_counter()
        scored: list[Scored] = await self._score(messages, answers, timeout=timeout)
        totals = [sum(each.logprobs) for each in scored]
        trace = {"kind": "likelihood", "choices": answers, "logprobs": totals}
        usage = Usage(*map(sum, zip(*(each.usage for each in scored), strict=True)))
        weights = _weights(totals, temperature, top_p)
        made = []
        for index in range(n):
            draw = np.random.default_rng(None if seed is None else seed + index)
            chosen = scored[int(draw.choice(len(scored), p=weights))]
            made.append(
                Completion(
                    chosen.text,
                    usage if index == 0 else Usage(),
                    seconds=perf_counter() - began,
                    logprobs=chosen.logprobs if logprobs else None,
                    completion_ids=chosen.ids if logprobs else None,
                    trace=(trace,),
                )
            )
        return made

    async def close(self) -> None:
        """Close the backend."""
        await self.inner.close()


def legal_answers(schema: Mapping[str, Any] | None) -> list[str]:
    """Every text that fits ``schema``, as compact JSON; empty if they cannot be listed or are many.

    Args:
        schema: ``{"action": …}`` around a list of values, a truth value or a range of integers.
    """
    properties = (schema or {}).get("properties", {})
    if set(properties) != {"action"}:
        return []
    values = legal_values(properties["action"])
    return [orjson.dumps({"action": value}).decode() for value in values]


def legal_values(action: Mapping[str, Any]) -> list[Any]:
    """Every action in words that fits the schema; empty if they cannot be listed or are many.

    Args:
        action: a list of values, a truth value or a range of integers.
    """
    values: Sequence[Any] = ()
    if "enum" in action:
        values = action["enum"]
    elif "const" in action:
        values = [action["const"]]
    elif action.get("type") == "boolean":
        values = [True, False]
    elif action.get("type") == "integer" and {"minimum", "maximum"} <= set(action):
        values = range(int(action["minimum"]), int(action["maximum"]) + 1)
    return list(values) if len(values) <= MOST_CHOICES else []


def _weights(totals: Sequence[float], temperature: float, top_p: float) -> list[float]:
    """Probabilities of the choices."""
    logs = np.asarray(totals, np.float64)
    if temperature == 0:
        best = int(logs.argmax())
        return [float(index == best) for index in range(len(logs))]
    made = np.exp((logs - logs.max()) / temperature)
    made /= made.sum()
    order = np.argsort(-made, kind="stable")
    made[order[np.cumsum(made[order]) - made[order] >= top_p]] = 0.0
    return [float(each) for each in made / made.sum()]
