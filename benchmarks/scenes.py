"""Pictures of flats and of the arm's table: milliseconds a frame, one core, beside two peers.

Run: ``python benchmarks/scenes.py``. The peers draw the same scenes in the same run: pybullet's
software renderer, and the same rays in plain numpy, each against each solid, without light, smooth
edges or shadows. Then turns a second of the two worlds, pictures and all.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gymposium.agents.scripted.arms import ArmPlanner
from gymposium.agents.scripted.wayfinders import Wayfinder
from gymposium.envs.registry import make_world
from gymposium.envs.scenes.camera import Camera
from gymposium.envs.scenes.solids import Scene
from gymposium.envs.visual.floor_plan_view import EYE, Body, from_above, scene_of, seen
from gymposium.envs.visual.primitive_bullet import tiny_picture
from gymposium.envs.visual.primitive_tasks import TASKS
from gymposium.envs.visual.primitive_view import picture

SIZE, FLATS, REPEATS = 300, 12, 15
SEAT = "player_0"


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Milliseconds of the quickest of some runs."""
    work()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return 1000 * min(took)


def plain(scene: Scene, camera: Camera, size: int) -> np.ndarray:
    """Which solid each pixel shows: numpy, every ray against the box of every solid."""
    zoom = 0.5 * size / np.tan(np.radians(camera.view) / 2)
    ahead, right, up = camera.axes
    at = np.arange(size) + 0.5 - size / 2
    rays = ahead + at[None, :, None] / zoom * right - at[:, None, None] / zoom * up
    depth, shown = np.full((size, size), np.inf), np.full((size, size), -1)
    for n in range(len(scene.kind)):
        origin = scene.inverse[n] @ (np.array(camera.eye) - scene.centre[n])
        way = rays @ scene.inverse[n].T
        with np.errstate(divide="ignore", invalid="ignore"):
            one, two = (-1 - origin) / way, (1 - origin) / way
        enter = np.minimum(one, two).max(axis=-1)
        nearer = (enter <= np.maximum(one, two).min(axis=-1)) & (enter > 0) & (enter < depth)
        depth, shown = np.where(nearer, enter, depth), np.where(nearer, n, shown)
    return shown


def flats() -> None:
    """Twelve tasks, half of them in flats of several rooms."""
    ours, theirs, above, solids = [], [], [], []
    for index in range(FLATS):
        world = make_world("navigation-v0", tasks=("base", "long_horizon")[index % 2], size=16)
        world.reset(index)
        plan, body, place = world.task.plan, world.body, world.task.place
        scene, _ = scene_of(plan)
        camera = Camera((body.x, body.z, EYE), (0.0, 1.0, 0.0), 100)
        solids.append(len(scene.kind))
        ours.append(best(lambda: seen(plan, body, width=SIZE, height=SIZE, view=100)))  # noqa: B023
        theirs.append(best(lambda: plain(scene, camera, SIZE), 1))  # noqa: B023
        above.append(
            best(lambda: from_above(plan, Body(*body), place, width=SIZE, height=SIZE))  # noqa: B023
        )
    print(f"flats of {min(solids)} to {max(solids)} solids, {SIZE} x {SIZE}:")
    print(f"  seen from within   {np.mean(ours):6.2f} ms (worst {max(ours):.2f})")
    print(f"  seen from above    {np.mean(above):6.2f} ms (built anew each time)")
    print(
        f"  numpy, solids only {np.mean(theirs):6.1f} ms ({np.mean(theirs) / np.mean(ours):.0f}x)"
    )


def tables() -> None:
    """The four tasks' tables."""
    print(f"tables, {SIZE} x {SIZE}:")
    for name, task in TASKS.items():
        world = make_world("primitive_skill-v0", task=name, size=16)
        world.reset(0)
        ours = best(lambda: picture(world.table, task.marks, SIZE))  # noqa: B023
        tiny = best(lambda: tiny_picture(world.table, task.marks, SIZE))  # noqa: B023
        print(f"  {name:7s} rays {ours:6.2f} ms, pybullet {tiny:6.2f} ms ({tiny / ours:.1f}x)")


def turns() -> None:
    """Whole turns by bots: replies read, beliefs scored, pictures drawn."""
    for id, bot, params in (
        ("navigation-v0", Wayfinder, {}),
        ("navigation-v0", Wayfinder, {"size": 64}),
        ("primitive_skill-v0", ArmPlanner, {}),
        ("primitive_skill-v0", ArmPlanner, {"shows": "text"}),
        ("primitive_skill-v0", ArmPlanner, {"shows": "text", "physics": "bullet"}),
    ):
        world, count, start = make_world(id, **params), 0, 0.0
        for seed in range(-1, 20):
            if seed == 0:
                start = time.perf_counter()
            agent, asked = bot(), world.reset(max(seed, 0))
            agent.reset(world.seats[SEAT], 0)
            while asked:
                asked = world.step({SEAT: agent.act(asked[SEAT])})
                count += seed >= 0
        print(f"{id} {params or ''}: {count / (time.perf_counter() - start):,.0f} turns/s")


if __name__ == "__main__":
    flats()
    tables()
    turns()
