"""A table of softmax logits as a student and as an agent: for worlds small enough to have one.

The states are the observations met, as they are; a Discrete observation is its own row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete

from gymposium.errors import UsageError
from gymposium.types import Agent, Seat, Turn

from ...wire import to_json
from .episodes import Episodes
from .student import PolicyGradient

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_GROWTH = 64
"""Rows a table of unnumbered observations grows by, at least."""


class SoftmaxTable:
    """Logits by observation.

    Attributes:
        logits: float64 ``[rows, choices]``; zeros, the uniform policy, where nothing was learned.
    """

    def __init__(self, seat: Seat) -> None:
        """An empty table.

        Raises:
            UsageError: the seat's choice is not Discrete.
        """
        if not isinstance(seat.action_space, Discrete):
            raise UsageError(
                f"a table needs a Discrete choice, and {seat.id} has {seat.action_space}: take "
                "another student"
            )
        space = seat.observation_space
        self.start = int(seat.action_space.start)
        self.numbered = isinstance(space, Discrete)
        self._first = int(space.start) if isinstance(space, Discrete) else 0
        rows = int(space.n) if isinstance(space, Discrete) else _GROWTH
        self.logits = np.zeros((rows, int(seat.action_space.n)))
        self.keys: dict[str, int] = {}

    def rows(self, observations: Sequence[Any], *, grow: bool) -> Array:
        """The row of each, int ``[n]``; -1 for one never met, unless the table may grow."""
        if self.numbered:
            return np.asarray(observations, np.int64) - self._first
        return np.array([self._row(_key(seen), grow) for seen in observations], np.int64)

    def _row(self, key: str, grow: bool) -> int:
        row = self.keys.get(key, -1)
        if row < 0 and grow:
            row = self.keys[key] = len(self.keys)
            if row >= len(self.logits):
                more = np.zeros((max(_GROWTH, row), self.logits.shape[1]))
                self.logits = np.concatenate([self.logits, more])
        return row

    def probabilities(self, rows: Array, masks: Array | None = None) -> Array:
        """float64 ``[n, choices]``; a row of -1 is uniform."""
        scores = np.where((rows < 0)[:, None], 0.0, self.logits[rows])
        if masks is not None:
            scores = np.where(masks, scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        made: Array = weights / weights.sum(-1, keepdims=True)
        return made

    def state_dict(self) -> dict[str, Any]:
        """The rows in use."""
        used = len(self.logits) if self.numbered else len(self.keys)
        return {"logits": self.logits[:used].copy(), "keys": list(self.keys)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        kept = np.asarray(state["logits"], np.float64)
        self.keys = {key: row for row, key in enumerate(state["keys"])}
        self.logits = np.zeros((max(len(kept), _GROWTH), kept.shape[1]))
        self.logits[: len(kept)] = kept


def draw(probabilities: Array, uniform: Array) -> Array:
    """A choice a row, int ``[n]``, by inversion."""
    reached = np.cumsum(probabilities, -1) > uniform[:, None]
    # Rounding can leave the last choice unreached: then the likeliest is taken.
    drawn: Array = np.where(reached.any(-1), reached.argmax(-1), probabilities.argmax(-1))
    return drawn


class TableStudent(PolicyGradient):
    """REINFORCE on a table.

    Args:
        seat: whose spaces it is for.
        lr: rate.
        baseline: see :class:`PolicyGradient`.
        epsilon: share of uniform choices in what it plays, while learning.
        rng: where its draws come from.
    """

    def __init__(
        self, seat: Seat, *, lr: float, baseline: str, epsilon: float, rng: np.random.Generator
    ) -> None:
        super().__init__(baseline)
        self.table = SoftmaxTable(seat)
        self._lr, self._epsilon, self._rng = lr, epsilon, rng

    def read(self, observations: Sequence[Any]) -> Array:
        """Rows of the table."""
        return self.table.rows(observations, grow=True)

    def decide(self, seen: Array, masks: Array | None) -> Array:
        """Draws from the softmax."""
        return draw(self._played(seen, masks)[0], self._rng.random(len(seen)))

    def act_on(self, choice: int, turn: Any) -> Any:
        """The number of the choice."""
        return choice + self.table.start

    def climb(self, episodes: Episodes, weights: Array) -> None:
        """Climb: theta += lr / N sum_k w_k sum_h grad log pi."""
        played, policy = self._played(episodes.seen, episodes.masks)
        every = np.arange(len(policy))
        gradient = -policy
        gradient[every, episodes.choices] += 1
        if self._epsilon:  # log of the mixture that was played
            taken = every, episodes.choices
            gradient *= ((1 - self._epsilon) * policy[taken] / played[taken])[:, None]
        gradient *= (self._lr / len(episodes) * weights[episodes.rows])[:, None]
        np.add.at(self.table.logits, episodes.seen, gradient)

    def _played(self, seen: Array, masks: Array | None) -> tuple[Array, Array]:
        """What is played, and the softmax in it."""
        policy = self.table.probabilities(seen, masks)
        if not self._epsilon:
            return policy, policy
        open_ = np.ones_like(policy) if masks is None else masks.astype(float)
        even = open_ / open_.sum(-1, keepdims=True)
        return (1 - self._epsilon) * policy + self._epsilon * even, policy

    def agent(self) -> Agent:
        """The softmax as an agent."""
        return TableAgent(self.table)

    def state_dict(self) -> dict[str, Any]:
        """The table and the moving average."""
        return {"table": self.table.state_dict(), "average": self._average}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.table.load_state_dict(state["table"])
        self._average = float(state["average"])


class TableAgent:
    """Draws from a table's softmax; of an observation never met, uniformly."""

    deterministic: ClassVar[bool] = True

    def __init__(self, table: SoftmaxTable) -> None:
        self._table = table

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: fresh draws."""
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> int:
        """A draw, within the mask."""
        rows = self._table.rows([turn.observation], grow=False)
        masks = None if turn.action_mask is None else np.array([turn.action_mask], bool)
        probabilities = self._table.probabilities(rows, masks)
        return int(draw(probabilities, self._rng.random(1))[0]) + self._table.start


def _key(observation: Any) -> str:
    if isinstance(observation, np.ndarray):
        return f"{observation.dtype.str}{observation.tobytes().hex()}"
    return repr(to_json(observation))
