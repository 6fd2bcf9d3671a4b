"""kill -9 at any instant, of the run or of one of its workers: resumed, it ends as if uncut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import gymposium
from gymposium.agents.checkpoints import checkpoints, read_checkpoint
from gymposium.errors import GymposiumError

from .test_train import small, state

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

METHOD = "tabular?nap=0.004"
SCRIPT = """
import sys
import gymposium, tabular
from gymposium.agents.methods import register_method
register_method(tabular.SPEC)
if __name__ == "__main__":
    gymposium.train(
        "iterated_matrix", [sys.argv[3]], out=sys.argv[1], workers=int(sys.argv[2]), seeds=2,
        params={"rounds": 5}, budget={"steps": 300}, evaluation={"every": 100},
    )
"""


def begin(out, workers):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(out), str(workers), METHOD], start_new_session=True
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    from gymposium.agents import methods

    from . import conftest

    module = conftest._load()
    patch = pytest.MonkeyPatch()
    patch.setitem(methods._methods, "tabular", module.SPEC)
    yield state(small(tmp_path_factory.mktemp("whole") / "run", [METHOD], seeds=2))
    patch.undo()


def written(out):
    return sum(file.stat().st_size for file in out.glob("*/seed-*/*.csv"))


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_many_instants_and_resumed_it_equals_an_uncut_run(tmp_path, whole, workers):
    out, seen = tmp_path / "run", 0
    for number in range(3):
        process = begin(out, workers)
        deadline = time.monotonic() + 60
        # Let it get on by a few moments each time, wherever it then is.
        while written(out) < seen + 100 + 97 * number and time.monotonic() < deadline:
            assert process.poll() is None, "it had ended before it could be killed"
            time.sleep(0.003)
        # Only the parent: workers left behind must stop by themselves and not be in the way.
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        seen = written(out)
        for folder in out.glob("*/seed-*/checkpoints"):
            for path in list(checkpoints(folder).values())[-1:]:
                read_checkpoint(path).state()  # whole, whenever it is looked at
    resumed = gymposium.resume_training(out)
    assert state(resumed) == whole


def test_a_worker_that_dies_is_told_and_the_run_can_be_resumed(tmp_path, whole):
    with pytest.raises(GymposiumError, match=r"worker process died.*resume"):
        small(tmp_path / "run", ["tabular?die_at=150"], seeds=2, workers=2)
    resumed = gymposium.resume_training(tmp_path / "run", workers=2)
    assert {entry["status"] for entry in resumed.status().values()} == {"finished"}
    uncut = {key[1]: value[1] for key, value in whole.items()}
    assert {key[1]: value[1] for key, value in state(resumed).items()} == uncut


def test_two_processes_never_train_one_learner(tmp_path, monkeypatch):
    import filelock

    from gymposium.arenas.training import files
    from gymposium.errors import StoreError

    run = small(tmp_path / "run")
    folder = run.learners["tabular", 0]
    monkeypatch.setattr(files, "_LOCK_SECONDS", 0.1)
    held = filelock.FileLock(folder / ".lock")
    with held, pytest.raises(StoreError, match="another process is training in"):
        gymposium.resume_training(run.path)
