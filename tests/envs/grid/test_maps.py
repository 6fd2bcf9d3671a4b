"""Maps are files that users replace: what is wrong with one is said with its place."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.errors import UnknownName, UsageError


def make(id="harvest-v0", **params):
    return gymposium.make(id, api="world", **params)


def test_a_map_may_be_a_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("SSS\naaa\n...\n", encoding="utf-8")
    world = make(map=str(file), agents=3)
    world.reset(0)
    assert world.render().count("A") == 3


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"map": "SSS\na?a\n"}, r"unknown symbol '\?' in row 2, column 2"),
        ({"map": "SSS\naa\n"}, "row 2 has 2 symbols, but row 1 has 3"),
        ({"map": "S..\naaa\n", "agents": 2}, "2 agents need as many spawn points .* there are 1"),
        ({"agents": 0}, "agents must be a whole number from 1 to 50"),
        ({"agents": True}, "agents must be a whole number"),
        ({"map": "/nowhere/at/all.txt"}, "cannot be read"),
        ({"map": "\n\n"}, "empty"),
        ({"spawn_positions": ["near"]}, "names 1 places for 7 agents"),
        ({"spawn_positions": "near"}, "must be a list"),
        ({"spawn_positions": [[99, 0]], "agents": 1}, "off the map"),
        ({"regrowth": [0, 0, 0]}, "four chances"),
        ({"horizon": 0}, "horizon must be"),
    ],
)
def test_what_is_wrong_is_named(params, says):
    with pytest.raises(UsageError, match=says):
        make(**params)


def test_near_misses_get_a_suggestion():
    with pytest.raises(UnknownName, match="harvest_closed"):
        make(map="harvest_close")
    with pytest.raises(UnknownName, match="respawn"):
        make(zap="respwan")
    with pytest.raises(UnknownName, match="near"):
        make(agents=1, spawn_positions=["neer"])
    with pytest.raises(UnknownName, match="horizon"):
        make(horizons=3)


def test_other_bad_numbers_are_named():
    with pytest.raises(UsageError, match="restoration"):
        make("clean_up-v0", restoration=0.5)
    with pytest.raises(UsageError, match="start_dirt"):
        make("clean_up-v0", start_dirt=2.0)
    with pytest.raises(UsageError, match="colour_probs must be 2 weights"):
        make("coins-v0", colour_probs=[1, 1, 1])
