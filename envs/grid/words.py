"""Grid worlds in words: a small local map with a legend, what just happened, named actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..words import SpaceWords
from .sights import sights, window
from .state import FLAG_AWAY, HEADING_SHIFT, OTHER, SELF
from .views import AHEAD, SIDE

if TYPE_CHECKING:
    from gymposium.types import Image

    from .game import GridGame

YOU = "@"
OTHERS = "^<v>"
"""Another seat by its heading less yours: same way, turned left, facing you, turned right."""
COMPASS = "v>^<"
"""A seat on the whole map by its heading: south, east, north, west."""


class GridWords(SpaceWords):
    """The text side of ``GridWorld``."""

    game: GridGame
    params: Any

    def about(self) -> str:
        """The rules of the world in a few sentences; each world has its own."""
        raise NotImplementedError

    def event_words(self) -> Mapping[str, str]:
        """A sentence for each event of a step, ``{count}`` being how many."""
        return {
            "zapped": "You were hit by a zap beam.",
            "cleaned": "You cleaned {count} piece(s) of dirt.",
            "collected": "You collected something.",
        }

    def zap_words(self) -> str:
        """What being hit by a zap beam does."""
        steps = getattr(self.params, "zap_steps", 0)
        return {
            "off": "does nothing",
            "respawn": "sends them back to a spawn point",
            "timeout": f"takes them out of play for {steps} steps",
        }[self.params.zap]

    def action_labels(self, seat: str) -> Any:
        """The names of the actions."""
        return self.game.actions

    def rules(self, seat: str) -> str:
        """The world, the view, the length and the form of an answer."""
        game = self.game
        others = game.agents - 1
        company = f"with {others} other{'s' * (others > 1)}" if others else "alone"
        how = (
            "relative to the way you face"
            if self.params.moves == "egocentric"
            else "by the map's directions, whichever way you face"
        )
        return "\n".join(
            [
                f"You are {seat} on a grid {company}; all act at the same time, "
                f"{game.horizon} steps long.",
                self.about(),
                f"You see 9 cells ahead, 1 behind and 5 to each side. Steps go {how}; turns "
                "change what you see and where beams go. Two cannot stand on one cell: whoever "
                "stays keeps it, and chance decides between those who come.",
                "Your aim is the highest total for yourself.",
                self.how_to_answer(seat),
            ]
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What just happened, the local map (ahead is up) and its legend."""
        codes = observation
        lines = self._happened(info)
        if codes[AHEAD, SIDE, 1] & FLAG_AWAY:
            return "\n".join([*lines, "You are out of play for now and see nothing."])
        shown = codes[window(codes)]
        item, people = shown[..., 0].tolist(), shown[..., 1].tolist()
        drawn = [
            "".join(self._symbol(i, p) for i, p in zip(*row, strict=True))
            for row in zip(item, people, strict=True)
        ]
        lines += ["Your view (ahead is up):", *drawn, f"Legend: {self._legend(item, people)}."]
        lines += sights(self.game, codes)
        below = int(codes[AHEAD, SIDE, 0])
        if below >= self.game.holdings:
            lines.append(f"You hold: {self.game.items[below]}.")
        elif below:
            lines.append(f"You stand on: {self.game.items[below]}.")
        return "\n".join(lines)

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The view in sprites: 88 x 88 pixels."""
        from .tiles import tiles

        return (tiles(self.game.sprites).view(observation),)

    def map_in_text(self, codes: Any) -> str:
        """The whole map ``[H, W, 2]`` in symbols, for spectators."""
        item, people = codes[..., 0].tolist(), codes[..., 1].tolist()
        return "\n".join(
            "".join(
                COMPASS[(p >> HEADING_SHIFT) & 3] if p else self.game.glyphs[i]
                for i, p in zip(*row, strict=True)
            )
            for row in zip(item, people, strict=True)
        )

    def _happened(self, info: Mapping[str, Any]) -> list[str]:
        lines = []
        if reward := info.get("task_reward"):
            lines.append(f"You got {reward:+g} in the last step.")
        words = self.event_words()
        lines += [words[name].format(count=info[name]) for name in words if info.get(name)]
        return lines

    def _symbol(self, item: int, person: int) -> str:
        if person & SELF:
            return YOU
        if person & OTHER:
            return OTHERS[(person >> HEADING_SHIFT) & 3]
        return self.game.glyphs[item]

    def _legend(self, item: list[list[int]], people: list[list[int]]) -> str:
        seen = sorted({code for row in item for code in row})
        parts = [f"{YOU} you"]
        if any(person & OTHER for row in people for person in row):
            parts.append(f"{OTHERS} others (^ facing your way, v facing you)")
        parts += [f"{self.game.glyphs[code]} {self.game.items[code]}" for code in seen]
        return ", ".join(parts)
