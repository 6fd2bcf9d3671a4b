"""The built wheel in an empty environment, away from the checkout.

``python tests/wheel/try_out.py PYTHON [EXTRAS]``, where PYTHON is an interpreter and EXTRAS names
those of ``pyproject.toml`` to install (default: all). Builds the wheel, installs it by pip at the
versions of ``constraints.txt``, and then, from another folder, runs what README and docs show and
a part of the tests. A page that asks for an extra which was left out must say so by its install
line; it is listed and counted as such. Ends with 1 if anything else fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "tests" / "docs"
TOOLS = ("pytest", "hypothesis", "jsonschema", "choix")
SMOKE = (
    "gymposium/test_check_cli.py",
    "gymposium/test_cli.py",
    "gymposium/test_exit_codes.py",
    "gymposium/test_front_door.py",
    "envs/adapters",
    "envs/test_checks.py",
    "envs/test_views.py",
    "agents/test_checks.py",
    "arenas/executors",
    "arenas/test_dying_workers.py",
    "arenas/test_resume.py",
    "arenas/test_store.py",
    "arenas/test_workers.py",
)


def main(python: str, extras: str = "all") -> int:
    """Try the wheel out; how many things failed."""
    with tempfile.TemporaryDirectory(prefix="gymposium-wheel-") as home:
        wheel = _built(Path(home))
        mine = _installed(python, wheel, extras, Path(home))
        away = Path(home) / "away"
        away.mkdir()
        failed = _pages(mine, extras, away)
        return failed + _tests(mine, Path(home) / "trial")


def _built(home: Path) -> Path:
    """The wheel, built from a copy: building leaves files behind."""
    source = home / "source"
    for room in ("gymposium", "envs", "agents", "arenas", "scenarios"):
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    pip = [sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "--wheel-dir", home, source]
    subprocess.run(pip, check=True)
    (found,) = home.glob("*.whl")
    return found


def _installed(python: str, wheel: Path, extras: str, home: Path) -> Path:
    """The interpreter of a new environment that holds the wheel."""
    subprocess.run([python, "-m", "venv", home / "env"], check=True)
    mine = home / "env" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    asked = f"{wheel}[{extras}]"
    pip = [mine, "-m", "pip", "-q", "install", "--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, asked, *TOOLS], check=True)
    if extras == "all":  # Concordia, as the Makefile installs it: what it asks for is not needed
        subprocess.run([*pip, "--no-deps", "gdm-concordia"], check=True)
    where = "import gymposium, sys; print(sys.version.split()[0], gymposium.__file__)"
    told = subprocess.run([mine, "-P", "-c", where], cwd=home, capture_output=True, text=True)
    version, _, file = told.stdout.strip().partition(" ")
    if not Path(file).is_relative_to(home):
        raise SystemExit(f"the wheel is not what is imported: {told.stdout}{told.stderr}")
    print(f"Python {version}: {wheel.name}[{extras}]", flush=True)
    return mine


def _pages(python: Path, extras: str, away: Path) -> int:
    """Run the pages; how many failed."""
    pages = [
        "README.md",
        *sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("docs/**/*.md")),
    ]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    there, failed = set(extras.split(",")), 0
    for number, page in enumerate(["README.md", *pages]):
        place = away / str(number)
        place.mkdir()
        command = [python, "-P", DOCS / "run_page.py", page]
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True)
        said = done.stdout + done.stderr
        lacking = set(re.findall(r"pip install 'gymposium\[(\w+)\]'", said)) - there
        if "No module named 'torch'" in said:  # a page that imports the learners' own modules
            lacking |= {"train"} - there
        if done.returncode and lacking and "all" not in there:
            print(f"{page}: needs {', '.join(sorted(lacking))}", flush=True)
        elif done.returncode:
            failed += 1
            print(f"{page}: FAILED\n{said[-3000:]}", flush=True)
    print(f"{len(pages) + 1} pages, {failed} failed", flush=True)
    return failed


def _tests(python: Path, trial: Path) -> bool:
    """Run a part of the tests; whether any failed.

    They stand alone there: worker processes import what tests define from where they stand, and
    must not find the checkout's package beside it.
    """
    shutil.copytree(ROOT / "tests", trial / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", trial)
    quiet = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [python, "-P", "-m", "pytest", *quiet, *(f"tests/{part}" for part in SMOKE)]
    done = subprocess.run(command, cwd=trial, env={**os.environ, "PYTHONPATH": str(trial)})
    return bool(done.returncode)


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
