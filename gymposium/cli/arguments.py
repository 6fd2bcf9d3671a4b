"""Reading what people type: ``key=value`` pairs, agents, and changes to a scenario.

A scenario's fields are not retyped as flags: ``--set schedule.repeats=10`` reaches each of them,
and the pydantic model of :mod:`gymposium.scenarios` says what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from gymposium.scenarios.model import Scenario

AGENT = typer.Option(
    [],
    "--agent",
    "-a",
    help="who plays: random, scripted:NAME, llm:MODEL, llm:MODEL@URL, trained:FOLDER, "
    "FILE.py:ATTR, package.module:ATTR; repeat for several (default: the scenario's agents)",
    show_default=False,
)
SEED = typer.Option(None, "--seed", help="everything random derives from it", min=0)
OUT = typer.Option(None, "--out", "-o", help="the run's folder (default: a new one under runs/)")
SET = typer.Option(
    [],
    "--set",
    metavar="FIELD=VALUE",
    help="change a field of the scenario, e.g. schedule.repeats=10 or time_limit=null",
    show_default=False,
)
RATING = typer.Option(
    None,
    "--rating",
    metavar="NAME",
    help="how agents are rated; see `gymposium list ratings`",
    show_default=False,
)
CONCURRENCY = typer.Option(64, "--concurrency", "-j", min=1, help="matches in flight at once")
WORKERS = typer.Option(
    None,
    "--workers",
    "-w",
    min=1,
    help="processes that matches are spread over (default: this one); never changes a result",
    show_default=False,
)
EXECUTOR = typer.Option(
    None,
    "--executor",
    metavar="NAME",
    help="where matches are played: inline, processes, ray or ray:ADDRESS (a cluster)",
    show_default=False,
)
TRUSTED = typer.Option(
    False, "--trusted", help="run agents' own code in this process, not in child processes"
)
BUDGET = typer.Option(
    [],
    "--budget",
    metavar="LIMIT=NUMBER",
    help="a limit that stops the run, resumably: calls, tokens, money (US dollars) or seconds, and "
    "the same for each agent, e.g. per_agent.calls=100",
    show_default=False,
)
CACHE = typer.Option(
    None, "--cache", help="file of language models' answers (default: one for all runs)"
)
NO_CACHE = typer.Option(False, "--no-cache", help="ask language models anew, keep no answer")
JSON = typer.Option(False, "--json", help="print JSON with stable keys")


def pair(text: str) -> tuple[str, Any]:
    """``key=value``, the value read as YAML (so ``3``, ``true``, ``[1, 2]`` mean what they say).

    Raises:
        UsageError: there is no ``=``, or the value is not YAML.
    """
    from gymposium.scenarios.marked_yaml import read_yaml

    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"{text!r} is not of the form key=value; write e.g. rounds=3")
    if not value.strip():
        return key.strip(), ""
    return key.strip(), read_yaml(value.encode(), f"the value of {key.strip()}")[0]


def pairs(texts: Sequence[str]) -> dict[str, Any]:
    """Several ``key=value``, no key twice."""
    made: dict[str, Any] = {}
    for text in texts:
        key, value = pair(text)
        if key in made:
            raise UsageError(f"{key!r} is given twice; keep one")
        made[key] = value
    return made


def with_changes(scenario: Scenario, changes: Sequence[str]) -> Scenario:
    """``scenario`` with ``--set`` changes, each ``field.subfield=value``.

    Raises:
        UsageError: no such field, or a value the model refuses.
    """
    from gymposium.scenarios.load import change

    if not changes:
        return scenario
    return change(scenario, **put_all(scenario.model_dump(mode="json"), changes))


def put_all(data: dict[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """``data`` with ``field.subfield=value`` put into it; raises UsageError as with_changes."""
    for path, value in pairs(changes).items():
        _put(data, path.split("."), value, path)
    return data


def _put(data: Any, keys: Sequence[str], value: Any, path: str) -> None:
    for key in keys[:-1]:
        data = _enter(data, key, path)
    last = keys[-1]
    if isinstance(data, list):
        data[_index(data, last, path)] = value
    elif isinstance(data, dict):
        data[last] = value
    else:
        raise UsageError(f"--set {path}: {'.'.join(keys[:-1])} has no fields to set")


def _enter(data: Any, key: str, path: str) -> Any:
    if isinstance(data, list):
        return data[_index(data, key, path)]
    if isinstance(data, dict):
        return data.setdefault(key, {})
    raise UsageError(f"--set {path}: there is nothing to set below {key!r}")


def _index(items: list[Any], key: str, path: str) -> int:
    """A place in a list, by number or (worlds) by name."""
    for index, item in enumerate(items):
        if key == str(index) or (isinstance(item, dict) and item.get("name") == key):
            return index
    raise UsageError(f"--set {path}: no entry {key!r}; there are 0 to {len(items) - 1}")


def known_worlds() -> list[str]:
    """The ids of all worlds."""
    from gymposium.envs.registry import specs

    return [spec.id for spec in specs()]


def chosen_scenario(source: str, changes: Sequence[str] = ()) -> Scenario:
    """The scenario called ``source`` (file, name or world id) with ``--set`` changes."""
    from gymposium.scenarios.load import load

    return with_changes(load(source, worlds=known_worlds()), changes)


def cache_choice(path: Path | None, none: bool) -> bool | Path:
    """What ``--cache`` and ``--no-cache`` come to, for ``run(cache=…)``."""
    if path is not None and none:
        raise UsageError("--cache and --no-cache exclude each other; give one")
    return path if path is not None else not none


def new_folder(name: str) -> Path:
    """A new folder under ``runs/``, called after ``name`` and the time."""
    from gymposium.arenas.run import new_folder as made

    return made(name)


@contextmanager
def saying_how_to_resume(path: Path, remedy: str | None = None) -> Iterator[None]:
    """If a run ends early with a sentence, follow it by how to go on: ``remedy``, or to resume."""
    from gymposium.errors import GymposiumError

    try:
        yield
    except UsageError:
        raise
    except GymposiumError as error:
        remedy = remedy or f"`gymposium resume {path}` goes on from the matches that are stored"
        if (path / "run.sqlite").exists() and "gymposium resume" not in str(error):
            error.args = (f"{str(error).rstrip('.')}; {remedy}",)
        raise
