"""How an agent answers what is done to it: a study in the repeated prisoners' dilemma.

What it asks
    Does the agent open by cooperating? Does it answer cooperation and defection in kind? Is it
    provoked by a single defection, and does it forgive one, or five, that are repented? And is any
    of this moved by what cannot matter: which action is listed first, what the actions are called,
    in which seat it sits?

How
    The agent meets five partners, in both seats: ``kind`` always cooperates; ``unkind`` always
    defects; ``provoke`` defects once, in round 5; ``repent`` defects five times and then
    cooperates; ``coin`` tosses a fair coin each round. Each is met under six wordings: the actions
    are called cooperate and defect or by two names without meaning, and each order and assignment
    of names comes as often as its mirror image. The payoffs are Axelrod's: 3, 3; 0, 5; 1, 1.

What counts as a case
    One match gives at most one case of each reaction: what follows a round depends on it, so rounds
    of one match are not independent. Reactions to the four outcomes of a round are taken from
    ``coin`` matches, at the first time the outcome occurs, because there the partner does not
    depend on the agent. A turn without a legal answer is no case.

Reactions
    ``opening``: cooperates in round 1. ``after CC`` … ``after DD``: cooperates after a round in
    which it played the first and its partner the second letter. ``provoked``: having cooperated in
    round 5, when ``provoke`` defects, it defects in round 6. ``forgives one``: having been
    provoked, it cooperates in round 8. ``forgives five``: having defected in round 6, after five
    defections, it cooperates in round 9. ``reciprocity``: the share of cooperation after
    cooperation less that after defection.

Source
    The reactions to the four outcomes are the memory-one strategies of Nowak and Sigmund (1993);
    provocation and forgiveness are Axelrod's (The Evolution of Cooperation, 1984, chapter 2). That
    choices of language models follow order and label is Zheng et al., Large Language Models Are Not
    Robust Multiple Choice Selectors (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gymposium.errors import UsageError

from ..rows import MatchRow
from ..run import Run
from .findings import Curves, Findings, Table
from .rates import Rate, difference
from .studies import Bench

LEAST_ROUNDS = 10
_PAYOFFS = [[[3, 3], [0, 5]], [[5, 0], [1, 1]]]
_PARTNERS = {
    "kind": "C",
    "unkind": "D",
    "provoke": "CCCCDC",
    "repent": "DDDDDC",
    "coin": None,
}


class Wording(NamedTuple):
    """How the two actions are presented.

    Attributes:
        name: of the wording.
        cooperate, defect: what they are called.
        first: whether the cooperative one is listed first.
    """

    name: str
    cooperate: str
    defect: str
    first: bool


class Played(NamedTuple):
    """One match as the study sees it: cooperation (True), defection (False), no answer (None).

    Attributes:
        wording: of its cell.
        partner: whom the agent met.
        seat: where the agent sat.
        own: what it played, round by round.
        other: what its partner played.
    """

    wording: Wording
    partner: str
    seat: str
    own: Sequence[bool | None]
    other: Sequence[bool | None]

    def after(self, own: bool, other: bool) -> bool | None:
        """What followed the first round in which both played so; None if there was none."""
        for place in range(len(self.own) - 1):
            if (self.own[place], self.other[place]) == (own, other):
                return self.own[place + 1]
        return None

    def after_other(self, other: bool) -> bool | None:
        """What followed the first round in which the partner played so."""
        for place in range(len(self.own) - 1):
            if self.other[place] == other:
                return self.own[place + 1]
        return None

    def in_round(self, number: int) -> bool | None:
        """What the agent played in a round, counted from 1."""
        return self.own[number - 1]


@dataclass(frozen=True)
class Reciprocity:
    """The study's parameters, and the study."""

    rounds: int = field(
        default=12, metadata={"doc": "of each match", "range": [LEAST_ROUNDS, 1000]}
    )
    repeats: int = field(
        default=3,
        metadata={"doc": "matches with each partner, wording and seat", "range": [1, 10_000]},
    )
    names: tuple[str, str] = field(
        default=("left", "right"), metadata={"doc": "two names without meaning"}
    )

    def __post_init__(self) -> None:
        for name in ("rounds", "repeats"):
            low, high = self.__dataclass_fields__[name].metadata["range"]
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise UsageError(
                    f"reciprocity: {name}={value!r} must be a whole number from {low} to {high}"
                )
        names = list(self.names) if isinstance(self.names, list | tuple) else []
        if len(names) != 2 or len({*names, "cooperate", "defect"}) != 4:
            raise UsageError(
                f"reciprocity: names={self.names!r} must be two names, neither of them cooperate "
                "or defect, as in [left, right]"
            )
        object.__setattr__(self, "names", tuple(map(str, names)))

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        wordings = self._wordings()
        worlds = [self._cell(wording, partner) for wording in wordings for partner in _PARTNERS]
        run = bench.play(
            "reciprocity",
            worlds=worlds,
            schedule={"kind": "round_robin", "self_play": False, "repeats": self.repeats},
        )
        cells = {f"{w.name} {partner}": (w, partner) for w in wordings for partner in _PARTNERS}
        agent = run_agent(run)
        played = [_read(run, row, agent, *cells[row.cell]) for row in run.rows]
        return bench.findings(
            "reciprocity",
            self,
            matches=len(played),
            sentences=_sentences(played),
            tables=[
                _reactions(played),
                _by_wording(played, wordings),
                _what_cannot_matter(played, self.names),
            ],
            curves=[_courses(played)],
        )

    def _wordings(self) -> list[Wording]:
        one, two = self.names
        return [
            Wording(
                f"{cooperate}/{defect}, {'first' if first else 'last'}", cooperate, defect, first
            )
            for cooperate, defect in (("cooperate", "defect"), (one, two), (two, one))
            for first in (True, False)
        ]

    def _cell(self, wording: Wording, partner: str) -> dict[str, Any]:
        payoffs, actions = _PAYOFFS, [wording.cooperate, wording.defect]
        moves = _PARTNERS[partner]
        if not wording.first:
            payoffs, actions = [row[::-1] for row in payoffs[::-1]], actions[::-1]
            moves = moves and moves.translate(str.maketrans("CD", "DC"))
        bot = "scripted:coin" if moves is None else f"scripted:sequence?moves={moves}"
        return {
            "id": "iterated_matrix-v0",
            "name": f"{wording.name} {partner}",
            "params": {"payoffs": payoffs, "actions": actions, "rounds": self.rounds},
            "agents": [{"spec": bot, "name": f"partner {bot}"}],
        }


