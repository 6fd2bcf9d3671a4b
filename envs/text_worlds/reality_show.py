"""Reality show: strangers talk, then play the same small dilemma again and again.

What it is
    A season of a television show. The candidates talk in the lounge, then each chooses in secret
    whether to cooperate, several times over; nobody knows how many episodes there will be.
    Concordia Contest's family of iterated minigames.

Seats
    ``player_0`` … : three or four candidates (two to eight are possible).

Observation
    See :mod:`.text_world`. ``facts``: ``game`` (0 prisoners-dilemma, 1 chicken, 2 stag-hunt, 3
    chicken-strict), ``round`` (minigames played), ``cooperators`` (in the latest one, oneself
    included), ``own`` (one's own choice then: 1 cooperated, 0 not), ``people``.

Actions
    Speech, or ``cooperate`` / ``defect`` in the words of the minigame.

Rules
    Lounge, two minigames, lounge, three minigames; then up to ``extra`` more episodes of a lounge
    and two or three minigames, their number drawn unknown to all. With c cooperators in a minigame:

    ==================  ===============  ==============
    minigame            cooperator gets  defector gets
    ==================  ===============  ==============
    prisoners-dilemma   c - 1            1.5 c + 1
    chicken             4 c              5.5 c - 2
    stag-hunt           4 c - 1          0.5 c + 6
    chicken-strict      2 c              4 c - 1
    ==================  ===============  ==============

    ``chicken`` is the contest's, in which to cooperate is the better choice for up to four;
    ``chicken-strict`` is a real game of chicken, ours.

Reward
    The payoffs, at the end of the season (with ``dense`` after each minigame). Candidates are told
    in words how they did beside the average, never the table.

End
    After the last minigame.

Words
    Names and the show's setting are drawn from the seed.

Parameters
    See :class:`RealityShowParams`.

Metrics
    ``cooperation`` (share of cooperative choices), ``rounds``, ``welfare``, and the yardsticks
    ``optimum_return``, ``nash_return``, ``random_return``, ``worst_return`` (per
    candidate).

Source
    Payoffs and schedule: Smith et al., Evaluating Generalization Capabilities of LLM-Based Agents
    in Mixed-Motive Scenarios Using Concordia (2025). Words and code are our own.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ..limits import choice, whole
from .tale import Story, Tale
from .text_world import TextWorld, TextWorldParams
from .yardsticks import Yardsticks, of_stage

FACTS = ("game", "round", "cooperators", "own", "people")
GAMES = ("prisoners-dilemma", "chicken", "stag-hunt", "chicken-strict")
_PAYS = {
    "prisoners-dilemma": ((1.0, -1.0), (1.5, 1.0)),
    "chicken": ((4.0, 0.0), (5.5, -2.0)),
    "stag-hunt": ((4.0, -1.0), (0.5, 6.0)),
    "chicken-strict": ((2.0, 0.0), (4.0, -1.0)),
}
"""Per game, what a cooperator and a defector get: (factor of c, constant)."""

_WORDS = {
    "prisoners-dilemma": ("share the prize", "grab the prize", "The Vault", "a vault of gold"),
    "chicken": ("swerve", "drive straight on", "Dead Straight", "two lanes and a cliff"),
    "stag-hunt": ("carry the boat", "pick berries", "The Crossing", "a heavy boat and a river"),
    "chicken-strict": ("stay polite", "push to the front", "First Row", "one narrow door"),
}
_SETTINGS = (
    ("a black-and-white quiz show of 1955", "the green room"),
    ("a house full of cameras in the summer of 2003", "the kitchen"),
    ("an island of strangers filmed for the year 2015", "the beach bar"),
)


@dataclass(frozen=True, kw_only=True)
class RealityShowParams(TextWorldParams):
    """Parameters of ``reality_show-v0``."""

    game: str = field(
        default="prisoners-dilemma", metadata={"doc": "the minigame", "choices": GAMES}
    )
    players: int = field(default=3, metadata={"doc": "candidates", "range": (2, 8)})
    extra: int = field(
        default=4,
        metadata={"doc": "most episodes after the first two; drawn from 0 up", "range": (0, 20)},
    )

    world: ClassVar[str] = "reality_show-v0"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.world, "game", self.game, GAMES)
        whole(self.world, "players", self.players, 2, 8)
        whole(self.world, "extra", self.extra, 0, 20)


def payoffs(game: str, cooperates: Sequence[bool]) -> list[float]:
    """What each candidate gets, from who cooperates."""
    count = sum(cooperates)
    pays = [factor * count + constant for factor, constant in _PAYS[game]]
    return [pays[0] if kind else pays[1] for kind in cooperates]


class RealityShow(TextWorld):
    """A dilemma played over and over by candidates who talk in between.

    Args:
        **params: the fields of :class:`RealityShowParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "reality_show-v0"
    params_type = RealityShowParams
    fact_names = FACTS
    own_metrics = ("cooperation", "rounds")

    def _cast(self) -> dict[str, str]:
        p = self.params
        self.main = tuple(f"player_{index}" for index in range(p.players))
        self.horizon = (2 + p.extra) * p.talk * p.players + 5 + 3 * p.extra
        # The worst and the best of any round; a silent seat keeps what is negative.
        profiles = [[who < count for who in range(p.players)] for count in range(p.players + 1)]
        found = [pay for profile in profiles for pay in payoffs(p.game, profile)]
        most = 5 + 3 * p.extra
        self.return_range = (most * min(0.0, *found), most * max(found))
        return dict.fromkeys(self.main, "candidate")

    def _story(self, tale: Tale) -> Story:
        rng, p = tale.rng, self.params
        show, lounge = _SETTINGS[int(rng.integers(len(_SETTINGS)))]
        self._round, self._count, self._kind = 0, -1, dict.fromkeys(self.main, -1)
        self._shared, self._sum = 0, dict.fromkeys(self.main, 0.0)
        episodes = [2, 3, *rng.integers(2, 4, int(rng.integers(p.extra + 1))).tolist()]
        *_, title, stage = _WORDS[p.game]
        tale.clock.unit = "Episode"
        for id in self.main:
            tale.people[id].knows = f"You are a candidate in {show}. Its game is called {title}."
        for number, minigames in enumerate(episodes, start=1):
            tale.clock.count = number
            premise = f"The candidates meet in {lounge}. Cameras are running."
            tale.enter(f"Talk in {lounge}", self.main, premise)
            yield from tale.talk("What does {name} say to the others?", rounds=p.talk)
            tale.enter(f"{title}: {stage}", self.main)
            for _ in range(minigames):
                yield from self._minigame(tale)

    def _minigame(self, tale: Tale) -> Story:
        kind, mean, *_ = _WORDS[self.params.game]
        call = "The cards are secret until all are shown. What does {name} do?"
        picked = yield from tale.choose(call, (kind, mean), self.main)
        cooperates = [picked[id] == 0 for id in self.main]
        paid = payoffs(self.params.game, cooperates)
        self._round += 1
        self._count = sum(cooperates)
        self._shared += self._count
        average = sum(paid) / len(paid)
        for deed, chosen in ((kind, True), (mean, False)):
            who = [id for id, good in zip(self.main, cooperates, strict=True) if good is chosen]
            if who:
                tale.tell(f"{', '.join(map(tale.name, who))} chose to {deed}.")
        for id, good, pay in zip(self.main, cooperates, paid, strict=True):
            self._kind[id] = int(good)
            tale.pay(id, pay)
            self._sum[id] += pay
            tale.tell(f"You did {_beside(pay, average)} this time.", id)

    def _facts(self, seat: str) -> Sequence[float]:
        game = GAMES.index(self.params.game)
        return (game, self._round, self._count, self._kind[seat], len(self.main))

    def _yardsticks(self) -> Yardsticks:
        game, people = self.params.game, len(self.main)
        once = of_stage(lambda it: payoffs(game, [not choice for choice in it]), [2] * people)
        return Yardsticks(*(self._round * value for value in once))

    def _measures(self) -> dict[str, float]:
        share = self._shared / (self._round * len(self.main))
        return {"cooperation": share, "rounds": float(self._round)}

    def _about(self, seat: str) -> str:
        kind, mean, title, _ = _WORDS[self.params.game]
        few, some = _STAKES[self.params.game]
        return (
            f"You are one of {self.params.players} candidates in a television show. After each "
            f"talk the candidates play {title} a few times: all choose at the same time, without "
            f"seeing the others, to {kind} or to {mean}. {few} {some} How many episodes there "
            "will be is not told. You want to end the season with as many points as you can."
        )


_STAKES = {
    "prisoners-dilemma": (
        "Who grabs always does better than who shares, whatever the others do.",
        "But all are better off if all share than if all grab.",
    ),
    "chicken": (
        "The more of you swerve, the more everybody gets, most of all who drives straight on.",
        "If nobody swerves, everybody loses points.",
    ),
    "stag-hunt": (
        "Carrying pays best if all carry; who carries alone gets least of all.",
        "Berries are safe: who picks them depends little on the others.",
    ),
    "chicken-strict": (
        "Pushing pays if most others are polite; being polite pays if nobody else is.",
        "If all push, everybody loses points; all together do best if all are polite.",
    ),
}


def _beside(own: float, average: float) -> str:
    if abs(own - average) < 1e-9:
        return "as well as the average"
    return "better than the average" if own > average else "worse than the average"
