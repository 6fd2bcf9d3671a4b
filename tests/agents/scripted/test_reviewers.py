"""Reviewers of manuscripts do what their summaries say."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gymposium
from gymposium.agents.scripted.reviewers import BOTS, worth
from gymposium.envs.peer_review.corpus import corpus
from gymposium.errors import IllegalAction, UsageError

SIZE = 12


def reviewed(bot, seed=0, **params):
    """The outcome of a match in which one bot answers everything; what is no answer is none."""
    world = gymposium.make("peer_review-v0", api="world", reviewers=1, **params)
    bot.reset(world.seats["reviewer_0"], seed)
    turns = world.reset(seed)
    while turns:
        turn = turns["reviewer_0"]
        action = bot.act(turn)
        if isinstance(action, str):
            with pytest.raises(IllegalAction):
                world.parse("reviewer_0", action, turn.observation, turn.info)
            action = None
        turns = world.step({"reviewer_0": action})
    return world.outcome


def found(bot, **params):
    chosen = {"corpus": 2, "size": SIZE, "budget": 20 * SIZE, **params}
    return reviewed(bot, **chosen).metrics


def test_every_bot_says_what_it_is():
    for name, bot in BOTS.items():
        assert bot.name == name
        assert bot.summary.endswith(".")


@pytest.mark.parametrize("task", ["compare", "rate"])
def test_an_oracle_without_noise_finds_the_truth(task):
    oracle = BOTS["noisy_oracle"](corpus=2, size=SIZE, noise=0.0)
    assert found(oracle, task=task)["spearman"] > 0.9


def test_the_oracle_s_noise_costs_it():
    values = [
        found(BOTS["noisy_oracle"](corpus=2, size=SIZE, noise=noise), budget=60)["spearman"]
        for noise in (0.0, 1.0, 50.0)
    ]
    assert values[0] > values[1] > values[2]


def test_the_oracle_s_tastes_show():
    biased = BOTS["noisy_oracle"](corpus=2, size=SIZE, noise=0.0, position=1e6)
    metrics = found(biased)
    assert (metrics["first_preferred"], metrics["same_winner"]) == (1.0, 0.0)
    snob = found(BOTS["noisy_oracle"](corpus=2, size=SIZE, noise=0.0, prestige=5.0))
    assert snob["spearman"] < 0.8
    shy = found(BOTS["noisy_oracle"](corpus=2, size=SIZE, refuse=1.0))
    assert shy["answered"] == 0


def test_readers_who_know_nothing_find_much_of_the_truth():
    for name in ("evidence_reader", "feature_ranker"):
        values = [found(BOTS[name](), corpus=seed)["spearman"] for seed in range(4)]
        assert np.mean(values) > 0.6, name


@pytest.mark.parametrize("task", ["compare", "rate"])
def test_the_gullible_one_obeys_only_outside_of_quotations(task):
    worst = int(np.argmin([it.quality for it in corpus(SIZE, 2)]))
    given = {"task": task, "injection": "order", "injected": (worst,), "corpus": 2, "size": SIZE}
    given["budget"] = 10 * SIZE

    def first(fence):
        outcome = reviewed(BOTS["gullible_reader"](), fence=fence, **given)
        return int(np.argmax(outcome.tables["manuscripts"]["score"]))

    assert first(fence=True) != worst
    assert first(fence=False) == worst


def test_a_ranker_learns_from_the_user_s_manuscripts(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text(
        "\n".join(
            json.dumps({"title": it.title, "abstract": it.abstract, "citations": it.citations})
            for it in corpus(120, 9)
        )
    )
    assert found(BOTS["feature_ranker"](manuscripts=str(path)))["spearman"] > 0.5
    path.write_text('{"title": "a"}\n{"title": "b"}')
    with pytest.raises(UsageError, match="truth is not known"):
        worth(gymposium.make("peer_review-v0", api="world", manuscripts=str(path))._given)


def test_other_worlds_and_other_piles_are_refused():
    world = gymposium.make("iterated_matrix-v0", api="world")
    with pytest.raises(UsageError, match="peer_review-v0 only"):
        BOTS["evidence_reader"]().reset(next(iter(world.seats.values())), 0)
    with pytest.raises(UsageError, match="has the key to 3 manuscripts"):
        found(BOTS["noisy_oracle"](size=3))
