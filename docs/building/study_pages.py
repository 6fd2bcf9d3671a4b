"""A page per study of agents: its module's docstring, and its parameters."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from prose import code, sections, table

from gymposium.arenas.analysis.studies import StudySpec, studies


def study_pages() -> Iterator[tuple[str, str]]:
    """(file name without ending, Markdown) of every study of this package."""
    for spec in studies():
        if spec.entry_point.startswith("gymposium."):
            yield spec.name, _page(spec)


def _page(spec: StudySpec) -> str:
    doc = sections(inspect.getdoc(sys.modules[spec.load().__module__]) or "")
    rows = [
        (code(name), code(entry["default"]), entry.get("doc", ""))
        for name, entry in spec.parameters().items()
    ]
    pieces = [
        f"# {spec.name.replace('_', ' ').capitalize()}",
        doc.pop(""),
        f"`gymposium audit {spec.name} --agent SPEC`; needs {spec.needs}. [Audits](../audit.md)",
        *(f"## {name}\n\n{text}" for name, text in doc.items()),
        f"## Parameters\n\n{table(('parameter', 'default', 'meaning'), rows)}",
    ]
    return "\n\n".join(pieces) + "\n"
