"""A planner of rooms by rule: it names the worst fault, and calls the tool most likely to mend it.

SceneWeaver's planner (Yang et al., arXiv 2509.20414, section 3.3 and its prompts) asks a language
model which former problems are solved, which one is worst, and how far each tool is to be trusted
with it, less so if it was tried and the problem is still there. Here a table holds the trust, and
halving it is the loss. It reads grades and physics, never what rooms are compared by afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from gymposium.errors import UsageError
from gymposium.types import Reply, Seat, Turn

from ...envs.rooms.grades import GRADES

WORLDS = ("scene_weaver-v0",)
IMPLEMENTERS = ("add_gpt", "add_crowd", "add_acdc", "add_rule")
REFINERS = ("add_relation", "update_layout", "update_rotation", "update_size", "remove_object")
ENOUGH = 9.5
"""A grade from which no more than slight gains are left."""
LOSS = 0.5
"""What is left of the trust in a tool that did not mend a fault."""
LEAST_TRUST = 0.3
"""Below it a tool is not tried any more."""
_GAIN = 0.1
"""The rise of a grade that counts as mending."""

Trust = Mapping[str, float]
BEGIN: Trust = {"init_gpt": 0.9, "init_physcene": 0.6, "init_metascene": 0.5}
"""How far initialisers are trusted."""
_TRUST: tuple[tuple[str, str, Trust], ...] = (
    ("colliding", "", {"update_layout": 0.8, "remove_object": 0.6}),
    ("outside", "", {"update_layout": 0.7, "remove_object": 0.6, "update_size": 0.4}),
    ("request", "", {"add_gpt": 0.85}),
    ("realism", "size", {"update_size": 0.9, "remove_object": 0.4}),
    ("realism", "unusual in", {"remove_object": 0.8}),
    ("realism", "", {"add_relation": 0.7, "update_layout": 0.5, "remove_object": 0.4}),
    ("function", "", {"add_gpt": 0.9, "add_rule": 0.6, "update_layout": 0.35}),
    ("layout", "facing", {"update_rotation": 0.8, "update_layout": 0.6}),
    ("layout", "", {"update_layout": 0.8, "update_rotation": 0.5, "remove_object": 0.4}),
    ("completion", "stands on", {"add_crowd": 0.75, "add_acdc": 0.7, "add_gpt": 0.65}),
    ("completion", "floor", {"add_rule": 0.8, "add_gpt": 0.75}),
    ("completion", "", {"add_rule": 0.8, "add_gpt": 0.75, "add_crowd": 0.5}),
)
"""By fault and by what is said of it; the first line that fits counts."""
_BLIND: Trust = {
    "add_gpt": 0.8, "add_rule": 0.75, "add_crowd": 0.7, "update_layout": 0.65, "add_acdc": 0.6,
    "update_rotation": 0.5, "add_relation": 0.45, "update_size": 0.4, "remove_object": 0.35,
}  # fmt: skip
"""Of who does not look: each call of a tool costs it the loss."""


class RoomPlanner:
    """Calls the tool it trusts most with the worst fault, until only slight gains are left.

    Args:
        reflect: look at grades and physics; without, tools are called by turns.
        multistep: plan all calls after the first room, and carry them out without looking.
        no_add: never add to the first room.
        no_modify: never change or remove what is there.
    """

    name: ClassVar[str] = "room_planner"
    summary: ClassVar[str] = "Calls the tool that it trusts most with the room's worst fault."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(
        self,
        reflect: bool = True,
        multistep: bool = False,
        no_add: bool = False,
        no_modify: bool = False,
    ) -> None:
        flags = {
            "reflect": reflect,
            "multistep": multistep,
            "no_add": no_add,
            "no_modify": no_modify,
        }
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise UsageError(f"room_planner: {name} must be true or false, got {value!r}")
        if multistep and not reflect:
            raise UsageError("room_planner: multistep plans from a first look; leave reflect on")
        self._reflect, self._multistep = reflect, multistep
        self._barred = {*(IMPLEMENTERS if no_add else ()), *(REFINERS if no_modify else ())}
        if no_modify:
            self._barred.add("add_acdc")  # which wants update_size after it

    def reset(self, seat: Seat, seed: int) -> None:
        """Trust every tool anew."""
        self._lost: dict[tuple[str, str], float] = {}
        self._last: tuple[str, str, float] | None = None
        self._plan: list[tuple[str, str]] | None = None

    def act(self, turn: Turn) -> Reply:
        """The call, with what led to it as ideas."""
        if not isinstance(turn.observation, Mapping) or "offered" not in turn.info:
            raise UsageError("room_planner plays scene_weaver-v0 with control: call")
        offered = list(turn.info["offered"])
        tool, ideas = self._chosen(turn, offered)
        said = json.dumps({"tool": tool, "ideas": ideas[:400]})
        return Reply(text=said, thought=ideas)

    def _chosen(self, turn: Turn, offered: list[str]) -> tuple[str, str]:
        if len(offered) == 1:
            return offered[0], "There is no choice."
        first = [name for name in BEGIN if name in offered]
        if first and turn.observation["physics"][0] == 0:
            return self._begin(first)
        free = [name for name in offered if name not in self._barred]
        if not self._reflect:
            return self._blind(free)
        if self._multistep:
            return self._planned(turn, free)
        return self._best(faults(turn), free)

    def _begin(self, first: list[str]) -> tuple[str, str]:
        tool = max(first, key=lambda name: self._trust("begin", name, BEGIN[name]))
        self._lose("begin", tool)
        return tool, "The room is empty: begin it."

    def _blind(self, free: list[str]) -> tuple[str, str]:
        tools = [name for name in free if name in _BLIND]
        if not tools:
            return "terminate", "There is nothing left to call."
        tool = max(tools, key=lambda name: self._trust("", name, _BLIND[name]))
        self._lose("", tool)
        return tool, f"Go on with {tool}."

    def _planned(self, turn: Turn, free: list[str]) -> tuple[str, str]:
        """The next call of a plan that was made at the first look."""
        if self._plan is None:
            self._plan = []
            for fault, (_, comment) in faults(turn).items():
                trusted = trust_in(fault, comment)
                for tool in sorted(trusted, key=trusted.__getitem__, reverse=True):
                    if tool in free and trusted[tool] >= 0.6:
                        self._plan.append((tool, reasoned(fault, comment)))
        while self._plan:
            tool, ideas = self._plan.pop(0)
            if tool in free:
                return tool, ideas
        return "terminate", "The plan is carried out."

    def _best(self, wrong: Mapping[str, tuple[float, str]], free: list[str]) -> tuple[str, str]:
        """The most trusted tool for the worst fault that any is trusted with."""
        if self._last is not None:
            fault, tool, before = self._last
            if fault in wrong and wrong[fault][0] > before - _GAIN:
                self._lose(fault, tool)
        for fault, (size, comment) in wrong.items():
            trust = {
                name: self._trust(fault, name, value)
                for name, value in trust_in(fault, comment).items()
                if name in free
            }
            if trust and max(trust.values()) >= LEAST_TRUST:
                tool = max(trust, key=trust.__getitem__)
                self._last = fault, tool, size
                # What is named as blocked or loose is not what should go.
                told = reasoned(fault, "" if tool == "remove_object" else comment)
                return tool, f"{told} (trust {trust[tool]:.2f})"
        return "terminate", "Only slight gains are left." if not wrong else "No tool helps further."

    def _trust(self, fault: str, tool: str, base: float) -> float:
        return base * self._lost.get((fault, tool), 1.0)

    def _lose(self, fault: str, tool: str) -> None:
        self._lost[fault, tool] = LOSS * self._lost.get((fault, tool), 1.0)


def faults(turn: Turn) -> dict[str, tuple[float, str]]:
    """What is wrong, the worst first, each with its size and what is said of it.

    Physics comes first, by counts; then what was asked for and is not there; then every grade below
    :data:`ENOUGH`, by what it lacks to 10.
    """
    seen = turn.observation
    found: dict[str, tuple[float, str]] = {}
    for name, place in (("outside", 1), ("colliding", 2)):
        if seen["physics"][place] > 0:
            found[name] = (float(seen["physics"][place]), "")
    unmet = turn.info.get("unmet", ())
    if unmet:
        found["request"] = (float(len(unmet)), f"it wants {', '.join(unmet)}")
    lacking: dict[str, tuple[float, str]] = {
        name: (10 - float(grade), str(comment))
        for name, grade, comment in zip(GRADES, seen["grades"], turn.info["comments"], strict=True)
        if grade < ENOUGH
    }
    return found | dict(sorted(lacking.items(), key=lambda entry: -entry[1][0]))


def trust_in(fault: str, comment: str) -> Trust:
    """How far tools are trusted with a fault of which this is said, 0 to 1."""
    return next(trust for name, word, trust in _TRUST if name == fault and word in comment)


def reasoned(fault: str, comment: str) -> str:
    """The fault in words; which categories would fill a role is left to the tool."""
    told = "what the room is for is missing" if fault == "function" else comment
    return f"Worst is {fault}: {told}" if told else f"Worst is {fault}"


BOTS: dict[str, type[Any]] = {bot.name: bot for bot in (RoomPlanner,)}
