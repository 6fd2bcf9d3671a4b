"""The first convolution over maps of codes, without ever making the planes.

A map cell holds K codes (bytes), each of which stands for a fixed column of planes, mostly zeros.
Convolving the planes is then adding up, for every cell, the kernel column that its codes pick: a
table lookup, some ten times cheaper than multiplying by zeros. :func:`code_table` finds out what
each code stands for; :func:`lookup_convolution` gives the numbers that a convolution of the planes
would give, and can be differentiated twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeAlias

import numba
import numpy as np
import torch

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_CODES = 256


def code_table(planes: Callable[[Array], Array], shape: tuple[int, ...]) -> Array | None:
    """What every code stands for.

    Args:
        planes: codes ``[N, H, W, K]`` to float planes ``[N, C, H, W]``.
        shape: ``(H, W, K)``.

    Returns:
        float32 ``[K, 256, C]`` such that a cell's planes are the sum of its codes' rows, or None if
        ``planes`` is no such sum (then the planes must be made).
    """
    rows = []
    for k in range(shape[2]):
        codes = np.zeros((_CODES, *shape), np.uint8)
        codes[..., k] = np.arange(_CODES)[:, None, None]
        rows.append(planes(codes)[:, :, 0, 0])
    table = np.stack(rows).astype(np.float32)
    mixed = np.random.default_rng(0).integers(0, _CODES, (64, *shape)).astype(np.uint8)
    added = sum(table[k][mixed[..., k]] for k in range(shape[2]))
    same = np.array_equal(np.moveaxis(np.asarray(added), -1, 1), planes(mixed))
    return table if same and not table[:, 0].any() else None


def kernel_rows(weight: torch.Tensor, table: torch.Tensor, stride: int) -> torch.Tensor:
    """What each code adds to the outputs around it, as rows for :func:`lookup_convolution`.

    Args:
        weight: the kernel ``[M, O, C, k, k]`` with k odd.
        table: ``[K, 256, C]`` from :func:`code_table`.
        stride: 1 or more.

    Returns:
        ``[M, U, k, stride, ceil(k / stride), O]``, a row for each of the U codes that stand for
        anything: some thirty of 512, so that they stay in a core's cache.
    """
    size = weight.shape[-1]
    taps = -(-size // stride)
    # For each residue of a column modulo the stride, the kernel columns that can meet it, right to
    # left: their outputs lie next to each other, so one run of additions serves them all.
    padded = torch.nn.functional.pad(weight, (0, taps * stride - size))
    columns = padded.reshape(*weight.shape[:-1], taps, stride).flip(-2)
    return torch.einsum("uc,mocyjp->muypjo", table[table.any(-1)], columns).contiguous()


def lookup_convolution(codes: Array, rows: torch.Tensor, table: torch.Tensor) -> Any:
    """Convolve the planes of ``codes``, zero-padded to keep the size.

    Args:
        codes: uint8 ``[B, M, H, W, K]``, contiguous; a mind an index of axis 1.
        rows: from :func:`kernel_rows`.
        table: from :func:`code_table`.

    Returns:
        float32 ``[M, B, H', W', O]`` with H' = ceil(H / stride).
    """
    size, stride = rows.shape[2:4]
    used = table.any(-1).numpy()
    row_of = np.where(used, used.cumsum().reshape(used.shape) - 1, -1)
    apply: Any = _Lookup.apply  # torch types it not
    return apply(rows, codes, row_of, size, stride)


class _Lookup(torch.autograd.Function):
    """Sum of table rows; linear in the table, so its gradient's gradient is itself."""

    @staticmethod
    def forward(
        ctx: Any, picked: torch.Tensor, codes: Array, row_of: Array, size: int, stride: int
    ) -> torch.Tensor:
        ctx.rest = (codes, row_of, size, stride)
        ctx.shape = picked.shape
        return _add_up(picked, codes, row_of, size, stride)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        apply: Any = _Spread.apply
        return apply(grads[0], ctx.shape, *ctx.rest), None, None, None, None


class _Spread(torch.autograd.Function):
    """The transpose of :class:`_Lookup`."""

    @staticmethod
    def forward(
        ctx: Any,
        grad: torch.Tensor,
        shape: torch.Size,
        codes: Array,
        row_of: Array,
        size: int,
        stride: int,
    ) -> torch.Tensor:
        ctx.rest = (codes, row_of, size, stride)
        return _spread_out(grad.contiguous(), shape, codes, row_of, size, stride)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        apply: Any = _Lookup.apply
        out = apply(grads[0].contiguous(), *ctx.rest)
        return out, None, None, None, None, None


