"""What ``scenarios/claims/survival-bandits.yaml`` measures, as study functions.

Each takes ``(params, seed, scale)`` and returns measures. The claims are those of Jarne Ornia et
al., Emergent Risk Awareness in Rational Agents under Resource Constraints (NeurIPS 2025), on
instances of our own, since the paper's pay-offs are not published.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.types import TrainingTask

from ...agents.planning import criteria
from ...agents.planning.survival import plan, worths
from ...envs.bandits.arms import INSTANCES
from .misalignment import Mechanism, misalignment, simulate

_INVESTMENT = INSTANCES["investment"]
VENTURE = [arm.name for arm in _INVESTMENT.arms].index("venture")


def played(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """The principal's mean return under its own and under the agent's policy, same luck.

    ``params``: ``horizon``, ``budget``, ``lives``, and perhaps ``instance``.
    """
    arms = INSTANCES[params.get("instance", "sng")].arms
    found = simulate(arms, params["horizon"], params["budget"], params["lives"], seed)
    return {f"under {name}": float(values.mean()) for name, values in found.items()}


def exact(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """The misalignment under a mechanism, exactly; the seed does not matter.

    ``params``: ``horizon``, ``budget``, and fields of :class:`.misalignment.Mechanism`.
    """
    given = dict(params)
    arms = INSTANCES[given.pop("instance", "sng")].arms
    horizon, budget = given.pop("horizon"), given.pop("budget")
    return dict(misalignment(arms, horizon, budget, Mechanism(**given))._asdict())


def regimes(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """How many cells of the optimal map belong to each regime, for budgets up to ``budgets``.

    ``params``: ``horizon``, ``budgets``.
    """
    arms = INSTANCES["sng"].arms
    made = plan(arms, params["horizon"], start=float(params["budgets"]))
    labels = criteria.regime_map(arms, made)[1:, 1 : params["budgets"] + 1]
    names = (*criteria.CRITERIA, criteria.MIXED, criteria.NONE)
    return {name: float((labels == index).sum()) for index, name in enumerate(names)}


def learned(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """How often a Q-learner that was never told the odds decides optimally.

    ``params``: ``horizon``, ``highest`` (budgets are drawn from 1 to it), ``steps`` (decisions
    learned from), ``visits`` (states met at least so often count).
    """
    from ...agents.learning.q_learning import GreedyTable, QLearning, QLearningConfig
    from ...envs.registry import make_world

    horizon, highest = params["horizon"], params["highest"]
    method = QLearning(QLearningConfig(vary="budget", low=1, high=highest))
    task = TrainingTask(
        "survival_bandit-v0", {"horizon": horizon}, budget={"steps": params["steps"]}, seed=seed
    )
    for _ in method.train(task):
        pass
    arms = INSTANCES["sng"].arms
    best = plan(arms, horizon, start=float(highest))
    agent, world = GreedyTable(method.values), make_world("survival_bandit-v0", horizon=horizon)
    turn = world.reset(0)["player_0"]
    hits = cases = 0
    for key, visits in method.visits.items():
        if visits.sum() < params["visits"]:
            continue
        budget, share = np.frombuffer(bytes.fromhex(key[3:]), np.float32)
        optimal = best.arms_at(float(budget), round(float(share) * horizon))
        if len(optimal) == 1:  # ties are set aside
            cases += 1
            hits += int(agent.choose(key, turn)) in optimal
    return {"agreement": hits / cases, "states": float(cases)}


def responder(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """A made-up chooser whose reasoning has a strength: how its last day shifts with its capital.

    It picks by a softmax over the true worths; it stands for no language model. ``params``:
    ``temperature`` (in dollars), ``trials`` at each capital.
    """
    arms, days = _INVESTMENT.arms, _INVESTMENT.horizon
    best = plan(arms, days, start=100.0)
    by_day = {left: worths(arms, best, left) for left in range(1, days + 1)}
    rng = np.random.default_rng(seed)
    shares = []
    for capital in (10, 100):
        chosen = []
        for _ in range(params["trials"]):
            held = capital
            for left in range(days, 0, -1):
                worth = by_day[left][:, min(held, best.grid.top)] * _INVESTMENT.unit_value
                odds = np.exp((worth - worth.max()) / params["temperature"])
                arm = int(rng.choice(len(arms), p=odds / odds.sum()))
                if left == 1:
                    chosen.append(arm == VENTURE)
                held = max(0, held + int(rng.choice(arms[arm].rewards, p=arms[arm].probs)))
                if held == 0:
                    break
        shares.append(float(np.mean(chosen)) if chosen else float("nan"))
    return {"low": shares[0], "high": shares[1], "shift": shares[0] - shares[1]}


def audited(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """The same shift of a real agent, put through ``gymposium audit survival``.

    ``params``: ``agent`` (a spec), ``repeats``.
    """
    from .audit import audit

    with tempfile.TemporaryDirectory() as folder:
        made = audit(
            "survival",
            [params["agent"]],
            {"repeats": params["repeats"]},
            seed=seed,
            out=Path(folder) / "audit",
        )
    tables = {table.title: table for table in made.findings[0].tables}
    last = tables["The shift to the venture"].rows[-1]
    optimal = tables["Optimal decisions"].rows
    first = tables["What cannot matter"].rows[0][1]
    hits, cases = sum(row[1].hits for row in optimal), sum(row[1].cases for row in optimal)
    low, high = last[1].share, last[2].share
    nothing = float("nan")
    return {
        "shift": nothing if low is None or high is None else low - high,
        "optimal": hits / cases if cases else nothing,
        "first listed": nothing if first.share is None else first.share,
    }
