"""The small instance in closed form, and chains against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gymposium.agents.planning.modified_mdp import ModifiedMDP

A, B, C = range(3)


def instance(m):
    """a pays 1 if it is carried out, b 0.6; a becomes c, which pays nothing, with chance m."""
    modification = np.eye(3)[None].copy()
    modification[0, A] = [1 - m, 0, m]
    return ModifiedMDP(np.array([[1.0, 0.6, 0.0]]), np.zeros((1, 3, 1)), modification)


@pytest.mark.parametrize("m", [0.0, 0.2, 0.39, 0.41, 0.9, 1.0])
def test_who_ignores_its_partner_picks_a_and_the_optimum_turns_to_b_above_two_fifths(m):
    game = instance(m)
    assert game.ignoring()[0] == A
    assert game.worth(game.ignoring())[0] == pytest.approx(1 - m)
    assert game.optimal()[0] == (B if m > 0.4 else A)
    assert game.worth(game.optimal())[0] == pytest.approx(max(1 - m, 0.6))


def test_a_partner_that_leaves_actions_alone_costs_nothing():
    game = instance(0.0)
    assert game.worth(game.ignoring()) == pytest.approx(game.worth(game.optimal()))


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_trying_every_policy(seed):
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet(np.ones(4), (3, 2))[..., :3]  # the fourth is the end
    modification = rng.dirichlet(np.ones(2), (3, 2))
    game = ModifiedMDP(rng.normal(size=(3, 2)), transition, modification, 0.9)
    every = [game.worth(np.array(choice)) for choice in itertools.product(range(2), repeat=3)]
    best = game.worth(game.optimal())
    assert best == pytest.approx(np.max(every, axis=0))
    assert (game.worth(game.ignoring()) <= best + 1e-9).all()
