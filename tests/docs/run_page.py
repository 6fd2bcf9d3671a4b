"""Runs what one page shows: ``python -P run_page.py PAGE``, in an empty directory.

``pages.py`` says which blocks are run, and how. Ends with an error that names the page and line.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import shlex
import sys
from pathlib import Path
from typing import Any


def main(page: str) -> None:
    """Run the blocks of ``page`` in order."""
    sys.path.insert(0, str(Path.cwd()))  # snippets import the files that other snippets wrote
    for block in _pages().blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        where = f"{page}:{block.line}"
        if block.language == "python":
            printed = _printed(block.text, where)
            if block.shown not in (None, printed):
                raise SystemExit(f"{where} prints:\n{printed}")
        elif block.language == "yaml":
            _validate(block.text, where)
        elif block.language == "sh":
            _carry_out(block.text, where)


def _pages() -> Any:
    spec = importlib.util.spec_from_file_location("pages", Path(__file__).with_name("pages.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["pages"] = module
    spec.loader.exec_module(module)
    return module


def _printed(source: str, where: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = compile(source, where, "exec", dont_inherit=True)
        exec(code, {"__name__": "snippet"})  # noqa: S102 - our own page
    return printed.getvalue()


def _validate(text: str, where: str) -> None:
    """A scenario, of matches or of training, of which everything can be made."""
    from gymposium.agents.registry import resolve
    from gymposium.arenas.training.train import checked
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import load, validate_against_registry
    from gymposium.scenarios.load_claims import load_claims
    from gymposium.scenarios.training import load_training

    file = Path("validated.yaml")
    file.write_text(text, encoding="utf-8")
    if "\nclaims:" in text:
        load_claims(file)
        return
    if "\nmethods:" in text:
        checked(load_training(file))
        return
    scenario = load(file)
    validate_against_registry(scenario, make_world)
    everyone = [*scenario.agents, *scenario.background, *scenario.judges]
    everyone += [agent for world in scenario.worlds for agent in world.agents]
    for agent in everyone:
        if not resolve(agent.as_spec()).name:
            raise SystemExit(f"{where}: {agent} has no name")


def _carry_out(text: str, where: str) -> None:
    from typer.testing import CliRunner

    from gymposium.cli.app import app

    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] != "gymposium":
            raise SystemExit(f"{where}: only gymposium's own commands can be shown: {line}")
        result = CliRunner().invoke(app, words[1:])
        if result.exit_code:
            raise SystemExit(f"{where}: {line}\n{result.output}")


if __name__ == "__main__":
    main(sys.argv[1])
