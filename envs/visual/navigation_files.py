"""Tasks in files, as EmbodiedBench keeps those of AI2-THOR, and ours written the same way.

A file is ``{"tasks": [task, …]}``; of a task are read ``scene``, ``instruction``,
``targetObjectType``, ``target_position`` (x, y, z), and of ``agentPose`` ``position`` (x, y, z),
``rotation`` (degrees, or x, y, z) and ``horizon``. The rooms themselves are AI2-THOR's and not in
the file. Where a task has our ``floor_plan``, that is walked; else a room of the scene's kind is
furnished about what the tasks of that scene name, the same every time: start, target, distances and
words are then the file's, the furniture is not.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gymposium.errors import UsageError

from ..start_folder import located
from .entry import Entry
from .floor_plan import BODY, FloorPlan, Rectangle, Room, Thing, moves_to
from .floor_plan_maker import furnish, walls_of
from .furniture import furniture
from .navigation_tasks import NEAR, NavigationTask
from .replies import WRITABLE

_MOST = 10_000
_MARGIN = 1.2
_NUMBERED = {0: "kitchen", 2: "living", 3: "bedroom", 4: "bathroom"}
_TRIES, _MOVES = 30, 60
"""Furnishings tried for a scene, and moves within which a task must be done."""
_WIDEST, _WALKS = 30, 100
"""Of a scene without a plan: metres between its farthest places, and different walks."""
Place: TypeAlias = tuple[float, float]


@functools.lru_cache(maxsize=8)
def read_tasks(path: str, sha256: str | None = None) -> tuple[NavigationTask, ...]:
    """The tasks in a file.

    Args:
        path: a JSON file as above.
        sha256: the hash it must have, or None.

    Raises:
        UsageError: it cannot be read, is another file, or a task lacks something or cannot be done.
    """
    try:
        content = located(path).read_bytes()
        found = json.loads(content)["tasks"]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{path} is not JSON of the form {{'tasks': [...]}}") from None
    digest = hashlib.sha256(content).hexdigest()
    if sha256 is not None and digest != sha256:
        raise UsageError(f"{path} has the sha256 {digest}, not {sha256}: it is another file")
    if not isinstance(found, list) or not 1 <= len(found) <= _MOST:
        raise UsageError(f"{path}: 'tasks' must be a list of 1 to {_MOST} tasks")
    read = []
    for index, task in enumerate(found):
        try:
            read.append(_Read(Entry(task)))
        except ValueError as error:
            raise UsageError(f"{path}: task {index}: {error}") from None
    scenes: dict[str, list[_Read]] = {}
    for it in read:
        scenes.setdefault(it.scene, []).append(it)
    bare: dict[str, FloorPlan] = {}
    checked: set[tuple[str, tuple[Place, Place]]] = set()
    for index, it in enumerate(read):
        try:
            if it.plan is None and it.scene not in bare:
                bare[it.scene] = _bare(scenes[it.scene])
            if it.plan is not None or (it.scene, it.walk) not in checked:
                it.check(it.plan or bare[it.scene], whole=it.plan is None)
        except ValueError as error:
            raise UsageError(f"{path}: task {index}: {error}") from None
        if it.plan is None:
            checked.add((it.scene, it.walk))
    made = {scene: _furnished(plan, scenes[scene]) for scene, plan in bare.items()}
    return tuple(it.task(it.plan or made[it.scene]) for it in read)


def write_tasks(tasks: Iterable[NavigationTask], path: Path | str) -> None:
    """Write tasks, each with its floor plan, in the form that :func:`read_tasks` reads."""
    rows = [
        {
            "scene": it.scene,
            "instruction": it.instruction,
            "targetObjectType": it.target,
            "targetObjectIds": f"{it.target}|{it.place[0]:+.2f}|{it.place[1]:+.2f}",
            "target_position": {"x": it.place[0], "y": 0.0, "z": it.place[1]},
            "agentPose": {
                "position": {"x": it.x, "y": 0.9, "z": it.z},
                "rotation": it.yaw,
                "horizon": it.horizon,
            },
            "floor_plan": it.plan.to_plain(),
        }
        for it in tasks
    ]
    Path(path).write_text(json.dumps({"tasks": rows}, indent=1) + "\n", encoding="utf-8")


class _Read:
    """A task as it stands in a file."""

    def __init__(self, task: Entry) -> None:
        pose = task.part("agentPose")
        turn, horizon = pose.part("rotation"), pose.part("horizon")
        self.scene = _shown(task.part("scene"), 80)
        self.target = _shown(task.part("targetObjectType"), 60)
        self.instruction = _shown(task.part("instruction"), 1000)
        self.place, self.start = _place(task.part("target_position")), _place(pose.part("position"))
        turned = turn.part("y") if isinstance(turn.value, Mapping) else turn
        self.yaw, self.horizon = round(turned.number(1000)) % 360, round(horizon.number(1000))
        plain = task.value.get("floor_plan")
        self.plan = None if plain is None else FloorPlan.from_plain(plain)
        if not -90 < self.horizon < 90:
            raise ValueError(f"{horizon.place} must be between -90 and 90, not {self.horizon}")

    @property
    def walk(self) -> tuple[Place, Place]:
        """From where to where."""
        return self.start, self.place

    def check(self, plan: FloorPlan, *, whole: bool) -> None:
        """ValueError if it cannot begin on the plan or, where asked for, cannot be done."""
        if not plan.clear([self.start], [self.start])[0]:
            raise ValueError(f"agentPose.position: {self.start} is in a wall or a thing")
        if whole and not _can(plan, self.walk):
            raise ValueError(
                f"target_position: from {self.start} no {_MOVES} moves lead to within {NEAR} m of "
                f"{self.target} at {self.place}"
            )

    def task(self, plan: FloorPlan) -> NavigationTask:
        """It on a plan."""
        return NavigationTask(
            plan,
            self.scene,
            self.target,
            self.place,
            *self.start,
            self.yaw,
            self.horizon,
            self.instruction,
        )


def _shown(text: Entry, most: int) -> str:
    """A stranger's text in one line of letters that can be shown, cut."""
    line = " ".join(text.text()[:most].split())
    return "".join(c if c in WRITABLE else "?" for c in line)


