from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from gymposium.arenas.ratings.comparisons import Side, compare, rated_agents, standings
from gymposium.arenas.rows import MatchRow

MakeMatch = Callable[..., MatchRow]


def outcomes(rows: Iterable[MatchRow]) -> dict[tuple[str, str], tuple[float, float, float]]:
    """(wins, ties, losses) by pair of names, both ways round left to the sorted one."""
    found = compare(rows)
    total: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(3))
    for k in range(len(found.block)):
        pair = found.agents[found.first[k]], found.agents[found.second[k]]
        total[pair] += [found.wins[k], found.ties[k], found.losses[k]]
    return {pair: tuple(map(float, counts)) for pair, counts in total.items()}


def test_zero_sum_seats_of_a_match_are_compared(make_match: MakeMatch) -> None:
    rows = [make_match([("a", 1), ("b", -1)]), make_match([("b", 0), ("a", 0)], seed=1)]
    assert outcomes(rows) == {("a", "b"): (1, 1, 0)}
    found = compare(rows)
    assert found.sides == (Side("cell", "seat_0"), Side("cell", "seat_1"))
    assert found.first_side.tolist() == [0, 1]


def test_mixed_partners_are_not_compared_with_each_other(make_match: MakeMatch) -> None:
    assert outcomes([make_match([("a", 5), ("b", 0)], kind="mixed")]) == {}


@pytest.mark.parametrize("kind", ["mixed", "cooperative"])
def test_agents_in_the_same_place_are_compared(make_match: MakeMatch, kind: str) -> None:
    rows = [
        make_match([("a", 5), ("c", 0)], kind=kind),
        make_match([("b", 3), ("c", 3)], kind=kind),
    ]
    assert outcomes(rows) == {("a", "b"): (1, 0, 0)}


@pytest.mark.parametrize(
    "changed", [{"cell": "elsewhere"}, {"seed": 1}], ids=["another cell", "another seed"]
)
def test_agents_in_another_place_are_not(make_match: MakeMatch, changed: dict[str, object]) -> None:
    one = make_match([("a", 5), ("c", 0)], kind="mixed")
    assert outcomes([one, make_match([("b", 3), ("c", 3)], kind="mixed", **changed)]) == {}
    swapped = make_match([("c", 3), ("b", 3)], kind="mixed")
    assert outcomes([one, swapped]) == {}


def test_another_background_is_another_place(make_match: MakeMatch) -> None:
    roles = ("focal", "background")
    rows = [
        make_match([("a", 5), ("x", 0)], kind="mixed", roles=roles),
        make_match([("b", 3), ("y", 3)], kind="mixed", roles=roles),
    ]
    assert outcomes(rows) == {}
    rows.append(make_match([("b", 6), ("x", 3)], kind="mixed", roles=roles))
    assert outcomes(rows) == {("a", "b"): (0, 0, 1)}


def test_an_agent_meeting_itself_has_met_that_opponent(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 5), ("b", 0)], kind="mixed"),
        make_match([("b", 3), ("b", 2)], kind="mixed"),
    ]
    # In seat_0, against b: a has 5 and b itself 3.
    assert outcomes(rows) == {("a", "b"): (1, 0, 0)}


def test_populations_are_compared_per_capita(make_match: MakeMatch) -> None:
    roles = ("focal", "focal", "background")
    rows = [
        make_match([("a", 6), ("a", 0), ("x", 1)], kind="mixed", roles=roles),
        make_match([("b", 2), ("b", 2), ("x", 9)], kind="mixed", roles=roles),
    ]
    assert outcomes(rows) == {("a", "b"): (1, 0, 0)}
    self_play = [
        make_match([("a", 3), ("a", 3)], kind="mixed"),
        make_match([("b", 1), ("b", 1)], kind="mixed"),
    ]
    assert outcomes(self_play) == {("a", "b"): (1, 0, 0)}


def test_repeats_in_one_place_are_averaged(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", 0), ("c", 0)], kind="mixed"),
        make_match([("a", 10), ("c", 0)], kind="mixed"),
        make_match([("b", 5), ("c", 0)], kind="mixed"),
    ]
    assert outcomes(rows) == {("a", "b"): (0, 1, 0)}


def test_rounding_errors_are_ties(make_match: MakeMatch) -> None:
    third = [("a", 0.1 + 0.2), ("b", 0.3)]
    assert outcomes([make_match(third)]) == {("a", "b"): (0, 1, 0)}
    rows = [make_match([(name, x), ("c", 0)], kind="mixed") for name, x in third]
    assert outcomes(rows) == {("a", "b"): (0, 1, 0)}


