"""The API reference: a page per subject, one directive for each public name."""

from __future__ import annotations

from collections.abc import Iterator

import gymposium

SUBJECTS = (
    ("worlds", "Worlds", ("envs.",)),
    ("agents", "Agents", ("agents.",)),
    ("arena", "The arena", ("arenas.",)),
    ("scenarios", "Scenarios", ("scenarios.",)),
    ("types", "Types", ("types", "turns")),
    ("errors", "Errors", ("errors",)),
)


def api_pages() -> Iterator[tuple[str, str]]:
    """(file name without ending, Markdown); every public name is on one of the pages."""
    left = dict(gymposium._WHERE)
    for file, title, homes in SUBJECTS:
        mine = [
            name
            for name, (home, _) in sorted(left.items())
            if any(home == it or home.startswith(it) for it in homes)
        ]
        yield file, f"# {title}\n\n" + "\n".join(_entry(name, *left.pop(name)) for name in mine)
    if left:
        raise KeyError(f"no API page takes {', '.join(left)}: add its home to SUBJECTS")


def _entry(name: str, home: str, attribute: str) -> str:
    options = f"    options:\n      heading: gymposium.{name}\n      toc_label: {name}\n"
    return f"::: gymposium.{home}.{attribute}\n{options}"
