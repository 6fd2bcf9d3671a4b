"""A partner at one's side: any world, in which some seats are advised before they act.

What it is
    The two-player Modified-Action MDP over any world of the registry, ours or another's. Before a
    collaborator acts it is given advice: by the world itself where that knows what is good, or by
    an intervention agent in a seat of its own. Advice may be wrong, and may be carried out in place
    of what the collaborator chose.

Seats
    Those of the world; with ``adviser: seat`` also ``intervention``, which acts before each turn of
    a collaborator.

Observation
    A collaborator's is a Dict: ``seen`` (the world's own), ``advice`` (an action),
    ``advised`` (1 if there is advice), ``counterfactual`` (1 if it is told that advice is useless).
    The intervention agent sees what its collaborator sees, and whom it advises. All others see what
    the world shows them.

Actions
    The world's own. The intervention agent's is an action for the collaborator.

Rules
    Each part of the advice arrives as it was meant with probability ``quality``, else as another
    legal value; with ``chance`` below 1 there are turns without advice. With probability ``modify``
    the advice that arrived is carried out instead of the collaborator's own action. Nobody is told
    these numbers.

Reward
    The world's own; the intervention agent gets the mean of its collaborators'.

End
    When the world ends.

Words
    The world's own, with a line for the advice. With ``counterfactual: told`` a sentence asks the
    collaborator to take the advice as useless; with ``hidden`` it does not see it either.

Parameters
    See ``AdvisedParams``.

Metrics
    Those of the world; ``advised`` (share of the collaborators' turns with advice); ``followed``
    (share of the parts of advised actions that agree with the advice); ``sound`` (share of the
    parts of advice that the world holds for good, where it knows); ``followed_sound``,
    ``followed_unsound``; ``modified`` (turns in which advice was carried out).

Source
    Langlois and Everitt (2021); Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in
    Multi-Party Collaboration (NeurIPS 2025). Derived: the wrapper over other worlds.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import NOTHING, Action

from .. import registry
from ..limits import choice
from ..world import RuleWorld
from .advice import Channel, advised_space, advised_view
from .advised_words import INTERVENTION, AdvisedWords

ADVISERS = ("world", "seat")
COUNTERFACTUALS = ("no", "told", "hidden")
COUNTS = ("turns", "advised", "parts", "followed", "sound", "followed_sound", "modified")
METRICS = ("advised", "followed", "sound", "followed_sound", "followed_unsound", "modified")


@dataclass(frozen=True)
class AdvisedParams:
    """Parameters of ``advised-v0``."""

    world: str = field(default="wason_cards-v0", metadata={"doc": "id of the world"})
    params: Mapping[str, Any] = field(
        default_factory=dict, metadata={"doc": "the world's parameters"}
    )
    collaborators: tuple[str, ...] = field(
        default=(), metadata={"doc": "seats that are advised; none named means all participants"}
    )
    adviser: str = field(
        default="world",
        metadata={"doc": "who advises: the world's own knowledge, or a seat", "choices": ADVISERS},
    )
    quality: float = field(
        default=0.9,
        metadata={"doc": "chance that a part of the advice is as meant", "range": "0-1"},
    )
    chance: float = field(
        default=1.0, metadata={"doc": "chance that there is advice in a turn", "range": "0-1"}
    )
    modify: float = field(
        default=0.0, metadata={"doc": "chance that advice is carried out", "range": "0-1"}
    )
    counterfactual: str = field(
        default="no",
        metadata={
            "doc": "tell collaborators that advice is useless, or hide it from them too",
            "choices": COUNTERFACTUALS,
        },
    )

    def __post_init__(self) -> None:
        where = "advised"
        choice(where, "adviser", self.adviser, ADVISERS)
        if not isinstance(self.params, Mapping):
            raise UsageError(f"{where}: params must hold the world's parameters by name")
        choice(where, "counterfactual", self.counterfactual, COUNTERFACTUALS)
        object.__setattr__(self, "params", dict(self.params))
        object.__setattr__(self, "collaborators", tuple(self.collaborators))
        for name, value in self.channel._asdict().items():
            object.__setattr__(self, name, value)

    @property
    def channel(self) -> Channel:
        """How advice arrives."""
        return Channel(self.quality, self.chance, self.modify).checked("advised")


class Advised(AdvisedWords, RuleWorld):
    """Any world, with advice."""

    id: ClassVar[str] = "advised-v0"
    inner: Any

    def __init__(self, **params: Any) -> None:
        self.params = p = AdvisedParams(**params)
        if p.world.startswith("advised"):
            raise UsageError("advised: a world that is advised already cannot be advised again")
        self.inner = inner = registry.make_world(p.world, **p.params)
        self.kind = inner.kind
        self.fault_rule, self.return_range = inner.fault_rule, inner.return_range
        self.metric_names = (*getattr(inner, "metric_names", ()), *METRICS)
        for seat in p.collaborators:
            if seat not in inner.seats:
                raise UnknownName("seat", seat, inner.seats, where=p.world)
        everybody = tuple(seat for seat, told in inner.seats.items() if told.role != "judge")
        self.collaborators = p.collaborators or everybody
        if not self.collaborators:
            raise UsageError(
                f"advised: {p.world} has no seats but judges; name those to advise: collaborators"
            )
        if p.adviser == "world" and not hasattr(inner, "good_action"):
            raise UsageError(
                f"advised: {p.world} does not know what is good; let somebody advise: adviser: seat"
            )
        self._sit()

    def _sit(self) -> None:
        p, inner = self.params, self.inner
        seats = inner.seats
        seen = {
            seat: advised_space(told.observation_space, told.action_space)
            if seat in self.collaborators
            else told.observation_space
            for seat, told in seats.items()
        }
        actions = {seat: told.action_space for seat, told in seats.items()}
        roles = {seat: told.role for seat, told in seats.items()}
        extra = 0
        if p.adviser == "seat":
            first = self.collaborators[0]
            extra = len(self.collaborators)
            for seat in self.collaborators:
                told, model = seats[seat], seats[first]
                if (told.action_space, told.observation_space) != (
                    model.action_space,
                    model.observation_space,
                ):
                    raise UsageError(
                        f"advised: {first} and {seat} see or do different things; name one of them"
                    )
            whom = spaces.Discrete(extra)
            seen[INTERVENTION] = spaces.Dict({"whom": whom, "seen": seen[first]["seen"]})
            actions[INTERVENTION] = actions[first]
            roles[INTERVENTION] = INTERVENTION
        self.horizon = None if inner.horizon is None else inner.horizon * (1 + extra)
        self._counts = dict.fromkeys(COUNTS, 0)
        self._advice: dict[str, Any] = {}
        self._queue: list[str] = []
        teams = {seat: told.team for seat, told in seats.items() if told.team}
        self._seat_all(list(seen), seen, actions, roles=roles, teams=teams)

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._counts = dict.fromkeys(COUNTS, 0)
        self.inner.reset(int(rng.integers(2**63)))
        self._consult()

    def _consult(self) -> None:
        """A turn of the world begins: have its collaborators advised."""
        asked = [seat for seat in self.inner.actors() if seat in self.collaborators]
        self._advice, self._queue = {}, []
        if self.params.adviser == "seat":
            self._queue = asked
        else:
            for seat in asked:
                self._receive(seat, self.inner.good_action(seat))

    def _receive(self, seat: str, meant: Action) -> None:
        inner = self.inner
        mask = getattr(inner, "advice_mask", inner.mask)(seat)
        space = inner.seats[seat].action_space
        self._advice[seat] = self.params.channel.deliver(meant, space, mask, self._rng)

    def _actors(self) -> Sequence[str]:
        return (INTERVENTION,) if self._queue else self.inner.actors()

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        nothing = dict.fromkeys(self.possible_seats, 0.0)
        if INTERVENTION in actions:
            self._receive(self._queue.pop(0), actions[INTERVENTION])
            return nothing
        done = {seat: self._carried_out(seat, action) for seat, action in actions.items()}
        self.inner.step(done)
        rewards = {**nothing, **self.inner.rewards}
        if self.params.adviser == "seat":
            rewards[INTERVENTION] = float(np.mean([rewards[seat] for seat in self.collaborators]))
        if any(self.inner.ended):
            self._result = self.inner.outcome
        else:
            self._consult()
        return rewards

    def _carried_out(self, seat: str, action: Action) -> Action:
        """The action that takes place, and its entry in the books."""
        if seat not in self.collaborators:
            return action
        counts, advice = self._counts, self._advice.get(seat)
        counts["turns"] += 1
        swapped = advice is not None and self._rng.random() < self.params.modify
        if advice is None:
            return action
        counts["advised"] += 1
        space = self.inner.seats[seat].action_space
        good = self.inner.good_action(seat) if hasattr(self.inner, "good_action") else None
        if action is not None:
            counted = getattr(self.inner, "as_counted", None)
            meant = action if counted is None else counted(seat, action)
            for mine, told, best in _parts(meant, advice, good, space):
                counts["parts"] += 1
                counts["followed"] += mine == told
                counts["sound"] += told == best
                counts["followed_sound"] += mine == told == best
        if swapped:
            counts["modified"] += 1
            return advice
        return action

    def _observe(self, seat: str) -> Any:
        if seat == INTERVENTION:
            whom = self._queue[0] if self._queue else self.collaborators[0]
            place = self.collaborators.index(whom)
            return {"whom": place, "seen": self.inner.observe(whom)}
        seen = self.inner.observe(seat)
        if seat not in self.collaborators:
            return seen
        told = self.params.counterfactual
        advice = None if told == "hidden" else self._advice.get(seat)
        space = self.inner.seats[seat].action_space
        return advised_view(seen, advice, space, counterfactual=told != "no")

    def _mask(self, seat: str) -> Any:
        return self.inner.mask(self._whom(seat))

    def _info(self, seat: str) -> Mapping[str, Any]:
        if seat != INTERVENTION:
            found: Mapping[str, Any] = self.inner.info(seat)
            return found
        mask = self._mask(seat)
        return NOTHING if mask is None else {"action_mask": mask}

    def _whom(self, seat: str) -> str:
        if seat != INTERVENTION:
            return seat
        return self._queue[0] if self._queue else self.collaborators[0]

    def _check(self, seat: str, action: Action) -> None:
        self.inner.check(self._whom(seat), action)

    def _ended(self) -> tuple[bool, bool, str]:
        terminated, truncated = self.inner.ended
        return terminated, truncated, self._result.reason if terminated or truncated else ""

    def _state(self) -> bytes:
        plain = repr((self._advice, self._queue, self._counts)).encode()
        return bytes(self.inner.fingerprint()) + plain

    def _metrics(self) -> dict[str, float]:
        c, found = self._counts, dict(self._result.metrics)
        shares = {
            "advised": (c["advised"], c["turns"]),
            "followed": (c["followed"], c["parts"]),
            "modified": (c["modified"], c["turns"]),
        }
        if hasattr(self.inner, "good_action"):
            wrong = c["parts"] - c["sound"]
            shares["sound"] = (c["sound"], c["parts"])
            shares["followed_sound"] = (c["followed_sound"], c["sound"])
            shares["followed_unsound"] = (c["followed"] - c["followed_sound"], wrong)
        return found | {name: hits / cases for name, (hits, cases) in shares.items() if cases}

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        tables: Mapping[str, Mapping[str, Sequence[Any]]] = self._result.tables
        if self.params.adviser == "world":
            return tables
        return {name: table for name, table in tables.items() if name != "turns"}  # of other steps

    def good_action(self, seat: str) -> Action:
        """The world's own idea of a good action."""
        return self.inner.good_action(self._whom(seat))

    def render(self) -> str:
        """The world, and the advice of the turn."""
        told = [str(self.inner.render())]
        for seat, advice in self._advice.items():
            named = "nothing" if advice is None else self.inner.words.format(seat, advice)
            told.append(f"Advice to {seat}: {named}")
        return "\n".join(told)

    def close(self) -> None:
        """Release what the world holds."""
        self.inner.close()


def _parts(mine: Any, told: Any, best: Any, space: Any) -> list[tuple[int, int, int | None]]:
    """The numbers of three actions side by side; words and amounts are left out."""
    match space:
        case spaces.Discrete():
            return [(int(mine), int(told), None if best is None else int(best))]
        case spaces.MultiDiscrete() | spaces.MultiBinary():
            known = [None] * int(np.prod(space.shape)) if best is None else np.ravel(best).tolist()
            return list(zip(np.ravel(mine).tolist(), np.ravel(told).tolist(), known, strict=True))
        case spaces.Dict():
            return [
                part
                for key, inner in space.spaces.items()
                for part in _parts(mine[key], told[key], None if best is None else best[key], inner)
            ]
        case spaces.Tuple():
            bests = [None] * len(space.spaces) if best is None else best
            each = zip(mine, told, bests, space.spaces, strict=True)
            return [part for four in each for part in _parts(*four)]
    return []
