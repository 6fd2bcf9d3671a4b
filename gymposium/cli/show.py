"""A match as it is played: every turn in words, and every answer, printed as they come."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium.errors import UsageError
from gymposium.types import Outcome, Reply, Seat, Turn, Words

from .output import print_lines

if TYPE_CHECKING:
    from gymposium.agents.registry import AgentSpec
    from gymposium.arenas.run import Run
    from gymposium.scenarios.model import Scenario


def play_shown(scenario: Scenario, *, out: Path, trusted: bool, cache: bool | Path = True) -> Run:
    """Play ``scenario`` one match at a time, printing every turn.

    Args:
        scenario: what to play.
        out: the run's folder, which must not hold a run yet.
        trusted: as for ``gymposium.run``.
        cache: as for ``gymposium.run``.

    Returns:
        The finished run, as ``gymposium.run`` would have made it.

    Raises:
        UsageError: the folder holds a run, or an agent cannot be made.
    """
    from gymposium.arenas.casting import seat_agents
    from gymposium.arenas.plan import Plan
    from gymposium.arenas.playing import Means, play_plan
    from gymposium.arenas.run import load
    from gymposium.arenas.store import RunFolder

    scenario, specs = seat_agents(scenario, None, trusted=trusted)
    plan = Plan(scenario, {name: _watched(spec) for name, spec in specs.items()})
    with RunFolder(out, write=True, create=True) as folder:
        if folder.info():
            raise UsageError(f"the folder {out} holds a run already; choose another with --out")
        folder.set_info(**plan.describe())
        play_plan(plan, folder, Means(concurrency=1, cache=cache))
    return load(out)


def _watched(spec: AgentSpec) -> AgentSpec:
    if spec.human:  # is shown its own turns anyway
        return spec
    return dataclasses.replace(spec, factory=lambda: Onlooker(spec.create(), spec))


class Onlooker:
    """An agent in front of an agent: passes everything on, and prints it."""

    def __init__(self, agent: Any, spec: AgentSpec) -> None:
        self._agent = agent
        self._spec = spec
        self._seat = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def reset(self, seat: Seat, seed: int) -> Any:
        """A match begins."""
        self._seat = seat.id
        print_lines(f"— {seat.id} is {self._spec.name}", style="bold")
        return self._agent.reset(seat, seed)

    def act(self, turn: Turn) -> Any:
        """Print the turn, ask, print the answer."""
        again = f" (again: {turn.info['error']})" if "error" in turn.info else ""
        print_lines(f"\n[{turn.step}] to {turn.seat}{again}", style="cyan")
        print_lines(turn.text)
        answer = self._agent.act(turn)
        if inspect.isawaitable(answer):
            return self._when_answered(turn, answer)
        self._answered(turn, answer)
        return answer

    def end(self, outcome: Outcome) -> Any:
        """Print the seat's return."""
        print_lines(
            f"— {self._seat} ({self._spec.name}): {outcome.returns[self._seat]:g}", style="bold"
        )
        end = getattr(self._agent, "end", None)
        return None if end is None else end(outcome)

    async def _when_answered(self, turn: Turn, waiting: Awaitable[Any]) -> Any:
        answer = await waiting
        self._answered(turn, answer)
        return answer

    def _answered(self, turn: Turn, answer: Any) -> None:
        said = answer
        if isinstance(answer, Reply):
            said = answer.action if answer.text is None else answer.text
        print_lines(f"[{self._seat}] {_in_words(turn, said)}", style="green")


def _in_words(turn: Turn, said: Any) -> str:
    """An action as its speaker would say it; what is no legal action is shown as it is."""
    # The world's speech travels with the turn, which keeps it to itself.
    words: Words | None = getattr(turn, "_words", None)
    if isinstance(said, str) or words is None or not turn.action_space.contains(said):
        return str(said)
    return words.format(turn.seat, said)
