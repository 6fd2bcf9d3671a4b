"""A Concordia entity in a seat: what the world says it observes, what it is asked it acts on.

The entity is Concordia's own, built by a prefab and run as it is, in a thread. Its model is one of
ours (:mod:`.concordia_model`), its memory bank embeds with all-MiniLM-L6-v2 where that is
installed, else by words. A turn becomes an observation and an action spec: a choice where the legal
answers can be listed, otherwise free text, whose form is the world's schema.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import orjson

from gymposium.errors import UsageError
from gymposium.types import Outcome, Reply, Seat, Turn

from ..user_code import load_thing
from .answer_schema import answer_schema
from .backends.choosing import legal_values
from .backends.pool import get_backend
from .minds.bm25 import words
from .minds.embedding import can_embed, embed
from .prompt import again_message, asked_again, neutral, turn_message

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "concordia.prefabs.entity"
MOST_OPTIONS = 26
"""Concordia letters its options from a to z."""
_MOST_SHOWN = 600  # characters of a component's value in the record
_WIDTH = 256


class ConcordiaAgent:
    """A seat played by a Concordia entity.

    Args:
        target: the module of a prefab, or the absolute path of a file with one.
        attr: the prefab's class.
        params: of the prefab; its ``name`` is the seat's unless given.
        model: as after ``llm:``.
        settings: of the model's backend.
        options: further arguments of :class:`.concordia_model.ConcordiaModel`.

    Raises:
        UsageError: what is named is no prefab.
    """

    language = True
    announces_calls = True  # they pass the door where budgets are kept

    def __init__(
        self,
        target: str,
        attr: str,
        params: Mapping[str, Any],
        model: str,
        settings: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        from concordia.typing.prefab import Prefab

        prefab = load_thing(target, attr)
        if not (isinstance(prefab, type) and issubclass(prefab, Prefab)):
            raise UsageError(f"concordia:{target}:{attr} is not a prefab of Concordia's")
        self._prefab = prefab
        self._params = dict(params)
        self._backend = get_backend(model, settings)
        self._options = dict(options)

    def reset(self, seat: Seat, seed: int) -> None:
        """Build the entity anew and tell it the rules."""
        from concordia.associative_memory.basic_associative_memory import AssociativeMemoryBank

        from .concordia_model import ConcordiaModel

        self._rng = np.random.default_rng(seed)
        self._time_limit = seat.time_limit
        self._model = ConcordiaModel(self._backend, seed=seed, **self._options)
        prefab = self._prefab()
        own: dict[str, Any] = dict(prefab.params)
        if "randomize_choices" in own:
            own["randomize_choices"] = False  # by a generator nobody seeds; shuffled here instead
        prefab.params = {**own, "name": seat.id, **self._params}
        embedder = embed if can_embed() else by_words
        self._entity: Any = prefab.build(self._model, AssociativeMemoryBank(embedder))
        self._entity.observe(neutral(seat.rules))

    async def act(self, turn: Turn) -> Reply:
        """Let the entity observe the turn and act.

        Returns:
            Its answer, with every model call, and in ``trace`` what each component had to say.

        Raises:
            BudgetSpent, BackendError, TimeoutError: as its model's.
            InvalidResponseError: it could not choose.
        """
        said = turn_message(turn)
        if asked_again(turn.info):
            said = again_message(turn.info["error"])
        name = self._entity.name
        call = f"Exercise of turn {turn.step}: what does {name} answer, in the form the rules ask?"
        values = legal_values(turn.schema)
        form = None
        if not 1 < len(values) <= MOST_OPTIONS:
            values = []
            form = answer_schema(turn.schema, think=False, max_text=None)
        order = [values[index] for index in self._rng.permutation(len(values))]
        with self._model.called_from_here(call, form, self._time_limit):
            text = await asyncio.to_thread(self._act, said["content"], call, order)
        answer = text.removeprefix(name).strip()
        return Reply(text=answer, calls=self._model.calls(), trace=self._log())

    def end(self, outcome: Outcome) -> None:
        """The match is over; the entity is let go."""
        self._entity = None

    def _act(self, said: str, call: str, options: Sequence[Any]) -> str:
        from concordia.typing import entity as entities
        from concordia.typing.entity_component import Phase

        # Concordia fills in names by str.format.
        call = call.replace("{", "{{").replace("}", "}}")
        shown = [option if isinstance(option, str) else _json(option) for option in options]
        spec = (
            entities.choice_action_spec(call_to_action=call, options=shown)
            if shown
            else entities.free_action_spec(call_to_action=call)
        )
        try:
            self._entity.observe(said)
            return str(self._entity.act(spec))
        except BaseException:
            # Left in the middle of its cycle it would refuse to be asked again.
            self._entity.set_phase(Phase.READY)
            raise

    def _log(self) -> list[Mapping[str, Any]]:
        """What each component said last, as plain data."""
        found: Mapping[str, Any] = getattr(self._entity, "get_last_log", dict)()
        return [
            {"kind": "component", "name": name, "value": str(entry["Value"])[:_MOST_SHOWN]}
            for name, entry in sorted(found.items())
            if isinstance(entry, Mapping) and entry.get("Value")
        ]


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def by_words(text: str) -> NDArray[np.float32]:
    """A vector of length 1 that is close to those of texts with the same words."""
    vector = np.zeros(_WIDTH, np.float32)
    for word in words(text):
        vector[crc32(word.encode()) % _WIDTH] += 1
    return vector / max(float(np.linalg.norm(vector)), 1e-12)


def shipped_prefabs() -> list[str]:
    """The names of the prefabs of entities that come with Concordia."""
    import pkgutil

    folder = importlib.import_module(PACKAGE).__path__
    names = (module.name for module in pkgutil.iter_modules(folder))
    return sorted(name for name in names if not name.endswith("_test"))


def shipped_parameters(name: str) -> dict[str, Any]:
    """The parameters of a shipped prefab with their defaults."""
    return dict(importlib.import_module(f"{PACKAGE}.{name}").Entity().params)
