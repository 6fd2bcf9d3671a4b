"""Rules for the whole suite: one thread a process; skips are listed in ``allowed_skips.txt``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

_ALLOWED = Path(__file__).with_name("allowed_skips.txt")
_skipped: list[tuple[str, str]] = []
# Threads of processes that share cores spin, many times the work itself; read as torch loads.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# No test answers from, or writes into, the cache of whoever runs the tests.
_ANSWERS = tempfile.TemporaryDirectory(prefix="gymposium-answers-")
os.environ["GYMPOSIUM_ANSWERS"] = os.path.join(_ANSWERS.name, "answers.sqlite")


def _allowed() -> dict[str, str]:
    lines = _ALLOWED.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if line.strip() and not line.startswith("#"))
    return {test: reason for test, reason in pairs}


def pytest_runtest_logreport(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _skipped.append((report.nodeid, reason))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    pytest_runtest_logreport(report)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    # Modules skipped while a worker collected are known to that worker only.
    collected = getattr(node, "workeroutput", {}).get("skipped", [])
    _skipped.extend((test, reason) for test, reason in collected if "::" not in test)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["skipped"] = _skipped
        return
    allowed = _allowed()
    surprises = [(test, reason) for test, reason in _skipped if test not in allowed]
    if surprises:
        for test, reason in surprises:
            print(f"\nSKIPPED WITHOUT LEAVE: {test}: {reason}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
