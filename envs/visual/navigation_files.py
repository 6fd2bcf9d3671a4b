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
from typing import Any

import numpy as np

from gymposium.errors import UsageError

from .floor_plan import BODY, FloorPlan, Rectangle, Room, Thing, moves_to
from .floor_plan_maker import furnish, walls_of
from .furniture import furniture
from .navigation_tasks import NEAR, NavigationTask
from .replies import WRITABLE

_MOST = 10_000
_MARGIN = 1.2
_NUMBERED = {0: "kitchen", 2: "living", 3: "bedroom", 4: "bathroom"}
_TRIES = 30


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
        content = Path(path).read_bytes()
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
            read.append(_Read(task))
        except KeyError as error:
            raise UsageError(f"{path}: task {index} lacks {error}") from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise UsageError(f"{path}: task {index} is not as expected: {error}") from None
    scenes: dict[str, list[_Read]] = {}
    for task in read:
        scenes.setdefault(task.scene, []).append(task)
    return tuple(_task(path, index, it, scenes[it.scene]) for index, it in enumerate(read))


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

    def __init__(self, task: Mapping[str, Any]) -> None:
        pose = task["agentPose"]
        turn = pose["rotation"]
        self.scene, self.target = _shown(task["scene"], 80), _shown(task["targetObjectType"], 60)
        self.instruction = _shown(task["instruction"], 1000)
        self.place = _number(task["target_position"], "x"), _number(task["target_position"], "z")
        self.x, self.z = _number(pose["position"], "x"), _number(pose["position"], "z")
        self.yaw = round(_number(turn, "y") if isinstance(turn, Mapping) else float(turn)) % 360
        self.horizon = round(_number(pose, "horizon"))
        plain = task.get("floor_plan")
        self.plan = None if plain is None else FloorPlan.from_plain(plain)
        if not -90 < self.horizon < 90:
            raise ValueError(f"horizon {self.horizon} is not between -90 and 90")


def _shown(text: Any, most: int) -> str:
    """A stranger's text in one line of letters that can be shown, cut."""
    line = " ".join(str(text)[:most].split())
    return "".join(c if c in WRITABLE else "?" for c in line)


def _number(of: Mapping[str, Any], name: str) -> float:
    value = float(of[name])
    if not abs(value) <= 1000:
        raise ValueError(f"{name} is {value}, not a number of metres or degrees")
    return value


def _task(path: str, index: int, read: _Read, same: Sequence[_Read]) -> NavigationTask:
    plan = read.plan or _stand_in(tuple((it.x, it.z, *it.place, it.target) for it in same), read)
    if plan is None or not plan.clear([(read.x, read.z)], [(read.x, read.z)])[0]:
        raise UsageError(f"{path}: task {index} starts inside something, or has no way to go")
    return NavigationTask(
        plan,
        read.scene,
        read.target,
        read.place,
        read.x,
        read.z,
        read.yaw,
        read.horizon,
        read.instruction,
    )


def _stand_in(tasks: Sequence[tuple[float, float, float, float, str]], read: _Read) -> Any:
    """A room with all starts and targets of a scene in it, from which each can be done."""
    xs = [value for task in tasks for value in (task[0], task[2])]
    zs = [value for task in tasks for value in (task[1], task[3])]
    floor = Rectangle(min(xs) - _MARGIN, min(zs) - _MARGIN, max(xs) + _MARGIN, max(zs) + _MARGIN)
    digits = "".join(c for c in read.scene if c.isdigit())
    room = Room(_NUMBERED.get(int(digits or 0) // 100 % 10, "living"), floor)
    walls, _ = walls_of([room], [])
    seed = int.from_bytes(hashlib.blake2b(read.scene.encode(), digest_size=8).digest(), "big")
    rng = np.random.default_rng(seed)
    targets = {(x, z): Thing(type, x, z, y=_height(type)) for _, _, x, z, type in tasks}
    stands = [Thing("SideTable", it.x, it.z) for it in targets.values() if it.kind.place == "top"]
    bare = FloorPlan((room,), tuple(walls), (*targets.values(), *stands))
    starts = [
        Rectangle(x - BODY - 0.1, z - BODY - 0.1, x + BODY + 0.1, z + BODY + 0.1)
        for x, z, *_ in tasks
    ]
    for attempt in range(_TRIES):
        density = 0.8 * (1 - attempt / (_TRIES - 1))
        plan = furnish(rng, bare, starts, density=density) if density > 0 else bare
        if all(
            plan.clear([task[:2]], [task[:2]])[0]
            and moves_to(plan, task[:2], task[2:4], NEAR, 60) is not None
            for task in tasks
        ):
            return plan
    return None


def _height(type: str) -> float:
    """Where the foot of a target is, whose carrier is not known: as high as it hangs or lies."""
    kind = Thing(type, 0, 0).kind
    carried = furniture()["SideTable"].top
    return {"hung": kind.height, "top": carried}.get(kind.place, 0.0)
