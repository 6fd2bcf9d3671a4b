"""An audit: a study of one or several agents, in a folder that can be gone on with.

``audit("reciprocity", ["scripted:grim"])`` plays what the folder lacks, writes ``result.json`` and
``report.html`` beside the runs, and returns the findings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gymposium.errors import UnknownName, UsageError

from ...envs.start_folder import start_folder
from .findings import Findings
from .studies import Bench, study

if TYPE_CHECKING:
    from ..runner import Reporter


class Audit(NamedTuple):
    """A finished audit.

    Attributes:
        path: the folder, with ``result.json`` and ``report.html``.
        findings: one for each agent, in the order given.
    """

    path: Path
    findings: tuple[Findings, ...]


@start_folder()
def audit(
    name: str,
    agents: Sequence[Any],
    params: Mapping[str, Any] | None = None,
    *,
    run: str | Path | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    concurrency: int = 64,
    trusted: bool = False,
    progress: Reporter | None = None,
) -> Audit:
    """Put agents through a study.

    Args:
        name: of the study; ``gymposium audit --list`` shows them.
        agents: specs or live Python objects, each studied by itself.
        params: the study's parameters.
        run: a finished run to read instead of playing; then ``agents`` are names of its agents,
            none for all that are rated.
        seed: everything random derives from it.
        out: the folder; the default is a new one under ``runs/``. The same call with the same
            folder goes on where it stopped.
        concurrency: matches in flight; never changes a result.
        trusted: run users' agents in this process instead of a killable child process.
        progress: told about progress.

    Raises:
        UsageError: an unknown study, agent or parameter, or the folder holds something else.
        BudgetSpent, BackendError, StoreError: stopped early; the same call goes on.
    """
    from ...agents.registry import resolve
    from ..run import new_folder
    from .page import write_page

    chosen = study(name).make(params or {})
    if run is not None:
        made = _read(name, chosen, Path(run), agents, out)
        write_page(made)
        return made
    specs = [resolve(agent, trusted=trusted) for agent in agents]
    if not specs:
        raise UsageError(f"the study {name!r} needs an agent: name one with --agent")
    path = Path(out) if out is not None else new_folder(f"audit-{name}")
    found = []
    for number, spec in enumerate(specs, 1):
        folder = path / f"{number}-{_safe(spec.name)}"
        bench = Bench(spec, seed, folder, concurrency, trusted, progress)
        found.append(chosen.run(bench))
    made = Audit(path, tuple(found))
    write_page(made)
    return made


def _read(
    name: str, chosen: Any, run: Path, agents: Sequence[Any], out: str | Path | None
) -> Audit:
    """An audit of what was played already."""
    from ..run import Run, new_folder

    if not hasattr(chosen, "read"):
        raise UsageError(f"the study {name!r} plays its own matches: name an agent, and no run")
    known = Run(run)
    rated = {seat.agent for row in known.rows for seat in row.seats if seat.role == "focal"}
    names = [str(agent) for agent in agents] or sorted(rated)
    for each in names:
        if each not in rated:
            raise UnknownName("agent", each, rated, where=str(run))
    if not names:
        raise UsageError(f"{run} has no finished match of an agent that is rated")
    path = Path(out) if out is not None else new_folder(f"audit-{name}")
    found = []
    for number, each in enumerate(names, 1):
        folder = path / f"{number}-{_safe(each)}"
        folder.mkdir(parents=True, exist_ok=True)
        found.append(chosen.read(known, each, folder))
    return Audit(path, tuple(found))


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "agent"
