"""From docstrings to Markdown: headings with indented text below, ``code`` in double backticks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence

_HEADING = re.compile(r"^[A-Z][\w ,'-]*:?$")
_CODE = re.compile(r"``(.+?)``", re.S)
_BRACKET = re.compile(r"(`[^`]*`|\[[^\]]*\]\()|\[")  # code, links; and brackets, which are neither
_ROLE = re.compile(r":\w+:`~?([^`]+)`")


def sections(doc: str) -> dict[str, str]:
    """A docstring by headings, in order; what stands before the first is under "".

    A heading is an unindented line whose next line is indented (``Rules``, ``Args:``).
    """
    found: dict[str, list[str]] = {"": []}
    at = ""
    lines = inspect.cleandoc(doc).splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _HEADING.match(line) and following.startswith("    "):
            at = line.rstrip(":")
            found[at] = []
        else:
            found[at].append(line)
    return {name: to_markdown("\n".join(text)) for name, text in found.items()}


def to_markdown(text: str) -> str:
    """Code and references as Markdown writes them, without common indentation."""
    text = inspect.cleandoc("\n" + text)
    text = _ROLE.sub(lambda hit: f"`{hit[1].lstrip('.')}`", text)
    text = _CODE.sub(lambda hit: f"`{' '.join(hit[1].split())}`", text).strip()
    return _BRACKET.sub(lambda hit: hit[1] or "\\[", text)


def title_of(markdown: str) -> str:
    """The first heading of a page, without code marks."""
    found = re.search(r"^# (.+)$", markdown, re.M)
    return found[1].replace("`", "").strip() if found else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; empty without rows."""
    body = [f"| {' | '.join(cell(it) for it in row)} |" for row in rows]
    if not body:
        return ""
    head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return "\n".join([*head, *body])


def cell(value: object) -> str:
    """Text on one line that cannot end its cell."""
    return " ".join(str("" if value is None else value).split()).replace("|", "\\|")


def code(value: object) -> str:
    """A value in code marks."""
    return f"`{value}`"


def folded(title: str, text: str) -> str:
    """A block that opens when clicked, its text shown as it is."""
    body = "\n".join(f"    {line}".rstrip() for line in ["```text", *text.splitlines(), "```"])
    return f'??? note "{title}"\n\n{body}'
