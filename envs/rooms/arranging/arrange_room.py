"""Furnishing a room together: two who want different things of one room.

What it is
    A few pieces of furniture, nine spots in a room, and two people of whom each knows only its own
    wishes. They talk, move things in turn, and in the end each accepts or rejects what has come of
    it.

Seats
    ``player_0``, …: partners, one at a time. With ``judge`` a seat ``judge`` that says which claims
    each utterance makes.

Observation
    A Dict. ``site``: the type of room (as ``room`` lists them), its sides in decimetres, the door's
    spot, the window's wall (0 west, 1 south, 2 east, 3 north). ``placed``: the spot of each piece,
    0 in store. ``holds``: which topics are so. ``wishes``: one's own, by topic: positive for,
    negative against, shares of 1. ``worth``: what the room as it stands, and as it was found, is
    worth to oneself, common ground left out. The rest as in every discussion: ``phase``, ``left``,
    ``stances``, ``speaker``, ``latest``, ``heard``. The topics are the questions; the last question
    is the room as it stands.

Actions
    A Dict: ``stances`` (each topic: 0 silent, 1 it shall be so, 2 it shall not, 3 takes it back;
    the last, open in the end alone: 1 accept, 2 reject), ``move`` (0 none, else
    1 + 10 × piece + spot, 0 being the store) and ``say``.

Rules
    Whoever speaks may also place, move or remove one piece. A piece has one pose at each spot, its
    back to the wall; it can go where it collides with nothing, stays within the walls and leaves
    the door free. A claim proposes or accepts; the contrary rejects. What all have claimed is
    common ground. If all accept in the end the room stays as it stands, else as it was found.

Reward
    At the end, for each: ``quality`` times how good the room is for anybody, ``ground`` times how
    much of it is common ground, and for the rest the share of its own wishes that are met. The room
    as found counts without common ground.

End
    After the last verdict.

Words
    ``{"claims": ["there is no TV"], "move": "desk to the east wall", "say": "…"}`` or plain talk
    ("the desk should stand by the window", "put the desk at the east wall", "I agree").

Parameters
    See ``ArrangeRoomParams``.

Metrics
    Those of every discussion, where true is what holds of the best room for all (``score``: the
    mean earned, with the room as found for 0 and the best for 1); ``accepted``; ``quality``;
    ``ground`` (of the topics somebody has a wish about and those agreed on wrongly, the share that
    is agreed on as it is); ``kept`` (of the common ground, the share that is so); ``welfare`` and
    what it could be: ``optimum``, ``as_found``, ``random`` (the mean of all valid rooms);
    ``pareto`` (no valid room is better for one and worse for none); ``grade`` (the rule-based
    grades of the room, of 40); ``faults`` (collisions and things outside); ``moves``;
    ``utility_SEAT``.

Source
    The negotiated room is our own task; room, furniture and physics follow SceneWeaver (Yang et
    al., arXiv 2509.20414), common ground Nath and Krishnaswamy (NeurIPS 2025).

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction
from gymposium.types import Action

from ...common_ground.discussion import ANSWER, JUDGE, TALK, Discussion
from ...common_ground.ledger import Ledger, Props
from ...common_ground.measures import METRICS
from ...common_ground.questions import SILENT, Codes
from ..execute import counts
from ..grades import grade
from .params import ArrangeRoomParams
from .pieces import FURNITURE, SPOTS, STORE
from .site import Site, draw_plan, site_of
from .wishes import (
    ACCEPT,
    AGAINST,
    FOR,
    Known,
    draw_wishes,
    holds,
    known,
    met,
    possible,
    questions_of,
    topics_of,
)
from .words import RoomWords

if TYPE_CHECKING:
    from gymposium.types import Image

OWN = (
    "accepted",
    "quality",
    "ground",
    "kept",
    "welfare",
    "optimum",
    "as_found",
    "random",
    "pareto",
    "grade",
    "faults",
    "moves",
)


class ArrangeRoom(RoomWords, Discussion):
    """Furnish one room with different wishes."""

    id: ClassVar[str] = "arrange_room-v0"
    kind = "mixed"
    fault_rule = (
        "A turn without a legal answer is silence: nothing is said and nothing moved, and a "
        "verdict that is due is no acceptance."
    )
    params: ArrangeRoomParams

    def __init__(self, **params: Any) -> None:
        self.params = p = ArrangeRoomParams(**params)
        self.topics = topics_of(p.room, p.pieces)
        self._convene(questions_of(p.room, p.pieces))
        self.metric_names = (*METRICS, *OWN, *(f"utility_{seat}" for seat in self.members))

    # What is seen and done beside talk.

    def _scene_space(self) -> dict[str, spaces.Space[Any]]:
        topics = len(self.topics)
        return {
            "site": spaces.MultiDiscrete([len(FURNITURE), 100, 100, len(SPOTS), 4]),
            "placed": spaces.MultiDiscrete([len(SPOTS)] * self.params.pieces),
            "holds": spaces.MultiBinary(topics),
            "wishes": spaces.Box(-1.0, 1.0, (topics,), np.float32),
            "worth": spaces.Box(0.0, 1.0, (2,), np.float32),
        }

    def _scene(self, member: int | None) -> dict[str, Any]:
        wishes, worth = np.zeros(len(self.topics)), np.zeros(2)
        if member is not None:
            wishes = self._wishes[member]
            worth = self._worth(np.stack([self._placed, self._found]))[:, member]
        return {
            "site": np.array(self._site.plan.numbers),
            "placed": self._placed.copy(),
            "holds": self._known(self._placed).holds.astype(np.int8),
            "wishes": wishes.astype(np.float32),
            "worth": worth.astype(np.float32),
        }

    def _more_space(self) -> dict[str, spaces.Space[Any]]:
        return {"move": spaces.Discrete(1 + self.params.pieces * len(SPOTS))}

    def _no_move(self) -> dict[str, Any]:
        return {"move": 0}

    def _move(self, member: int, action: Action) -> None:
        if action["move"]:
            piece, spot = divmod(int(action["move"]) - 1, len(SPOTS))
            self._placed[piece] = spot
            self._moves += 1

    def _open_moves(self, seat: str) -> np.ndarray[Any, np.dtype[np.int8]]:
        size = 1 + self.params.pieces * len(SPOTS)
        mask = np.zeros(size, np.int8)
        mask[0] = 1
        if self.phase == TALK and seat != JUDGE:
            mask[1:] = self._site.moves(self._placed).ravel()
        return mask

    def _open_answers(self, question: int, *, talk: bool) -> np.ndarray[Any, np.dtype[np.int8]]:
        """The verdict is due in the end, and nothing else is then."""
        row = super()._open_answers(question, talk=talk)
        if talk == (question == len(self.topics)):
            row[1:] = 0
        return row

    def _mask(self, seat: str) -> Any:
        return {**super()._mask(seat), "move": self._open_moves(seat)}

    def advice_mask(self, seat: str) -> Any:
        """What advice can say, right or wrong, and where things can go."""
        return {**super().advice_mask(seat), "move": self._open_moves(seat)}

    def _check(self, seat: str, action: Action) -> None:
        move = int(action["move"])
        if not self._open_moves(seat)[move]:
            raise IllegalAction(self._refusal(seat, *divmod(move - 1, len(SPOTS))))

    def _refusal(self, seat: str, piece: int, spot: int) -> str:
        name = self._site.furniture.pieces[piece].name
        if self.phase != TALK or seat == JUDGE:
            return "nothing can be moved now"
        if self._placed[piece] == spot:
            return f"the {name} is there already: {SPOTS[spot]}"
        found = self._site.in_the_way(self._placed, piece, spot)
        why = ", ".join(f"the {self._site.furniture.pieces[other].name}" for other in found)
        return f"the {name} does not fit: {SPOTS[spot]} ({why or 'door or walls'} in the way)"

    # The rules.

    def _deal(self, rng: np.random.Generator) -> Props:
        p = self.params
        self._site = site = site_of(draw_plan(p.room, p.pieces, rng))
        self._first = int(rng.integers(p.participants))
        rooms = site.arrangements
        standing = (rooms > STORE).sum(1)
        # Of rooms with so many pieces; in one too small for that, with as many as fit.
        chosen = np.flatnonzero(standing == min(p.standing, int(standing.max())))
        self._found = rooms[int(rng.choice(chosen))].copy()
        self._placed, self._moves, self._accepted = self._found.copy(), 0, False
        self._wishes = draw_wishes(site, p.participants, p.wishes, p.shared, p.conflict, rng)
        self._worths = self._values(site.qualities, possible(site.plan))
        self._best = rooms[int(self._worths.mean(1).argmax())]
        return self._props(holds(site, self._best[None])[0])

    def _props(self, true: Any) -> Props:
        """The propositions ``[P]`` that say how each topic ``[T]`` is; none of the verdict."""
        codes = np.append(np.where(true, FOR, AGAINST), SILENT)
        return self.questions.claims(codes)[0]

    def _brief(self, ledger: Ledger) -> None:
        """What some valid room would make true is founded, and nothing else is."""
        true = possible(self._site.plan)
        ledger.founded = np.zeros(len(ledger.truth), bool)
        ledger.founded[self.questions.first[:-1] + FOR - 1] = true.any(0)
        ledger.founded[self.questions.first[:-1] + AGAINST - 1] = (~true).any(0)

    def _worth(self, rooms: Any) -> Any:
        """What rooms ``[N, K]`` are worth to each ``[N, n]``, common ground left out."""
        rows = [self._known(room) for room in rooms]
        return self._values(
            np.array([row.quality for row in rows]), np.array([row.holds for row in rows])
        )

    def _known(self, room: Any) -> Known:
        return known(self._site, tuple(room.tolist()))

    def _values(self, quality: Any, true: Any) -> Any:
        p, own = self.params, met(self._wishes, true)
        return p.quality * quality[:, None] + (1 - p.quality - p.ground) * own

    def _book(self, member: int, codes: Codes) -> None:
        if self.phase == TALK:  # the verdict is not given in talk
            codes = np.append(codes[:-1], SILENT)
        super()._book(member, codes)

    def group(self, finals: Sequence[Codes]) -> Any:
        """True if all accept, else None."""
        return True if all(codes[-1] == ACCEPT for codes in finals) else None

    def answer_of(self, codes: Codes) -> Any:
        """All that is claimed of the room; None for nothing."""
        return tuple(codes[:-1].tolist()) if codes[:-1].any() else None

    def utilities(self, accepted: bool) -> Any:
        """What each earns ``[n]`` if the room as it stands is accepted, or is not."""
        room = self._placed if accepted else self._found
        ground = self.params.ground * self._ground()[0] if accepted else 0.0
        return self._worth(room[None])[0] + ground

    def _ground(self) -> tuple[float, float]:
        """How much of the room is agreed on, and how much of what is agreed on is so."""
        now = self._props(self._known(self._placed).holds)
        common = self.ledger.common
        wished = (self._wishes != 0).any(0)
        right, wrong = common & now, common & ~now
        matters = np.append(np.repeat(wished, 2), [False, False])
        ground = (right & matters).sum() / (wished.sum() + wrong.sum())
        return float(ground), float(right.sum() / max(int(common.sum()), 1))

    def grade(self, answer: Any) -> float:
        """The mean earned, where the room as found is 0 and the best possible is 1."""
        if answer is None:
            return 0.0
        low, high = self._bounds()
        gain = float(self.utilities(True).mean()) - low
        return gain / (high - low) if high - low > 1e-9 else 1.0

    def _bounds(self) -> tuple[float, float]:
        low = float(self.utilities(False).mean())
        return low, float(self._worths.mean(1).max()) + self.params.ground

    def _shares(self) -> dict[str, float]:
        self._accepted = self.group(self.finals) is not None
        earned = dict.fromkeys(self.possible_seats, 0.0)
        return earned | dict(
            zip(self.members, self.utilities(self._accepted).tolist(), strict=True)
        )

    def good_action(self, seat: str) -> Action:
        """Say what the best room is, bring it about, and accept what is better than before."""
        action = super().good_action(seat)
        if self.phase == ANSWER:
            better = self.utilities(True).mean() >= self.utilities(False).mean()
            action["stances"][-1] = ACCEPT if better else AGAINST
        return {**action, "move": self._step_towards(self._best) if self.phase == TALK else 0}

    def _step_towards(self, goal: Any) -> int:
        allowed = self._site.moves(self._placed)
        wrong = [piece for piece, spot in enumerate(goal) if self._placed[piece] != spot]
        home = [piece for piece in wrong if allowed[piece, goal[piece]]]
        steps = [(piece, int(goal[piece])) for piece in home]
        steps += [(piece, STORE) for piece in wrong if allowed[piece, STORE]]
        return 1 + steps[0][0] * len(SPOTS) + steps[0][1] if steps else 0

    # What is told of a match.

    def _info(self, seat: str) -> Mapping[str, Any]:
        found = dict(super()._info(seat))
        if seat != JUDGE:
            ledger, names = self.ledger, self.proposition_names()
            found["utility"] = float(self.utilities(True)[self.members.index(seat)])
            found["common_ground"] = [names[p] for p in np.flatnonzero(ledger.common)]
            found["common_ground_growth"] = [int(ground.sum()) for ground in ledger.ground]
        return found

    def _metrics(self) -> dict[str, float]:
        room = self._placed if self._accepted else self._found
        earned = self.utilities(self._accepted)
        low, high = self._bounds()
        ground, kept = self._ground()
        worth = self._worth(room[None])[0]
        no_worse = (self._worths >= worth - 1e-9).all(1)
        better = (self._worths > worth + 1e-9).any(1)
        scene = self._site.scene(room)
        return {
            **super()._metrics(),
            "accepted": float(self._accepted),
            "quality": self._known(room).quality,
            "ground": ground if self._accepted else 0.0,
            "kept": kept,
            "welfare": float(earned.mean()),
            "optimum": high,
            "as_found": low,
            "random": float(self._worths.mean()),
            "pareto": float(not (no_worse & better).any()),
            "grade": grade(scene).total,
            "faults": float(sum(counts(scene))),
            "moves": float(self._moves),
            **{f"utility_{s}": float(u) for s, u in zip(self.members, earned, strict=True)},
        }

    @property
    def site(self) -> Site:
        """The room of the match that is being played."""
        return self._site

    def _state(self) -> bytes:
        more = [self._found.tobytes(), self._placed.tobytes(), self._wishes.tobytes()]
        return b"".join([super()._state(), *more, repr((self._moves, self._accepted)).encode()])

    def draw(self) -> Image:
        """The plan of the room as it stands."""
        from ..plan_view import plan_view

        return super().draw() if self._ledger is None else plan_view(self._site.scene(self._placed))

    def render(self) -> str:
        """Where everything stands and what each wants, then the talk."""
        if self._ledger is None:
            return super().render()
        told = [self.plan_in_words(self._scene(None))]
        for seat, wishes, worth in zip(
            self.members, self._wishes, self.utilities(True), strict=True
        ):
            told.append(f"[{seat}] wants: {self.wishes_in_words(wishes)} (now {worth:.2f})")
        return "\n".join([*told, super().render()])
