"""Bots for Sokoban and FrozenLake: an oracle, one who misreads the state at set rates, and a pair.

The responder is the study without learning that we derive from Wang et al., VAGEN (2025): it is
told the truth in ``info``, misreads each thing with a set probability, writes the whole reply of
the strategy, and plans on the belief that it has stated. Success then grows with accuracy.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.limits import real
from ...envs.visual.grid_beliefs import told
from ...envs.visual.pair_views import LABELS
from ...envs.visual.replies import written
from ...envs.visual.strategies import parts_of

WORLDS = ("sokoban-v0", "frozen_lake-v0")
MOVES = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}
_KINDS = ("box", "target", "hole")
_MOST = 50_000  # states looked at before a search gives up
Place = tuple[int, int]
State = tuple[Place, frozenset[Place]]


class Puzzle:
    """A believed state that one can plan in: ``push`` moves boxes, ``walk`` avoids holes."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.pushes = "box" in state
        self.walls = {
            (row, column)
            for row, line in enumerate(state["map"])
            for column, mark in enumerate(line)
            if mark == "#"
        }
        self.height, self.width = len(state["map"]), len(state["map"][0])
        self.targets = {_place(each) for each in state["target"]}
        self.holes = {_place(each) for each in state.get("hole", ())}
        boxes = frozenset(_place(each) for each in state.get("box", ()))
        self.start: State = (_place(state["player"]), boxes)

    def after(self, state: State, move: str) -> State:
        """Where a move leads; the same state if it is held back."""
        (y, x), boxes = state
        dy, dx = MOVES[move]
        there, beyond = (y + dy, x + dx), (y + 2 * dy, x + 2 * dx)
        if not self._free(there):
            return state
        if there in boxes:
            if beyond in boxes or not self._free(beyond):
                return state
            boxes = boxes - {there} | {beyond}
        return there, boxes

    def done(self, state: State) -> bool:
        """Whether the boxes are home, or the walker is."""
        return state[1] <= self.targets if self.pushes else state[0] in self.targets

    def plan(self) -> list[str]:
        """The fewest moves to the end, breadth first; none if there is no way or none is found."""
        came: dict[State, tuple[State, str] | None] = {self.start: None}
        queue = deque([self.start])
        while queue and len(came) < _MOST:
            state = queue.popleft()
            if self.done(state):
                return self._moves(came, state)
            for move in MOVES:
                after = self.after(state, move)
                if after not in came and after[0] not in self.holes:
                    came[after] = (state, move)
                    queue.append(after)
        return []

    def _moves(self, came: Mapping[State, tuple[State, str] | None], state: State) -> list[str]:
        moves: list[str] = []
        while (step := came[state]) is not None:
            state, move = step
            moves.append(move)
        return moves[::-1]

    def _free(self, place: Place) -> bool:
        inside = 0 <= place[0] < self.height and 0 <= place[1] < self.width
        return inside and place not in self.walls

    def described(self, state: State) -> dict[str, Any]:
        """A state as beliefs are told: places by kind, and the map in symbols."""
        player, boxes = state
        kinds: dict[str, list[list[int]]] = {
            "target": [list(each) for each in sorted(self.targets)]
        }
        kinds["box" if self.pushes else "hole"] = [
            list(each) for each in sorted(boxes if self.pushes else self.holes)
        ]
        rows = [
            "".join(self._mark((row, column), player, boxes) for column in range(self.width))
            for row in range(self.height)
        ]
        return {"player": [*player], **kinds, "map": rows}

    def _mark(self, place: Place, player: Place, boxes: frozenset[Place]) -> str:
        if place == player:
            on = place in self.targets
            return ("S" if on else "P") if self.pushes else "√" if on else "P"
        if place in boxes:
            return "√" if place in self.targets else "X"
        if place in self.targets:
            return "O" if self.pushes else "G"
        return "#" if place in self.walls else "O" if place in self.holes else "_"


