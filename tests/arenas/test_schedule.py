"""The schedules: fair, paired, free of duplicates, and the same every time."""

from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.arenas.schedule import Cast, match_seed, next_round, schedule
from gymposium.arenas.swiss import _without_rematch, scores_of
from gymposium.errors import UsageError
from gymposium.scenarios.model import Scenario

KINDS = ("round_robin", "pairs", "self_play", "focal_x_background")


def scenario(kind="round_robin", *, repeats=2, worlds=None, seed=0, **more):
    how = {"kind": kind, "repeats": repeats, **more.pop("schedule", {})}
    return Scenario.model_validate(
        {
            "name": "s",
            "worlds": worlds or [{"id": "w-v0"}],
            "schedule": how,
            "seed": seed,
            "background": more.pop("background", ["b0", "b1"]),
            **more,
        }
    )


def names(count):
    return [f"a{index}" for index in range(count)]


def seats(count, cells=("w-v0",)):
    return {cell: [f"p{index}" for index in range(count)] for cell in cells}


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    agents=st.integers(2, 7),
    size=st.integers(1, 5),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 2**53 - 1),
    cap=st.sampled_from([1, 20, 1000]),
)
def test_every_focal_agent_sits_in_every_seat_equally_often(kind, agents, size, repeats, seed, cap):
    made = schedule(
        scenario(kind, repeats=repeats, seed=seed, schedule={"max_matches": cap}),
        names(agents),
        seats(size),
    )
    count = Counter()
    for spec in made:
        for seat, agent in spec.seating.items():
            if spec.roles.get(seat, "focal") == "focal":
                count[agent, seat] += 1
    assert {agent for agent, _ in count} == set(names(agents))
    assert len(count) == agents * size
    assert len(set(count.values())) == 1, count


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    agents=st.integers(2, 6),
    size=st.integers(1, 4),
    repeats=st.integers(1, 4),
    seed=st.integers(0, 2**53 - 1),
)
def test_seeds_are_shared_within_a_block_and_disjoint_between_blocks_and_cells(
    kind, agents, size, repeats, seed
):
    worlds = [{"id": "w-v0", "name": "one"}, {"id": "w-v0", "name": "two"}]
    asked = scenario(kind, repeats=repeats, worlds=worlds, seed=seed)
    made = schedule(asked, names(agents), seats(size, ("one", "two")))
    seeds = defaultdict(set)
    for spec in made:
        seeds[spec.cell, spec.block].add(spec.seed)
    assert sorted(seeds) == [(cell, block) for cell in ("one", "two") for block in range(repeats)]
    assert all(len(each) == 1 for each in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds)
    assert all(0 <= spec.seed < 2**53 for spec in made)
    unique = {(spec.cell, spec.seed, tuple(spec.seating.items())) for spec in made}
    assert len(unique) == len(made)
    assert made == schedule(asked, names(agents), seats(size, ("one", "two")))
    assert [spec.block for spec in made] == sorted(spec.block for spec in made)


def test_the_seed_of_the_scenario_the_cell_and_the_block_all_matter():
    assert len({match_seed(0, "a", 0), match_seed(1, "a", 0), match_seed(0, "b", 0)}) == 3
    assert match_seed(0, "a", 0) != match_seed(0, "a", 1)
    # Frozen: a change here would make every stored run play other matches on resume.
    assert match_seed(7, "prisoners-dilemma", 3) == 2502399047636316


def test_round_robin_brings_every_pair_together_in_both_seatings():
    made = schedule(scenario(repeats=1), names(4), seats(2))
    seated = {tuple(spec.seating.values()) for spec in made}
    assert seated == {pair for two in combinations(names(4), 2) for pair in (two, two[::-1])}


def test_round_robin_without_rotation_plays_each_group_once():
    made = schedule(scenario(repeats=1, schedule={"rotate_seats": False}), names(4), seats(2))
    assert [tuple(spec.seating.values()) for spec in made] == list(combinations(names(4), 2))


def test_a_large_round_robin_is_cut_to_whole_deals_in_which_everyone_meets_someone():
    made = schedule(scenario(repeats=1, schedule={"max_matches": 100}), names(20), seats(4))
    assert len(made) == 100
    assert len({tuple(spec.seating.values()) for spec in made}) == 100
    assert all(len(set(spec.seating.values())) == 4 for spec in made)


