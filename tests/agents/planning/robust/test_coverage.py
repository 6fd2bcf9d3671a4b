"""Concentrability and the rate's factor against closed forms and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gymposium.agents.offline.records import Policies, uniform
from gymposium.agents.planning.robust.coverage import (
    concentrability,
    horizon_factor,
    occupancy,
    rate_factor,
)
from gymposium.agents.planning.robust.evaluation import adversary, cross_play, quality, values
from gymposium.agents.planning.robust.model import known
from gymposium.agents.planning.robust.value_iteration import both, solve
from gymposium.envs.markov_games.games import dirichlet


def game(size=(3, 2, 2), horizon=3, seed=0):
    return dirichlet(size, horizon, np.random.default_rng(seed))


def test_the_factor_has_its_closed_form_and_its_limit() -> None:
    assert horizon_factor(1.0, 100) == pytest.approx(99)
    assert horizon_factor(0.9, 10) == pytest.approx(9.877, abs=5e-4)
    assert horizon_factor(0.0, 100) == 100 * 99 / 2
    assert horizon_factor(1e-9, 100) == pytest.approx(100 * 99 / 2, rel=1e-6)
    for horizon in (10, 100):
        edge = 0.1 / horizon
        below, above = horizon_factor(edge * 0.999999, horizon), horizon_factor(edge, horizon)
        assert below == pytest.approx(above, rel=1e-5)
    assert rate_factor(0.2, 0.2, 100) == 100
    assert rate_factor(1.0, 0.2, 100) == pytest.approx(99)


@pytest.mark.parametrize("size", [(3, 2, 2), (4, 2, 3)])
def test_uniform_data_cover_as_the_bound_says(size) -> None:
    played = game(size)
    found = solve(known(played), both(0.2), mode="bimatrix").policies
    even = np.full((played.horizon, *size), 1 / np.prod(size))
    cover = concentrability(played, even, found, radius_max=0.2, radius_min=0.2)
    rows, columns = size[1:]
    assert 1 / (size[0] * (rows + columns)) <= cover <= rows * columns / (rows + columns) + 1e-12


def test_data_that_miss_what_matters_cover_nothing() -> None:
    played = game()
    found = solve(known(played), both(0.2), mode="bimatrix").policies
    hole = np.full((3, 3, 2, 2), 1 / 11)
    hole[:, 0, found.max[0, 0].argmax(), found.min[0, 0].argmax()] = 0.0
    assert concentrability(played, hole, found, radius_max=0.2, radius_min=0.2) == np.inf


def test_without_doubt_it_is_the_maximum_over_all_pure_policies() -> None:
    played = game()
    found = solve(known(played), both(0.0)).policies
    data = occupancy(played, uniform(played))
    cap = 1 / (3 * 4)
    most = 0.0
    for choice in itertools.product(range(2), repeat=9):
        pure = np.eye(2)[np.array(choice).reshape(3, 3)]
        for pair in (Policies(pure, found.min), Policies(found.max, pure)):
            most = max(most, (np.minimum(occupancy(played, pair), cap) / data).max())
    ours = concentrability(played, data, found, radius_max=0.0, radius_min=0.0)
    assert ours == pytest.approx(most)


def test_doubt_only_adds_to_what_must_be_covered() -> None:
    played = game()
    found = solve(known(played), both(0.1), mode="bimatrix").policies
    data = occupancy(played, uniform(played))
    covers = [
        concentrability(played, data, found, radius_max=r, radius_min=r) for r in (0, 0.1, 0.3)
    ]
    assert covers == sorted(covers)


def test_the_adversary_attains_the_worst_value_of_a_pair() -> None:
    played = game()
    pair = solve(known(played), both(0.2)).policies
    found = quality(played, pair, both(0.2))
    for against, value in (("max", found.worst_value), ("min", found.best_value)):
        harmed = quality(adversary(played, pair, 0.2, against=against), pair, both(0.0))
        assert harmed.nominal_value == pytest.approx(value)


def test_cross_play_holds_every_pair_between_its_worst_and_its_best() -> None:
    played = game()
    rows = {
        "robust": solve(known(played), both(0.2), mode="pess").policies,
        "nominal": solve(known(played), both(0.0)).policies,
        "uniform": uniform(played),
    }
    found = cross_play(played, rows, both(0.2))
    assert (found["worst"] < found["nominal"]).all()
    assert (found["nominal"] < found["best"]).all()
    assert found["nominal"][2, 2] == pytest.approx(
        played.start @ values(played, both(0.0), lambda _, q: q.mean((1, 2)))[0]
    )
