"""A critic held near what it said in the rollout: what its loss is, and where it still moves."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Discrete

from gymposium.agents.learning.deciding import ActionLayout
from gymposium.agents.learning.losses import Minibatch, ppo_terms
from gymposium.agents.learning.networks import Outputs


class Says:
    """A network that says the values it was given."""

    def __init__(self, values):
        self.values = torch.tensor(values, dtype=torch.float64).requires_grad_()

    def evaluate(self, seen, **_):
        count = len(self.values)
        return Outputs(torch.zeros(1, count, 2), self.values[None, :, None], None)


def losses(now, before, targets, clip):
    """The mean loss, and its gradient by value times the number of values."""
    before, targets = (np.array(each)[:, None, None] for each in (before, targets))
    count, network = len(now), Says(now)
    batch = Minibatch(
        seen=np.zeros((count, 1, 1)), state=None, choices=np.zeros((count, 1, 1), int),
        amounts=np.zeros((count, 1, 0)), masks=None, logp=np.zeros((count, 1)),
        advantages=targets - before, targets=targets, valid=np.ones((count, 1)),
    )  # fmt: skip
    layout = ActionLayout(Discrete(2))
    terms = ppo_terms(network, layout, batch, clip=0.2, normalise=False, value_clip=clip)
    loss = terms.value_losses.sum()
    (gradient,) = torch.autograd.grad(loss, network.values)
    return float(loss), gradient.numpy() * count


@pytest.mark.parametrize(
    ("now", "before", "target", "loss", "gradient"),
    [
        (0.3, 0.0, 1.0, 0.5 * 0.7**2, -0.7),  # near what it said: the error as it is
        (0.8, 0.0, 1.0, 0.5 * 0.5**2, 0.0),  # beyond the clip, towards the target: no more pay
        (-0.8, 0.0, 1.0, 0.5 * 1.8**2, -1.8),  # beyond it, away: mended
        (1.8, 0.0, 1.0, 0.5 * 0.8**2, 0.8),  # beyond both: back
    ],
)
def test_it_is_paid_for_moving_no_farther_than_the_clip(now, before, target, loss, gradient):
    found, slope = losses([now], [before], [target], 0.5)
    assert found == pytest.approx(loss)
    assert slope == pytest.approx([gradient])


def test_the_gradient_is_that_of_finite_differences_and_off_is_the_plain_error():
    rng = np.random.default_rng(0)
    now, before, targets = rng.normal(size=(3, 40))
    _, slope = losses(now, before, targets, 0.5)
    for place in range(40):
        sides = []
        for step in (1e-6, -1e-6):
            moved = now.copy()
            moved[place] += step
            sides.append(losses(moved, before, targets, 0.5)[0])
        assert slope[place] == pytest.approx(40 * (sides[0] - sides[1]) / 2e-6, abs=1e-6)
    plain, slope = losses(now, before, targets, 0.0)
    assert plain == pytest.approx(0.5 * np.square(now - targets).mean())
    np.testing.assert_allclose(slope, now - targets)
    held, _ = losses(now, before, targets, 0.5)
    assert held > plain
