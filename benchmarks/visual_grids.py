"""How fast Sokoban and FrozenLake step in batches, draw, and play turns; gym-sokoban beside them.

``python benchmarks/visual_grids.py [--gym-sokoban FOLDER]``: FOLDER is what ``pip install --no-deps
--target FOLDER gym-sokoban gym==0.26.2 setuptools==80.9.0`` fills. Without it we are compared
with a twin of the rules in plain Python (``tests/oracles``).
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import gymposium
from gymposium.envs.visual.replies import written
from gymposium.envs.visual.sprites import picture


def batch(id: str, *, observe: bool, seconds: float = 1.0) -> float:
    """Steps a second of 4,096 matches of 100 moves, random actions, one core; the best of five."""
    vector = gymposium.make_vec(id, 4096, turns=100)
    vector.reset(0)
    rng = np.random.default_rng(0)
    chosen = [rng.integers(4, size=(4096, 1)) for _ in range(16)]
    for actions in chosen:
        vector.step(actions)
    best = 0.0
    for _ in range(5):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < seconds / 5:
            for actions in chosen:
                vector.step(actions, observe=observe)
            steps += len(chosen) * 4096
        best = max(best, steps / (time.perf_counter() - start))
    return best


def twin(seconds: float = 1.0) -> float:
    """Steps a second of the rules on lists of characters, random actions."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from tests.oracles import sokoban_twin

    world = gymposium.make("sokoban-v0", api="world")
    rng, steps, start = np.random.default_rng(0), 0, time.perf_counter()
    world.reset(0)
    opening = rows = world.drawing(world.codes).splitlines()
    moves = [*sokoban_twin.STEPS]
    while time.perf_counter() - start < seconds:
        rows, _, over = sokoban_twin.push(rows, moves[int(rng.integers(4))])
        rows, steps = (opening if over else rows), steps + 1
    return steps / (time.perf_counter() - start)


def theirs(folder: str, seconds: float = 2.0) -> float:
    """Steps a second of gym-sokoban, 6 x 6, one box, its smallest picture, random actions."""
    sys.path.insert(0, folder)
    warnings.filterwarnings("ignore")
    from gym_sokoban.envs.sokoban_env import SokobanEnv

    env = SokobanEnv(dim_room=(6, 6), num_boxes=1, max_steps=100)
    env.reset()
    rng, steps, start = np.random.default_rng(0), 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        result = env.step(int(rng.integers(1, 5)), observation_mode="tiny_rgb_array")
        steps += 1
        if result[2]:
            env.reset()
    return steps / (time.perf_counter() - start)


def turns(seconds: float = 1.0) -> float:
    """Turns a second of the single world: reply read, beliefs scored, picture drawn."""
    world = gymposium.make("sokoban-v0", api="world")
    said = "The box is above and to the left of me. The target is below me, in the same column."
    parts = {"observation": said, "prediction": said}
    reply = written("world_modeling", ["Up", "Left"], parts)
    played, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        asked = world.reset(played)
        while asked:
            asked = world.step({"player_0": reply})
            played += 1
    return played / (time.perf_counter() - start)


def drawing() -> float:
    """Milliseconds of a picture of 300 x 300, the fastest of many."""
    codes, took = np.random.default_rng(0).integers(7, size=(6, 6)).astype(np.uint8), []
    picture("sokoban", codes, 300)
    for _ in range(200):
        start = time.perf_counter()
        picture("sokoban", codes, 300)
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def main() -> None:
    """Print the figures and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gym-sokoban", metavar="FOLDER")
    folder = parser.parse_args().gym_sokoban
    seen = batch("sokoban-v0", observe=True)
    other = theirs(folder) if folder else twin()
    print(f"sokoban: {seen:,.0f} steps/s with codes, {batch('sokoban-v0', observe=False):,.0f} not")
    print(
        f"{'gym-sokoban' if folder else 'plain Python'}: {other:,.0f} ({seen / other:,.0f} times)"
    )
    print(f"frozen_lake: {batch('frozen_lake-v0', observe=True):,.0f} steps/s with codes")
    print(f"a turn answered in words, with a picture: {turns():,.0f} a second")
    print(f"a picture of 300 x 300: {drawing():.3f} ms")


if __name__ == "__main__":
    main()
