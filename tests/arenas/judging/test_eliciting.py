from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.arenas.judging.eliciting import Elicitation, Plan, elicit
from gymposium.arenas.judging.judgements import Judgements, degrees, pair_code
from gymposium.arenas.judging.scheduling import SCHEDULES, Situation, next_pairs
from gymposium.arenas.ratings.scale import fit_scale
from gymposium.errors import UnknownName, UsageError


class Judge:
    """Prefers what is worth more, with logistic noise; asked a question, it answers."""

    def __init__(self, items: int, seed: int, *, sharpness: float = 2.0) -> None:
        self.rng = np.random.default_rng([7, seed])
        self.worth = self.rng.normal(size=items)
        self.sharpness = sharpness

    def __call__(self, asked: np.ndarray) -> np.ndarray:
        ahead = self.worth[asked[:, 0]] - self.worth[asked[:, 1]]
        return (self.rng.random(len(asked)) < 1 / (1 + np.exp(-self.sharpness * ahead))) * 1.0


def recovered(schedule: str, items: int, budget: int, seed: int) -> float:
    judge = Judge(items, seed)
    made = elicit(Plan(items, budget, schedule, orders="one", seed=seed), judge)
    return float(np.corrcoef(fit_scale(made.counts()).values, judge.worth)[0, 1])


@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(deadline=None, max_examples=25)
@given(items=st.integers(2, 9), budget=st.integers(1, 60), seed=st.integers(0, 99))
def test_every_schedule_spends_its_budget_on_pairs_of_two(
    schedule: str, items: int, budget: int, seed: int
) -> None:
    plan = Plan(items, budget, schedule, seed=seed)
    made, again = (elicit(plan, Judge(items, seed)) for _ in range(2))
    assert len(made) == budget
    assert np.all(made.first != made.second)
    assert np.array_equal(made.first, again.first)
    assert np.array_equal(made.second, again.second)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_fresh_pairs_are_asked_once_until_none_is_left(schedule: str) -> None:
    held = np.array([[0, 1], [5, 2]])
    plan = Plan(7, 1000, schedule, batch=4, orders="one", fresh=True, held_out=held)
    made = elicit(plan, Judge(7, 1))
    assert len(made) == 21 - 2
    assert len(set(made.pairs.tolist())) == 19
    assert not set(made.pairs.tolist()) & set(pair_code(held[:, 0], held[:, 1], 7).tolist())


def test_both_orders_of_a_pair_are_shown_equally_often() -> None:
    made = elicit(Plan(10, 120, "random", repeats=2), Judge(10, 1))
    shown = np.zeros((10, 10), dtype=int)
    np.add.at(shown, (made.first, made.second), 1)
    assert np.array_equal(shown, shown.T)


def test_a_balanced_schedule_compares_all_equally_often() -> None:
    for items in (6, 7, 40):
        made = elicit(Plan(items, 4 * items, "balanced", orders="one"), Judge(items, 1))
        met = degrees((made.first, made.second), items)
        assert met.max() - met.min() <= 1


def test_a_swiss_schedule_lets_neighbours_meet_and_avoids_rematches() -> None:
    items = 30
    plan = Plan(items, 15 * 8, "swiss", batch=15, orders="one")
    judge = Judge(items, 3, sharpness=50)
    made = elicit(plan, judge)
    assert len(set(made.pairs.tolist())) > 0.95 * len(made)  # at random it would be 0.87
    place = np.argsort(np.argsort(judge.worth))
    gap = np.abs(place[made.first] - place[made.second])
    assert gap[-45:].mean() < 0.6 * gap[:15].mean()


def test_adaptive_schedules_learn_more_from_the_same_budget() -> None:
    found = {
        schedule: np.array([recovered(schedule, 60, 360, seed) for seed in range(12)])
        for schedule in SCHEDULES
    }
    for better in ("swiss", "active", "edges"):
        gain = found[better] - found["random"]
        assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(len(gain))


def test_active_questions_are_those_of_the_largest_gain_by_brute_force() -> None:
    made = elicit(Plan(8, 40, "random", orders="one"), Judge(8, 2))
    scale = fit_scale(made.counts())
    best, most = None, -1.0
    for one in range(8):
        for two in range(one):
            lean = np.zeros(8)
            lean[one], lean[two] = 1, -1
            chance = float(scale.chances(one, two))
            gain = chance * (1 - chance) * lean @ scale.covariance @ lean
            best, most = ({one, two}, gain) if gain > most else (best, most)
    situation = Situation(made, scale)
    ((one, two),) = next_pairs("active", situation, 1, np.random.default_rng(0))
    assert {int(one), int(two)} == best


def test_an_elicitation_goes_on_with_the_same_questions_after_the_same_answers() -> None:
    plan = Plan(12, 96, "active", batch=24)
    whole = elicit(plan, Judge(12, 5))
    study = Elicitation(plan)
    for start in range(0, 96, 24):
        assert np.array_equal(study.questions(), study.questions())
        study.answer(whole.preferred[start : start + 24])
    assert np.array_equal(study.judgements.first, whole.first)
    assert len(study.questions()) == 0
    with pytest.raises(UsageError, match="0 questions were asked"):
        study.answer([])


def test_refusals_spend_the_budget_and_count_for_nothing() -> None:
    made = elicit(Plan(5, 40, "active"), lambda asked: np.full(len(asked), np.nan))
    assert len(made) == 40
    assert made.counts().total.sum() == 0


def test_counts_keep_wins_ties_chances_and_who_was_shown_first() -> None:
    made = Judgements.of(3, [0, 1, 1, 2], [1, 0, 0, 0], [1.0, 0.5, 0.25, np.nan])
    plain = made.counts()
    assert (plain.first.tolist(), plain.second.tolist()) == ([0], [1])
    assert (plain.wins, plain.losses, plain.ties) == (1.75, 0.25, 1.0)
    assert made.counts(ties=False).wins == 2.25
    placed = made.counts(position=True)
    assert (placed.first.tolist(), placed.second.tolist()) == ([0, 1], [1, 0])
    assert placed.first_side.tolist() == [0, 0]
    assert placed.wins.tolist() == [1.0, 0.25]


def test_a_bootstrap_draws_both_orders_of_a_pair_together() -> None:
    made = elicit(Plan(9, 200, "random"), Judge(9, 1))
    weights = made.resampled(np.random.default_rng(0))
    for code in np.unique(made.pairs):
        assert len(set(weights[made.pairs == code])) == 1
    drawn = {int(code): weights[made.pairs == code][0] for code in np.unique(made.pairs)}
    assert sum(drawn.values()) == len(drawn)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schedule": "swis"}, "did you mean 'swiss'"),
        ({"model": "elo"}, "unknown model of comparisons"),
        ({"items": 1}, "two items or more"),
        ({"budget": 0}, "budget=0 must be 1 or more"),
        ({"orders": "all"}, "unknown orders"),
    ],
)
def test_a_plan_that_means_nothing_is_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=said):
        Plan(**{"items": 4, "budget": 10, **fields})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((2, [0], [0], [1]), "compared with itself"),
        ((2, [0], [2], [1]), "numbered 0 … 1"),
        ((2, [0], [1], [1.5]), "between 0 and 1"),
    ],
)
def test_judgements_that_mean_nothing_are_refused(arguments: tuple, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Judgements.of(*arguments)
