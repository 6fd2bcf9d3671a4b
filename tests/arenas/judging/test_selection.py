from __future__ import annotations

import numpy as np
import pytest

from gymposium.arenas.judging.selection import (
    Pile,
    by_area,
    concentration,
    ndcg,
    quotas,
    shared,
    top,
    unlikeness,
)
from gymposium.envs.peer_review.corpus import corpus


def test_gini_is_the_textbook_s() -> None:
    assert concentration(np.array([2.0, 2, 2]))["Gini of institutions"] == pytest.approx(0)
    assert concentration(np.array([0.0, 0, 0, 7]))["Gini of institutions"] == pytest.approx(3 / 4)
    assert concentration(np.array([1.0, 3]))["Gini of institutions"] == pytest.approx(0.25)
    assert concentration(np.array([0.0, 1, 3]))["Gini among the accepted"] == pytest.approx(0.25)


def test_overlap_of_equal_sets_is_one_and_of_disjoint_ones_none() -> None:
    assert shared(np.array([1, 2]), np.array([2, 1])) == 1
    assert shared(np.array([1, 2]), np.array([3, 4])) == 0


def test_the_true_order_has_an_ndcg_of_one_and_any_other_less() -> None:
    truth = np.array([5.0, 1, 3, 2])
    assert ndcg(truth, truth * 10 - 3, 2) == pytest.approx(1)
    # By hand: gains 1, 0, 2/3, 1/3; chosen are numbers 1 and 2.
    assert ndcg(truth, np.array([0.0, 9, 8, 1]), 2) == pytest.approx(
        (2 / 3 / np.log2(3)) / (1 + 2 / 3 / np.log2(3))
    )


def test_a_repeated_text_is_not_new_and_a_foreign_one_is() -> None:
    found = unlikeness(["grasping with robots", "grasping with robots", "zebras quietly dream"])
    assert found.tolist() == [0, 0, 1]
    assert unlikeness(["", "a b"]).tolist() == [1, 1]


def test_areas_get_their_share_to_the_last_place() -> None:
    assert quotas({"a": 50, "b": 30, "c": 20}, 7) == {"a": 4, "b": 2, "c": 1}
    scores = np.array([9.0, 8, 7, 6, 5])
    taken = by_area(["a", "a", "a", "b", "b"], scores, {"a": 1, "b": 1})
    assert taken.tolist() == [0, 3]


def test_ties_are_broken_as_they_are_told() -> None:
    assert top(np.array([1.0, 1, 2]), 2).tolist() == [2, 0]
    assert top(np.array([1.0, 1, 2]), 2, np.array([5.0, 1, 0])).tolist() == [2, 1]


def test_a_perfect_order_measures_best_and_what_is_unknown_is_left_out() -> None:
    pile = Pile.of(corpus(100, 1))
    accepted = top(pile.truth, 30)
    found = pile.measures(accepted, pile.truth)
    assert found["truly best among them"] == 1
    assert found["rank correlation with the truth"] == pytest.approx(1)
    assert found["NDCG"] == pytest.approx(1)
    assert found["mean citations"] > pile.citations.mean()
    assert 0.4 < found["agreement with people"] < 0.95
    bare = Pile(None, None, None, pile.novelty, [], np.zeros((100, 0)))
    assert list(bare.measures(accepted, pile.truth)) == ["novelty"]


def test_several_institutions_share_a_manuscript() -> None:
    import dataclasses

    one, two = corpus(2, 0)
    shared_one = dataclasses.replace(one, institutions=("A", "B"))
    pile = Pile.of([shared_one, dataclasses.replace(two, institutions=("B",))])
    assert pile.houses == ["A", "B"]
    assert pile.from_house.tolist() == [[0.5, 0.5], [0, 1]]
