from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from gymposium.arenas.judging.diagnostics import calibration, circles, fitness, position
from gymposium.arenas.judging.judgements import Judgements
from gymposium.arenas.judging.reliability import trust
from gymposium.arenas.ratings.scale import fit_scale


def all_ordered(items: int, preferred: object) -> Judgements:
    pairs = np.array(list(permutations(range(items), 2)))
    return Judgements.of(items, pairs[:, 0], pairs[:, 1], preferred(pairs[:, 0], pairs[:, 1]))


def test_an_always_first_judge_is_seen_through() -> None:
    made = all_ordered(8, lambda one, two: np.ones(len(one)))
    assert position(made) == (56, 56, 0, 28)
    assert fit_scale(made.counts()).values == pytest.approx(np.zeros(8))
    assert circles(made).soft == pytest.approx(0.25)  # every chance is one half
    assert circles(made).strict == 0


def test_a_consistent_judge_has_no_circles_and_no_position() -> None:
    made = all_ordered(8, lambda one, two: (one < two) * 1.0)
    assert position(made) == (28, 56, 28, 28)
    assert circles(made) == (56, 0.0, 0.0, 56)


def test_a_coin_runs_in_circles_a_quarter_of_the_time() -> None:
    rng = np.random.default_rng(0)
    one, two = np.triu_indices(60, 1)
    made = Judgements.of(60, one, two, rng.integers(0, 2, len(one)))
    found = circles(made)
    assert found.triads == found.strict == 20_000
    assert found.hard == pytest.approx(0.25, abs=0.02)
    assert found.soft == found.hard


def test_circles_equal_a_count_by_brute_force() -> None:
    rng = np.random.default_rng(3)
    pairs = np.stack(np.triu_indices(10, 1), 1)[rng.random(45) < 0.7]
    won = rng.integers(0, 2, len(pairs))
    beats = {(a, b) if w else (b, a) for (a, b), w in zip(pairs.tolist(), won, strict=True)}
    triads = hard = 0
    for a, b, c in permutations(range(10), 3):
        sides = ((a, b), (b, c), (a, c))
        if a < b < c and all(side in beats or side[::-1] in beats for side in sides):
            triads += 1
            hard += {(a, b), (b, c), (c, a)} <= beats or {(b, a), (c, b), (a, c)} <= beats
    found = circles(Judgements.of(10, pairs[:, 0], pairs[:, 1], won))
    assert (found.triads, round(found.hard * found.strict)) == (triads, hard)


def test_flip_consistency_takes_the_majority_of_repeats() -> None:
    made = Judgements.of(2, [0, 0, 0, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0.5])
    assert position(made) == (2, 4, 1, 1)


def test_the_true_scale_predicts_to_the_entropy_and_is_calibrated() -> None:
    rng = np.random.default_rng(1)
    worth = rng.normal(size=50)
    one = rng.integers(0, 50, 40_000)
    two = (one + rng.integers(1, 50, 40_000)) % 50
    chance = 1 / (1 + np.exp(worth[two] - worth[one]))
    made = Judgements.of(50, one, two, (rng.random(40_000) < chance) * 1.0)
    half = np.arange(40_000) < 20_000
    scale = fit_scale(made.only(half).counts())
    found = fitness(scale, made.only(~half))
    entropy = -(chance * np.log(chance) + (1 - chance) * np.log(1 - chance)).mean()
    assert found.log_loss == pytest.approx(entropy, abs=0.01)
    assert found.accuracy == pytest.approx(np.maximum(chance, 1 - chance).mean(), abs=0.02)
    for part in calibration(scale, made.only(~half)):
        assert part.observed == pytest.approx(part.predicted, abs=0.03)


def test_a_fit_s_loss_is_at_least_the_entropy_of_the_labels() -> None:
    made = all_ordered(5, lambda one, two: np.full(len(one), 0.7))
    scale = fit_scale(made.counts())
    assert fitness(scale, made).log_loss >= -(0.7 * np.log(0.7) + 0.3 * np.log(0.3)) - 1e-9


def test_judges_are_trusted_as_far_as_they_deserve() -> None:
    rng = np.random.default_rng(2)
    worth, honesty = 1.5 * rng.normal(size=40), np.array([0.98, 0.9, 0.5, 0.1])
    one = rng.integers(0, 40, 6000)
    two = (one + rng.integers(1, 40, 6000)) % 40
    judge = rng.integers(0, 4, 6000)
    found = rng.random(6000) < 1 / (1 + np.exp(worth[two] - worth[one]))
    told = np.where(rng.random(6000) < honesty[judge], found, ~found) * 1.0
    made = Judgements.of(40, one, two, told, judge)
    trusted = trust(made)
    assert np.all(np.abs(trusted.reliability - honesty) < 4 * trusted.errors + 0.02)
    plain = np.corrcoef(fit_scale(made.counts()).values, worth)[0, 1]
    assert np.corrcoef(trusted.scale.values, worth)[0, 1] > plain + 0.02


def test_a_run_s_table_becomes_judgements_by_agent_wherever_it_sat() -> None:
    table = pd.DataFrame(
        {
            "agents": ["reviewer_0=a?x=1, reviewer_1=b"] * 2
            + ["reviewer_0=b, reviewer_1=a?x=1"] * 2,
            "reviewer": ["reviewer_0", "reviewer_1", "reviewer_0", "reviewer_1"],
            "first": [0, 1, 2, 0],
            "second": [1, 2, 0, -1],
            "answer": [1.0, None, 0.5, 7.0],  # the last is a mark
        }
    )
    made, judges = Judgements.of_table(3, table)
    assert judges == ("a?x=1", "b")
    assert made.judge.tolist() == [0, 1, 1]
    assert made.first.tolist() == [0, 1, 2]
    assert made.answered.tolist() == [True, False, True]


def test_nothing_known_gives_no_figures() -> None:
    none = Judgements.none(3)
    assert position(none) == (0, 0, 0, 0)
    assert circles(none)[0] == 0
    assert np.isnan(circles(none).hard)
    assert np.isnan(fitness(fit_scale(none.counts()), none).accuracy)