def _place(of: Entry) -> Place:
    return of.part("x").number(1000), of.part("z").number(1000)


def _can(plan: FloorPlan, walk: tuple[Place, Place]) -> bool:
    return moves_to(plan, *walk, NEAR, _MOVES) is not None


def _bare(tasks: Sequence[_Read]) -> FloorPlan:
    """A room with all starts and targets of a scene in it, and nothing else."""
    scene, walks = tasks[0].scene, {task.walk for task in tasks}
    ends = [place for walk in walks for place in walk]
    (x0, z0), (x1, z1) = (tuple(map(end, zip(*ends, strict=True))) for end in (min, max))
    wide = max(x1 - x0, z1 - z0)
    if wide > _WIDEST:
        raise ValueError(
            f"target_position: the starts and targets of {scene} lie {wide:.0f} m apart; without a "
            f"floor_plan they must be within {_WIDEST} m"
        )
    if len(walks) > _WALKS:
        raise ValueError(
            f"scene: {len(walks)} different walks are of {scene}; without a floor_plan it may have "
            f"{_WALKS}"
        )
    floor = Rectangle(x0 - _MARGIN, z0 - _MARGIN, x1 + _MARGIN, z1 + _MARGIN)
    digits = "".join(c for c in scene if c in "0123456789")
    room = Room(_NUMBERED.get(int(digits or 0) // 100 % 10, "living"), floor)
    walls, _ = walls_of([room], [])
    targets = {it.place: Thing(it.target, *it.place, y=_height(it.target)) for it in tasks}
    stands = [Thing("SideTable", it.x, it.z) for it in targets.values() if it.kind.place == "top"]
    return FloorPlan((room,), tuple(walls), (*targets.values(), *stands))


def _furnished(bare: FloorPlan, tasks: Sequence[_Read]) -> FloorPlan:
    """As full as can be with every task of the scene still to be done."""
    scene = hashlib.blake2b(tasks[0].scene.encode(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(scene, "big"))
    walks = {task.walk: None for task in tasks}
    starts = [
        Rectangle(x - BODY - 0.1, z - BODY - 0.1, x + BODY + 0.1, z + BODY + 0.1)
        for (x, z), _ in walks
    ]
    for attempt in range(_TRIES - 1):
        plan = furnish(rng, bare, starts, density=0.8 * (1 - attempt / (_TRIES - 1)))
        if all(plan.clear([walk[0]], [walk[0]])[0] and _can(plan, walk) for walk in walks):
            return plan
    return bare


def _height(type: str) -> float:
    """Where the foot of a target is, whose carrier is not known: as high as it hangs or lies."""
    kind = Thing(type, 0, 0).kind
    carried = furniture()["SideTable"].top
    return {"hung": kind.height, "top": carried}.get(kind.place, 0.0)
