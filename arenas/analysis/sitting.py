"""Questions taken to the agent on a bench, each few in a match of their own, and its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..judging.eliciting import Elicitation, Plan
from ..judging.judgements import Judgements
from ..ratings.pair_counts import Floats
from .studies import Bench


class Sitting:
    """Asks in a world whose parameter ``asked`` takes questions and whose table is ``judgements``.

    Args:
        bench: with the agent.
        world: its id.
        params: of the world, at every question.
        together: questions in one match; more is quicker, but they may be remembered.

    Attributes:
        bench: as given.
        matches: played so far.
    """

    def __init__(
        self, bench: Bench, world: str, params: Mapping[str, Any], together: int = 1
    ) -> None:
        self.bench, self.matches = bench, 0
        self._world, self._params, self._together = world, params, together

    def ask(
        self, name: str, questions: Sequence[Any], params: Mapping[str, Any], before: int = 0
    ) -> Floats:
        """The answers, NaN where there was none.

        Args:
            name: of the run.
            questions: what the world calls ``asked``.
            params: further ones of the world.
            before: questions asked earlier; cells are numbered on, since their names are what
                agents' seeds come from.
        """
        if not len(questions):
            return np.zeros(0)
        cells = [
            {
                "id": self._world,
                "name": f"{before + number * self._together:07}",
                "params": {**self._params, **params, "asked": part},
            }
            for number, part in enumerate(_parts(questions, self._together))
        ]
        run = self.bench.play(
            name, worlds=cells, schedule={"kind": "self_play", "repeats": 1}, metrics=["answered"]
        )
        self.matches += len(run.rows)
        table = run.world_table("judgements")
        answers = table.sort_values(["cell"], kind="stable")["answer"]
        return np.asarray(answers.to_numpy(dtype=np.float64, na_value=np.nan))

    def elicit(self, name: str, plan: Plan, params: Mapping[str, Any]) -> Judgements:
        """Ask what the plan asks; its rounds are runs called ``name-1`` and so on."""
        study, number = Elicitation(plan), 0
        while len(asked := study.questions()):
            number += 1
            before = len(study.judgements)
            study.answer(self.ask(f"{name}-{number}", asked.tolist(), params, before))
        return study.judgements


def _parts(questions: Sequence[Any], together: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(questions), together):
        yield questions[start : start + together]
