"""``reproduce``: measure what a claim file still lacks at a scale, and judge its claims.

Seeds are the outer loop and arms the inner one, so that a run that is stopped has measured its arms
on the same seeds, and a misspelt measure is found after the first few of them (not the first: a
measure may be missing on some).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gymposium.errors import UnknownName, UsageError

from ...envs.start_folder import located, start_folder
from ..export.writing import whole
from .machine import commit, machine, versions
from .measuring import Measurement, Measurer
from .results import Result, make_result

if TYPE_CHECKING:
    from ...scenarios.claim import ClaimFile, ScaleName

_TRIED = 3


class Watcher(Protocol):
    """What a reproduction tells about its progress (the command line draws it)."""

    def start(self, total: int, done: int) -> None:
        """So many measurements are wanted, so many of them are stored already."""
        ...

    def measuring(self, arm: str, seed: int, fraction: float) -> None:
        """So much of this measurement is done."""
        ...

    def measured(self, arm: str, seed: int) -> None:
        """A measurement is stored."""
        ...

    def stop(self) -> None:
        """All is done, or it was stopped."""
        ...


class _Silent:
    """A Watcher that says nothing."""

    def start(self, total: int, done: int) -> None: ...

    def measuring(self, arm: str, seed: int, fraction: float) -> None: ...

    def measured(self, arm: str, seed: int) -> None: ...

    def stop(self) -> None: ...


@start_folder()
def reproduce(
    paper: str | Path | ClaimFile,
    *,
    scale: str = "cpu",
    seeds: int | None = None,
    out: str | Path | None = None,
    progress: Watcher | None = None,
) -> Result:
    """Run a paper's claims and judge them.

    Args:
        paper: the name of a claim file that comes with the package, or a YAML file.
        scale: ``smoke`` (under a minute, shows nothing), ``cpu`` (minutes) or ``full``.
        seeds: replaces the scale's number of seeds.
        out: the folder of the measurements; default: ``runs/claims/<paper>.<scale>``. Measurements
            that are in it already are not made again.
        progress: told about progress.

    Returns:
        The result, which is also written to ``<paper>.<scale>.json`` in the folder.

    Raises:
        UsageError: the file, an arm or a measure cannot be used as written.
        GymposiumError: a measurement failed; those made are stored.
        KeyboardInterrupt: Ctrl-C; the same call goes on.
    """
    from ...scenarios.load_claims import load_claims

    file = load_claims(paper)
    chosen = _scale(scale)
    number = file.scale(chosen).seeds if seeds is None else seeds
    if number < 1:
        raise UsageError(f"a reproduction needs at least one seed, not {number}")
    folder = Path(out) if out is not None else Path("runs") / "claims" / f"{file.name}.{chosen}"
    place = located(folder)
    measurers = [Measurer(name, arm, chosen, place) for name, arm in file.arms_at(chosen).items()]
    watcher = progress or _Silent()
    try:
        found = _measure(file, chosen, measurers, number, watcher)
    finally:
        watcher.stop()
    result = make_result(file, chosen, _measures(found), _origin(found))
    write(result, folder)
    return result


def write(result: Result, folder: Path) -> Path:
    """Write a result as ``<paper>.<scale>.json`` into ``folder`` and return its path."""
    path = folder / f"{result.name}.{result.scale}.json"
    with whole(path) as part:
        located(folder).mkdir(parents=True, exist_ok=True)
        part.write_text(result.to_json(), encoding="utf-8")
    return path


def _scale(name: str) -> ScaleName:
    from ...scenarios.claim import SCALES

    for scale in SCALES:
        if scale == name:
            return scale
    raise UnknownName("scale", name, SCALES)


def _measure(
    file: ClaimFile, scale: ScaleName, measurers: list[Measurer], seeds: int, watcher: Watcher
) -> dict[str, list[Measurement]]:
    stored = {(it.name, seed): it.stored(seed) for seed in range(seeds) for it in measurers}
    code = commit()
    watcher.start(len(stored), sum(made is not None for made in stored.values()))
    found: dict[str, list[Measurement]] = {it.name: [] for it in measurers}
    for seed in range(seeds):
        for it in measurers:
            made = stored[it.name, seed]
            if made is None:
                watcher.measuring(it.name, seed, 0.0)
                made = it.measure(
                    seed,
                    code,
                    lambda part, name=it.name, at=seed: watcher.measuring(name, at, part),  # type: ignore[misc]
                )
                watcher.measured(it.name, seed)
            found[it.name].append(made)
        if seed == min(_TRIED, seeds) - 1:  # raises UnknownName before hours are spent
            make_result(file, scale, _measures(found), {})
    return found


def _measures(found: Mapping[str, list[Measurement]]) -> dict[str, list[Mapping[str, float]]]:
    return {arm: [made.measures for made in rows] for arm, rows in found.items()}


def _origin(found: Mapping[str, list[Measurement]]) -> dict[str, Any]:
    made = [measurement for rows in found.values() for measurement in rows]
    return {
        "commits": sorted({measurement.commit for measurement in made} - {""}),
        "versions": versions(),
        "machine": machine(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(sum(measurement.seconds for measurement in made), 1),
    }
