"""Exact overlaps of furniture, and how long rooms take to be placed, measured and planned.

Run as ``python -m benchmarks.rooms``. A hundred things stand at random in a room far too small for
them, so that hundreds of pairs overlap; all their pairs at once against a loop over pairs in
plain Python with the same clipping (on a sample of the pairs of parts, scaled up).
"""

from __future__ import annotations

import math
import time

import numpy as np

from gymposium.agents.registry import resolve
from gymposium.envs import registry
from gymposium.envs.rooms.bodies import bodies
from gymposium.envs.rooms.bullet import bullet_picture, settled
from gymposium.envs.rooms.catalogue import CATEGORIES, Mount
from gymposium.envs.rooms.contacts import collisions
from gymposium.envs.rooms.execute import execute
from gymposium.envs.rooms.grades import grade
from gymposium.envs.rooms.metrics import measure
from gymposium.envs.rooms.picture import draw
from gymposium.envs.rooms.placing import place
from gymposium.envs.rooms.plan_view import plan_view
from gymposium.envs.rooms.prisms import Packed, Prism
from gymposium.envs.rooms.scene import ROOM, Item, Opening, Relation, RelationKind, Room, Scene


def crowd(count: int, rng: np.random.Generator) -> Scene:
    """``count`` things on the floor of 6 by 5 metres, anywhere."""
    names = sorted(n for n, row in CATEGORIES.items() if row.mount is Mount.FLOOR)
    items = []
    for number in range(count):
        row = CATEGORIES[names[int(rng.integers(len(names)))]]
        x, y, yaw = rng.uniform((0.5, 0.5, -3), (5.5, 4.5, 3)).tolist()
        on_floor = (Relation(ROOM, RelationKind.ON_FLOOR),)
        where = (x, y, 0.0)
        items.append(
            Item(f"{number}_{row.name}", row.name, where, yaw, row.middle, on_floor, number)
        )
    door = Opening("door", "door", (5.0, 0.0, 0.0), math.pi / 2, (0.1, 0.9, 2.0))
    return Scene(Room("living_room", (6.0, 5.0)), (door,), tuple(items))


def plain_overlap(a: Prism, b: Prism) -> float:
    """Sutherland and Hodgman in plain Python, times the common height."""
    tall = min(a.z1, b.z1) - max(a.z0, b.z0)
    if tall <= 0:
        return 0.0
    corners = [(x, y) for x, y in a.outline.tolist()]
    edges = b.outline.tolist()
    for (px, py), (qx, qy) in zip(edges, [*edges[1:], edges[0]], strict=True):
        sides = [(qx - px) * (y - py) - (qy - py) * (x - px) for x, y in corners]
        kept = []
        for k, (x, y) in enumerate(corners):
            if (sides[k] >= 0) != (sides[k - 1] >= 0):
                t = sides[k - 1] / (sides[k - 1] - sides[k])
                x0, y0 = corners[k - 1]
                kept.append((x0 + t * (x - x0), y0 + t * (y - y0)))
            if sides[k] >= 0:
                kept.append((x, y))
        corners = kept
        if not corners:
            return 0.0
    after = [*corners[1:], corners[0]]
    return tall * sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(corners, after, strict=True)) / 2


def overlaps(rng: np.random.Generator) -> None:
    """All pairs of a hundred things: packed and compiled, and in plain Python."""
    things = bodies(crowd(100, rng))
    Packed(things).all_pairs()  # compiles
    times, found = [], None
    for _ in range(20):
        start = time.perf_counter()
        found = Packed(things).all_pairs()
        times.append(time.perf_counter() - start)
    assert found is not None
    owned = [(number, part) for number, body in enumerate(things) for part in body]
    sample = rng.integers(len(owned), size=(4000, 2))
    start = time.perf_counter()
    for i, j in sample.tolist():
        plain_overlap(owned[i][1], owned[j][1])
    plain = (time.perf_counter() - start) * len(owned) * (len(owned) - 1) / 2 / len(sample)
    best = float(np.median(times))
    print(
        f"100 things, {len(owned)} parts, {int((found.volume > 0).sum())} pairs that overlap: "
        f"{1000 * best:.2f} ms for all pairs, packing included; {plain / best:,.0f} times as fast "
        f"as plain Python over all pairs of parts ({plain:.1f} s)"
    )


def rooms(rng: np.random.Generator) -> None:
    """Thirty things thrown into a room: placing them, or pushing them free where they lie."""
    thrown = crowd(30, rng)
    start = time.perf_counter()
    placement = place(Scene(thrown.room, thrown.openings), thrown.items, rng)
    placed = time.perf_counter()
    done = execute(thrown, rng)
    executed = time.perf_counter()
    grade(done.scene)
    measure(done.scene)
    print(
        f"30 things: placed in {placed - start:.2f} s ({len(placement.left_out)} left out, "
        f"{len(collisions(placement.scene))} collisions); where they fell {done.before.collisions} "
        f"collisions, {done.optimised.collisions} after the optimiser, {done.after.collisions} "
        f"after {len(done.deleted)} deletions, in {executed - placed:.2f} s; graded and measured "
        f"in {time.perf_counter() - executed:.2f} s"
    )


def looks(rng: np.random.Generator) -> None:
    """Pictures of thirty things in a room, its plan, and two seconds of gravity on it."""
    thrown = crowd(30, rng)
    scene = place(Scene(thrown.room, thrown.openings), thrown.items, rng).scene
    timed = {
        "a picture of 300 by 300": lambda: draw(scene, width=300, height=300),
        "its plan with labels, 512 by 512": lambda: plan_view(scene, marks=True),
        "pybullet's picture of 300 by 300": lambda: bullet_picture(scene),
        "two seconds of gravity": lambda: settled(scene),
    }
    said = []
    for name, work in timed.items():
        work()  # compiles
        times = []
        for _ in range(5):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        said.append(f"{name} {1000 * min(times):.0f} ms")
    count = sum(len(body) for body in bodies(scene))
    print(
        f"{len(scene)} things, {count} parts: {', '.join(said)}; "
        f"{settled(scene).stable_share:.0%} stay where they are put"
    )


def planned() -> None:
    """A bedroom in ten steps by the scripted planner that never stops early, pictures included."""
    demand = "a bedroom with a desk, two armchairs, a bookshelf, two plants and a dressing table"
    world = registry.make_world("scene_weaver-v0", room=demand, steps=10)
    for spec in ("scripted:room_planner", "scripted:room_planner?reflect=false"):
        bot = resolve(spec).create()
        began = time.perf_counter()
        turns = world.reset(7)
        bot.reset(world.seats["player_0"], 7)
        while turns:
            (turn,) = turns.values()
            said = bot.act(turn)
            action = world.parse("player_0", said.text, turn.observation, turn.info)
            turns = world.step({"player_0": action})
        spent = time.perf_counter() - began
        told = world.outcome.metrics
        print(
            f"{spec}: {told['objects']:.0f} things in {told['steps']:.0f} steps and "
            f"{told['calls']:.0f} calls, {told['collisions']:.0f} collisions, grades by rule "
            f"{told['rule_total']:.1f} of 40: {spent:.2f} s from the empty room"
        )


if __name__ == "__main__":
    overlaps(np.random.default_rng(0))
    rooms(np.random.default_rng(1))
    planned()
    looks(np.random.default_rng(2))
