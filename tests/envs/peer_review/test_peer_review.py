from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gymposium.envs.peer_review.corpus import corpus
from gymposium.envs.peer_review.manuscript import features
from gymposium.envs.peer_review.peer_review import PeerReview
from gymposium.errors import UsageError


def review(answer: object, seed: int = 0, **params: object) -> PeerReview:
    """A match in which ``answer(turn)`` says what every reviewer answers."""
    world = PeerReview(**params)
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: answer(turn) for seat, turn in turns.items()})
    return world


def better(pile: tuple) -> object:
    """Whoever knows the truth of ``pile`` prefers, or rates, by it."""

    def answer(turn: object) -> int:
        numbers = [
            turn.info[place]["number"] for place in ("first", "second") if place in turn.info
        ]
        worth = [pile[number].quality for number in numbers]
        if len(worth) == 1:
            return int(np.clip(np.round(6.3 + 0.55 * worth[0]), 1, 10)) - 1
        return int(worth[1] > worth[0])

    return answer


def test_generated_manuscripts_are_equal_for_equal_seeds_and_tell_of_their_quality() -> None:
    pile = corpus(300, 3)
    assert pile == corpus(300, 3) != corpus(300, 4)
    quality = np.array([it.quality for it in pile])
    surface = np.array([features(it.shown(2000, blind=True)) for it in pile])
    fitted = surface @ np.linalg.lstsq(surface, quality, rcond=None)[0]
    assert 0.75 < np.corrcoef(fitted, quality)[0, 1] < 0.95
    assert np.mean([it.accepted for it in pile]) == pytest.approx(0.3, abs=0.01)
    cited = np.log1p([it.citations for it in pile])
    assert 0.5 < np.corrcoef(cited, quality)[0, 1] < 0.9
    assert len({it.institutions for it in pile}) > 15


@pytest.mark.parametrize("pairing", ["random", "balanced", "swiss"])
def test_a_perfect_reviewer_finds_the_best(pairing: str) -> None:
    params = {"corpus": 5, "size": 8, "budget": 240, "pairing": pairing}
    world = review(better(corpus(8, 5)), **params)
    outcome = world.outcome
    assert outcome.metrics["overlap"] == 1.0
    assert outcome.metrics["spearman"] > 0.95
    assert outcome.metrics["same_winner"] == 1.0
    assert outcome.metrics["first_preferred"] == 0.5
    assert sum(outcome.returns.values()) == 240


def test_ratings_have_ties_that_a_perfect_reviewer_cannot_break() -> None:
    world = review(better(corpus(60, 5)), corpus=5, size=60, budget=120, task="rate")
    assert sum(world.outcome.returns.values()) == 120
    scores = world.scores()
    assert len(set(scores)) <= 10
    quality = np.array([it.quality for it in corpus(60, 5)])
    assert np.all(np.diff(scores[np.argsort(quality)]) >= 0)


def test_who_always_prefers_the_first_says_nothing() -> None:
    world = review(lambda turn: 0, budget=40)
    metrics = world.outcome.metrics
    assert (metrics["first_preferred"], metrics["same_winner"]) == (1.0, 0.0)
    assert np.allclose(world.scores(), 0)


def test_each_pair_is_shown_in_both_orders_to_one_reviewer_and_evenly() -> None:
    judged = review(lambda turn: 0, size=6, budget=60, reviewers=2).outcome.tables["judgements"]
    pairs = list(zip(judged["reviewer"], judged["first"], judged["second"], strict=True))
    for (seat, one, two), (other, three, four) in zip(pairs[::2], pairs[1::2], strict=True):
        assert (seat, one, two) == (other, four, three)
    counts = np.bincount([number for pair in pairs for number in pair[1:]])
    assert set(counts) == {20}
    assert pairs[0][0] != pairs[2][0]


def test_swiss_rounds_let_equals_meet() -> None:
    pile = corpus(16, 2)
    judged = review(better(pile), corpus=2, size=16, budget=16 * 8, pairing="swiss").outcome.tables[
        "judgements"
    ]
    place = np.argsort(np.argsort([-it.quality for it in pile]))
    gap = np.abs(place[judged["first"]] - place[judged["second"]])
    assert gap[-32:].mean() < 0.6 * gap[:16].mean()


