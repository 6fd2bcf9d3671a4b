"""The town's rules against a plain-Python twin, and what is conserved in every hour."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.societies import town_rules as rules
from gymposium.envs.societies.town_params import GAMES, TownParams
from gymposium.envs.societies.town_rules import (
    LIMIT,
    Deed,
)

from ...oracles.town_twin import TownTwin

chance = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
towns = st.builds(
    TownParams,
    people=st.integers(4, 30),
    seats=st.integers(1, 4),
    places=st.integers(1, 4),
    game=st.sampled_from(sorted(GAMES)),
    norm=st.sampled_from(["image", "standing"]),
    cooperators=st.sampled_from([0.0, 0.2, 0.5]),
    defectors=st.sampled_from([0.0, 0.3, 0.5]),
    habit=chance,
    watch=chance,
    gossip=chance,
    lies=chance,
    slips=chance,
    imitation=chance,
)


def seat_choices(params, town, rng, *, meeting):
    """Something random, silence included, for every seat that is asked."""
    found = {}
    for seat in range(params.seats):
        silent = rng.random() < 0.2
        if not meeting:
            found[seat] = None if silent else int(rng.integers(params.places))
        elif town.partner[seat] >= 0:
            deed = Deed(int(rng.integers(2)), int(rng.integers(3)))
            found[seat] = None if silent else deed
    return found


def hour(params, town, rng):
    """One hour; its luck, what seats chose, payoffs and who was kind."""
    luck = rules.drawn(params.people, rng)
    chosen = seat_choices(params, town, rng, meeting=False)
    rules.go(town, params, luck, chosen)
    deeds = seat_choices(params, town, rng, meeting=True)
    before = copy.deepcopy(town)
    paid, kind = rules.meet(town, params, luck, deeds)
    return luck, chosen, deeds, before, paid, kind


@given(towns, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_hour_is_that_of_the_plain_python_twin(params, seed):
    rng = np.random.default_rng(seed)
    town = rules.founded(params, rng)
    twin = TownTwin(town, params)
    for _ in range(6):
        luck, chosen, deeds, _, paid, kind = hour(params, town, rng)
        twin.go(luck, chosen)
        assert [person.partner for person in twin.people] == town.partner.tolist()
        twins, kinds = twin.meet(luck, deeds)
        assert twins == paid.tolist()
        assert sorted(i for i, it in kinds.items() if it) == np.flatnonzero(kind).tolist()
        for i, person in enumerate(twin.people):
            assert person.place == town.place[i]
            assert person.news == town.news[i]
            assert person.strategy == town.strategy[i]
            assert person.wealth == pytest.approx(town.wealth[i])
            row = [person.thinks(k) for k in range(params.people)]
            assert row == town.opinion[i].tolist()


@given(towns, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_is_conserved_and_bounded_in_every_hour(params, seed):
    rng = np.random.default_rng(seed)
    town = rules.founded(params, rng)
    both, only_me, only_other, nobody = params.matrix.ravel()
    sums = {2: 2 * both, 1: only_me + only_other, 0: 2 * nobody}
    for _ in range(8):
        _, _, deeds, before, paid, kind = hour(params, town, rng)
        # Everybody is somewhere, and meets at most one, who is at the same place and meets it.
        assert np.bincount(town.place, minlength=params.places).sum() == params.people
        met = np.flatnonzero(town.partner >= 0)
        assert (town.partner[town.partner[met]] == met).all()
        assert (town.place[town.partner[met]] == town.place[met]).all()
        assert (town.partner[met] != met).all()
        odd = np.bincount(town.place, minlength=params.places) % 2
        assert params.people - len(met) == odd.sum()
        # Each meeting pays what its cell pays, but for seats at fault.
        for i in met:
            j = town.partner[i]
            if deeds.get(i, "") is not None and deeds.get(j, "") is not None:
                assert paid[i] + paid[j] == pytest.approx(sums[int(kind[i]) + int(kind[j])])
        assert (paid[town.partner < 0] == 0).all()
        # Reputations are bounded, and move only by what was seen or heard at one's place.
        assert np.abs(town.opinion).max() <= LIMIT
        assert (np.diag(town.opinion) == 0).all()
        assert town.sums.tolist() == [town.opinion.sum(), np.count_nonzero(town.opinion)]
        everybody = np.arange(params.people**2)
        assert town.digest == rules.digested(everybody, town.opinion.ravel())
        changed = np.argwhere(town.opinion != before.opinion)
        for i, k in changed:
            here = town.place == town.place[i]
            heard = town.partner[i] >= 0 and before.news[town.partner[i]] == k
            assert (here[k] and town.partner[k] >= 0) or heard


def test_towns_that_differ_in_one_opinion_have_different_digests():
    place = np.arange(30**2)
    rng = np.random.default_rng(0)
    opinion = rng.integers(-LIMIT, LIMIT + 1, 30**2)
    seen = {int(rules.digested(place, opinion)[0])}
    for index in range(30**2):
        changed = opinion.copy()
        changed[index] = (changed[index] + LIMIT + 1) % (2 * LIMIT + 1) - LIMIT
        seen.add(int(rules.digested(place, changed)[0]))
    seen.add(int(rules.digested(place, rng.permutation(opinion))[0]))
    assert len(seen) == 30**2 + 2
