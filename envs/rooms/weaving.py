"""Reason, act, reflect as a game: which tools are offered, what a call becomes, and what is kept.

SceneWeaver's loop (Yang et al., arXiv 2509.20414, section 3.3, its limits from its code): a step is
a call of a tool, whose edit the executor makes valid; the scene is measured and graded, and a step
after which the sum of the four grades has fallen by five is taken back and made again, at most
twice. The first step offers initialisers, the last one nothing but the end.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from .execute import Cause, Execution, Physics, execute
from .grades import Grades, grade
from .layout import document_of
from .metrics import Metrics, measure
from .room_types import RoomType
from .scene import Scene
from .tools.calling import call
from .tools.card import Family, Task, Tool
from .tools.ideas import read

TRIES = 3
"""Calls of one step: the first and two more."""
FIRST_TOTAL = 8.0
"""The least sum of grades with which a first scene is kept."""
WORST_FALL = 5.0
"""The fall of that sum from which a step is taken back."""
MOST_EDIT = 8000
"""Characters of an edit."""


class Costs(NamedTuple):
    """What a thing outside, a pair in contact and an unstable thing take from a scene's worth."""

    outside: float = 0.1
    collision: float = 0.1
    unstable: float = 0.1


@dataclass(frozen=True)
class Standing:
    """A scene with what is known of it; ``worth`` is Φ, the mean grade of 1 less the costs."""

    scene: Scene
    grades: Grades
    metrics: Metrics
    worth: float


@functools.lru_cache(maxsize=256)
def standing(scene: Scene, costs: Costs) -> Standing:
    """Measure and grade a scene."""
    grades, metrics = grade(scene), measure(scene)
    worth = grades.total / 40 - costs.outside * metrics.outside
    worth -= costs.collision * metrics.collisions + costs.unstable * metrics.unstable
    return Standing(scene, grades, metrics, worth)


@dataclass(frozen=True)
class Limits:
    """What a match allows: steps, what tools may cost and by how much they miss, the executor."""

    steps: int = 10
    budget: int | None = None
    physics: bool = True
    passes: int = 50
    slip: float = 0.0
    costs: Costs = Costs()  # noqa: RUF009 - a named tuple is immutable


