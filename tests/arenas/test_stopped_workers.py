"""Workers that are stopped, or whose parent is gone: neither holds anybody up."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.arenas.reporters import Silent

from .test_resume import assert_same_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="nothing tells who is stopped")
@pytest.mark.parametrize("then", ["goes on", "Ctrl-C"])
def test_a_worker_that_is_stopped_holds_up_neither_the_run_nor_ctrl_c(
    tmp_path: Path, then: str, long: tuple[Path, gymposium.Run]
) -> None:
    file, whole = long

    class Stopping(Silent):
        victim = 0

        def match_done(self, row: Any) -> None:
            if self.victim:
                return
            self.victim = multiprocessing.active_children()[0].pid or 0
            os.kill(self.victim, signal.SIGSTOP)
            who, what = self.victim, signal.SIGCONT
            if then == "Ctrl-C":
                who, what = os.getpid(), signal.SIGINT
            threading.Timer(1.0, os.kill, (who, what)).start()

    play = partial(gymposium.run, file, out=tmp_path / "run", workers=2, progress=Stopping())
    if then == "goes on":
        assert_same_run(play(), whole)
        return
    with pytest.raises(KeyboardInterrupt):
        play()
    assert not multiprocessing.active_children()
    assert_same_run(gymposium.resume(tmp_path / "run", workers=2), whole)


DRIVER = """
import sys
from gymposium.arenas.executors.processes import run_jobs
sys.path.insert(0, sys.argv[1])
from busy import work
run_jobs(work, [1, 2], workers=2, on_told=lambda told: print(*told, flush=True), on_interrupt=list)
"""
BUSY = """
import time

def work(job, tell, stopping):
    tell(job)
    for _ in range(60):  # as a learner does in a long iteration, it does not ask whether to stop
        time.sleep(1.0)
"""


def test_workers_end_with_a_killed_parent_though_they_do_not_ask(tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(BUSY, encoding="utf-8")
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        seen: set[str] = set()
        while len(seen) < 2:
            seen |= set(process.stdout.readline().split())
        process.kill()
        # Workers hold the other ends of its output: when it closes, they are gone as well.
        process.communicate(timeout=20)