def test_pairs_alternate_over_more_than_two_seats():
    made = schedule(scenario("pairs", repeats=1), names(2), seats(3))
    assert [tuple(spec.seating.values()) for spec in made] == [
        ("a0", "a1", "a0"),
        ("a1", "a0", "a1"),
    ]


def test_extra_agents_play_only_in_their_own_world():
    worlds = [{"id": "w-v0", "name": "one", "agents": ["guest"]}, {"id": "w-v0", "name": "two"}]
    made = schedule(scenario(worlds=worlds), names(2), seats(2, ("one", "two")))
    where = {spec.cell for spec in made if "guest" in spec.seating.values()}
    assert where == {"one"}


def test_focal_seats_of_given_roles_hold_copies_of_one_agent_and_background_profiles_rotate():
    worlds = [{"id": "w-v0", "roles": {"p1": "background", "p2": "background"}}]
    made = schedule(scenario("focal_x_background", repeats=1, worlds=worlds), ["x"], seats(4))
    assert [tuple(spec.seating.values()) for spec in made] == [
        ("x", "b0", "b1", "x"),
        ("x", "b1", "b0", "x"),
    ]
    assert made[0].roles == {"p1": "background", "p2": "background"}


def test_without_roles_the_focal_seat_moves_round_the_table():
    made = schedule(scenario("focal_x_background", repeats=1, background=["b"]), ["x"], seats(3))
    assert [tuple(spec.seating.values()) for spec in made] == [
        ("x", "b", "b"),
        ("b", "x", "b"),
        ("b", "b", "x"),
    ]
    assert made[1].roles == {"p0": "background", "p2": "background"}


def test_judges_fill_judge_seats_and_are_not_focal():
    worlds = [{"id": "w-v0", "roles": {"p2": "judge"}}]
    made = schedule(scenario(worlds=worlds, judges=["j"]), names(2), seats(3))
    assert {spec.seating["p2"] for spec in made} == {"j"}
    assert {spec.roles["p2"] for spec in made} == {"judge"}


@pytest.mark.parametrize(("kind", "least"), [("pairs", 1), ("round_robin", 0), ("swiss", 1)])
def test_too_few_agents_are_a_usage_error_that_says_how_many(kind, least):
    with pytest.raises(UsageError, match=r"needs at least \d agent"):
        schedule(scenario(kind), names(least), seats(2))


def test_a_schedule_beyond_memory_is_refused():
    with pytest.raises(UsageError, match=r"matches; lower schedule\.repeats"):
        schedule(scenario(repeats=1_000_000), names(3), seats(2))


def test_a_cast_maps_entries_to_the_names_they_have_in_the_run():
    asked = scenario(
        worlds=[{"id": "w-v0", "agents": ["scripted:x"]}], agents=["random"], background=["random"]
    )
    cast = Cast.of(asked, names={"scripted:x": "x"})
    assert cast.focal("w-v0") == ("random", "x")
    assert cast.everyone == ("random", "x")


# Swiss.


def play(specs, strength, kind="zero_sum"):
    """Rows as if the stronger agent always won."""
    rows = []
    for spec in specs:
        best = max(strength[agent] for agent in spec.seating.values())
        rows.append(
            MatchRow(
                key=f"{spec.cell}{spec.block}{tuple(spec.seating.values())}",
                world=spec.world,
                kind=kind,
                cell=spec.cell,
                seed=spec.seed,
                block=spec.block,
                seats=tuple(
                    SeatRow(seat, agent, "focal", None, 1.0 if strength[agent] == best else -1.0)
                    for seat, agent in spec.seating.items()
                ),
            )
        )
    return rows


def swiss_rounds(asked, agents, size, kind="zero_sum"):
    strength = {name: index for index, name in enumerate(agents)}
    rows, rounds = [], []
    batch = schedule(asked, agents, seats(size))
    while batch:
        rounds.append(batch)
        rows += play(batch, strength, kind)
        batch = next_round(asked, agents, rows, seats(size))
    return rounds, rows


