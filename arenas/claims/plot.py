"""A result as a picture: one line per claim, ours with its interval beside the paper's figure.

Every claim has an axis of its own, since the claims are in different units. Plain SVG that stands
alone, readable on light and dark pages; equal results give equal bytes.
"""

from __future__ import annotations

from html import escape

from ..report.charts import WIDTH, Scale
from ..report.figures import plain
from .results import ClaimResult, Result
from .verdicts import INCONCLUSIVE, NOT_SHOWN, REVERSED, SHOWN

_STRETCH = 2.0
_LEFT, _RIGHT, _LINE, _TOP = 290, 190, 44, 36
_COLOURS = {SHOWN: "#1a7f37", REVERSED: "#cf222e", NOT_SHOWN: "#9a6700", INCONCLUSIVE: "#6e7781"}
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#57606a}.name{fill:#24292f;font-weight:600}"
    ".axis{stroke:#afb8c1;stroke-width:1}.bound{stroke:#57606a;stroke-width:1;"
    "stroke-dasharray:3 3}.tick{font-size:10px;text-anchor:middle}.paper{fill:none;stroke:#0969da;"
    "stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#9198a1}.name{fill:#f0f6fc}}"
)


def draw(result: Result) -> str:
    """The picture as SVG text."""
    width = round(_LEFT + _STRETCH * WIDTH + _RIGHT)
    height = _TOP + _LINE * len(result.claims) + 8
    rows = [_row(claim, _TOP + _LINE * place) for place, claim in enumerate(result.claims)]
    title = escape(plain(f"{result.title} ({result.scale})", 200))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            _legend(),
            *rows,
            "</svg>\n",
        ]
    )


def _legend() -> str:
    ours, paper, bound = _LEFT, _LEFT + 140, _LEFT + 240
    return (
        f'<line x1="{ours}" x2="{ours + 20}" y1="14" y2="14" stroke="#57606a" stroke-width="3"/>'
        f'<circle cx="{ours + 10}" cy="14" r="4" fill="#57606a"/>'
        f'<text x="{ours + 26}" y="18">ours, interval</text>{_diamond(paper, 14)}'
        f'<text x="{paper + 12}" y="18">paper</text>'
        f'<line class="bound" x1="{bound}" x2="{bound}" y1="6" y2="22"/>'
        f'<text x="{bound + 8}" y="18">bound</text>'
    )


def _row(claim: ClaimResult, top: int) -> str:
    scale = Scale.around(
        [claim.value, claim.low, claim.high, claim.paper_value], include=claim.reference
    )
    middle = top + 12
    colour = _COLOURS.get(claim.verdict, _COLOURS[INCONCLUSIVE])
    right = _x(scale, scale.stop)
    parts = [
        f'<text class="name" x="0" y="{middle + 4}">{escape(plain(claim.name, 40))}</text>',
        f'<line class="axis" x1="{_x(scale, scale.start)}" x2="{right}" '
        f'y1="{middle + 11}" y2="{middle + 11}"/>',
        *(
            f'<text class="tick" x="{_LEFT + _STRETCH * tick.x:g}" y="{middle + 22}">'
            f"{tick.label}</text>"
            for tick in scale.ticks()
        ),
        f'<line class="bound" x1="{_x(scale, claim.reference)}" '
        f'x2="{_x(scale, claim.reference)}" y1="{middle - 10}" y2="{middle + 11}"/>',
    ]
    if claim.value is not None:
        if claim.low is not None and claim.high is not None:
            parts.append(
                f'<line x1="{_x(scale, claim.low)}" x2="{_x(scale, claim.high)}" y1="{middle}" '
                f'y2="{middle}" stroke="{colour}" stroke-width="3"/>'
            )
        parts.append(f'<circle cx="{_x(scale, claim.value)}" cy="{middle}" r="4" fill="{colour}"/>')
    if claim.paper_value is not None:
        parts.append(_diamond(_x(scale, claim.paper_value), middle))
    parts.append(
        f'<text x="{_LEFT + _STRETCH * WIDTH + 8:g}" y="{middle + 4}" style="fill:{colour}">'
        f"{escape(claim.verdict)}</text>"
    )
    return "".join(parts)


def _x(scale: Scale, value: float) -> float:
    return round(_LEFT + _STRETCH * scale.x(value), 2)


def _diamond(x: float, y: float) -> str:
    points = ((x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6))
    return f'<polygon class="paper" points="{" ".join(f"{a:g},{b:g}" for a, b in points)}"/>'
