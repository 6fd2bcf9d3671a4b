"""Fit the learned baselines to procedural rooms: ``python -m gymposium.envs.rooms.baselines.fit``.

Writes ``fitted.npz`` beside this file: a thousand rooms of each type and three thousand steps of
Adam take about five minutes on one core. The same command gives the same file on the same machine
and version of torch; on others the last digits differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gymposium.errors import MissingExtra

from . import facings
from .denoiser import STEPS, clean, noise_left, shapes, waves
from .diffusion import coded
from .records import Records, procedural

ROOMS, UPDATES, BATCH, RATE = 1000, 3000, 64, 2e-3


def turned(records: Records) -> Records:
    """The rooms and their seven images under quarter turns and reflection."""
    found = [records]
    for _ in range(3):
        last = found[-1]
        numbers, rooms = last.numbers.copy(), last.rooms.copy()
        x, y, c, s = (last.numbers[..., k] for k in range(4))
        there = (np.hypot(c, s) > 0).astype(float)
        numbers[..., 0], numbers[..., 1] = (1 - y) * there, x
        numbers[..., 2], numbers[..., 3] = -s, c
        rooms[:, 0], rooms[:, 1] = last.rooms[:, 1], last.rooms[:, 0]
        found.append(Records(last.categories, numbers, rooms))
    for one in found[:4]:
        numbers = one.numbers.copy()
        there = (np.hypot(numbers[..., 2], numbers[..., 3]) > 0).astype(float)
        numbers[..., 0] = (1 - numbers[..., 0]) * there
        numbers[..., 2] = -numbers[..., 2]
        found.append(Records(one.categories, numbers, one.rooms))
    return Records(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def fit_denoiser(
    records: Records, *, updates: int = UPDATES, seed: int = 0
) -> tuple[dict[str, Any], list[float]]:
    """Fit the diffusion model: its matrices, and the loss of every update.

    Raises:
        MissingExtra: torch is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("fitting the baselines", extra="train", module="torch") from error
    draw = torch.Generator().manual_seed(seed)
    data = torch.tensor(coded(records.categories, records.numbers), dtype=torch.float32)
    rooms = torch.tensor(records.rooms, dtype=torch.float32)
    left = torch.tensor(noise_left(), dtype=torch.float32)
    wave = torch.tensor(waves(np.arange(STEPS)), dtype=torch.float32)
    weights = {
        name: (torch.randn(shape, generator=draw) / shape[0] ** 0.5).requires_grad_()
        for name, shape in shapes().items()
    }
    optimiser = torch.optim.Adam(list(weights.values()), lr=RATE)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda n: 1 - 0.95 * n / updates)
    losses = []
    for _ in range(updates):
        rows = torch.randint(len(data), (BATCH,), generator=draw)
        step = torch.randint(STEPS, (BATCH,), generator=draw)
        shares = left[step][:, None, None]
        noise = torch.randn(data[rows].shape, generator=draw)
        noisy = shares.sqrt() * data[rows] + (1 - shares).sqrt() * noise
        told = torch.cat([wave[step], rooms[rows]], dim=1)
        loss = ((clean(weights, noisy, told, torch) - data[rows]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        falling.step()
        losses.append(float(loss.detach()))
    return {name: matrix.detach().numpy() for name, matrix in weights.items()}, losses


def main() -> None:
    """Fit all, and write the file."""
    records = procedural(ROOMS, seed=0)
    chain = facings.fit(records)
    weights, _ = fit_denoiser(turned(records))
    stored = {f"facings_{name}": value for name, value in chain._asdict().items()} | weights
    path = Path(__file__).with_name("fitted.npz")
    np.savez_compressed(path, **{name: value.astype(np.float16) for name, value in stored.items()})


if __name__ == "__main__":
    main()
