"""Stacks of networks: each mind as if it were alone, at the sizes the paper gives."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gymposium.agents.learning.lookup import code_table
from gymposium.agents.learning.networks import Network, NetworkSpec, is_policy, new_network
from gymposium.envs.grid.views import planes

CODES = (11, 11, 2)
TABLE = code_table(lambda codes: planes(codes, 10), CODES)


def spec(**changed: object) -> NetworkSpec:
    given = {"minds": 3, "torso": "paper", "shape": CODES, "logits": 9, "values": 2}
    return NetworkSpec(**(given | changed))  # type: ignore[arg-type]


def codes(batch: int, minds: int = 3) -> np.ndarray:
    seen = np.random.default_rng(1).integers(0, 10, (batch, minds, *CODES)).astype(np.uint8)
    seen[..., 1] *= seen[..., 1] < 2
    return seen


def vectors(*shape: int) -> np.ndarray:
    return np.random.default_rng(2).normal(size=shape).astype(np.float32)


def lone(network: Network, mind: int) -> Network:
    kept = {name: t[mind : mind + 1] for name, t in network.parameters.items()}
    return Network(NetworkSpec(**{**network.spec.__dict__, "minds": 1}), kept, network.table)


@pytest.mark.parametrize("torso", ["paper", "small", "mlp"])
@pytest.mark.parametrize("table", [TABLE, None], ids=["codes", "pixels"])
def test_a_mind_of_a_stack_says_what_it_would_say_alone(
    torso: str, table: np.ndarray | None
) -> None:
    network = new_network(spec(torso=torso), np.random.default_rng(0), table)
    seen = codes(5)
    together = network.act(seen)
    assert together.logits.shape == (3, 5, 9)
    assert together.values.shape == (3, 5, 2)
    for mind in range(3):
        alone = lone(network, mind).act(seen[:, mind : mind + 1])
        torch.testing.assert_close(alone.logits[0], together.logits[mind], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(alone.values[0], together.values[mind], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(together.values[0], together.values[1])


def test_minds_do_not_touch_each_others_gradients() -> None:
    network = new_network(spec(torso="small"), np.random.default_rng(0), TABLE)
    said = network.evaluate(codes(4))
    height = said.logits[1].square().sum() + said.values[1].sum()
    grads = torch.autograd.grad(height, list(network.parameters.values()))
    for grad in grads:
        assert not grad[0].any()
        assert not grad[2].any()
    assert all(grad[1].any() for grad in grads)


def test_the_papers_net_has_the_papers_sizes() -> None:
    network = new_network(spec(), np.random.default_rng(0), TABLE)
    shapes = {name: tuple(t.shape[1:]) for name, t in network.parameters.items()}
    assert shapes["torso.conv0.weight"] == (32, 19, 5, 5)
    assert shapes["torso.conv1.weight"] == shapes["torso.conv2.weight"] == (32, 32, 3, 3)
    assert shapes["torso.dense0.weight"] == (11 * 11 * 32, 64)
    assert shapes["actor.output.weight"] == (64, 9)


def test_weights_start_orthogonal_with_their_gains() -> None:
    network = new_network(spec(minds=2), np.random.default_rng(0), TABLE)
    hidden = network.parameters["actor.hidden.weight"][1]
    torch.testing.assert_close(hidden.T @ hidden, 2 * torch.eye(64), rtol=1e-4, atol=1e-4)
    output = network.parameters["actor.output.weight"][0]
    torch.testing.assert_close(output.T @ output, 1e-4 * torch.eye(9), rtol=1e-4, atol=1e-7)
    first, second = network.parameters["torso.conv1.weight"]
    assert not torch.allclose(first, second)


def test_the_same_seed_gives_the_same_weights_and_leaves_torch_alone() -> None:
    before = torch.get_rng_state()
    one, two = (new_network(spec(), np.random.default_rng(7), TABLE) for _ in range(2))
    assert all(torch.equal(one.parameters[n], two.parameters[n]) for n in one.parameters)
    assert torch.equal(before, torch.get_rng_state())


def test_a_recurrent_net_learns_from_what_it_saw_when_it_played() -> None:
    network = new_network(spec(torso="mlp", shape=(6,), recurrent=8), np.random.default_rng(0))
    seen = vectors(5, 4, 3, 6)  # T, B, M
    starts = np.zeros((5, 4, 3), bool)
    starts[0] = True
    starts[3, 1, 2] = True  # one seat's match begins anew on the way
    hidden, steps = None, []
    for t in range(5):
        if hidden is not None:
            begun = torch.from_numpy(starts[t]).T[..., None]
            hidden = torch.where(begun, 0.0, hidden)
        said = network.act(seen[t], hidden)
        hidden = said.hidden
        steps.append(said.logits)
    whole = network.evaluate(seen, starts=starts)
    torch.testing.assert_close(whole.logits, torch.cat(steps, 1), rtol=1e-4, atol=1e-5)


def test_forgetting_matters() -> None:
    network = new_network(spec(torso="mlp", shape=(6,), recurrent=8), np.random.default_rng(0))
    seen, starts = vectors(3, 1, 3, 6), np.zeros((3, 1, 3), bool)
    went_on = network.evaluate(seen, starts=starts).logits
    starts[2] = True
    assert not torch.allclose(went_on[:, 2], network.evaluate(seen, starts=starts).logits[:, 2])


def test_a_central_critic_reads_the_state_and_the_actor_does_not() -> None:
    network = new_network(spec(torso="small", central=(6, 9, 2)), np.random.default_rng(0), TABLE)
    state = np.zeros((5, 3, 6, 9, 2), np.uint8)
    other = state.copy()
    other[..., 0] = 4
    first, second = (network.evaluate(codes(5), state=s) for s in (state, other))
    torch.testing.assert_close(first.logits, second.logits)
    assert not torch.allclose(first.values, second.values)
    torch.testing.assert_close(network.worth(state), first.values)


def test_what_is_kept_of_a_mind_plays_alike_and_has_no_critic() -> None:
    network = new_network(spec(torso="small"), np.random.default_rng(0), TABLE)
    kept = network.one(2)
    assert all(map(is_policy, kept.parameters))
    seen = codes(4)
    torch.testing.assert_close(
        kept.act(seen[:, 2:]).logits[0], network.act(seen).logits[2], rtol=1e-4, atol=1e-6
    )
    with torch.no_grad():
        network.parameters["actor.output.bias"] += 1
    assert not kept.parameters["actor.output.bias"].any()


def test_rows_kept_between_steps_follow_the_weights() -> None:
    network = new_network(spec(torso="small"), np.random.default_rng(0), TABLE)
    seen = codes(4)
    before = network.act(seen).values
    with torch.no_grad():
        network.parameters["torso.conv0.weight"].mul_(2)
    after = network.act(seen).values
    assert not torch.allclose(before, after)
    torch.testing.assert_close(after, network.evaluate(seen).values)