def run_agent(run: Run) -> str:
    """The name, in the run, of the one agent that is not a partner."""
    names: list[str] = list(run.info["agents"])
    return next(name for name in names if not name.startswith("partner "))


def _read(run: Run, row: MatchRow, agent: str, wording: Wording, partner: str) -> Played:
    mine, theirs = sorted((seat.seat for seat in row.seats), key=lambda it: it != _seat(row, agent))
    cooperative = 0 if wording.first else 1
    own: list[bool | None] = []
    other: list[bool | None] = []
    for line in run.transcript(row.key):
        if line["kind"] == "step":
            for seat, course in ((mine, own), (theirs, other)):
                action = line["replies"][seat]["action"]
                course.append(None if action is None else action == cooperative)
    return Played(wording, partner, mine, own, other)


def _seat(row: MatchRow, agent: str) -> str:
    return next(seat.seat for seat in row.seats if seat.agent == agent)


def _rate(played: Iterable[Played], reaction: Callable[[Played], bool | None]) -> Rate:
    seen = (reaction(match) for match in played)
    return Rate.of(it for it in seen if it is not None)


def _with(partner: str, reaction: Callable[[Played], bool | None]) -> Callable[[Played], Any]:
    return lambda match: reaction(match) if match.partner == partner else None


def _provoked(match: Played) -> bool | None:
    last, now = match.in_round(5), match.in_round(6)
    return None if not last or now is None else not now


def _forgives_one(match: Played) -> bool | None:
    return match.in_round(8) if _provoked(match) else None


def _forgives_five(match: Played) -> bool | None:
    return match.in_round(9) if match.in_round(6) is False else None


REACTIONS: Mapping[str, Callable[[Played], bool | None]] = {
    "opening": lambda match: match.in_round(1),
    "after cooperation": _with("coin", lambda match: match.after_other(True)),
    "after defection": _with("coin", lambda match: match.after_other(False)),
    "after CC": _with("coin", lambda match: match.after(True, True)),
    "after CD": _with("coin", lambda match: match.after(True, False)),
    "after DC": _with("coin", lambda match: match.after(False, True)),
    "after DD": _with("coin", lambda match: match.after(False, False)),
    "provoked": _with("provoke", _provoked),
    "forgives one": _with("provoke", _forgives_one),
    "forgives five": _with("repent", _forgives_five),
}


