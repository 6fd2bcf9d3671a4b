"""Small scenes for the tests of rooms, and random ones."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gymposium.envs.rooms.catalogue import CATEGORIES, Mount, category
from gymposium.envs.rooms.scene import (
    ROOM,
    Item,
    Opening,
    Relation,
    RelationKind,
    Room,
    Scene,
)

K = RelationKind
FLOOR = (Relation(ROOM, K.ON_FLOOR),)


def block(name: str, x: float, y: float, **changes: object) -> Item:
    """A storage box of one metre: its lid is exactly its size."""
    item = Item(f"{name}_storage_box", "storage_box", (x, y, 0.0), 0.0, (1.0, 1.0, 1.0), FLOOR)
    return replace(item, **changes)  # type: ignore[arg-type]


def room(x: float = 6.0, y: float = 5.0, kind: str = "bedroom") -> Room:
    return Room(kind, (x, y))


def furnished() -> Scene:
    """A bed, a nightstand with a lamp, a desk with a chair, a wardrobe, a painting and a rug."""
    wall = Relation(ROOM, K.AGAINST_WALL)
    items = (
        Item("1_bed", "double_bed", (1.05, 2.5, 0), 0.0, (2.0, 1.6, 1.0), (*FLOOR, wall)),
        Item(
            "2_stand",
            "nightstand",
            (0.22, 1.42, 0),
            0.0,
            (0.4, 0.5, 0.5),
            (*FLOOR, wall, Relation("1_bed", K.LEFTRIGHT)),
        ),
        Item(
            "3_lamp",
            "table_lamp",
            (0.2, 1.42, 0.5),
            0.0,
            (0.28, 0.28, 0.4),
            (Relation("2_stand", K.ONTOP),),
        ),
        Item("4_desk", "desk", (5.6, 2.5, 0), math.pi, (0.7, 1.4, 0.75), (*FLOOR, wall)),
        Item(
            "5_chair",
            "chair",
            (4.96, 2.5, 0),
            0.0,
            (0.5, 0.45, 0.9),
            (*FLOOR, Relation("4_desk", K.FRONT_AGAINST)),
        ),
        Item(
            "6_wardrobe", "wardrobe", (3.0, 4.65, 0), -math.pi / 2, (0.6, 1.6, 2.0), (*FLOOR, wall)
        ),
        Item(
            "7_painting",
            "painting",
            (3.0, 0.02, 1.3),
            math.pi / 2,
            (0.03, 0.8, 0.6),
            (Relation(ROOM, K.FLUSH_WALL),),
        ),
        Item("8_rug", "rug", (3.2, 2.5, 0), 0.0, (1.6, 2.2, 0.015), FLOOR),
    )
    openings = (
        Opening("0_door", "door", (5.0, 0.0, 0.0), math.pi / 2, (0.1, 0.9, 2.0)),
        Opening("0_window", "window", (0.0, 4.2, 0.9), 0.0, (0.1, 1.0, 1.2)),
    )
    return Scene(room(), openings, items)


def quarter_turned(scene: Scene) -> Scene:
    """The room and everything in it turned by 90 degrees."""
    height = scene.room.size[1]

    def turn(thing: Item | Opening) -> dict[str, object]:
        x, y, z = thing.location
        return {"location": (height - y, x, z), "rotation": thing.rotation + math.pi / 2}

    return replace(
        scene,
        room=replace(scene.room, size=(height, scene.room.size[0])),
        openings=tuple(replace(o, **turn(o)) for o in scene.openings),  # type: ignore[arg-type]
        items=tuple(replace(i, **turn(i)) for i in scene.items),  # type: ignore[arg-type]
    )


def renamed(scene: Scene) -> Scene:
    """The same scene with other ids, in another order."""
    names = {item.id: f"{90 - n}_x" for n, item in enumerate(scene)}
    items = tuple(
        replace(
            item,
            id=names[item.id],
            relations=tuple(Relation(names.get(p, p), kind) for p, kind in item.relations),
        )
        for item in scene
    )
    return replace(scene, items=items[::-1])


def random_edit(scene: Scene, rng: np.random.Generator) -> Scene:
    """What a careless tool might do: add, move, turn, resize, remove, relate at random."""
    for _ in range(int(rng.integers(1, 8))):
        names = [item.id for item in scene]
        deed = rng.integers(8) if names else 0
        if deed in (0, 5, 6, 7):
            scene = scene.with_items(_anything(scene, rng))
            continue
        name = names[int(rng.integers(len(names)))]
        if deed == 1:
            x, y = rng.uniform(-1, 8, size=2)
            scene = scene.moved(name, (float(x), float(y), scene[name].location[2]))
        elif deed == 2:
            scene = scene.moved(name, None, float(rng.uniform(-4, 4)))
        elif deed == 3:
            a, b, c = (s * float(rng.uniform(0.5, 2)) for s in scene[name].size)
            scene = scene.resized(name, (a, b, c))
        else:
            scene = scene.without(name)
    return scene


def _anything(scene: Scene, rng: np.random.Generator) -> Item:
    name = sorted(CATEGORIES)[int(rng.integers(len(CATEGORIES)))]
    row = category(name)
    a, b, c = (float(rng.uniform(lo, hi)) for lo, hi in zip(row.low, row.high, strict=True))
    x, y, z = rng.uniform(0, (6, 5, 2))
    relations: list[Relation] = []
    if rng.random() < 0.9:
        own = {Mount.WALL: K.FLUSH_WALL, Mount.CEILING: K.HANGING}.get(row.mount, K.ON_FLOOR)
        relations.append(Relation(ROOM, own))
    if rng.random() < 0.4 and len(scene):
        kinds = [K.FRONT_AGAINST, K.LEFTRIGHT, K.SIDE_BY_SIDE, K.FRONT_TO_FRONT, K.BACK_TO_BACK]
        if row.mount is Mount.TOP:
            kinds, relations = [K.ONTOP, K.ON], []
        parent = scene.items[int(rng.integers(len(scene)))].id
        relations.append(Relation(parent, kinds[int(rng.integers(len(kinds)))]))
    elif rng.random() < 0.4:
        relations.append(Relation(ROOM, K.AGAINST_WALL))
    yaw = float(rng.uniform(-3, 3))
    place = (float(x), float(y), float(z))
    return Item(scene.fresh_id(name), name, place, yaw, (a, b, c), tuple(relations), int(a * 1000))
