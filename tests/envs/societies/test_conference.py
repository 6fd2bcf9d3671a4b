"""The venue: what is conserved, what theory says where nothing is left to chance, who is paid."""

from __future__ import annotations

import copy
import pickle
import random
import sys

import numpy as np
import pandas as pd
import pytest

import gymposium
from gymposium.envs.societies.conference_params import ConferenceParams
from gymposium.envs.societies.venue import COLUMNS, MANUSCRIPTS, UNDONE, Venue
from gymposium.errors import IllegalAction, MissingExtra, UnknownName, UsageError

PLAIN = {
    "noise": 0,
    "harshness": 0,
    "prestige_bias": 0,
    "novelty_aversion": 0,
    "citation_luck": 0,
}
"""Reviewers without error or taste, citations without luck."""


def held(seed=0, **given):
    venue = Venue(ConferenceParams(**given), np.random.default_rng(seed))
    for _ in range(venue.params.years):
        venue.step()
    return venue


def manuscripts(venue):
    return pd.DataFrame(venue.datacollector.tables["manuscripts"])


def series(venue):
    return venue.datacollector.get_model_vars_dataframe()


def mean_over(seeds, name, **given):
    return float(np.mean([series(held(seed, **given))[name].mean() for seed in range(seeds)]))


def test_comparing_without_error_or_taste_finds_the_truth():
    venue = held(**PLAIN, mechanism="pairwise", authors=20, institutions=5, load=60)
    assert series(venue)["overlap"].tolist() == [1, 1, 1, 1]
    assert series(venue)["spearman"].tolist() == pytest.approx([1] * 4)


def test_rating_without_error_or_taste_never_takes_a_lower_mark_before_a_higher():
    table = manuscripts(held(**PLAIN, mechanism="ratings", load=30))
    table["mark"] = (6.3 + 0.55 * table["quality"]).round().clip(1, 10)
    for _, year in table.groupby("year"):
        taken = year["accepted"] == 1
        assert year[taken]["mark"].min() >= year[~taken]["mark"].max()


@pytest.mark.parametrize("mechanism", ["ratings", "pairwise", "hybrid"])
def test_citations_are_what_quality_and_fame_make_them(mechanism):
    table = manuscripts(held(**PLAIN, mechanism=mechanism))
    taken = table[table["accepted"] == 1]
    expected = np.exp(1.6 + 0.9 * taken["quality"] + 0.35 * taken["prestige"])
    assert taken["citations"].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-2)
    assert (table[table["accepted"] == 0]["citations"] == 0).all()


def test_citations_rise_with_quality_where_fame_counts_for_nothing():
    table = manuscripts(held(**PLAIN, fame=0))
    taken = table[table["accepted"] == 1].sort_values("quality")
    assert taken["citations"].is_monotonic_increasing


def test_a_taste_for_prestige_concentrates_acceptances():
    def gini(bias):
        return mean_over(6, "gini", prestige_bias=bias, mechanism="pairwise")

    fair, biased = gini(0.0), gini(2.0)
    assert biased > fair + 0.1
    assert mean_over(6, "prestige_gap", prestige_bias=2.0) > 0.5
    assert abs(mean_over(6, "prestige_gap", prestige_bias=0.0)) < 0.2


def test_a_dislike_of_novelty_keeps_the_novel_out():
    fair = mean_over(6, "novelty_gap", novelty_aversion=0.0)
    assert mean_over(6, "novelty_gap", novelty_aversion=1.0) < fair - 0.3


@pytest.mark.parametrize("mechanism", ["ratings", "pairwise", "hybrid"])
def test_blind_review_is_review_without_a_taste_for_prestige(mechanism):
    blind = held(mechanism=mechanism, blind=True, prestige_bias=2.0)
    fair = held(mechanism=mechanism, prestige_bias=0.0)
    pd.testing.assert_frame_equal(manuscripts(blind), manuscripts(fair))


