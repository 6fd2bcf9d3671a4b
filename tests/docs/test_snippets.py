"""README and docs are true: what they show runs and prints so, and what they name exists.

``pages.py`` says which blocks are run, how and where.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
import shlex

import pytest
import typer
from typer.testing import CliRunner

import gymposium
from gymposium.agents import registry as agents
from gymposium.cli.app import app
from gymposium.envs import registry as worlds
from gymposium.scenarios.load import load, validate_against_registry

from .pages import NAMES, ROOT, blocks, commands, dotted_names, links

WORLDS = [spec.id for spec in worlds.specs()]
ENTRY_POINT_GROUPS = {worlds.ENTRY_POINTS, agents.GROUP}
COMMAND = typer.main.get_command(app)


@pytest.fixture
def own_directory(tmp_path, monkeypatch):
    """An empty current directory, and registries that forget what a page registered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(agents, "_registered", dict(agents._registered))
    known = {spec.id for spec in worlds.specs()}
    yield tmp_path
    for spec in worlds.specs():
        if spec.id not in known:
            worlds.unregister(spec.id)


def test_every_world_has_a_page_that_the_readme_links():
    pages = {f"docs/worlds/{worlds.spec(id).name}.md" for id in WORLDS}
    assert pages <= set(links("README.md"))


@pytest.mark.parametrize("page", NAMES)
def test_what_a_page_shows_runs(page, own_directory):
    for block in blocks(page):
        if block.file:
            (own_directory / block.file).write_text(block.text, encoding="utf-8")
        where = f"{page}:{block.line}"
        if block.language == "python":
            printed = _printed(block.text, where)
            assert block.shown in (None, printed), f"{where} prints:\n{printed}"
        elif block.language == "yaml":
            _validate(block.text, where, own_directory)
        elif block.language == "sh":
            _carry_out(block.text, where)


def _printed(source: str, where: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = compile(source, where, "exec", dont_inherit=True)
        exec(code, {"__name__": "snippet"})  # noqa: S102 - our own page
    return printed.getvalue()


def _validate(text, where, directory):
    file = directory / "validated.yaml"
    file.write_text(text, encoding="utf-8")
    scenario = load(file)
    validate_against_registry(scenario, worlds.make_world)
    everyone = [*scenario.agents, *scenario.background, *scenario.judges]
    everyone += [agent for world in scenario.worlds for agent in world.agents]
    for agent in everyone:
        assert agents.resolve(agent.as_spec()).name, where


def _carry_out(text, where):
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        assert words[0] == "gymposium", f"{where}: {line}"
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, f"{where}: {line}\n{result.output}"


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
    assert missing == []


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


@pytest.mark.parametrize("id", WORLDS)
def test_a_worlds_page_names_its_id_parameters_and_bots(id):
    spec = worlds.spec(id)
    text = (ROOT / "docs" / "worlds" / f"{spec.name}.md").read_text(encoding="utf-8")
    parameters = [field.name for field in dataclasses.fields(worlds.params_class(id))]
    bots = [info.spec for info in agents.known_agents() if id in info.worlds]
    wanted = [id, *parameters, *bots]
    assert [name for name in wanted if f"`{name}`" not in text] == []
