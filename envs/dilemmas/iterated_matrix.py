"""Iterated matrix games: the prisoners' dilemma and its relatives, round after round.

What it is
    Seats choose an action each at the same time; a payoff matrix says what each gets; they see
    what was played and go again. The oldest laboratory of cooperation.

Seats
    ``player_0``, ``player_1``, …: two in the classics, 2 to 50 in public goods, as many as the
    matrix has levels in a game of one's own.

Observation
    A Dict. ``round``: rounds played so far. ``last``: per seat, oneself first and the others in
    seating order after oneself, what was played in the last round: 0 nothing yet, ``1 + action``,
    or ``1 + number of actions`` for a seat that gave no legal answer. With talk also ``phase``
    (0 speak, 1 choose) and ``heard`` (what each said this round, in the same order).

Actions
    Discrete, named by the game (``cooperate``, ``defect``). With talk a Dict ``{say, move}``, of
    which only one part is open in each phase: the mask closes the other.

Rules
    All seats act at the same time. With ``talk`` every round begins with one message from each
    seat, sent at the same time, not binding, seen by all before they choose.

Reward
    The payoff of each round. A seat without a legal answer has its first action played and earns
    the lowest payoff of the matrix; the others get what that action gives them.

End
    After ``rounds`` rounds; or, with ``continuation`` p > 0, after each round with probability
    1 - p, the length being drawn at reset and told to no one, and at the latest after ``cap``
    rounds (then the match counts as truncated).

Words
    ``rules`` spells out every cell; answers are the actions' names.

Parameters
    See ``IteratedMatrixParams``.

Metrics
    ``rounds``; ``welfare`` (payoffs of all seats per round); ``efficiency`` (welfare between
    the worst and the best cell as 0 to 1); ``rate_<action>`` (share of choices, seats pooled).

Source
    Axelrod, The Evolution of Cooperation (1984); Rapoport and Guyer, A Taxonomy of 2x2 Games
    (1966); Ledyard, Public Goods: A Survey of Experimental Research (1995).

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UnknownName, UsageError
from gymposium.types import NOTHING, Action

from ..world import RuleWorld
from . import matrix_games
from .matrix_games import CLASSICS, CUSTOM, GAMES, PUBLIC_GOODS, MatrixGame
from .matrix_words import MatrixWords

DEFAULT_GAME = "prisoners-dilemma"
TALK_CHARACTERS = frozenset(map(chr, range(32, 127)))


@dataclass(frozen=True)
class IteratedMatrixParams:
    """Parameters of ``iterated_matrix-v0``; plain data throughout."""

    game: str = field(
        default=DEFAULT_GAME,
        metadata={"doc": "a named game, or custom where payoffs are given", "choices": GAMES},
    )
    payoffs: tuple[Any, ...] | None = field(
        default=None,
        metadata={"doc": "a game of one's own: payoffs[a][b] = [payoff of each seat]"},
    )
    actions: tuple[Any, ...] | None = field(
        default=None,
        metadata={"doc": "names of the actions: one list for all seats, or a list per seat"},
    )
    players: int = field(
        default=2, metadata={"doc": "seats in public-goods", "range": [2, matrix_games.MAX_PLAYERS]}
    )
    multiplier: float = field(
        default=1.6,
        metadata={"doc": "what the pot of public-goods is multiplied by", "range": "> 0"},
    )
    rounds: int = field(
        default=10, metadata={"doc": "fixed length", "unit": "rounds", "range": [1, 100_000]}
    )
    continuation: float = field(
        default=0.0,
        metadata={"doc": "if above 0, the chance to go on after each round", "range": "0 to < 1"},
    )
    cap: int = field(
        default=200,
        metadata={"doc": "most rounds with continuation", "unit": "rounds", "range": [1, 100_000]},
    )
    talk: bool = field(
        default=False, metadata={"doc": "each round begins with one message from every seat"}
    )
    talk_length: int = field(
        default=140,
        metadata={"doc": "longest message", "unit": "characters", "range": [1, 2_000]},
    )

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise UnknownName("game", str(self.game), GAMES, where="iterated_matrix")
        for name in ("players", "rounds", "cap", "talk_length"):
            low, high = self.__dataclass_fields__[name].metadata["range"]
            _number_within(name, getattr(self, name), low, high, whole=True)
        _number_within("multiplier", self.multiplier, 1e-9, 1e9)
        _number_within("continuation", self.continuation, 0, 1 - 1e-9)
        if not isinstance(self.talk, bool):
            raise UsageError(f"iterated_matrix: talk must be true or false, got {self.talk!r}")
        self._settle_game()
        for name in ("payoffs", "actions"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))

    def _settle_game(self) -> None:
        if self.payoffs is not None:
            if self.game not in (DEFAULT_GAME, CUSTOM):
                raise UsageError(
                    f"iterated_matrix: payoffs are given, so game must be custom, not {self.game!r}"
                )
            object.__setattr__(self, "game", CUSTOM)
        elif self.game == CUSTOM:
            raise UsageError("iterated_matrix: game custom needs payoffs, a nested list")
        if self.game != PUBLIC_GOODS and self.players != 2:
            raise UsageError(
                f"iterated_matrix: players can be set for public-goods only, not for {self.game!r}"
            )

    def build(self) -> MatrixGame:
        """The game that the parameters name."""
        labels = self._labels()
        if self.game == CUSTOM:
            return matrix_games.custom(self.payoffs, labels)
        if self.game == PUBLIC_GOODS:
            names = labels[0] if labels else ("contribute", "keep")
            self._fits([names], (2,))
            return matrix_games.PublicGoods(self.players, float(self.multiplier), names)
        if labels is not None:
            self._fits(labels, tuple(map(len, CLASSICS[self.game].labels)))
        return matrix_games.classic(self.game, labels)

    def _labels(self) -> list[tuple[str, ...]] | None:
        if self.actions is None:
            return None
        shared = all(isinstance(name, str) for name in self.actions)
        lists = [self.actions] * self._seats() if shared else list(self.actions)
        for names in lists:
            if not isinstance(names, tuple) or not all(isinstance(n, str) and n for n in names):
                raise UsageError(
                    "iterated_matrix: actions must be a list of names, or one such list per seat; "
                    f"got {self.actions!r:.80}"
                )
            if len({name.casefold() for name in names}) != len(names):
                raise UsageError(
                    f"iterated_matrix: the actions {names!r:.80} are not all different"
                )
        return lists

    def _seats(self) -> int:
        depth, probe = 0, self.payoffs
        while isinstance(probe, tuple) and probe:
            depth, probe = depth + 1, probe[0]
        return self.players if self.payoffs is None else max(depth - 1, 1)

    def _fits(self, labels: Sequence[Sequence[str]], counts: tuple[int, ...]) -> None:
        if tuple(map(len, labels)) != counts:
            raise UsageError(
                f"iterated_matrix: {self.game} has {' and '.join(map(str, counts))} actions, "
                f"but actions names {[list(names) for names in labels]!r:.80}"
            )


class IteratedMatrix(MatrixWords, RuleWorld):
    """A matrix game played round after round by seats that choose at the same time."""

    id: ClassVar[str] = "iterated_matrix-v0"

    def __init__(self, **params: Any) -> None:
        self.params = p = IteratedMatrixParams(**params)
        self.game = game = p.build()
        self.kind = game.kind
        self._last_round = p.cap if p.continuation else p.rounds
        self.horizon = self._last_round * (2 if p.talk else 1)
        self.return_range = (
            min(game.lowest, game.lowest * self._last_round),
            max(game.highest, game.highest * self._last_round),
        )
        self.fault_rule = (
            "A seat without a legal answer has its first action played and earns the lowest payoff "
            f"of the matrix ({game.lowest:g}) in that round; the others get what that action gives "
            "them." + (" A seat that does not answer when it may speak says nothing." * p.talk)
        )
        ids = [f"player_{index}" for index in range(game.players)]
        self._index = {seat: index for index, seat in enumerate(ids)}
        roles = CLASSICS[p.game].roles if p.game in CLASSICS else ("player",) * len(ids)
        self._seat_all(
            ids,
            {seat: self._observation_space(index) for index, seat in enumerate(ids)},
            {seat: self._action_space(index) for index, seat in enumerate(ids)},
            roles=dict(zip(ids, roles, strict=True)),
        )
        self._silence = ("",) * len(ids)
        self._zero = dict.fromkeys(ids, 0.0)
        self._begin_counts()

    def _observation_space(self, index: int) -> spaces.Dict:
        game = self.game
        counts = [len(names) + 2 for names in game.labels]
        space: dict[str, Any] = {
            "round": spaces.Discrete(self._last_round + 1),
            "last": spaces.MultiDiscrete(counts[index:] + counts[:index]),
        }
        if self.params.talk:
            space["phase"] = spaces.Discrete(2)
            space["heard"] = spaces.Tuple([self._message_space() for _ in counts])
        return spaces.Dict(space)

    def _action_space(self, index: int) -> Any:
        move = spaces.Discrete(len(self.game.labels[index]))
        if not self.params.talk:
            return move
        return spaces.Dict({"say": self._message_space(), "move": move})

    def _message_space(self) -> spaces.Text:
        return spaces.Text(self.params.talk_length, min_length=0, charset=TALK_CHARACTERS)

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        p = self.params
        self._length = p.rounds
        if p.continuation:
            self._length = min(int(rng.geometric(1.0 - p.continuation)), p.cap + 1)
        self._begin_counts()

    def _begin_counts(self) -> None:
        self._round = 0
        self._talking = self.params.talk
        self._heard = self._silence
        self._last: tuple[int, ...] = (0,) * self.game.players
        self._welfare = 0.0
        self._played = [[0] * len(names) for names in self.game.labels]

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        ids = self.possible_seats
        if self.params.talk:
            if self._talking:
                self._heard = tuple(
                    ["" if actions[seat] is None else actions[seat]["say"] for seat in ids]
                )
                self._talking = False
                return self._zero
            moves: list[Any] = [
                None if actions[seat] is None else actions[seat]["move"] for seat in ids
            ]
            self._talking = True
            self._heard = self._silence
        else:
            moves = [actions[seat] for seat in ids]
        pays: Sequence[float]
        if None in moves:
            pays = self._play_with_faults(moves)
        else:
            pays = self.game.pay(tuple(moves))
            self._last = tuple([move + 1 for move in moves])
        self._round += 1
        self._welfare += sum(pays)
        for counts, move in zip(self._played, moves, strict=True):
            counts[move or 0] += 1
        return dict(zip(ids, pays, strict=True))

    def _play_with_faults(self, moves: Sequence[int | None]) -> list[float]:
        pays = list(self.game.pay(tuple(move or 0 for move in moves)))
        last = []
        for index, move in enumerate(moves):
            if move is None:
                pays[index] = self.game.lowest
                last.append(len(self.game.labels[index]) + 1)
            else:
                last.append(move + 1)
        self._last = tuple(last)
        return pays

    def _ended(self) -> tuple[bool, bool, str]:
        if self._round < self._last_round and self._round < self._length:
            return False, False, ""
        if self._round < self._length:
            return False, True, f"the limit of {self.params.cap} rounds was reached"
        how = "chance ended the game" if self.params.continuation else "all rounds were played"
        return True, False, f"{how} after round {self._round}"

    def _observe(self, seat: str) -> dict[str, Any]:
        index = self._index[seat]
        last = self._last
        if index:
            last = last[index:] + last[:index]
        seen = {"round": self._round, "last": np.array(last, dtype=np.int64)}
        if self.params.talk:
            seen["phase"] = 0 if self._talking else 1
            seen["heard"] = self._heard[index:] + self._heard[:index]
        return seen

    def _mask(self, seat: str) -> Any:
        if not self.params.talk:
            return None
        moves = np.ones(len(self.game.labels[self._index[seat]]), dtype=np.int8)
        if not self._talking:
            return {"say": (0, None), "move": moves}
        moves[1:] = 0
        return {"say": None, "move": moves}

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat)} if self.params.talk else NOTHING

    def _check(self, seat: str, action: Action) -> None:
        if not self.params.talk:
            return
        if self._talking and action["move"] != 0:
            raise IllegalAction("now is the time to speak: say something and leave move at 0")
        if not self._talking and action["say"]:
            raise IllegalAction("now is the time to choose: leave say empty")

    def _state(self) -> bytes:
        said = repr(self._heard).encode() if self.params.talk else b""
        return b"%d,%d,%d,%r|%b|%b" % (
            self._round,
            self._length,
            self._talking,
            self._welfare,
            bytes(self._last),
            said,
        )

    @property
    def metric_names(self) -> tuple[str, ...]:
        """What a finished match is measured by."""
        actions = dict.fromkeys(name for names in self.game.labels for name in names)
        rates = (f"rate_{name.replace(' ', '_')}" for name in actions)
        return ("rounds", "welfare", "efficiency", *rates)

    def _metrics(self) -> dict[str, float]:
        game, rounds = self.game, max(self._round, 1)
        welfare = self._welfare / rounds
        spread = game.highest_welfare - game.lowest_welfare
        metrics = {"rounds": float(self._round), "welfare": welfare}
        if spread > 0:
            metrics["efficiency"] = (welfare - game.lowest_welfare) / spread
        choices = rounds * game.players
        for names, counts in zip(game.labels, self._played, strict=True):
            for name, count in zip(names, counts, strict=True):
                key = f"rate_{name.replace(' ', '_')}"
                metrics[key] = metrics.get(key, 0.0) + count / choices
        return metrics


def _number_within(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    kinds = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise UsageError(
            f"iterated_matrix: {name} must be {kind} from {low:g} to {high:g}, got {value!r:.60}"
        )


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list | tuple) else value
