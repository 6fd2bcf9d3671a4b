"""``gymposium doctor``: does this machine have what gymposium needs, and what is missing."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import typer

from gymposium.errors import nearest

from . import arguments
from .output import print_json, print_table

NEEDED = ("gymnasium", "numpy", "orjson", "pandas", "pettingzoo", "pydantic", "pyyaml", "zstandard")
EXTRAS = {"openai": "llm", "xllamacpp": "llm"}
LEAST_DISK = 1 << 30


class Check(NamedTuple):
    """One thing looked at: ``state`` is ok, missing (optional) or broken (needed)."""

    name: str
    state: str
    detail: str


def doctor(
    agents: list[str] = typer.Option(
        [],
        "--agent",
        "-a",
        help="also ask the endpoint of llm:MODEL@URL whether it is there and serves the model",
        show_default=False,
    ),
    as_json: bool = arguments.JSON,
) -> None:
    """Check Python, packages, models, folders and disk space; exit 1 if something needed fails."""
    checks = [*examine(), *map(_endpoint, agents)]
    if as_json:
        print_json([check._asdict() for check in checks])
    else:
        print_table(("", "what", "found"), ((c.state, c.name, c.detail) for c in checks))
    if any(check.state == "broken" for check in checks):
        raise typer.Exit(1)


def examine() -> Iterator[Check]:
    """All checks, one by one."""
    yield _python()
    yield from _packages()
    yield from _models()
    yield _writable("cache", cache_folder(), "set GYMPOSIUM_CACHE to a folder you may write")
    yield _writable("runs", Path("runs"), "change to a folder you may write, or use --out")
    yield _disk(cache_folder())
    yield from _plugins()


def cache_folder() -> Path:
    """Where models and answers are kept: ``GYMPOSIUM_CACHE``, else the platform's cache folder."""
    from gymposium.agents.language.models import models_folder

    return models_folder().parent


def _python() -> Check:
    found = ".".join(str(part) for part in sys.version_info[:3])
    wanted = importlib.metadata.metadata("gymposium")["Requires-Python"]
    fits = (3, 11) <= sys.version_info[:2] < (3, 14)
    detail = f"{found} at {sys.executable}" if fits else f"{found}; gymposium needs {wanted}"
    return Check("python", "ok" if fits else "broken", detail)


def _packages() -> Iterator[Check]:
    for name in ("gymposium", *NEEDED):
        version = _version(name)
        remedy = "not installed: pip install --force-reinstall gymposium"
        yield Check(name, "ok" if version else "broken", version or remedy)
    for name, extra in EXTRAS.items():
        version = _version(name)
        remedy = f"not installed: pip install 'gymposium[{extra}]'"
        yield Check(name, "ok" if version else "missing", version or remedy)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _models() -> Iterator[Check]:
    from .listing import models

    for model in models():
        remedy = f"not here: gymposium models pull {model['name']}"
        here = model["installed"]
        yield Check(
            f"model {model['name']}", "ok" if here else "missing", model["path"] if here else remedy
        )


def _writable(name: str, folder: Path, remedy: str) -> Check:
    """Try it in the folder, or where it would be made; nothing is left behind."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        return Check(name, "broken", f"{folder.absolute()}: {error.strerror}; {remedy}")
    return Check(name, "ok", str(folder.absolute()))


def _disk(folder: Path) -> Check:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / (1 << 30):.1f} GiB free at {folder}"
    if free >= LEAST_DISK:
        return Check("disk", "ok", detail)
    return Check("disk", "missing", f"{detail}; free {LEAST_DISK >> 30} GiB for models and runs")


def _endpoint(text: str) -> Check:
    """Is the endpoint of an agent there, and does it serve the agent's model?"""
    import asyncio

    from ..agents.language.backends.pool import get_backend
    from ..agents.language.backends.settings import SETTINGS, kind_of
    from ..agents.spec_text import parse_spec
    from ..errors import BackendError, UsageError

    spec = parse_spec(text)
    if spec.kind != "llm" or kind_of(spec.target) != "openai":
        raise UsageError(f"{text!r} has no endpoint to check; write llm:MODEL@https://host/v1")
    settings = {key: value for key, value in spec.params.items() if key in SETTINGS["openai"]}
    backend: Any = get_backend(spec.target, settings)

    async def ask() -> list[str]:
        try:
            found: list[str] = await backend.models()
            return found
        finally:
            await backend.leave_loop()

    try:
        served = asyncio.run(ask())
    except BackendError as error:
        return Check(f"endpoint {backend.url}", "broken", str(error))
    if served and backend.model not in served:
        near = ", ".join(nearest(backend.model, served) or served[:5])
        detail = f"answers, but does not list {backend.model}; it lists {near}"
        return Check(f"endpoint {backend.url}", "broken", detail)
    listed = f"serves {backend.model}" if served else "answers, and does not list its models"
    return Check(f"endpoint {backend.url}", "ok", listed)


def _plugins() -> Iterator[Check]:
    from gymposium.envs.registry import broken_plugins

    for name, reason in broken_plugins().items():
        yield Check(f"plug-in {name}", "missing", f"{reason}; update or uninstall its package")
