"""``gymposium play``, driven as a person would: through a pseudo-terminal, and through a pipe."""

import os
import pty
import select
import subprocess
import sys
import time

import pytest

import gymposium

COMMAND = [sys.executable, "-m", "gymposium", "play"]
PATIENCE = 60
BOT = "scripted:firm_bargainer"


def piped(*words, typed, cwd):
    return subprocess.run(
        [*COMMAND, *words],
        input=typed,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=PATIENCE,
        check=False,
    )


class Person:
    """Somebody at a pseudo-terminal."""

    def __init__(self, *words, cwd):
        self.child, self.line = pty.fork()
        if self.child == 0:
            os.chdir(cwd)
            os.execve(sys.executable, [*COMMAND, *words], {**os.environ, "TERM": "xterm"})
        self.seen = ""

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.line], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"no {text!r} in:\n{self.seen}"
            try:
                self.seen += os.read(self.line, 4096).decode()
            except OSError:  # the other end is closed
                raise AssertionError(f"ended without {text!r}:\n{self.seen}") from None
        self.seen = self.seen.partition(text)[2]

    def type(self, text):
        os.write(self.line, text.encode())

    def exit_code(self):
        """What it ended with; what was printed on the way is in ``seen``."""
        while True:
            try:
                block = os.read(self.line, 4096)
            except OSError:
                break
            if not block:
                break
            self.seen += block.decode()
        _, status = os.waitpid(self.child, 0)
        os.close(self.line)
        return os.waitstatus_to_exitcode(status)


def test_a_match_at_a_terminal_from_rules_to_returns(tmp_path):
    me = Person("iterated_matrix", "-a", "scripted:tit_for_tat", "-p", "rounds=2", cwd=tmp_path)
    me.wait_for("Answer with exactly one of: cooperate, defect")
    me.wait_for("player_0> ")
    me.type("dunno\n")
    me.wait_for("cannot tell which option 'dunno' means")
    me.wait_for("player_0> ")
    me.type("cooperate\n")
    me.wait_for("player_1 chose cooperate")
    me.wait_for("player_0> ")
    me.type("defect\n")
    me.wait_for("player_0 ends with 8.")
    me.wait_for("Returns")
    assert me.exit_code() == 0
    assert "--seed" in me.seen


@pytest.mark.parametrize(
    ("key", "said"), [("\x03", "interrupted"), ("\x04", "the input ended"), ("/quit\n", "you quit")]
)
def test_every_way_to_leave_a_terminal_is_130_and_says_so(tmp_path, key, said):
    me = Person("haggling", "--seat", "seller", "-a", BOT, cwd=tmp_path)
    me.wait_for("seller> ")
    me.type(key)
    code = me.exit_code()
    assert code == 130
    assert said in me.seen
    assert "does not count" in me.seen
    assert "Traceback" not in me.seen


def test_a_piped_match_is_kept_with_out(tmp_path):
    bot = "scripted:always_cooperate"
    words = ["--seat", "player_1", "-p", "rounds=1", "-a", bot, "--seed", "5", "--out", "kept"]
    done = piped("iterated_matrix-v0", *words, typed="defect\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the record is in kept" in done.stdout
    run = gymposium.load(tmp_path / "kept")
    assert {seat.seat: seat.return_ for seat in run.rows[0].seats} == {"player_0": 0, "player_1": 5}
    assert "\x1b" not in done.stdout  # no colours where nobody watches
    again = piped("iterated_matrix-v0", "--out", "kept", typed="", cwd=tmp_path)
    assert again.returncode == 2
    assert "holds a run already" in again.stderr


def test_a_match_that_is_not_kept_leaves_nothing(tmp_path):
    done = piped("auction", "-p", "rounds=1", typed="I bid 3\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


def test_one_person_can_take_all_seats_and_then_sees_everything(tmp_path):
    typed = "offer 9\noffer 7\naccept\n"
    done = piped("haggling", "--seat", "all", "-p", "opening=seller", typed=typed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("worth") > 4  # the spectator's view is shown with each turn
    alone = piped("haggling", "--seat", "buyer", "-a", BOT, typed="/quit\n", cwd=tmp_path)
    assert "costs the seller" not in alone.stdout
    asked = piped(
        "haggling", "--seat", "buyer", "-a", BOT, "--reveal", typed="/quit\n", cwd=tmp_path
    )
    assert "costs the seller" in asked.stdout


def test_a_broken_off_match_that_is_kept_says_how_to_go_on(tmp_path):
    done = piped("iterated_matrix", "--out", "kept", typed="cooperate\n", cwd=tmp_path)
    assert done.returncode == 130
    assert "the input ended as player_0 at step 1" in done.stderr
    assert "gymposium resume kept" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["haggling", "--seat", "byer"], "did you mean 'buyer'"),
        (["hagling"], "did you mean"),
        (["haggling", "-a", "random", "-a", "random"], "2 agents for 1 seats"),
        (["haggling", "-p", "round=1"], "did you mean 'rounds'"),
    ],
)
def test_wrong_usage_is_2_and_a_sentence(tmp_path, words, said):
    done = piped(*words, typed="", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