@settings(max_examples=30, deadline=None)
@given(agents=st.integers(2, 12), repeats=st.integers(1, 2), seed=st.integers(0, 1000))
def test_swiss_opponents_never_meet_twice_and_sit_out_in_turn(agents, repeats, seed):
    asked = scenario("swiss", repeats=repeats, seed=seed)
    rounds, rows = swiss_rounds(asked, names(agents), 2)
    assert len(rounds) == max(1, (agents - 1).bit_length())
    met = Counter()
    for batch in rounds:
        met.update({frozenset(spec.seating.values()) for spec in batch})
        assert len({spec.block for spec in batch}) == repeats
    assert max(met.values()) == 1
    played = Counter(seat.agent for row in rows for seat in row.seats)
    per_round = 2 * repeats
    assert max(played.values()) - min(played.values()) <= per_round * (agents % 2)
    assert len({row.seed for row in rows}) == len(rounds) * repeats


def test_swiss_finds_the_strongest_and_pairs_winners_with_winners():
    rounds, rows = swiss_rounds(scenario("swiss", repeats=1), names(8), 2)
    assert max(scores_of(rows), key=scores_of(rows).get) == "a7"
    winners = {max(spec.seating.values()) for spec in rounds[0]}
    for spec in rounds[1]:
        assert len(winners & set(spec.seating.values())) in (0, 2)


def test_a_swiss_round_cut_short_comes_again_whole_and_in_the_same_order():
    asked = scenario("swiss", repeats=2)
    rounds, rows = swiss_rounds(asked, names(5), 2)
    first = rounds[0]
    kept = play(first[:3], {name: index for index, name in enumerate(names(5))})
    assert next_round(asked, names(5), kept[::-1]) == first
    done = [row for row in rows if row.block < 2]
    assert next_round(asked, names(5), done[::-1], seats(2)) == rounds[1]


def test_swiss_rematches_only_when_there_is_nobody_new():
    rounds, _ = swiss_rounds(scenario("swiss", repeats=1, schedule={"rounds": 5}), names(4), 2)
    met = Counter(frozenset(spec.seating.values()) for batch in rounds for spec in batch)
    assert len(rounds) == 5
    assert len(met) == 6
    keys = [(s.seed, tuple(s.seating.items())) for batch in rounds for s in batch]
    assert len(set(keys)) == len(keys)


def test_swiss_seats_three_at_a_table():
    rounds, _ = swiss_rounds(scenario("swiss", repeats=1), names(7), 3)
    assert all(len(set(spec.seating.values())) == 3 for batch in rounds for spec in batch)
    assert len(rounds) == 2


def test_the_search_backs_out_of_a_choice_that_leaves_others_with_a_rematch():
    met = {frozenset(pair): 1 for pair in [("c", "d")]}
    assert _without_rematch(["a", "b", "c", "d"], met) == [("a", "c"), ("b", "d")]
    everyone = {frozenset(pair): 1 for pair in combinations("abcd", 2)}
    assert _without_rematch(list("abcd"), everyone) is None


def test_agents_meet_their_own_kind_where_seats_are_not_compared():
    def alone(kind, world, **fields):
        asked = scenario(kind, repeats=1, schedule=fields)
        made = schedule(asked, names(3), seats(2), dict.fromkeys(seats(2), world))
        return [spec for spec in made if len(set(spec.seating.values())) == 1]

    for kind in ("round_robin", "pairs"):
        assert len(alone(kind, "mixed")) == len(alone(kind, "cooperative")) == 3
        assert alone(kind, "zero_sum") == []
        assert alone(kind, "mixed", self_play=False) == []
        assert len(alone(kind, "zero_sum", self_play=True)) == 3


def test_unmixed_background_agents_fill_all_background_seats_one_after_the_other():
    chosen = scenario(
        "focal_x_background",
        repeats=1,
        worlds=[{"id": "w-v0", "roles": {"b": "background", "c": "background"}}],
        background=["p", "q"],
        schedule={"kind": "focal_x_background", "mix_background": False},
    )
    tables = [spec.seating for spec in schedule(chosen, ["x"], {"w-v0": ["a", "b", "c"]})]
    assert tables == [{"a": "x", "b": who, "c": who} for who in ("p", "q")]
