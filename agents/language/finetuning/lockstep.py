"""A backend for rollouts: everybody who asks is answered in one batch, the same batch every time.

What a batch holds changes the last bits of its sums, and those can change a token. So no clock and
no thread decides here: calls are gathered until the event loop has nothing else to do, then the
model samples, and nobody goes on meanwhile. Matches that ask together are answered together, and a
learner that is begun again hears the same answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ..backends.protocol import Completion
from ..backends.transformers import TransformersBackend, _Job
from ..backends.white_box import WhiteBox

_IDLE_PASSES = 50
"""Passes of the event loop in which nobody new asks until it counts as idle."""


class Lockstep(TransformersBackend):
    """Answers from a model that is being trained, with their tokens.

    Args:
        name: what calls are recorded under.
        box: the model.
        slots: answers sampled at a time.
        constrained: hold answers to their schema.
    """

    def __init__(self, name: str, box: WhiteBox, *, slots: int, constrained: bool) -> None:
        super().__init__(name, name, slots=slots, context=box.context)
        self._box, self._constrained = box, constrained
        self._gathering: asyncio.Task[None] | None = None

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        logprobs: int = 1,
        **asked: Any,
    ) -> list[Completion]:
        """As the backend's, always with tokens."""
        held = schema if self._constrained else None
        return await super().complete(messages, schema=held, logprobs=1, **asked)

    async def _do(self, job: _Job, timeout: float | None) -> Any:
        self._waiting.append(job)
        if self._gathering is None or self._gathering.done():
            self._gathering = asyncio.ensure_future(self._gather())
        return await asyncio.wrap_future(job.done)

    async def _gather(self) -> None:
        while self._waiting:
            known, idle = len(self._waiting), 0
            while idle < _IDLE_PASSES:
                await asyncio.sleep(0)
                idle = idle + 1 if len(self._waiting) == known else 0
                known = len(self._waiting)
            jobs = self._take()
            try:
                if jobs and jobs[0].make is None:
                    jobs[0].done.set_result(self._scores(jobs[0]))
                elif jobs:
                    self._sample(jobs)
            except Exception as error:  # noqa: BLE001 - the backend boundary: handed on
                for job in jobs:
                    if not job.done.done():
                        job.done.set_exception(self._named(error))