def test_generosity_does_not_touch_comparisons():
    harsh, mild = (held(mechanism="pairwise", harshness=it) for it in (3.0, 0.0))
    pd.testing.assert_frame_equal(manuscripts(harsh), manuscripts(mild))
    harsh, mild = (held(mechanism="ratings", harshness=it) for it in (3.0, 0.0))
    assert not manuscripts(harsh).equals(manuscripts(mild))


def test_marks_tell_more_than_comparisons_unless_reviewers_differ_in_generosity():
    """For the same number of manuscripts read: a comparison reads two."""

    def gap(harshness):
        ratings = mean_over(10, "overlap", load=8, harshness=harshness)
        pairs = mean_over(10, "overlap", load=4, harshness=harshness, mechanism="pairwise")
        return pairs - ratings

    assert gap(0) < -0.03
    assert gap(3) > 0.03


@pytest.mark.parametrize("mechanism", ["ratings", "pairwise", "hybrid"])
def test_more_judgements_find_more_of_the_truth(mechanism):
    few, many = (mean_over(6, "overlap", load=load, mechanism=mechanism) for load in (2, 40))
    assert many > few + 0.05


@pytest.mark.parametrize("mechanism", ["ratings", "pairwise", "hybrid"])
def test_every_manuscript_is_accepted_given_up_or_under_way(mechanism):
    venue = held(mechanism=mechanism, years=7, tries=2)
    table = manuscripts(venue)
    assert len(table) == 7 * 120
    assert (table.groupby("year")["accepted"].sum() == venue.params.accepted).all()
    assert table.groupby("year")["author"].apply(lambda it: sorted(it) == list(range(120))).all()
    assert sorted(table["manuscript"].unique()) == list(range(venue.written))
    taken = table.groupby("manuscript")["accepted"].sum()
    assert taken.max() == 1
    under_way = int((venue.submission > 0).sum())
    assert taken.sum() + venue.abandoned + under_way == venue.written
    tries = table.groupby("manuscript")["submission"]
    assert tries.max().max() <= 2
    assert tries.apply(lambda it: it.tolist() == list(range(1, len(it) + 1))).all()
    assert table.groupby("manuscript")["author"].nunique().max() == 1
    # An institution's acceptances are those of its authors.
    counted = table[table["accepted"] == 1].groupby("institution").size()
    assert venue.counts[counted.index].tolist() == counted.tolist()
    assert venue.counts.sum() == counted.sum() == venue.published.sum()


def test_rejected_manuscripts_are_revised_and_the_others_left():
    table = manuscripts(held(years=6, revision=0.25)).sort_values(["manuscript", "year"])
    steps = table.groupby("manuscript")["quality"].diff().dropna()
    assert steps.to_numpy() == pytest.approx([0.25] * len(steps), abs=2e-4)


@pytest.mark.parametrize(("mechanism", "each"), [("ratings", 3), ("pairwise", 6), ("hybrid", None)])
def test_nobody_judges_more_than_its_load(mechanism, each):
    venue = held(mechanism=mechanism)
    table = manuscripts(venue)
    if each:
        assert (table["judgements"] == each).all()  # 40 reviewers, 9 each, 120 manuscripts
    else:
        # 5 ratings a reviewer of one manuscript each, and 4 pairs.
        assert (table.groupby("year")["judgements"].sum() == 40 * (5 + 2 * 4)).all()


def test_only_those_near_the_line_change_places_in_a_hybrid_year():
    p = ConferenceParams(mechanism="hybrid", years=1)
    venue = Venue(p, np.random.default_rng(0))
    venue.open_year("hybrid")
    assert not venue.judged()
    before = venue._ranking.copy()
    compared = {*venue.round.first.tolist(), *venue.round.second.tolist()}
    assert compared <= set(before[p.accepted - 18 : p.accepted + 18].tolist())
    assert venue.judged()
    moved = before != venue._ranking
    assert moved.any()
    assert set(before[moved].tolist()) <= compared


