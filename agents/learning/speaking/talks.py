"""Matches of a speaker as rollouts over tokens: what it read and wrote, and what each turn earned.

A batch of matches is played side by side, one token of each at a time; a match whose reply is
finished steps its world and reads on. So time is tokens, and a lane is the whole text of a match:
what was shown (READ), what was written (by turn), and padding behind its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import TrainingTask

from ....envs import registry
from ....envs.visual.beliefs import Repetition
from ....envs.visual.reasoned_turns import SEAT, ReasonedTurns
from ....envs.visual.replies import written
from ....envs.visual.strategies import parts_of
from ..gae import PADDING, READ
from ..rollouts import Decider, Rollout, SeatSpaces
from .speaker import draw, look
from .vocabulary import BEGIN, END, TOKENS, belief, text_of, tokens_of

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Script: TypeAlias = Callable[[int], list[int]]


@dataclass
class Talk(Rollout):
    """A rollout over tokens; its axes are tokens, matches, and the one seat.

    Attributes:
        turns: int ``[T, E]``, the turn each token was written in, or READ or PADDING.
        group: int ``[E]``, which matches began alike.
        measured: means over the matches, by name.
    """

    turns: Array
    group: Array
    measured: Mapping[str, float]

    @property
    def decisions(self) -> int:
        """Matches: the unit that training of speakers is counted in."""
        return len(self.group)


class Talks:
    """Where rollouts over tokens come from.

    Args:
        task: a world of :class:`.ReasonedTurns`.
        num_envs: matches in a rollout.
        group: matches that begin alike.
        most: tokens of a reply; 0 for the longest that may be true.
        fine: fine what is believed all the time and is wrong.
        seed: of every match.

    Attributes:
        most: tokens of a reply.
    """

    def __init__(
        self, task: TrainingTask, *, num_envs: int, group: int, most: int, fine: bool, seed: int
    ) -> None:
        made = [registry.make_world(task.world, **task.params) for _ in range(num_envs)]
        if not isinstance(made[0], ReasonedTurns) or SEAT not in made[0].seats:
            raise UsageError(
                f"token_ppo trains worlds that are answered by reasoning, such as frozen_lake-v0 "
                f"and sokoban-v0, not {task.world}"
            )
        self._worlds: list[Any] = made
        self._group, self._seed, self.batches = group, seed, 0
        self._templates = Repetition() if fine else None
        self.seconds = 0.0
        seat = made[0].seats[SEAT]
        page, _ = look(made[0].reset(0)[SEAT])
        self.most = most or longest_reply(made[0])
        self.spaces = SeatSpaces(
            (SEAT,), seat.observation_space, seat.action_space, page.shape, (1,), None, seat.horizon
        )

    def collect(self, decider: Decider) -> Talk:
        """One batch of matches, talked through by ``decider``'s network."""
        return self._talk(decider, None)

    def practise(self, decider: Decider) -> Talk:
        """One batch in which replies are of the format and know nothing.

        Their beliefs are those of another match, their moves any: a language without the facts.
        """
        return self._talk(decider, self._babble(decider.rng))

    def state_dict(self) -> dict[str, Any]:
        """Which batch is next: every batch begins its matches anew."""
        return {"batches": self.batches}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.batches = int(state["batches"])

    def _babble(self, rng: np.random.Generator) -> Script:
        worlds = self._worlds

        def script(e: int) -> list[int]:
            p, other = worlds[e].params, worlds[int(rng.integers(len(worlds)))]
            state = other.info(SEAT)["state"]
            names = worlds[e].actions
            moves = rng.integers(len(names), size=int(rng.integers(1, p.actions_per_turn + 1)))
            parts = dict.fromkeys(parts_of(p.strategy), "")
            for part in {"observation", "prediction"} & {*parts}:
                parts[part] = belief(state, p.representation)
            return tokens_of(written(p.strategy, [names[move] for move in moves], parts))

        return script

    def _talk(self, decider: Decider, script: Script | None) -> Talk:
        network: Any = decider.network
        group = self._group if script is None else 1  # practice is the same for all estimators
        seeds = self._seeds(group)
        lanes = _Lanes(self._worlds, seeds, self.most, self._templates, script)
        hidden, steps = None, []
        logp, values = np.zeros((len(seeds), len(TOKENS))), np.zeros(len(seeds))
        while not lanes.over.all():
            seen = np.stack([lanes.last, lanes.page], -1)
            if script is None:
                network.album = np.stack(lanes.album)
                logp, values, hidden = network.speak(seen, hidden)
            tokens, turns = lanes.choose(draw(logp, decider.rng.random(len(logp))))
            rewards = lanes.go_on(tokens, turns)
            taken = logp[np.arange(len(logp)), tokens]
            steps.append((seen, tokens, turns, taken, values, rewards))
        network.album = np.stack(lanes.album)
        return self._rolled(steps, lanes, group)

    def _rolled(self, steps: Sequence[tuple[Array, ...]], lanes: _Lanes, group: int) -> Talk:
        seen, tokens, turns, logp, values, rewards = (
            np.stack(column) for column in zip(*steps, strict=True)
        )
        seat = (*turns.shape, 1)
        values = values.reshape(*seat, 1).astype(np.float32)
        starts = np.zeros(seat, bool)
        starts[0] = True
        earned = rewards.sum(0)[:, None]
        return Talk(
            seen=seen[:, :, None],
            state=None,
            choices=tokens.reshape(*seat, 1),
            amounts=np.zeros((*seat, 0), np.float32),
            logp=logp.reshape(seat).astype(np.float32),
            masks=None,
            values=values,
            next_values=np.zeros_like(values),
            rewards=rewards.reshape(seat).astype(np.float32),
            everyone=rewards.reshape(seat).astype(np.float32),
            terminated=np.zeros(seat, bool),
            truncated=np.zeros(seat, bool),
            valid=(turns >= 0).reshape(seat),
            starts=starts,
            hidden=None,
            returns=earned,
            own=np.zeros(1, int),
            turns=turns,
            group=np.arange(turns.shape[1]) // group,
            measured=lanes.measured(),
        )

    def _seeds(self, group: int) -> list[int]:
        groups = -(-len(self._worlds) // group)
        own = np.random.SeedSequence(self._seed, spawn_key=(self.batches,))
        self.batches += 1
        drawn = own.generate_state(groups, np.uint64) >> np.uint64(1)
        return [int(drawn[e // group]) for e in range(len(self._worlds))]


class _Lanes:
    """Where each match of a batch stands, between two tokens."""

    def __init__(
        self,
        worlds: list[Any],
        seeds: list[int],
        most: int,
        templates: Repetition | None,
        script: Script | None,
    ) -> None:
        self._worlds, self._most, self._templates, self._script = worlds, most, templates, script
        count = len(worlds)
        self.last = np.full(count, BEGIN)
        self.page = np.zeros(count, int)
        self.over = np.zeros(count, bool)
        self.turn = np.zeros(count, int)
        self.album: list[Array] = []
        self._queues: list[list[int]] = [[] for _ in worlds]
        self._lines: list[list[int]] = [[] for _ in worlds]
        self._said: list[list[int]] = [[] for _ in worlds]
        self._texts: list[str] = []
        # All begin before any is shown: a script may speak of another match.
        first = [world.reset(seed)[SEAT] for world, seed in zip(worlds, seeds, strict=True)]
        for e, turn in enumerate(first):
            self._show(e, turn)

    def choose(self, drawn: Array) -> tuple[Array, Array]:
        """The next token of each lane: read, or written; and the turn it belongs to."""
        tokens, turns = drawn.astype(int), self.turn.copy()
        for e, queue in enumerate(self._queues):
            if self.over[e]:
                tokens[e], turns[e] = BEGIN, PADDING
            elif queue:
                tokens[e], turns[e] = queue.pop(0), READ
            elif self._script is not None:
                tokens[e] = self._lines[e].pop(0)
        return tokens, turns

    def go_on(self, tokens: Array, turns: Array) -> Array:
        """Take the tokens in; worlds whose reply is finished go on. Rewards ``[E]``."""
        self.last, rewards = tokens, np.zeros(len(tokens))
        for e in np.flatnonzero(turns >= 0):
            said = self._said[e]
            said.append(int(tokens[e]))
            if said[-1] == END or len(said) >= self._most:
                rewards[e] = self._finish(int(e), text_of(said))
        return rewards

    def _finish(self, e: int, reply: str) -> float:
        world = self._worlds[e]
        following = world.step({SEAT: reply})
        self._texts.append(reply)
        self._said[e] = []
        self.turn[e] += 1
        if following:
            self._show(e, following[SEAT])
        else:
            self.over[e] = True
        fine = 0.0 if self._templates is None else fined(world, self._templates)
        return float(world.rewards[SEAT]) + fine

    def _show(self, e: int, turn: Any) -> None:
        page, read = look(turn)
        self.page[e] = len(self.album)
        self.album.append(page)
        self._queues[e] = read
        self._lines[e] = self._script(e)[: self._most] if self._script else []

    def measured(self) -> dict[str, float]:
        """Means of the worlds' own measures, and the share of replies that are not repeats."""
        ended = [world.outcome.metrics for world in self._worlds]
        means = {name: float(np.mean([each[name] for each in ended])) for name in ended[0]}
        return {**means, "distinct_replies": len(set(self._texts)) / len(self._texts)}


def longest_reply(world: Any) -> int:
    """Tokens of the longest reply of the world's format whose beliefs might be true.

    Args:
        world: a grid that has begun. All cells but two count as holes, where there are holes, and
            everything lies where it takes most tokens to say so.
    """
    p, state = world.params, world.info(SEAT)["state"]
    height, width = len(state["map"]), len(state["map"][0])
    worst: dict[str, Any] = {"player": [height - 1, width - 2], "map": state["map"]}
    for kind in world.kinds:
        count = height * width - 2 if kind == "hole" else len(state[kind])
        worst[kind] = [[height - 2, width - 1]] * count
    said = belief(worst, p.representation)
    parts = {part: said for part in parts_of(p.strategy) if part in ("observation", "prediction")}
    longest = max(world.actions, key=lambda name: len(tokens_of(name)))
    return len(tokens_of(written(p.strategy, [longest] * p.actions_per_turn, parts)))


def fined(world: Any, templates: Repetition) -> float:
    """What the last turn loses for beliefs that are said all the time and are wrong; 0 or less.

    Args:
        world: a turn has just been played in it.
        templates: what was said so far, in any match; counts this turn's beliefs in.
    """
    last = world.info(SEAT)
    if not last["turn_metrics"]["format_correct"]:
        return 0.0
    off = 0.0
    for part, name, weight in zip(
        ("observation", "prediction"),
        ("grounding_reward", "worldmodeling_reward"),
        world.params.belief_rewards,
        strict=True,
    ):
        if part in last["said"]:
            scored = last["turn_metrics"][name]
            off += weight * (templates.settle(last["said"][part], scored) - scored)
    return off
