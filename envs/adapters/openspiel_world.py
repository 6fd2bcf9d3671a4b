"""``openspiel:kuhn_poker``: any game of OpenSpiel (``open_spiel`` is the package).

Chance moves are drawn from the match's seed. An observation is the game's own tensor with the mask
of legal actions; the game's own words, and the names of the legal actions, stand beside it in
``info``, so that a language model reads what a player of OpenSpiel reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import Action

from ..speech import clean
from .foreign import ForeignWorld, must_import


class OpenSpielWorld(ForeignWorld):
    """A game of OpenSpiel."""

    def __init__(self, name: str, **params: Any) -> None:
        """Load the game.

        Args:
            name: OpenSpiel's short name, or its whole string with parameters in brackets.
            **params: the game's parameters.

        Raises:
            UsageError: OpenSpiel is not installed, knows no such game, or cannot play it.
        """
        spiel = must_import("pyspiel", f"openspiel:{name}", extra="openspiel")
        self.id, self.params = f"openspiel:{name}", params
        try:
            self._game = spiel.load_game(name, params) if params else spiel.load_game(name)
        except Exception as error:
            raise UsageError(f"OpenSpiel cannot load {name!r}: {error}") from error
        kind = self._game.get_type()
        if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
            raise UsageError(f"openspiel:{name} is a mean-field game, which has no seats")
        utility = spiel.GameType.Utility
        self.kind = (
            "zero_sum"
            if kind.utility in (utility.ZERO_SUM, utility.CONSTANT_SUM)
            else "cooperative"
            if kind.utility == utility.IDENTICAL
            else "mixed"
        )
        self._long_name = kind.long_name
        self.turn_based = kind.dynamics == spiel.GameType.Dynamics.SEQUENTIAL  # type: ignore[misc]
        self._tensor, self._string = _observers(kind)
        count = self._game.num_distinct_actions()
        width = self._width(kind)
        ids = [f"player_{index}" for index in range(self._game.num_players())]
        self._index = {seat: index for index, seat in enumerate(ids)}
        view = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (width,), np.float32),
                "action_mask": spaces.MultiBinary(count),
            }
        )
        self._game_state: Any = None
        self._seat_foreign(
            ids,
            dict.fromkeys(ids, view),
            dict.fromkeys(ids, spaces.Discrete(count)),
            self._game.max_game_length() + 1,
        )
        self.return_range = (self._game.min_utility(), self._game.max_utility())

    def _width(self, kind: Any) -> int:
        if self._tensor == "information_state_tensor":
            return int(self._game.information_state_tensor_size())
        if self._tensor == "observation_tensor":
            return int(self._game.observation_tensor_size())
        return 0

    def _restart(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)
        self._game_state = self._game.new_initial_state()
        self._let_chance_move()
        self._look()

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        state = self._game_state
        before = state.returns()
        if state.is_simultaneous_node():
            state.apply_actions([int(actions[seat]) for seat in self.possible_seats])
        else:
            ((_, action),) = actions.items()
            state.apply_action(int(action))
        self._let_chance_move()
        self._look()
        self._finished = state.is_terminal()
        after = state.returns()
        return {seat: after[i] - before[i] for seat, i in self._index.items()}

    def _let_chance_move(self) -> None:
        state = self._game_state
        while not state.is_terminal() and state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            weights = np.asarray(odds, np.float64)
            state.apply_action(int(self._chance.choice(outcomes, p=weights / weights.sum())))

    def _look(self) -> None:
        state, count = self._game_state, self._game.num_distinct_actions()
        self._said: dict[str, tuple[str, tuple[str, ...]]] = {}
        for seat, player in self._index.items():
            legal = [] if state.is_terminal() else state.legal_actions(player)
            mask = np.zeros(count, np.int8)
            mask[legal] = 1
            tensor = getattr(state, self._tensor)(player) if self._tensor else ()
            self._seen[seat] = {
                "observation": np.asarray(tensor, np.float32),
                "action_mask": mask,
            }
            self._masks[seat] = mask
            words = getattr(state, self._string)(player) if self._string else str(state)
            names = tuple(state.action_to_string(player, action) for action in legal)
            self._said[seat] = (words, names)

    def _actors(self) -> Sequence[str]:
        state = self._game_state
        if state is None or state.is_terminal():
            return ()
        if state.is_simultaneous_node():
            return self.possible_seats
        return (self.possible_seats[state.current_player()],)

    def _drawn(self, seat: str) -> Action:
        return int(self._rng.choice(np.flatnonzero(self._masks[seat])))

    def _check(self, seat: str, action: Action) -> None:
        if not self._masks[seat][int(action)]:
            legal = np.flatnonzero(self._masks[seat]).tolist()
            raise IllegalAction(f"action {action} is not legal now; legal: {legal!r:.200}")

    def _info(self, seat: str) -> Mapping[str, Any]:
        words, names = self._said[seat]
        return {"action_mask": self._mask(seat), "words": words, "names": names}

    def _state(self) -> bytes:
        history = "" if self._game_state is None else self._game_state.history_str()
        return history.encode() + super()._state()

    def _about(self) -> str:
        return f"{self._long_name}, as OpenSpiel plays it."

    # Words.

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The game's own words, and what is legal."""
        said = [str(info.get("words", "")).strip()]
        if info.get("names"):
            said.append(f"You may: {', '.join(info['names'])}.")
        return "\n".join(line for line in said if line) or "Nothing is shown."

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """One of the legal actions' names."""
        return {"type": "string", "enum": list(dict.fromkeys(info.get("names", ())))}

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The legal action of that name, or number."""
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        names = [str(name) for name in info.get("names", ())]
        said = clean(text)
        for action, name in zip(legal, names, strict=True):
            if said.casefold() == name.casefold() or said == str(action):
                return int(action)
        raise IllegalAction(f"say one of: {', '.join(names)}; you said {said!r:.100}")

    def format(self, seat: str, action: Action) -> str:
        """The action's number: names depend on the state."""
        return str(int(action))

    def how_to_answer(self, seat: str) -> str:
        """One sentence on the form of a legal answer."""
        return "Answer with exactly one of the actions you may take."

    def render(self) -> str:
        """The whole state, as a spectator sees it."""
        super().render()
        return str(self._game_state)


def _observers(kind: Any) -> tuple[str, str]:
    tensor = (
        "information_state_tensor"
        if kind.provides_information_state_tensor
        else "observation_tensor"
        if kind.provides_observation_tensor
        else ""
    )
    # Where nothing is hidden, the board is easier to read than the moves that led to it.
    said = ["information_state_string", "observation_string"]
    offered = [kind.provides_information_state_string, kind.provides_observation_string]
    if str(kind.information) == "Information.PERFECT_INFORMATION":
        said, offered = said[::-1], offered[::-1]
    return tensor, next((name for name, has in zip(said, offered, strict=True) if has), "")
