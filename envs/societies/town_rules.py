"""The rules of ``town-v0`` over arrays: pure functions of a town, an hour's luck and what seats do.

One row per person. Opinions are private (``opinion[i, k]`` is what ``i`` thinks of ``k``), as in
Nowak and Sigmund's second model of image scoring (1998), where only onlookers learn of a deed.
All luck of an hour is drawn at once, so that what a seat decides never moves another's dice, and a
plain-Python twin can be given the same hour (``tests/oracles/town_twin.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .town_params import TownParams

Array = np.ndarray[Any, np.dtype[Any]]

COOPERATOR, DEFECTOR, DISCRIMINATOR = range(3)
STRATEGIES = ("cooperator", "defector", "discriminator")
LIMIT = 5
"""Opinions lie between -5 and 5, as image scores do in the paper."""
NOTHING, TRUTH, LIE = range(3)
SAYINGS = ("say nothing", "tell the truth", "lie")
COOPERATE, DEFECT, NO_DEED = range(3)


class Luck(NamedTuple):
    """One hour's dice: uniform on [0, 1), one of each per person."""

    roam: Array
    goal: Array
    order: Array
    slip: Array
    tell: Array
    lie: Array
    news: Array
    watch: Array
    which: Array
    learn: Array


class Deed(NamedTuple):
    """What a seat does in a meeting; None in its place invokes the fault rule."""

    act: int
    say: int


@dataclass
class Town:
    """All that changes, by person.

    Attributes:
        strategy: int8 [N], index of STRATEGIES; a seat's own means nothing.
        favourite, place: int64 [N].
        wealth: float64 [N], sum of payoffs.
        opinion: int8 [N, N], row: whose.
        sums: int64 [2], over all opinions: their sum, and how many are not 0.
        digest: uint64 [1], stands for all opinions: see :func:`digested`. Like the sums it is kept
            up with every change, for to go through a million opinions takes longer than the hour.
        news: int64 [N], whom one can tell about, -1 nobody.
        partner: int64 [N], this hour's, -1 nobody.
        met, did, done, heard_of, heard: int64 [N], of the latest meeting: the partner (-1 nobody
            yet), the own deed and the partner's, the person one was told about (-1 nobody), and
            what was said (-1 ill, 0 nothing, 1 well).
    """

    strategy: Array
    favourite: Array
    place: Array
    wealth: Array
    opinion: Array
    sums: Array
    digest: Array
    news: Array
    partner: Array
    met: Array
    did: Array
    done: Array
    heard_of: Array
    heard: Array


def founded(params: TownParams, rng: np.random.Generator) -> Town:
    """A town in which nobody knows anybody; strategies in the shares that were asked for."""
    count = params.people
    shares = (params.cooperators, params.defectors)
    cuts = np.round(np.cumsum(shares) * count)
    strategy = np.searchsorted(cuts, rng.permutation(count), side="right").astype(np.int8)
    favourite = rng.integers(params.places, size=count)
    nobody = np.full(count, -1)
    return Town(
        strategy=strategy,
        favourite=favourite,
        place=favourite.copy(),
        wealth=np.zeros(count),
        opinion=np.zeros((count, count), np.int8),
        sums=np.zeros(2, np.int64),
        digest=np.zeros(1, np.uint64),
        news=nobody.copy(),
        partner=nobody.copy(),
        met=nobody.copy(),
        did=np.full(count, NO_DEED),
        done=np.full(count, NO_DEED),
        heard_of=nobody.copy(),
        heard=np.zeros(count, np.int64),
    )


def drawn(count: int, rng: np.random.Generator) -> Luck:
    """The dice of one hour for ``count`` people."""
    return Luck(*rng.random((len(Luck._fields), count)))


def go(town: Town, params: TownParams, luck: Luck, chosen: Mapping[int, int | None]) -> None:
    """Everybody goes somewhere and is paired with somebody there, if the number is even.

    Args:
        town: changed: ``place`` and ``partner``.
        params: of the world.
        luck: of this hour.
        chosen: by seat, the place it goes to; None stays.
    """
    goal = (luck.goal * params.places).astype(np.int64)
    place = np.where(luck.roam < params.habit, town.favourite, goal)
    for seat, wanted in chosen.items():
        place[seat] = town.place[seat] if wanted is None else wanted
    town.place = place
    first, second = pairs(place, luck.order)
    town.partner = np.full(len(place), -1)
    town.partner[first], town.partner[second] = second, first


def pairs(place: Array, order: Array) -> tuple[Array, Array]:
    """Neighbours in random order within each place: (first, second), int64 [meetings] each."""
    who = np.lexsort((order, place))
    here = place[who]
    rank = np.arange(len(who)) - np.searchsorted(here, here)
    meet = (rank[:-1] % 2 == 0) & (here[1:] == here[:-1])
    return who[:-1][meet], who[1:][meet]


