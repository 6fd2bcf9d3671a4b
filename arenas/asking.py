"""Asking one seat until it gives a legal answer, or declaring that it did not.

An illegal answer, an exception or a time-out is told to the agent and it is asked again; after
``reasks`` repetitions the world's declared fault rule applies (the world is handed ``None``) and
the fault is counted. A person who mistypes is asked again as often as it takes, and is never timed.
A seat whose process died or had to be killed is not asked again in this
match.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from time import perf_counter
from typing import Any

from gymposium.errors import AgentFault, BackendError, BudgetSpent, IllegalAction, PlayerLeft
from gymposium.types import Action, Call, Reply, Seat, Turn, World

from ..agents.language.backends.calls import calling, current_scope
from ..agents.language.extract import extract
from ..envs.whereabouts import place_to_look
from .meter import Meter

STARTUP_SECONDS = 60.0
"""Least time allowed for ``reset``, which may have to import a user's libraries."""


@dataclass(slots=True)
class Player:
    """An agent in its seat during one match, with what is counted about it."""

    seat: Seat
    agent: Any
    name: str
    language: bool = False
    human: bool = False
    out: str = ""
    faults: dict[str, int] = field(default_factory=dict)
    turns: int = 0
    llm_turns: int = 0
    parsed_turns: int = 0
    seconds: float = 0.0
    calls: list[Call] = field(default_factory=list)
    waiting_since: float | None = None

    def drop(self, kind: str, why: str) -> None:
        """Stop asking this seat for the rest of the match, and stop its process if it has one."""
        self.out = kind
        kill = getattr(self.agent, "kill", None)
        if kill is not None:
            kill()


@dataclass(slots=True)
class Answer:
    """What a seat's turn came to.

    Attributes:
        action: the legal action, or None if the fault rule must apply.
        reply: what the agent returned beside the action, of its last attempt.
        errors: (kind, sentence) of every failed attempt.
        calls: the model calls of all attempts.
        fault: the kind of the last failure if ``action`` is None, else "".
    """

    action: Action
    reply: Reply | None = None
    errors: list[tuple[str, str]] = field(default_factory=list)
    calls: tuple[Call, ...] = ()
    fault: str = ""


async def take_seat(player: Player, seed: int, time_limit: float | None) -> None:
    """Reset the agent for a new match; a failure puts the seat out instead of ending the match."""
    if player.out:
        return
    try:
        waiting = player.agent.reset(player.seat, seed)
        if inspect.isawaitable(waiting):
            limit = None if time_limit is None else max(time_limit, STARTUP_SECONDS)
            async with asyncio.timeout(limit):
                await waiting
    except BaseException as error:
        if not_the_agents_doing(error, player):
            raise
        kind, sentence = _diagnose(error)
        player.drop(kind, sentence)


async def ask(
    world: World,
    player: Player,
    turn: Turn,
    *,
    reasks: int,
    time_limit: float | None,
    meter: Meter | None = None,
    first: Any = None,
    failed: BaseException | None = None,
) -> Answer:
    """Ask ``player`` for a legal action, ``1 + reasks`` times at most; a person, until it comes.

    Args:
        world: checks and parses answers.
        player: who is asked; its counters are updated.
        turn: the question.
        reasks: repetitions after a failed attempt.
        time_limit: seconds for one attempt, for agents that can be waited for. A language model's
            seat times itself by ``Seat.time_limit``: waiting for a free slot is not thinking.
        meter: the run's budget, for seats backed by language models.
        first: what ``agent.act(turn)`` already returned, if the caller has called it.
        failed: what it raised instead.

    Raises:
        BudgetSpent, BackendError, PlayerLeft: the match cannot go on.
    """
    answer = Answer(None)
    asked = turn
    for attempt in count():
        began = perf_counter()
        try:
            if failed is not None:
                raise failed
            raw = player.agent.act(asked) if first is None else first
            if inspect.isawaitable(raw):
                raw = await _await_answer(raw, player, meter, time_limit)
            if isinstance(raw, Reply):
                answer.reply = raw
                answer.calls += tuple(raw.calls)
            action, answer.reply = interpret(world, turn, raw)
            world.check(turn.seat, action)
            answer.action = action
            break
        except BaseException as error:
            if not_the_agents_doing(error, player):
                raise
            kind, sentence = _diagnose(error)
            answer.errors.append((kind, sentence))
            if kind == "crash" or (kind == "timeout" and hasattr(player.agent, "kill")):
                player.drop(kind, sentence)
                break
            if attempt >= reasks and not (player.human and kind == "illegal"):
                break
            asked = turn.again(sentence, attempt + 1)
        finally:
            player.seconds += perf_counter() - began
        first = failed = None
    if answer.action is None:
        answer.fault = answer.errors[-1][0] if answer.errors else "illegal"
        player.faults[answer.fault] = player.faults.get(answer.fault, 0) + 1
    _count(player, answer)
    return answer


