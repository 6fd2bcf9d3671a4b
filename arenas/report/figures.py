"""Figures and untrusted words as readers see them, the same in the page and in the terminal.

Everything an agent named or said is untrusted: :func:`plain` removes what could disturb a page or a
terminal (control characters, bidirectional overrides, lone surrogates) and cuts what is too long.
Escaping for HTML is the template's business.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

UNKNOWN = "–"
# Control characters but tab and newline, bidirectional marks and overrides, lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def fixed(value: float | None, decimals: int = 0) -> str:
    """A rating, with as many decimals as its kind deserves."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def figure(value: float | None) -> str:
    """A return or measure, with as many decimals as its size deserves."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = abs(value)
    decimals = 0 if size >= 1000 else 1 if size >= 100 else 2
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def between(low: float | None, high: float | None, decimals: int | None = None) -> str:
    """An interval in brackets, or a dash when it is unknown; decimals by size if None."""
    if low is None or high is None:
        return UNKNOWN
    if decimals is None:
        return f"[{figure(low)}, {figure(high)}]"
    return f"[{fixed(low, decimals)}, {fixed(high, decimals)}]"


def share(value: float | None) -> str:
    """A share in per cent; small ones do not vanish and large ones do not become all."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    per_cent = 100 * value
    if 0 < per_cent < 0.1:
        return "<0.1 %"
    if 99.9 < per_cent < 100:
        return ">99.9 %"
    return f"{per_cent:.1f} %" if 0 < per_cent < 100 and per_cent % 1 else f"{per_cent:.0f} %"


def count(value: float) -> str:
    """A count; fractions (shared comparisons) keep one decimal."""
    return f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"


def short(value: float) -> str:
    """A large count with three digits: 865k, 1.25M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:
            return f"{value / size:.3g}{letter}" if value < 999.5 * size else f"{value:,.0f}"
    return f"{value:,.0f}"


def dollars(value: float | None) -> str:
    """An amount of money, with as many decimals as it needs to show two digits; or ``unknown``."""
    if value is None or not math.isfinite(value):
        return "unknown"
    decimals = 2 if value >= 0.1 or value <= 0 else min(6, 1 - math.floor(math.log10(value)))
    return "$0" if value == 0 else f"${value:,.{decimals}f}"


def seconds(value: float) -> str:
    """A duration."""
    if value < 1:
        return f"{1e3 * value:.0f} ms" if value >= 0.001 else f"{1e6 * value:.0f} µs"
    if value < 120:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def plain(text: Any, limit: int) -> str:
    """Untrusted words, harmless and of bounded length.

    Args:
        text: anything; what is not a string is shown as JSON, or by ``str``.
        limit: characters kept; what is cut is said.

    Returns:
        The text without disturbing characters.
    """
    if not isinstance(text, str):
        text = _as_words(text)
    rest = len(text) - limit
    kept = text if rest <= 0 else text[:limit]
    kept = _UNSAFE.sub("\ufffd", kept)
    return kept if rest <= 0 else f"{kept}… ({rest:,} more characters)"


def name(text: str) -> str:
    """An agent's, cell's or seat's name, on one line."""
    return " ".join(plain(text, 80).split()) or "(no name)"


def _as_words(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(type(value).__name__)
