"""``mesa:PACKAGE.MODULE:Model``: any Mesa model that says when it wants a decision, and whose.

The decision hook is four members of the model:

- ``seats``: name -> (observation space, action space) of those whose decisions come from outside;
- ``decisions()``: one tick as a generator. It yields the names of the seats that must decide now,
  is sent ``{name: action}``, may yield again, and is over when the tick is;
- ``observe(name)``: what that seat sees now;
- ``score(name)``: what it has earned so far; the reward of a step is the difference.

A model whose agents decide at the start of a tick ends its generator with ``self.step()``; one
whose agents decide in the midst of it yields there. Optional: ``mask(name)``, the legal actions
now, and ``action_names``, name -> words for its actions. A data collector's figures become metrics
(at the end) and the table ``series``. :mod:`.mesa_examples` gives the hook to two of Mesa's own.
"""

from __future__ import annotations

import importlib
import inspect
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from numbers import Real
from typing import Any

from gymposium.errors import UsageError
from gymposium.types import Action

from ..own_module import import_failure, module_at
from ..whereabouts import placed
from .foreign import ForeignWorld, check_kind, must_import

HOOK = ("seats", "decisions", "observe", "score")
_SCALARS = (Real, str, bool)


class MesaWorld(ForeignWorld):
    """A Mesa model with a decision hook."""

    def __init__(self, name: str, ticks: int = 100, kind: str = "mixed", **params: Any) -> None:
        """Make the model once, to learn its seats.

        Args:
            name: ``package.module:Model``, or ``file.py:Model``.
            ticks: after so many the match is cut off, unless the model stops ``running`` before.
            kind: ``zero_sum``, ``mixed`` or ``cooperative``; a model does not say.
            **params: handed to the model.

        Raises:
            MissingExtra: Mesa is not installed.
            UsageError: there is no such model, it cannot be made, or it lacks the hook.
        """
        if isinstance(ticks, bool) or not isinstance(ticks, int) or not 1 <= ticks <= 1_000_000:
            raise UsageError(f"mesa:{name}: ticks must be 1 to 1000000, got {ticks!r}")
        self.id = f"mesa:{name}"
        self.params = {"ticks": ticks, "kind": kind, **params}
        self.kind = check_kind(kind, self.id)
        self._ticks, self._given = ticks, params
        self._mesa = must_import("mesa", self.id, extra="mesa")
        self._class = self._found(name)
        self._release: Callable[[], object] = lambda: None
        self._model = self._made(0)
        self._now: tuple[str, ...] = ()
        collector = getattr(self._model, "datacollector", None)
        self.metric_names = tuple(getattr(collector, "model_vars", ()))  # type: ignore[misc]
        spaces = self._seats()
        self._seat_foreign(
            list(spaces),
            {seat: seen for seat, (seen, _) in spaces.items()},
            {seat: done for seat, (_, done) in spaces.items()},
            None,
        )

    def _found(self, name: str) -> type[Any]:
        place, _, attribute = name.rpartition(":")
        if not place:
            raise UsageError(f"{self.id}: say which model, as in mesa:package.module:Model")
        try:
            module = module_at(place)
        except (Exception, SystemExit) as error:  # the plug-in boundary
            raise UsageError(f"{self.id} cannot be found: {import_failure(error)}") from error
        try:
            model = getattr(module, attribute)
        except AttributeError as error:
            raise UsageError(f"{self.id} cannot be found: {error}") from error
        if not (isinstance(model, type) and issubclass(model, self._mesa.Model)):
            raise UsageError(f"{self.id}: {attribute} is not a mesa.Model")
        lacking = [member for member in HOOK[1:] if not callable(getattr(model, member, None))]
        if lacking:
            raise UsageError(
                f"{self.id} has no decision hook: it lacks {', '.join(lacking)}; a model with "
                f"seats needs {', '.join(HOOK)} (see gymposium.envs.adapters.mesa_world)"
            )
        return model

    def _made(self, seed: int) -> Any:
        taken = inspect.signature(self._class).parameters
        loose = any(item.kind is item.VAR_KEYWORD for item in taken.values())
        luck = "seed" if "seed" in taken else "rng" if "rng" in taken else "seed" if loose else ""
        if not luck:
            raise UsageError(
                f"{self.id} takes neither seed nor rng: hand one on to mesa.Model, so that a "
                "match can be repeated"
            )
        try:
            model = self._class(**{**self._given, luck: seed})
        except Exception as error:
            raise UsageError(placed(f"mesa cannot make {self.id!r}: {error}", error)) from error
        self._release()
        self._release = weakref.finalize(self, let_go, model)
        return model

    def _seats(self) -> dict[str, tuple[Any, Any]]:
        seats = getattr(self._model, "seats", None)
        try:
            found = {str(seat): (seen, done) for seat, (seen, done) in dict(seats or {}).items()}
        except (TypeError, ValueError):
            found = {}
        if not found:
            raise UsageError(
                f"{self.id} has no decision hook: its seats must be a mapping from a name to "
                f"(observation space, action space), got {seats!r:.80}"
            )
        return found

    # The rules.

    def _restart(self, seed: int) -> None:
        self._model = self._made(seed)
        self._tick: Generator[Any, Any, None] | None = None
        self._over_ticks = 0
        self._scores = {seat: self._score(seat) for seat in self.possible_seats}
        self._go_on(None)
        if not self._now:
            raise UsageError(f"{self.id}: {self._why} before any seat was asked to decide")
        self._look()

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        self._go_on(dict(actions))
        self._look()
        before, self._scores = self._scores, {s: self._score(s) for s in self.possible_seats}
        return {seat: score - before[seat] for seat, score in self._scores.items()}

    def _go_on(self, answers: Mapping[str, Action] | None) -> None:
        """Let the model run until somebody has to decide, or it is over."""
        self._now = ()
        while True:
            if self._tick is None:
                if not self._model.running:
                    self._finished, self._why = True, "the model has stopped running"
                    return
                if self._over_ticks >= self._ticks:
                    self._cut, self._why = True, f"{self._ticks} ticks have passed"
                    return
                self._tick, answers = self._begun(), None
            try:
                asked = self._tick.send(answers)
            except StopIteration:
                self._tick = None
                self._over_ticks += 1
                continue
            self._now = self._asked(asked)
            return

    def _begun(self) -> Generator[Any, Any, None]:
        tick = self._model.decisions()
        if isinstance(tick, Generator):
            return tick
        raise UsageError(
            f"{self.id}: decisions() must be a generator, which yields the names of seats; "
            f"it returned {type(tick).__name__}"
        )

    def _asked(self, asked: Any) -> tuple[str, ...]:
        names = {asked} if isinstance(asked, str) else set(asked or ())
        unknown = sorted(map(str, names - set(self.possible_seats)))
        if unknown or not names:
            what = f"asked {', '.join(unknown)}, which is no seat" if unknown else "asked nobody"
            raise UsageError(f"{self.id}: decisions() {what}; yield names of its seats")
        return tuple(seat for seat in self.possible_seats if seat in names)

    def _score(self, seat: str) -> float:
        return float(self._model.score(seat))

    def _look(self) -> None:
        self._seen = {seat: self._model.observe(seat) for seat in self.possible_seats}
        masks = getattr(self._model, "mask", None)
        self._masks = {} if masks is None else {seat: masks(seat) for seat in self._now}

    def _actors(self) -> Sequence[str]:
        return self._now

    # What Mesa's data collector has kept.

    def _series(self) -> dict[str, list[Any]]:
        kept = getattr(getattr(self._model, "datacollector", None), "model_vars", {})
        return {
            name: list(values)
            for name, values in kept.items()
            if all(isinstance(value, _SCALARS) for value in values)
        }

    def _metrics(self) -> dict[str, float]:
        return {
            name: float(values[-1])
            for name, values in self._series().items()
            if values and isinstance(values[-1], Real)
        }

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        series = self._series()
        return {"series": series} if series and len({*map(len, series.values())}) == 1 else {}

    # Words.

    def action_labels(self, seat: str) -> Any:
        """The model's ``action_names`` for this seat, if it has any."""
        return (getattr(self._model, "action_names", None) or {}).get(seat)

    def _about(self) -> str:
        return inspect.cleandoc(self._class.__doc__ or "")


def let_go(model: Any) -> None:
    """Take a model out of Mesa's table of ids, which would keep it alive for ever.

    Agents that were added to it after that would count from 1 again.
    """
    agent = importlib.import_module("mesa").Agent
    getattr(agent, "_ids", {}).pop(model, None)
