"""Two objectives in conflict: the step each method makes of their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from gymposium.agents.learning.conflict import COL, IND, FCGrad
from gymposium.agents.learning.losses import Minibatch, ppo_terms
from gymposium.agents.methods import resolve_method
from gymposium.types import TrainingTask

from .small_trainings import FAST, grid, matrix, minibatch, train

pytestmark = pytest.mark.usefixtures("one_thread")


def test_equal_rewards_never_conflict_and_beta_does_not_matter() -> None:
    # Both seats are paid the same, and the two critics of each mind begin alike: then the two
    # gradients are one, which FCGrad, the weighted sum and PCGrad all return.
    task = matrix(game="custom", payoffs=[[[2, 2], [0, 0]], [[0, 0], [1, 1]]], rounds=1)
    found = []
    many = "num_envs=32&minibatches=1"
    for name in ("fcgrad?beta=0.1&", "fcgrad?beta=0.9&", "weighted?beta=0.4&", "pcgrad?"):
        fresh = train(f"{name}{many}&lr=0", task, 1).state_dict()
        for part, axis in (("value.hidden.weight", -1), ("value.output.weight", 1)):
            first, second = fresh["parameters"][part].chunk(2, axis)
            second.copy_(first)
        made = train(f"{name}{many}", task, 2, fresh)
        assert made.progress.metrics["conflict_rate"] == 0
        assert made.progress.metrics["cosine"] == pytest.approx(1)
        found.append(made.state_dict()["parameters"])
    for other in found[1:]:
        for name, tensor in found[0].items():
            torch.testing.assert_close(other[name], tensor, rtol=1e-3, atol=2e-5)


def test_in_conflict_the_policy_step_spares_the_other_objective() -> None:
    # The guarantee is of the policy gradients: critics and entropy are left out.
    made = train(f"fcgrad?{FAST}&entropy=0&value=0", matrix(), 1)
    conflicts = 0
    for seed in range(20):
        batch = minibatch(made, np.random.default_rng(seed))
        terms = ppo_terms(
            made.decider.network, made.decider.layout, batch, clip=0.2, normalise=True
        )
        own, group = (made._flat(terms.surrogates[head], keep=True) for head in (IND, COL))
        step = made.gradients(terms)
        g = type(own)([step[name] for name in made._policy()])
        for mind in np.flatnonzero(((own * group).sum(-1) < 0).numpy()):
            conflicts += 1
            inner = [float((g * other).sum(-1)[mind]) for other in (own, group)]
            scale = float((own * own).sum(-1)[mind])
            assert min(inner) > -1e-4 * scale
            assert min(np.abs(inner)) < 1e-3 * scale
            assert max(inner) > 0
    assert conflicts > 5


@pytest.mark.parametrize(
    ("query", "task"),
    [
        ("network=paper", grid()),
        ("network=paper&sharing=shared", grid()),
        ("network=small", grid()),
        ("recurrent=5", grid()),
        ("network=mlp", TrainingTask("principal_agent-v0", partners={"agent": "random"})),
    ],
)
def test_each_of_the_three_gradients_is_that_of_its_own_backward_pass(
    query: str, task: TrainingTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    largest = np.zeros(3)
    quick = FCGrad._three

    def three(made: FCGrad, terms: Any) -> Any:
        parameters, names = made.decider.network.parameters, made._policy()
        plain = []
        for height in (*terms.surrogates, made.side_terms(terms)):
            grads = torch.autograd.grad(
                height.sum(),
                list(parameters.values()),
                retain_graph=True,
                materialize_grads=True,
            )
            plain.append(dict(zip(parameters, grads, strict=True)))
        own, group, rest = quick(made, terms)
        fast = [dict(zip(names, flat.parts, strict=True)) for flat in (own, group)]
        assert {*rest} == {*parameters}
        for i, gradient in enumerate((*fast, rest)):
            for name, tensor in gradient.items():
                torch.testing.assert_close(tensor, plain[i][name], rtol=1e-3, atol=1e-6)
                largest[i] = max(largest[i], float(tensor.abs().max()))
        return own, group, rest

    monkeypatch.setattr(FCGrad, "_three", three)
    train(f"fcgrad?{FAST}&rollout=6&{query}", task, 1)
    assert largest.min() > 1e-3


def test_which_objective_is_lower_is_judged_as_told() -> None:
    for way in ("returns", "value_head_mean", "value_head_initial"):
        made: FCGrad = train(f"fcgrad?{FAST}&values={way}", matrix(), 2)
        terms = ppo_terms(
            made.decider.network,
            made.decider.layout,
            minibatch(made, np.random.default_rng(0)),
            clip=0.2,
            normalise=True,
        )
        v_ind, v_col = made._values(terms)
        if way == "returns":
            assert v_col == pytest.approx([v_ind.mean()] * 2)
            assert (v_ind >= 0).all()
        if way == "value_head_mean":
            np.testing.assert_allclose([v_ind, v_col], terms.values.numpy())
        assert v_ind.shape == v_col.shape == (2,)


def test_the_moving_average_is_of_task_returns() -> None:
    made: Any = resolve_method(f"fcgrad?{FAST}&ema=0.5").make()
    averages, returns = [], []
    for progress in made.train(matrix()):
        returns.append([progress.metrics[f"return/player_{i}"] for i in (0, 1)])
        averages.append(made._returns.copy())
        if len(returns) == 3:
            break
    expected = returns[0]
    for latest, average in zip(returns, averages, strict=True):
        expected = 0.5 * np.array(expected) + 0.5 * np.array(latest)
        np.testing.assert_allclose(average[IND], expected, rtol=1e-5)
        np.testing.assert_allclose(average[COL], expected.mean(), rtol=1e-5)


def test_curvature_is_what_differences_of_gradients_say() -> None:
    made = train(f"aga?{FAST}", matrix(), 1)
    for tensor in made.decider.network.parameters.values():
        tensor.data = tensor.data.double()
    batch = minibatch(made, np.random.default_rng(5))
    batch = Minibatch(
        *(x.astype(np.float64) if getattr(x, "dtype", 0) == np.float32 else x for x in batch)
    )
    parameters = [made.decider.network.parameters[name] for name in made._policy()]
    made.decider.network._torso = lambda name, seen: torch.from_numpy(seen).transpose(0, 1) @ W

    def collective() -> Any:
        terms = ppo_terms(made.decider.network, made.decider.layout, batch, clip=9, normalise=True)
        return terms.surrogates[COL]

    rng = np.random.default_rng(0)
    W = torch.from_numpy(rng.normal(size=(batch.seen.shape[-1], 64)) * 0.2)
    group = made._flat(collective(), keep=True, graph=True)
    fixed = [part.detach().clone() for part in group.parts]
    bent = made._flat((group * type(group)(fixed)).sum(-1), keep=True)
    eps, sides = 1e-5, []
    for sign in (1, -1):
        with torch.no_grad():
            for p, g in zip(parameters, fixed, strict=True):
                p.add_(sign * eps * g)
        sides.append(made._flat(collective(), keep=False).parts)
        with torch.no_grad():
            for p, g in zip(parameters, fixed, strict=True):
                p.sub_(sign * eps * g)
    for up, down, exact in zip(*sides, bent.parts, strict=True):
        torch.testing.assert_close(exact, (up - down) / (2 * eps), rtol=1e-3, atol=1e-6)
