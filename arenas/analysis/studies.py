"""The studies there are, by name, and what every study is given to work with.

A study is a frozen dataclass: its fields are its parameters (``metadata`` has a ``doc`` and perhaps
a ``range``), and ``run(bench)`` plays and concludes. It reaches the arena through its
:class:`Bench` only, so that its matches are stored, resumed and replayed like all others. A study
that also has ``read(run, agent, folder)`` can conclude from a run that was played for itself.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gymposium.errors import UnknownName, UsageError

from .findings import Findings

if TYPE_CHECKING:
    from ...agents.registry import AgentSpec
    from ..run import Run
    from ..runner import Reporter

GROUP = "gymposium.studies"
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Bench:
    """Where one agent is studied.

    Attributes:
        agent: who is studied.
        seed: everything random in the study derives from it.
        path: the folder that holds the study's runs of this agent.
        concurrency: matches in flight; never changes a result.
        trusted: run users' code in this process.
        progress: told about progress.
    """

    agent: AgentSpec
    seed: int
    path: Path
    concurrency: int = 64
    trusted: bool = False
    progress: Reporter | None = None

    def play(self, name: str, **scenario: Any) -> Run:
        """Play a scenario with the agent as its only focal one, or what is missing of it.

        Args:
            name: of the scenario; its run is ``path/name``. A scenario of a study never changes
                its agent's seeds: they derive from the bench's seed and the cells' names.
            scenario: further fields, as in a scenario file.
        """
        from ...scenarios.load import load
        from ..run import run

        fields = {"name": name, "seed": self.seed, **scenario}
        # A path among its parameters can be of any length.
        agent = dataclasses.replace(self.agent, name=self.agent.name[:_LONGEST])
        return run(
            load(fields),
            [agent],
            out=self.path / name,
            concurrency=self.concurrency,
            trusted=self.trusted,
            progress=self.progress,
        )

    def findings(self, name: str, study: Any, **found: Any) -> Findings:
        """What a study found of the agent.

        Args:
            name: the study's.
            study: the study, a dataclass: its fields are kept.
            found: further fields of :class:`Findings`.
        """
        return Findings(
            study=name,
            agent=self.agent.text,
            identity=self.agent.identity,
            deterministic=self.agent.deterministic,
            parameters=dataclasses.asdict(study),
            seed=self.seed,
            **found,
        )


class Study(Protocol):
    """An experiment on one agent."""

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        ...


@dataclass(frozen=True, slots=True)
class StudySpec:
    """What is known of a study without importing it.

    Attributes:
        name: what ``gymposium audit`` says.
        entry_point: ``module:Class``.
        summary: one line.
        needs: what an agent or a machine must have for it.
    """

    name: str
    entry_point: str
    summary: str
    needs: str = "any agent"

    def load(self) -> type[Any]:
        """Import the study's class.

        Raises:
            UsageError: it does not exist.
        """
        module, _, name = self.entry_point.partition(":")
        try:
            return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
        except (ImportError, AttributeError) as error:
            raise UsageError(
                f"the study {self.name!r} cannot be loaded from {self.entry_point!r}: {error}"
            ) from error

    def make(self, params: Mapping[str, Any]) -> Study:
        """The study with these parameters.

        Raises:
            UnknownName: there is no such parameter.
            UsageError: a value is not allowed.
        """
        cls = self.load()
        known = [item.name for item in dataclasses.fields(cls)]
        for name in params:
            if name not in known:
                raise UnknownName("parameter", name, known, where=f"the study {self.name}")
        return cls(**params)  # type: ignore[no-any-return]

    def parameters(self) -> dict[str, dict[str, Any]]:
        """``{name: {default, doc, …}}`` in order."""
        return {
            item.name: {"type": str(item.type), "default": item.default, **item.metadata}
            for item in dataclasses.fields(self.load())
        }


_studies: dict[str, StudySpec] = {
    spec.name: spec
    for spec in (
        StudySpec(
            "beliefs",
            "gymposium.arenas.analysis.beliefs:Beliefs",
            "What it believes of the state it acts in, now and after its actions, and whether it "
            "succeeds more often where that is true.",
            "an agent that answers in words: a language model, or scripted:puzzle_responder; or a "
            "finished run",
        ),
        StudySpec(
            "reciprocity",
            "gymposium.arenas.analysis.reciprocity:Reciprocity",
            "How it answers cooperation, defection, provocation and repentance in a repeated "
            "prisoners' dilemma, and whether the order and names of the actions move it.",
        ),
        StudySpec(
            "collaboration",
            "gymposium.arenas.analysis.collaboration:Collaboration",
            "Whether it takes good advice and resists bad, over the quality of its partner, and "
            "minds being told that advice is useless.",
        ),
        StudySpec(
            "mitigation",
            "gymposium.arenas.analysis.mitigation:Mitigation",
            "What a principal can do about its recklessness: levers, what they change and cost.",
            "an agent that can sit in the agent's seat of principal_agent-v0",
        ),
        StudySpec(
            "regimes",
            "gymposium.arenas.analysis.regimes:Regimes",
            "Where it turns careful or reckless, over what it holds and how long it has, and what "
            "that costs its principal.",
        ),
        StudySpec(
            "review",
            "gymposium.arenas.analysis.review:Review",
            "How it ranks manuscripts, in pairs and by marks: with intervals, order effects, "
            "biases, and what an order hidden in a manuscript does.",
            "an agent that reads: a language model, or a reviewer of peer_review-v0",
        ),
        StudySpec(
            "rooms",
            "gymposium.arenas.analysis.room_grades:RoomGrades",
            "How it grades furnished rooms, how much its grades of one room scatter, and how they "
            "compare with the grades by rule.",
            "an agent that sits in room_judging-v0: a language model, best with images=true, or "
            "scripted:room_grader",
        ),
        StudySpec(
            "survival",
            "gymposium.arenas.analysis.survival:Survival",
            "How it invests when it can be ruined: whether having little makes it reckless, and "
            "whether the order of the options moves it.",
        ),
        StudySpec(
            "values",
            "gymposium.arenas.analysis.values:ValueAudit",
            "What it prefers and how coherently: utilities, circles, lotteries, exchange rates, "
            "the future, means and ends, and how near it is to an assembly of citizens.",
            "an agent that reads: a language model, or a respondent of preference_elicitation-v0",
        ),
    )
}


def register_study(spec: StudySpec) -> None:
    """Make a study known by its name, in this process.

    Raises:
        UsageError: another study has the name.
    """
    if _studies.get(spec.name, spec) != spec:
        raise UsageError(f"a study named {spec.name!r} is registered already; choose another name")
    _studies[spec.name] = spec


def studies() -> list[StudySpec]:
    """All studies by name; those of installed packages are not loaded for it."""
    found = dict(_studies)
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist else "?"
        found.setdefault(
            point.name, StudySpec(point.name, point.value, f"plug-in of {package}", "see its page")
        )
    return [found[name] for name in sorted(found)]


def study(name: str) -> StudySpec:
    """The study called ``name``; UnknownName if there is none."""
    known = {spec.name: spec for spec in studies()}
    if name not in known:
        raise UnknownName("study", name, known)
    return known[name]
