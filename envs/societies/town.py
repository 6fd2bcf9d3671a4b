"""Town: a few seats among hundreds of people who meet, gossip and play dilemmas.

What it is
    A society in which reputation may or may not do its work. Most inhabitants are cheap: one
    always cooperates, another always defects, a third cooperates with whomever it does not think
    ill of. The seats live among them, any agents: a language model, a learner, a bot. Nobody
    meets the same person often, so who is kind is repaid, if at all, by those who have heard of it.
    Inside is a Mesa model, with Mesa's agents and data collector.

Seats
    ``resident_0``, ``resident_1``, …: persons 0, 1, … of the town.

Observation
    A dictionary that does not depend on how large the town is or how long it lasts, so that what
    has been learned in a small one can be used in a large one: ``phase`` (0 choose a place, 1 a
    meeting, 2 over), ``left`` (share of the hours left, this one included, float32 [1]), ``place``
    (where one is), ``crowd`` (share of the people at each place, float32 [places]), ``opinion``
    (what one thinks of the partner, -5 to 5, 0 without one), ``news`` (1 if one can tell about
    somebody else) and ``news_opinion``; and of one's latest meeting ``did`` and ``done`` (0
    cooperated, 1 defected, 2 nothing; oneself and the other) and ``heard`` (-1 ill, 1 well, 0
    nothing). Who they are stands in ``info``: ``partner``, ``news``, ``met`` and ``heard_of`` are
    numbers of persons, -1 for nobody.

Actions
    Discrete, masked: first the places, then ``cooperate`` and ``defect``, each with ``say
    nothing``, ``tell the truth`` or ``lie`` (about one's ``news``).

Rules
    An hour has two steps. First the seats choose where to go while the cheap people go to their
    favourite place, or, now and then, elsewhere. At each place all are paired at random; one may
    be left over. Then the seats that met somebody act; where none did the step is left out.

    In a meeting both play the dilemma at once and tell each other, if they will, whether their
    latest news is of somebody good or bad. Whoever does not think ill of the teller moves its own
    opinion of that person by one. One's next news is the partner or, as often, the person it has
    just told one about; who met nobody tells of whom it watched.

    One thinks better by one of a partner who cooperated, worse of one who defected; so do
    onlookers, by ``norm``. Opinions stay within -5 and 5. A person may take over the way of a
    richer partner. A seat's opinions are kept in the same way; what it makes of them is its own
    affair.

Reward
    The payoff of each meeting.

End
    Terminates after ``hours``.

Words
    An answer is the name of a place, or a deed and what is said with it: ``cooperate and tell the
    truth``.

Parameters
    See :class:`TownParams`.

Metrics
    ``cooperation`` (share of deeds), ``late_cooperation`` (the same in the last quarter),
    ``seat_cooperation``, ``payoff`` (per person and hour), ``seat_advantage`` (payoff per hour of
    a seat less that of a cheap person), ``goodwill`` (mean of opinions that are not 0), ``known``
    (share of pairs where one has an opinion of the other), ``cooperators``, ``defectors``,
    ``discriminators`` (shares of cheap people at the end).

Tables
    ``series``: one row per hour, as the model's data collector keeps them: the figures above,
    ``meetings`` and ``crowd`` (people at the fullest place).

Source
    Image scores between -5 and 5, seen by onlookers only: Nowak and Sigmund (1998), Evolution of
    indirect reciprocity by image scoring. Excused defection: standing (Sugden 1986; Leimar and
    Hammerstein 2001). Places, gossip of news, lies and imitation of the richer are ours
    (derived). Mesa: Kazil, Masad and Crooks (2020).

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import NOTHING, Action

from ..adapters.foreign import must_import
from ..world import RuleWorld
from . import town_words
from .town_params import TownParams as TownParams
from .town_rules import COOPERATE, DEFECT, LIMIT, SAYINGS, Deed

if TYPE_CHECKING:
    from gymposium.types import Image

    from .town_model import TownModel

GOING, MEETING, OVER = range(3)
_DEEDS = 2 * len(SAYINGS)


class Town(RuleWorld):
    """Residents of a town of cheap people.

    Args:
        **params: the fields of :class:`TownParams`.

    Raises:
        UsageError: a parameter is out of its range.
        MissingExtra: Mesa is not installed.
    """

    id: ClassVar[str] = "town-v0"
    kind = "mixed"
    metric_names = (
        "cooperation",
        "late_cooperation",
        "seat_cooperation",
        "payoff",
        "seat_advantage",
        "goodwill",
        "known",
        "cooperators",
        "defectors",
        "discriminators",
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = TownParams(**params)
        must_import("mesa", self.id, extra="mesa")
        low, high = float(p.matrix.min()), float(p.matrix.max())
        self.horizon = 2 * p.hours
        self.return_range = (min(0.0, p.hours * low), max(0.0, p.hours * high))
        self.fault_rule = (
            "A seat without a legal answer stays where it is; in a meeting it cooperates, says "
            f"nothing and earns the lowest payoff, {low:g}, while its partner earns what that "
            "gives it."
        )
        ids = [f"resident_{index}" for index in range(p.seats)]
        self._index = {seat: index for index, seat in enumerate(ids)}
        self._model: TownModel | None = None
        self._phase = GOING
        choices = spaces.Discrete(p.places + _DEEDS)
        view = self._view()
        self._seat_all(
            ids,
            dict.fromkeys(ids, view),
            dict.fromkeys(ids, choices),
            roles=dict.fromkeys(ids, "resident"),
        )

    def _view(self) -> spaces.Dict:
        p = self.params
        opinion = spaces.Discrete(2 * LIMIT + 1, start=-LIMIT)
        deed = spaces.Discrete(3)
        return spaces.Dict(
            {
                "phase": spaces.Discrete(3),
                "left": spaces.Box(0, 1, (1,), np.float32),
                "place": spaces.Discrete(p.places),
                "crowd": spaces.Box(0, 1, (p.places,), np.float32),
                "opinion": opinion,
                "news": spaces.Discrete(2),
                "news_opinion": opinion,
                "did": deed,
                "done": deed,
                "heard": spaces.Discrete(3, start=-1),
            }
        )

    @property
    def model(self) -> TownModel:
        """The Mesa model of the match that is being played, to look at.

        Raises:
            UsageError: no match has begun.
        """
        if self._model is None:
            raise UsageError(f"{self.id}: there is no town before reset(seed)")
        return self._model

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        from .town_model import TownModel

        self._model = TownModel(self.params, rng)
        self._phase = GOING
        self._kind_deeds = self._deeds = 0

    def _actors(self) -> Sequence[str]:
        if self._phase == GOING:
            return self.possible_seats
        partner = self.model.town.partner
        return [seat for seat, index in self._index.items() if partner[index] >= 0]

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        chosen = {self._index[s]: None if a is None else int(a) for s, a in actions.items()}
        model = self.model
        if self._phase == GOING:
            model.go(chosen)
            self._phase = MEETING
            if self._actors():
                return dict.fromkeys(self.possible_seats, 0.0)
            chosen = {}
        deeds = {seat: self._deed(action) for seat, action in chosen.items()}
        model.step(deeds)
        self._deeds += len(deeds)
        self._kind_deeds += sum(d is None or d.act == COOPERATE for d in deeds.values())
        self._phase = OVER if model.steps >= self.params.hours else GOING
        return {seat: float(model.payoffs[index]) for seat, index in self._index.items()}

    def _deed(self, action: int | None) -> Deed | None:
        if action is None:
            return None
        act, say = divmod(action - self.params.places, len(SAYINGS))
        return Deed(DEFECT if act else COOPERATE, say)

    def _ended(self) -> tuple[bool, bool, str]:
        over = self._phase == OVER
        return over, False, f"{self.params.hours} hours have passed" if over else ""

    def _mask(self, seat: str) -> Any:
        going = self._phase != MEETING
        places = self.params.places
        return np.array([going] * places + [not going] * _DEEDS, np.int8)

    def _info(self, seat: str) -> Mapping[str, Any]:
        town, me = self.model.town, self._index[seat]
        return {
            "action_mask": self._mask(seat),
            "partner": int(town.partner[me]) if self._phase == MEETING else -1,
            "news": int(town.news[me]),
            "met": int(town.met[me]),
            "heard_of": int(town.heard_of[me]),
        }

    def _check(self, seat: str, action: Action) -> None:
        town_words.refuse_untimely(self.params, int(action), meeting=self._phase == MEETING)

    def _observe(self, seat: str) -> dict[str, Any]:
        p, town, me = self.params, self.model.town, self._index[seat]
        partner, news = int(town.partner[me]), int(town.news[me])
        meeting = self._phase == MEETING and partner >= 0
        tells = news >= 0 and not (meeting and news == partner)
        crowd = np.bincount(town.place, minlength=p.places) / p.people
        return {
            "phase": self._phase,
            "left": np.array([1 - self.model.steps / p.hours], np.float32),
            "place": int(town.place[me]),
            "crowd": crowd.astype(np.float32),
            "opinion": int(town.opinion[me, partner]) if meeting else 0,
            "news": int(tells),
            "news_opinion": int(town.opinion[me, news]) if tells else 0,
            "did": int(town.did[me]),
            "done": int(town.done[me]),
            "heard": int(town.heard[me]),
        }

    def _state(self) -> bytes:
        digest = blake2b(digest_size=16)
        for name, column in vars(self.model.town).items():
            if name != "opinion":  # town.digest stands for them
                digest.update(column.tobytes())
        # Between the two steps of an hour its luck is settled, and belongs to the state.
        for dice in self.model._luck or ():
            digest.update(dice.tobytes())
        return b"%d,%d,%d,%b" % (self._phase, self._deeds, self._kind_deeds, digest.digest())

    def _metrics(self) -> dict[str, float]:
        series = self._series()
        cooperation, weight = np.array(series["cooperation"], float), np.array(series["meetings"])
        late = np.arange(len(weight)) >= len(weight) * 3 // 4
        town, seats, hours = self.model.town, self.params.seats, self.params.hours
        found = {
            "payoff": float(np.mean(series["payoff"])),
            "goodwill": float(series["goodwill"][-1]),
            "known": float(series["known"][-1]),
            **{f"{name}": float(series[name][-1]) for name in self.metric_names[-3:]},
        }
        for name, part in (("cooperation", weight > 0), ("late_cooperation", (weight > 0) & late)):
            if part.any():
                found[name] = float(np.average(cooperation[part], weights=weight[part]))
        if self._deeds:
            found["seat_cooperation"] = self._kind_deeds / self._deeds
        if seats < self.params.people:
            gap = town.wealth[:seats].mean() - town.wealth[seats:].mean()
            found["seat_advantage"] = float(gap) / hours
        return found

    def _tables(self) -> dict[str, dict[str, list[Any]]]:
        return {"series": self._series()}

    def _series(self) -> dict[str, list[Any]]:
        return {name: list(kept) for name, kept in self.model.datacollector.model_vars.items()}

    # Words.

    def action_labels(self, seat: str) -> Any:
        """The places, then the deeds."""
        return town_words.labels(self.params)

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to live here."""
        return town_words.rules(self.params, seat, self.how_to_answer(seat))

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any] = NOTHING) -> str:
        """The hour, the place, whom one meets and what happened last."""
        return town_words.describe(self.params, self._index[seat], observation, info)

    def render(self) -> str:
        """The town's figures, and what each seat is told."""
        told = "\n".join(
            f"[{seat}] {self.describe(seat, self._observe(seat), self._info(seat))}"
            for seat in self.possible_seats
        )
        last = {name: kept[-1] for name, kept in self._series().items() if kept}
        figures = ", ".join(f"{name} {value:.3g}" for name, value in last.items())
        return f"{figures or 'the first hour'}\n{told}"

    def draw(self) -> Image:
        """The places with everybody in them, and the course of cooperation."""
        from .town_picture import town_picture

        return town_picture(self.params, self.model.town, self._series())