def test_prestige_is_made_of_citations():
    venue = held(memory=0.0, years=1, citation_luck=0)
    table = manuscripts(venue)
    earned = table.groupby("institution")["citations"].sum().reindex(range(24), fill_value=0)
    assert np.corrcoef(np.log1p(earned), venue.prestige)[0, 1] > 0.999
    kept = held(memory=1.0, years=3)
    assert kept.prestige.tolist() == Venue(kept.params, np.random.default_rng(0)).prestige.tolist()


# The Mesa model.


def test_authors_institutions_and_reviewers_are_mesa_agents():
    venue = held(years=2)
    kinds = {kind.__name__: len(agents) for kind, agents in venue.agents_by_type.items()}
    assert kinds == {"Author": 120, "Institution": 24, "Reviewer": 40}
    people = {kind.__name__: list(agents) for kind, agents in venue.agents_by_type.items()}
    assert [one.accepted for one in people["Author"]] == venue.published.tolist()
    assert [one.prestige for one in people["Institution"]] == venue.prestige.tolist()
    assert [one.seat for one in people["Reviewer"]] == [True] * 2 + [False] * 38
    assert list(series(venue).columns) == list(COLUMNS)
    assert list(manuscripts(venue).columns) == list(MANUSCRIPTS)


def test_luck_comes_from_the_generator_handed_in_and_from_nowhere_else():
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert manuscripts(held(1)).equals(manuscripts(held(1)))
    assert not manuscripts(held(1)).equals(manuscripts(held(2)))
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002


def test_a_copy_in_the_midst_of_a_year_goes_on_alike_and_alone():
    venue = held(mechanism="hybrid", years=2)
    venue.open_year("hybrid")
    venue.judged()
    twins = copy.deepcopy(venue), pickle.loads(pickle.dumps(venue))
    for each in (venue, *twins):
        each.judged()
        each.step()
    for twin in twins:
        assert manuscripts(twin).equals(manuscripts(venue))
        assert series(twin).equals(series(venue))
        assert twin.rng is not venue.rng
        assert len(twin.agents) == len(venue.agents)


def test_models_are_let_go():
    import mesa

    before = len(mesa.Agent._ids)
    held(years=1)
    assert len(mesa.Agent._ids) == before


# The world.


def play(world, seed, choose):
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: choose(seat, turn) for seat, turn in turns.items()})
    return world.outcome


def test_a_reviewer_is_paid_by_how_near_it_comes_to_the_truth():
    world = gymposium.make("conference-v0", api="world", years=1, seats=1, noise=0)
    world.reset(0)
    for mark in (1, 10, 5):
        venue, before = world.model, world._done
        author = venue.round.first[before * 40]
        right = min(max(round(6.3 + 0.55 * venue.quality[author]), 1), 10)
        world.step({"reviewer_0": mark - 1})
        assert world.rewards["reviewer_0"] == pytest.approx(1 - abs(right - mark) / 9)


def test_preferring_the_better_one_is_paid_and_the_other_is_not():
    world = gymposium.make("conference-v0", api="world", years=1, mechanism="pairwise", noise=0)
    turns = world.reset(0)
    answers = {}
    for seat, right in (("reviewer_0", True), ("reviewer_1", False)):
        seen = turns[seat].observation
        answers[seat] = 10 + int((seen["second"][0] > seen["first"][0]) == right)
    world.step(answers)
    assert world.rewards == {"reviewer_0": 1.0, "reviewer_1": 0.0}


