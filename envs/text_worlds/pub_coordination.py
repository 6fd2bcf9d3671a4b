"""Pub coordination: friends agree on a pub for the evening, or miss each other.

What it is
    A few people want to spend the evening together, each preferring another pub. Every evening they
    talk, then all choose at the same time. Sometimes a pub is closed and only one of them has heard
    of it; sometimes one has a single friend, with the other taste. Concordia Contest's family of
    coordination games, in its contest scoring.

Seats
    ``player_0`` … : the people who are scored. With ``supporting="seat"`` also ``friend_0`` … :
    stubborn friends, who always go to their favourite; otherwise the rules play them.

Observation
    See :mod:`.text_world`. ``facts``: ``pubs``, ``favourite`` (number of one's favourite pub),
    ``closed`` (number of the pub one has heard is closed tonight, -1 if none), ``night``, then for
    each of four pubs how many of the others spoke of it last tonight (``named_0`` …), and how many
    went there last night (``went_0`` …, -1 before the first).

Actions
    Speech, or the name of a pub.

Rules
    In each of ``games`` evenings everybody speaks ``talk`` times, then all choose. A night in pub
    ``c`` is worth ``open(c) * m * (friends there / friends in all)``, where ``m`` is 1 in one's
    favourite pub and 0.8 elsewhere. With ``friendship="all"`` everybody is everybody's friend, not
    one's own; otherwise one counts among one's friends, so that a night alone is worth something.
    ``single``: the first person's only friend is the second, whose favourite is another pub; the
    others are friends among themselves. ``drawn``: a fair coin for each pair. Each night one pub is
    closed with chance ``closure``; only the first person hears of it, before the talk.

Reward
    The sum over the evenings, at the end (with ``dense`` after each).

End
    After the last evening.

Words
    Names, pubs and favourites are drawn from the seed. "What somebody spoke of" is the pub whose
    name comes last in what they said.

Parameters
    See :class:`PubCoordinationParams`.

Metrics
    ``together`` (share of a player's friends met, over players and nights), ``closed_door`` (share
    of nights at a closed pub), ``welfare``, and the yardsticks ``optimum_return``, ``nash_return``,
    ``random_return`` and ``worst_return`` (per player; of a night whose closed pub is known to
    all).

Source
    Scoring: Smith et al., Evaluating Generalization Capabilities of LLM-Based Agents in
    Mixed-Motive Scenarios Using Concordia (2025). Words and code are our own.

Versions
    v0: the contest's multiplicative scoring. (Concordia's later additive one is another game.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

from ..limits import choice, real, whole
from .facts import Bonds, Place, Question, words_of
from .tale import Answer, Story, Tale
from .text_words import counted
from .text_world import TextWorld, TextWorldParams
from .yardsticks import NOTHING_AT_STAKE, Yardsticks, of_stage

MOST_PUBS = 4
FACTS = (
    *("pubs", "favourite", "closed", "night"),
    *(f"named_{pub}" for pub in range(MOST_PUBS)),
    *(f"went_{pub}" for pub in range(MOST_PUBS)),
)
ELSEWHERE = 0.8
"""What a night is worth outside one's favourite pub, of one inside it."""
FRIENDSHIPS = ("all", "drawn", "single")


@dataclass(frozen=True, kw_only=True)
class PubCoordinationParams(TextWorldParams):
    """Parameters of ``pub_coordination-v0``."""

    players: int = field(default=4, metadata={"doc": "people scored", "range": (2, 6)})
    stubborn: int = field(
        default=1, metadata={"doc": "friends who always go to their favourite", "range": (0, 4)}
    )
    pubs: int = field(default=2, metadata={"doc": "pubs to go to", "range": (2, MOST_PUBS)})
    games: int = field(default=3, metadata={"doc": "evenings", "range": (1, 100)})
    closure: float = field(
        default=0.0, metadata={"doc": "chance that a pub is closed, each night", "range": (0, 1)}
    )
    friendship: str = field(
        default="all", metadata={"doc": "who is whose friend", "choices": FRIENDSHIPS}
    )

    world: ClassVar[str] = "pub_coordination-v0"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.world, "players", self.players, 2, 6)
        whole(self.world, "stubborn", self.stubborn, 0, 4)
        whole(self.world, "pubs", self.pubs, 2, MOST_PUBS)
        whole(self.world, "games", self.games, 1, 100)
        real(self.world, "closure", self.closure, 0, 1)
        choice(self.world, "friendship", self.friendship, FRIENDSHIPS)


