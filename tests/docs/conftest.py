"""An environment of its own, in which README and docs are tried out.

It holds the built wheel and nothing of the checkout; only the dependencies are borrowed from the
environment that runs the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import NamedTuple

import pytest
from filelock import FileLock

from .pages import ROOT


class Wheel(NamedTuple):
    """What the wheel was built from, the wheel, and the Python that has it."""

    source: Path
    file: Path
    python: Path


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Wheel:
    """Built once, however many processes run the tests."""
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "wheel"
    with FileLock(f"{home}.lock"):
        if not (home / "ready").exists():
            _build(home)
            (home / "ready").touch()
    (file,) = home.glob("*.whl")
    return Wheel(home / "source", file, _python(home / "env"))


def _build(home: Path) -> None:
    source = home / "source"
    for room in ("gymposium", "envs", "agents", "arenas", "scenarios"):
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    shutil.copytree(source, home / "built")  # building leaves files behind
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", home, home / "built")
    (file,) = home.glob("*.whl")
    venv.create(home / "env", with_pip=False)
    python = _python(home / "env")
    _pip("--python", python, "install", "--no-deps", file)
    # A path in a .pth file is searched, but the .pth files in it (editable installs) are not read.
    borrowed = sysconfig.get_path("purelib")
    ours = sysconfig.get_path("purelib", vars={"base": str(home / "env")})
    Path(ours, "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")


def _python(env: Path) -> Path:
    return env / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _pip(*words: object) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *map(str, words)], check=True, timeout=300)
