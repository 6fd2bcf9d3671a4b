"""What makes one grid world: its map, its numbers, its kernels by name, and how it reads.

Plain data, so that a world can be copied and pickled at any time; the kernels are found by the
name of their module.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .beams import beam_cells, beam_offsets
from .maps import GridMap, spawn_cells, start_cells
from .params import BeamParams, GridParams
from .state import CLEANED, COLLECTED, EMPTY, WALL, ZAPPED, ZAPS, Layout

SPAWN_SYMBOL, WALL_SYMBOL = "S", "#"


@dataclass(frozen=True)
class GridGame:
    """One grid world, ready to be played.

    Attributes:
        grid: the map.
        layout, rules: what the kernels take.
        module: the module with the kernels ``reset`` and ``step``.
        agents: seats.
        horizon: steps.
        items: names of the item codes, from 0.
        glyphs: one symbol for each of them, for maps in text.
        flags: names of the four flags of a seat's code, from the lowest bit.
        actions: names of the actions.
        events: names of what a step's infos tell, with their columns in ``State.events``.
        things: item codes that a seat is told the number and the nearest of, in words.
        holdings: the first item code that is not on the map, but held by the viewer.
        counters, extras: widths of ``State.stock`` and ``State.extra``.
    """

    grid: GridMap
    layout: Layout
    rules: Any
    module: str
    agents: int
    horizon: int
    items: tuple[str, ...]
    glyphs: str
    flags: tuple[str, ...]
    actions: tuple[str, ...]
    events: Mapping[str, int]
    counters: int
    extras: int = 0
    things: tuple[int, ...] = ()
    holdings: int = 256

    @property
    def sprites(self) -> tuple[str, ...]:
        """A sprite for every item code; what is held is not drawn."""
        held = len(self.items) - min(self.holdings, len(self.items))
        return (*self.items[: len(self.items) - held], *("empty",) * held)

    @property
    def counted(self) -> dict[str, int]:
        """The sums over a match that are measures of this world: column in ``State.tally``."""
        told = {"zaps": ZAPS, "zapped": ZAPPED, "cleaned": CLEANED, "collected": COLLECTED}
        known = {*self.events, *(("zaps",) if "zapped" in self.events else ())}
        return {name: column for name, column in told.items() if name in known}

    @property
    def kernels(self) -> Any:
        """The module with the kernels."""
        return importlib.import_module(self.module)


def layout(
    params: GridParams,
    grid: GridMap,
    codes: Mapping[str, int],
    *,
    sites: str,
    goals: str,
    banks: str = "",
    near: Sequence[tuple[int, int]] = (),
    closed: Sequence[int] = (),
    bare: Sequence[int] = (),
    beam: tuple[str, int] = ("short", 1),
) -> Layout:
    """The map as numbers of cells.

    Args:
        params: for the seats, their places and the beam.
        grid: the map.
        codes: item code of each symbol.
        sites: symbols of ``Layout.sites``.
        goals: symbols that ``near`` and ``far`` are measured from.
        banks: symbols of ``Layout.banks``.
        near: (rows, columns) to each neighbour in a growth rule.
        closed: item codes that nobody can step on, beside walls.
        bare: item codes that beams are drawn over, beside the empty one.
        beam: shape and length of the beam, where they are not parameters.
    """
    forward = grid.forward
    shape = (params.beam, params.beam_length) if isinstance(params, BeamParams) else beam
    cells, behind = beam_cells(*shape)
    rows, columns = np.indices(grid.padded, dtype=np.int32).reshape(2, -1)
    base = grid.codes(codes)
    can_enter, can_light = np.ones(256, np.uint8), np.zeros(256, np.uint8)
    can_enter[[WALL, *closed]] = 0
    can_light[[EMPTY, *bare]] = 1
    places = grid.cells(sites)
    index = np.full(len(base), -1, np.int32)
    index[places] = np.arange(len(places))
    return Layout(
        row=rows.copy(),
        column=columns.copy(),
        forward=forward,
        base=base,
        open=can_enter,
        bare=can_light,
        spawns=spawn_cells(grid, SPAWN_SYMBOL, params.agents),
        fixed=start_cells(
            grid,
            params.spawn_positions,
            agents=params.agents,
            spawns=SPAWN_SYMBOL,
            goals=goals,
            walls=WALL_SYMBOL,
        ),
        sites=places,
        index=index,
        banks=grid.cells(banks),
        near=np.array([r * grid.stride + c for r, c in near], np.int32),
        beam=beam_offsets(cells, forward),
        behind=np.array(behind, np.int32),
    )
