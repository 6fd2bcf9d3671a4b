"""Evaluation: what a checkpoint is worth, found out in matches of the one arena.

The seats that learn are filled from the checkpoint, the others by agents named in the scenario.
Match ``i`` has the same seed for every method, every learner and every moment, so that differences
are not luck of the draw. Everything is stored per seat in the learner's ``evaluation/``, a run
folder like any other; the measures are derived from it:

* ``return``: mean return of the seats that learn; ``return.SEAT``: of one of them;
* ``min``, ``geomean``, ``gini``: the worst off, the geometric mean (0 if somebody earns nothing)
  and the Gini coefficient (NaN unless the sum is positive) of the seats' mean returns;
* every other metric of the world by its own name; ``faults``: faults per match.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import threading
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.types import Seat, World

from ...agents.registry import AgentSpec, resolve
from ...scenarios.training import TrainingScenario
from ..host import Host, HostOptions, Job
from ..keys import match_keys
from ..meter import Meter
from ..record import Recorder
from ..reporters import Silent
from ..rows import MatchRow
from ..runner import Runner
from ..schedule import MatchSpec, match_seed
from ..store import RunFolder

_CONCURRENCY = 16


def evaluate(
    scenario: TrainingScenario, checkpoint: Path, folder: Path, *, step: int
) -> dict[str, float]:
    """Play the evaluation matches of one checkpoint, those that are not stored yet.

    Args:
        scenario: world, partners, seeds and number of matches.
        checkpoint: the checkpoint's folder.
        folder: the run folder the matches are stored in.
        step: how far the learner had come; names the cell.

    Returns:
        The measures.

    Raises:
        UsageError: a partner that cannot be made, or cannot sit there.
        GymposiumError: the world failed.
    """
    from ...envs.registry import make_world

    world = make_world(scenario.world, **scenario.params)
    trained = trained_seats(scenario, world.seats)
    partners = evaluation_partners(scenario)
    name = f"learner@{step}"
    agents = {name: resolve(f"trained:{checkpoint}")}
    agents |= {spec: resolve(spec) for spec in partners.values()}
    seating = {seat: name if seat in trained else partners[seat] for seat in world.seats}
    for seat, who in seating.items():
        fits = agents[who].fits
        if fits is not None:
            fits(scenario.world, world.seats[seat])
    _try_out(agents[name], world, trained)
    specs = _matches(scenario, seating, partners, step)
    keys = match_keys(
        specs,
        {who: spec.identity for who, spec in agents.items()},
        fault_rules={specs[0].cell: next(iter(world.seats.values())).fault_rule},
        reasks=0,
    )
    jobs = [
        Job(key, step * len(specs) + place, spec)
        for place, (key, spec) in enumerate(zip(keys, specs, strict=True))
    ]
    rows = _play(jobs, agents, folder, record=scenario.evaluation.record)
    return measures(rows, trained)


def _matches(
    scenario: TrainingScenario,
    seating: Mapping[str, str],
    partners: Mapping[str, str],
    step: int,
) -> list[MatchSpec]:
    """The matches of one moment: only the cell's name differs from another's."""
    return [
        MatchSpec(
            world=scenario.world,
            params=scenario.params,
            seating=seating,
            roles=dict.fromkeys(partners, "background"),
            seed=match_seed(scenario.seed, "evaluation", number),
            block=number,
            cell=f"step {step}",
            time_limit=scenario.evaluation.time_limit,
        )
        for number in range(scenario.evaluation.matches)
    ]


def _try_out(learner: AgentSpec, world: World, trained: Sequence[str]) -> None:
    """Let every policy act once: what it raises is a method's error here, in a match a fault."""
    turns = world.reset(0)
    for seat in trained:
        agent = learner.create()
        agent.reset(world.seats[seat], 0)
        if seat in turns:
            answer = agent.act(turns[seat])
            if inspect.isawaitable(answer):
                run_here(_waited(answer))


async def _waited(answer: Awaitable[Any]) -> None:
    await answer


def trained_seats(scenario: TrainingScenario, seats: Mapping[str, Seat]) -> tuple[str, ...]:
    """The seats that learn, in seating order."""
    return tuple(
        seat
        for seat in seats
        if seat in scenario.seats or (not scenario.seats and seat not in scenario.partners)
    )


def evaluation_partners(scenario: TrainingScenario) -> Mapping[str, str]:
    """Who sits in the other seats: seat id -> agent spec."""
    given = scenario.evaluation.partners
    return scenario.partners if given is None else {**scenario.partners, **given}


def measures(rows: Sequence[MatchRow], trained: Sequence[str]) -> dict[str, float]:
    """The measures of some matches, as the module says.

    Args:
        rows: the matches.
        trained: the seats that learn.
    """
    returns = {
        seat: float(np.mean([s.return_ for row in rows for s in row.seats if s.seat == seat]))
        for seat in trained
    }
    values = np.array(list(returns.values()))
    found = {"return": float(values.mean())}
    if len(values) > 1:
        found |= {"min": float(values.min()), "geomean": _geomean(values)}
        found["gini"] = _gini(values)
        found |= {f"return.{seat}": value for seat, value in returns.items()}
    # The world's own, but for namesakes: those above are of returns averaged over matches.
    for name in dict.fromkeys(name for row in rows for name in row.metrics if name not in found):
        known = [row.metrics[name] for row in rows if name in row.metrics]
        known = [value for value in known if math.isfinite(value)]
        if known:
            found[name] = float(np.mean(known))
    faults = sum(sum(s.faults.values()) for row in rows for s in row.seats if s.seat in trained)
    return {**found, "faults": faults / len(rows)}


def _geomean(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.exp(np.log(values).mean())) if (values > 0).all() else 0.0


def _gini(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    gaps = np.abs(values[:, None] - values[None, :]).sum()
    return float(gaps / (2 * len(values) * values.sum())) if values.sum() > 0 else math.nan


def _play(
    jobs: Sequence[Job], agents: Mapping[str, AgentSpec], folder: Path, *, record: bool
) -> list[MatchRow]:
    from ...envs.registry import make_world

    wanted = {job.key for job in jobs}
    with RunFolder(folder, write=True, create=True) as store:
        if not store.info():
            store.set_info(title="evaluation", status="finished")
        stored = store.keys()
        missing = [job for job in jobs if job.key not in stored]
        host = Host(
            agents,
            lambda spec: make_world(spec.world, **spec.params),
            reasks=0,
            meter=Meter(),
            options=HostOptions(concurrency=_CONCURRENCY),
            recorder=Recorder if record else _no_recorder,
        )
        run_here(_to_the_end(Runner(store, Meter(), Silent()), host, missing))
        return [row for row in store.rows() if row.key in wanted]


def _no_recorder(*_: object, **__: object) -> None:
    """Nobody writes the match down, turn by turn."""


async def _to_the_end(runner: Runner, host: Host, jobs: Sequence[Job]) -> None:
    from ...agents.isolation import shutdown

    try:
        await runner.play_here(host, jobs)
    finally:
        await shutdown()


def run_here(main: Coroutine[Any, Any, None]) -> None:
    """Run ``main``, in a notebook too, and leave Ctrl-C to whoever drives the learner."""
    failed: list[BaseException] = []

    def work() -> None:
        try:
            asyncio.run(main)
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread and raised
            failed.append(error)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main)
        return
    thread = threading.Thread(target=work, name="gymposium-evaluation")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