def meet(
    town: Town, params: TownParams, luck: Luck, deeds: Mapping[int, Deed | None]
) -> tuple[Array, Array]:
    """Play and talk in all meetings, watch those of others, and learn.

    Args:
        town: changed.
        params: of the world.
        luck: of this hour.
        deeds: by seat that has a partner; None is the fault rule.

    Returns:
        Payoffs of this hour, float64 [N], 0 for whoever met nobody; and who cooperated, bool [N].
    """
    me = np.flatnonzero(town.partner >= 0)
    other = town.partner[me]
    kind = _acts(town, luck, params, deeds)
    payoff = np.zeros(len(town.place))
    payoff[me] = params.matrix[1 - kind[me].astype(int), 1 - kind[other].astype(int)]
    for seat, deed in deeds.items():
        if deed is None:
            payoff[seat] = params.matrix.min()
    town.wealth += payoff
    subject = _gossip(town, params, luck, deeds, me, other)
    _judge(town, me, other, np.where(kind[other], 1, -1))
    town.news[me] = np.where((subject >= 0) & (luck.news[me] < 0.5), subject, other)
    _watch(town, params, luck, kind)
    done = np.where(kind, COOPERATE, DEFECT)
    town.met[me], town.did[me], town.done[me] = other, done[me], done[other]
    _imitate(town, params, luck, me, other)
    return payoff, kind & (town.partner >= 0)


def _acts(town: Town, luck: Luck, params: TownParams, deeds: Mapping[int, Deed | None]) -> Array:
    """Who is kind to its partner, bool [N]."""
    thinks = town.opinion[np.arange(len(town.place)), town.partner]
    means = (town.strategy == COOPERATOR) | ((town.strategy == DISCRIMINATOR) & (thinks >= 0))
    kind: Array = means ^ (luck.slip < params.slips)
    for seat, deed in deeds.items():
        kind[seat] = deed is None or deed.act == COOPERATE
    return kind


def _gossip(
    town: Town,
    params: TownParams,
    luck: Luck,
    deeds: Mapping[int, Deed | None],
    me: Array,
    other: Array,
) -> Array:
    """Each hears its partner's news; the subject that one believed, -1 for none, int64 [met]."""
    says = np.where(luck.tell < params.gossip, np.where(luck.lie < params.lies, LIE, TRUTH), 0)
    for seat, deed in deeds.items():
        says[seat] = NOTHING if deed is None else deed.say
    subject = town.news[other]
    told = np.sign(town.opinion[other, subject]).astype(np.int64)
    told = np.where(says[other] == LIE, -told, told)
    told = np.where((says[other] == NOTHING) | (subject < 0) | (subject == me), 0, told)
    town.heard_of[me] = np.where(told != 0, subject, -1)
    town.heard[me] = told
    believed = (told != 0) & (town.opinion[me, other] >= 0)
    _judge(town, me[believed], subject[believed], told[believed])
    return np.where(believed, subject, -1)


def _watch(town: Town, params: TownParams, luck: Luck, kind: Array) -> None:
    """Whoever looks up sees one meeting at its place, and thinks of both what they earn by it."""
    first = np.flatnonzero(town.partner > np.arange(len(town.partner)))  # each meeting once
    first = first[np.argsort(town.place[first], kind="stable")]
    held = np.bincount(town.place[first], minlength=params.places)
    begins = np.concatenate(([0], np.cumsum(held)[:-1]))
    eyes = np.flatnonzero((luck.watch < params.watch) & (held[town.place] > 0))
    spot = town.place[eyes]
    seen = first[begins[spot] + (luck.which[eyes] * held[spot]).astype(np.int64)]
    mate = town.partner[seen]
    apart = (seen != eyes) & (mate != eyes)  # one's own meeting one has felt already
    eyes, seen, mate = eyes[apart], seen[apart], mate[apart]
    of_seen, of_mate = town.opinion[eyes, seen], town.opinion[eyes, mate]
    excused = params.norm == "standing"  # who refuses one of ill repute keeps its own
    for who, blame in ((seen, ~(excused & (of_mate < 0))), (mate, ~(excused & (of_seen < 0)))):
        _judge(town, eyes, who, np.where(kind[who], 1, np.where(blame, -1, 0)))
    idle = town.partner[eyes] < 0
    town.news[eyes[idle]] = seen[idle]


def _judge(town: Town, who: Array, whom: Array, change: Array) -> None:
    """Move opinions by ``change``; each row at most once."""
    before = town.opinion[who, whom].astype(np.int64)
    after = np.clip(before + change, -LIMIT, LIMIT)
    town.opinion[who, whom] = after
    town.sums += (after - before).sum(), np.count_nonzero(after) - np.count_nonzero(before)
    town.digest += digested(who * len(town.opinion) + whom, after - before)


def digested(place: Array, value: Array) -> Array:
    """Sum of values times odd pseudo-random numbers of their places, modulo 2**64; uint64 [1].

    A change of one value moves it by what that value alone is worth, so it can be kept up; equal
    opinions have equal digests, and others almost surely different ones.
    """
    weight = place.astype(np.uint64) + np.uint64(1)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        weight = (weight ^ (weight >> np.uint64(shift))) * np.uint64(factor)
    worth = (weight | np.uint64(1)) * value.astype(np.int64).astype(np.uint64)
    return np.asarray(worth.sum(keepdims=True))


def _imitate(town: Town, params: TownParams, luck: Luck, me: Array, other: Array) -> None:
    """Now and then one takes over the way of a richer partner; seats have no part in it."""
    free = (me >= params.seats) & (other >= params.seats)
    copies = free & (luck.learn[me] < params.imitation) & (town.wealth[other] > town.wealth[me])
    town.strategy[me[copies]] = town.strategy[other][copies]