@pytest.mark.parametrize("kind", ["zero_sum", "mixed"])
def test_judges_are_never_rated(make_match: MakeMatch, kind: str) -> None:
    roles = ("focal", "focal", "judge")
    rows = [
        make_match([("a", 1), ("b", -1), ("judge", 99)], kind=kind, roles=roles),
        make_match([("b", 1), ("a", -1), ("judge", 99)], kind=kind, roles=roles),
    ]
    assert rated_agents(rows) == ("a", "b")
    assert {name for pair in outcomes(rows) for name in pair} <= {"a", "b"}


def test_zero_sum_against_a_background_is_compared_by_place(make_match: MakeMatch) -> None:
    roles = ("focal", "background")
    rows = [
        make_match([("a", -1), ("x", 1)], roles=roles),
        make_match([("b", -3), ("x", 3)], roles=roles),
    ]
    assert outcomes(rows) == {("a", "b"): (1, 0, 0)}


def test_teams_are_one_side_and_one_comparison(make_match: MakeMatch) -> None:
    row = make_match([("a", 4), ("b", 0), ("c", 1), ("c", 1)], teams=("red", "red", "blue", "blue"))
    assert outcomes([row]) == {("a", "c"): (0.5, 0, 0), ("b", "c"): (0.5, 0, 0)}
    assert compare([row]).sides == (Side("cell", "blue"), Side("cell", "red"))


def test_self_play_in_zero_sum_informs_only_the_seat_effect(make_match: MakeMatch) -> None:
    found = compare([make_match([("a", 1), ("a", -1)])])
    assert (found.first.tolist(), found.second.tolist()) == ([0], [0])
    assert (found.first_side.tolist(), found.second_side.tolist()) == ([0], [1])
    assert found.wins.tolist() == [1]


def test_three_seats_are_three_comparisons(make_match: MakeMatch) -> None:
    row = make_match([("a", 3), ("b", 2), ("c", 1)])
    assert outcomes([row]) == {
        ("a", "b"): (1, 0, 0), ("a", "c"): (1, 0, 0), ("b", "c"): (1, 0, 0),
    }  # fmt: skip


def test_a_slow_twin_counts_the_same(make_match: MakeMatch) -> None:
    rng = np.random.default_rng(0)
    names = "abcdef"
    rows = [
        make_match(
            [(x, float(rng.integers(0, 3))), (y, float(rng.integers(0, 3)))],
            kind="mixed", seed=seed, block=seed // 2,
        )
        for seed in range(4) for x, y in itertools.product(names, names)
        if rng.random() < 0.8
    ]  # fmt: skip
    expected: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0, 0])
    for one, two in itertools.combinations(standings(rows), 2):
        if one.place == two.place:
            one, two = sorted((one, two), key=lambda standing: standing.agent)
            slot = 0 if one.value > two.value else 1 if one.value == two.value else 2
            expected[one.agent, two.agent][slot] += 1
    assert outcomes(rows) == {pair: tuple(counts) for pair, counts in expected.items()}


def test_sparse_and_dense_counting_agree(
    make_match: MakeMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    rows = [
        make_match([(x, float(rng.integers(0, 3))), ("z", 0.0)], kind="mixed", seed=seed)
        for seed in range(6) for x in "abcde"
        if rng.random() < 0.7
    ]  # fmt: skip
    dense = compare(rows)
    monkeypatch.setattr("gymposium.arenas.ratings.comparisons._DENSE", 0)
    monkeypatch.setattr("gymposium.arenas.ratings.comparisons._CHUNK", 1)
    sparse = compare(rows)
    for name in ("block", "first", "second", "wins", "losses", "ties"):
        assert np.array_equal(getattr(dense, name), getattr(sparse, name)), name


def test_the_order_of_matches_does_not_matter(make_match: MakeMatch) -> None:
    rows = [
        make_match([("a", seed % 3), ("b", 1)], seed=seed, kind=kind)
        for seed in range(5) for kind in ("mixed", "zero_sum")
    ]  # fmt: skip
    assert outcomes(rows) == outcomes(rows[::-1])


def test_no_matches_are_no_comparisons() -> None:
    found = compare([])
    assert found.agents == ()
    assert found.counts().first.shape == (0,)
