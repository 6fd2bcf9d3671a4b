"""Compiled kernels are kept on disk, and never longer than any of their sources is unchanged."""

from __future__ import annotations

import os
import subprocess
import sys

from gymposium.envs.grid import cache

SCRIPT = """
import numpy as np, gymposium
from gymposium.envs.social import coins_rules
vector = gymposium.make_vec("coins-v0", 1)
vector.reset(0)
vector.step(np.zeros((1, 2), int))
hits = coins_rules.step.stats.cache_hits
print(sum(hits.values()), sum(coins_rules.step.stats.cache_misses.values()))
"""


def compiled(folder):
    env = {**os.environ, "GYMPOSIUM_CACHE": str(folder)}
    run = [sys.executable, "-c", SCRIPT]
    out = subprocess.run(run, env=env, check=True, capture_output=True, text=True).stdout
    return tuple(map(int, out.split()))


def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    assert compiled(tmp_path) == (0, 1)
    assert compiled(tmp_path) == (1, 0)


def test_the_folder_changes_with_any_source(tmp_path, monkeypatch):
    for name in cache.FOLDERS:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "kernel.py").write_text("one = 1\n", encoding="utf-8")
    monkeypatch.setattr(cache, "ROOM", tmp_path)
    hashes = []
    for name in ("", *cache.FOLDERS):
        if name:
            (tmp_path / name / "kernel.py").write_text("one = 2\n", encoding="utf-8")
        cache.sources_hash.cache_clear()
        hashes.append(cache.sources_hash())
    monkeypatch.undo()
    cache.sources_hash.cache_clear()
    assert len({*hashes, cache.sources_hash()}) == 2 + len(cache.FOLDERS)
