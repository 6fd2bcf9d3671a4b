"""The pictures of rooms in ``docs/images/rooms``: six types, a door, a plan, six baselines.

Run ``python docs/building/room_pictures.py`` after a change of how rooms are furnished or drawn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from gymposium.envs.rooms.baselines import BASELINES
from gymposium.envs.rooms.execute import execute
from gymposium.envs.rooms.grammar import shell, things
from gymposium.envs.rooms.picture import draw
from gymposium.envs.rooms.placing import place
from gymposium.envs.rooms.plan_view import plan_view
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.scene import Scene

FOLDER = Path(__file__).parent.parent / "images" / "rooms"
SHOWN = (
    ("living_room", 3), ("bedroom", 3), ("kitchen", 3),
    ("gym", 1), ("office", 1), ("bathroom", 1),
)  # fmt: skip
"""Types and seeds."""
COLUMNS = 3


def furnished(name: str, seed: int) -> Scene:
    """A room as its grammar furnishes it, free of collisions."""
    rng, kind = np.random.default_rng(seed), room_type(name)
    bare = shell(kind, rng)
    return execute(place(bare, things(kind, bare, rng), rng).scene, rng).scene


def by_baselines(seed: int) -> np.ndarray:
    """One bedroom as each baseline furnishes it, faults in red."""
    bare = shell(room_type("bedroom"), np.random.default_rng(seed))
    scenes = [it.furnish(bare, np.random.default_rng(seed)) for it in BASELINES.values()]
    drawn = [plan_view(scene, size=420, labels=False, marks=True) for scene in scenes]
    return np.vstack([np.hstack(drawn[k : k + COLUMNS]) for k in range(0, len(drawn), COLUMNS)])


def few(picture: np.ndarray) -> np.ndarray:
    """A picture in 256 colours of its own, which is a small file and looks the same."""
    drawn = Image.fromarray(picture).quantize(256, dither=Image.Dither.NONE)
    return np.asarray(drawn.convert("RGB"))


def save(picture: np.ndarray, name: str) -> None:
    """Write a picture, with a list of its colours if those are few."""
    drawn = Image.fromarray(picture)
    if drawn.getcolors(256):
        drawn = drawn.quantize(256, dither=Image.Dither.NONE)
    drawn.save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Draw and write all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    scenes = [furnished(name, seed) for name, seed in SHOWN]
    drawn = [few(draw(scene, width=440, height=330)) for scene in scenes]
    rows = [np.hstack(drawn[k : k + COLUMNS]) for k in range(0, len(drawn), COLUMNS)]
    save(np.vstack(rows), "gallery")
    save(few(draw(scenes[0], view="door", width=720, height=480)), "door")
    save(plan_view(scenes[0], size=640), "plan")
    save(few(by_baselines(4)), "baselines")


if __name__ == "__main__":
    main()
