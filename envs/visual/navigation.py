"""Navigation: walk through a flat by what one sees, to the thing that the instruction means.

What it is
    A flat with furniture, seen through the eyes of a body in it, and an instruction that names the
    target plainly, by what it is for, by how it looks, inside small talk, or in another room.

Seats
    One, ``player_0``.

Observation
    A Dict of ``text`` (instruction, whether the last move went through, in ``shows`` text and both
    also what is in view) and, unless ``shows`` is text, ``image``: uint8 ``[size, size, 3]``.

Actions
    Text: a reply in the form of ``strategy``, with up to ``actions_per_turn`` of ``moveahead``,
    ``moveback``, ``moveright``, ``moveleft`` (0.5 m), ``rotateright``, ``rotateleft`` (90 degrees),
    ``lookup``, ``lookdown`` (30 degrees).

Rules
    The floor is a plane, the body a disc of 0.25 m. A move that would touch a wall or what stands
    on the floor is not made at all. One can look up to 30 degrees up and 60 down. The target is
    reached at a planar distance of 1.5 m. What is in view covers at least one pixel in 5000.

Reward
    ``success_reward`` for reaching the target; each turn ``format_reward`` and the rewards for
    right beliefs. A belief is right if it says in which direction the target is.

End
    Terminates at the target; truncated after ``most_actions`` actions or ``turns`` turns.

Words
    Directions are those of the bearing b of the target: ahead to 45 degrees, right or left to 135,
    else back.

Parameters
    See :class:`NavigationParams`.

Metrics
    Those of the family, and ``distance`` (at the end, in metres), ``collisions`` (moves that were
    not made) and ``path`` (metres walked).

Source
    Wang et al., VAGEN (NeurIPS 2025), section 3.3 of which is EmbodiedBench's navigation (Yang et
    al., 2025) in AI2-THOR (Kolve et al., 2017). Derived: the flats, their pictures, and that
    beliefs are read by rules.

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Turn

from ..limits import choice, real, whole
from .floor_plan import STEP, FloorPlan, bearing, direction, heading
from .floor_plan_view import Body, from_above, seen
from .navigation_files import read_tasks
from .navigation_tasks import (
    NEAR,
    SETS,
    TRAINING,
    NavigationTask,
    fixed_numbers,
    task_of,
)
from .navigation_words import kind_name, score_direction, seen_words
from .reasoned_params import ReasonedTurnsParams
from .reasoned_turns import METRICS, ReasonedTurns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymposium.types import Image

_WORLD = "navigation-v0"
ACTIONS = (
    "moveahead",
    "moveback",
    "moveright",
    "moveleft",
    "rotateright",
    "rotateleft",
    "lookup",
    "lookdown",
)
_SIDES = {"moveahead": 0, "moveright": 90, "moveback": 180, "moveleft": 270}
_TURNS = {"rotateright": 90, "rotateleft": -90}
_TILTS = {"lookup": -30, "lookdown": 30}
HIGHEST, LOWEST = -30, 60
"""How far one can look up and down, in degrees downwards."""
IN_VIEW = 5
"""Things in view that count, the nearest first."""
_SHARE = 1 / 5000


@dataclass(frozen=True)
class NavigationParams(ReasonedTurnsParams):
    """Parameters of ``navigation-v0``."""

    turns: int = field(default=10, metadata={"doc": "most turns", "range": [1, 1000]})
    actions_per_turn: int = field(
        default=5, metadata={"doc": "most actions a turn; more are dropped", "range": [1, 20]}
    )
    tasks: str = field(
        default="base", metadata={"doc": "how one is told of the target", "choices": SETS}
    )
    split: str = field(
        default="test",
        metadata={
            "doc": "test: the sixty tasks of the set, by seed modulo 60; train: any other",
            "choices": ("test", "train"),
        },
    )
    file: str | None = field(
        default=None,
        metadata={
            "doc": "instead: a file of tasks, as EmbodiedBench's; by seed modulo their count"
        },
    )
    sha256: str | None = field(
        default=None, metadata={"doc": "the hash the file must have, for matches to be repeatable"}
    )
    most_actions: int = field(
        default=30, metadata={"doc": "actions of a match", "range": [1, 10_000]}
    )
    success_reward: float = field(default=10.0, metadata={"doc": "for reaching the target"})
    size: int = field(
        default=255, metadata={"doc": "of pictures", "unit": "pixels", "range": [16, 1024]}
    )
    view: float = field(
        default=100.0, metadata={"doc": "angle of view", "unit": "degrees", "range": [20, 150]}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(_WORLD, "tasks", self.tasks, SETS)
        choice(_WORLD, "split", self.split, ("test", "train"))
        whole(_WORLD, "most_actions", self.most_actions, 1, 10_000)
        whole(_WORLD, "size", self.size, 16, 1024)
        real(_WORLD, "view", self.view, 20, 150)
        real(_WORLD, "success_reward", self.success_reward, -1000, 1000)
        if self.representation != "natural":
            raise UsageError(
                f"{_WORLD}: beliefs are in words here: representation={self.representation!r} "
                "must be natural"
            )
        if self.sha256 is not None and self.file is None:
            raise UsageError(f"{_WORLD}: sha256 is of a file of tasks; name it with file")


class Navigation(ReasonedTurns):
    """Walk to what the instruction means."""

    id: ClassVar[str] = _WORLD
    kind = "mixed"
    actions = ACTIONS
    how_written: ClassVar[Mapping[str, str]] = {
        "natural": "Describe states in words: say whether the target is ahead, left, right or "
        "back, and which things you see where."
    }
    metric_names: ClassVar[tuple[str, ...]] = (*METRICS, "distance", "collisions", "path")

    def __init__(self, **params: Any) -> None:
        self.params = p = NavigationParams(**params)
        self._file = None if p.file is None else read_tasks(str(p.file), p.sha256)
        self._task: NavigationTask | None = None
        self._seed = 0
        said = p.turns * (abs(p.format_reward) + sum(map(abs, p.belief_rewards)))
        paid = min(0.0, p.success_reward), max(0.0, p.success_reward)
        self.return_range = (paid[0] - said, paid[1] + said)
        self._seat_reader((p.size, p.size))

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin the task of this seed: test tasks and those of files go round."""
        self._seed = seed
        return super().reset(seed)

    @property
    def task(self) -> NavigationTask:
        """What is to be done in this match.

        Raises:
            UsageError: no match has begun.
        """
        if self._task is None:
            raise UsageError(f"{self.id}: there is no task before reset(seed)")
        return self._task

    @property
    def body(self) -> Body:
        """Where one stands and looks."""
        return self._body

    # The rules.

    def _start(self, rng: np.random.Generator) -> None:
        p = self.params
        if self._file is not None:
            self._task = self._file[self._seed % len(self._file)]
        elif p.split == "train":
            self._task = task_of(p.tasks, TRAINING + int(rng.integers(2**40)))
        else:
            numbers = fixed_numbers(p.tasks)
            self._task = task_of(p.tasks, numbers[self._seed % len(numbers)])
        task = self._task
        self._body = Body(task.x, task.z, float(task.yaw), float(task.horizon))
        self._taken, self._went, self._collisions, self._path = 0, True, 0, 0.0
        self._looked: tuple[Body, NDArray[np.uint8], list[tuple[str, float, float]]] | None = None

    def _do(self, action: Any) -> float:
        body, self._went = moved(self.task.plan, self._body, ACTIONS[action])
        self._path += STEP if self._went and ACTIONS[action] in _SIDES else 0.0
        self._collisions += not self._went and ACTIONS[action] in _SIDES
        self._body = body
        self._taken += 1
        return float(self.params.success_reward) if self.distance <= NEAR else 0.0

    @property
    def distance(self) -> float:
        """To the target over the floor, in metres."""
        x, z = self.task.place
        return float(np.hypot(self._body.x - x, self._body.z - z))

    def _done(self) -> tuple[bool, bool]:
        there = self.distance <= NEAR
        return there or self._taken >= self.params.most_actions, there

    def _ended(self) -> tuple[bool, bool, str]:
        if self._over_now and not self._success:
            return False, True, f"{self._taken} actions were taken"
        return super()._ended()

    def _truth(self) -> dict[str, Any]:
        task, body = self.task, self._body
        angle = bearing(body.x, body.z, body.yaw, task.place)
        return {
            "target": task.target,
            "distance": round(self.distance, 2),
            "bearing": round(angle, 1),
            "direction": direction(angle),
            "visible": [
                {"type": type, "distance": round(away, 2), "direction": direction(angle)}
                for type, away, angle in self._in_view()
            ],
        }

    def _look(self) -> tuple[NDArray[np.uint8], list[tuple[str, float, float]]]:
        """The picture, and type, distance and bearing of what is in view, nearest first."""
        if self._looked is None or self._looked[0] != self._body:
            p, body, plan = self.params, self._body, self.task.plan
            view = seen(plan, body, width=p.size, height=p.size, view=p.view)
            counts = np.bincount(view.things[view.things >= 0], minlength=len(plan.things))
            found = [
                (
                    thing.type,
                    float(np.hypot(thing.x - body.x, thing.z - body.z)),
                    bearing(body.x, body.z, body.yaw, (thing.x, thing.z)),
                )
                for thing, count in zip(plan.things, counts, strict=True)
                if count > p.size**2 * _SHARE
            ]
            found.sort(key=lambda it: it[1])
            self._looked = body, view.picture, found
        return self._looked[1:]

    def _in_view(self) -> Sequence[tuple[str, float, float]]:
        return self._look()[1][:IN_VIEW]

    def _picture(self) -> Image:
        return self._look()[0].copy()

    def _situation(self) -> bytes:
        if self._task is None:
            return b""
        task = self._task
        done = (self._taken, self._went, self._collisions, self._path)
        return repr((task.scene, task.instruction, self._body, done)).encode()

    def _metrics(self) -> dict[str, float]:
        return {
            **super()._metrics(),
            "distance": self.distance,
            "collisions": float(self._collisions),
            "path": self._path,
        }

    # Words.

    def _score(self, text: str, truth: Mapping[str, Any]) -> float:
        return score_direction(text, truth)

    def _observed(self) -> str:
        told = f"Instruction: {self.task.instruction}"
        if self._taken:
            done = "was carried out" if self._went else "was not carried out: it is not possible"
            told += f"\nThe last action {done}."
        return told

    def _scene(self) -> str:
        return seen_words(self._in_view())

    def _told(self) -> str:
        p = self.params
        return (
            "You are a robot in a flat and see through its camera. Follow the instruction: get "
            f"within {NEAR:g} m of what it means. Your actions are {', '.join(ACTIONS)}: moves are "
            "of 0.5 m, turns of 90 degrees, looks of 30. A move that would bump into something is "
            f"not made. You have {p.most_actions} actions in all. Reaching the target earns "
            f"{p.success_reward:g}, a well-formed reply {p.format_reward:g}."
        )

    def _examples(self) -> tuple[Mapping[str, str], Sequence[str]]:
        parts = {
            "think": "The fridge is ahead on the right; two moves and a turn bring me there.",
            "observation": "The target, a fridge, is to the right; a table is ahead.",
            "reasoning": "I turn towards the fridge and walk two steps.",
            "prediction": "The target will be ahead, one metre nearer.",
        }
        return parts, ("rotateright", "moveahead", "moveahead")

    def draw(self) -> Image:
        """What is seen, the flat from above, and beside them the last turn."""
        if self._over is None or not self._shown:
            return super().draw()
        from .turn_card import turn_card

        side = max(self.params.size, 300)
        above = from_above(
            self.task.plan, self._body, self.task.place, width=round(1.3 * side), height=side
        )
        eye = np.full((side, self.params.size, 3), 255, np.uint8)
        top = (side - self.params.size) // 2
        eye[top : top + self.params.size] = self._picture()
        title = f"{kind_name(self.task.target)}, turn {self._step_count} of {self.params.turns}"
        return turn_card(np.concatenate([eye, above], axis=1), title, self._last)


def moved(plan: FloorPlan, body: Body, action: str) -> tuple[Body, bool]:
    """The body after an action, and whether it was carried out.

    Args:
        plan: where it is.
        body: its place.
        action: one of ACTIONS.
    """
    if action in _TURNS:
        return body._replace(yaw=(body.yaw + _TURNS[action]) % 360), True
    if action in _TILTS:
        tilt = body.horizon + _TILTS[action]
        return (body._replace(horizon=tilt), True) if HIGHEST <= tilt <= LOWEST else (body, False)
    x, z = heading((body.yaw + _SIDES[action]) % 360)
    place = round(body.x + STEP * x, 6), round(body.z + STEP * z, 6)
    if not plan.clear([(body.x, body.z)], [place])[0]:
        return body, False
    return body._replace(x=place[0], z=place[1]), True
