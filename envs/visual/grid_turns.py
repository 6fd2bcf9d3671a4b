"""Grid worlds answered by reasoning: Sokoban and FrozenLake of VAGEN, one class for both.

A match is the batch of one of a :class:`~gymposium.envs.visual.boards.Board`. Replies are read by
:mod:`.reasoned_turns`; with ``control="move"`` a turn is one move instead, Discrete, for learners
that need no language, and it is the same match: as many moves as replies could carry.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Action, Turn

from ..grid.batch import seed_of
from ..limits import whole
from ..seeds import checked_seed
from ..words import SpaceWords
from . import grid_beliefs
from .boards import Board
from .reasoned_params import SHOWS, ReasonedTurnsParams
from .reasoned_turns import SEAT, ReasonedTurns
from .sprites import picture
from .strategies import Said

if TYPE_CHECKING:
    from gymposium.types import Image, Space

    from .codes_vector import CodesVectorWorld

REPLY, MOVE = "reply", "move"
SPLITS = ("train", "test", "any")
MOVES = ("Up", "Down", "Left", "Right")
LIMIT = 100
"""Moves of a match, whatever its turns."""


@dataclass(frozen=True)
class GridTurnsParams(ReasonedTurnsParams):
    """What both grids have in common."""

    shown: ClassVar[tuple[str, ...]] = (*SHOWS, "codes")
    shows: str = field(
        default="image",
        metadata={"doc": "what is seen; codes only with moves", "choices": (*SHOWS, "codes")},
    )
    control: str = field(
        default=REPLY,
        metadata={"doc": "a turn is a whole reply or one move", "choices": (REPLY, MOVE)},
    )
    split: str = field(
        default="train", metadata={"doc": "which list levels are from", "choices": SPLITS}
    )
    level: int | None = field(
        default=None, metadata={"doc": "the one level of the list; None to draw it each match"}
    )
    pixels: int = field(default=300, metadata={"doc": "side of a picture", "range": [24, 1024]})
    legacy: bool = field(default=False, metadata={"doc": "the original program's quirks"})

    def __post_init__(self) -> None:
        super().__post_init__()
        where = type(self).__name__
        for name, known in (("control", (REPLY, MOVE)), ("split", SPLITS)):
            if getattr(self, name) not in known:
                raise UnknownName(name, str(getattr(self, name)), known, where=where)
        whole(where, "pixels", self.pixels, 24, 1024)
        if self.shows == "codes" and self.control != MOVE:
            raise UsageError(f"{where}: shows='codes' is for control='move'; replies need words")
        if self.level is not None:
            if self.split == "any":
                raise UsageError(f"{where}: level is of a list: give split='train' or 'test'")
            whole(where, "level", self.level, 0, levels(self.split) - 1)


def levels(split: str) -> int:
    """How many levels a list has."""
    return {"train": 10_000, "test": 128}[split]


class GridTurns(ReasonedTurns):
    """Base of the two grids.

    Attributes:
        sheet: name of its sprites.
        symbols: of every code of a cell.
        legend: the kinds of things in a cell, by symbol.
        kinds: the kinds that beliefs are about.
        weights: what a right belief of each kind is worth.
        partly: whether one right axis counts half.
    """

    actions = MOVES
    sheet: ClassVar[str]
    symbols: str
    legend: ClassVar[Mapping[str, Sequence[str]]]
    kinds: ClassVar[tuple[str, ...]]
    weights: ClassVar[Mapping[str, float]]
    partly: ClassVar[bool]

    def __init__(self, params: GridTurnsParams) -> None:
        self.params = params
        self._moves = params.control == MOVE
        self._board = board = self.board(1)
        self._rewards = np.zeros(1, np.float32)
        self._chosen = np.zeros(1, np.int64)
        self._is_over = self._is_done = False
        cell = params.pixels // max(board.height, board.width)
        self._seat_reader((board.height * cell, board.width * cell))

    @abstractmethod
    def board(self, rows: int) -> Board:
        """So many matches of this world."""

    def vector(
        self, num_envs: int, *, num_threads: int = 1, autoreset: str = "next_step"
    ) -> CodesVectorWorld:
        """Many matches in codes (``gymposium.make_vec``); one thread steps them all."""
        from .codes_vector import CodesVectorWorld

        return CodesVectorWorld(self, num_envs, autoreset=autoreset)

    @property
    def moves(self) -> int:
        """The most moves of a match."""
        p = self.params
        return min(LIMIT, int(p.turns * p.actions_per_turn))

    @property
    def codes(self) -> Any:
        """The cells now, fresh uint8 ``[H, W]``."""
        return self._board.grid[0].reshape(self._board.height, self._board.width).copy()

    def code_space(self) -> spaces.Box:
        """The space of codes as they are handed out, ``[H, W, 1]``: a map of one layer."""
        board = self._board
        return spaces.Box(0, board.codes - 1, (board.height, board.width, 1), np.uint8)

    def _take_seat(self, seen: Space, answer: Space) -> None:
        if self._moves:
            self.horizon, answer = self.moves, spaces.Discrete(len(MOVES))
            if self.params.shows == "codes":
                seen, self._shown = self.code_space(), False
        super()._take_seat(seen, answer)

    # The rules.

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match; the same one as a vector world's row whose ``seeds`` entry is ``seed``."""
        self._seed = np.array([seed_of(checked_seed(self.id, seed))], np.uint64)
        return super().reset(seed)

    def _start(self, rng: np.random.Generator) -> None:
        self._board.begin(self._seed, np.ones(1, np.bool_))
        self._is_over = self._is_done = False

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        if not self._moves:
            return super()._play(actions)
        action = actions[SEAT]
        word = "" if action is None else MOVES[action]
        return {SEAT: self._carry_out(Said(False, {}, word), 0)}

    def _do(self, action: Any) -> float:
        self._chosen[0] = action
        over, done = self._board.play(self._chosen, np.zeros(1, np.bool_), self._rewards)
        self._is_over, self._is_done = bool(over[0]), bool(done[0])
        return round(float(self._rewards[0]), 6)

    def _done(self) -> tuple[bool, bool]:
        return self._is_over or int(self._board.clock[0]) >= LIMIT, self._is_done

    def _ended(self) -> tuple[bool, bool, str]:
        if self._over_now and not self._is_over:
            return False, True, f"all {LIMIT} moves were made"
        return super()._ended()

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        return {} if self._moves else super()._tables()

    def _truth(self) -> dict[str, Any]:
        return self.state_of(self.codes)

    def state_of(self, codes: Any) -> dict[str, Any]:
        """Codes ``[H, W]`` as the state that beliefs are about: places by kind, and the map."""
        rows = self.drawing(codes).splitlines()
        found: dict[str, Any] = {"player": [], **{kind: [] for kind in self.kinds}}
        for row, line in enumerate(rows):
            for column, mark in enumerate(line):
                for kind in self.legend.get(mark, ()):
                    found[kind].append([row, column])
        return {**found, "player": found["player"][0], "map": rows}

    def drawing(self, codes: Any) -> str:
        """Codes ``[H, W]`` in symbols, a line a row."""
        return "\n".join("".join(self.symbols[code] for code in row) for row in codes.tolist())

    def _score(self, text: str, truth: Mapping[str, Any]) -> float:
        return grid_beliefs.score(
            text,
            truth,
            self.params.representation,
            legend=self.legend,
            weights=self.weights,
            partly=self.partly,
        )

    def _situation(self) -> bytes:
        board = self._board
        return bytes(board.grid.tobytes() + board.clock.tobytes()) + self._luck()

    def _luck(self) -> bytes:
        """The generator of the match, where something is still to be drawn."""
        return b""

    def _observe(self, seat: str) -> Any:
        return self.codes[..., None] if self.params.shows == "codes" else super()._observe(seat)

    # Words and pictures.

    def _scene(self) -> str:
        return self.drawing(self.codes)

    def _picture(self) -> Image:
        return picture(self.sheet, self.codes, self.params.pixels)

    def _example(self, before: Sequence[str], after: Sequence[str], why: str) -> dict[str, str]:
        """The parts of a worked example, from drawings of the state before and after."""
        states = []
        for rows in (before, after):
            codes = np.array([[self.symbols.index(mark) for mark in row] for row in rows], np.uint8)
            states.append(grid_beliefs.told(self.state_of(codes), self.params.representation))
        return {"think": why, "reasoning": why, "observation": states[0], "prediction": states[1]}

    def action_labels(self, seat: str) -> Any:
        """The four moves; a reply has no names."""
        return MOVES if self._moves else None

    def _reminder(self) -> str:
        return self.how_to_answer(SEAT) if self._moves else super()._reminder()

    def rules(self, seat: str) -> str:
        """The task, and what an answer looks like."""
        if self._moves:
            return f"You are {seat}. {self._told()}\n{self.how_to_answer(seat)}"
        return super().rules(seat)

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The text of the observation, or its codes in symbols."""
        if self.params.shows == "codes":
            return f"{self.drawing(observation[..., 0])}\n{self.how_to_answer(seat)}"
        return super().describe(seat, observation, info)

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The picture of the observation; codes can be drawn too."""
        if self.params.shows == "codes":
            return (picture(self.sheet, observation[..., 0], self.params.pixels),)
        return super().images(seat, observation, info)

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Of a reply, or of a move."""
        if self._moves:
            return SpaceWords.action_schema(self, seat, observation, info)
        return super().action_schema(seat, observation, info)

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The reply as it stands, or the move that is meant."""
        if self._moves:
            return SpaceWords.parse(self, seat, text, observation, info)
        return super().parse(seat, text, observation, info)

    def format(self, seat: str, action: Action) -> str:
        """The reply as it stands, or the name of the move."""
        return (
            SpaceWords.format(self, seat, action) if self._moves else super().format(seat, action)
        )
