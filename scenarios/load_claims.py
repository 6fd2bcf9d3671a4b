"""Claim files from files and names, with the same complaints as scenarios (``load.py``).

An arm is what the file's ``common`` says, then the arm itself, then the scale's ``common``, then
the scale's own entry for the arm: later ones win, mappings are joined, all else is replaced. Every
value keeps the line it came from, so that a complaint about an arm points at whichever it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gymposium.errors import UnknownName, UsageError

from .claim import SCALES, Arm, ClaimFile, ScaleName, enough_levels
from .load import ScenarioError, wording
from .marked_yaml import Place, Source, read_yaml

CLAIMS = "claims"


def load_claims(source: str | Path | ClaimFile) -> ClaimFile:
    """The claim file meant by ``source``.

    Args:
        source: a YAML file, the name of a claim file that comes with the package, or a claim file.

    Returns:
        The validated file, its arms resolved at every scale.

    Raises:
        UsageError: no such file or name, or it does not fit the model.
    """
    if isinstance(source, ClaimFile):
        return source
    known = named_claims()
    if isinstance(source, str) and source in known:
        return parse_claims(known[source].read_bytes(), f"{CLAIMS}/{source}.yaml")
    path = Path(source)
    if not path.is_file():
        raise UnknownName("claim file", str(source), known)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; check the path") from None
    return parse_claims(data, str(path))


@cache
def named_claims() -> Mapping[str, Traversable]:
    """The claim files that come with the package, by name."""
    folder = resources.files(__package__).joinpath(CLAIMS)
    files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
    return {file.name.removesuffix(".yaml"): file for file in files if file.name.endswith(".yaml")}


def parse_claims(data: bytes, name: str) -> ClaimFile:
    """The claim file in the YAML text ``data``; ``name`` is its file's, for messages.

    Raises:
        ScenarioError: with every problem, each in a sentence that points into the file.
    """
    value, source = read_yaml(data, name)
    if isinstance(value, dict):
        value = {"name": Path(name).stem, **value}
    try:
        file = ClaimFile.model_validate(value)
    except ValidationError as error:
        raise ScenarioError(wording(error, source, ClaimFile)) from None
    for scale in SCALES:
        file._at[scale] = {arm: _arm(file, source, scale, arm) for arm in file.arms}
        for index, claim in enumerate(file.claims):
            if claim.compare == "slope" and not enough_levels(file.levels(claim, scale)):
                raise ScenarioError(
                    [
                        f"{source.where(('claims', index))}: claims[{index}]: a slope needs arms "
                        "with two 'level's that differ; give each of its arms a 'level'"
                    ]
                )
    return file


def _arm(file: ClaimFile, source: Source, scale: ScaleName, name: str) -> Arm:
    place: Place = ("arms", name)
    layers: list[tuple[Mapping[str, Any], Place]] = [
        (file.common, ("common",)),
        (file.arms[name], place),
        (file.scale(scale).common, ("scales", scale, "common")),
        (file.scale(scale).arms.get(name, {}), ("scales", scale, "arms", name)),
    ]
    lines = dict(source.lines)
    body: dict[str, Any] = {}
    for layer, at in layers:
        body = _joined(body, layer, place, at, source, lines)
    mended = Source(source.name, lines)
    try:
        arm = Arm.model_validate(body)
    except ValidationError as error:
        raise ScenarioError(wording(error, mended, Arm, place)) from None
    if arm.play is not None:
        start = (*place, "play")
        inside = {at[len(start) :]: line for at, line in lines.items() if at[: len(start)] == start}
        arm.play._source = Source(source.name, inside)
    return arm


def _joined(
    below: Mapping[str, Any],
    above: Mapping[str, Any],
    place: Place,
    origin: Place,
    source: Source,
    lines: dict[Place, int],
) -> dict[str, Any]:
    """``below`` with ``above`` laid over it; notes the lines of what ``above`` brings."""
    joined = dict(below)
    for key, value in above.items():
        here, there = (*place, key), (*origin, key)
        if there in source.lines:
            lines[here] = source.lines[there]
        if isinstance(value, Mapping) and isinstance(joined.get(key), Mapping):
            joined[key] = _joined(joined[key], value, here, there, source, lines)
            continue
        joined[key] = value
        for at, line in source.lines.items():
            if at[: len(there)] == there:
                lines[(*here, *at[len(there) :])] = line
    return joined
