"""A speaker that attends looks back and never ahead, and says the same token by token."""

import numpy as np
import pytest
import torch

from gymposium.agents.learning.speaking.attention import Attending, new_attending, speaker_of
from gymposium.agents.learning.speaking.speaker import Speaker, new_speaker
from gymposium.agents.learning.speaking.vocabulary import TOKENS
from gymposium.errors import UsageError

STEPS, LANES = 12, 3


@pytest.fixture(params=[(8,), (32, 32, 3)], ids=["drawing", "picture"])
def speaker(request):
    made = new_attending(request.param, 16, 2, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    made.album = (
        rng.integers(0, 256, (4, *request.param), dtype=np.uint8)
        if len(request.param) == 3
        else rng.standard_normal((4, *request.param)).astype(np.float32)
    )
    return made


def text(seed=0):
    rng = np.random.default_rng(seed)
    tokens = rng.integers(len(TOKENS), size=(STEPS, LANES))
    return np.stack([tokens, rng.integers(4, size=(STEPS, LANES))], -1)[:, :, None]


def heard(speaker, seen):
    with torch.no_grad():
        found = speaker.evaluate(seen)
    shape = (*seen.shape[:2], -1)
    return torch.log_softmax(found.logits[0], -1).reshape(shape), found.values[0].reshape(shape)


def test_what_comes_later_changes_nothing_and_what_came_before_does(speaker):
    seen = text()
    later, earlier = seen.copy(), seen.copy()
    later[7:] = text(1)[7:]
    earlier[2] = text(2)[2]
    (logp, values), (after, worth), (before, _) = (
        heard(speaker, each) for each in (seen, later, earlier)
    )
    assert torch.equal(logp[:7], after[:7])
    assert torch.equal(values[:7], worth[:7])
    assert (logp[7] - after[7]).abs().max() > 1e-4
    torch.testing.assert_close(logp[:2], before[:2])
    assert all((logp[step] - before[step]).abs().max() > 1e-6 for step in range(2, STEPS))


def test_the_gradient_of_a_token_reaches_no_later_one(speaker):
    seen = text()
    embedded = speaker.parameters["tokens.weight"]
    seen[:, :, 0, 0] = np.arange(STEPS)[:, None]  # every token is said at one step alone
    logits = speaker.evaluate(seen).logits.reshape(STEPS, LANES, -1)
    (gradient,) = torch.autograd.grad(logits[5].square().sum(), embedded)
    moved = gradient[0].abs().sum(-1)
    assert (moved[:6] > 0).all()
    assert (moved[6:] == 0).all()


def test_token_by_token_it_says_what_it_says_of_the_whole_text(speaker):
    seen = text()
    logp, values = heard(speaker, seen)
    hidden = None
    for step in range(STEPS):
        mine, worth, hidden = speaker.speak(seen[step, :, 0], hidden)
        np.testing.assert_allclose(mine, logp[step], atol=1e-5)
        np.testing.assert_allclose(worth, values[step, :, 0], atol=1e-5)
    assert hidden.shape == (1, LANES, STEPS, 2 * 2 * 16)


def test_lanes_know_nothing_of_each_other(speaker):
    seen = text()
    alone = heard(speaker, seen[:, 1:2])[0]
    torch.testing.assert_close(heard(speaker, seen)[0][:, 1:2], alone, atol=1e-5, rtol=0)


def test_where_a_token_stands_matters():
    speaker = new_attending((8,), 16, 1, np.random.default_rng(0))
    speaker.album = np.zeros((1, 8), np.float32)
    seen = np.zeros((4, 2, 1, 2), int)
    seen[:, 0, 0, 0], seen[:, 1, 0, 0] = [3, 4, 5, 6], [4, 3, 5, 6]
    logp, _ = heard(speaker, seen)
    assert (logp[3, 0] - logp[3, 1]).abs().max() > 1e-5


@pytest.mark.parametrize("width", [16, 24])
def test_gradients_are_those_of_finite_differences(width):
    speaker = new_attending((8,), width, 2, np.random.default_rng(0))
    speaker.parameters = {
        name: tensor.detach().double().requires_grad_()
        for name, tensor in speaker.parameters.items()
    }
    speaker.album = np.random.default_rng(1).standard_normal((4, 8))
    seen = text()

    def height():
        stream = speaker.parameters["tokens.weight"][0][seen[:, :, 0, 0]].transpose(0, 1)
        features, _ = speaker._blocks(stream, None)
        return features.square().mul(torch.arange(width)).mean()

    weight = speaker.parameters["attend0.ask.weight"]
    (gradient,) = torch.autograd.grad(height(), weight)
    rng = np.random.default_rng(2)
    for place in zip(*(rng.integers(size, size=6) for size in weight.shape), strict=True):
        with torch.no_grad():
            weight[place] += 1e-5
            above = float(height())
            weight[place] -= 2e-5
            below = float(height())
            weight[place] += 1e-5
        assert float(gradient[place]) == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-9)


def test_it_learns_to_repeat_what_was_said_at_the_beginning():
    """Only who looks back can: the last token is the first, and between them all is noise."""
    rng = np.random.default_rng(0)
    speaker = new_attending((8,), 32, 2, rng)
    speaker.album = np.zeros((1, 8), np.float32)
    weights = [p for p in speaker.parameters.values() if p.requires_grad]
    optimiser = torch.optim.Adam(weights, lr=3e-3)
    for _ in range(150):
        seen = np.zeros((6, 64, 1, 2), int)
        seen[:, :, 0, 0] = rng.integers(4, 8, (6, 64))
        logits = speaker.evaluate(seen).logits.reshape(6, 64, -1)[-1]
        loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(seen[0, :, 0, 0]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert float(loss) < 0.35 < np.log(4)


def test_the_parameters_say_what_they_are_of_and_a_width_must_fit_the_heads():
    rng = np.random.default_rng(0)
    for made, kind in (
        (new_attending((8,), 16, 1, rng), Attending),
        (new_speaker((8,), 8, rng), Speaker),
    ):
        assert type(speaker_of(made.spec, made.parameters)) is kind
    with pytest.raises(UsageError, match="multiple of 8"):
        new_attending((8,), 20, 1, rng)