class PuzzleResponder:
    """Says what it believes, which is wrong at set rates, and plans on what it said.

    Args:
        seeing: the chance of reading each thing rightly where it is (p_SE).
        foreseeing: the chance of saying each thing rightly where it will be (p_TM).
    """

    name: ClassVar[str] = "puzzle_responder"
    summary: ClassVar[str] = "Plans on a stated belief, in which things are misread at a set rate."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(self, seeing: float = 1.0, foreseeing: float = 1.0) -> None:
        self._seeing = real(self.name, "seeing", seeing, 0, 1)
        self._foreseeing = real(self.name, "foreseeing", foreseeing, 0, 1)

    def reset(self, seat: Seat, seed: int) -> None:
        """A new puzzle."""
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> Any:
        """A reply of the strategy with the first moves of a plan, or one move if that is asked."""
        info = turn.info
        if "state" not in info:
            raise UsageError(f"{self.name} plays {' and '.join(WORLDS)} only")
        puzzle = Puzzle(self._misread(info["state"], self._seeing))
        plan = puzzle.plan() or [[*MOVES][int(self._rng.integers(4))]]
        if hasattr(turn.action_space, "n"):
            return [*MOVES].index(plan[0])
        moves, state = plan[: info["actions_per_turn"]], puzzle.start
        for move in moves:
            state = puzzle.after(state, move)
        ahead = self._misread(puzzle.described(state), self._foreseeing)
        said = {
            "observation": told(puzzle.described(puzzle.start), info["representation"]),
            "prediction": told(ahead, info["representation"]),
            "reasoning": f"The way is {', '.join(plan)}.",
            "think": f"The way is {', '.join(plan)}.",
        }
        parts = {name: said[name] for name in parts_of(info["strategy"])}
        form = "json" if turn.schema.get("type") == "object" else "tags"
        return written(info["strategy"], moves, parts, form=form)

    def _misread(self, state: Mapping[str, Any], right: float) -> dict[str, Any]:
        """The state with each box, target and hole at a wrong free cell, at the set rate."""
        taken = {_place(state["player"])}
        taken |= {
            _place(each) for kind in ("box", "target", "hole") for each in state.get(kind, ())
        }
        free = [
            (row, column)
            for row, line in enumerate(state["map"])
            for column, mark in enumerate(line)
            if mark != "#" and (row, column) not in taken
        ]
        found: dict[str, Any] = dict(state)
        for kind in _KINDS:
            if kind not in state:
                continue
            found[kind] = [list(each) for each in state[kind]]
            for index in range(len(found[kind])):
                if self._rng.random() >= right and free:
                    found[kind][index] = [*free.pop(int(self._rng.integers(len(free))))]
        return Puzzle(found).described(Puzzle(found).start)


class PuzzleOracle(PuzzleResponder):
    """Plays shortest solutions, and says truly what is and what will be."""

    name = "puzzle_oracle"
    summary = "Reads the state rightly and takes the shortest way, breadth first."

    def __init__(self) -> None:
        super().__init__()


