"""The town as a Mesa model: citizens are Mesa agents, their data are columns of shared arrays.

``Citizen`` reads its row of the arrays (:mod:`.town_rules`), so that Mesa's agent sets, reporters
and visualisation find ordinary agents, while an hour of a thousand of them is a few array
operations. ``benchmarks/town.py`` has the same town with a ``step`` per agent. All luck comes from
the generator handed in.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import mesa
import numpy as np

from ..adapters.mesa_world import let_go
from . import town_rules as rules
from .town_params import TownParams
from .town_rules import STRATEGIES, Array, Deed

COLUMNS = (
    "hour",
    "meetings",
    "cooperation",
    "payoff",
    "known",
    "goodwill",
    "crowd",
    *(f"{name}s" for name in STRATEGIES),
)
"""What the data collector keeps of every hour; see the page of ``town-v0``."""


class Citizen(mesa.Agent):  # type: ignore[misc]
    """One inhabitant: a view of its row."""

    model: TownModel

    @property
    def index(self) -> int:
        """Its row; Mesa counts from 1."""
        return int(self.unique_id) - 1

    @property
    def place(self) -> int:
        """Where it is."""
        return int(self.model.town.place[self.index])

    @property
    def wealth(self) -> float:
        """Sum of its payoffs."""
        return float(self.model.town.wealth[self.index])

    @property
    def strategy(self) -> str:
        """How it decides; ``seat`` if somebody else does."""
        if self.index < self.model.params.seats:
            return "seat"
        return STRATEGIES[int(self.model.town.strategy[self.index])]


class TownModel(mesa.Model):  # type: ignore[misc]
    """A town for an hour at a time: ``go`` and then ``step``, or ``step`` alone.

    Attributes:
        params: of the world.
        town: the arrays.
        payoffs: of the latest hour, float64 [people].
        datacollector: Mesa's, with one row of COLUMNS per hour.
    """

    def __init__(self, params: TownParams | None = None, rng: Any = None, **given: Any) -> None:
        """Found the town.

        Args:
            params: of the world; or its fields by name.
            rng: a generator, or a seed.
            **given: fields of :class:`TownParams`.
        """
        super().__init__(rng=rng)
        self.params = params or TownParams(**given)
        self.town = rules.founded(self.params, self.rng)
        self.payoffs: Array = np.zeros(self.params.people)
        self._luck: rules.Luck | None = None
        self._kind: Array = np.zeros(self.params.people, bool)
        Citizen.create_agents(self, self.params.people)
        let_go(self)
        self.datacollector = mesa.DataCollector(
            model_reporters={name: getattr(type(self), f"_{name}") for name in COLUMNS}
        )

    def go(self, chosen: Mapping[int, int | None]) -> None:
        """Everybody goes somewhere; ``chosen`` has the places that seats go to, None to stay."""
        self._luck = rules.drawn(self.params.people, self.rng)
        rules.go(self.town, self.params, self._luck, chosen)

    def step(self, deeds: Mapping[int, Deed | None] | None = None) -> None:
        """Play out the hour's meetings; a seat that is not in ``deeds`` acts by its strategy."""
        if self._luck is None:
            self.go({})
        luck: Any = self._luck
        self._luck = None
        self.payoffs, self._kind = rules.meet(self.town, self.params, luck, deeds or {})
        self.datacollector.collect(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Thousands of agents are views: the arrays and the generators are the whole state.
        kept = (self.town, self.payoffs, self._luck, self._kind)
        told = (self.steps, self.running, self.random.getstate(), self.datacollector.model_vars)
        return _revived, (self.params, self.rng, kept, told)

    # What the data collector asks.

    def _hour(self) -> int:
        return int(self.steps)

    def _met(self) -> Array:
        return self.town.partner >= 0

    def _meetings(self) -> int:
        return int(self._met().sum()) // 2

    def _cooperation(self) -> float:
        met = int(self._met().sum())
        return float(self._kind.sum()) / met if met else float("nan")

    def _payoff(self) -> float:
        return float(self.payoffs.mean())

    def _known(self) -> float:
        people = self.params.people
        return int(self.town.sums[1]) / (people * (people - 1))

    def _goodwill(self) -> float:
        total, known = self.town.sums.tolist()
        return float(total / known) if known else 0.0

    def _crowd(self) -> int:
        return int(np.bincount(self.town.place).max())

    def _share(self, strategy: int) -> float:
        cheap = self.town.strategy[self.params.seats :]
        return float((cheap == strategy).mean()) if len(cheap) else 0.0

    def _cooperators(self) -> float:
        return self._share(rules.COOPERATOR)

    def _defectors(self) -> float:
        return self._share(rules.DEFECTOR)

    def _discriminators(self) -> float:
        return self._share(rules.DISCRIMINATOR)


def _revived(
    params: TownParams, rng: np.random.Generator, kept: tuple[Any, ...], told: tuple[Any, ...]
) -> TownModel:
    model = TownModel(params, copy.deepcopy(rng))
    model.rng = rng  # as it was: founding the town above must not move it
    model.town, model.payoffs, model._luck, model._kind = kept
    model.steps, model.running, state, model.datacollector.model_vars = told
    model.random.setstate(state)
    return model
