"""The Clean-Up bots do what their names promise."""

from __future__ import annotations

import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.social.bot import SPECIAL, ZAP
from gymposium.envs.grid.state import FLAG_COLLECTED
from gymposium.errors import UsageError

from .table import Table


def clean_up(*bots, **params):
    return Table("clean_up-v0", bots, **params)


def test_cleaners_clean_and_feed_the_free_riders():
    table = clean_up("river_cleaner", "river_cleaner", "free_rider", "free_rider", horizon=400)
    table.play()
    assert table.tally("CLEANED")[:2].min() > 40
    assert table.tally("CLEANED")[2:].max() == 0
    assert table.tally("RETURN")[2:].min() > 100
    assert table.tally("RETURN")[:2].max() == 0
    assert table.tally("ZAPS").sum() == 0


def test_free_riders_among_themselves_get_nothing_at_all():
    table = clean_up(*["free_rider"] * 7, horizon=500).play()
    assert table.tally("RETURN").sum() == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_reciprocator_cleans_among_cleaners_and_gives_up_among_free_riders(seed):
    late = {}
    for others in ("river_cleaner", "free_rider"):
        table = clean_up("cleaning_reciprocator", *[others] * 5, horizon=400, seed=seed)
        table.play(200)
        before = table.tally("CLEANED")[0]
        table.play()
        late[others] = table.tally("CLEANED")[0] - before
    assert late["free_rider"] == 0
    assert late["river_cleaner"] > 10


def test_turn_takers_swap_places():
    spell = 80
    cleaned = {0: set(), 1: set()}
    table = clean_up(*[f"cleaning_turn_taker?spell={spell}"] * 4, horizon=4 * spell)

    def note(turns, actions):
        phase = next(iter(turns.values())).step // spell % 2
        for number, action in enumerate(actions.values()):
            if action == SPECIAL:
                cleaned[phase].add(number % 2)

    table.play(look=note)
    assert cleaned == {0: {0}, 1: {1}}
    assert table.tally("CLEANED").min() > 0


def test_a_sanctioner_zaps_only_others_that_eat_within_its_reach():
    bots = ["cleaning_sanctioner"] * 2 + ["river_cleaner"] * 2 + ["free_rider"] * 3
    table = clean_up(*bots, horizon=500)
    shots = []

    def note(turns, actions):
        for seat, action in actions.items():
            if action == ZAP:
                people = turns[seat].observation[..., 1]
                reach = [people[8, 5], people[7, 5], people[8, 4], people[8, 6]]
                shots.append(any(code & FLAG_COLLECTED for code in reach))

    table.play(look=note)
    assert len(shots) > 0
    assert all(shots)
    assert table.tally("ZAPS")[2:].sum() == 0
    assert table.tally("ZAPPED")[4:].sum() > 0
    assert table.tally("ZAPPED")[2:4].sum() == 0


def test_the_bots_find_their_way_on_the_mini_map():
    mini = {"map": "clean_up_mini", "start_dirt": 0.3, "horizon": 300}
    table = clean_up("river_cleaner", "river_cleaner", "free_rider", "free_rider", **mini).play()
    assert table.tally("CLEANED")[:2].sum() > 0
    assert table.tally("RETURN")[2:].sum() > 0


@pytest.mark.parametrize(
    "spec", ["cleaning_reciprocator?patience=0", "cleaning_turn_taker?spell=1.5"]
)
def test_nonsense_parameters_are_refused(spec):
    with pytest.raises(UsageError, match="must be a whole number"):
        resolve(f"scripted:{spec}").create()
