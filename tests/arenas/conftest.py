"""What several files here measure a disturbed run by: an undisturbed one of some seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

import gymposium
from gymposium.scenarios.load import dump

from .test_resume import scenario


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, gymposium.Run]:
    """A scenario's file, and what it comes to when nobody disturbs it."""
    home = tmp_path_factory.mktemp("long")
    file = home / "resumable.yaml"
    file.write_text(dump(scenario(repeats=20, rounds=40)), encoding="utf-8")
    return file, gymposium.run(file, out=home / "whole")