async def _await_answer(
    waiting: Any, player: Player, meter: Meter | None, time_limit: float | None
) -> Any:
    scope = replace(current_scope(), account=meter, agent=player.name, passed=[])
    # An agent whose calls pass the door where budgets are kept reserves each of them there.
    spending = meter if player.language and not _announces(player.agent) else None
    if spending is not None:
        try:
            spending.before_turn(player.name)
        except BudgetSpent:
            # The coroutine was made but never begun: closing it avoids a "never awaited" warning.
            if inspect.iscoroutine(waiting):
                waiting.close()
            raise
    calls: Sequence[Call] = ()
    player.waiting_since = perf_counter()
    limit = None if player.language or player.human else time_limit
    try:
        # Not wait_for: in Python 3.11 it swallows a cancellation that meets the answer.
        async with asyncio.timeout(limit):
            with calling(scope):
                raw = await waiting
        if isinstance(raw, Reply):
            calls = raw.calls
        return raw
    finally:
        player.waiting_since = None
        if spending is not None:
            spending.after_turn(player.name, () if scope.passed else calls)


def _announces(agent: Any) -> bool:
    return bool(getattr(agent, "announces_calls", False))


def interpret(world: World, turn: Turn, raw: Any) -> tuple[Action, Reply | None]:
    """The action an agent meant by what it returned, and the reply to keep.

    A Reply without an action, or a bare string, is an answer in words: it is cleaned by the one
    extractor, unless the world reads whole replies, and parsed by the world. A bare string is
    first tried as it stands.

    Raises:
        IllegalAction: there is no answer, or the world cannot read it.
    """
    if isinstance(raw, Reply):
        if raw.action is not None:
            return raw.action, raw
        if raw.text is None:
            raise IllegalAction("the reply held neither an action nor words")
        found = extract(raw.text)
        said = raw.text if world.seats[turn.seat].whole_reply else found.action_text
        action = world.words.parse(turn.seat, said, turn.observation, turn.info)
        thought = raw.thought if raw.thought is not None else found.thought
        return action, Reply(action, raw.text, thought, raw.calls, raw.trace)
    if isinstance(raw, str):
        parse = world.words.parse
        try:
            action = parse(turn.seat, raw, turn.observation, turn.info)
        except IllegalAction:
            text = extract(raw).action_text
            action = parse(turn.seat, text, turn.observation, turn.info)
        return action, Reply(action, raw)
    if raw is None:
        raise IllegalAction("act() returned None; return an action, a Reply or words")
    return raw, None


def not_the_agents_doing(error: BaseException, player: Player) -> bool:
    """Whether to stop the match: our own cancellation, a model that cannot answer, a person gone.

    What a plain agent raises is its own fault, whatever it is called.
    """
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return True
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    if player.human:
        return isinstance(error, PlayerLeft)
    return player.language and isinstance(error, BudgetSpent | BackendError)


def _count(player: Player, answer: Answer) -> None:
    if answer.calls or player.language:
        player.llm_turns += 1
        player.parsed_turns += answer.action is not None and bool(answer.calls)
        player.calls.extend(answer.calls)


def _diagnose(error: BaseException) -> tuple[str, str]:
    """(fault kind, one sentence) for whatever came out of an agent."""
    if isinstance(error, IllegalAction):
        return "illegal", str(error)
    if isinstance(error, AgentFault):
        return error.kind, str(error)
    if isinstance(error, TimeoutError):
        return "timeout", "no answer came within the time limit"
    place = place_to_look(error)
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - the agent boundary: even its words may fail
        said = "(its message cannot be shown)"
    sentence = f"{type(error).__name__}: {said}"[:500] + (f" ({place})" if place else "")
    return "error", sentence.encode("utf-8", "replace").decode()
