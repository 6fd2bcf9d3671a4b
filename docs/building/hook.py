"""MkDocs hook: adds the generated pages, orders them all, and mends links out of ``docs/``.

Generated are a page per world and per family of agents, the API reference, and the project's own
files (changelog, contributing, benchmarks), from the registry, docstrings and spaces of the
installed package.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_pages import agent_pages
from api_pages import api_pages
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from navigation import navigation
from pictures import picture
from prose import title_of
from study_pages import study_pages
from world_pages import world_page

from gymposium.envs.registry import specs

ROOT = Path(__file__).parents[2]
ROOMS = ("agents", "arenas", "envs", "scenarios")
PROJECT = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "benchmarks.md": "benchmarks/README.md",
}
_package: tempfile.TemporaryDirectory[str] | None = None
_OUTSIDE = re.compile(r"\]\((?:\.\./)+([\w./-]+?)(#[\w-]*)?\)")


def generated(written: dict[str, str]) -> Iterator[tuple[str, str | bytes]]:
    """(path, content) of everything that is not in ``docs/`` itself.

    Args:
        written: the hand-written pages by path; a world's is taken into its generated page.
    """
    for spec in specs():
        if spec.entry_point.startswith("gymposium."):
            path = f"worlds/{spec.name}.md"
            yield path, world_page(spec, written.get(path, ""))
            yield f"worlds/pictures/{spec.name}.png", picture(spec)
    for name, text in agent_pages():
        yield f"agents/{name}.md", text
    for name, text in study_pages():
        yield f"studies/{name}.md", text
    for name, text in api_pages():
        yield f"api/{name}.md", text
    for path, source in PROJECT.items():
        yield path, (ROOT / source).read_text(encoding="utf-8")


@event_priority(100)  # before mkdocstrings reads its settings
def on_config(config: Any) -> Any:
    """Show mkdocstrings the package as it is installed, with its rooms inside."""
    global _package
    _package = tempfile.TemporaryDirectory(prefix="gymposium-docs-")
    tree = Path(_package.name) / "gymposium"
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "gymposium", tree, ignore=unwanted)
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room, ignore=unwanted)
    config.plugins["mkdocstrings"].config.handlers["python"]["paths"] = [_package.name]
    return config


def on_post_build(config: Any) -> None:
    """Remove the copy."""
    if _package is not None:
        _package.cleanup()


def on_files(files: Files, config: Any) -> Files:
    """Add what is generated and set the navigation."""
    written = {file.src_uri: file.content_string for file in files.documentation_pages()}
    titles = {path: title_of(text) or path for path, text in written.items()}
    for path, content in generated(written):
        known = files.get_file_from_path(path)
        if known is not None:
            files.remove(known)
        files.append(File.generated(config, path, content=content))
        if isinstance(content, str):
            titles[path] = title_of(content) or path
    names = {path: re.sub(r" \(\w+-v\d+\)$", "", title) for path, title in titles.items()}
    config.nav = navigation({**names, "index.md": "Home"})
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to the project's files at their pages; others outside are named only."""
    depth = page.file.src_uri.count("/")
    pages = {source: path for path, source in PROJECT.items()}

    def mend(hit: re.Match[str]) -> str:
        path, anchor = hit[1], hit[2] or ""
        target = (ROOT / "docs" / page.file.src_uri).parent / hit[0][2:-1].partition("#")[0]
        if target.resolve().is_relative_to(ROOT / "docs"):
            return hit[0]
        source = target.resolve().relative_to(ROOT).as_posix()
        return f"]({'../' * depth}{pages[source]}{anchor})" if source in pages else f"] (`{path}`)"

    return _OUTSIDE.sub(mend, markdown)
