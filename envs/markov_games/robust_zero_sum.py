"""Robust zero-sum: a Markov game of two whose kernel may not be the one that was told.

What it is
    Two players choose at the same time, one is paid what the other pays, and the next state follows
    from both choices. What the players are told, and what data are recorded in, is the nominal
    kernel; what is played can be another one near it, drawn at random or chosen to harm one side.

Seats
    ``max``, who is paid the rewards, and ``min``, who pays them.

Observation
    Box float32 ``[S + 1]``: the state, one-hot, and the share of the steps that have passed.

Actions
    Discrete: the rows of ``max``, the columns of ``min``.

Rules
    The first state is drawn from the game's distribution, uniform in the drawn games. In each step
    both choose; the reward r(s, a, b), from 0 to 1, is paid and the next state is drawn from the
    kernel's row (s, a, b). With ``kernel`` nominal that is the game's own row; perturbed, one drawn
    near it once and for all; worst_for_max and worst_for_min, the row within ``radius`` (total
    variation) that is worst for that player if both play their best robust strategies. A seat
    without a legal answer plays its first action.

Reward
    ``max`` gets r, ``min`` gets -r. With ``fair``, the value that the nominal game has from the
    match's first state is taken off in equal parts: the game is the same, and a return above 0
    means having done better than the value, in either seat, so that the two can be compared.

End
    Truncated after ``horizon`` steps.

Words
    States and actions by name, with what ``max`` gets here for every pair of actions.

Parameters
    See ``RobustZeroSumParams``.

Metrics
    ``paid``: sum of r; ``paid_per_step``.

Source
    Li et al., Sample-Efficient Tabular Self-Play for Offline Robust Reinforcement Learning (NeurIPS
    2025): dense is its random game, whose size is 50 states and 2 actions each over 100 steps. The
    other games are ours, but for soccer (Littman, 1994).

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import NOTHING, Action

from ..world import RuleWorld
from .games import GENERATORS, MarkovGame, feared, perturbed
from .uncertainty import check_radius, worst_kernel

MAX, MIN = "max", "min"
CUSTOM = "custom"
GAMES = (*GENERATORS, CUSTOM)
KERNELS = ("nominal", "perturbed", "worst_for_max", "worst_for_min")
MAX_CELLS = 20_000_000
"""Entries of a kernel: 160 MB."""
MAX_WORK = 10_000_000_000
"""Entries times steps, for what has to be solved before the first match: about ten seconds."""


@dataclass(frozen=True)
class RobustZeroSumParams:
    """Parameters of ``robust_zero_sum-v0``; plain data throughout."""

    game: str = field(
        default="dirichlet", metadata={"doc": "how the game is made", "choices": GAMES}
    )
    states: int = field(
        default=10, metadata={"doc": "states of a drawn game", "range": [1, 10_000]}
    )
    rows: int = field(
        default=2, metadata={"doc": "actions of max in a drawn game", "range": [1, 100]}
    )
    columns: int = field(
        default=2, metadata={"doc": "actions of min in a drawn game", "range": [1, 100]}
    )
    horizon: int = field(default=20, metadata={"doc": "steps", "range": [1, 100_000]})
    game_seed: int = field(default=0, metadata={"doc": "which drawn game", "range": [0, 2**32 - 1]})
    transitions: tuple[Any, ...] | None = field(
        default=None, metadata={"doc": "a kernel of one's own: [S][A][B][S], nested lists"}
    )
    rewards: tuple[Any, ...] | None = field(
        default=None, metadata={"doc": "rewards of one's own: [S][A][B], from 0 to 1"}
    )
    kernel: Literal["nominal", "perturbed", "worst_for_max", "worst_for_min"] = field(
        default="nominal", metadata={"doc": "what is played", "choices": KERNELS}
    )
    radius: float = field(
        default=0.2,
        metadata={"doc": "how far, in total variation, it may be from nominal", "range": ">= 0"},
    )
    kernel_seed: int = field(
        default=0, metadata={"doc": "which perturbed kernel", "range": [0, 2**32 - 1]}
    )
    fair: bool = field(
        default=True,
        metadata={"doc": "take the game's value off the rewards; else max always gets the more"},
    )
    known_game: bool = field(default=True, metadata={"doc": "tell the nominal game"})

    def __post_init__(self) -> None:
        for name, choices in (("game", GAMES), ("kernel", KERNELS)):
            if getattr(self, name) not in choices:
                raise UnknownName(name, str(getattr(self, name)), choices, where="robust_zero_sum")
        for item in fields(self):
            span = item.metadata.get("range")
            value = getattr(self, item.name)
            if isinstance(span, list) and (
                isinstance(value, bool)
                or not isinstance(value, int)
                or not span[0] <= value <= span[1]
            ):
                raise UsageError(
                    f"robust_zero_sum: {item.name} must be a whole number from {span[0]} to "
                    f"{span[1]}, got {value!r:.60}"
                )
        check_radius(self.radius, "robust_zero_sum: radius")
        for name in ("fair", "known_game"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"robust_zero_sum: {name} must be true or false")
        if (self.transitions is None) != (self.rewards is None):
            raise UsageError("robust_zero_sum: transitions and rewards belong together; give both")
        if self.rewards is not None:
            for name in ("transitions", "rewards"):
                object.__setattr__(self, name, _frozen(getattr(self, name)))
            object.__setattr__(self, "game", CUSTOM)
        elif self.game == CUSTOM:
            raise UsageError("robust_zero_sum: game custom needs transitions and rewards")
        else:
            self._refuse_large()

    def _refuse_large(self) -> None:
        cells = self.states**2 * self.rows * self.columns
        if cells > MAX_CELLS:
            raise UsageError(
                f"robust_zero_sum: the kernel of {self.states} states and {self.rows} x "
                f"{self.columns} actions would have {cells:,} entries; at most {MAX_CELLS:,}"
            )
        if cells * self.horizon > MAX_WORK and (self.fair or self.kernel.startswith("worst")):
            raise UsageError(
                f"robust_zero_sum: values of a kernel of {cells:,} entries over {self.horizon} "
                "steps take too long to work out: shorten the horizon, or use fair=false and the "
                "nominal or a perturbed kernel"
            )

    def nominal(self) -> dict[str, Any]:
        """The parameters that make the nominal game: what the players are told."""
        told = ["game", "states", "rows", "columns", "horizon", "game_seed"]
        if self.game == CUSTOM:
            told = ["horizon", "transitions", "rewards"]
        return {name: getattr(self, name) for name in told}

    def build(self) -> MarkovGame:
        """The nominal game."""
        return _built(self).nominal


class _Built(NamedTuple):
    nominal: MarkovGame
    played: MarkovGame
    fear: Any
    worth: Any


@lru_cache(maxsize=8)
def _built(p: RobustZeroSumParams) -> _Built:
    """Games are large and never written to: equal parameters share one."""
    if p.game == CUSTOM:
        game = _custom(p)
    else:
        size = (p.states, p.rows, p.columns)
        game = GENERATORS[p.game](size, p.horizon, np.random.default_rng(p.game_seed))
    played, fear = game, None
    if p.kernel == "perturbed":
        played = perturbed(game, p.radius, np.random.default_rng([p.game_seed, p.kernel_seed]))
    elif p.kernel != "nominal":
        fear = feared(game, p.radius, against=p.kernel.removeprefix("worst_for_"))
    worth = feared(game, 0.0)[0] / p.horizon if p.fair else np.zeros(game.states)
    return _Built(game, played, fear, worth)


def _custom(p: RobustZeroSumParams) -> MarkovGame:
    try:
        kernel, rewards = np.array(p.transitions, np.float64), np.array(p.rewards, np.float64)
    except (TypeError, ValueError):
        raise UsageError(
            "robust_zero_sum: transitions and rewards must be nested lists of numbers, of shapes "
            "[S][A][B][S] and [S][A][B]"
        ) from None
    states = len(rewards)
    start = np.full(states, 1.0 / max(states, 1))
    return MarkovGame(kernel[None], rewards[None], start, p.horizon)


class RobustZeroSum(RuleWorld):
    """Two choose at once; one is paid what the other pays; the kernel may not be the told one."""

    id: ClassVar[str] = "robust_zero_sum-v0"
    kind = "zero_sum"
    fault_rule = "A seat without a legal answer plays its first action."
    metric_names = ("paid", "paid_per_step")

    def __init__(self, **params: Any) -> None:
        self.params = p = RobustZeroSumParams(**params)
        game = self.game
        self.horizon = p.horizon
        self.return_range = (-float(p.horizon), float(p.horizon))
        space = spaces.Box(0.0, 1.0, (game.states + 1,), np.float32)
        rows, columns = game.counts
        self._seat_all(
            [MAX, MIN],
            {MAX: space, MIN: space},
            {MAX: spaces.Discrete(rows), MIN: spaces.Discrete(columns)},
            roles={MAX: MAX, MIN: MIN},
        )
        self._place, self._clock, self._paid, self._worth = 0, 0, 0.0, 0.0

    @property
    def game(self) -> MarkovGame:
        """The nominal game, shared between worlds: not to be written to."""
        return _built(self.params).nominal

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._draws = rng
        self._place, self._clock, self._paid = self._drawn(self.game.start), 0, 0.0
        self._worth = float(_built(self.params).worth[self._place])

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        row, column = (int(actions[seat] or 0) for seat in (MAX, MIN))
        built, step = _built(self.params), self._clock
        reward = float(built.nominal.reward(step)[self._place, row, column])
        odds = built.played.kernel(step)[self._place, row, column]
        if built.fear is not None:
            sign = 1.0 if self.params.kernel == "worst_for_max" else -1.0
            odds = worst_kernel(odds, sign * built.fear[step + 1], self.params.radius)
        self._place = self._drawn(odds)
        self._clock += 1
        self._paid += reward
        gain = reward - self._worth
        return {MAX: gain, MIN: -gain}

    def _drawn(self, odds: Any) -> int:
        running = odds.cumsum()
        luck = self._draws.random() * running[-1]
        return int(np.searchsorted(running, luck, side="right"))

    def _ended(self) -> tuple[bool, bool, str]:
        over = self._clock >= self.params.horizon
        return False, over, "the horizon was reached" if over else ""

    def _observe(self, seat: str) -> Any:
        seen = np.zeros(self.game.states + 1, np.float32)
        seen[self._place] = 1.0
        seen[-1] = self._clock / self.params.horizon
        return seen

    def _info(self, seat: str) -> Mapping[str, Any]:
        told = self.params.known_game and self._clock == 0  # once: the first turn
        return {"game": self.params.nominal()} if told else NOTHING

    def _state(self) -> bytes:
        return repr((self._place, self._clock, self._paid, self._worth)).encode()

    def _metrics(self) -> dict[str, float]:
        return {"paid": self._paid, "paid_per_step": self._paid / max(self._clock, 1)}

    # Words.

    def action_labels(self, seat: str) -> Any:
        """The game's own names, or letters: capital ones for ``max``, small ones for ``min``."""
        count = self.game.counts[0 if seat == MAX else 1]
        if self.game.actions:
            return self.game.actions
        first = "A" if seat == MAX else "a"
        return tuple(chr(ord(first) + index) for index in range(count)) if count <= 26 else None

    def rules(self, seat: str) -> str:
        """Who pays whom, how long, and whether the world may be another than it is said to be."""
        pays = "is paid" if seat == MAX else "pays"
        fair = "What the game is worth from its first state is taken off, in equal parts a step. "
        fair = fair if self.params.fair else ""
        story = f"{self.game.story} " if self.game.story else ""
        return (
            f"You are {seat}. In each of {self.params.horizon} steps max and min choose an action "
            "at the same time. The state and both actions decide what min pays max, from 0 to 1, "
            f"and how likely each next state is; there are {self.game.states} states. {story}"
            f"{seat.capitalize()} {pays}: your aim is the "
            f"{'highest' if seat == MAX else 'lowest'} total. {fair}The chances of next states may "
            f"differ somewhat from those known beforehand.\n{self.how_to_answer(seat)}"
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any] = NOTHING) -> str:
        """The step, the state, and what each pair of actions pays here."""
        horizon = self.params.horizon
        place, step = int(np.argmax(observation[:-1])), round(float(observation[-1]) * horizon)
        said = self.game.names[place] if self.game.names else f"state {place}"
        begins = f"Step {step + 1} of {horizon}" if step < horizon else "It is over"
        lines = [f"{begins}: {said}."]
        if not self.params.known_game or step >= horizon:
            return lines[0]
        pays = self.game.reward(step)[place]
        if np.ptp(pays) == 0:
            return f"{lines[0]} This step, max gets {pays.flat[0]:.3g} whatever is chosen."
        rows, columns = self._names(MAX), self._names(MIN)
        for name, row in zip(rows, pays, strict=True):
            cells = ", ".join(f"{c} {v:.3g}" for c, v in zip(columns, row, strict=True))
            lines.append(f"If max plays {name}, max gets, by min's action: {cells}.")
        return "\n".join(lines)

    def _names(self, seat: str) -> tuple[str, ...]:
        count = self.game.counts[0 if seat == MAX else 1]
        return tuple(self.action_labels(seat) or map(str, range(count)))

    def render(self) -> str:
        """The state for a spectator: a board where the game has one."""
        said = super().render().splitlines()[0].removeprefix(f"[{MAX}] ")
        boards = self.game.boards
        total = f"max has been paid {self._paid:.3g}."
        return "\n".join([said, *([boards[self._place]] if boards else []), total])


def _frozen(value: Any) -> Any:
    """Nested lists as nested tuples, so that equal parameters are found equal."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
