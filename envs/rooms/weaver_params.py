"""The parameters of scene weaver, checked, and the tools that they leave."""

from __future__ import annotations

from dataclasses import dataclass, field

from gymposium.errors import UnknownName, UsageError

from ..limits import choice, flag, real, whole
from .room_types import find_room_type, room_type, room_types
from .tools.card import Family, Tool
from .tools.toolbox import toolbox

WORLD = "scene_weaver-v0"
ANY = "any"
"""The ``room`` for which every match draws its type."""
MOST_IDEAS = 400
"""Characters of ideas, and of a demand."""


@dataclass(frozen=True)
class SceneWeaverParams:
    """Parameters of ``scene_weaver-v0``."""

    room: str = field(
        default="bedroom",
        metadata={"doc": "a type of room, a demand in words that names one, or any: by the seed"},
    )
    steps: int = field(default=10, metadata={"doc": "most steps", "range": [2, 100]})
    budget: int | None = field(
        default=None, metadata={"doc": "what all calls may cost, in model calls; None: no limit"}
    )
    control: str = field(
        default="call",
        metadata={"doc": "a call with ideas and edit, or the choice of a tool alone",
                  "choices": ("call", "choice")},
    )  # fmt: skip
    shows: str = field(
        default="both", metadata={"doc": "what is seen", "choices": ("text", "both")}
    )
    size: int = field(
        default=384, metadata={"doc": "pixels along a side of the picture", "range": [128, 2048]}
    )
    words: str = field(
        default="full",
        metadata={"doc": "how much rules and turns say; brief, without cards' details, places and "
                  "edits of one's own, is for models of little context",
                  "choices": ("full", "brief")},
    )  # fmt: skip
    physics: bool = field(
        default=True, metadata={"doc": "whether the executor corrects what tools make"}
    )
    passes: int = field(
        default=50, metadata={"doc": "passes of the executor's optimiser", "range": [1, 500]}
    )
    slip: float = field(
        default=0.0,
        metadata={
            "doc": "how far tools miss the places they find, as language models do",
            "unit": "m (standard deviation)",
            "range": [0, 1],
        },
    )
    costs: tuple[float, float, float] = field(
        default=(0.1, 0.1, 0.1),
        metadata={"doc": "of a thing outside, a pair in contact, an unstable thing"},
    )
    without: tuple[str, ...] = field(
        default=(), metadata={"doc": "tools, or families of tools, that are not there"}
    )
    tools: tuple[str, ...] = field(
        default=(), metadata={"doc": "more tools, each FILE.py:CLASS or module:CLASS"}
    )

    def __post_init__(self) -> None:
        if not isinstance(self.room, str) or not 1 <= len(self.room) <= MOST_IDEAS:
            raise UsageError(
                f"{WORLD}: room must be a type of room or a demand of at most {MOST_IDEAS} "
                f"characters, got {self.room!r:.80}"
            )
        if self.room != ANY and find_room_type(self.room) is None:
            raise UnknownName("type of room", self.room, [*room_types(), ANY], where=WORLD)
        whole(WORLD, "steps", self.steps, 2, 100)
        if self.budget is not None:
            whole(WORLD, "budget", self.budget, 1, 10_000)
        choice(WORLD, "control", self.control, ("call", "choice"))
        choice(WORLD, "shows", self.shows, ("text", "both"))
        whole(WORLD, "size", self.size, 128, 2048)
        choice(WORLD, "words", self.words, ("full", "brief"))
        flag(WORLD, "physics", self.physics)
        whole(WORLD, "passes", self.passes, 1, 500)
        object.__setattr__(self, "slip", real(WORLD, "slip", self.slip, 0, 1))
        if not isinstance(self.costs, list | tuple) or len(self.costs) != 3:
            raise UsageError(f"{WORLD}: costs={self.costs!r:.80} must be three numbers")
        costs = tuple(real(WORLD, "costs", value, 0, 100) for value in self.costs)
        object.__setattr__(self, "costs", costs)
        for name in ("without", "tools"):
            value = getattr(self, name)
            if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                raise UsageError(f"{WORLD}: {name}={value!r:.80} must be a list of names")
            object.__setattr__(self, name, tuple(value))


def chosen_tools(p: SceneWeaverParams) -> tuple[Tool, ...]:
    """The kit without what is left out.

    Raises:
        UnknownName: there is no such tool or family.
        UsageError: nothing would be left to begin or to end with.
    """
    kit = toolbox(p.tools)
    known = [*(tool.card.name for tool in kit), *(str(family) for family in Family)]
    for name in p.without:
        if name not in known:
            raise UnknownName("tool", name, known, where=f"{WORLD}: without")
    left = tuple(t for t in kit if t.card.name not in p.without and t.card.family not in p.without)
    kinds = room_types().values() if p.room == ANY else [room_type(find_room_type(p.room) or "")]
    for kind in kinds:
        begin = [t.card.cost for t in left if t.card.family is Family.INITIALISER and t.knows(kind)]
        if not begin or not any(t.card.family is Family.CONTROL for t in left):
            raise UsageError(
                f"{WORLD}: without={list(p.without)} leaves nothing to begin a {kind.name} with, "
                "or to end with"
            )
        if p.budget is not None and p.budget < min(begin):
            raise UsageError(
                f"{WORLD}: budget={p.budget} does not pay for a first call ({min(begin)})"
            )
    return left
