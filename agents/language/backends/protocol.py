"""What a language-model backend is: one small protocol.

A backend turns chat messages into completions. It knows nothing of seats, worlds or matches. The
shape follows the chat-completions interface that every inference server speaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from gymposium.types import Usage


class Completion(NamedTuple):
    """One sampled answer.

    Attributes:
        text: what came back, unedited.
        usage: tokens taken; see the backend for what it counts.
        finish_reason: ``stop``, ``length``, or the backend's own word.
        seconds: wall time from the call to the answer, waiting for a free slot included.
        logprobs: per completion token, log-probability before any grammar mask, if asked for.
        completion_ids: token ids, if asked for and given.
        prompt_ids: token ids of the prompt, where the backend gives them.
        cached: the answer came from the cache and was not paid for.
        money: US dollars it cost; None if the price is not known.
        trace: what came beside the text, as plain data: tool calls, choices and their scores.
    """

    text: str
    usage: Usage = Usage()
    finish_reason: str = "stop"
    seconds: float = 0.0
    logprobs: tuple[float, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    prompt_ids: tuple[int, ...] | None = None
    cached: bool = False
    money: float | None = None
    trace: tuple[Mapping[str, Any], ...] = ()


class Scored(NamedTuple):
    """How likely a model finds a given answer.

    Attributes:
        text: the answer.
        ids: its tokens; empty where the backend does not tell them.
        logprobs: of each token; their sum is the answer's log-likelihood.
        usage: what scoring it took; the sum over all choices is what scoring them took.
    """

    text: str
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    usage: Usage


CHARACTERS_PER_TOKEN = 3.2
"""Cautious for English (about 4); a backend's own counts are believed where there are any."""
MESSAGE_TOKENS = 6
"""What a chat template puts around one message."""
IMAGE_TOKENS = 1000
"""A cautious guess for one picture."""


def prompt_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """About how many tokens a prompt has, rather too many than too few."""
    characters = sum(len(message["content"]) for message in messages)
    images = sum(len(message.get("images", ())) for message in messages)
    around = len(messages) * MESSAGE_TOKENS + images * IMAGE_TOKENS
    return int(characters / CHARACTERS_PER_TOKEN) + around + 1


@runtime_checkable
class ChatBackend(Protocol):
    """A model that can be talked to.

    A backend may also have ``local`` (True: it runs on this machine, its tokens cost nothing) and
    ``identity`` (name and weights, under which answers are cached; default: the name). One that can
    say how likely it finds given answers has ``async score(messages, choices, *, timeout=None)``,
    which returns a :class:`Scored` for each of the choices; one that can say it of letters alone
    has ``score_letters``, with the same arguments.
    """

    @property
    def name(self) -> str:
        """What calls are recorded under."""
        ...

    @property
    def deterministic(self) -> bool:
        """Equal calls give equal answers, in any order and company."""
        ...

    @property
    def trainable(self) -> bool:
        """Weights and gradients can be reached."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """Most tokens of a prompt with its completion; None if unknown."""
        ...

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
        """Sample ``n`` answers.

        Args:
            messages: ``role`` and ``content``, oldest first; perhaps ``images`` (:mod:`.images`).
            schema: JSON Schema the answer must fit, where the backend can see to it.
            n: number of independent samples.
            seed: of the first sample; the others follow from it. None draws a fresh one.
            logprobs: positive to get token ids and log-probabilities.
            temperature: 0 for the likeliest token each time.
            top_p: nucleus to sample from; 1 for all.
            max_tokens: where an answer is cut off.
            timeout: seconds for an answer from when the model begins on it; waiting for a free
                slot does not count. None for no limit.

        Returns:
            The answers, in sample order.

        Raises:
            BackendError: the model cannot answer.
            TimeoutError: the answer took longer than ``timeout``.
        """
        ...

    async def close(self) -> None:
        """Release everything; calls under way are abandoned. Idempotent."""
        ...
