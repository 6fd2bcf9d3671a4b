"""A mind: a language model in a seat that thinks in parts before it moves.

Before each move its parts are asked in turn (:mod:`.part`); what they note and what the model
answers them stands in the prompt of that turn only. Then the model moves. The prompt grows at its
end within a turn and is cut back to the observation and the move when the turn is over, so that
what a backend has computed is used again: rules, identity, past turns, this turn, what parts note,
questions, and at the very end the move. Every inner call is kept in the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import orjson

from gymposium.errors import BackendError, IllegalAction
from gymposium.types import Action, Call, Reply, Seat, Turn

from ..answer_schema import answer_schema
from ..backends.choosing import Choosing, legal_values
from ..backends.pool import get_backend
from ..backends.protocol import ChatBackend
from ..backends.settings import kind_of
from ..extract import extract
from ..llm_agent import LLMAgent, sample_seed
from ..models import model_facts
from ..prompt import (
    again_message,
    answer_message,
    asked_again,
    move_message,
    note_message,
    question_message,
    system_message,
)
from .part import Part

REASKS = 2
"""How often a question is put again after an answer that cannot be used."""
_INNER = 1  # sets the seeds of questions apart from those of moves

T = TypeVar("T")


class Mind(LLMAgent):
    """A seat played by a language model that is asked by parts first.

    Args:
        model: a model as after ``llm:`` (``smollm2``, ``MODEL@https://host/v1``, …), or a backend.
        parts: asked in this order before each move.
        options: as for :class:`..llm_agent.LLMAgent`; no thought is asked for with the move unless
            ``think`` is given.

    Raises:
        UnknownName, UsageError: no such model, or its file is not on this machine.
    """

    language = True

    def __init__(self, model: str | ChatBackend, parts: Sequence[Part], **options: Any) -> None:
        advised: Mapping[str, Any] = {}
        if isinstance(model, str) and kind_of(model) == "embedded":
            advised = model_facts(model).agent
        backend = get_backend(model) if isinstance(model, str) else model
        super().__init__(backend, **{**advised, "think": False, **options})
        self._parts = list(parts)

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin a match: every part forgets and says what stands for the whole of it."""
        super().reset(seat, seed)
        standing = [text for part in self._parts if (text := part.begin(seat).strip())]
        self._system = system_message(
            seat, persona=self._persona, think=self._think, identity="\n".join(standing)
        )
        self._rng = np.random.default_rng(seed)
        self._kept = 0

    async def act(self, turn: Turn) -> Reply:
        """Have every part think, then move; asked again, only move.

        Returns:
            The move in the model's words, with all calls of the turn, what was thought, and in
            ``trace`` one record for each note, question and decision.

        Raises:
            BudgetSpent, BackendError, TimeoutError: as :meth:`..llm_agent.LLMAgent.act`; the seat's
            time limit holds for each call.
        """
        thinking = _Thinking(self, turn, self._rng)
        if self._open(turn):
            thinking.number, thinking.visible = self._kept, len(self._memory)
            try:
                for part in self._parts:
                    await part.consider(thinking)
                    if thinking.decided is not None:
                        break
            except BaseException:
                self._answers = []  # half a chain of thought is no answer to this turn
                raise
        if thinking.decided is not None:
            self._answers.append(answer_message(thinking.decided))
            made = Reply(text=thinking.decided)
        else:
            # Asked again it has been told how to answer, unless its thinking failed.
            if not asked_again(turn.info) or len(self._answers) == 1:
                self._answers.append(move_message(think=self._think, whole=self._whole))
            made = await self._answer(turn)
        return Reply(
            text=made.text,
            thought="\n".join(thinking.said) or None,
            calls=(*thinking.calls, *made.calls),
            trace=(*thinking.trace, *made.trace),
        )

    def _remember(self) -> None:
        if self._answers and self._answers[-1]["role"] == "assistant":
            done = extract(self._answers[-1]["content"]).action_text
            for part in self._parts:
                part.keep(self._kept, self._question["content"], done)
            self._kept += 1
        super()._remember()


class _Thinking:
    """The :class:`.part.Moment` of one turn."""

    def __init__(self, mind: Mind, turn: Turn, rng: np.random.Generator) -> None:
        self.turn = turn
        self.rng = rng
        self.number = self.visible = 0
        self.backend = mind._backend
        self.calls: list[Call] = []
        self.trace: list[Mapping[str, Any]] = []
        self.said: list[str] = []
        self.decided: str | None = None
        self._mind = mind
        self._asked = 0

    def note(self, text: str) -> None:
        self._mind._answers.append(note_message(text))
        self.trace.append({"kind": "note", "text": text})

    async def ask(self, question: str, *, characters: int = 120) -> str | None:
        def read(answer: str) -> str:
            if not answer:
                raise IllegalAction("the answer is empty")
            return answer[:characters]

        schema = {"type": "string", "minLength": 1, "maxLength": characters}
        return await self._put(question, schema, read)

    async def choose(self, question: str, options: Sequence[str]) -> str | None:
        listed = ", ".join(map(repr, options))

        def read(answer: str) -> str:
            for option in options:
                if answer.casefold() == option.casefold():
                    return option
            raise IllegalAction(f"{answer[:80]!r} is none of {listed}")

        return await self._put(f"{question} One of: {listed}.", {"enum": list(options)}, read)

    async def number_between(self, question: str, low: int, high: int) -> int | None:
        def read(answer: str) -> int:
            try:
                value = int(answer)
            except ValueError:
                value = low - 1
            if not low <= value <= high:
                raise IllegalAction(f"{answer[:80]!r} is no whole number from {low} to {high}")
            return value

        return await self._put(question, {"type": "integer", "minimum": low, "maximum": high}, read)

    def options(self) -> Sequence[Any]:
        return legal_values(self.turn.schema)

    async def likelihoods(self, options: Sequence[Any]) -> list[float] | None:
        try:
            choosing = Choosing(self.backend)
        except BackendError:
            return None
        answer = answer_schema({"enum": list(options)}, think=False, max_text=None)
        kept = list(self._mind._answers)
        self._mind._answers.append(move_message())
        done, call = await self._mind._ask(choosing, answer, answer.max_tokens, self._seed())
        self._mind._answers = kept
        self.calls.append(call)
        self.trace.extend(done.trace)
        found: list[float] = done.trace[0]["logprobs"]
        return found

    def decide(self, action: Action, why: str) -> None:
        self.decided = orjson.dumps({"action": action}).decode()
        self.said.append(why)
        self.trace.append({"kind": "decision", "action": action, "why": why})

    async def _put(
        self, question: str, schema: Mapping[str, Any], read: Callable[[str], T]
    ) -> T | None:
        """Ask until ``read`` takes the answer; of refused answers nothing stays in the prompt."""
        mind = self._mind
        answer = answer_schema(schema, think=False, max_text=None, under="answer")
        before = list(mind._answers)
        mind._answers.append(question_message(question))
        value: T | None = None
        for _ in range(1 + REASKS):
            done, call = await mind._ask(self.backend, answer, answer.max_tokens, self._seed())
            self.calls.append(call)
            try:
                value = read(extract(done.text).action_text)
            except IllegalAction as why:
                mind._answers.append(again_message(why))
                continue
            before += [question_message(question), answer_message(done.text)]
            self.said.append(f"{question} {value}")
            break
        mind._answers = before
        self.trace.append({"kind": "question", "question": question, "answer": value})
        return value

    def _seed(self) -> int:
        self._asked += 1
        return sample_seed(self._mind._seed, self.turn.step, _INNER, 0, self._asked)
