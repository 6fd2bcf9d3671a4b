"""Primitive skills: pick, place and push things on a table by their places, which sight must tell.

What it is
    An arm before a table, a picture, an instruction, and the places of all things as a list without
    names: which place is whose must be seen. Skills take millimetres.

Seats
    One, ``player_0``.

Observation
    A Dict of ``text`` (instruction, limits of the workspace, the places in an order drawn for the
    match; in ``shows`` text and both with their names) and, unless ``shows`` is text, ``image``:
    uint8 ``[size, size, 3]``, seen along -x, so that -y is left and +y right.

Actions
    Text: a reply in the form of ``strategy``, with up to ``actions_per_turn`` skills separated by
    ``|``: ``pick(x,y,z)``, ``place(x,y,z)``, ``push(x1,y1,z1,x2,y2,z2)``, whole millimetres, which
    are clipped to the workspace.

Rules
    ``pick`` lifts what has its middle within 20 mm (x, y) and 20 mm (z) of the place, if nothing
    stands on it and the hand is empty. ``place`` lowers what is held onto what is under it: the
    table, or a thing whose middle is within 20 mm; farther out it tips off and comes to rest beside
    it, or across two things with too little room between them. ``push`` moves what has its middle
    within 20 mm of the first place by the whole way to the second, with what it meets and what
    stands on it; pushed towards -y, the drawer's face shuts the drawer. A skill that meets nothing
    is wasted. With ``physics`` bullet, what is let go of and pushed moves as pybullet says.

Reward
    Each turn ``format_reward`` and the rewards for right beliefs; at the end a score of the state,
    less the start's, less 0.1 a skill. The score is 10 for success, else 2 for the first stage, 4
    for the second. A belief is right if every place that it names is within 10 mm.

End
    Terminates on success; truncated after ``most_skills`` skills or ``turns`` turns.

Words
    Cubes have sides of 40 mm, so one on the table has its middle at z = 20.

Parameters
    See :class:`PrimitiveSkillParams`.

Metrics
    Those of the family, and ``stage`` (stages that hold at the end) and ``wasted`` (skills that met
    nothing).

Source
    Wang et al., VAGEN (NeurIPS 2025), whose PrimitiveSkill works on ManiSkill. Derived: the rules
    in place of a simulator, the stages of three tasks, the cabinet, the pictures.

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ..limits import choice, flag, whole
from .primitive_table import Table
from .primitive_tasks import TASKS, stage_score, things
from .primitive_view import picture
from .primitive_words import Skill, read_skill, score_places
from .reasoned_params import ReasonedTurnsParams
from .reasoned_turns import METRICS, ReasonedTurns

if TYPE_CHECKING:
    from gymposium.types import Image

_WORLD = "primitive_skill-v0"
SKILL_COST = 0.1


@dataclass(frozen=True)
class PrimitiveSkillParams(ReasonedTurnsParams):
    """Parameters of ``primitive_skill-v0``."""

    turns: int = field(default=10, metadata={"doc": "most turns", "range": [1, 1000]})
    actions_per_turn: int = field(
        default=2, metadata={"doc": "most skills a turn; more are dropped", "range": [1, 20]}
    )
    task: str = field(
        default="stack", metadata={"doc": "what is to be done", "choices": tuple(TASKS)}
    )
    most_skills: int = field(default=10, metadata={"doc": "skills of a match", "range": [1, 1000]})
    legacy_stage_keys: bool = field(
        default=False,
        metadata={
            "doc": "credit stages in align only, as the authors' program does for want of keys"
        },
    )
    physics: str = field(
        default="exact",
        metadata={"doc": "how things come to rest: by rule, or as pybullet has it",
                  "choices": ("exact", "bullet")},
    )  # fmt: skip
    renderer: str = field(
        default="rays",
        metadata={"doc": "who draws: we, or pybullet (without the arm)",
                  "choices": ("rays", "tiny")},
    )  # fmt: skip
    size: int = field(
        default=300, metadata={"doc": "of pictures", "unit": "pixels", "range": [16, 1024]}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(_WORLD, "task", self.task, tuple(TASKS))
        choice(_WORLD, "physics", self.physics, ("exact", "bullet"))
        choice(_WORLD, "renderer", self.renderer, ("rays", "tiny"))
        flag(_WORLD, "legacy_stage_keys", self.legacy_stage_keys)
        whole(_WORLD, "most_skills", self.most_skills, 1, 1000)
        whole(_WORLD, "size", self.size, 16, 1024)
        if self.representation == "symbolic":
            raise UsageError(
                f"{_WORLD}: places have no symbols: representation must be natural or structured"
            )


def _samples() -> tuple[str, ...]:
    """Skills for those who act at random: a grid over the table."""
    xs, ys = (-100, -50, 0, 50, 100, 150), (-200, -100, 0, 100, 200)
    at = [(x, y) for x in xs for y in ys]
    made = [f"{name}({x}, {y}, 20)" for name in ("pick", "place") for x, y in at]
    return (*made, *(f"push({x}, {y}, 20, {-y // 2}, {x}, 20)" for x, y in at))


class PrimitiveSkill(ReasonedTurns):
    """Pick, place and push until the instruction is fulfilled."""

    id: ClassVar[str] = _WORLD
    kind = "mixed"
    actions: Sequence[str] = _samples()
    separator: ClassVar[str] = "|"
    closed: ClassVar[bool] = False
    how_written: ClassVar[Mapping[str, str]] = {
        "natural": "Describe states in words: name each thing with its place (x, y, z).",
        "structured": 'Describe states as JSON: {"red_cube": (x, y, z), …} in millimetres.',
    }
    metric_names: ClassVar[tuple[str, ...]] = (*METRICS, "stage", "wasted")

    def __init__(self, **params: Any) -> None:
        self.params = p = PrimitiveSkillParams(**params)
        self._kind: type[Table] = Table
        if "bullet" in (p.physics, "bullet" if p.renderer == "tiny" else ""):
            from .primitive_bullet import BulletTable, library

            library()
            self._kind = BulletTable if p.physics == "bullet" else Table
        self._table: Table | None = None
        self._drawn: tuple[str, Image] | None = None
        said = p.turns * (abs(p.format_reward) + sum(map(abs, p.belief_rewards)))
        self.return_range = (-said - 10.0 - SKILL_COST * p.most_skills, said + 10.0)
        self._seat_reader((p.size, p.size))

    @property
    def table(self) -> Table:
        """What stands there.

        Raises:
            UsageError: no match has begun.
        """
        if self._table is None:
            raise UsageError(f"{self.id}: there is no table before reset(seed)")
        return self._table

    # The rules.

    def _start(self, rng: np.random.Generator) -> None:
        task = TASKS[self.params.task]
        items, drawer = task.start(rng)
        self._table = self._kind(items, task.limits, drawer)
        self._order = rng.permutation(len(things(task, self._table))).tolist()
        self._taken = self._wasted = 0
        self._met = True
        self._first = self._worth()

    def _worth(self) -> float:
        p = self.params
        return stage_score(TASKS[p.task], self.table, legacy=p.legacy_stage_keys)

    def _read_action(self, word: str) -> Skill | None:
        return read_skill(word)

    def _do(self, action: Skill) -> float:
        table, at = self.table, action.at
        if action.name == "pick":
            self._met = table.pick(at)
        elif action.name == "place":
            self._met = table.put(at)
        else:
            self._met = table.push(at[:3], at[3:])
        self._taken += 1
        self._wasted += not self._met
        return 0.0

    def _done(self) -> tuple[bool, bool]:
        success = all(TASKS[self.params.task].reached(self.table))
        return success or self._taken >= self.params.most_skills, success

    def _closing(self) -> float:
        return self._worth() - self._first - SKILL_COST * self._taken

    def _ended(self) -> tuple[bool, bool, str]:
        if self._over_now and not self._success:
            return False, True, f"{self._taken} skills were used"
        return super()._ended()

    def _truth(self) -> dict[str, Any]:
        table = self.table
        held = "" if table.held is None else table.items[table.held].name
        return {**things(TASKS[self.params.task], table), "held": held}

    def _picture(self) -> Image:
        state = repr(self.table)
        if self._drawn is None or self._drawn[0] != state:
            p = self.params
            draw = picture
            if p.renderer == "tiny":
                from .primitive_bullet import tiny_picture as draw
            self._drawn = state, draw(self.table, TASKS[p.task].marks, p.size)
        return self._drawn[1].copy()

    def _situation(self) -> bytes:
        if self._table is None:
            return b""
        done = (self._order, self._taken, self._wasted, self._met, self._first)
        return repr((self._table, *done)).encode()

    def _metrics(self) -> dict[str, float]:
        reached = TASKS[self.params.task].reached(self.table)
        return {
            **super()._metrics(),
            "stage": float(sum(reached)),
            "wasted": float(self._wasted),
        }

    # Words.

    def _score(self, text: str, truth: Mapping[str, Any]) -> float:
        return score_places(text, truth, self.params.representation)

    def _observed(self) -> str:
        p, task = self.params, TASKS[self.params.task]
        (x0, x1), (y0, y1), (z0, z1) = task.limits
        told = [
            f"Instruction: {task.instruction}",
            f"Workspace: x {x0:.0f} to {x1:.0f}, y {y0:.0f} to {y1:.0f}, z {z0:.0f} to {z1:.0f}.",
        ]
        if p.shows == "image":
            places = [*things(task, self.table).values()]
            shown = ", ".join(_triple(places[index]) for index in self._order)
            told.append(f"Places of things, in no order: {shown}.")
        if not self._met:
            told.append("The last skill met nothing.")
        return "\n".join(told)

    def _scene(self) -> str:
        found = things(TASKS[self.params.task], self.table)
        told = [f"{name.replace('_', ' ')} at {_triple(place)}" for name, place in found.items()]
        held = self.table.held
        hand = "empty" if held is None else f"holding the {_spoken(self.table.items[held].name)}"
        return f"There is: {'; '.join(told)}. The hand is {hand}."

    def _told(self) -> str:
        p = self.params
        return (
            "You move an arm before a table by skills: pick(x,y,z), place(x,y,z) and "
            "push(x1,y1,z1,x2,y2,z2), in whole millimetres. The camera looks along -x: "
            "-y is left, +y is right, and what has a smaller x is farther away. Cubes have sides "
            "of 40 mm; one that stands on the table has its middle at z = 20. Pick takes what has "
            "its middle within 20 mm; place lowers it onto what is under it. You are told where "
            "things are but not which is which: look at the picture. You have "
            f"{p.most_skills} skills in all, and each costs {SKILL_COST:g}; success earns 10, a "
            f"well-formed reply {p.format_reward:g}."
        )

    def _examples(self) -> tuple[Mapping[str, str], Sequence[str]]:
        now, then = {"red_cube": (62, -55, 20)}, {"red_cube": (62, 80, 20)}
        parts = {
            "think": "The red cube is on the left, so it is the one at (62, -55, 20).",
            "observation": self._believes(now),
            "reasoning": "The red cube must go to the right: I pick it and place it there.",
            "prediction": self._believes(then),
        }
        return parts, ("pick(62, -55, 20)", "place(62, 80, 20)")

    def _believes(self, places: Mapping[str, Sequence[int]]) -> str:
        if self.params.representation == "structured":
            inner = ", ".join(f'"{name}": {_triple(place)}' for name, place in places.items())
            return f"{{{inner}}}"
        told = (f"The {_spoken(name)} is at {_triple(it)}." for name, it in places.items())
        return " ".join(told)


def _triple(place: Sequence[int]) -> str:
    return f"({', '.join(map(str, place))})"


def _spoken(name: str) -> str:
    return name.replace("_", " ")
