"""Observations and actions as numbers, for every kind of space."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces

from gymposium.agents.learning.deciding import ActionLayout, Noise
from gymposium.agents.learning.encoding import encoder
from gymposium.agents.learning.losses import log_density
from gymposium.errors import UsageError

MIXED = spaces.Dict(
    {
        "move": spaces.Discrete(4, start=-1),
        "sides": spaces.MultiDiscrete([2, 3]),
        "flags": spaces.MultiBinary(3),
        "push": spaces.Box(-2.0, 5.0, (2,), np.float32),
        "free": spaces.Box(-np.inf, np.inf, (1,), np.float64),
        "count": spaces.Box(0, 7, (2,), np.int64),
        "say": spaces.Text(20, min_length=0),
        "pair": spaces.Tuple((spaces.Discrete(2), spaces.Discrete(3))),
    }
)


def layout_draws(space: spaces.Space, mask: object, n: int = 300) -> list[object]:  # type: ignore[type-arg]
    layout, rng = ActionLayout(space), np.random.default_rng(0)
    logits = rng.normal(size=(n, layout.logits + layout.amounts)) * 3
    masks = np.repeat(layout.mask(mask)[None], n, axis=0)
    drawn = layout.draw(logits, np.zeros(layout.amounts), masks, layout.noise(rng, n))
    return [layout.action(c, a) for c, a in zip(drawn.choices, drawn.amounts, strict=True)]


def test_every_part_is_encoded_where_it_belongs() -> None:
    space = spaces.Dict(
        {
            "a": spaces.Discrete(3, start=5),
            "b": spaces.Tuple((spaces.MultiDiscrete([2, 2]), spaces.MultiBinary(2))),
            "c": spaces.Box(0, 10, (2,), np.int64),
            "t": spaces.Text(5),
        }
    )
    read = encoder(space)
    seen = {
        "a": 6,
        "b": (np.array([1, 0]), np.array([0, 1], dtype=np.int8)),
        "c": np.array([0, 10]),
        "t": "hi",
    }
    np.testing.assert_array_equal(read.encode(seen), [0, 1, 0, 0, 1, 1, 0, 0, 1, -1, 1])
    assert read.shape == (11,)


def test_what_has_no_bounds_is_not_scaled_and_what_is_wide_is_one_number() -> None:
    endless = encoder(spaces.Box(-np.inf, np.inf, (2,), np.float64))
    np.testing.assert_array_equal(endless.encode(np.array([3.0, -4.0])), [3, -4])
    wide = encoder(spaces.Discrete(1001))
    assert [wide.encode(i)[0] for i in (0, 500, 1000)] == [-1, 0, 1]


def test_maps_stay_maps() -> None:
    read = encoder(spaces.Box(0, 255, (11, 11, 2), np.uint8))
    assert read.shape == (11, 11, 2)
    assert read.dtype == np.uint8


def test_a_space_without_a_fixed_size_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"observation\['path'\] space Sequence"):
        encoder(spaces.Dict({"path": spaces.Sequence(spaces.Discrete(2))}))
    with pytest.raises(UsageError, match="cannot act in the space Sequence"):
        ActionLayout(spaces.Sequence(spaces.Discrete(2)))


@pytest.mark.parametrize(
    "space", [*MIXED.spaces.values(), MIXED, spaces.Discrete(6)], ids=lambda s: type(s).__name__
)
def test_every_drawn_action_is_an_element_of_its_space(space: spaces.Space) -> None:  # type: ignore[type-arg]
    if isinstance(space, spaces.Text):
        with pytest.raises(UsageError, match="nothing to decide"):
            ActionLayout(space)
        return
    assert all(space.contains(action) for action in layout_draws(space, None))


def test_every_option_can_be_drawn() -> None:
    drawn = layout_draws(spaces.MultiDiscrete([2, 3]), None)
    assert {tuple(np.asarray(action).tolist()) for action in drawn} == {
        (i, j) for i in range(2) for j in range(3)
    }


def test_what_a_mask_closes_is_never_drawn() -> None:
    mask = {key: None for key in MIXED.spaces}
    mask["move"] = np.array([0, 1, 0, 1], dtype=np.int8)
    mask["sides"] = (np.array([1, 0], dtype=np.int8), np.array([0, 1, 1], dtype=np.int8))
    mask["flags"] = np.array([0, 1, 2], dtype=np.int8)
    mask["pair"] = (np.array([1, 0], dtype=np.int8), None)
    for action in layout_draws(MIXED, mask):
        assert action["move"] in (0, 2)  # type: ignore[index]
        assert action["sides"][0] == 0  # type: ignore[index]
        assert action["sides"][1] in (1, 2)  # type: ignore[index]
        assert action["flags"].tolist()[:2] == [0, 1]  # type: ignore[index]
        assert action["pair"][0] == 0  # type: ignore[index]


def test_with_nothing_open_the_first_option_is_taken_as_gymnasium_does() -> None:
    space = spaces.Discrete(3)
    nothing = np.zeros(3, dtype=np.int8)
    assert set(layout_draws(space, nothing)) == {int(space.sample(mask=nothing))}


def test_frequencies_are_the_softmax() -> None:
    layout, rng = ActionLayout(spaces.Discrete(3)), np.random.default_rng(1)
    logits = np.log(np.array([0.2, 0.5, 0.3]))[None].repeat(20_000, 0)
    drawn = layout.draw(logits, np.zeros(0), None, layout.noise(rng, 20_000))
    shares = np.bincount(drawn.choices[:, 0], minlength=3) / 20_000
    np.testing.assert_allclose(shares, [0.2, 0.5, 0.3], atol=0.015)
    assert layout.draw(logits[:1], np.zeros(0), None, None).choices.item() == 1


def test_the_density_of_a_draw_is_the_one_learned_with() -> None:
    layout, rng = ActionLayout(MIXED), np.random.default_rng(2)
    logits = rng.normal(size=(50, layout.logits + layout.amounts)).astype(np.float32)
    log_std = rng.normal(size=layout.amounts).astype(np.float32)
    masks = rng.random((50, layout.logits)) < 0.7
    for at in layout.slices():
        masks[:, at.start] = True
    drawn = layout.draw(logits, log_std, masks, layout.noise(rng, 50))
    tensors = (torch.from_numpy(x)[None] for x in (logits, drawn.choices, drawn.amounts, masks))
    network = type("N", (), {"log_std": torch.from_numpy(log_std)[None]})()
    logp, entropy = log_density(network, layout, *tensors)
    np.testing.assert_allclose(logp[0].numpy(), drawn.logp, rtol=1e-4, atol=1e-4)
    assert torch.isfinite(entropy).all()


def test_squashing_reaches_the_bounds_and_the_middle() -> None:
    layout = ActionLayout(spaces.Box(-2.0, 6.0, (3,), np.float64))
    action = layout.action(np.zeros(0, np.int64), np.array([-50.0, 0.0, 50.0]))
    np.testing.assert_allclose(action, [-2, 2, 6])


def test_noise_of_one_match_does_not_depend_on_the_batch() -> None:
    layout = ActionLayout(MIXED)
    alone = layout.noise(np.random.default_rng(3))
    assert isinstance(alone, Noise)
    again = layout.noise(np.random.default_rng(3))
    np.testing.assert_array_equal(alone.uniform, again.uniform)
