"""A scenario with its agents resolved: which matches there are, and how they are played.

A plan is made from a scenario (``run``) or from what a folder keeps about its run (``resume``);
both give the same matches in the same order, with the same keys.
"""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gymposium import __version__
from gymposium.errors import StoreError, UsageError
from gymposium.types import World

from ..agents.language.backends.prices import own_file
from . import schedule
from .casting import seat_agents
from .host import Job
from .keys import match_keys
from .rateable import kinds_of, refuse_unrateable
from .rows import MatchRow
from .schedule import Cast, MatchSpec

if TYPE_CHECKING:
    from ..agents.registry import AgentSpec
    from ..scenarios.model import Scenario


class Batch(NamedTuple):
    """Jobs that can be planned now.

    Attributes:
        total: how many.
        jobs: gives them anew at each call, made as they are read.
    """

    total: int
    jobs: Callable[[], Iterator[Job]]


class Plan:
    """A scenario with its agents resolved: which matches there are, and how to play them."""

    def __init__(
        self,
        scenario: Scenario,
        agents: Mapping[str, AgentSpec],
        make: Callable[..., World] | None = None,
    ) -> None:
        """Check everything that can be checked before the first match.

        Args:
            scenario: what is played.
            agents: everybody in it, by name.
            make: makes a world from its id and parameters; default: the registry's way.

        Raises:
            UsageError: an unknown world or parameter, or too few agents for the schedule.
        """
        from ..envs.registry import make_world
        from ..scenarios.load import validate_against_registry

        self.scenario = scenario
        self.agents = agents
        self.make = make or make_world
        self._entries = {entry.name: entry for entry in scenario.worlds}
        self._worlds: dict[str, World] = dict(validate_against_registry(scenario, make_world))
        self.kinds = kinds_of(self._worlds)
        refuse_unrateable(scenario, self._worlds)
        self._refuse_unpriced()

    def make_world(self, spec: MatchSpec) -> World:
        """A fresh world for a match."""
        entry = self._entries[spec.cell]
        return self.make(entry.id, **entry.params)

    def batches(self, rows: Callable[[], list[MatchRow]]) -> Iterator[Batch]:
        """Batches of jobs; a Swiss schedule's next batch depends on the stored rows."""
        cast = Cast.of(self.scenario)
        seat_ids = {name: tuple(world.seats) for name, world in self._worlds.items()}
        found = schedule.batch(self.scenario, cast, seat_ids, self.kinds)
        first = 0
        known: set[str] = set()
        while found.total:
            jobs = Batch(found.total, partial(self._numbered, found, first))
            yield jobs
            if self.scenario.schedule.kind != "swiss":
                return
            first += found.total
            # Only rows of the rounds planned so far: a resumed run must pair as it did before.
            known.update(job.key for job in jobs.jobs())
            played = [row for row in rows() if row.key in known]
            specs = schedule.next_round(self.scenario, cast, played, seat_ids)
            found = schedule.Batch.of(specs)

    def _numbered(self, found: schedule.Batch, first: int) -> Iterator[Job]:
        """Jobs, made as they are read; equal matches can only be in one block."""
        places = count(first)
        for block in found.blocks():
            for key, spec in zip(self._keys(block), block, strict=True):
                yield Job(key, next(places), spec)

    def _keys(self, specs: Sequence[MatchSpec]) -> list[str]:
        return match_keys(
            specs,
            {name: spec.identity for name, spec in self.agents.items()},
            fault_rules={name: _fault_rule(world) for name, world in self._worlds.items()},
            reasks=self.scenario.reasks,
        )

    def _refuse_unpriced(self) -> None:
        """Raise UsageError if money is limited and it is not known what somebody's tokens cost."""
        budget = self.scenario.budget
        if budget.money is None and budget.per_agent.money is None:
            return
        for name, spec in self.agents.items():
            if spec.language and not spec.priced:
                raise UsageError(
                    f"budget.money: it is not known what the tokens of {name!r} cost: list the "
                    f"model in {own_file()}, or limit calls or tokens instead"
                )

    def refuse_misfits(self, jobs: Iterable[Job]) -> None:
        """Raise UsageError, before anything is played, if an agent cannot sit where it is to."""
        if all(spec.fits is None for spec in self.agents.values()):
            return
        places = {
            (job.spec.cell, seat, name) for job in jobs for seat, name in job.spec.seating.items()
        }
        for cell, seat, name in sorted(places):
            world, fits = self._worlds[cell], self.agents[name].fits
            if fits is not None:
                fits(getattr(world, "id", self._entries[cell].id), world.seats[seat])

    def limit(self, budget: Mapping[str, float]) -> None:
        """Replace limits of the budget."""
        self.scenario = limited(self.scenario, budget)
        self._refuse_unpriced()

    def describe(self) -> dict[str, Any]:
        """What the folder keeps about the run, plain data."""
        return {
            "scenario": self.scenario.model_dump(mode="json"),
            "agents": {
                name: {
                    "spec": spec.text,
                    "identity": spec.identity,
                    "trusted": not spec.isolated,
                    "deterministic": spec.deterministic,
                    "language": spec.language,
                }
                for name, spec in self.agents.items()
            },
            "id": secrets.token_hex(8),
            "seed": self.scenario.seed,
            "version": __version__,
            "python": platform.python_version(),
            "machine": platform.platform(),
            "started": time.time(),
        }

    @classmethod
    def from_info(cls, path: Path, info: Mapping[str, Any], agents: Sequence[Any] | None) -> Plan:
        """The plan a folder was begun with.

        Raises:
            UsageError: an agent has changed, or is a live object that was not handed over again.
            StoreError: the folder does not say what it was.
        """
        from ..scenarios.model import Scenario

        if "scenario" not in info:
            raise StoreError(f"{path} holds no scenario: its run was stopped before it began")
        scenario = Scenario.model_validate(info["scenario"], strict=False)
        kept: Mapping[str, Mapping[str, Any]] = info["agents"]
        live = [name for name, facts in kept.items() if facts["spec"].startswith("python:")]
        if agents is None and live:
            raise UsageError(
                f"{path}: {live[0]!r} is a live Python object, which a folder cannot keep: resume "
                "from Python with resume(path, agents=[…])"
            )
        trusted = frozenset(name for name, facts in kept.items() if facts["trusted"])
        scenario, specs = seat_agents(scenario, agents, trusted=trusted)
        plan = cls(scenario, specs)
        _refuse_changed_agents(path, kept, plan)
        return plan


def limited(scenario: Scenario, budget: Mapping[str, float]) -> Scenario:
    """The scenario with some limits of its budget replaced (``per_agent.calls`` goes deeper)."""
    from ..scenarios.load import change

    merged = scenario.budget.model_dump(exclude_none=True)
    for name, limit in budget.items():
        place, _, field = name.rpartition(".")
        if place:
            merged[place] = {**merged.get(place, {}), field: limit}
        elif isinstance(limit, Mapping):
            merged[name] = {**merged.get(name, {}), **limit}
        else:
            merged[name] = limit
    return change(scenario, budget=merged)


def _fault_rule(world: World) -> str:
    return next(iter(world.seats.values())).fault_rule


def _refuse_changed_agents(path: Path, kept: Mapping[str, Mapping[str, Any]], plan: Plan) -> None:
    for name, facts in kept.items():
        spec = plan.agents.get(name)
        if spec is None or spec.identity != facts["identity"]:
            raise UsageError(
                f"{path}: the agent {name!r} ({facts['spec']}) has changed since the run began, "
                "and its finished matches would no longer be its own: restore it, or start a new "
                "run"
            )
