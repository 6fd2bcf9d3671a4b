"""Every test here may train with the small methods of ``tabular.py``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from gymposium.agents import methods

HERE = Path(__file__).parent


def _load() -> Any:
    # Under a name of its own on sys.path, so that worker processes can import it too.
    sys.path.insert(0, str(HERE))
    try:
        return importlib.import_module("tabular")
    finally:
        sys.path.remove(str(HERE))


@pytest.fixture(autouse=True)
def tabular(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    module = _load()
    monkeypatch.setitem(methods._methods, "tabular", module.SPEC)
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    monkeypatch.chdir(tmp_path)
    return module
