"""``import gymposium``: cheap, complete, typed, and joined to the ecosystem."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import gymposium

HEAVY = ("gymnasium", "matplotlib", "numpy", "pandas", "pettingzoo", "pydantic", "rich", "scipy")


def modules_after(code):
    """Which modules a fresh interpreter holds after ``code``; never a time."""
    script = f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_import_brings_in_nothing_heavy():
    loaded = modules_after("import gymposium")
    assert not loaded & {*HEAVY, "typer", "yaml", "orjson", "xllamacpp", "asyncio", "sqlite3"}


def test_types_and_errors_bring_in_nothing_heavy():
    loaded = modules_after(
        "import gymposium; gymposium.Turn, gymposium.Agent, gymposium.UsageError"
    )
    assert not loaded & {*HEAVY, "typer", "yaml", "orjson", "xllamacpp"}


def test_a_bot_in_a_plain_world_brings_in_no_compiler_and_no_tables():
    """Every worker process pays for it before its first match."""
    loaded = modules_after(
        "import gymposium, gymposium.arenas.shares\n"
        "from gymposium.agents.registry import resolve\n"
        "gymposium.make('iterated_matrix-v0'), resolve('scripted:grim').create()"
    )
    assert not loaded & {"numba", "scipy", "torch", "pandas", "matplotlib", "ray"}


@pytest.mark.parametrize("words", [["--help"], ["tournament", "--help"], ["--version"]])
def test_help_brings_in_nothing_heavy(words):
    """But for what typer itself brings: rich to draw it, pydantic for the options of a verb."""
    code = (
        "from gymposium.cli.app import app\n"
        f"try: app({words!r}, prog_name='gymposium')\nexcept SystemExit: pass"
    )
    loaded = modules_after(code)
    heavy = {*HEAVY, "yaml", "orjson", "xllamacpp", "sqlite3", "jinja2"}
    assert not loaded & (heavy - {"rich", "pydantic"})
    assert not any(name.startswith("gymposium.scenarios") for name in loaded)


@pytest.mark.parametrize("name", [name for name in gymposium.__all__ if name != "__version__"])
def test_every_public_name_is_there(name):
    assert getattr(gymposium, name) is not None
    assert name in dir(gymposium)


def test_type_checkers_are_told_the_same_names_and_homes():
    tree = ast.parse(Path(gymposium.__file__).read_text(encoding="utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    told = {
        alias.asname: (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told == gymposium._WHERE
    assert sorted([*told, "__version__"]) == sorted(gymposium.__all__)


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'tournament'"):
        _ = gymposium.tournamet
    with pytest.raises(AttributeError):
        _ = gymposium.quite_unlike_any


def test_the_module_and_the_name_run_are_not_confused():
    importlib.import_module("gymposium.arenas.run")
    assert callable(gymposium.run)
    assert gymposium.tournament is gymposium.run


@pytest.mark.parametrize("order", ["import pettingzoo, gymposium", "import gymposium, pettingzoo"])
def test_pettingzoo_finds_our_worlds_whichever_is_imported_first(order):
    modules_after(
        f"{order}\n"
        "world = pettingzoo.make('parallel', 'gymposium/iterated_matrix-v0', rounds=2)\n"
        "assert world.possible_agents == ['player_0', 'player_1']"
    )
