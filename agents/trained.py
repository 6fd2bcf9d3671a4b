"""Agents that were trained: ``trained:RUN/METHOD/seed-0`` sits like any other agent.

What stands behind ``trained:`` is a folder: a checkpoint, or one that holds checkpoints (of which
the newest is meant; ``…@20000`` names the one of that step, ``…@best`` the one that did best in
evaluation). The method that made it is made again and given the saved state; nothing in the files
can run code. The agent's identity is the hash of the checkpoint's files, so that a match is a
different match once the policy has learned more. A method that trains several seats makes a policy
for each, and the agent plays the one of the seat it sits in.
"""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from gymposium.errors import GymposiumError, StoreError, UnknownName, UsageError
from gymposium.types import Agent, Method, Outcome, Seat, Turn

from .checkpoints import Checkpoint, checkpoints, damaged, digest, read_checkpoint
from .methods import LANGUAGE, resolve_method
from .registry import AgentSpec
from .spec_text import SpecText, query
from .user_code import check_parameters
from .wire import space_from_json

FOLDER = "checkpoints"
"""Where in a learner's folder its checkpoints are."""
BEST = "best.json"
"""The file beside them that names the best step."""


def trained_spec(spec: SpecText, root: Path) -> AgentSpec:
    """The spec of a trained agent.

    Args:
        spec: of kind ``trained``; its parameter ``seat`` names the policy to play in every seat.
        root: the folder that relative paths are relative to.

    Raises:
        UnknownName: there is no such run, step, method or seat; names the nearest.
        UsageError: the folder holds several learners, and none is named.
        StoreError: the checkpoint is damaged, or of another version.
    """
    check_parameters(spec.params, ("seat",), where=spec.bare)
    path = _checkpoint_folder(spec.target, root)
    checkpoint = read_checkpoint(path)
    checkpoint.verify()
    method = _method_spec(checkpoint)  # says now, not in the first match, what is not installed
    seat = spec.params.get("seat")
    if seat is not None and seat not in checkpoint.facts["policies"]:
        raise UnknownName("policy", str(seat), checkpoint.facts["policies"], where=str(path))
    sha256 = digest(path)
    return AgentSpec(
        text=str(spec),
        name=f"{_short(path)}@{checkpoint.step}{query(spec.params)}",
        identity=f"trained:{sha256}{query(spec.params)}",
        deterministic=bool(checkpoint.facts["deterministic"]),
        isolated=False,
        language=method.kind == LANGUAGE,
        factory=lambda: TrainedAgent(path, seat=seat, sha256=sha256),
        fits=lambda world, place: _refuse_misfit(checkpoint, world, place, seat),
    )


class TrainedAgent:
    """A policy out of a checkpoint, in one seat of one match."""

    def __init__(self, path: str | Path, *, seat: str | None = None, sha256: str = "") -> None:
        """Load.

        Args:
            path: the checkpoint's folder.
            seat: plays the policy of this seat wherever it sits; default: of its own seat.
            sha256: the checkpoint's :func:`digest`, if it is known.
        """
        self._checkpoint, self._method = _load(Path(path), sha256 or digest(Path(path)))
        self._wanted = seat
        self._mind: Agent

    def reset(self, seat: Seat, seed: int) -> None:
        """Take the policy of ``seat``.

        Raises:
            UsageError: it was trained for other spaces, or no policy is meant for this seat.
        """
        name = _refuse_misfit(self._checkpoint, None, seat, self._wanted)
        self._mind = self._method.agents()[name]
        self._mind.reset(seat, seed)
        # As an attribute, so that a policy without one seems to have none.
        self.act_batch = getattr(self._mind, "act_batch", None)
        self.announces_calls = getattr(self._mind, "announces_calls", False)

    def act(self, turn: Turn) -> Any:
        """What the policy does."""
        return self._mind.act(turn)

    def end(self, outcome: Outcome) -> Any:
        """Pass the end on."""
        end = getattr(self._mind, "end", None)
        return None if end is None else end(outcome)


@lru_cache(maxsize=64)
def _load(path: Path, sha256: str) -> tuple[Checkpoint, Method]:
    """A checkpoint and its method; one serves all matches of a process."""
    checkpoint = read_checkpoint(path)
    method = _method_spec(checkpoint).make()
    state = checkpoint.state()
    try:
        method.load_state_dict(state)
    except GymposiumError:
        raise
    except Exception as error:
        raise damaged(
            path, f"{checkpoint.facts['method']} cannot go on from its state ({error!r})"
        ) from error
    return checkpoint, method


