"""Whatever a world raises ends the run with one sentence that names it, wherever it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.errors import GymposiumError

from .test_resume import scenario
from .three_steps import THREE_STEPS

WORLD = f'''{THREE_STEPS}
import asyncio
from dataclasses import dataclass


class Panic(BaseException):
    """What a library written in Rust raises."""


@dataclass(frozen=True)
class EndingParams:
    """What it raises, and where."""

    raises: str = ""
    where: str = "step"


class Ending(ThreeSteps):
    """Say a number, three times."""

    id = "ending-v0"

    def __init__(self, raises="", where="step"):
        super().__init__(EndingParams(raises, where))

    def _happens(self, what):
        if self.params.raises and what == self.params.where:
            raise eval(self.params.raises)
'''

RAISED = (
    "ValueError('no')",
    "SystemExit(3)",
    "KeyboardInterrupt('no')",
    "GeneratorExit('no')",
    "asyncio.CancelledError('no')",
    "Panic('no')",
)


def play(tmp_path: Path, workers: int, **params: Any) -> Any:
    file = tmp_path / "ending_world.py"
    file.write_text(WORLD, encoding="utf-8")
    worlds = [{"id": f"{file}:Ending", "params": params}]
    asked = scenario(worlds=worlds, agents=["random"], schedule={"kind": "self_play", "repeats": 2})
    return gymposium.run(asked, out=tmp_path / "run", workers=workers)


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("where", ["reset", "step"])
def test_what_a_world_raises_is_its_failure_whatever_it_is(
    tmp_path: Path, raised: str, where: str
) -> None:
    kind = raised.partition("(")[0].rpartition(".")[2]
    line = 1 + WORLD[: WORLD.index("raise eval(")].count("\n")
    told = rf"{kind}: (no|3) \(ending_world.py:{line}\)"
    said = rf"the world ending-v0 failed at step 0 with seed \d+: {told}"
    with pytest.raises(GymposiumError, match=said):
        play(tmp_path, 1, raises=raised, where=where)


@pytest.mark.parametrize("raised", ["KeyboardInterrupt('no')", "Panic('no')"])
def test_it_is_told_by_a_worker_which_lives_on(tmp_path: Path, raised: str) -> None:
    with pytest.raises(GymposiumError, match=r"the world ending-v0 failed at step 0 with seed"):
        play(tmp_path, 2, raises=raised)


def test_what_an_agent_raises_in_this_process_is_its_fault_whatever_it_is(tmp_path: Path) -> None:
    class Panic(BaseException):
        pass

    class Panics:
        def act(self, turn: Any) -> int:
            raise Panic("no")

    worlds = [{"id": "iterated_matrix-v0", "params": {"rounds": 3}}]
    asked = scenario(worlds=worlds, schedule={"kind": "self_play", "repeats": 1})
    run = gymposium.run(asked, [Panics], out=tmp_path / "run")
    assert {kind for row in run.rows for seat in row.seats for kind in seat.faults} == {"error"}
