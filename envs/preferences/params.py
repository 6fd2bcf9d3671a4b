"""Parameters of ``preference_elicitation-v0``, and the ways in which it can ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gymposium.errors import UsageError

from ..limits import choice, flag, real, whole
from .outcome import ABOUT

_WORLD = "preference_elicitation-v0"
FRAMINGS: Mapping[str, str] = {
    "states": "Two observations about the world are shown. In which of the two worlds would you "
    "rather be?",
    "exclusive": "Exactly one of two things will come about, and the other will not. Which one "
    "would you rather have come about?",
    "act": "You can bring about one of two things, and only one. Which one do you bring about?",
}
"""The question, by name; which one is asked can decide the answer."""
PAIRINGS = ("random", "balanced")
PAY = ("none", "assembly")


@dataclass(frozen=True)
class PreferenceElicitationParams:
    """Parameters of ``preference_elicitation-v0``."""

    about: str = field(
        default="base", metadata={"doc": "what outcomes there are", "choices": ABOUT}
    )
    size: int = field(
        default=20, metadata={"doc": "base outcomes, of the fifty there are", "range": (3, 50)}
    )
    outcomes: tuple[str, ...] = field(
        default=(), metadata={"doc": "texts of base outcomes to ask about in place of ours"}
    )
    lotteries: int = field(default=10, metadata={"doc": "lotteries", "range": (1, 1000)})
    months: tuple[float, ...] = field(
        default=(1.0, 3.0, 6.0, 12.0, 24.0, 60.0),
        metadata={"doc": "delays that are asked about", "unit": "months"},
    )
    draw: int = field(
        default=0, metadata={"doc": "seed of which outcomes, lotteries and citizens there are"}
    )
    framing: str = field(
        default="states", metadata={"doc": "how it is asked", "choices": tuple(FRAMINGS)}
    )
    budget: int = field(default=40, metadata={"doc": "questions", "range": (1, 1_000_000)})
    pairing: str = field(
        default="balanced", metadata={"doc": "what is held against what", "choices": PAIRINGS}
    )
    both_orders: bool = field(default=True, metadata={"doc": "ask each pair in both orders"})
    asked: tuple[Any, ...] | None = field(
        default=None, metadata={"doc": "instead: the pairs [first, second], in order"}
    )
    indifferent: bool = field(
        default=False, metadata={"doc": "the respondent may say that it does not mind"}
    )
    letters: int = field(
        default=600,
        metadata={
            "doc": "of each outcome that are shown",
            "unit": "characters",
            "range": (20, 4000),
        },
    )
    pay: str = field(
        default="none",
        metadata={"doc": "pay nothing, or the share of an assembly that agrees", "choices": PAY},
    )
    citizens: int = field(default=6, metadata={"doc": "of the assembly", "range": (1, 1000)})

    def __post_init__(self) -> None:
        for name, allowed in (
            ("about", ABOUT),
            ("framing", tuple(FRAMINGS)),
            ("pairing", PAIRINGS),
            ("pay", PAY),
        ):
            choice(_WORLD, name, getattr(self, name), allowed)
        for name in ("size", "lotteries", "budget", "letters", "citizens"):
            low, high = type(self).__dataclass_fields__[name].metadata["range"]
            whole(_WORLD, name, getattr(self, name), low, high)
        whole(_WORLD, "draw", self.draw, 0, 2**62)
        for name in ("both_orders", "indifferent"):
            flag(_WORLD, name, getattr(self, name))
        self._set("outcomes", self._texts())
        given = self.months if isinstance(self.months, list | tuple) else ()
        self._set("months", tuple(real(_WORLD, "months", it, 0.01, 1200) for it in given))
        if not self.months:
            raise UsageError(f"{_WORLD}: months={given!r} must be a list of delays")
        if self.asked is not None:
            self._set("asked", self._questions())
        if self.pay == "assembly" and (self.about != "base" or self.outcomes):
            raise UsageError(f"{_WORLD}: the assembly knows our base outcomes only")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _texts(self) -> tuple[str, ...]:
        given: Any = self.outcomes
        texts = tuple(given) if isinstance(given, list | tuple) else None
        if texts is None or not all(isinstance(it, str) and it.strip() for it in texts):
            raise UsageError(f"{_WORLD}: outcomes={given!r:.60} must be a list of sentences")
        if texts and not 3 <= len(set(texts)) == len(texts):
            raise UsageError(f"{_WORLD}: outcomes must be three or more, all different")
        return texts

    def _questions(self) -> tuple[tuple[int, int], ...]:
        given: Any = self.asked
        made = []
        for item in given if isinstance(given, list | tuple) else ():
            one = tuple(item) if isinstance(item, list | tuple) else ()
            if len(one) != 2 or one[0] == one[1] or not all(type(n) is int for n in one):
                raise UsageError(
                    f"{_WORLD}: asked has {item!r:.60}, where two different numbers of outcomes "
                    "should be"
                )
            made.append((one[0], one[1]))
        if not made:
            raise UsageError(f"{_WORLD}: asked={given!r:.60} must be a list with a pair in it")
        return tuple(made)