def night_out(
    went: Mapping[str, int],
    favourites: Mapping[str, int],
    company: Mapping[str, Sequence[str]],
    closed: int,
) -> dict[str, float]:
    """What a night is worth to each.

    Args:
        went: who went to which pub.
        favourites: everybody's favourite pub.
        company: with whom each would like to be, perhaps oneself included.
        closed: the pub that is closed, or -1.
    """
    worth = {}
    for one, pub in went.items():
        met = [went[it] for it in company[one]].count(pub)
        liking = 1.0 if favourites[one] == pub else ELSEWHERE
        worth[one] = (pub != closed) * liking * met / max(1, len(company[one]))
    return worth


class PubCoordination(TextWorld):
    """People with different tastes agree on a pub, evening after evening.

    Args:
        **params: the fields of :class:`PubCoordinationParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "pub_coordination-v0"
    params_type = PubCoordinationParams
    fact_names = FACTS
    own_metrics = ("together", "closed_door")

    def _cast(self) -> dict[str, str]:
        p = self.params
        self.main = tuple(f"player_{index}" for index in range(p.players))
        self._friends = tuple(f"friend_{index}" for index in range(p.stubborn))
        seated = self._friends if p.supporting == "seat" else ()
        self.most_options = p.pubs
        self.horizon = p.games * (p.talk * (p.players + len(seated)) + 1)
        self.return_range = (0.0, float(p.games))
        return {**dict.fromkeys(self.main, "patron"), **dict.fromkeys(seated, "stubborn friend")}

    def _support(self) -> dict[str, str]:
        return dict.fromkeys(self._friends, "stubborn friend")

    # The story.

    def _story(self, tale: Tale) -> Story:
        self._set_up(tale)
        for night in range(1, self.params.games + 1):
            tale.clock.count = night
            yield from self._evening(tale)

    def _set_up(self, tale: Tale) -> None:
        rng, p = tale.rng, self.params
        everybody = (*self.main, *self._friends)
        names = rng.permutation(words_of("pubs"))[: p.pubs].tolist()
        self._pubs = [Place(name) for name in names]
        self._likes = {id: int(rng.integers(p.pubs)) for id in everybody}
        pairs = list(combinations(everybody, 2))
        coins = rng.integers(2, size=len(pairs)).tolist()
        alone = p.friendship != "all"  # then one is company to oneself
        first, second = everybody[:2]
        if p.friendship == "single":
            self._likes[second] = (self._likes[first] + 1 + int(rng.integers(p.pubs - 1))) % p.pubs
            apart = [pair for pair in pairs if first in pair and pair != (first, second)]
            pairs = [pair for pair in pairs if pair not in apart]
        elif p.friendship == "drawn":
            pairs = [pair for pair, coin in zip(pairs, coins, strict=True) if coin]
        self._bonds = Bonds(frozenset(map(frozenset, pairs)))
        self._company = {
            one: [it for it in everybody if self._bonds.between(one, it) and (alone or it != one)]
            for one in everybody
        }
        self._night_worth: list[tuple[int, dict[str, int]]] = []
        self._met = self._locked_out = 0.0
        self._heard_from = 0
        self._closed = -1
        tale.clock.unit, tale.clock.hour = "Night", "7 o'clock"
        for id, person in tale.people.items():
            favourite = self._pubs[self._likes[id]].name
            friends = ", ".join(it.name for it in self._bonds.of(id, tale.people)) or "nobody"
            person.knows = (
                f"The pubs: {'; '.join(names)}. Your favourite: {favourite}. "
                f"Your friends: {friends}."
            )

    def _evening(self, tale: Tale) -> Story:
        rng, p = tale.rng, self.params
        everybody = (*self.main, *self._friends)
        lot, unlucky = float(rng.random()), int(rng.integers(p.pubs))
        self._closed = unlucky if lot < p.closure else -1
        for number, pub in enumerate(self._pubs):
            pub.open = number != self._closed
        names = tuple(pub.name for pub in self._pubs)
        self._heard_from = tale.moment
        tale.enter("On the square", everybody, "Where to tonight?")
        if self._closed >= 0:
            tale.tell(f"You alone have heard that {names[self._closed]} is closed.", self.main[0])
        yield from tale.talk("What does {name} say to the others?", rounds=p.talk)
        call = "Everybody sets out at the same time. Where does {name} go?"
        went = yield from tale.choose(call, names)
        worth = self._worth(went, self._closed)
        self._night_worth.append((self._closed, went))
        for number, name in enumerate(names):
            there = [tale.name(id) for id in everybody if went[id] == number]
            door = "" if self._pubs[number].open else " and found it closed"
            if there:
                tale.tell(f"{', '.join(there)} went to {name}{door}.")
        for id in self.main:
            tale.pay(id, worth[id])
            tale.tell(self._how_it_was(tale, id, went), id)

    def _how_it_was(self, tale: Tale, who: str, went: Mapping[str, int]) -> str:
        friends = self._bonds.of(who, tale.people)
        met = sum(went[it.id] == went[who] for it in friends)
        self._met += met / max(1, len(friends))
        if went[who] == self._closed:
            self._locked_out += 1
            return "You stood before a closed door: the night was wasted."
        liking = "your favourite pub" if went[who] == self._likes[who] else "a pub you like less"
        return f"You were in {liking}, with {met} of your {len(friends)} friends."

    def _worth(self, went: Mapping[str, int], closed: int) -> dict[str, float]:
        return night_out(went, self._likes, self._company, closed)

    def _answer_for(self, who: str, question: Question) -> Answer:
        favourite = self._likes[who]
        if question.options:
            return favourite
        return f"I go to {self._pubs[favourite].name}, as always."

    # What is known and measured.

    def _spoken_of(self, seat: str) -> list[int]:
        """For each pub how many of the others spoke of it last tonight."""
        latest: dict[str, int] = {}
        for speech in reversed(self.tale.said):
            if speech.moment < self._heard_from:
                break
            pub = self._last_named(speech.text)
            if speech.speaker != seat and pub >= 0:
                latest.setdefault(speech.speaker, pub)
        return [sum(pub == it for it in latest.values()) for pub in range(MOST_PUBS)]

    def _last_named(self, text: str) -> int:
        folded = text.casefold()
        # Without the article: people leave it out.
        found = [folded.rfind(pub.name.casefold().removeprefix("the ")) for pub in self._pubs]
        return found.index(max(found)) if max(found) >= 0 else -1

    def _facts(self, seat: str) -> Sequence[float]:
        heard = self._closed if seat == self.main[0] else -1
        went = [-1] * MOST_PUBS
        if self._night_worth:
            chosen = list(self._night_worth[-1][1].values())
            went = [chosen.count(pub) for pub in range(MOST_PUBS)]
        night = self.tale.clock.count
        known = (self.params.pubs, self._likes[seat], heard, night)
        return (*known, *self._spoken_of(seat), *went)

    def _yardsticks(self) -> Yardsticks:
        total, of_night = NOTHING_AT_STAKE, {}
        for closed, _ in self._night_worth:
            if closed not in of_night:
                of_night[closed] = self._yardsticks_of(closed)
            total += of_night[closed]
        return total

    def _yardsticks_of(self, closed: int) -> Yardsticks:
        stubborn = {id: self._likes[id] for id in self._friends}

        def pay(profile: tuple[int, ...]) -> list[float]:
            worth = self._worth({**dict(zip(self.main, profile, strict=True)), **stubborn}, closed)
            return [worth[id] for id in self.main]

        return of_stage(pay, [self.params.pubs] * len(self.main))

    def _measures(self) -> dict[str, float]:
        nights = self.params.games * len(self.main)
        return {"together": self._met / nights, "closed_door": self._locked_out / nights}

    def _about(self, seat: str) -> str:
        p = self.params
        if seat in self._friends:
            return "You always want to go to your favourite pub, whatever the others say."
        closing = (
            " On some nights a pub is closed, and only one person has heard of it; a night before "
            "a closed door is worth nothing."
            if p.closure
            else ""
        )
        return (
            f"You are one of {p.players + p.stubborn} people who want to spend "
            f"{counted(p.games, 'evening')} in one of {p.pubs} pubs. Each evening you talk, then "
            "all choose a pub at the same time. An evening is worth the share of your friends who "
            "chose the same pub; outside your favourite pub it is worth a fifth less."
            f"{closing} You want your evenings to be worth as much as they can."
        )
