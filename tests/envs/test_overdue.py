"""Work that hangs is left alone once it is overdue; work that does not is simply done."""

from __future__ import annotations

import math
import threading
from time import monotonic

import pytest

from gymposium.envs.overdue import Overdue, do_in_time


def test_work_that_comes_back_has_been_done_elsewhere() -> None:
    done: list[int] = []
    do_in_time(lambda: done.append(threading.get_ident()), lambda: math.inf)
    assert len(done) == 1
    assert done[0] != threading.get_ident()


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt("no")])
def test_whatever_it_raises_is_raised_here(error: BaseException) -> None:
    def work() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        do_in_time(work, lambda: math.inf)
    assert caught.value is error


def test_work_that_hangs_is_named_by_its_place_and_left() -> None:
    never = threading.Event()
    began = monotonic()
    try:
        with pytest.raises(Overdue) as caught:
            do_in_time(never.wait, lambda: began + 0.2)
        assert 0.2 <= monotonic() - began < 5
        assert caught.value.place.startswith("threading.py:")
    finally:
        never.set()


def test_the_moment_may_move_while_it_works() -> None:
    """Each step may take a while of its own: what is due is asked for again and again."""
    due = [math.inf]
    passed, never = threading.Event(), threading.Event()

    def work() -> None:
        due[0] = monotonic() + 60
        passed.set()
        due[0] = monotonic() + 0.1
        never.wait()

    try:
        with pytest.raises(Overdue):
            do_in_time(work, lambda: due[0])
        assert passed.is_set()
    finally:
        never.set()
