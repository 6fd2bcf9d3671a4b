"""The order of the pages: the reading order where there is one, all others after it by title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Tutorials", "tutorials/", ("first-tournament", "first-agent", "first-world")),
    (
        "How to",
        "",
        (
            "agents",
            "minds",
            "worlds",
            "arena",
            "scaling",
            "ratings",
            "play",
            "watching",
            "training",
            "curricula",
            "learning",
            "finetuning",
            "vector",
            "social",
            "common-ground",
            "text-worlds",
            "rooms",
            "rooms-files",
            "models",
            "export",
            "audit",
            "peer-review",
            "claims",
        ),
    ),
    ("Worlds", "worlds/", ()),
    ("Agents", "agents/", ("baselines", "dilemmas", "markets", "language_models")),
    ("Studies", "studies/", ()),
    ("API", "api/", ("types", "worlds", "agents", "arena", "scenarios", "errors")),
)
"""(title, folder, pages in their order); pages that are not named follow by title."""

FIRST = ("index", "concepts")
LAST = ("benchmarks", "contributing", "changelog")


def navigation(titles: Mapping[str, str]) -> list[Any]:
    """MkDocs' ``nav`` of all pages.

    Args:
        titles: path of each page -> its title.
    """
    left = dict(titles)

    def take(folder: str, names: Iterable[str]) -> list[dict[str, str]]:
        paths = [f"{folder}{name}.md" for name in names]
        return [{left.pop(path): path} for path in paths if path in left]

    last = {f"{name}.md": left.pop(f"{name}.md") for name in LAST if f"{name}.md" in left}
    nav: list[Any] = take("", FIRST)
    for title, folder, order in SECTIONS:
        pages = take(folder, order)
        rest = [path for path in left if path.startswith(folder) and _inside(path, folder)]
        pages += [
            {left.pop(path): path} for path in sorted(rest, key=lambda it: titles[it].lower())
        ]
        if pages:
            nav.append({title: pages})
    # Folders that nobody foresaw become sections of their own.
    for folder in sorted({path.rpartition("/")[0] for path in left}):
        pages = [{left[path]: path} for path in sorted(left) if path.rpartition("/")[0] == folder]
        nav.append({folder.rpartition("/")[2].replace("_", " ").capitalize(): pages})
    more = [{title: path} for path, title in last.items()]
    return [*nav, {"Project": more}] if more else nav


def _inside(path: str, folder: str) -> bool:
    return "/" not in path.removeprefix(folder)
