"""An agent whose mind is in a child process; to the arena it is an agent like any other."""

from __future__ import annotations

from gymposium.errors import AgentFault, UsageError
from gymposium.types import Action, Outcome, Reply, Seat, Turn

from ..wire.records import outcome_to_json, reply_from_json, seat_to_json, turn_to_json
from ..wire.values import from_json
from .pool import ChildPool, current_pool
from .process import ChildProcess, ChildSpec, Unsendable


class ChildAgent:
    """The user's agent in its own process, for one seat of one match.

    Anything the process does wrong raises :class:`~gymposium.errors.AgentFault` of kind ``error``
    (the code raised) or ``crash`` (the process is gone), and the arena goes on. Time limits are
    the arena's: cancelling a call, or :meth:`kill`, ends the process.
    """

    def __init__(self, spec: ChildSpec, pool: ChildPool | None = None) -> None:
        self._spec = spec
        self._pool = pool
        self._child: ChildProcess | None = None
        self._seat: Seat | None = None

    async def reset(self, seat: Seat, seed: int) -> None:
        """Take a child and have it make a fresh instance.

        Raises:
            AgentFault: the user's code cannot be imported, constructed or reset.
        """
        if self._pool is None:
            self._pool = current_pool()
        if self._child is None or not self._child.idle:
            self._child = await self._pool.take(self._spec)
        self._seat = seat
        await self._child.request({"op": "reset", "seat": seat_to_json(seat), "seed": seed})

    async def act(self, turn: Turn) -> Action | Reply:
        """Ask the child.

        Raises:
            Unsendable: what it answered cannot be sent, or not be read.
            AgentFault: it raised, or died.
        """
        if self._child is None:
            raise AgentFault("crash", f"{self._spec.label} has no process: it was never reset")
        plain = turn_to_json(turn, seat=self._seat)
        answer = await self._child.request({"op": "act", "turn": plain})
        try:
            if "ok" in answer:
                return from_json(answer["ok"])
            return reply_from_json(answer.get("reply"))
        except UsageError as error:
            raise Unsendable(f"the answer cannot be read: {error}") from error

    async def end(self, outcome: Outcome) -> None:
        """Tell the child how the match ended."""
        if self._child is not None and self._child.idle:
            await self._child.request({"op": "end", "outcome": outcome_to_json(outcome)})

    async def close(self) -> None:
        """Give the child back for another match; one that is dead or still thinking is ended."""
        child, self._child = self._child, None
        if child is not None and self._pool is not None:
            self._pool.give_back(self._spec, child)

    def kill(self) -> None:
        """End the process now."""
        if self._child is not None:
            self._child.kill()
