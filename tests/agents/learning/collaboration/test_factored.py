"""The policy of 37 weights: exact figures, and what every method makes of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gymposium.agents.learning.collaboration.factored import (
    CLASS_OF,
    Policy,
    Setting,
    fine,
    minding,
    solved,
    start,
    train,
)
from gymposium.envs.common_ground.wason_deal import KEY
from gymposium.errors import UnknownName


def obedient():
    return Policy(torch.zeros(36, dtype=torch.float64), torch.tensor(50.0, dtype=torch.float64))


@pytest.mark.parametrize("quality", [0.9, 0.5, 0.1])
def test_who_obeys_is_right_as_often_as_all_four_pieces_of_advice_are(quality):
    assert solved(obedient(), quality) == pytest.approx(quality**4)
    assert fine(obedient(), quality) == pytest.approx(quality)


def test_what_is_exact_is_what_playing_gives():
    policy, rng = start(), np.random.default_rng(0)
    members = [np.flatnonzero(kind == CLASS_OF) for kind in range(4)]
    count, quality = 200_000, 0.8
    symbols = np.stack([rng.choice(some, count) for some in members], 1)
    right = np.where(KEY, 1, -1)
    advice = np.where(rng.random((count, 4)) < quality, right, -right)
    logits = policy.w.numpy()[symbols] + float(policy.u) * advice
    turned = rng.random((count, 4)) < 1 / (1 + np.exp(-logits))
    assert (turned == KEY).all(1).mean() == pytest.approx(solved(policy, quality), abs=0.003)
    assert (turned == KEY).mean() == pytest.approx(fine(policy, quality), abs=0.003)


def test_minding_is_the_closed_form_and_none_without_trust():
    policy = start()
    p, q = (1 / (1 + np.exp(-x)) for x in (1.5 + 0.5, 1.5))
    vowel = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    assert minding(policy, 1.0) > vowel > 0
    assert minding(policy._replace(u=torch.tensor(0.0, dtype=torch.float64))) == 0


def test_ppo_learns_to_obey_and_icr_to_know():
    ppo, icr, loss = (train(Setting(method=m, steps=600), 0) for m in ("ppo", "icr", "icr-loss"))
    assert float(ppo.u) > 4 > 2 > float(icr.u)
    assert solved(ppo, 0.1) < 0.01
    for policy in (icr, loss):
        assert solved(policy, 0.9) > solved(ppo, 0.9) + 0.1
        assert solved(policy, 0.1) > 0.5
        assert minding(policy) < 0.1 < 1 < minding(ppo)


def test_without_a_price_icr_is_ppo_bit_for_bit():
    settings = [Setting(method=m, intent=0.0, steps=50) for m in ("ppo", "icr", "icr-loss")]
    ppo, *others = (train(setting, 3) for setting in settings)
    for other in others:
        assert torch.equal(ppo.w, other.w)
        assert torch.equal(ppo.u, other.u)


def test_a_cut_path_never_learns_to_trust():
    policy = train(Setting(method="pso", steps=100), 0)
    assert float(policy.u) == 0.5
    assert not torch.equal(policy.w, start().w)


@pytest.mark.parametrize("method", ["dpo", "ipo"])
def test_preferences_teach_what_the_better_selections_have_in_common(method):
    policy = train(Setting(method=method, steps=300, rate=0.5 if method == "dpo" else 0.01), 0)
    assert solved(policy, 0.9) > 2 * solved(start(), 0.9)
    assert solved(policy, 0.1) < solved(policy, 0.9)


def test_cloning_is_the_start_itself_and_other_methods_do_not_exist():
    assert torch.equal(train(Setting(method="bc"), 0).w, start().w)
    with pytest.raises(UnknownName, match="icr"):
        Setting(method="icq")  # type: ignore[arg-type]
