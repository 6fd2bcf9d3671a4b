"""Redraw an icon in SVG: what was written is rasterised and compared.

What it is
    An icon is shown; whoever sits here writes an SVG document that looks like it, sees what the
    document looks like, and may try again.

Seats
    One, ``player_0``.

Observation
    A Dict of ``target`` and ``image``, both uint8 [256, 256, 3]: the icon, and the last drawing
    (white before the first), which ``shows`` text leaves out; ``text``, what became of the last
    reply, to which ``shows`` text and both add what icon and drawing look like.

Actions
    Text: a reply in the format of the chosen strategy, whose answer is one SVG document.

Rules
    The document is drawn on white, 256 by 256; another shape is fitted in. Shapes, paths, groups,
    gradients, clips and masks are drawn. Words are left out. Anything that reaches outside the
    document, and anything beyond the limits of :mod:`.reading`, is no document.

Reward
    Each turn ``format_reward`` for a reply in the format, plus the weighted sum of three
    likenesses, each 0 to 1: overlap of edges (``structure``), cosine of filter energies and
    colours (``cosine``) and nearness of filter maps (``likeness``). No document, no reward.

End
    Terminated by a reply without a document that can be drawn, truncated after ``turns`` replies.
    No answer is such a reply.

Words
    The icon comes as a picture, in words (its colours and where it has ink), or both. A bare
    ``<svg …>`` is read as an answer where the strategy asks for nothing else.

Parameters
    See ``SvgReconstructionParams``.

Metrics
    ``similarity`` (mean of cosine and likeness of the last drawing), ``structure``;
    ``format_rate``, ``valid_rate`` and ``response_length`` (characters) of the replies.

Source
    Wang et al., VAGEN (NeurIPS 2025), section 3 and the authors' program. Derived: the made-up
    icons, and scorers that need no weights in place of DINOv2 and DreamSim.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action

from ...markets.money import CHARACTERS
from ...palette import INK, PAPER, QUIET
from ...speech import spelled
from ...world import RuleWorld
from ..reasoned_params import SHOWS
from ..replies import unwrapped
from ..strategies import parts_of, read, schema, skeleton
from .icons import document, icons_in, made_up
from .raster import SIZE, rasterised
from .reading import MAX_SAID, BadDrawing
from .scores import DinoCosine, FilterCosine, FilterLikeness, ImageScorer, Structure

if TYPE_CHECKING:
    from gymposium.types import Image

SEAT = "player_0"
WRITABLE = CHARACTERS + "\n"
_DRAWN, _UNDRAWN = "Your document was drawn", "Nothing was drawn"
_MARGIN = 8
_WORDS = 2 * 320 + 100
"""The most characters in which what icon and drawing look like is told."""


@dataclass(frozen=True)
class SvgReconstructionParams:
    """Parameters of ``svg_reconstruction-v0``."""

    strategy: str = field(
        default="no_think", metadata={"doc": "what a reply holds; see strategies"}
    )
    shows: str = field(default="both", metadata={"doc": "what is seen", "choices": SHOWS})
    turns: int = field(default=2, metadata={"doc": "replies", "range": [1, 20]})
    primitives: int = field(default=4, metadata={"doc": "most in an icon", "range": [1, 6]})
    icons: str | None = field(
        default=None, metadata={"doc": "a folder of .svg files to redraw, instead of made-up ones"}
    )
    format_reward: float = field(
        default=0.5, metadata={"doc": "for a reply in the format", "low": 0}
    )
    cosine: float = field(default=1.0, metadata={"doc": "weight of the cosine", "low": 0})
    structure: float = field(default=1.0, metadata={"doc": "weight of the edges", "low": 0})
    likeness: float = field(default=1.0, metadata={"doc": "weight of the filter maps", "low": 0})
    dino: str | None = field(
        default=None, metadata={"doc": "a folder with a DINOv2 model, for the cosine"}
    )
    longest: int = field(
        default=4000, metadata={"doc": "characters of a reply", "range": [200, 20000]}
    )

    def __post_init__(self) -> None:
        where = "svg_reconstruction"
        parts_of(self.strategy)
        if self.shows not in SHOWS:
            raise UsageError(f"{where}: shows must be one of {SHOWS}, got {self.shows!r}")
        for name, low, high in (("turns", 1, 20), ("primitives", 1, 6), ("longest", 200, 20000)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UsageError(
                    f"{where}: {name} must be a whole number from {low} to {high}, got {value!r}"
                )
        for name in ("format_reward", "cosine", "structure", "likeness"):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not 0 <= value < 1e6
            ):
                raise UsageError(f"{where}: {name} must be a number of at least 0, got {value!r}")


class SvgReconstruction(RuleWorld):
    """Write SVG that looks like the icon shown; what you drew is shown to you in turn."""

    id: ClassVar[str] = "svg_reconstruction-v0"
    kind = "mixed"
    turn_based = True
    fault_rule = "No answer ends the match with nothing for the turn."
    metric_names = ("similarity", "structure", "format_rate", "valid_rate", "response_length")

    def __init__(self, **params: Any) -> None:
        self.params = p = SvgReconstructionParams(**params)
        self._icons = None if p.icons is None else icons_in(p.icons)
        self.horizon = p.turns
        self.return_range = (0.0, p.turns * (p.format_reward + p.cosine + p.structure + p.likeness))
        cosine: ImageScorer = FilterCosine() if p.dino is None else DinoCosine(p.dino)
        self._scorers: dict[str, ImageScorer] = {
            "cosine": cosine,
            "structure": Structure(),
            "likeness": FilterLikeness(),
        }
        picture = spaces.Box(0, 255, (SIZE, SIZE, 3), np.uint8)
        told = spaces.Text(MAX_SAID + _WORDS, min_length=0, charset=WRITABLE)
        pictures = {} if p.shows == "text" else {"image": picture, "target": picture}
        seen = spaces.Dict({**pictures, "text": told})
        said = spaces.Text(p.longest, min_length=0, charset=WRITABLE)
        whole = (SEAT,) if parts_of(p.strategy) else ()  # else thoughts are no part of a reply
        self._seat_all([SEAT], {SEAT: seen}, {SEAT: said}, whole_replies=whole)

    @property
    def icon(self) -> str:
        """The document behind the icon that is shown, for bots that may peep and for reports."""
        return self._icon

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        if self._icons is None:
            self._icon = document(made_up(rng, most=self.params.primitives))
        else:
            self._icon = self._icons[int(rng.integers(len(self._icons)))]
        self._target = rasterised(self._icon)
        self._image: Image = np.full_like(self._target, 255)
        self._text, self._broken = "", False
        self._scores = dict.fromkeys(self._scorers, 0.0)
        self._turn_rows: list[tuple[str, bool, bool, float, float, float, float]] = []

    def _actors(self) -> tuple[str, ...]:
        return (SEAT,)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        p, reply = self.params, actions[SEAT] or ""
        said = read(reply, p.strategy, separator="~~")
        documents = said.actions(separator="~~", most=1)
        reward = 0.0
        try:
            if not documents:
                raise BadDrawing("there is no document in the reply")
            self._image = rasterised(documents[0])
        except BadDrawing as error:
            self._broken, self._scores = True, dict.fromkeys(self._scorers, 0.0)
            self._text = spelled(f"{_UNDRAWN}: {error}.", WRITABLE)
        else:
            self._scores = {
                name: scorer(self._target, self._image) for name, scorer in self._scorers.items()
            }
            reward = sum(getattr(p, name) * value for name, value in self._scores.items())
            reward += p.format_reward * said.correct
            listed = ", ".join(f"{name} {value:.2f}" for name, value in self._scores.items())
            self._text = spelled(f"{_DRAWN}: {listed}.", WRITABLE)
        row = (reply, said.correct, not self._broken, *self._scores.values(), reward)
        self._turn_rows.append(row)  # type: ignore[arg-type]
        return {SEAT: reward}

    def _ended(self) -> tuple[bool, bool, str]:
        if self._broken:
            return True, False, "the reply held no document that can be drawn"
        over = len(self._turn_rows) >= self.params.turns
        return False, over, "all turns were used" if over else ""

    def _observe(self, seat: str) -> dict[str, Any]:
        told = self._text
        if self.params.shows != "image":
            told = f"{told}\nThe icon: {_in_words(self._target)}".strip()
            if self._turn_rows and not self._broken:
                told = f"{told}\nYour drawing: {_in_words(self._image)}"
        if self.params.shows == "text":
            return {"text": told}
        return {"image": self._image.copy(), "target": self._target.copy(), "text": told}

    def _state(self) -> bytes:
        return repr((self._icon, self._turn_rows, self._broken)).encode()

    def _metrics(self) -> dict[str, float]:
        replies, correct, valid = zip(*(row[:3] for row in self._turn_rows), strict=True)
        return {
            "similarity": (self._scores["cosine"] + self._scores["likeness"]) / 2,
            "structure": self._scores["structure"],
            "format_rate": float(np.mean(correct)),
            "valid_rate": float(np.mean(valid)),
            "response_length": float(np.mean([len(reply) for reply in replies])),
        }

    def _tables(self) -> Mapping[str, Mapping[str, list[Any]]]:
        names = ("reply", "format_correct", "valid", *self._scorers, "reward")
        columns = zip(*self._turn_rows, strict=True)
        return {"turns": {name: list(column) for name, column in zip(names, columns, strict=True)}}

    # Words.

    def rules(self, seat: str) -> str:
        """What is asked, how to write it, and what it earns."""
        p = self.params
        return (
            f"You are {seat}. You are shown an icon of {SIZE} by {SIZE} pixels on white. Write one "
            "SVG document that looks like it. Shapes, paths, groups, gradients, clips and masks "
            "are drawn; words, scripts, styles, filters, pictures and links are not. You may reply "
            f"{p.turns} times; after each reply you see what it looks like. A reply without a "
            f"document that can be drawn ends the game. A reply in the format earns "
            f"{p.format_reward:g}; likeness of edges, colours and shape earns up to "
            f"{p.cosine + p.structure + p.likeness:g} more.\n"
            f"Format: {skeleton(p.strategy)}\nThe answer is the document, of at most {p.longest} "
            "characters in all. For example: <answer><svg viewBox='0 0 24 24'><circle cx='12' "
            "cy='12' r='8' fill='#2a6fbb'/></svg></answer>"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """What became of the last reply and, where ``shows`` says so, how icon and drawing look."""
        return str(observation["text"])

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The icon, and after the first reply the drawing."""
        pictures = tuple(observation[key] for key in ("target", "image") if key in observation)
        replied = str(observation["text"]).startswith((_DRAWN, _UNDRAWN))
        return pictures if replied else pictures[:1]

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The document, or the parts of a reply as an object."""
        if not parts_of(self.params.strategy):
            return {"type": "string", "maxLength": self.params.longest}
        return schema(self.params.strategy, most=1, longest=self.params.longest)

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The reply itself; where nothing else is asked for, the document in it is the answer."""
        text = unwrapped(text.strip())
        if not parts_of(self.params.strategy) and "<answer>" not in text:
            begin, end = text.find("<svg"), text.rfind("</svg>") + len("</svg>")
            if begin >= 0 and text[:1] != "{":
                text = f"<answer>{text[begin : end if end > begin else None]}</answer>"
        return spelled(text, WRITABLE)[: self.params.longest]

    def format(self, seat: str, action: Action) -> str:
        """The reply as it stands."""
        return str(action)

    def render(self) -> str:
        """The icon and the drawing in words."""
        shown = super().render()
        return f"{shown}\n(turn {len(self._turn_rows)} of {self.params.turns})"

    def draw(self) -> Image:
        """The icon on the left, the drawing on the right, crossed out if there is none."""
        super().render()  # refuses before the first reset
        made = np.full((SIZE + 2 * _MARGIN, 2 * SIZE + 3 * _MARGIN, 3), QUIET, np.uint8)
        right = self._image.copy() if self._turn_rows else np.full_like(self._image, PAPER)
        if self._broken:
            diagonal = np.arange(SIZE)
            right[diagonal, diagonal] = right[diagonal, SIZE - 1 - diagonal] = INK
        for column, picture in ((_MARGIN, self._target), (SIZE + 2 * _MARGIN, right)):
            made[_MARGIN : _MARGIN + SIZE, column : column + SIZE] = picture
        return made


def _in_words(picture: Any) -> str:
    """Where a picture has ink, on a grid of 12 by 12, and its commonest colours."""
    ink = np.any(np.asarray(picture) < 250, axis=-1)
    if not ink.any():
        return "blank."
    cut = SIZE // 12 * 12
    shares = ink[:cut, :cut].reshape(12, cut // 12, 12, cut // 12).mean((1, 3))
    rows = "\n".join(
        "".join(".+#"[int(share > 0.1) + int(share > 0.6)] for share in row) for row in shares
    )
    colours, counts = np.unique(np.asarray(picture)[ink], axis=0, return_counts=True)
    top = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in colours[np.argsort(-counts, kind="stable")[:4]]]
    return f"colours {', '.join(top)}; ink on a grid of 12 by 12:\n{rows}"
