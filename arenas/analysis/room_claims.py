"""What ``scenarios/claims/sceneweaver.yaml`` measures, as a study function.

A planner furnishes rooms of several types, a match each in ``scene_weaver-v0``; all arms meet the
same empty rooms, since a match's seed derives from the claim's seed and the name of its cell alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.rooms.layout import scene_of_text
from ...envs.rooms.metrics import category_entropy, diversity
from ...envs.rooms.scene import Scene
from ..claims.playing import measures

ROOMS = (
    "bedroom",
    "living_room",
    "bathroom",
    "children_room",
    "gym",
    "kitchen",
    "meeting_room",
    "office",
    "restaurant",
    "waiting_room",
)
"""The paper's two common types and its eight others."""


def planned(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """Rooms furnished by one planner: the world's metrics, over all types and ``@type``.

    ``params``: ``agent`` (a spec), perhaps ``rooms`` (types), ``each`` (rooms of a type), ``world``
    (further parameters of the world). Besides: ``diversity`` and ``entropy`` where ``each`` is
    above 1 (mean distance of layouts of one type, entropy of categories [bits]), ``optimised`` and
    ``deleted_share`` (pairs that collide after the optimiser and before deletion, a room; things
    deleted, as a share of those that were made), ``faulty`` (share of rooms in which something
    collides or is outside).
    """
    from ...scenarios.load import load
    from ..run import run

    rooms = params.get("rooms", ROOMS)
    cells = [
        {
            "id": "scene_weaver-v0",
            "name": room,
            "params": {"room": room, "steps": 10, "shows": "text", **params.get("world", {})},
        }
        for room in rooms
    ]
    schedule = {"kind": "self_play", "repeats": int(params.get("each", 1))}
    scenario = {
        "name": "rooms", "seed": seed, "worlds": cells, "schedule": schedule, "time_limit": None,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        agent = {"spec": str(params["agent"]), "name": "planner"}
        played = run(load(scenario), [agent], out=Path(folder) / "run")
        turns, made = played.world_table("turns"), played.world_table("room")
        found = {
            name: value for name, value in measures(played.rows).items() if "return" not in name
        }
        faulty = [row.metrics["collisions"] + row.metrics["outside"] > 0 for row in played.rows]
    found["faulty"] = float(np.mean(faulty))
    found["optimised"] = float(turns["collisions_optimised"].sum()) / len(made)
    deleted = float(
        turns[["deleted_components", "deleted_relations", "deleted_carried"]].to_numpy().sum()
    )
    found["deleted_share"] = deleted / max(1.0, deleted + found["objects"] * len(made))
    return found | _variety([scene_of_text(text) for text in made["layout"]])


def _variety(scenes: Sequence[Scene]) -> dict[str, float]:
    """How different the rooms of each type are; nothing where there is one of each."""
    piles: dict[str, list[Scene]] = {}
    for scene in scenes:
        piles.setdefault(scene.room.type, []).append(scene)
    several = [pile for pile in piles.values() if len(pile) > 1]
    if not several:
        return {}
    return {
        "diversity": float(np.mean([diversity(pile) for pile in several])),
        "entropy": float(np.mean([category_entropy(pile) for pile in several])),
    }
