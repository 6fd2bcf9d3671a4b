"""The words of furnishing: pieces and spots as people name them, wishes, moves and the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import IllegalAction
from gymposium.types import Action

from ...common_ground.questions import SILENT, Codes
from ...common_ground.talk import clauses
from ...common_ground.words import DiscussionWords
from .pieces import FURNITURE, SPOTS, STORE, WALLS, Piece
from .wishes import ACCEPT, AGAINST, FOR, REJECT, Topic

if TYPE_CHECKING:
    from .params import ArrangeRoomParams

_TALK, _ANSWER = 1, 2
_LEAD = r"(?:the|a|an|my|your|our|any)\s+"
_SPOT = re.compile(
    r"\b(?:(?P<corner>(?:north|south)[- ]?(?:west|east))(?: corner)?"
    r"|(?P<wall>north|south|east|west)(?:ern)?(?: wall| side)?"
    r"|(?P<middle>middle|centre|center)|(?P<store>store|storage))\b",
    re.I,
)
_REMOVES = re.compile(r"\b(?:remove|take out|take away|get rid of|store)\b", re.I)
_PUTS = re.compile(r"\b(?:put|place|move|shift|bring|set)\b", re.I)
_TAKES = re.compile(r"\b(?:accept(?:s|ed)?|agree[ds]?|deal|yes|i take it|fine)\b", re.I)
_VETOES = re.compile(
    r"\b(?:reject\w*|refuse\w*|veto\w*|declin\w+|no deal|not accept|cannot|disagree|no)\b|n['’]t\b",
    re.I,
)
_FAR = 40  # characters between the words of one claim


@lru_cache(maxsize=32)
def _patterns(topics: tuple[Topic, ...], pieces: tuple[Piece, ...]) -> list[tuple[int, int, Any]]:
    """(topic, code, pattern) of what claims each; last, that a piece is there."""
    names = [re.escape(piece.name) for piece in pieces]
    gap, short = rf"[^.;!?\n]{{0,{_FAR}}}?", r"[^.;!?\n]{0,15}?"
    free, away = r"(?:free|clear|empty|open)", r"(?:before|in front of)"
    near = r"(?:near|beside|next to|close to|by|at)"
    looks = r"(?:fac(?:e|es|ing)|looks? at|looking at|opposite)"
    found = []
    for number, topic in enumerate(topics):
        one = names[topic.one] if topic.one >= 0 else ""
        other = names[topic.other] if topic.other >= 0 else ""
        forms = {
            "window": [rf"\b{one}\b{gap}\b(?:{near}|under|to|{away})\s+(?:the |a )?window\b"],
            "corner": [rf"\b{one}\b{gap}\bcorner\b"],
            "faces": [rf"\b{one}\b{gap}\b{looks}\b{short}\b{other}\b"],
            "near": [
                rf"\b{a}\b{gap}\b{near}\s+(?:{_LEAD})?{b}\b"
                for a, b in ((one, other), (other, one))
            ],
            "clear": [rf"\b(?:{free}|space|room)\b{gap}\b{away}\s+(?:{_LEAD})?{one}\b"],
            "middle": [rf"\bmiddle\b{gap}\b{free}\b", rf"\b{free}\b{short}\bmiddle\b"],
            "cost": [rf"\b(?:at most|no more than|under|below)\s+{topic.limit}\b"],
            "there": [
                r"\b(?:there (?:is|are|be|should be|must be|shall be)|want|wants|need|keep|have|get"
                rf"|like|prefer|add|no|without|remove|leave out|skip)\s+(?:no\s+)?"
                rf"(?:{_LEAD})?{one}\b"
            ],
        }[topic.kind]
        found += [(number, FOR, re.compile(form, re.I)) for form in forms]
        if topic.kind == "middle":
            found.append((number, AGAINST, re.compile(r"\bmiddle is furnished\b", re.I)))
        if topic.kind == "cost":
            found.append(
                (number, AGAINST, re.compile(rf"(?<!no )\bmore than {topic.limit}\b", re.I))
            )
    return sorted(found, key=lambda row: topics[row[0]].kind == "there")


class RoomWords(DiscussionWords):
    """The text side of :class:`~.arrange_room.ArrangeRoom`."""

    params: ArrangeRoomParams
    topics: tuple[Topic, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What there is to furnish with."""
        return FURNITURE[self.params.room].pieces[: self.params.pieces]

    def task(self, seat: str) -> str:
        """The furniture, the spots and what a turn can do."""
        named = ", ".join(f"{piece.name} ({piece.price})" for piece in self.pieces)
        spots = ", ".join(SPOTS[1:])
        room = self.params.room.replace("_", " ")
        return (
            f"You furnish one {room} together. There are, with their prices: {named}. A piece "
            f"stands at one of nine spots ({spots}) or in store. At a wall or corner its back is "
            "to the wall (corners: north or south wall), in the middle it faces south. In your "
            'turn you may place, move or remove one piece ("move": "desk to the east wall" or '
            '"desk to the store"), if it collides with nothing and leaves the door free. Claim '
            "what shall be so to propose it or to accept what another proposed; claim the contrary "
            "to reject it; what all claim is common ground."
        )

    def earns(self) -> str:
        """What wishes, quality and common ground count for."""
        p = self.params
        own = 1 - p.quality - p.ground
        return (
            "Each has wishes of its own, which nobody else is told. If all accept the room in the "
            f"end, you earn {own:.0%} times the share of your own wishes that are met, "
            f"{p.quality:.0%} times how good the room is (what a {p.room.replace('_', ' ')} needs "
            "is there, fronts are free, nothing tall stands before the window) and "
            f"{p.ground:.0%} times how much of the room is common ground as it is. If anybody does "
            "not accept, the room stays as it was found, and common ground counts for nothing."
        )

    def due(self) -> str:
        """An answer is the verdict."""
        return '"accept the room" or "reject the room"'

    def scene(self, observation: Any) -> list[str]:
        """The room, what is so, and one's own wishes."""
        told = [self.plan_in_words(observation)]
        holding = zip(self.topics, np.asarray(observation["holds"]), strict=True)
        so = [topic.so for topic, is_so in holding if is_so and topic.kind != "there"]
        told.append(f"Of what can be said: {'; '.join(so) or 'nothing'}; all else is not so.")
        wishes = np.asarray(observation["wishes"])
        if wishes.any():
            now, then = (float(worth) for worth in observation["worth"])
            told.append(f"You alone know what you want: {self.wishes_in_words(wishes)}.")
            told.append(f"The room is worth {now:.2f} to you now; as it was found, {then:.2f}.")
        return told

    def plan_in_words(self, observation: Any) -> str:
        """Sides, door, window and where every piece is."""
        _, x, y, door, window = np.asarray(observation["site"]).tolist()
        places = [
            f"{piece.name}: {SPOTS[spot]}"
            for piece, spot in zip(self.pieces, np.asarray(observation["placed"]), strict=True)
        ]
        return (
            f"The room: {x / 10:g} m from west to east, {y / 10:g} m from south to north; door at "
            f"the {SPOTS[door]}, window in the {WALLS[window]} wall. {'; '.join(places)}."
        )

    def wishes_in_words(self, wishes: Any) -> str:
        """The wishes ``[T]``, dearest first, with their shares."""
        order = np.argsort(-np.abs(wishes), kind="stable")
        return "; ".join(
            f"{self.topics[t].so if wishes[t] > 0 else self.topics[t].not_so} "
            f"({abs(float(wishes[t])):.0%})"
            for t in order
            if wishes[t]
        )

    # What is read.

    def denied(self, question: int, code: int) -> int:
        """No to the one answer is the other."""
        return FOR + AGAINST - code

    def mentions(self, text: str, observation: Any) -> Iterator[tuple[int, int]]:
        """Topics by their pieces and how these stand; that a piece is there, only by itself."""
        taken: set[int] = set()
        for topic, code, pattern in _patterns(self.topics, self.pieces):
            about = self.topics[topic]
            if (about.kind != "there" or about.one not in taken) and pattern.search(text):
                taken |= {about.one, about.other}
                yield topic, code

    def read(self, seat: str, text: str, observation: Any) -> Codes:
        """Claims as in every discussion; in the end, whether the room is accepted."""
        if observation is not None and int(observation.get("phase", _TALK)) == _ANSWER:
            codes = np.zeros(len(self.questions.items), np.int64)
            for clause in clauses(text, seat):
                if _VETOES.search(clause.text):
                    codes[-1] = REJECT
                elif codes[-1] == SILENT and not clause.unsure and _TAKES.search(clause.text):
                    codes[-1] = ACCEPT
            return codes
        # To stand against a wall is not to be against it.
        return super().read(seat, re.sub(r"\bagainst (?=the|a )", "at ", text), observation)

    # What is moved.

    def read_more(self, found: Mapping[str, Any], text: str) -> dict[str, Any]:
        """The move, of JSON or of "put the desk at the east wall"."""
        asked = found.get("move")
        if asked is None or asked == "":
            return {"move": self._move_in(text) if text else 0}
        if not isinstance(asked, str):
            raise IllegalAction(f'"move" must be a text like {self._a_move()!r}')
        move = self._moved(asked[:200])
        if not move:
            raise IllegalAction(
                f"{asked[:60]!r} is no move; say which piece goes where, like {self._a_move()!r}"
            )
        return {"move": move}

    def _a_move(self) -> str:
        return f"{self.pieces[0].name} to the east wall"

    def _move_in(self, text: str) -> int:
        for clause in clauses(text, ""):
            at = _PUTS.search(clause.text) or _REMOVES.search(clause.text)
            if at is not None and not clause.unsure and not clause.denies:
                rest = clause.text[at.end() :]
                gone = _PUTS.search(clause.text) is None
                if move := self._moved(f"{rest} store" if gone else rest):
                    return move
        return 0

    def _moved(self, text: str) -> int:
        """The move that a piece and a spot behind it name; 0 if one is missing."""
        names = "|".join(re.escape(piece.name) for piece in self.pieces)
        piece = re.search(rf"\b(?:{names})\b", text, re.I)
        spot = None if piece is None else _SPOT.search(text, piece.end())
        if piece is None or spot is None:
            return 0
        which = [p.name.casefold() for p in self.pieces].index(piece[0].casefold())
        return 1 + which * len(SPOTS) + _spot_of(spot)

    def say_more(self, action: Action) -> dict[str, Any]:
        """The move in words."""
        return {"move": self._move_in_words(int(action["move"]))} if action["move"] else {}

    def _move_in_words(self, move: int) -> str:
        piece, spot = divmod(move - 1, len(SPOTS))
        return f"{self.pieces[piece].name} to the {SPOTS[spot].removeprefix('in ')}"

    def format_seen(self, seat: str, action: Action, observation: Any) -> str:
        """Claims, words and the move."""
        said = super().format_seen(seat, action, observation)
        return f"{said}; {self._move_in_words(int(action['move']))}" if action["move"] else said

    def schema_more(self) -> dict[str, Any]:
        """A move, of all there are."""
        most = 1 + len(self.pieces) * len(SPOTS)
        return {"move": {"enum": [self._move_in_words(move) for move in range(1, most)]}}

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """JSON Schema of the answers that are legal now; of the moves those that are open."""
        schema = dict(super().action_schema(seat, observation, info))
        mask = (info.get("action_mask") or {}).get("move")
        if mask is not None:
            known = dict(schema["properties"])
            legal = [self._move_in_words(int(m)) for m in np.flatnonzero(mask) if m]
            known["move"] = {"enum": legal}
            if not legal:
                del known["move"]
            schema["properties"] = known
        return schema


def _spot_of(found: re.Match[str]) -> int:
    if found["store"]:
        return STORE
    if found["middle"]:
        return SPOTS.index("middle")
    if found["wall"]:
        return SPOTS.index(f"{found['wall'].casefold()} wall")
    corner = found["corner"].casefold()
    return SPOTS.index(f"{corner[:5]}-{corner[5:].strip('- ')} corner")
