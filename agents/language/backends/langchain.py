"""Models and agents of LangChain, as a backend: chat models, LangGraph agents, other runnables.

A chat model gets the messages and, where it supports it, the schema of the answer
(``with_structured_output``). A LangGraph agent gets them as its state's ``messages`` and may call
tools for as long as it likes; its last message is the answer, and what happened on the way is kept
in the trace. How it samples is up to whoever made it: temperature and the like are not passed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import orjson

from gymposium.errors import BackendError, MissingExtra, UsageError
from gymposium.types import Usage

from .images import with_images
from .protocol import Completion

_MOST_TRACED = 4_000


class LangChainBackend:
    """A LangChain model, LangGraph agent, or any runnable that answers messages.

    Args:
        runnable: what to ask.
        structured: constrain answers to their schema where the model supports it.
        identity: what it is, for the cache; its name unless given.

    Raises:
        UsageError: it cannot be asked.
        MissingExtra: langchain-core is not installed.
    """

    deterministic = False
    trainable = False
    context_tokens: int | None = None

    def __init__(self, runnable: Any, *, structured: bool = True, identity: str = "") -> None:
        core = _core()
        if not callable(getattr(runnable, "ainvoke", None)):
            raise UsageError(
                f"a {type(runnable).__name__} is no LangChain model or agent: it has no ainvoke()"
            )
        self._runnable = runnable
        self._chat = isinstance(runnable, core.language_models.BaseChatModel)
        # LangGraph is not imported for it: its compiled graphs have a state with channels.
        self._graph = not self._chat and "messages" in getattr(runnable, "channels", ())
        self._structured = structured and self._chat
        self.name = f"langchain/{_name(runnable)}"
        self.identity = identity or self.name

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
        """Ask ``n`` times; see :class:`.protocol.ChatBackend`. Sampling is the model's own."""
        sent = [_to_langchain(message) for message in messages]
        asked = (self._ask(sent, schema, timeout) for _ in range(n))
        return list(await asyncio.gather(*asked))

    async def _ask(
        self, sent: list[Any], schema: Mapping[str, Any] | None, timeout: float | None
    ) -> Completion:
        began = perf_counter()
        try:
            async with asyncio.timeout(timeout):
                text, answers = await self._invoke(sent, schema)
        except (TimeoutError, BackendError):
            raise
        except Exception as error:  # the backend boundary: named and raised
            line = (str(error).strip().splitlines() or [""])[0][:300]
            raise BackendError(f"{self.name}: {type(error).__name__}: {line}") from error
        return Completion(
            text=text,
            usage=_usage(answers),
            finish_reason=_reason(answers),
            seconds=perf_counter() - began,
            trace=tuple(event for answer in answers for event in _events(answer)),
        )

    async def _invoke(
        self, sent: list[Any], schema: Mapping[str, Any] | None
    ) -> tuple[str, list[Any]]:
        """The answer's text, and all messages that came back."""
        if self._graph:
            state = await self._runnable.ainvoke({"messages": sent})
            said = list(state["messages"])
            # The state grows; what was sent is not the agent's doing.
            answers = said[len(sent) :] if len(said) > len(sent) else said[-1:]
            if not answers:
                raise BackendError(f"{self.name}: the agent ended without a message")
            return _text(answers[-1]), answers
        constrained = self._constrained(schema)
        if constrained is not None:
            found = await constrained.ainvoke(sent)
            raw, parsed = found["raw"], found["parsed"]
            text = _text(raw) if parsed is None else orjson.dumps(parsed).decode()
            return text, [raw]
        answer = await self._runnable.ainvoke(sent)
        return _text(answer), [answer]

    def _constrained(self, schema: Mapping[str, Any] | None) -> Any:
        if schema is None or not self._structured:
            return None
        named = {"title": "answer", "description": "The answer to the last message.", **schema}
        try:
            return self._runnable.with_structured_output(named, include_raw=True)
        except (NotImplementedError, ValueError, TypeError):
            self._structured = False  # most small and fake models cannot
            return None

    async def close(self) -> None:
        """Nothing of ours to release."""


def _core() -> Any:
    try:
        import langchain_core.language_models
        import langchain_core.messages
    except ModuleNotFoundError as error:
        missing = error.name or "langchain_core"
        raise MissingExtra("a LangChain agent", extra="langchain", module=missing) from error
    return langchain_core


def _to_langchain(message: Mapping[str, Any]) -> Any:
    kinds = _core().messages
    kind = {"system": kinds.SystemMessage, "assistant": kinds.AIMessage}.get(message["role"])
    sent = with_images(message) if "images" in message else message
    return (kind or kinds.HumanMessage)(content=sent["content"])


def _name(runnable: Any) -> str:
    for attribute in ("model_name", "model", "name"):
        said = getattr(runnable, attribute, None)
        if isinstance(said, str) and said:
            return said
    return type(runnable).__name__


def _text(answer: Any) -> str:
    """The words of a message; a message of several parts is put together."""
    content = getattr(answer, "content", answer)
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (each.get("text", "") if isinstance(each, dict) else each for each in content)
        return "".join(part for part in parts if isinstance(part, str))
    return orjson.dumps(content, default=str).decode()


def _usage(answers: Sequence[Any]) -> Usage:
    made = Usage()
    for answer in answers:
        told = getattr(answer, "usage_metadata", None) or {}
        cached = (told.get("input_token_details") or {}).get("cache_read", 0)
        each = (told.get("input_tokens", 0), told.get("output_tokens", 0), cached or 0)
        made = Usage(*(mine + theirs for mine, theirs in zip(made, each, strict=True)))
    return made


def _reason(answers: Sequence[Any]) -> str:
    told = getattr(answers[-1], "response_metadata", None) or {}
    return str(told.get("finish_reason") or told.get("stop_reason") or "stop")


def _events(answer: Any) -> list[dict[str, Any]]:
    """What a message holds beside words: tools called, and what they gave."""
    events = [
        {"kind": "tool_call", "name": call["name"], "arguments": _plain(call["args"])}
        for call in getattr(answer, "tool_calls", None) or ()
    ]
    if getattr(answer, "type", "") == "tool":
        result = _text(answer)[:_MOST_TRACED]
        events.append({"kind": "tool_result", "name": answer.name or "", "text": result})
    return events


def _plain(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value, default=str))
