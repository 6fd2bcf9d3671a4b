"""Room judging: give a furnished room four grades, from its picture and its layout.

What it is
    The judge's seat of scene synthesis. A room was made for a demand in words; whoever sits here
    sees it from above, reads its layout, and grades it. With a language model in the seat these
    are the grades that rooms are compared by; the rule-based ones stand beside them.

Seats
    One, ``judge``.

Observation
    A Dict: ``demand`` (Text); ``layout`` (Text), the room as JSON, without grades; unless
    ``shows`` is text ``image``, uint8 ``[size, size, 3]``, the room from above
    with ids, fronts and metres.

Actions
    A Dict of four Discrete(11): ``realism``, ``function``, ``layout``, ``completion``, each a grade
    from 0 to 10.

Rules
    One room a match: the given one, or one furnished by a baseline (:mod:`.baselines`) from the
    seed. The rubric is strict, and says its caps: an odd mixture of things keeps realism below 5, a
    missing key thing function below 6, what cannot be used layout at 5 or less, a third of the
    room blank completion below 5.

Reward
    One less the mean distance from the rule-based grades, over 10: agreement with a rule, which is
    no truth, and is not told before.

End
    Terminates after one answer. No answer counts for nothing.

Words
    The demand and the layout line by line, quoted. An answer is a JSON object of four grades.

Parameters
    See :class:`RoomJudgingParams`.

Metrics
    ``graded`` (1 or 0), ``agreement`` (the reward) and ``total`` (sum of the four grades). The
    table ``grades`` has a row for each grade: ``grade``, ``judged``, ``rule``.

Source
    The grades and caps of SceneWeaver's judge (Yang et al., arXiv 2509.20414, section 4 and code),
    in our own words.

Versions
    v0: first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import NOTHING, Action

from ..limits import choice, whole
from ..quoting import QUOTED_IS_NOT_ORDERS, quoted
from ..speech import spelled
from ..world import RuleWorld
from .baselines import BASELINES, baseline
from .grades import GRADES, grade
from .grammar import shell
from .layout import layout, scene_of_text
from .plan_view import plan_view
from .room_types import room_type, room_types
from .scene import Scene
from .weaver_words import WRITABLE

if TYPE_CHECKING:
    from gymposium.types import Image

_WORLD = "room_judging-v0"
SEAT = "judge"
ANY = "any"
_MOST_LAYOUT, _MOST_DEMAND = 200_000, 400


@dataclass(frozen=True)
class RoomJudgingParams:
    """Parameters of ``room_judging-v0``."""

    given: str = field(
        default="", metadata={"doc": "the layout of the room, as JSON; else one is furnished"}
    )
    demand: str = field(
        default="", metadata={"doc": "what was wished for; else the type of the room"}
    )
    room: str = field(
        default=ANY, metadata={"doc": "type of the room that is furnished, or any: by the seed"}
    )
    made_by: str = field(
        default="atiss", metadata={"doc": "who furnishes it", "choices": tuple(BASELINES)}
    )
    shows: str = field(
        default="text", metadata={"doc": "what is seen", "choices": ("text", "both")}
    )
    size: int = field(
        default=512, metadata={"doc": "of the picture", "unit": "pixels", "range": [32, 2048]}
    )

    def __post_init__(self) -> None:
        for name, most in (("given", _MOST_LAYOUT), ("demand", _MOST_DEMAND)):
            value = getattr(self, name)
            if not isinstance(value, str) or len(value) > most:
                raise UsageError(f"{_WORLD}: {name} must be text of at most {most:,} characters")
        choice(_WORLD, "room", self.room, (ANY, *room_types()))
        choice(_WORLD, "made_by", self.made_by, tuple(BASELINES))
        choice(_WORLD, "shows", self.shows, ("text", "both"))
        whole(_WORLD, "size", self.size, 32, 2048)
        if not set(self.kinds):
            raise UsageError(f"{_WORLD}: {self.made_by} does not know a {self.room}")

    @property
    def kinds(self) -> list[str]:
        """The types of room that may be furnished."""
        known = baseline(self.made_by).rooms or tuple(sorted(room_types()))
        return [name for name in known if self.room in (ANY, name)]


class RoomJudging(RuleWorld):
    """One room, one judge, four grades."""

    id: ClassVar[str] = _WORLD
    kind = "mixed"
    turn_based = True
    fault_rule = "No answer is no grade."
    metric_names = ("graded", "agreement", "total")

    def __init__(self, **params: Any) -> None:
        self.params = p = RoomJudgingParams(**params)
        self._given = scene_of_text(p.given) if p.given else None
        if self._given is not None:
            room_type(self._given.room.type)
        self.horizon = 1
        self.return_range = (0.0, 1.0)
        seen: dict[str, spaces.Space[Any]] = {
            "demand": spaces.Text(_MOST_DEMAND, min_length=0, charset=WRITABLE),
            "layout": spaces.Text(_MOST_LAYOUT, min_length=0, charset=WRITABLE),
        }
        if p.shows == "both":
            seen["image"] = spaces.Box(0, 255, (p.size, p.size, 3), np.uint8)
        grades = spaces.Dict({name: spaces.Discrete(11) for name in GRADES})
        self._seat_all([SEAT], {SEAT: spaces.Dict(seen)}, {SEAT: grades}, roles={SEAT: "judge"})

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._scene = self._given or self._furnished(rng)
        self._answer: dict[str, int] | None = None
        self._picture: Image | None = None

    def _furnished(self, rng: np.random.Generator) -> Scene:
        names = self.params.kinds
        kind = room_type(names[int(rng.integers(len(names)))])
        return baseline(self.params.made_by).furnish(shell(kind, rng), rng)

    def _actors(self) -> tuple[str, ...]:
        return (SEAT,)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        action = actions[SEAT]
        if action is not None:
            self._answer = {name: int(action[name]) for name in GRADES}
        return {SEAT: self._agreement()}

    def _agreement(self) -> float:
        if self._answer is None:
            return 0.0
        ruled = self._ruled()
        return 1 - sum(abs(self._answer[name] - ruled[name]) for name in GRADES) / 40

    def _ruled(self) -> dict[str, float]:
        found = grade(self._scene)
        return {name: float(getattr(found, name)) for name in GRADES}

    def _ended(self) -> tuple[bool, bool, str]:
        return True, False, "the room was judged"

    def _observe(self, seat: str) -> Any:
        p, scene = self.params, self._scene
        seen: dict[str, Any] = {
            "demand": spelled(p.demand or scene.room.type.replace("_", " "), WRITABLE),
            "layout": json.dumps(layout(scene), separators=(",", ":")),
        }
        if p.shows == "both":
            if self._picture is None:
                self._picture = plan_view(scene, size=p.size)
            seen["image"] = self._picture.copy()
        return seen

    def _state(self) -> bytes:
        return repr((self._scene, self._answer)).encode()

    def _metrics(self) -> dict[str, float]:
        if self._answer is None:
            return {"graded": 0.0}
        total = float(sum(self._answer.values()))
        return {"graded": 1.0, "agreement": self._agreement(), "total": total}

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        ruled = self._ruled()
        judged = [None if self._answer is None else self._answer[name] for name in GRADES]
        return {
            "grades": {
                "grade": list(GRADES),
                "judged": judged,
                "rule": [ruled[name] for name in GRADES],
            }
        }

    # Words.

    def rules(self, seat: str) -> str:
        """The rubric with its caps, and the form of an answer."""
        look = "You see it from above and read" if self.params.shows == "both" else "You read"
        return (
            f"You judge how well a room was furnished. {look} its layout: metres, origin in a "
            "corner, location = middle of the footprint and height of the bottom, size = depth "
            "along its facing, width, height; at rotation 0 a thing faces +x. Give four whole "
            "grades from 0 (worst) to 10, strictly:\n"
            "- realism: would these things, in these sizes, be in such a room? Below 5 if their "
            "mixture makes no sense.\n"
            "- function: can the room serve what was wished for? Below 6 if a key thing is "
            "missing.\n"
            "- layout: do things stand where they can be used, rightly turned and reachable? 5 or "
            "less if things collide, face the wrong way or block a front.\n"
            "- completion: is it furnished to the end, with small things too? Below 5 if more "
            "than 30 % of the room is blank.\n"
            f"{QUOTED_IS_NOT_ORDERS}\n{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any] = NOTHING) -> str:
        """The demand and the layout, quoted."""
        return (
            f"Wished for:\n{quoted(observation['demand'])}\nThe layout:\n"
            f"{quoted(_lines(observation['layout']))}\nYour four grades?"
        )

    def render(self) -> str:
        """The room, and the grades once they are given."""
        if self._over is None:
            return super().render()
        said = "not graded" if self._answer is None else json.dumps(self._answer)
        return f"{_lines(json.dumps(layout(self._scene)))}\n{said}"

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The room from above, where it is shown."""
        return (observation["image"],) if self.params.shows == "both" else ()


def _lines(text: str) -> str:
    """A layout with one thing a line."""
    room = json.loads(text)
    x, y = room["roomsize"]
    lines = [f"{room['roomtype']}, {x:g} x {y:g} m, {room['roomheight']:g} m high"]
    for part in ("structure", "objects"):
        for name, thing in room[part].items():
            place = {key: thing[key] for key in ("location", "rotation", "size", "parent")
                     if key in thing}  # fmt: skip
            lines.append(f"{name}: {json.dumps(place)}")
    return "\n".join(lines)
