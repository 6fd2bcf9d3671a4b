"""Scene weaver: furnish a room call by call, with tools, physics and four grades.

What it is
    An empty room and a kit of tools. Each step one tool is called, by its name, with ideas in words
    and, if one likes, with the edit itself; what it makes is pushed free of collisions, measured
    and graded, and taken back if it spoils the room.

Seats
    One, ``player_0``.

Observation
    A Dict: ``layout``, the room as JSON (metres, origin in a corner; location = middle of the
    footprint and bottom; at rotation 0 a thing faces +x; size = depth along its facing, width,
    height); ``grades``, float32 [4], 0 to 10: realism, function, layout, completion, by rule;
    ``physics``, float32 [4]: things, things outside, pairs that collide, unstable things;
    ``report``, what became of the last call and what the grades miss; unless ``shows`` is text
    ``image``, uint8 ``[size, size, 3]``, the room from above with ids, fronts and axes.
    The info has ``offered`` (tools by name), ``comments`` (one a grade) and ``unmet`` (categories
    asked for and not there). With ``control`` choice the observation is a Box of numbers instead
    (:func:`.weaver_codes.codes`).

Actions
    A Dict: ``tool`` (Discrete), ``ideas`` (Text, at most 400 characters), ``edit`` (Text, a JSON
    object as the tool's schema has it, or nothing: then the tool goes by the ideas, by rule). With
    ``control`` choice the number of a tool alone.

Rules
    The first step offers initialisers, the last one only ``terminate``; after ``add_acdc`` only
    ``update_size``; what costs more than is left of ``budget`` is not offered. After a call the
    executor pushes things free, deletes what still collides, is outside or does not stand as its
    relations say (not after init_metascene, init_physcene, add_acdc; without deletion after
    add_relation; never if ``physics`` is off). A first scene whose grades sum to less than 8, and
    later one by which they fall by 5 or more, is taken back. A step is tried three times at most,
    refusals included; the third first scene stands.

Reward
    The rise of the room's worth: the mean grade as a share of 10, less ``costs`` for every thing
    outside, pair that collides and unstable thing.

End
    Terminated by ``terminate``; truncated after ``steps`` steps. No answer is a refused call.

Words
    The layout line by line, the report, the tools offered. An answer is a JSON object; its edit may
    be an object. With ``words`` brief: the report cut, ids without places, calls without edits.

Parameters
    See ``SceneWeaverParams``.

Metrics
    Held out from the scripted planner: ``stable_share``, ``navigability``. Counts: ``objects``,
    ``outside``, ``collisions``, ``collided_share``, ``covered``. Grades by rule, not a judge's:
    ``rule_realism``, ``rule_function``, ``rule_layout``, ``rule_completion``, ``rule_total``.
    ``steps``, ``calls``, ``refused``, ``rolled_back``, ``deleted``, ``cost``, ``collisions_edit``
    (pairs before the executor, over all calls). The table ``turns`` has a row for each call, the
    table ``room`` the finished layout as JSON, to four decimals.

Source
    Yang et al., SceneWeaver (NeurIPS 2025, arXiv 2509.20414) and its code. Derived: reward, budget,
    the tools' twins by rule, the cap of three tries.

Versions
    v0: first.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import Action

from ..world import RuleWorld
from .grades import GRADES
from .grammar import shell
from .layout import layout
from .room_types import RoomType, find_room_type, room_type, room_types
from .scene import Scene
from .weaver_codes import codes, count_of_codes
from .weaver_params import ANY, MOST_IDEAS, WORLD, SceneWeaverParams, chosen_tools
from .weaver_words import (
    WRITABLE,
    Blank,
    brief_call_schema,
    brief_rules,
    briefly_described,
    call_in_words,
    call_schema,
    described,
    read_call,
    report,
    rules,
)
from .weaving import MOST_EDIT, TRIES, Costs, Limits, Weaving

if TYPE_CHECKING:
    from gymposium.types import Image

SEAT = "player_0"
_MOST_LAYOUT = 200_000
_MOST_REPORT = 4000
"""Characters."""


class SceneWeaver(RuleWorld):
    """Furnish a room with tools, step by step, and know when to stop."""

    id: ClassVar[str] = WORLD
    kind = "mixed"
    turn_based = True
    fault_rule = "No answer is a call that is refused."
    metric_names = (
        "stable_share",
        "navigability",
        "objects",
        "outside",
        "collisions",
        "collided_share",
        "covered",
        "rule_realism",
        "rule_function",
        "rule_layout",
        "rule_completion",
        "rule_total",
        "steps",
        "calls",
        "refused",
        "rolled_back",
        "deleted",
        "collisions_edit",
        "cost",
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = SceneWeaverParams(**params)
        self._tools = chosen_tools(p)
        self._names = [tool.card.name for tool in self._tools]
        self.horizon = TRIES * p.steps
        most = 2 * 120 + 120 * 119 / 2
        self.return_range = (-max(p.costs) * most, 1.0)
        observed: spaces.Space[Any]
        if p.control == "choice":
            observed = spaces.Box(-10, 10, (count_of_codes(self._tools),), np.float32)
        else:
            parts: dict[str, spaces.Space[Any]] = {
                "grades": spaces.Box(0, 10, (4,), np.float32),
                "layout": spaces.Text(_MOST_LAYOUT, min_length=0, charset=WRITABLE),
                "physics": spaces.Box(0, 1e5, (4,), np.float32),
                "report": spaces.Text(_MOST_REPORT, min_length=0, charset=WRITABLE),
            }
            if p.shows == "both":
                parts["image"] = spaces.Box(0, 255, (p.size, p.size, 3), np.uint8)
            observed = spaces.Dict(parts)
        called: spaces.Space[Any] = spaces.Discrete(len(self._tools))
        if p.control == "call":
            called = spaces.Dict(
                {
                    "edit": Blank(MOST_EDIT, min_length=0, charset=WRITABLE),
                    "ideas": Blank(MOST_IDEAS, min_length=0, charset=WRITABLE),
                    "tool": called,
                }
            )
        self._seat_all([SEAT], {SEAT: observed}, {SEAT: called})

    @property
    def scene(self) -> Scene:
        """The room as it is now.

        Raises:
            UsageError: no match has begun.
        """
        if self._over is None:
            raise UsageError(f"{self.id}: there is no room before reset(seed)")
        return self._weaving.now.scene

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What was called so far and what came of it, a row a call: the table ``turns``."""
        return [dict(row) for row in self._weaving.rows]

    # The rules.

    def _limits(self) -> Limits:
        p = self.params
        return Limits(p.steps, p.budget, p.physics, p.passes, p.slip, Costs(*p.costs))

    def _begin(self, rng: np.random.Generator) -> None:
        kind, request = self._kind(rng)
        self._weaving = Weaving(kind, request, self._tools, shell(kind, rng), self._limits())

    def _kind(self, rng: np.random.Generator) -> tuple[RoomType, str]:
        """The type of the match's room and the demand in words."""
        room = self.params.room
        if room == ANY:
            names = sorted(room_types())
            room = names[int(rng.integers(len(names)))]
        found = find_room_type(room)
        return room_type(found or room), room

    def _actors(self) -> tuple[str, ...]:
        return (SEAT,)

    def _mask(self, seat: str) -> Any:
        mask = np.array(self._weaving.offered(), np.int8)
        if self.params.control == "choice":
            return mask
        return {"edit": None, "ideas": None, "tool": mask}

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {
            "action_mask": self._mask(seat),
            "comments": self._weaving.now.grades.comments,
            "unmet": self._weaving.unmet(),
            "offered": self._named(self._weaving.offered()),
        }

    def _check(self, seat: str, action: Action) -> None:
        number = int(action if self.params.control == "choice" else action["tool"])
        offered = self._weaving.offered()
        if not offered[number]:
            legal = ", ".join(self._named(offered))
            raise IllegalAction(f"{self._names[number]} is not offered now; these are: {legal}")

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        action = actions[SEAT]
        number, ideas, edit = None, "", ""
        if action is not None and self.params.control == "choice":
            number = int(action)
        elif action is not None:
            number, ideas, edit = int(action["tool"]), str(action["ideas"]), str(action["edit"])
        return {SEAT: self._weaving.attempt(number, ideas, edit, self._rng)}

    def _ended(self) -> tuple[bool, bool, str]:
        if self._weaving.ended:
            return True, False, "the planner ended the work"
        over = self._weaving.over
        return False, over, "all steps were used" if over else ""

    def _observe(self, seat: str) -> Any:
        weaving = self._weaving
        if self.params.control == "choice":
            return codes(weaving, self._tools)
        now = weaving.now
        it = now.metrics
        counts = (it.objects, it.outside, it.collisions, it.unstable)
        grades = [getattr(now.grades, name) for name in GRADES]
        seen = {
            "grades": np.array(grades, np.float32),
            "layout": json.dumps(layout(now.scene), separators=(",", ":")),
            "physics": np.array(counts, np.float32),
            "report": report(weaving)[:_MOST_REPORT],
        }
        if self.params.shows == "both":
            seen["image"] = _view(self.scene, self.params.size).copy()
        return seen

    def _state(self) -> bytes:
        w = self._weaving
        return repr((w.now.scene, w.step, w.tried, w.spent, w.last, w.ended, w.rows)).encode()

    def _metrics(self) -> dict[str, float]:
        weaving = self._weaving
        grades, metrics, rows = weaving.now.grades, weaving.now.metrics, weaving.rows
        deleted = ("deleted_components", "deleted_relations", "deleted_carried")
        return {
            "stable_share": metrics.stable_share,
            "navigability": metrics.navigability,
            "objects": metrics.objects,
            "outside": metrics.outside,
            "collisions": metrics.collisions,
            "collided_share": metrics.collided_share,
            "covered": metrics.covered,
            "rule_realism": grades.realism,
            "rule_function": grades.function,
            "rule_layout": grades.layout,
            "rule_completion": grades.completion,
            "rule_total": grades.total,
            "steps": weaving.step,
            "calls": len(rows),
            "refused": sum(row["result"] == "refused" for row in rows),
            "rolled_back": sum(row["result"] == "rolled back" for row in rows),
            "deleted": sum(row[name] for row in rows for name in deleted),
            "collisions_edit": sum(row["collisions_edit"] for row in rows),
            "cost": weaving.spent,
        }

    def _tables(self) -> Mapping[str, Mapping[str, list[Any]]]:
        rows = self._weaving.rows
        turns = {name: [row[name] for row in rows] for name in rows[0]}
        return {"turns": turns, "room": {"layout": [json.dumps(layout(self.scene, digits=4))]}}

    # Words.

    def action_labels(self, seat: str) -> Any:
        """The tools' names."""
        return self._names if self.params.control == "choice" else {"tool": self._names}

    def rules(self, seat: str) -> str:
        """The aim, the loop, the tools' cards and the form of a call."""
        room = (
            "a room of the type that you are told" if self.params.room == ANY else self.params.room
        )
        edits = self.params.control == "call"
        if self.params.words == "brief":
            return brief_rules(seat, room, self._tools, self.params.steps, edits=edits)
        return rules(seat, room, self._tools, self._limits(), edits=edits)

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What became of the last call, the room line by line, what may be called."""
        if self.params.control == "choice":
            return str(super().describe(seat, observation, info))
        say = briefly_described if self.params.words == "brief" else described
        return say(observation, self._named(self._offered(info)))

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The room from above, where it is shown."""
        seen = self.params.shows == "both" and self.params.control == "call"
        return (observation["image"],) if seen else ()

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """One form of call for each tool offered, with the schema of its edit unless brief."""
        if self.params.control == "choice":
            return super().action_schema(seat, observation, info)
        if self.params.words == "brief":
            return brief_call_schema(self._named(self._offered(info)))
        room = json.loads(observation["layout"])
        kind = room_type(room["roomtype"])
        return call_schema(self._tools, self._offered(info), kind, list(room["objects"]))

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The call that a JSON object means; its edit may be an object or text."""
        if self.params.control == "call":
            text = read_call(text, MOST_IDEAS, MOST_EDIT)
        return super().parse(seat, text, observation, info)

    def format(self, seat: str, action: Action) -> str:
        """The call as JSON."""
        if self.params.control == "choice":
            return super().format(seat, action)
        return call_in_words(action, self._tools)

    def draw(self) -> Image:
        """The room from above with everything labelled; what collides is outlined."""
        super().render()  # refuses before the first reset
        return _view(self.scene, self.params.size).copy()

    def _named(self, offered: Sequence[bool]) -> tuple[str, ...]:
        return tuple(name for name, may in zip(self._names, offered, strict=True) if may)

    def _offered(self, info: Mapping[str, Any]) -> list[bool]:
        mask = info.get("action_mask")
        if mask is None:
            return [True] * len(self._tools)
        return [bool(may) for may in (mask["tool"] if isinstance(mask, Mapping) else mask)]


@functools.lru_cache(maxsize=16)
def _view(scene: Scene, size: int) -> Image:
    """The room from above with labels, drawn once a scene; not to be written to."""
    from .plan_view import plan_view

    return plan_view(scene, size=size, marks=True)
