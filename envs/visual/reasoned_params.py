"""The parameters that worlds answered by reasoning have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from gymposium.errors import UnknownName, UsageError

from ..limits import whole
from .replies import FORMS
from .strategies import LEGACY_NAMES, STRATEGIES

SHOWS = ("text", "image", "both")
REPRESENTATIONS = ("natural", "structured", "symbolic")


@dataclass(frozen=True)
class ReasonedTurnsParams:
    """What the worlds of the family have in common."""

    shown: ClassVar[tuple[str, ...]] = SHOWS
    strategy: str = field(
        default="world_modeling",
        metadata={"doc": "what a reply must hold", "choices": (*STRATEGIES, *LEGACY_NAMES)},
    )
    representation: str = field(
        default="natural",
        metadata={"doc": "how beliefs are written", "choices": REPRESENTATIONS},
    )
    shows: str = field(default="image", metadata={"doc": "what is seen", "choices": SHOWS})
    form: str = field(
        default="tags", metadata={"doc": "a reply is tags or a JSON object", "choices": FORMS}
    )
    turns: int = field(default=3, metadata={"doc": "most turns", "range": [1, 1000]})
    actions_per_turn: int = field(
        default=3, metadata={"doc": "most actions a turn; more are dropped", "range": [1, 20]}
    )
    format_reward: float = field(
        default=0.5, metadata={"doc": "for a reply of the format with known actions"}
    )
    belief_rewards: tuple[float, float] = field(
        default=(0.5, 0.5),
        metadata={"doc": "for a right belief of the state now, and of that after the actions"},
    )
    loose: bool | None = field(
        default=None,
        metadata={"doc": "read replies that are not of the format; None: only with beliefs"},
    )
    nested: bool = field(
        default=False, metadata={"doc": "tags within a part do not spoil the format (legacy)"}
    )
    fine_templates: bool = field(
        default=False,
        metadata={"doc": "a belief said again in a match must be right, or is fined 0.1"},
    )

    def __post_init__(self) -> None:
        where = type(self).__name__
        choices = {
            "strategy": (*STRATEGIES, *LEGACY_NAMES),
            "representation": REPRESENTATIONS,
            "shows": self.shown,
            "form": FORMS,
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                raise UnknownName(name, str(getattr(self, name)), known, where=where)
        for name, most in (("turns", 1000), ("actions_per_turn", 20)):
            whole(where, name, getattr(self, name), 1, most)
        pair = tuple(self.belief_rewards)
        if len(pair) != 2 or not all(_amount(value) for value in (*pair, self.format_reward)):
            raise UsageError(
                f"{where}: format_reward and the two belief_rewards must be numbers within ±1000"
            )
        object.__setattr__(self, "belief_rewards", (float(pair[0]), float(pair[1])))


def _amount(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= 1000