class PairPusher:
    """Tells what it sees, believes what it hears, and pushes once it knows both halves.

    player_0 pushes; player_1 tells where the target is and steps aside when it is in the way.

    Args:
        talk: say what is seen; without it neither can know.
    """

    name: ClassVar[str] = "pair_pusher"
    summary: ClassVar[str] = "Says where box or target is, and pushes when both are known."
    worlds: ClassVar[tuple[str, ...]] = ("pair_sokoban-v0",)
    deterministic: ClassVar[bool] = True

    def __init__(self, *, talk: bool = True) -> None:
        self._talk = bool(talk)

    def reset(self, seat: Seat, seed: int) -> None:
        """A new room."""
        self._first = seat.id == "player_0"
        self._rng = np.random.default_rng(seed)
        self._known: dict[str, list[int]] = {}
        self._walls: set[Place] = set()

    def act(self, turn: Turn) -> dict[str, Any]:
        """A move and a sentence."""
        view = self._remembered(turn.info["view"])
        heard = re.findall(r"(box|target) at (\d+), (\d+)", turn.observation["heard"])
        self._known |= {kind: [int(row), int(column)] for kind, row, column in heard}
        seen = {kind: _find(view, marks) for kind, marks in (("box", "X√"), ("target", "OST√"))}
        self._known |= {kind: place for kind, place in seen.items() if place}
        say = "; ".join(f"{k} at {p[0]}, {p[1]}" for k, p in seen.items() if p and self._talk)
        move = self._push(view) if self._first else self._aside(view)
        answer: dict[str, Any] = {"move": LABELS.index(move), "say": say}
        if "representation" in turn.info:
            answer["belief"] = self._belief(view, turn.info["representation"])
        return answer

    def _remembered(self, view: Sequence[str]) -> list[str]:
        """The view with walls that were seen before; what was never seen may be floor."""
        rows = list(enumerate(view))
        self._walls |= {(y, x) for y, row in rows for x, mark in enumerate(row) if mark == "#"}
        return [
            "".join("#" if (y, x) in self._walls else mark for x, mark in enumerate(row))
            for y, row in rows
        ]

    def _puzzle(self, view: Sequence[str], *, partner_stays: bool) -> Puzzle:
        player, partner = _find(view, "PS"), _find(view, "AT")
        known = {kind: [self._known[kind]] for kind in ("box", "target")}
        puzzle = Puzzle({"player": player, "map": view, **known})
        if partner and partner_stays:
            puzzle.walls.add(_place(partner))
        return puzzle

    def _push(self, view: Sequence[str]) -> str:
        if not {"box", "target"} <= {*self._known}:
            return self._look_round(view)
        for stays in (True, False):
            plan = self._puzzle(view, partner_stays=stays).plan()
            if plan:
                return plan[0].lower()
        return "stay"

    def _aside(self, view: Sequence[str]) -> str:
        """A random step that pushes nothing, if the partner's way leads through here."""
        if not {"box", "target"} <= {*self._known} or not _find(view, "AT"):
            return self._look_round(view)
        box, me = self._known["box"], _find(view, "PS")
        known = {"box": [box], "target": [self._known["target"]]}
        partner = Puzzle({"player": _find(view, "AT"), "map": view, **known})
        partner.walls.add(_place(me))
        if partner.plan():
            return "stay"
        mine = Puzzle({"player": me, "map": view, **known})
        free = [
            move
            for move in MOVES
            if mine.after(mine.start, move)[0] not in (mine.start[0], _place(_find(view, "AT")))
            and mine.after(mine.start, move)[1] == mine.start[1]
        ]
        return free[int(self._rng.integers(len(free)))].lower() if free else "stay"

    def _look_round(self, view: Sequence[str]) -> str:
        """A random step where something is unseen."""
        unseen = any("?" in row for row in view)
        return LABELS[1 + int(self._rng.integers(4))] if unseen else "stay"

    def _belief(self, view: Sequence[str], representation: str) -> str:
        known: dict[str, Any] = {
            kind: [self._known[kind]] for kind in ("box", "target") if kind in self._known
        }
        if len(known) < 2 and representation != "natural":
            return ""
        whole = {"box": [], "target": [], **known}
        puzzle = Puzzle({"player": _find(view, "PS"), "map": view, **whole})
        return told(puzzle.described(puzzle.start), representation)


def _place(each: Sequence[int]) -> Place:
    return int(each[0]), int(each[1])


def _find(view: Sequence[str], marks: str) -> list[int]:
    """Where the first of some marks stands; empty if there is none."""
    for row, line in enumerate(view):
        for column, mark in enumerate(line):
            if mark in marks:
                return [row, column]
    return []


BOTS: dict[str, type] = {bot.name: bot for bot in (PuzzleOracle, PuzzleResponder, PairPusher)}
