"""How many rollouts a student takes to a budget, by teacher: study arms of the curriculum's claims.

After Theorem 1 of Tzannetos, Kamalaruban and Singla (NeurIPS 2025). Every episode is counted, the
teacher's trials included, until the policy earns 0.9 under the deployment budget, which in the tree
is known exactly from the table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import TrainingTask

from ...agents.learning.curriculum.method import Curriculum
from ...agents.learning.curriculum.table import TableStudent
from ...agents.methods import resolve_method
from ...envs.trees.binary_tree import BinaryTree

SOLVED = 0.9
"""Expected return under the deployment budget at which a tree counts as solved."""


def tree_rollouts(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """Rollouts until a tree is solved.

    Args:
        params: ``method`` (a spec), ``cap`` (rollouts after which it counts as not solved) and
            ``tree`` (parameters of ``binary_tree-v0``).
        seed: of the training.
        scale: not used.

    Returns:
        ``rollouts`` and ``log2_rollouts`` (the cap's, if it was not solved), ``solved`` (0 or 1),
        ``teacher_share`` of the rollouts, ``success`` (exact, at the end).
    """
    cap, chosen = int(params["cap"]), dict(params["tree"])
    method = _curriculum(str(params["method"]))
    method.begin(TrainingTask("binary_tree-v0", chosen, budget={"steps": cap}, seed=seed))
    tree = BinaryTree(**chosen)
    nodes, branches = tree.ways(tree.target_budget)
    success = tree_success(method, nodes, branches, tree.params.slip)
    while success < SOLVED and method.steps < cap:
        method.step(method.steps / cap)
        success = tree_success(method, nodes, branches, tree.params.slip)
    return {
        "rollouts": float(method.steps),
        "log2_rollouts": math.log2(method.steps),
        "solved": float(success >= SOLVED),
        "teacher_share": method.trials / method.steps,
        "success": success,
    }


def constrained_success(params: Mapping[str, Any], seed: int, scale: str) -> dict[str, float]:
    """What a student earns under the deployment budget after so many rollouts, in any world.

    Args:
        params: ``method`` (a spec), ``rollouts`` (the teacher's included), ``world`` (an id),
            ``params`` (of the world) and ``matches`` (to measure with, on other seeds).
        seed: of the training.
        scale: not used.

    Returns:
        ``success`` (mean return under the deployment budget), ``raw`` (without a budget),
        ``cost`` (mean of a match).
    """
    method = _curriculum(str(params["method"]))
    budget = {"steps": int(params["rollouts"])}
    task = TrainingTask(str(params["world"]), dict(params["params"]), budget=budget, seed=seed)
    for _ in method.train(task):
        pass
    found = method.measure([2**40 + match for match in range(int(params["matches"]))])
    target = method.span().target
    return {
        "success": float(found.gains(target).mean()),
        "raw": float(found.returns.mean()),
        "cost": float(found.costs.mean()),
    }


def _curriculum(spec: str) -> Curriculum:
    method = resolve_method(spec).make()
    if not isinstance(method, Curriculum):
        raise UsageError(f"{spec} is no curriculum")
    return method


def tree_success(method: Curriculum, nodes: Any, branches: Any, slip: float = 0.0) -> float:
    """The exact chance that a table's policy ends in one of the leaves that ``nodes`` lead to.

    Args:
        method: a curriculum whose student is a table.
        nodes: int ``[n, depth]``, from :meth:`BinaryTree.ways`.
        branches: int ``[n, depth]``, from the same.
        slip: chance of the other branch.
    """
    student = method.student
    if not isinstance(student, TableStudent):
        raise TypeError("the exact success is that of a table")
    chances = student.table.probabilities(nodes.ravel()).reshape(*nodes.shape, 2)
    taken = np.take_along_axis(chances, branches[..., None], -1)[..., 0]
    return float(((1 - slip) * taken + slip * (1 - taken)).prod(1).sum())