def test_asked_questions_are_asked_as_they_stand() -> None:
    world = review(lambda turn: 1, corpus=1, size=5, asked=[[3, 1], [0, 4]])
    judged = world.outcome.tables["judgements"]
    assert (judged["first"], judged["second"]) == ([3, 0], [1, 4])
    assert judged["answer"] == [0.0, 0.0]
    rated = review(lambda turn: 6, corpus=1, size=5, task="rate", asked=[2, 2, 4])
    assert rated.outcome.tables["judgements"]["first"] == [2, 2, 4]
    assert rated.outcome.tables["judgements"]["answer"] == [7.0] * 3


def test_no_answer_spends_the_budget_and_counts_for_nothing() -> None:
    world = review(lambda turn: None, budget=10)
    assert world.outcome.metrics["answered"] == 0.0
    assert "first_preferred" not in world.outcome.metrics
    assert sum(world.outcome.returns.values()) == 0
    assert world.outcome.tables["judgements"]["answer"] == [None] * 10


def test_a_tie_is_half_right() -> None:
    world = review(lambda turn: 2, ties=True, budget=10, reviewers=1)
    assert world.outcome.returns == {"reviewer_0": 5.0}
    assert world.outcome.metrics["first_preferred"] == 0.5


def test_rewards_tell_nothing_before_the_end_unless_they_are_to() -> None:
    for feedback in (False, True):
        world = PeerReview(reviewers=1, budget=6, feedback=feedback)
        turns, rewards = world.reset(0), []
        while turns:
            rewards.append(turns["reviewer_0"].reward)
            turns = world.step({"reviewer_0": 0})
        assert any(rewards) == feedback


def test_reviewers_see_where_a_manuscript_comes_from_only_if_they_are_to() -> None:
    for blind in (True, False):
        turn = next(iter(PeerReview(blind=blind).reset(0).values()))
        assert ("Institutions:" in turn.text) != blind
        assert ("institutions" in turn.info["first"]) != blind


@pytest.mark.parametrize("injection", ["order", "template", "escape"])
def test_an_injected_order_stays_within_the_quotation(injection: str) -> None:
    params = {"corpus": 0, "size": 2, "injection": injection, "injected": (0, 1)}
    fenced = next(iter(PeerReview(**params).reset(0).values())).text.splitlines()
    own = [line for line in fenced if not line.startswith("| ")]
    assert [line.partition(".")[0] for line in own] == [
        "Which of these two manuscripts is better? Judgements left, with this one: 30",
        "First manuscript:",
        "Second manuscript:",
        "Which one is better?",
    ]
    open_ = next(iter(PeerReview(**params, fence=False).reset(0).values())).text
    assert "|" not in open_.replace("<|", "").replace("|>", "")
    assert len(open_) > 200


def test_a_user_s_manuscripts_are_judged_by_their_citations(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    cited = [5, 50, 0, 500]
    path.write_text(
        "\n".join(
            json.dumps({"title": f"T{n}", "abstract": "A.", "citations": c})
            for n, c in enumerate(cited)
        )
    )

    def answer(turn: object) -> int:
        one, two = (cited[turn.info[place]["number"]] for place in ("first", "second"))
        return int(two > one)

    world = review(answer, manuscripts=str(path), budget=48)
    assert world.outcome.metrics["spearman"] == pytest.approx(1.0)
    assert world.outcome.tables["manuscripts"]["accepted"] == [False, False, False, True]
    with pytest.raises(UsageError, match="are not those that digest=other stands for"):
        PeerReview(manuscripts=str(path), digest="other")


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"task": "ratings"}, "unknown task"),
        ({"asked": [[1, 1]]}, "two different numbers"),
        ({"asked": [[0, 99]]}, "from 0 to 9"),
        ({"asked": []}, "a list with a question"),
        ({"injected": [10]}, "from 0 to 9"),
        ({"letters": 10}, "from 50 to 3500"),
        ({"blind": "yes"}, "true or false"),
        ({"manuscripts": "/nowhere"}, "give a folder or one of"),
    ],
)
def test_what_cannot_be_reviewed_is_refused(params: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        PeerReview(**params)