def _add_up(
    picked: torch.Tensor, codes: Array, row_of: Array, size: int, stride: int
) -> torch.Tensor:
    batch, minds, height, width = codes.shape[:4]
    taps, channels = picked.shape[-2:]
    rows = picked.detach().reshape(*picked.shape[:-2], taps * channels).numpy()
    high, wide = -(-height // stride), -(-width // stride)
    out = torch.empty(minds, batch, high, wide, channels)
    into = out.numpy().reshape(minds, batch, high, wide * channels)

    def work(mind: int, first: int, last: int) -> None:
        seen, made = codes[first:last, mind], into[mind, first:last]
        _add_rows(rows[mind], seen, row_of, size, stride, channels, made)

    _in_chunks(work, minds, batch)
    return out


def _spread_out(
    grad: torch.Tensor, shape: torch.Size, codes: Array, row_of: Array, size: int, stride: int
) -> torch.Tensor:
    batch, minds = codes.shape[:2]
    taps, channels = shape[-2:]
    given = grad.detach().numpy().reshape(minds, batch, grad.shape[2], -1)
    parts = np.zeros((_CHUNKS, *shape[:-2], taps * channels), np.float32)

    def work(mind: int, first: int, last: int) -> None:
        into = parts[0 if first == 0 else 1, mind]
        seen, come = codes[first:last, mind], given[mind, first:last]
        _spread_rows(come, seen, row_of, size, stride, channels, into)

    _in_chunks(work, minds, batch)
    # Added in a fixed order: the same bytes at any number of threads.
    return torch.from_numpy(parts.sum(0)).reshape(shape)


_CHUNKS = 2


def _in_chunks(work: Callable[[int, int, int], None], minds: int, batch: int) -> None:
    edges = [-(-batch * chunk // _CHUNKS) for chunk in range(_CHUNKS + 1)]
    jobs = [
        (mind, first, last)
        for mind in range(minds)
        for first, last in itertools.pairwise(edges)
        if last > first
    ]
    threads = torch.get_num_threads()
    if threads == 1:
        for job in jobs:
            work(*job)
        return
    for done in [_pool(threads).submit(work, *job) for job in jobs]:
        done.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="lookup")


@numba.njit(nogil=True, cache=True)
def _add_rows(
    rows: Any, codes: Any, row_of: Any, size: int, stride: int, channels: int, out: Any
) -> None:
    """One mind: rows ``[U, k, stride, taps * O]``, codes ``[B, H, W, K]``."""
    batch, height, width, kinds = codes.shape
    high, wide = out.shape[1], out.shape[2] // channels
    run = rows.shape[-1]
    taps = run // channels
    pad = (size - 1) // 2
    # Runs may begin taps - 1 columns before the map and end as many after it.
    board = np.empty((high, (wide + 2 * taps) * channels), np.float32)
    for b in range(batch):
        board[:] = 0
        for y in range(height):
            for x in range(width):
                at = ((x + pad) // stride + 1) * channels
                residue = (x + pad) % stride
                for k in range(kinds):
                    u = row_of[k, codes[b, y, x, k]]
                    if u < 0:
                        continue
                    for dy in range(size):
                        oy = y + pad - dy
                        if oy < 0 or oy % stride != 0 or oy // stride >= high:
                            continue
                        line = board[oy // stride, at : at + run]
                        row = rows[u, dy, residue]
                        for c in range(run):
                            line[c] += row[c]
        for y in range(high):
            for c in range(wide * channels):
                out[b, y, c] = board[y, run + c]


@numba.njit(nogil=True, cache=True)
def _spread_rows(
    grad: Any, codes: Any, row_of: Any, size: int, stride: int, channels: int, rows: Any
) -> None:
    """The transpose of :func:`_add_rows`; adds to ``rows``."""
    batch, height, width, kinds = codes.shape
    high, wide = grad.shape[1], grad.shape[2] // channels
    run = rows.shape[-1]
    taps = run // channels
    pad = (size - 1) // 2
    board = np.zeros((high, (wide + 2 * taps) * channels), np.float32)
    for b in range(batch):
        for y in range(high):
            for c in range(wide * channels):
                board[y, run + c] = grad[b, y, c]
        for y in range(height):
            for x in range(width):
                at = ((x + pad) // stride + 1) * channels
                residue = (x + pad) % stride
                for k in range(kinds):
                    u = row_of[k, codes[b, y, x, k]]
                    if u < 0:
                        continue
                    for dy in range(size):
                        oy = y + pad - dy
                        if oy < 0 or oy % stride != 0 or oy // stride >= high:
                            continue
                        line = board[oy // stride, at : at + run]
                        row = rows[u, dy, residue]
                        for c in range(run):
                            row[c] += line[c]