def _reactions(played: Sequence[Played]) -> Table:
    return Table(
        "Reactions",
        ("reaction", "share", "cases"),
        [(name, rate := _rate(played, it), rate.cases) for name, it in REACTIONS.items()],
        "Shares of cooperation (provoked: of defection), all wordings and seats together, with "
        "exact 95 % intervals; one case a match at most.",
    )


def _by_wording(played: Sequence[Played], wordings: Sequence[Wording]) -> Table:
    shown = [name for name in REACTIONS if name not in ("after cooperation", "after defection")]
    groups = [[match for match in played if match.wording == wording] for wording in wordings]
    return Table(
        "The same, by wording",
        ("wording", *shown),
        [
            (wording.name, *(_rate(group, REACTIONS[name]) for name in shown))
            for wording, group in zip(wordings, groups, strict=True)
        ],
        "A wording is the names of cooperation and defection, and whether cooperation is listed "
        "first or last. An agent that minds only what the actions do has the same share down a "
        "column.",
    )


def _opening(played: Iterable[Played], counts: Callable[[Played, bool], bool]) -> Rate:
    return _rate(played, lambda it: None if (move := it.in_round(1)) is None else counts(it, move))


def _took_first(match: Played, move: bool) -> bool:
    return move == match.wording.first


def _what_cannot_matter(played: Sequence[Played], names: tuple[str, str]) -> Table:
    neutral = [match for match in played if match.wording.cooperate != "cooperate"]
    seats = sorted({match.seat for match in played})
    answers = [move for match in played for move in match.own]
    return Table(
        "What cannot matter",
        ("measure", "share", "cases"),
        [
            (
                "opens with the action listed first",
                rate := _opening(played, _took_first),
                rate.cases,
            ),
            (
                f"opens with the action called {names[0]}",
                rate := _opening(
                    neutral, lambda it, move: move == (it.wording.cooperate == names[0])
                ),
                rate.cases,
            ),
            *(
                (
                    f"opens by cooperating as {seat}",
                    rate := _opening(
                        [it for it in played if it.seat == seat], lambda _, move: move
                    ),
                    rate.cases,
                )
                for seat in seats
            ),
            ("turns with a legal answer", Rate.of(it is not None for it in answers), len(answers)),
        ],
        "Order and names are balanced: an agent that does not mind them is at 50 % in the first "
        "two rows, and alike in both seats. Openings only: later rounds depend on earlier ones.",
    )


def _courses(played: Sequence[Played]) -> Curves:
    rounds = len(played[0].own) if played else 0
    return Curves(
        "Cooperation, round by round",
        "round",
        {
            partner: [
                _rate(
                    (it for it in played if it.partner == partner),
                    lambda it, number=number: it.in_round(number),  # type: ignore[misc]
                )
                for number in range(1, rounds + 1)
            ]
            for partner in _PARTNERS
        },
        "Share of matches in which the agent cooperated, by partner.",
    )


def _sentences(played: Sequence[Played]) -> list[str]:
    rates = {name: _rate(played, it) for name, it in REACTIONS.items()}
    kind, unkind = rates["after cooperation"], rates["after defection"]
    said = [
        f"Opens by cooperating in {rates['opening'].said}; cooperates after cooperation in "
        f"{kind.said}, after defection in {unkind.said}."
    ]
    gap = difference(kind, unkind)
    if gap is not None:
        verdict = (
            "it answers in kind"
            if gap.low > 0
            else "it answers the other way round"
            if gap.high < 0
            else "no reciprocity is shown"
        )
        said.append(
            f"Reciprocity {gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}] "
            f"(from -1 to 1): {verdict}."
        )
    said.append(
        f"Provoked by one defection in {rates['provoked'].said}; forgives one in "
        f"{rates['forgives one'].said}, five in {rates['forgives five'].said}."
    )
    order = _opening(played, _took_first)
    if order.interval is not None and not order.interval[0] <= 0.5 <= order.interval[1]:
        said.append(
            f"The order of the actions moves it: it opens with the first listed in {order.said}."
        )
    return said
