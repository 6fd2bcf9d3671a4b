"""How fast the grid worlds step, alone and a thousand at a time; SocialJax beside them if given.

``python benchmarks/grid_worlds.py [--socialjax PATH]``: PATH is a checkout of SocialJax whose
dependencies are installed in this environment or, with ``--socialjax-python``, in another. Without
it the ratios are to its figures as measured once on two cores of a cloud machine (AMD EPYC):
Clean-Up 2.2-2.9 thousand, Harvest 3.4-4.6, Coins 21-23 thousand environment steps a second.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import gymposium

ONCE = {"clean_up": (2200, 2900), "harvest": (3400, 4600), "coins": (21_000, 23_000)}
FIRST_STEP = """
import time, numpy as np, gymposium
start = time.perf_counter()
vector = gymposium.make_vec("clean_up-v0", 2)
vector.reset(0)
vector.step(np.zeros((2, 7), int))
print(time.perf_counter() - start)
"""
SOCIALJAX = """
import sys, time
sys.path.insert(0, sys.argv[1])
import jax, socialjax
for ours, theirs in (("clean_up", "clean_up"), ("harvest", "harvest_common_open"),
                     ("coins", "coin_game")):
    env, envs, steps = socialjax.make(theirs), 256, 50
    key = jax.random.PRNGKey(0)
    def play(key):
        obs, state = jax.vmap(env.reset)(jax.random.split(key, envs))
        def one(state, key):
            keys = jax.random.split(key, envs)
            actions = [jax.random.randint(k, (envs,), 0, env.action_space().n)
                       for k in jax.random.split(key, env.num_agents)]
            obs, state, *_ = jax.vmap(env.step)(keys, state, actions)
            return state, sum(leaf.sum() for leaf in jax.tree_util.tree_leaves(obs))
        return jax.lax.scan(one, state, jax.random.split(key, steps))[1]
    run = jax.jit(play)
    run(key).block_until_ready()
    start = time.perf_counter()
    run(key).block_until_ready()
    print(ours, envs * steps / (time.perf_counter() - start))
"""


def speed(vector, *, seconds=1.0, expand=False, **kwargs):
    """Environment steps a second with random actions."""
    rng = np.random.default_rng(0)
    shape = (vector.num_envs, vector.num_agents)
    chosen = [rng.integers(0, vector.single_action_space.n, shape) for _ in range(16)]
    vector.reset(0)
    for actions in chosen:
        vector.step(actions, **kwargs)
    best, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for actions in chosen:
            observations, *_ = vector.step(actions, **kwargs)
            if expand:
                vector.planes(observations)
        best = max(best, 16 * vector.num_envs / (time.perf_counter() - start))
    return best


def alone(id):
    """Environment steps a second through PettingZoo's Parallel API, one match."""
    view, rng = gymposium.make(id, api="parallel"), np.random.default_rng(0)
    count = view.action_space("agent_0").n
    chosen = [{a: int(rng.integers(count)) for a in view.possible_agents} for _ in range(900)]
    best = 0.0
    for _ in range(3):
        view.reset(seed=0)
        start = time.perf_counter()
        for actions in chosen:
            view.step(actions)
        best = max(best, len(chosen) / (time.perf_counter() - start))
    return best


def first_steps():
    """Seconds to the first step of Clean-Up after import: kernels compiled, kernels cached."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GYMPOSIUM_CACHE": folder}
        run = [sys.executable, "-c", FIRST_STEP]
        return [
            float(subprocess.run(run, env=env, check=True, capture_output=True, text=True).stdout)
            for _ in range(2)
        ]


def socialjax(python, checkout):
    """SocialJax's environment steps a second on this machine, by our names."""
    run = [python, "-c", SOCIALJAX, checkout]
    out = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in out.splitlines())}


def main():
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socialjax", help="a checkout of SocialJax")
    parser.add_argument("--socialjax-python", default=sys.executable)
    parser.add_argument("--envs", type=int, default=512)
    options = parser.parse_args()
    peer = socialjax(options.socialjax_python, options.socialjax) if options.socialjax else {}
    for name, once in ONCE.items():
        vector = gymposium.make_vec(f"{name}-v0", options.envs)
        codes, onehot = speed(vector), speed(vector, expand=True)
        blind = speed(gymposium.make_vec(f"{name}-v0", 4 * options.envs), observe=False)
        two, one = (  # enough matches that waking a thread, some 50 us, counts for little
            speed(gymposium.make_vec(f"{name}-v0", 16 * options.envs, num_threads=threads))
            for threads in (2, 1)
        )
        low, high = once if name not in peer else (peer[name], peer[name])
        print(f"{name}, {vector.num_agents} agents, {options.envs} matches, one core")
        print(f"  with observations as codes  {codes:>12,.0f} env-steps/s")
        print(f"    of SocialJax on all cores {codes / high:>10.0f}x to {codes / low:.0f}x")
        print(f"  with one-hot planes         {onehot:>12,.0f} ({onehot / high:.0f}x)")
        print(f"  without observations        {blind:>12,.0f}")
        print(f"  two threads against one     {two / one:>12.2f}x")
        print(f"  one match, PettingZoo       {alone(f'{name}-v0'):>12,.0f}")
    vector = gymposium.make_vec("clean_up-v0", 4096)
    observations, _ = vector.reset(0)
    size = sum(array.nbytes for array in vector._batch.state) + observations.nbytes
    print(f"4,096 matches of Clean-Up with observations: {size / 1e6:.0f} MB")
    cold, cached = first_steps()
    print(f"first step after import: {cold:.1f} s compiled, {cached:.1f} s from the cache")


if __name__ == "__main__":
    main()
