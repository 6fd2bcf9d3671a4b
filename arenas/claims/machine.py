"""Where a result comes from: commit, versions, machine. Plain data for the committed file."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from gymposium import __version__

_PACKAGES = ("numpy", "numba", "scipy", "torch", "transformers", "xllamacpp")


def commit() -> str:
    """The commit of the checkout this package runs from, ``-dirty`` if files differ; or ""."""
    here = str(Path(__file__).parent)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", here, *words],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return done.stdout.strip()

    with suppress(OSError, subprocess.SubprocessError):
        dirty = git("status", "--porcelain", "--untracked-files=no", "--", ":/")
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if dirty else "")
    return ""


def versions() -> dict[str, str]:
    """Python, gymposium and the packages that decide numbers, where they are installed."""
    found = {"gymposium": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def machine() -> dict[str, Any]:
    """What kind of machine this is; nothing that identifies it."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
