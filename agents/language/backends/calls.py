"""The one door through which agents call models: cache, price and budget stand there.

The arena opens a scope around each match (:func:`calling`): which cache, who pays, against which
budget. Outside any scope a call simply goes to the backend. In it a known question is answered from
the cache; equal questions asked at once make one call; and nothing is asked that the budget does
not cover. Agents that call models by other ways are counted by the calls of their replies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from gymposium.types import Usage

from .cache import Kept, Payer, ResponseCache
from .cache_key import key_of, question
from .prices import money
from .protocol import ChatBackend, Completion, prompt_tokens


class Cost(NamedTuple):
    """What calls took.

    Attributes:
        usage: tokens.
        money: US dollars; None if the price is not known.
        seconds: wall time.
    """

    usage: Usage = Usage()
    money: float | None = 0.0
    seconds: float = 0.0


class Elsewhere(Protocol):
    """Another process that makes the calls (:mod:`.desk`)."""

    async def ask(
        self,
        scope: Scope,
        backend: ChatBackend,
        messages: Sequence[Mapping[str, Any]],
        arguments: Mapping[str, Any],
    ) -> list[Completion]:
        """As :func:`ask_model`."""
        ...


class Account(Protocol):
    """Where a budget is kept."""

    async def reserve(self, agent: str, most: Cost) -> None:
        """Set aside what a call may take at most; raises BudgetSpent if there is not enough."""
        ...

    def settle(self, agent: str, most: Cost) -> None:
        """Give back what was set aside."""
        ...

    def book(self, agent: str, spent: Cost) -> None:
        """Write down what a call took."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Where and for whom models are called.

    Attributes:
        cache: of answers, or None.
        account: the budget, or None.
        payer: run and match.
        agent: whose calls these are.
        met: keys of answers this match has bought or met already.
        booked: those that it met in processes that died; what it bought there is on the books.
        desk: who makes the calls instead, in another process; or None.
        shared: models of this machine are those of its model server.
        passed: what came through this door in the scope.
    """

    cache: ResponseCache | None = None
    account: Account | None = None
    payer: Payer = Payer()  # noqa: RUF009 - a named tuple is immutable
    agent: str = ""
    met: set[bytes] = field(default_factory=set)
    booked: Sequence[set[bytes]] = ()
    desk: Elsewhere | None = None
    shared: bool = False
    passed: list[Completion] = field(default_factory=list)


_scope: ContextVar[Scope | None] = ContextVar("gymposium_calls", default=None)
_flights: dict[tuple[int, str, bytes], asyncio.Future[None]] = {}


@contextmanager
def calling(scope: Scope | None) -> Iterator[None]:
    """Model calls inside belong to ``scope``."""
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


def current_scope() -> Scope:
    """The scope that is open, or one without cache and account."""
    return _scope.get() or Scope()


async def ask_model(
    backend: ChatBackend,
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
    """Sample ``n`` answers, from the cache where it has them.

    Arguments are those of :meth:`.protocol.ChatBackend.complete`. The seed says which sample is
    meant; without one, above temperature 0, the call is never answered from the cache.

    Raises:
        BudgetSpent: the budget does not cover the call.
        BackendError, TimeoutError: as the backend.
    """
    scope = current_scope()
    messages = [_sayable(message) for message in messages]
    asked: dict[str, Any] = {
        "n": n,
        "logprobs": logprobs,
        "temperature": temperature,
        "top_p": top_p,
    }
    asked["max_tokens"] = max_tokens
    if scope.desk is not None:
        arguments = {**asked, "schema": schema, "seed": seed, "timeout": timeout}
        made = await scope.desk.ask(scope, backend, messages, arguments)
        scope.passed.extend(made)
        return made

    async def call() -> list[Completion]:
        beside = getattr(backend, "most_tokens", None)
        tokens = max_tokens * n + (0 if beside is None else beside(schema))
        most = _most(backend, messages, tokens)
        if scope.account is not None:
            await scope.account.reserve(scope.agent, most)
        try:
            made = await backend.complete(
                messages, schema=schema, seed=seed, timeout=timeout, **asked
            )
            made = [each._replace(money=money(backend, each.usage)) for each in made]
            if scope.account is not None:
                scope.account.book(scope.agent, _cost(made))
            return made
        finally:
            if scope.account is not None:
                scope.account.settle(scope.agent, most)

    cache = None if backend.name.startswith("scripted/") else scope.cache
    if cache is None or (seed is None and temperature > 0):
        made = await call()
        scope.passed.extend(made)
        return made
    identity = str(getattr(backend, "identity", backend.name))
    wanted = question(identity, messages, schema=schema, parameters=asked, sample=seed)
    key = key_of(wanted)
    made = await _once(cache, key, wanted, call, scope)
    scope.passed.extend(made)
    return made


async def _once(
    cache: ResponseCache,
    key: bytes,
    wanted: Mapping[str, Any],
    call: Callable[[], Awaitable[list[Completion]]],
    scope: Scope,
) -> list[Completion]:
    """What is kept under the key; else what ``call`` gives, made once however many ask."""
    flight = (id(asyncio.get_running_loop()), str(cache.path), key)
    while True:
        kept = cache.get(key)
        if kept is not None:
            return _from_cache(kept, key, scope)
        under_way = _flights.get(flight)
        if under_way is None:
            break
        await asyncio.shield(under_way)
    landed = _flights[flight] = asyncio.get_running_loop().create_future()
    try:
        made = cache.put(key, wanted, await call(), scope.payer)
        scope.met.add(key)
        return made
    finally:
        del _flights[flight]
        landed.set_result(None)


def _from_cache(kept: Kept, key: bytes, scope: Scope) -> list[Completion]:
    """An answer that is there; bought, if this match bought it before its run was stopped."""
    ours = kept.payer == scope.payer and kept.payer != Payer() and key not in scope.met
    scope.met.add(key)
    if not ours:
        return [each._replace(cached=True, money=0.0) for each in kept.completions]
    if scope.account is not None and not any(key in before for before in scope.booked):
        scope.account.book(scope.agent, _cost(kept.completions))
    return kept.completions


def _sayable(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message as UTF-8 can carry it: other seats may have said half a surrogate pair."""
    words: str = message["content"]
    if words.isascii():
        return message
    return {**message, "content": words.encode("utf-8", "replace").decode()}


def _most(backend: ChatBackend, messages: Sequence[Mapping[str, Any]], tokens: int) -> Cost:
    usage = Usage(prompt_tokens(messages), tokens)
    return Cost(usage, money(backend, usage))


def _cost(made: Sequence[Completion]) -> Cost:
    usage = Usage(*(sum(counts) for counts in zip(*(each.usage for each in made), strict=True)))
    prices = [each.money for each in made]
    known = [price for price in prices if price is not None]
    total = sum(known) if len(known) == len(prices) else None
    return Cost(usage, total, max(each.seconds for each in made))
