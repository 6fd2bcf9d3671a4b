"""Normalised returns by tag, between bounds and within the pool of agents."""

from __future__ import annotations

import pytest

from gymposium.arenas.ratings.breakdown import by_tag
from gymposium.arenas.ratings.metrics import normalised_returns, scaled_returns
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.errors import UnknownName

SCENARIO = {
    "worlds": [
        {"name": "a", "tags": ["resident", "persuasion"]},
        {"name": "b", "tags": ["visitor", "persuasion"]},
        {"name": "c", "tags": ["visitor"], "bounds": {"low": 0, "high": 10}},
    ]
}


def row(cell, agent, value, *, block=0, background="them", metrics=None):
    seats = (
        SeatRow("one", agent, "focal", None, value),
        SeatRow("two", background, "background", None, 100.0),
    )
    key = f"{cell}-{agent}-{block}-{background}-{value}"
    return MatchRow(key, "w-v0", "mixed", cell, block, block, seats, metrics or {})


def worth(low, high):
    return {"worst_return": low, "optimum_return": high, "random_return": 0.0}


def overall(rows, norm):
    return {it.subject: it.value for it in normalised_returns(rows, {}, norm=norm) if not it.cell}


def test_each_match_is_scaled_by_what_its_world_says_it_was_worth():
    rows = [
        row("a", "x", 3.0, metrics=worth(1, 5)),
        row("a", "x", 30.0, block=1, metrics=worth(10, 50)),
        row("a", "x", 9.0, block=2),  # a world that does not say
        row("a", "x", 9.0, block=3, metrics=worth(5, 5)),  # nothing at stake
    ]
    assert [value for *_, value in scaled_returns(rows, {}, "bounds")] == [0.5, 0.5]


def test_the_scenarios_bounds_come_before_the_worlds():
    rows = [row("c", "x", 5.0, metrics=worth(0, 5))]
    assert [it[3] for it in scaled_returns(rows, {"c": (0.0, 10.0)}, "bounds")] == [0.5]


def test_the_pool_is_who_played_in_the_same_circumstances():
    rows = [
        *(row("a", agent, value) for agent, value in (("x", 1), ("y", 3), ("z", 2))),
        *(row("a", agent, v, background="others") for agent, v in (("x", 50), ("y", 10))),
        *(row("b", agent, 7.0) for agent in ("x", "y")),  # all alike: nothing to say
    ]
    assert overall(rows, "pool") == {"x": 0.5, "y": 0.5, "z": 0.5}
    assert len(scaled_returns(rows, {}, "pool")) == 5


def test_marks_are_means_over_cells_and_gaps_differences_of_marks():
    rows = []
    for block in range(4):
        rows += [row("a", "x", 4.0, block=block, metrics=worth(0, 5))]
        rows += [row("b", "x", v, block=block, metrics=worth(0, 5)) for v in (0.0, 1.0)]
        rows += [row("c", "x", 3.0, block=block)]
    found = {it.cell: it.value for it in by_tag(rows, SCENARIO)}
    assert found == pytest.approx(
        {
            "resident": 0.8,
            "persuasion": (0.8 + 0.1) / 2,
            "visitor": (0.1 + 0.3) / 2,
            "resident - visitor": 0.8 - 0.2,
        }
    )


def test_cells_without_tags_have_no_breakdown_and_a_scenario_may_be_a_name():
    rows = [row("a", "x", 4.0, metrics=worth(0, 5))]
    assert by_tag(rows, "just a name") == []
    assert by_tag(rows, {"worlds": [{"name": "a"}]}) == []


def test_an_unknown_norm_is_refused():
    with pytest.raises(UnknownName, match="pool"):
        scaled_returns([], {}, "pools")
