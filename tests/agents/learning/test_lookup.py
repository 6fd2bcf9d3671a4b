"""Lookups in place of a convolution: the same numbers, to the second derivative."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from gymposium.agents.learning.lookup import code_table, kernel_rows, lookup_convolution
from gymposium.envs.grid.views import planes

SHAPE = (7, 5, 2)
ITEMS = 6


def table() -> torch.Tensor:
    found = code_table(lambda codes: planes(codes, ITEMS), SHAPE)
    assert found is not None
    return torch.from_numpy(found)


def codes(batch: int, minds: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    return rng.integers(0, 256, (batch, minds, *SHAPE)).astype(np.uint8) % [[[[ITEMS, 255]]]]


def by_lookup(seen: np.ndarray, weight: torch.Tensor, stride: int) -> torch.Tensor:
    known = table()
    return lookup_convolution(seen.astype(np.uint8), kernel_rows(weight, known, stride), known)


def by_planes(seen: np.ndarray, weight: torch.Tensor, stride: int) -> torch.Tensor:
    shown = torch.from_numpy(planes(seen, ITEMS)).to(weight.dtype)
    pad = (weight.shape[-1] - 1) // 2
    each = [F.conv2d(shown[:, m], w, None, stride, pad) for m, w in enumerate(weight)]
    return torch.stack(each).permute(0, 1, 3, 4, 2)


def kernel(minds: int, size: int) -> torch.Tensor:
    rng = np.random.default_rng(size)
    weight = rng.normal(size=(minds, 8, table().shape[-1], size, size)).astype(np.float32)
    return torch.from_numpy(weight).requires_grad_()


@pytest.mark.parametrize(("size", "stride"), [(5, 1), (3, 1), (3, 2), (5, 2), (5, 3), (1, 1)])
def test_outputs_and_gradients_are_those_of_convolving_the_planes(size: int, stride: int) -> None:
    seen, weight = codes(9, 3), kernel(3, size)
    fast, slow = by_lookup(seen, weight, stride), by_planes(seen, weight, stride)
    torch.testing.assert_close(fast, slow, rtol=1e-4, atol=1e-4)
    pull = torch.from_numpy(np.random.default_rng(0).normal(size=fast.shape).astype(np.float32))
    (first,), (second,) = (torch.autograd.grad((x * pull).sum(), weight) for x in (fast, slow))
    torch.testing.assert_close(first, second, rtol=1e-4, atol=1e-3)


def test_second_derivatives_are_too() -> None:
    seen, weight = codes(4, 2), kernel(2, 3)
    found = []
    for convolve in (by_lookup, by_planes):
        height = (convolve(seen, weight, 2).sin() ** 2).mean()
        (once,) = torch.autograd.grad(height, weight, create_graph=True)
        (twice,) = torch.autograd.grad((once * once.detach()).sum(), weight)
        found.append(twice)
    assert found[1].abs().max() > 1e-4
    torch.testing.assert_close(*found, rtol=1e-3, atol=1e-5)


def test_planes_that_are_no_sum_of_codes_have_no_table() -> None:
    def product(seen: np.ndarray) -> np.ndarray:
        return (seen[..., 0] * seen[..., 1]).astype(np.float32)[:, None]

    assert code_table(product, SHAPE) is None
