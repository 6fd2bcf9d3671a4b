"""How verbs print: rich tables for people, JSON with stable keys for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gymposium.agents.human.harmless import harmless

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 200
"""Columns when nobody watches: wide enough that listings keep one line an entry."""


def console(*, stderr: bool = False) -> Console:
    """A console for this moment's stdout (tests and pipes swap the streams)."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, soft_wrap=False, emoji=False)


def print_json(value: Any) -> None:
    """``value`` as indented JSON; what is not plain data is refused, never guessed."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not plain data")


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = ""
) -> None:
    """A table; cells are shown as they are, never read as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=index == 0)
    for row in rows:
        table.add_row(*(Text("" if cell is None else harmless(str(cell))) for cell in row))
    console().print(table)


def print_lines(text: str, *, style: str = "") -> None:
    """Plain text as it is: no markup, no wrapping, no control characters."""
    console().print(harmless(text), markup=False, soft_wrap=True, style=style or None)


def heading(text: str) -> None:
    """A line in bold with air above it."""
    from rich.text import Text

    console().print(Text(f"\n{text}", style="bold"))
