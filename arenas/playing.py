"""How a plan is played into a folder: here, over processes, or over machines.

People, live Python objects and language models that only a user's code can make stay in this
process: people sit at this terminal, and the others are only here. The calls of all other language
models are made here too, wherever their matches are played: one cache, one budget, one rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gymposium.errors import GymposiumError, StoreError, UsageError

from ..agents.language.backends.cache import ResponseCache
from .executors.choice import Executor, choose
from .executors.inline import run_to_end
from .host import Host, HostOptions, Job, Partial
from .meter import Meter
from .plan import Batch, Plan
from .record import Recorder
from .reporters import MessagesOnly, Silent
from .rows import Finished
from .runner import Reporter, Runner
from .store import RunFolder

if TYPE_CHECKING:
    from ..agents.language.backends.desk import Desk
    from ..agents.registry import AgentSpec


@dataclass(frozen=True, slots=True)
class Means:
    """Operational knobs: none of them changes an outcome.

    Attributes:
        concurrency: matches in flight.
        workers: processes; None for what the executor has by itself.
        executor: ``inline``, ``processes``, ``ray`` or ``ray:ADDRESS``; None for what ``workers``
            asks for.
        progress: told about progress.
        recorder: writes a match down as it is played.
        cache: of language models' answers: the user's, a file, or none.
    """

    concurrency: int = 64
    workers: int | None = None
    executor: str | None = None
    progress: Reporter | None = None
    recorder: Callable[..., Recorder] = Recorder
    cache: bool | str | Path = True


def play_plan(plan: Plan, folder: RunFolder, means: Means) -> None:
    """Play what ``folder`` lacks of ``plan``; see :func:`.run.run` for what is raised.

    With a person in a seat matches are played one at a time, and progress is not drawn over what
    the person reads.
    """
    executor, note = executor_for(plan, means)
    playing = _Playing(plan, folder, means)
    if note:
        playing.reporter.message(note)
    folder.set_info(status="running")
    try:
        if executor.name == "inline":
            playing.here()
        else:
            playing.there(executor)
    except (KeyboardInterrupt, GymposiumError) as error:
        with suppress(StoreError):  # on a full disk this does not fit either
            folder.set_info(status="interrupted", why=str(error) or "Ctrl-C")
        raise
    finally:
        playing.reporter.stop()
    folder.set_info(status="finished", finished=time.time())


def executor_for(plan: Plan, means: Means) -> tuple[Executor, str]:
    """The executor that was asked for, or this process if everything has to stay in it.

    Returns:
        The executor, and a sentence if the person should know that it is not the one asked for.

    Raises:
        UsageError: an agent cannot be sent to where it is to play.
    """
    from ..agents.registry import made_here

    asked, here = choose(means.executor, means.workers), Executor("inline")
    agents = plan.agents.values()
    if asked.name == "inline" or means.recorder is not Recorder:
        return here, ""
    if any(spec.human for spec in agents):
        return here, ""
    for spec in agents:
        if made_here(spec.text):
            raise UsageError(
                f"{spec.name!r} is known in this process only and cannot be sent to others: name "
                "it by FILE.py:ATTR or package.module:ATTR, or play with one worker"
            )
    models = [spec for spec in agents if spec.language]
    if models and asked.name == "ray":
        raise UsageError(
            f"{models[0].name!r} is a language model: its answers are waited for, not computed, "
            "and one budget bounds them: leave out --executor ray and raise --concurrency instead"
        )
    for spec in models:
        if not spec.sendable:
            return here, (
                f"only this process can make the language model of {spec.name}: all matches are "
                f"played here, {means.concurrency} at a time (--concurrency)"
            )
    return asked, ""


class _Playing:
    """One go at a run."""

    def __init__(self, plan: Plan, folder: RunFolder, means: Means) -> None:
        self._plan, self._folder, self._means = plan, folder, means
        self._agents = list(plan.agents.values())
        self._human = any(spec.human for spec in self._agents)
        self.reporter = means.progress or Silent()
        if self._human:
            self.reporter = MessagesOnly(self.reporter)
        limits = plan.scenario.budget.model_dump(exclude_none=True)
        self._meter = Meter(limits, folder.spent())
        self._runner = Runner(folder, self._meter, self.reporter)

    def here(self) -> None:
        """Play in this process."""
        plan, means = self._plan, self._means
        answers = _answers(self._agents, means.cache)
        host = Host(
            plan.agents,
            plan.make_world,
            reasks=plan.scenario.reasks,
            meter=self._meter,
            options=HostOptions(
                concurrency=1 if self._human else means.concurrency,
                cache=answers,
                run=self._folder.info().get("id", ""),
            ),
            recorder=means.recorder,
        )
        try:
            run_to_end(self._play_on(host), on_interrupt=self._interrupted)
        finally:
            if answers is not None:
                answers.close()

    async def _play_on(self, host: Host) -> None:
        from ..agents.isolation import shutdown
        from ..agents.language.backends.pool import leave_loop

        try:
            for missing, _ in self._missing():
                await self._runner.play_here(host, missing)
        finally:
            await shutdown()
            await leave_loop()

    def there(self, executor: Executor) -> None:
        """Play in other processes; models' calls are made in this one."""
        answers = _answers(self._agents, self._means.cache)
        try:
            if not any(spec.language for spec in self._agents):
                self._share(executor, None)
                return
            from ..agents.language.backends.desk import Desk

            with Desk(self._meter, answers, self._folder.info().get("id", "")) as desk:
                self._share(executor, desk)
        finally:
            if answers is not None:
                answers.close()

    def _share(self, executor: Executor, desk: Desk | None) -> None:
        from .shares import Share, Sharing, play_share, setup_of

        scenario = self._plan.scenario
        workers = max(1, executor.workers)
        setup = setup_of(
            self._plan.agents,
            (entry.id for entry in scenario.worlds),
            reasks=scenario.reasks,
            concurrency=self._means.concurrency,
            workers=workers,
            desk=None if desk is None else desk.address,
        )
        least = setup.concurrency if any(spec.waits for spec in self._agents) else 1
        keep = self._runner.keep

        def kept(told: Sequence[Finished | Partial]) -> None:
            keep(told)
            for each in told:
                if desk is not None and isinstance(each, Finished):
                    desk.ended(each.row.key)

        def lost(share: Share, cause: str) -> list[Share]:
            again = sharing.lost(share, cause)
            if desk is not None:
                for each in again:
                    desk.lost(each.jobs[0].key)
            more = f"; what it was playing ({len(again)}) is played again" if again else ""
            self.reporter.message(f"a worker process died ({cause}){more}")
            return again

        sharing = Sharing(
            setup,
            self._meter,
            kept,
            self._runner.tick,
            lacks=lambda key: not self._folder.has(key),
            least=least,
        )
        for missing, count in self._missing():
            executor.run(
                play_share,
                sharing.shares(missing, count, workers),
                on_told=sharing.take,
                on_interrupt=self._interrupted,
                on_lost=lost,
            )

    def _missing(self) -> Iterator[tuple[Iterable[Job], int]]:
        """What each batch lacks, read lazily, and how much; it must be there at the next one."""
        folder = self._folder
        total = 0
        for batch in self._plan.batches(folder.rows):
            missing = partial(_lacking, folder, batch) if folder.count() else batch.jobs
            stored = 0 if missing is batch.jobs else batch.total - sum(1 for _ in missing())
            self._plan.refuse_misfits(missing())
            self.reporter.start(total + batch.total, total + stored)
            total += batch.total
            before = folder.count()
            yield missing(), batch.total - stored
            lost = batch.total - stored - (folder.count() - before)
            if lost:
                raise GymposiumError(f"{lost} matches were not played to their end; resume the run")

    def _interrupted(self) -> None:
        self.reporter.message(
            "stopping: finished matches are stored; go on with "
            f"`gymposium resume {self._folder.path}` (Ctrl-C again stops at once)"
        )


def _lacking(folder: RunFolder, batch: Batch) -> Iterator[Job]:
    return (job for job in batch.jobs() if not folder.has(job.key))


def _answers(agents: Sequence[AgentSpec], cache: bool | str | Path) -> ResponseCache | None:
    """The cache of answers, if a model plays here: stand-ins answer faster than it does."""
    models = [spec for spec in agents if spec.language]
    if cache is False or all(spec.text.startswith("llm:scripted") for spec in models):
        return None
    return ResponseCache(None if cache is True else cache)
