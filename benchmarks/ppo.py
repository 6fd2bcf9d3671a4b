"""PPO on Clean-Up, end to end: agent-steps a second, the share of the world, FCGrad against IPPO.

Seven agents with networks of their own, two epochs, observations as codes. The methods take turns,
update by update, and the medians are compared, so that whatever else the machine does hits both.

    python benchmarks/ppo.py [threads]
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter
from typing import Any

import torch

from gymposium.agents.methods import resolve_method
from gymposium.types import TrainingTask

ROUNDS = 5
SETTINGS = {
    "small": ("num_envs=64&rollout=50&minibatches=8", 15_000),
    "paper": ("num_envs=16&rollout=50&minibatches=8", 1_500),
}


def main() -> None:
    """Print the figures of both networks."""
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    print(f"PPO on clean_up-v0, 7 agents, 2 epochs, {torch.get_num_threads()} threads of torch")
    for network, (query, goal) in SETTINGS.items():
        methods = {
            name: resolve_method(f"{name}?network={network}&{query}").make()
            for name in ("ippo", "fcgrad")
        }
        training: dict[str, Any] = {
            name: method.train(TrainingTask("clean_up-v0")) for name, method in methods.items()
        }
        for updates in training.values():
            next(updates)  # compiles
        seconds: dict[str, list[float]] = {name: [] for name in methods}
        world: dict[str, list[float]] = {name: [] for name in methods}
        for _ in range(ROUNDS):
            for name, method in methods.items():
                inside, began = method.source.seconds, perf_counter()
                steps = method.steps
                next(training[name])
                steps = method.steps - steps
                seconds[name].append((perf_counter() - began) / steps)
                world[name].append((method.source.seconds - inside) / steps)
        rate = {name: 1 / median(each) for name, each in seconds.items()}
        share = median(world["ippo"]) / median(seconds["ippo"])
        print(f"{network}: IPPO {rate['ippo']:,.0f} agent-steps/s (goal {goal:,})")
        print(f"  FCGrad {rate['fcgrad'] / rate['ippo']:.2f} of IPPO's speed (goal 0.5)")
        print(f"  the world takes {share:.1%} of IPPO's time (goal < 10 %)")


if __name__ == "__main__":
    main()
