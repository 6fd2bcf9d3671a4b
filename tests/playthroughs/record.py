"""Golden playthroughs: what each world says and does in one fixed match, as text to be read.

``python -m tests.playthroughs.record`` writes them anew after a change that is meant; the
difference then shows a reviewer what players will notice.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.envs import registry
from gymposium.envs.world import RuleWorld
from gymposium.types import Turn

FOLDER = Path(__file__).parent
SEEDS = range(20)
STEPS = 12
SILENT_STEP = 1
"""At this step the first seat to act gives no answer, so that the fault rule is on record."""


def cases() -> list[tuple[str, str]]:
    """Every world at every preset, or at its defaults where it has none."""
    return [(spec.id, name) for spec in registry.specs() for name in spec.presets or [""]]


def path(id: str, preset: str) -> Path:
    """Where the playthrough of a case is kept."""
    return FOLDER / f"{id}.{preset or 'defaults'}.txt"


def playthrough(id: str, preset: str) -> str:
    """One match in words: of the one with the seed that gives the longest, within STEPS."""
    params = dict(registry.spec(id).presets[preset]) if preset else {}
    matches = [_match(registry.make_world(id, **params), seed) for seed in SEEDS]
    lines = [f"# {id} {json.dumps(params, sort_keys=True)}"]
    return "\n".join(lines + max(matches, key=lambda lines: lines.count(""))) + "\n"


def _match(world: RuleWorld, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    lines = [f"kind: {world.kind}", f"horizon: {world.horizon}", f"seed: {seed}"]
    lines += [f"fault rule: {world.fault_rule}"]
    for seat, told in world.seats.items():
        lines += ["", f"## {seat} ({told.role}) is told", *filter(None, told.rules.splitlines())]
    turns = world.reset(seed)
    for step in range(STEPS):
        if not turns:
            break
        lines += ["", f"## step {step}", f"state: {_short(world.fingerprint())}"]
        answers = {}
        for position, (seat, turn) in enumerate(turns.items()):
            silent = (step, position) == (SILENT_STEP, 0)
            action = answers[seat] = None if silent else _action(turn, rng)
            said = "(silence)" if silent else world.format(seat, action)
            lines += [f"[{seat}] reward {turn.reward:g}"]
            lines += [f"    {line}" for line in turn.text.splitlines() if line]
            lines += [f"    schema {json.dumps(dict(turn.schema))}", f"  > {said}"]
        turns = world.step(answers)
    return [*lines, "", "## a spectator sees", *_picture(world), *([] if turns else _end(world))]


def _action(turn: Turn, rng: np.random.Generator) -> Any:
    """A random legal action, with something readable in place of random letters."""
    turn.action_space.seed(int(rng.integers(2**31)))
    mask = turn.action_mask
    action = turn.action_space.sample() if mask is None else turn.action_space.sample(mask=mask)
    if isinstance(action, dict) and action.get("say"):
        action["say"] = f"I am {turn.seat}."
    return action


def _picture(world: RuleWorld) -> list[str]:
    return [line for line in world.render().splitlines() if line]


def _end(world: RuleWorld) -> list[str]:
    outcome = world.outcome
    returns = {seat: round(value, 9) for seat, value in outcome.returns.items()}
    metrics = {name: round(float(value), 9) for name, value in outcome.metrics.items()}
    lines = ["", f"## the end: {outcome.reason}", f"returns {json.dumps(returns)}"]
    return [*lines, f"metrics {json.dumps(metrics)}"]


def _short(state: bytes) -> str:
    return hashlib.sha256(state).hexdigest()[:12]


def main() -> None:
    """Write every playthrough, and remove those of worlds that are gone."""
    wanted = {path(*case): case for case in cases()}
    for stale in set(FOLDER.glob("*.txt")) - set(wanted):
        stale.unlink()
    for file, case in wanted.items():
        file.write_text(playthrough(*case), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
