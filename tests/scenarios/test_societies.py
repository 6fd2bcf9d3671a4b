"""What the descriptions of the societies' scenarios promise."""

from __future__ import annotations

import pytest

from gymposium.arenas.run import run
from gymposium.scenarios.load import named

BOT = "scripted:"


@pytest.fixture(scope="module")
def means(tmp_path_factory):
    """Scenario -> mean return by cell and agent's short name."""
    found = {}

    def of(name):
        if name not in found:
            table = run(name, out=tmp_path_factory.mktemp("run") / "run").matches()
            table = table[table["role"] == "focal"]
            grouped = table.groupby(["cell", "agent"])["return"].mean()
            found[name] = {(c, a.removeprefix(BOT)): value for (c, a), value in grouped.items()}
        return found[name]

    return of


def test_the_family_has_its_scenarios():
    mine = [name for name, listed in named().items() if listed.family == "societies"]
    assert set(mine) >= {
        "town-reputation",
        "town-newcomers",
        "conference-mechanisms",
        "conference-chair",
    }


def test_to_defect_pays_where_nobody_hears_of_it_and_costs_where_people_talk(means):
    found = means("town-reputation")
    assert found["unseen", "town_defector"] > found["unseen", "town_cooperator"]
    for talk in ("image", "standing"):
        worst = min(value for (cell, _), value in found.items() if cell == talk)
        assert found[talk, "town_defector"] == worst
        assert found[talk, "town_defector"] < found["unseen", "town_defector"]


def test_newcomers_who_follow_repute_do_better_than_those_who_follow_the_dice(means):
    found = means("town-newcomers")
    assert found["stag-hunt", "town_discriminator"] > found["stag-hunt", "random"]


def test_expecting_less_than_one_reads_helps_in_rating_and_not_in_comparing(means):
    found = means("conference-mechanisms")
    assert found["ratings", "shrinking_reviewer"] > found["ratings", "honest_reviewer"]
    assert found["pairwise", "shrinking_reviewer"] == found["pairwise", "honest_reviewer"]
    for cell in ("ratings", "pairwise", "hybrid"):
        assert found[cell, "snobbish_reviewer"] < found[cell, "honest_reviewer"]
        assert found[cell, "random"] < found[cell, "snobbish_reviewer"]


def test_among_harsh_and_mild_reviewers_a_chair_does_best_by_pairs(means):
    found = {agent: value for (_, agent), value in means("conference-chair").items()}
    assert max(found, key=found.get) == "by pairs"
    assert found["by pairs"] > found["by ratings"] + 0.2
