"""A language model in a seat: prompt, constrained completion, memory, and asking again.

The agent does not interpret what the model says: it hands the raw text to the arena, which extracts
the action and has the world parse it. When that fails the arena asks again, and the agent shows the
model its own answer and the reason. The same class plays every world that has words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from gymposium.errors import BackendError
from gymposium.types import Call, Outcome, Reply, Seat, Turn

from .answer_schema import AnswerSchema, answer_schema, whole_schema
from .backends.cache_key import plain_message
from .backends.calls import ask_model
from .backends.protocol import ChatBackend, Completion
from .memory import Memory, Message
from .prompt import again_message, answer_message, asked_again, sizes, system_message, turn_message

MEMORY_TOKENS = 1024
_SAFETY = 1.1  # token counts are estimates until the backend has answered
_TOOLS = ("tool_call", "tool_result")


class LLMAgent:
    """A seat played by a language model.

    Args:
        backend: where the model runs; may be shared by any number of agents.
        temperature: of sampling; 0 for the likeliest answer.
        top_p: nucleus to sample from; 1 for all.
        max_tokens: where a reply is cut off; None for as long as the longest legal reply.
        memory_tokens: how much of the match is remembered, in tokens.
        persona: who the model is to be, put before the rules.
        think: ask for a short thought before the action.
        max_text: longest string in an action, in characters; None leaves it to the world.
        images: send the pictures of the current turn too; earlier ones are not kept in memory.
    """

    announces_calls = True  # each passes the door where budgets are kept

    def __init__(
        self,
        backend: ChatBackend,
        *,
        temperature: float = 0.7,
        top_p: float = 1.0,
        max_tokens: int | None = None,
        memory_tokens: int = MEMORY_TOKENS,
        persona: str = "",
        think: bool = True,
        max_text: int | None = None,
        images: bool = False,
    ) -> None:
        self._backend = backend
        self._temperature = temperature
        self._top_p = top_p
        self._max_tokens = max_tokens
        self._memory_tokens = memory_tokens
        self._persona = persona
        self._think = think
        self._max_text = max_text
        self._images = images

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin a match: forget everything, write the system message."""
        self._seed = seed
        self._time_limit = seat.time_limit
        self._whole = seat.whole_reply
        self._system = system_message(seat, persona=self._persona, think=self._think)
        self._memory = Memory(self._memory_tokens)
        self._step: int | None = None
        self._question: Message = {}
        self._answers: list[Message] = []  # of the current turn: answer, reason, answer, …

    async def act(self, turn: Turn) -> Reply:
        """Ask the model for this turn's action.

        Returns:
            The model's raw text and the call behind it; the arena finds the action in it.

        Raises:
            BudgetSpent: the run's budget does not cover the call.
            BackendError: the model cannot answer, or the prompt does not fit its context.
            TimeoutError: the answer took longer than the seat's time limit, waiting for a free
                slot not counted.
        """
        self._open(turn)
        return await self._answer(turn)

    @property
    def pictures(self) -> tuple[Any, ...]:
        """Those of the turn at hand, as the model is shown them."""
        return tuple(self._question.get("images", ()))

    def _open(self, turn: Turn) -> bool:
        """Take a turn up; whether it is a new one and not the last one asked again."""
        new = turn.step != self._step
        if new:
            self._remember()
            self._step = turn.step
            self._question = turn_message(turn, images=self._images)
        if asked_again(turn.info):
            self._answers.append(again_message(turn.info["error"]))
        return new

    async def _answer(self, turn: Turn) -> Reply:
        """Have the model say its action."""
        answer = (
            whole_schema(turn.schema)
            if self._whole
            else answer_schema(turn.schema, think=self._think, max_text=self._max_text)
        )
        limit = self._max_tokens or answer.max_tokens
        seed = sample_seed(self._seed, turn.step, turn.info.get("attempt", 0))
        done, call = await self._ask(self._backend, answer, limit, seed)
        rest = tuple(event for event in done.trace if event not in call.tools)
        return Reply(text=done.text, calls=(call,), trace=rest)

    async def _ask(
        self, backend: ChatBackend, answer: AnswerSchema, limit: int, seed: int
    ) -> tuple[Completion, Call]:
        """Ask what stands at the end of the messages, and keep what is said to it."""
        messages = self._messages(limit)
        asked: dict[str, Any] = {
            "temperature": self._temperature,
            "top_p": self._top_p,
            "max_tokens": limit,
            "seed": seed,
            "schema": answer.schema or None,
        }
        done = (await ask_model(backend, messages, timeout=self._time_limit, **asked))[0]
        # A repeated question may carry no answer of ours (a time-out): roles still must alternate.
        self._answers.append(answer_message(done.text))
        self._memory.calibrate(sizes(messages), done.usage.prompt_tokens, len(messages))
        return done, call_of(self._backend.name, messages, done, asked)

    def end(self, outcome: Outcome) -> None:
        """The match is over; drop what was remembered."""
        self._memory = Memory(self._memory_tokens)
        self._answers = []

    def _remember(self) -> None:
        """Move the finished turn into memory, with the answer that counted: the last one."""
        if self._answers and self._answers[-1]["role"] == "assistant":
            seen = {"role": "user", "content": self._question["content"]}
            self._memory.add(seen, self._answers[-1])
        self._answers = []

    def _messages(self, limit: int) -> list[Message]:
        current = self._current()
        context = self._backend.context_tokens
        if context is not None:
            fixed = self._memory.estimate(
                self._system["content"], *(message["content"] for message in current)
            )
            room = context - limit - fixed * _SAFETY
            if room < 0:
                # Less room for the reply is better than none at all: most are far from the limit.
                room = context - min(limit, 64) - fixed
            if room < 0:
                raise BackendError(
                    f"{self._backend.name}: rules and turn take about {fixed:.0f} of the model's "
                    f"{context} tokens of context; raise it with ?context={2 * context}"
                )
            if self._memory.tokens * _SAFETY > room:
                self._memory.shrink(room / _SAFETY / 2)
        return [self._system, *self._memory.messages, *current]

    def _current(self) -> list[Message]:
        """The current question, with refused answers; user and assistant alternate."""
        messages: list[Message] = [self._question]
        for message in self._answers:
            last = messages[-1]
            if last["role"] == message["role"]:
                joined = f"{last['content']}\n{message['content']}"
                messages[-1] = {**last, "content": joined}
            else:
                messages.append(message)
        return messages


def call_of(
    model: str, messages: Sequence[Message], done: Completion, parameters: Mapping[str, Any]
) -> Call:
    """The record of one model call."""
    return Call(
        model=model,
        messages=[plain_message(message) for message in messages],
        completion=done.text,
        parameters=parameters,
        usage=done.usage,
        seconds=done.seconds,
        prompt_ids=done.prompt_ids,
        completion_ids=done.completion_ids,
        logprobs=done.logprobs,
        cached=done.cached,
        finish_reason=done.finish_reason,
        money=done.money,
        tools=tuple(event for event in done.trace if event.get("kind") in _TOOLS),
    )


def sample_seed(seed: int, step: int, *numbers: int) -> int:
    """The seed of one call: another for every seat, step and attempt; 31 bits."""
    text = "|".join(map(str, (seed, step, *numbers)))
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") >> 1
