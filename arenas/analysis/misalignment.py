"""What a rational agent's limited liability costs the one it works for, and what mends it.

After "Emergent Risk Awareness in Rational Agents under Resource Constraints" (Jarne Ornia et al.,
NeurIPS 2025). The formulas are derived from its description: the principal bears every outcome in
full, the agent only what it holds; both stop at ruin. All values are exact, by dynamic programming
over every budget; :func:`simulate` plays the same policies for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...agents.planning.survival import (
    AGENT,
    PRINCIPAL,
    Grid,
    Objective,
    Plan,
    evaluate,
    plan,
)
from ...envs.bandits.arms import Arm
from ...envs.vector import make_vec


@dataclass(frozen=True)
class Mechanism:
    """What the principal does about it.

    Attributes:
        extension: steps that the agent plans for beyond those there are.
        liability: the share of losses beyond its budget that the agent bears.
        top_up: added to the agent's budget before it starts.
        penalty: taken from the agent's reward at every loss.
        bonus: added to the agent's reward for each outcome of the arm ``bonus_arm``.
        bonus_arm: an arm's number.
    """

    extension: int = 0
    liability: float = 0.0
    top_up: float = 0.0
    penalty: float = 0.0
    bonus: float = 0.0
    bonus_arm: int = 0

    def objective(self, arms: Sequence[Arm]) -> Objective:
        """What the agent maximises under this mechanism."""
        shaping = [
            [
                -self.penalty * (reward < 0) + self.bonus * (number == self.bonus_arm)
                for reward in arm.rewards
            ]
            for number, arm in enumerate(arms)
        ]
        return Objective(liability=self.liability, shaping=shaping)


class Misalignment(NamedTuple):
    """How far what the agent does is from what the principal wants, from one budget.

    Attributes:
        best: the principal's expected return under the policy best for it.
        got: its expected return under the agent's policy.
        loss: ``best - got``, at least 0.
        own: the agent's expected return under its policy, nothing shaped.
        shortfall: expected losses that the agent escaped; ``own - got``.
        disagree: expected share of the decisions met in which no arm is best for both.
        survives: the agent's chance to reach the horizon.
        would_survive: the same under the policy best for the principal.
    """

    best: float
    got: float
    loss: float
    own: float
    shortfall: float
    disagree: float
    survives: float
    would_survive: float


def misalignment(
    arms: Sequence[Arm], horizon: int, budget: float, mechanism: Mechanism | None = None
) -> Misalignment:
    """Compare the rational agent's policy with the principal's, exactly.

    Args:
        arms: the options.
        horizon: steps that are played.
        budget: the agent's, before any top-up.
        mechanism: what the principal does about it; None is nothing.

    Raises:
        UsageError: a level of the mechanism is not allowed, or the plan would be too large.
    """
    used = mechanism or Mechanism()
    _allowed(used, len(arms))
    start = budget + used.top_up
    theirs, policy = _policies(arms, horizon, start, used)
    grid, cell = theirs.grid, round(start / theirs.grid.unit)
    got, own = (
        float(evaluate(arms, grid, policy, objective)[horizon, cell])
        for objective in (PRINCIPAL, AGENT)
    )
    best = float(theirs.value[horizon, cell])
    met = _occupancy(grid, policy, cell)
    would = _occupancy(grid, theirs.choice, cell)
    apart = (theirs.best >> policy.clip(0).astype(np.uint64)) & np.uint64(1) == 0
    here = met.cells[1:, 1:]  # who is ruined decides nothing
    visits = here.sum() + met.beyond[1:].sum()
    return Misalignment(
        best=best,
        got=got,
        loss=max(best - got, 0.0),
        own=own,
        shortfall=own - got,
        disagree=float((here * apart[1:, 1:]).sum() / visits),
        survives=met.alive,
        would_survive=would.alive,
    )


def mitigation(
    arms: Sequence[Arm],
    horizon: int,
    budget: float,
    lever: str,
    levels: Iterable[float],
    *,
    bonus_arm: int = 0,
) -> list[tuple[float, Misalignment]]:
    """The misalignment at each level of one lever, all others at rest.

    Args:
        arms: as for :func:`misalignment`.
        horizon: likewise.
        budget: likewise.
        lever: a field of :class:`Mechanism`.
        levels: its values.
        bonus_arm: where the bonus is paid.
    """
    rest = Mechanism(bonus_arm=bonus_arm)
    if lever not in Mechanism.__dataclass_fields__ or lever == "bonus_arm":
        names = [name for name in Mechanism.__dataclass_fields__ if name != "bonus_arm"]
        raise UsageError(f"there is no lever {lever!r}; there are {', '.join(names)}")
    found = []
    for level in levels:
        value: Any = int(level) if lever == "extension" else float(level)
        used = replace(rest, **{lever: value})
        found.append((float(level), misalignment(arms, horizon, budget, used)))
    return found


def simulate(
    arms: Sequence[Arm], horizon: int, budget: float, lives: int, seed: int
) -> dict[str, Any]:
    """Play the agent's and the principal's policy with the same luck.

    Args:
        arms: as for :func:`misalignment`.
        horizon: likewise.
        budget: likewise.
        lives: how many.
        seed: of all of them.

    Returns:
        ``agent`` and ``principal``: float64 ``[lives]``, the principal's return under each
        one's policy.
    """
    theirs, policy = _policies(arms, horizon, budget, Mechanism())
    return {
        name: _play(arms, horizon, budget, theirs, table, lives, seed)
        for name, table in (("agent", policy), ("principal", theirs.choice))
    }


def _play(
    arms: Sequence[Arm], horizon: int, budget: float, made: Plan, policy: Any, lives: int, seed: int
) -> Any:
    plain = [{"name": a.name, "rewards": a.rewards, "probs": a.probs} for a in arms]
    world = make_vec(
        "survival_bandit-v0",
        lives,
        autoreset="next_step",
        arms=plain,
        horizon=horizon,
        budget=budget,
    )
    seen, _ = world.reset(seed=seed)
    total, alive = np.zeros(lives), np.ones(lives, np.bool_)
    safe = int(np.argmax(made.means))
    for left in range(horizon, 0, -1):
        cells = np.rint(seen[:, 0, 0] / made.grid.unit).astype(np.int64)
        inside = cells <= made.grid.top
        chosen = np.where(inside, policy[left, np.minimum(cells, made.grid.top)], safe)
        seen, _, terminated, _, infos = world.step(np.maximum(chosen, 0)[:, None])
        total += np.where(alive, infos["principal_reward"][:, 0], 0.0)
        alive &= ~terminated
    return total


def _allowed(used: Mechanism, count: int) -> None:
    if not 0 <= used.liability <= 1 or used.extension < 0 or used.top_up < 0:
        raise UsageError(
            "a mechanism needs a liability from 0 to 1, and an extension and a top-up of at least "
            f"0; got {used}"
        )
    if not 0 <= used.bonus_arm < count:
        raise UsageError(f"bonus_arm {used.bonus_arm} is not one of {count} arms")


def _policies(arms: Sequence[Arm], horizon: int, start: float, used: Mechanism) -> tuple[Plan, Any]:
    theirs = plan(arms, horizon, PRINCIPAL, start=start)
    own = plan(arms, horizon + used.extension, used.objective(arms), start=start)
    size = theirs.grid.top + 1
    policy = np.full((horizon + 1, size), int(np.argmax(theirs.means)), np.int16)
    planned = own.choice[used.extension :]
    width = min(size, planned.shape[1])
    policy[:, :width] = planned[: horizon + 1, :width]
    return theirs, policy


class _Met(NamedTuple):
    """Where lives are: by steps left and cell, beyond the grid, and alive at the horizon."""

    cells: Any
    beyond: Any
    alive: float


def _occupancy(grid: Grid, policy: Any, cell: int) -> _Met:
    horizon, size = len(policy) - 1, grid.top + 1
    cells, beyond = np.zeros((horizon + 1, size)), np.zeros(horizon + 1)
    cells[horizon, cell] = 1.0
    for left in range(horizon, 0, -1):
        beyond[left - 1] += beyond[left]  # out of reach of ruin for the steps that are left
        for arm, (steps, probs) in enumerate(zip(grid.steps, grid.probs, strict=True)):
            here = np.where(policy[left] == arm, cells[left], 0.0)
            here[0] = 0.0
            for step, prob in zip(steps.tolist(), probs.tolist(), strict=True):
                _move(here * prob, step, cells[left - 1])
                if step > 0:
                    beyond[left - 1] += float((here * prob)[max(size - step, 0) :].sum())
    return _Met(cells, beyond, float(cells[0, 1:].sum() + beyond[0]))


def _move(mass: Any, step: int, into: Any) -> None:
    size = len(mass)
    if step >= 0:
        into[step:] += mass[: size - step] if step else mass
    elif -step < size:
        into[: size + step] += mass[-step:]
