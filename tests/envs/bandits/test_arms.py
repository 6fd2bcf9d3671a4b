"""Arms from plain data, and the shipped instances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gymposium.envs.bandits.arms import INSTANCES, Arm, parse_arms, random_instance, table
from gymposium.errors import UnknownName, UsageError


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "1 to 64 arms"),
        ("sng", "list"),
        ([{"rewards": [1], "probs": [0.5]}], "sum to 0.5, not to 1"),
        ([{"rewards": [1, 2], "probs": [1.0]}], "2 rewards but 1 probs"),
        ([{"rewards": [1, 2], "probs": [1.5, -0.5]}], "above 0"),
        ([{"rewards": [1, 1], "probs": [0.5, 0.5]}], "not all different"),
        ([{"rewards": [math.nan], "probs": [1]}], "numbers between"),
        ([{"rewards": [True], "probs": [1]}], "numbers between"),
        ([{"name": "", "rewards": [1], "probs": [1]}], "name"),
        ([{"name": "a", "rewards": [1], "probs": [1]}] * 2, "not all different"),
        ([7], "arm 1 must have rewards and probs"),
    ],
)
def test_arms_that_are_none_are_refused_with_the_arm_named(given: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_arms(given)


def test_a_misspelt_key_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="probs"):
        parse_arms([{"rewards": [1], "prob": [1]}])


def test_the_oracle_instance_has_the_stated_means() -> None:
    assert [arm.mean for arm in INSTANCES["sng"].arms] == pytest.approx([0.1, 0.6, -1.0])


def test_the_investments_have_the_stated_means_in_dollars() -> None:
    found = INSTANCES["investment"]
    means = [arm.mean * found.unit_value for arm in found.arms]
    assert means == pytest.approx([0.10, 0.32, -0.60])


@pytest.mark.parametrize("seed", range(5))
def test_a_random_instance_sets_the_three_criteria_at_odds(seed: int) -> None:
    made = random_instance(seed)
    held = made.budget
    means = [arm.mean for arm in made.arms]
    safe = [
        sum(p for r, p in zip(a.rewards, a.probs, strict=True) if held + r > 0) for a in made.arms
    ]
    gains = [sum(p * max(r, 0) for r, p in zip(a.rewards, a.probs, strict=True)) for a in made.arms]
    assert len({int(np.argmax(scores)) for scores in (means, safe, gains)}) == 3
    assert made == random_instance(seed)
    assert made != random_instance(seed + 100)


def test_tables_pad_with_outcomes_of_no_probability() -> None:
    full = table([Arm("a", (1.0,), (1.0,)), Arm("b", (2.0, -2.0), (0.25, 0.75))])
    assert full.probs.sum(axis=1).tolist() == [1.0, 1.0]
    assert full.cumulative[:, -1].tolist() == [1.0, 1.0]
    assert full.counts.tolist() == [1, 2]