def _method_spec(checkpoint: Checkpoint) -> Any:
    found = resolve_method(str(checkpoint.facts["method"]))
    made = dataclasses.replace(found, params=dict(checkpoint.facts["params"]))
    made.config()
    return made


def _refuse_misfit(
    checkpoint: Checkpoint, world: str | None, seat: Seat, wanted: str | None
) -> str:
    """The name of the policy for ``seat`` of ``world`` (None: not known); UsageError if none is."""
    facts, what = checkpoint.facts, f"the checkpoint {checkpoint.path}"
    if world is not None and world != facts["world"]:
        raise UsageError(
            f"{what} was trained in {facts['world']} and cannot play {world}: choose one of that "
            "world, or train one there"
        )
    policies: list[str] = facts["policies"]
    only = policies[0] if len(policies) == 1 else None
    names = (wanted, seat.id, seat.role, only)
    name = next((name for name in names if name in policies), None)
    if name is None:
        raise UsageError(
            f"{what} has no policy for the seat {seat.id!r}, only for {', '.join(policies)}: add "
            f"?seat={policies[0]} to the agent's spec to play that one's policy there"
        )
    spaces = facts["seats"].get(name) or next(iter(facts["seats"].values()))
    for field in ("observation_space", "action_space"):
        mine, theirs = space_from_json(spaces[field]), getattr(seat, field)
        if mine != theirs:
            raise UsageError(
                f"{what} was trained with the {field.replace('_', ' ')} {mine}, but the seat "
                f"{seat.id!r} has {theirs}: use the parameters it was trained with, "
                f"{json.dumps(dict(facts['world_params']))}"
            )
    return name


def _checkpoint_folder(target: str, root: Path) -> Path:
    """The checkpoint's folder that ``target`` (a path, perhaps with ``@step``) means."""
    written, _, moment = target.rpartition("@")
    if not written or "/" in moment:  # no moment is named; a folder may have an @ in its name
        written, moment = target, ""
    for base in (root, root / "runs"):
        path = (base / Path(written).expanduser()).resolve()
        if path.is_dir():
            return _choose(path, moment)
    near = root / Path(written).parent
    known = [entry.name for entry in near.iterdir() if entry.is_dir()] if near.is_dir() else []
    raise UnknownName("training run", Path(written).name, known, where=str(near.absolute()))


def _choose(path: Path, moment: str) -> Path:
    if (path / "method.json").exists() and not moment:
        return path
    learners = [path] if (path / FOLDER).is_dir() else _learners(path)
    if not learners:
        raise StoreError(
            f"{path} holds no checkpoint: name a folder that `gymposium train` made, after its "
            "first checkpoint"
        )
    if len(learners) > 1:
        known = [learner.relative_to(path).as_posix() for learner in learners]
        shown = ", ".join(known[:6]) + (", …" if len(known) > 6 else "")
        raise UsageError(f"{path} holds several learners: add one of {shown}")
    found = checkpoints(learners[0] / FOLDER)
    if not found:
        raise StoreError(f"{learners[0]} holds no checkpoint yet: wait for its first one")
    if not moment:
        return list(found.values())[-1]
    step = _best(learners[0]) if moment == "best" else moment
    if not str(step).isdigit() or int(step) not in found:
        raise UnknownName("step", str(step), map(str, found), where=str(learners[0]))
    return found[int(step)]


def _best(learner: Path) -> int:
    try:
        return int(json.loads((learner / BEST).read_text(encoding="utf-8"))["step"])
    except (OSError, ValueError, KeyError, TypeError):
        raise StoreError(
            f"{learner} does not know its best checkpoint: none was evaluated"
        ) from None


def _learners(path: Path) -> list[Path]:
    return sorted(
        folder.parent for depth in ("*", "*/*") for folder in path.glob(f"{depth}/{FOLDER}")
    )


def _short(path: Path) -> str:
    """What tells learners of one run apart: ``METHOD/seed-0``."""
    learner = path.parent.parent if path.parent.name == FOLDER else path
    parts = learner.parts[-2:] if learner.name.startswith("seed-") else learner.parts[-1:]
    return "/".join(parts)
