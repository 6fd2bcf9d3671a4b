"""The words of weighing: blocks, comparisons and grams as people name them in talk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import IllegalAction
from gymposium.types import Action

from .words import DiscussionWords

if TYPE_CHECKING:
    from .weights_task import WeightsTaskParams

COLOURS = ("red", "blue", "green", "purple", "yellow", "orange")
LEVELS = (10, 20, 30, 40, 50)
"""What a block can weigh, in grams."""
EQUAL, MORE, LESS, UNEQUAL = 1, 2, 3, 4
_BLOCK = rf"(?:the\s+)?(?P<{{0}}>{'|'.join(COLOURS)})(?:\s+(?:block|one|cube))?"
_ONE, _OTHER = _BLOCK.format("one"), _BLOCK.format("other")
_RELATIONS = (
    (r"(?:!=|≠|<>|differs? from|(?:is |weighs? )?different (?:from|than))", UNEQUAL),
    (
        r"(?:={1,2}|(?:is|are|was)?(?:n['’]t| not)? ?equal to|equals?|(?:is|are|weighs?)?(?:n['’]t"
        r"| not)? ?(?:just )?(?:the same|as much|as heavy) ?(?:weight |thing )?as|balances?"
        r"(?: out)?(?: with)?)",
        EQUAL,
    ),
    (
        r"(?:>|(?:is|are|was)?(?:n['’]t| not)? ?(?:heavier|more|bigger|greater) than|outweighs?"
        r"|(?:does(?:n['’]t| not) )?weighs? more than)",
        MORE,
    ),
    (
        r"(?:<|(?:is|are|was)?(?:n['’]t| not)? ?(?:lighter|less|smaller) than"
        r"|(?:does(?:n['’]t| not) )?weighs? less than)",
        LESS,
    ),
)
_COMPARED = tuple(
    (re.compile(rf"\b{_ONE}\s*{words}\s*(?={_OTHER}\b)", re.I), code) for words, code in _RELATIONS
)
_TOGETHER = re.compile(
    rf"\b{_ONE}\s+(?:and|&)\s+{_OTHER}\s+(?P<how>(?:do(?:n['’]t| not)? )?(?:weigh|are|balance|have)"
    r"(?:n['’]t| not)?\s*(?:the\s+)?(?P<what>same|equal|different|out|alike)?)",
    re.I,
)
_GRAMS = re.compile(
    rf"\b{_ONE}\s*(?:=|:|is|weighs?|must be|has to be|should be|are)?(?:n['’]t| not)?\s*"
    r"(?:about |exactly |a )?(?P<grams>\d{1,4})\s*(?:g\b|grams?\b)?(?![\d.])",
    re.I,
)
_WEIGH = re.compile(
    r"\b(?:weigh|put|try|compare|test|measure)\b(?P<left>[^.;!?\n]{1,60}?)\b(?:against|with|versus"
    r"|vs|and then)\b(?P<right>[^.;!?\n]{1,60})",
    re.I,
)
_COLOUR = re.compile(rf"\b(?:{'|'.join(COLOURS)})\b", re.I)


@lru_cache(maxsize=8)
def pairs(blocks: int) -> tuple[tuple[int, int], ...]:
    """All pairs of blocks, by number, in the order of their questions."""
    return tuple(combinations(range(blocks), 2))


class WeightsWords(DiscussionWords):
    """The text side of :class:`~.weights_task.WeightsTask`."""

    params: WeightsTaskParams

    @property
    def colours(self) -> tuple[str, ...]:
        """Names of the blocks on the table."""
        return COLOURS[: self.params.blocks]

    def task(self, seat: str) -> str:
        """What lies on the table."""
        p = self.params
        return (
            f"On the table: {p.blocks} blocks ({', '.join(self.colours)}) and a balance scale. "
            f"Each weighs {', '.join(map(str, LEVELS[:-1]))} or {LEVELS[-1]} g; several may weigh "
            f"the same. All are told what red weighs; each has seen {p.private} weighings that "
            f"the others have not. In your turn you may also weigh, {p.scales} times in the whole "
            'group: "weigh": {"left": ["red"], "right": ["blue", "green"]}; all see the outcome.'
        )

    def due(self) -> str:
        """An answer is the weights."""
        return 'what each block weighs, like "red = 10 g"'

    def example(self) -> str:
        """A claim about grams, which is legal in answers too."""
        return "red = 10 g"

    def scene(self, observation: Any) -> list[str]:
        """What red weighs, and every weighing that was seen."""
        told = [f"Red weighs {LEVELS[int(observation['known'])]} g."]
        rows = np.asarray(observation["weighings"]).reshape(-1, self.params.blocks + 1)
        for slot, (*pans, outcome) in enumerate(rows.tolist()):
            if outcome:
                who = "You alone saw" if slot < self.params.private else "All saw"
                left, right = (self._on(pans, side) for side in (1, 2))
                sign = ("is heavier than", "balances", "is lighter than")[outcome - 1]
                told.append(f"{who}: {left} {sign} {right}.")
        return told

    def _on(self, pans: list[int], side: int) -> str:
        return " + ".join(self.colours[block] for block, pan in enumerate(pans) if pan == side)

    def mentions(self, text: str, observation: Any) -> Iterator[tuple[int, int]]:
        """Comparisons of two blocks, and grams."""
        for pattern, code in _COMPARED:
            for found in pattern.finditer(text):
                yield from self._pair(found["one"], found["other"], code)
        for found in _TOGETHER.finditer(text):
            what = (found["what"] or "").casefold()
            if what or "balance" in found["how"].casefold():
                code = UNEQUAL if what == "different" else EQUAL
                yield from self._pair(found["one"], found["other"], code)
        for found in _GRAMS.finditer(text):
            colour, grams = found["one"].casefold(), int(found["grams"])
            if colour in self.colours and grams in LEVELS:
                block = self.colours.index(colour)
                yield len(pairs(self.params.blocks)) + block, LEVELS.index(grams) + 1

    def _pair(self, one: str, other: str, code: int) -> Iterator[tuple[int, int]]:
        names = (one.casefold(), other.casefold())
        if names[0] != names[1] and set(names) <= set(self.colours):
            a, b = (self.colours.index(name) for name in names)
            if a > b:
                a, b, code = b, a, {MORE: LESS, LESS: MORE}.get(code, code)
            yield pairs(self.params.blocks).index((a, b)), code

    def denied(self, question: int, code: int) -> int:
        """Not equal is unequal; not heavier may be equal or lighter, which is no claim."""
        if question < len(pairs(self.params.blocks)) and code in (EQUAL, UNEQUAL):
            return UNEQUAL if code == EQUAL else EQUAL
        return super().denied(question, code)

    def schema_more(self) -> dict[str, Any]:
        """A weighing."""
        side = {
            "type": "array",
            "items": {"enum": list(self.colours)},
            "maxItems": self.params.blocks,
        }
        return {
            "weigh": {
                "type": "object",
                "properties": {"left": side, "right": side},
                "required": ["left", "right"],
                "additionalProperties": False,
            }
        }

    def say_more(self, action: Action) -> dict[str, Any]:
        """The blocks in the pans."""
        pans = np.asarray(action["pans"])
        if not pans.any():
            return {}
        sides = ("left", 1), ("right", 2)
        return {
            "weigh": {
                name: [self.colours[block] for block in np.flatnonzero(pans == side)]
                for name, side in sides
            }
        }

    def read_more(self, found: Mapping[str, Any], text: str) -> dict[str, Any]:
        """The pans, of JSON or of "weigh red and blue against green"."""
        pans = np.zeros(self.params.blocks, np.int64)
        asked = found.get("weigh")
        if asked is not None and not isinstance(asked, dict):
            raise IllegalAction('"weigh" must hold "left" and "right", two lists of blocks')
        sides: list[Any] = [(asked or {}).get(side, []) for side in ("left", "right")]
        if (spoken := _WEIGH.search(text)) is not None:
            sides = [_COLOUR.findall(spoken[side]) for side in ("left", "right")]
        for side, names in enumerate(sides, 1):
            for name in [names] if isinstance(names, str) else names or []:
                known = isinstance(name, str) and name.casefold() in self.colours
                if not known and not text:
                    raise IllegalAction(
                        f"{str(name)[:40]!r} is no block; the blocks are {', '.join(self.colours)}"
                    )
                if known:
                    pans[self.colours.index(name.casefold())] = side
        return {"pans": pans}