def test_what_seats_answer_is_what_is_counted():
    """One reviewer, a seat: its marks alone decide."""
    world = gymposium.make(
        "conference-v0", api="world", years=1, authors=10, reviewers=1, load=10, seats=1, rate=0.3
    )
    turns, given = world.reset(0), {}
    while turns:
        author = int(world.model.round.first[world._done])
        given[author] = 9 if author in (2, 5, 7) else 3
        turns = world.step({"reviewer_0": given[author] - 1})
    table = pd.DataFrame(world.outcome.tables["manuscripts"])
    assert sorted(given) == list(range(10))
    assert table[table["accepted"] == 1]["author"].tolist() == [2, 5, 7]


def test_a_judgement_left_undone_counts_for_nothing():
    world = gymposium.make("conference-v0", api="world", years=1, reviewers=2, load=3, seats=2)
    turns = world.reset(0)
    while turns:
        turns = world.step({"reviewer_0": None, "reviewer_1": 4})
    assert world.outcome.returns["reviewer_0"] == 0.0
    assert sum(world.outcome.tables["manuscripts"]["judgements"]) == 3
    assert UNDONE == -1


def test_silence_of_everybody_leaves_it_to_the_draw():
    world = gymposium.make(
        "conference-v0", api="world", years=2, reviewers=2, load=4, seats=2, mechanism="hybrid"
    )
    outcome = play(world, 0, lambda seat, turn: None)
    assert sum(outcome.tables["manuscripts"]["accepted"]) == 2 * 36
    assert set(outcome.returns.values()) == {0.0}


def test_the_chair_chooses_every_year_and_is_paid_by_the_truth():
    world = gymposium.make("conference-v0", api="world", mechanism="chair", years=4)
    plan = iter([1, 0, None, 2])
    outcome = play(
        world, 1, lambda seat, turn: next(plan) if seat == "chair" else turn_first_legal(turn)
    )
    kept = outcome.tables["series"]
    assert kept["mechanism"] == ["pairwise", "ratings", "ratings", "hybrid"]
    assert outcome.returns["chair"] == pytest.approx(sum(kept["overlap"]))


def turn_first_legal(turn):
    return int(np.flatnonzero(turn.action_mask)[0])


def test_a_blind_reviewer_is_not_told_where_it_comes_from():
    world = gymposium.make("conference-v0", api="world", blind=True)
    turn = world.reset(0)["reviewer_0"]
    assert turn.observation["first"][2] == 0
    assert "institution" not in turn.text
    assert "do not learn where" in world.seats["reviewer_0"].rules


def test_marks_and_preferences_are_read_from_plain_speech():
    world = gymposium.make("conference-v0", api="world", mechanism="chair")
    world.reset(0)
    assert world.parse("chair", "Let us use pairwise.", *told(world, "chair")) == 1
    turn = world.step({"chair": 0})["reviewer_0"]
    assert world.parse("reviewer_0", "I rate 7", turn.observation, turn.info) == 6
    with pytest.raises(IllegalAction):
        world.parse("reviewer_0", "prefer the first", turn.observation, turn.info)
    with pytest.raises(IllegalAction, match="rate it from 1 to 10"):
        world.check("reviewer_0", 10)


def told(world, seat):
    return world.observe(seat), world.info(seat)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rate": 1.5}, "rate=1.5 must be a number from 0.01 to 0.99"),
        ({"authors": 2}, "authors=2 must be a whole number from 4 to 2000"),
        ({"seats": 5, "reviewers": 3}, "seats=5 are reviewers too"),
        ({"mechanism": "hybrid", "load": 1}, "load=1 is too little for hybrid"),
        ({"blind": 1}, "blind=1 must be true or false"),
    ],
)
def test_parameters_out_of_range_are_refused_in_a_sentence(given, says):
    with pytest.raises(UsageError, match=says):
        gymposium.make("conference-v0", api="world", **given)


def test_an_unknown_mechanism_is_met_with_the_nearest():
    with pytest.raises(UnknownName, match="ratings"):
        gymposium.make("conference-v0", api="world", mechanism="rating")


def test_without_mesa_the_install_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "mesa", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[mesa\]'"):
        gymposium.make("conference-v0", api="world")
