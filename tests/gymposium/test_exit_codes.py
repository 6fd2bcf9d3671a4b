"""How a command ends: one sentence on stderr, and a code that scripts can rely on."""

import os
import signal
import subprocess
import sys
import time
from types import FunctionType

import pytest
import typer
from typer.testing import CliRunner

from gymposium.cli import main
from gymposium.cli.guard import GuardedGroup
from gymposium.errors import StoreError, UsageError


def gymposium(*words, cwd, **more):
    return subprocess.run(
        [sys.executable, "-m", "gymposium", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        check=False,
        **more,
    )


def test_done_is_0_and_wrong_usage_is_2_in_one_sentence(tmp_path):
    assert gymposium("--version", cwd=tmp_path).returncode == 0
    for words, said in [
        (["lst"], "did you mean 'list'"),
        (["list", "--jsn"], "no such option"),
        (["tournament"], "missing argument"),
        (["tournament", "dmo"], "did you mean 'demo'"),
        (["tournament", "x.yaml"], "unknown scenario file 'x.yaml'"),
        (["run", "haggling-v0", "-p", "round=3"], "did you mean 'rounds'"),
        (["run", "haggling-v0", "-p", "rounds"], "not of the form key=value"),
        (["run", "haggling-v0", "-a", "scripted:nobody"], "unknown agent"),
        (["resume", "nowhere"], "unknown run 'nowhere'"),
    ]:
        done = gymposium(*words, cwd=tmp_path)
        assert done.returncode == 2, (words, done.stderr)
        assert said in done.stderr.lower(), (words, done.stderr)
        assert done.stderr.startswith("gymposium: ")
        assert done.stderr.count("\n") == 1
        assert not list(tmp_path.iterdir())  # wrong usage leaves nothing behind


def test_a_broken_store_is_1_and_a_sentence(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "run.sqlite").write_text("not a database", encoding="utf-8")
    done = gymposium("report", "t", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_debug_shows_the_traceback_wherever_it_stands(tmp_path):
    for words in (["--debug", "report", "t"], ["report", "t", "--debug"]):
        assert "Traceback" in gymposium(*words, cwd=tmp_path).stderr
    env = {**os.environ, "GYMPOSIUM_DEBUG": "1"}
    assert "Traceback" in gymposium("report", "t", cwd=tmp_path, env=env).stderr


def raising(error: BaseException, *, module: str) -> typer.Typer:
    """An app whose verb, a function of that module, raises an error."""
    app = typer.Typer(cls=GuardedGroup)

    @app.callback()
    def root() -> None: ...

    def verb() -> None:
        raise error

    there = {**globals(), "__name__": module}
    app.command()(FunctionType(verb.__code__, there, "verb", None, verb.__closure__))
    return app


def test_what_somebodys_own_code_raises_is_no_internal_error():
    app = raising(ZeroDivisionError("by nought"), module="maze")
    result = CliRunner().invoke(app, ["verb"])
    assert result.exit_code == 1
    assert "ZeroDivisionError: by nought (test_exit_codes.py:" in result.stderr
    assert "internal error" not in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("no such thing: try another"), 2, "no such thing: try another"),
        (StoreError("the disk is full: free some"), 1, "the disk is full: free some"),
        (KeyboardInterrupt(), 130, ""),
        (ZeroDivisionError("by nought"), 1, "internal error (ZeroDivisionError: by nought)"),
        (BrokenPipeError(), 1, ""),
        (typer.Exit(7), 7, ""),
    ],
)
def test_every_way_to_end(error, code, said):
    result = CliRunner().invoke(raising(error, module="gymposium.cli.somewhere"), ["verb"])
    assert result.exit_code == code
    assert said in result.stderr
    assert bool(said) == bool(result.stderr.strip())


@pytest.mark.skipif(os.name == "nt", reason="pipes close differently there")
@pytest.mark.parametrize("words", ["list", "scenario schema", "list --json", "info demo --json"])
def test_a_closed_pipe_is_silence(tmp_path, words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "gymposium", *words.split()],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode != 2


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send there")
def test_interruption_is_130_and_the_run_can_be_resumed(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\ndef act(turn):\n    time.sleep(0.02)\n    return 0\n", encoding="utf-8"
    )
    scenario = "world: iterated_matrix-v0\nparams: {rounds: 5}\nagents: [random, 'slow.py:act']\n"
    (tmp_path / "s.yaml").write_text(f"{scenario}schedule: {{repeats: 30}}\n", encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-m", "gymposium", "tournament", "s.yaml", "--out", "t", "-j", "1"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("t/transcripts/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    finally:
        running.kill()
    assert running.returncode == 130, said
    assert "gymposium resume t" in said
    assert "Traceback" not in said
    done = gymposium("resume", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "are done already" in done.stderr
    assert "120/120 matches" in done.stderr


def test_an_interruption_while_the_verbs_are_imported_has_no_traceback(monkeypatch):
    class Interrupted:
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "gymposium.cli.app", Interrupted())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130
