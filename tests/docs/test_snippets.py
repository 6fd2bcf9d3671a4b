"""README and docs are true: what they show runs and prints so, and what they name exists.

``pages.py`` says which blocks are run, how and where.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
import typer

import gymposium
from gymposium.agents import methods
from gymposium.agents import registry as agents
from gymposium.arenas.analysis import studies
from gymposium.cli.app import app
from gymposium.envs import registry as worlds
from gymposium.envs.rooms.tools import toolbox

from .pages import NAMES, ROOT, commands, dotted_names, links

ENTRY_POINT_GROUPS = {
    worlds.ENTRY_POINTS,
    agents.GROUP,
    methods.GROUP,
    studies.GROUP,
    toolbox.GROUP,
}
COMMAND = typer.main.get_command(app)


@pytest.mark.parametrize("page", NAMES)
def test_what_a_page_shows_runs_on_the_wheel(page, wheel, tmp_path):
    script = Path(__file__).with_name("run_page.py")
    done = subprocess.run(
        [wheel.python, "-P", script, page],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_the_wheel_holds_every_file_of_the_rooms_and_runs_from_its_own_environment(wheel):
    there = set(ZipFile(wheel.file).namelist())
    files = [path.relative_to(wheel.source) for path in wheel.source.glob("*/**/*.*")]
    here = {
        path.as_posix() if path.parts[0] == "gymposium" else f"gymposium/{path.as_posix()}"
        for path in files
    }
    assert len(here) > 100
    assert here - there == set()
    where = "import gymposium.envs as it; print(it.__file__)"
    found = subprocess.run(
        [wheel.python, "-P", "-c", where], capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()).is_relative_to(wheel.python.parents[1])


@pytest.mark.parametrize(
    ("page", "line"), [(page, line) for page in NAMES for line in commands(page)]
)
def test_every_command_can_be_given(page, line):
    words = shlex.split(line, comments=True)[1:]
    group, context = COMMAND, COMMAND.make_context("gymposium", list(words))
    while isinstance(group, typer.core.TyperGroup):
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        if not rest:  # a verb by itself, named in a sentence
            return
        name, group, rest = group.resolve_command(context, rest)
        if group.params and not rest and any(it.required for it in group.params):
            return
        context = group.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", NAMES)
def test_every_link_and_image_leads_somewhere(page):
    folder = (ROOT / page).parent
    missing = [link for link in links(page) if not (folder / link.partition("#")[0]).exists()]
    # Pages that are made when the site is built: building it follows these links.
    made = re.compile(r"(\.\./)*(worlds|agents|studies|api)/\w+\.md(#.*)?")
    assert [link for link in missing if page == "README.md" or not made.fullmatch(link)] == []


@pytest.mark.parametrize("page", NAMES)
def test_every_dotted_name_exists(page):
    assert [name for name in dotted_names(page) if not _exists(name)] == []


def _exists(name: str) -> bool:
    if name in ENTRY_POINT_GROUPS:
        return True
    found = gymposium
    for number, part in enumerate(name.split(".")[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(name.split(".")[:number]))
            except ImportError:
                return False
    return True
