"""Pair Sokoban: two push one box, and each sees only half of what both must know.

What it is
    Sokoban for two with different eyes: one sees the box, the other its target; or each sees only
    what is near. Nobody solves it by looking: what is seen must be said, and what is heard must
    be believed. How true each one's picture of the whole room is can be measured exactly.

Seats
    ``player_0`` and ``player_1``, at the same time.

Observation
    Dict of ``text`` (the room as this seat sees it, in symbols), ``heard`` (what the partner said
    in the last step) and ``image`` (uint8 300 x 300 x 3); ``shows`` takes text or image alone.

Actions
    Dict of ``move`` (Discrete 5: stay, up, down, left, right) and ``say`` (Text); with ``beliefs``
    also ``belief`` (Text): where box and target are, seen from oneself.

Rules
    Rooms are those of ``sokoban-v0``. In even steps ``player_0`` moves first, in odd ones
    ``player_1``. A move pushes a box if the cell behind it is free; walls, boxes that cannot be
    pushed, and the partner hold one back. With ``views="split"`` player_0 sees boxes and no
    targets, player_1 targets and no boxes (a box on a target looks like a box to one, like a target
    to the other); with ``windows`` both see all within ``radius`` cells of themselves.

Reward
    Both get the same: -0.1 a step, +1 for a box onto a target, -1 for one off it, +10 for all on.
    With ``beliefs`` each gets ``belief_reward`` times how right its belief was of the state before
    the step.

End
    Terminated when all boxes are on targets; truncated after ``horizon`` steps.

Words
    ``# _ O X √``: wall, floor, target, box, box on target; ``P S`` oneself, ``A T`` the partner, on
    floor and on a target; ``?`` unseen. An answer is JSON, such as ``{"move": "up", "say": "…"}``.

Parameters
    See ``PairSokobanParams``.

Metrics
    ``success``; ``steps``; ``talk`` (share of answers that say something); ``blocked`` (share of
    moves that were held back); ``belief`` (mean score of beliefs, where they are asked for). The
    table ``turns`` has each step's whole room, moves, words and beliefs.

Source
    Derived from Wang et al., VAGEN (NeurIPS 2025), whose worlds have one seat.

Versions
    v0: first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.types import Action, Turn

from ..grid.batch import seed_of
from ..markets.money import CHARACTERS, MAX_SAY, object_in, speakable
from ..quoting import quoted
from ..seeds import checked_seed
from ..space_parsing import parse_space
from ..world import RuleWorld
from . import grid_beliefs
from .beliefs import SOKOBAN
from .boards import SokobanBoard
from .kernels.sokoban_maker import BOX, BOX_ON, FLOOR, PLAYER, PLAYER_ON, TARGET, WALL
from .pair_views import (
    FULL,
    LABELS,
    LEGEND,
    MAX_BELIEF,
    NO_BOXES,
    NO_TARGETS,
    PARTNER,
    PARTNER_ON,
    SEATS,
    SPLIT,
    STEPS,
    UNKNOWN,
    WINDOWS,
    PairSokobanParams,
    drawing,
    state_of,
    told,
    writable,
)
from .replies import WRITABLE
from .sprites import picture

if TYPE_CHECKING:
    from gymposium.types import Image


class PairSokoban(RuleWorld):
    """Push the box onto the target together; each sees half, and may speak."""

    id: ClassVar[str] = "pair_sokoban-v0"
    metric_names: ClassVar[tuple[str, ...]] = ("success", "steps", "talk", "blocked", "belief")
    fault_rule = "A seat without a legal answer stays where it is and says nothing."

    def __init__(self, **params: Any) -> None:
        self.params = p = PairSokobanParams(**params)
        self.kind = "mixed" if p.belief_reward else "cooperative"
        self.horizon = p.horizon
        most = abs(p.belief_reward) * p.horizon
        self.return_range = (-1.1 * p.horizon - most, 11.0 + p.horizon + most)
        self._board = SokobanBoard(1, size=p.size, boxes=1, split=p.split, level=p.level)
        seen: dict[str, Any] = {
            "text": spaces.Text(400, charset=WRITABLE),
            "heard": spaces.Text(MAX_SAY, min_length=0, charset=CHARACTERS),
        }
        side = p.pixels // p.size * p.size
        if p.shows != "text":
            seen["image"] = spaces.Box(0, 255, (side, side, 3), np.uint8)
        answer: dict[str, Any] = {
            "move": spaces.Discrete(len(LABELS)),
            "say": spaces.Text(MAX_SAY, min_length=0, charset=CHARACTERS),
        }
        if p.beliefs:
            answer["belief"] = spaces.Text(MAX_BELIEF, min_length=0, charset=WRITABLE)
        self._forget()
        self._seat_all(
            SEATS,
            dict.fromkeys(SEATS, spaces.Dict(seen)),
            dict.fromkeys(SEATS, spaces.Dict(answer)),
        )

    def _forget(self) -> None:
        self._ground: Any = np.zeros((self.params.size, self.params.size), np.uint8)
        self._places = [(0, 0), (0, 0)]
        self._said = ["", ""]
        self._scores = [0.0, 0.0]
        self._clock = self._spoken = self._moved = self._held = 0
        self._believed = 0.0
        self._log: list[dict[str, Any]] = []

    # The rules.

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match, in the room that ``sokoban-v0`` begins with under this seed."""
        self._seed = np.array([seed_of(checked_seed(self.id, seed))], np.uint64)
        return super().reset(seed)

    def _begin(self, rng: np.random.Generator) -> None:
        self._forget()
        self._board.begin(self._seed, np.ones(1, np.bool_))
        size = self.params.size
        room = self._board.grid[0].reshape(size, size).copy()
        (first,) = np.argwhere((room == PLAYER) | (room == PLAYER_ON)).tolist()
        room[tuple(first)] = TARGET if room[tuple(first)] == PLAYER_ON else FLOOR
        self._ground = room
        near = [place for place in self._walkable((first[0], first[1])) if list(place) != first]
        if not near:  # one cell is all there is to walk on: the partner stands beyond the box
            free = np.argwhere((room == FLOOR) | (room == TARGET)).tolist()
            near = [(place[0], place[1]) for place in free if place != first]
        self._places = [(first[0], first[1]), near[int(rng.integers(len(near)))]]

    def _walkable(self, start: tuple[int, int]) -> list[tuple[int, int]]:
        """Where one gets from ``start`` without pushing, in order of distance."""
        found, ahead = [start], 0
        while ahead < len(found):
            y, x = found[ahead]
            ahead += 1
            for dy, dx in STEPS[1:]:
                there = (y + dy, x + dx)
                if self._ground[there] in (FLOOR, TARGET) and there not in found:
                    found.append(there)
        return found

    def _actors(self) -> Sequence[str]:
        return SEATS

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        p, home = self.params, int((self._ground == BOX_ON).sum())
        answers = [actions[seat] for seat in SEATS]
        self._scores = [self._belief_score(seat, answer) for seat, answer in enumerate(answers)]
        self._said = ["" if answer is None else str(answer["say"]) for answer in answers]
        turn: dict[str, Any] = {"room": drawing(self._codes(0, FULL))}
        self._spoken += sum(bool(said) for said in self._said)
        self._believed += sum(self._scores)
        for seat in (0, 1) if self._clock % 2 == 0 else (1, 0):
            answer = answers[seat]
            if answer is not None and answer["move"]:
                self._moved += 1
                self._held += not self._go(seat, STEPS[int(answer["move"])])
        self._clock += 1
        self._log.append({**turn, **self._told(answers)})
        shared = -0.1 + int((self._ground == BOX_ON).sum()) - home + 10.0 * self._solved()
        return {
            seat: shared + p.belief_reward * score
            for seat, score in zip(SEATS, self._scores, strict=True)
        }

    def _go(self, seat: int, step: tuple[int, int]) -> bool:
        """Move one player, pushing if need be; whether it could."""
        (y, x), (dy, dx), ground = self._places[seat], step, self._ground
        there, beyond = (y + dy, x + dx), (y + 2 * dy, x + 2 * dx)
        partner = self._places[1 - seat]
        if there == partner or ground[there] == WALL:
            return False
        if ground[there] in (BOX, BOX_ON):
            if beyond == partner or ground[beyond] not in (FLOOR, TARGET):
                return False
            ground[beyond] = BOX_ON if ground[beyond] == TARGET else BOX
            ground[there] = TARGET if ground[there] == BOX_ON else FLOOR
        self._places[seat] = there
        return True

    def _solved(self) -> bool:
        return not bool((self._ground == BOX).any())

    def _belief_score(self, seat: int, answer: Action) -> float:
        if not self.params.beliefs or answer is None:
            return 0.0
        return grid_beliefs.score(
            str(answer["belief"]),
            self.truth(SEATS[seat]),
            self.params.representation,
            legend=LEGEND,
            weights=SOKOBAN,
            partly=False,
        )

    def _told(self, answers: Sequence[Action]) -> dict[str, Any]:
        """What the two did, said and believed in a step, as plain data."""
        found: dict[str, Any] = {}
        for seat, answer, score in zip(SEATS, answers, self._scores, strict=True):
            given = answer or {"move": 0, "say": "", "belief": ""}
            found[f"{seat} move"] = LABELS[int(given["move"])]
            found[f"{seat} said"] = str(given["say"])
            if self.params.beliefs:
                found[f"{seat} belief"] = str(given["belief"])
                found[f"{seat} belief score"] = score
        return found

    def truth(self, seat: str) -> dict[str, Any]:
        """The whole state as beliefs of ``seat`` are about it; for scorers, never shown."""
        return state_of(self._codes(SEATS.index(seat), FULL))

    def _ended(self) -> tuple[bool, bool, str]:
        if self._solved():
            return True, False, "the box is on its target"
        late = self._clock >= self.params.horizon
        return False, late, "all steps were played" if late else ""

    # What is seen.

    def _codes(self, seat: int, views: str) -> Any:
        codes, (y, x) = self._ground.copy(), self._places[seat]
        me, partner = tuple(self._places[seat]), tuple(self._places[1 - seat])
        for place, plain, on in ((partner, PARTNER, PARTNER_ON), (me, PLAYER, PLAYER_ON)):
            codes[place] = on if codes[place] == TARGET else plain
        if views == SPLIT:
            hidden = NO_TARGETS if seat == 0 else NO_BOXES
            codes = hidden[codes]
        elif views == WINDOWS:
            rows, columns = np.indices(codes.shape)
            far = np.maximum(abs(rows - y), abs(columns - x)) > self.params.radius
            codes[far] = UNKNOWN
        return codes

    def _observe(self, seat: str) -> dict[str, Any]:
        index, p = SEATS.index(seat), self.params
        codes = self._codes(index, p.views)
        lines = [f"Step {min(self._clock + 1, p.horizon)} of {p.horizon}."]
        if p.shows != "image":
            lines.append(drawing(codes))
        heard = self._said[1 - index] if p.talk else ""
        seen: dict[str, Any] = {"text": "\n".join(lines), "heard": heard}
        if p.shows != "text":
            seen["image"] = picture("pair_sokoban", codes, p.pixels)
        return seen

    def _info(self, seat: str) -> Mapping[str, Any]:
        index, p = SEATS.index(seat), self.params
        known: dict[str, Any] = {"view": drawing(self._codes(index, p.views)).splitlines()}
        if p.beliefs:
            known["belief_score"] = self._scores[index]
            known["representation"] = p.representation
        return known

    def _state(self) -> bytes:
        counts = (self._clock, self._spoken, self._moved, self._held, self._believed)
        said = repr((self._places, self._said, self._scores, counts))
        return bytes(self._ground.tobytes()) + said.encode()

    def _metrics(self) -> dict[str, float]:
        asked = 2.0 * max(self._clock, 1)
        found = {
            "success": float(self._solved()),
            "steps": float(self._clock),
            "talk": self._spoken / asked,
            "blocked": self._held / max(self._moved, 1),
        }
        return {**found, "belief": self._believed / asked} if self.params.beliefs else found

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        columns = {name: [turn[name] for turn in self._log] for name in self._log[0]}
        return {"turns": {"turn": [*range(1, len(self._log) + 1)], **columns}}

    # Words and pictures.

    def rules(self, seat: str) -> str:
        """What both want, what this seat sees, and how to answer."""
        return told(self.params, seat)

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What is seen, and what the partner said, set off line by line."""
        heard = observation["heard"]
        partner = SEATS[1 - SEATS.index(seat)]
        said = f"\n{partner} said:\n{quoted(heard)}" if heard else ""
        return f"{observation['text']}{said}"

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The room as this seat sees it."""
        return (observation["image"],) if "image" in observation else ()

    def action_labels(self, seat: str) -> Any:
        """The moves."""
        return {"move": LABELS}

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The JSON object, or a move in plain speech; what is not given is left unsaid."""
        found = object_in(text)
        if found is None or "move" not in found:
            found = {"move": text}
        move = parse_space(spaces.Discrete(len(LABELS)), str(found["move"]), LABELS)
        say, action = found.get("say"), {"move": move}
        action["say"] = speakable(say) if isinstance(say, str) else ""
        if self.params.beliefs:
            action["belief"] = writable(found.get("belief"))
        return action

    def format(self, seat: str, action: Action) -> str:
        """The JSON object."""
        return json.dumps({**action, "move": LABELS[int(action["move"])]}, ensure_ascii=False)

    def render(self) -> str:
        """The whole room, from player_0's side, and what was said."""
        if self._over is None:
            return super().render()
        said = [f"{seat}: {text}" for seat, text in zip(SEATS, self._said, strict=True) if text]
        head = f"After {self._clock} of {self.params.horizon} steps"
        return "\n".join([head, drawing(self._codes(0, FULL)), *said])

    def draw(self) -> Image:
        """The whole room, then what each of the two sees."""
        if self._over is None:
            return super().draw()
        p = self.params
        shown = [self._codes(0, FULL), self._codes(0, p.views), self._codes(1, p.views)]
        pictures = [picture("pair_sokoban", codes, p.pixels) for codes in shown]
        gap = np.full((pictures[0].shape[0], 8, 3), 251, np.uint8)
        step = np.full((6, 3 * pictures[0].shape[1] + 16, 3), 251, np.uint8)
        step[:, : step.shape[1] * self._clock // p.horizon] = 90  # how much time has gone
        row = np.concatenate([pictures[0], gap, pictures[1], gap, pictures[2]], 1)
        return np.concatenate([row, step])
