"""The rooms and the arrows between them, as the architecture draws them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("gymposium", "envs", "agents", "arenas", "scenarios")
MAY_IMPORT = {
    "gymposium": {"gymposium", "envs", "agents", "arenas", "scenarios"},
    "arenas": {"arenas", "agents", "scenarios", "envs"},
    "agents": {"agents", "envs"},
    "scenarios": {"scenarios"},
    "envs": {"envs"},
}
SHARED = {"gymposium.types", "gymposium.turns", "gymposium.errors"}
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def package(path: Path) -> list[str]:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return parts if parts[0] == "gymposium" else ["gymposium", *parts]


def imports(path: Path) -> Iterator[str]:
    """Absolute names of everything of ours that a file imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("gymposium"))
        elif isinstance(node, ast.ImportFrom):
            here = package(path)
            base = here[: len(here) - node.level] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name == "gymposium" or (node.level and not node.module):
                yield from (f"{name}.{alias.name}" for alias in node.names)
            elif name.startswith("gymposium."):
                yield name


def room_of(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else "gymposium"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imports(path):
        shared = any(name == item or name.startswith(f"{item}.") for item in SHARED)
        version = name == "gymposium.__version__"
        assert shared or version or room_of(name) in MAY_IMPORT[room], f"{path} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_holds_one_idea_and_says_which(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert not text or ast.get_docstring(ast.parse(text)), f"{path} has no module docstring"


def test_a_file_of_tests_holds_one_idea_as_well() -> None:
    files = (ROOT / "tests").rglob("*.py")
    long = [file.name for file in files if len(file.read_text("utf-8").splitlines()) > 400]
    assert not long, f"longer than 400 lines, to be parted by what they test: {', '.join(long)}"


def test_every_folder_is_packaged_and_every_package_is_a_folder() -> None:
    listed = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    )
    found = {".".join(package(path)[:-1]) for path in SOURCES}
    assert listed == found


GLOBAL_RANDOM = re.compile(
    r"\bnp\.random\.(seed|rand|randn|randint|choice|random|normal|uniform|shuffle|permutation)\("
    r"|^\s*from random import (?!Random\b)"
    r"|\brandom\.(seed|random|choice|randint|shuffle|uniform)\(",
    re.MULTILINE,
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_draws_from_a_global_generator(path: Path) -> None:
    assert not GLOBAL_RANDOM.search(path.read_text(encoding="utf-8"))
