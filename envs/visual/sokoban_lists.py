"""Which rooms are for training and which for testing: seeds of the generator, kept in a file.

Wang et al., VAGEN (2025): 10,000 seeds to train and 128 to test, all solved by at most 5 moves.
Here they are the first such seeds; those to test have rooms that differ from each other and from
all to train (derived: the original lists share rooms). A test makes the file's contents anew.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .kernels import sokoban_maker

SIZE, BOXES, MOST = 6, 1, 5
TRAIN, TEST = 10_000, 128
_FILE = "lists/sokoban.txt"


class Lists(NamedTuple):
    """Seeds of rooms, uint64."""

    train: Any
    test: Any


def rooms(seeds: Any) -> Any:
    """The rooms of generator seeds: uint8 ``[L, SIZE SIZE]``, codes."""
    grid = np.zeros((len(seeds), SIZE * SIZE), np.uint8)
    rng = np.zeros((len(seeds), 4), np.uint64)
    desk = sokoban_maker.new_desk(SIZE, SIZE, BOXES)
    sokoban_maker.rooms_of(np.asarray(seeds, np.uint64), grid, rng, desk, SIZE, SIZE, BOXES)
    return grid


def optima(grid: Any, most: int = MOST) -> Any:
    """The fewest moves that solve rooms, int64 ``[L]``; -1 if there are none up to ``most``."""
    found = np.zeros(len(grid), np.int64)
    desk = sokoban_maker.new_desk(SIZE, SIZE, BOXES)
    sokoban_maker.optima(grid, desk, SIZE, BOXES, most, found)
    return found


def computed() -> Lists:
    """The lists from scratch."""
    seeds = np.arange(2 * TRAIN, dtype=np.uint64)
    grid = rooms(seeds)
    short = np.flatnonzero(optima(grid) > 0)
    train = short[:TRAIN]
    known = {grid[index].tobytes() for index in train}
    test: list[int] = []
    for index in short[TRAIN:].tolist():
        room = grid[index].tobytes()
        if room not in known and len(test) < TEST:
            known.add(room)
            test.append(index)
    return Lists(seeds[train], seeds[test])


@cache
def kept() -> Lists:
    """The lists as the file has them."""
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    bits, test = text.split("\n\n")[1:]
    marked = np.unpackbits(np.frombuffer(bytes.fromhex("".join(bits.split())), np.uint8))
    return Lists(
        np.flatnonzero(marked).astype(np.uint64), np.array(test.split(), np.int64).astype(np.uint64)
    )


def as_text(lists: Lists) -> str:
    """What the file holds: the seeds to train as bits, those to test as numbers."""
    marked = np.zeros(-(-int(lists.train.max() + 1) // 8) * 8, np.uint8)
    marked[lists.train.astype(np.int64)] = 1
    digits = np.packbits(marked).tobytes().hex()
    lines = [digits[at : at + 96] for at in range(0, len(digits), 96)]
    test = lists.test.astype(str).tolist()
    rows = [" ".join(test[at : at + 16]) for at in range(0, len(test), 16)]
    head = "Seeds of Sokoban rooms: a bit for each one to train, then those to test."
    return "\n".join([head, "", *lines, "", *rows, ""])


@cache
def pool(split: str) -> Any:
    """The rooms of a list, uint8 ``[L, SIZE SIZE]``; not to be written to."""
    lists = kept()
    made = rooms(lists.train if split == "train" else lists.test)
    made.flags.writeable = False
    return made