class Weaving:
    """One room on its way, call by call; ``rows`` tells all that was tried."""

    def __init__(
        self, kind: RoomType, request: str, tools: Sequence[Tool], scene: Scene, limits: Limits
    ) -> None:
        self.kind, self.request, self.limits = kind, request, limits
        self.now = standing(scene, limits.costs)
        self.step, self.tried, self.spent = 0, 0, 0
        self.last, self.ended = "", False
        self.rows: list[dict[str, Any]] = []
        self._tools = tuple(tools)
        self._overdue: set[str] = set()

    @property
    def over(self) -> bool:
        """Whether the room is finished or all steps are used."""
        return self.ended or self.step >= self.limits.steps

    def unmet(self) -> tuple[str, ...]:
        """Categories that the request names and the room lacks, as often as it lacks them."""
        there = Counter(item.category for item in self.now.scene)
        return tuple((read(self.request).counts - there).elements())

    def offered(self) -> list[bool]:
        """Which tools may be called now, in their order."""
        return [self._offers(tool) for tool in self._tools]

    def _offers(self, tool: Tool) -> bool:
        family = tool.card.family
        left = None if self.limits.budget is None else self.limits.budget - self.spent
        if left is not None and tool.card.cost > left:
            return False
        if self.step == self.limits.steps - 1:
            return family is Family.CONTROL
        if self.step == 0:
            return family is Family.INITIALISER and tool.knows(self.kind)
        if self.last == "add_acdc":
            return tool.card.name == "update_size"
        if family is Family.INITIALISER and len(self.now.scene):
            return False
        return tool.knows(self.kind)

    def attempt(self, number: int | None, ideas: str, edit: str, rng: np.random.Generator) -> float:
        """Call a tool (None: no call was made); returns by how much the scene's worth rose."""
        before = self.now
        tool = None if number is None else self._tools[number]
        name = "" if tool is None else tool.card.name
        row: dict[str, Any] = {
            "step": self.step,
            "try": self.tried,
            "tool": name,
            "plan": ideas,
            "edit": edit,
        }
        made: Standing | None = None
        run: Execution | None = None
        words = "no call was made"
        if tool is not None:
            self.spent += tool.card.cost
            scene, words = self._called(tool, ideas, edit, rng)
            if scene is not None:
                run = self._executed(tool, scene, rng)
                made = standing(run.scene, self.limits.costs)
        result = self._settle(tool, name, made)
        self.rows.append(row | _account(result, words, run, made or before, self.now))
        return self.now.worth - before.worth

    def _called(
        self, tool: Tool, ideas: str, edit: str, rng: np.random.Generator
    ) -> tuple[Scene | None, str]:
        try:
            document = _edit_of(edit)
        except UsageError as error:
            return None, f"{tool.card.name} refused: {error}"
        if tool.card.name in self._overdue:
            return None, f"{tool.card.name} refused: an earlier call of it never came back"
        task = Task(self.now.scene, self.kind, self.request, ideas, document, rng, self.limits.slip)
        done = call(tool, task)
        if done.overdue:
            self._overdue.add(tool.card.name)
        return done.scene, done.words

    def _executed(self, tool: Tool, scene: Scene, rng: np.random.Generator) -> Execution:
        physics = tool.physics if self.limits.physics else Physics.OFF
        keep = self.kind.keeps(scene)
        return execute(scene, rng, physics=physics, keep=keep, passes=self.limits.passes)

    def _settle(self, tool: Tool | None, name: str, made: Standing | None) -> str:
        """Keep or drop what a call made, and go on to the next step or try; says which."""
        last_try = self.tried == TRIES - 1
        if made is not None and self._keeps(tool, made, last_try):
            self.now, result = made, "accepted"
            self.ended = tool is not None and tool.card.family is Family.CONTROL
        else:
            result = "refused" if made is None else "rolled back"
        if result == "accepted" or last_try:
            self.step, self.tried = self.step + 1, 0
            self.last = name if result == "accepted" else ""
        else:
            self.tried += 1
        return result

    def _keeps(self, tool: Tool | None, made: Standing, last_try: bool) -> bool:
        if tool is not None and tool.card.family is Family.CONTROL:
            return True
        if self.step == 0:  # a third first scene stands whatever it is: there must be one
            return made.grades.total >= FIRST_TOTAL or last_try
        return self.now.grades.total - made.grades.total < WORST_FALL


def _edit_of(text: str) -> Mapping[str, Any] | None:
    """The document of an edit's text, None if there is none.

    Raises:
        UsageError: it is no JSON object.
    """
    if not text.strip():
        return None
    document = document_of(text, "edit", MOST_EDIT)
    if not isinstance(document, Mapping):
        raise UsageError("edit must be a JSON object")
    return document


def _account(
    result: str, words: str, run: Execution | None, made: Standing, now: Standing
) -> dict[str, Any]:
    """The rest of a row: what came of the call, of the executor and of the judgement."""
    deleted = () if run is None else run.deleted
    counted = Counter(d.cause for d in deleted)
    told = [f"{d.id} went: {d.reason}" for d in deleted]
    return {
        "result": result,
        "said": words,
        "objects": made.metrics.objects,
        "outside_edit": 0 if run is None else run.before.outside,
        "collisions_edit": 0 if run is None else run.before.collisions,
        "collisions_optimised": 0 if run is None else run.optimised.collisions,
        "collisions_left": made.metrics.collisions,
        "outside_left": made.metrics.outside,
        "deleted_components": counted[Cause.COMPONENTS],
        "deleted_relations": counted[Cause.RELATIONS],
        "deleted_carried": counted[Cause.CARRIED],
        "deleted": "; ".join(told)[:600],
        "realism": made.grades.realism,
        "function": made.grades.function,
        "layout": made.grades.layout,
        "completion": made.grades.completion,
        "worth": round(now.worth, 6),
    }
