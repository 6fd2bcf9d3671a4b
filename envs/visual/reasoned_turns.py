"""Turns that are answered by reasoning: what the worlds of VAGEN have in common.

Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (2025). One turn is
a text, perhaps with a picture, and one free reply, from which up to K primitive actions are read
and carried out in order, until the world is done or a word is no action. A turn earns
``format_reward`` for a reply of the strategy's format with known actions only, then
``belief_rewards`` times how right its beliefs were of the state before the turn and after all that
was carried out, and what the world itself pays.

A world of this family supplies ``_start``, ``_do``, ``_done``, ``_truth``, ``_scene``, ``_score``,
``_situation`` and words (``_told``, ``_examples``); perhaps ``_picture``, ``_read_action``,
``_acceptable``, ``_closing``; and calls ``_seat_reader`` at the end of ``__init__``. Its parameters
inherit :class:`ReasonedTurnsParams`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.types import NOTHING, Action, Turn

from ..world import RuleWorld
from .beliefs import Repetition, world_modeling_reward
from .reasoned_params import ReasonedTurnsParams as ReasonedTurnsParams
from .replies import MAX_REPLY, WRITABLE, Replies, peeled, written
from .reply_words import HOW_WRITTEN, feedback, how_to_reply, reminder
from .strategies import Said, parts_of, pattern, read, schema
from .turn_account import METRICS as METRICS
from .turn_account import add, blank_turn, means, table, turn_metrics

if TYPE_CHECKING:
    from gymposium.types import Image, Space

SEAT = "player_0"
MAX_SCENE = 8_000
"""Characters of what is shown in a turn."""
IMAGE_MARK = "<image>"


class ReasonedTurns(RuleWorld):
    """Base of worlds whose turns are answered by reasoning and a few actions.

    Attributes:
        params: its parameters.
        actions: the primitive actions there are, or examples of them.
        separator: what is put between actions.
        closed: whether ``actions`` are all there are, rather than examples.
        how_written: how beliefs are written, by representation.
    """

    actions: Sequence[str]
    separator: ClassVar[str] = ","
    closed: ClassVar[bool] = True
    turn_based: ClassVar[bool] = True
    how_written: ClassVar[Mapping[str, str]] = HOW_WRITTEN
    metric_names: ClassVar[tuple[str, ...]] = METRICS
    params: Any
    fault_rule = "A turn without a legal answer passes: nothing is done and nothing earned."

    # What a world of the family writes.

    @abstractmethod
    def _start(self, rng: np.random.Generator) -> None:
        """Set the state to the start of a match."""

    @abstractmethod
    def _do(self, action: Any) -> float:
        """Carry out one primitive action, as ``_read_action`` gave it; what the world pays."""

    @abstractmethod
    def _done(self) -> tuple[bool, bool]:
        """(it is over, the task was done) now."""

    @abstractmethod
    def _truth(self) -> dict[str, Any]:
        """The state that beliefs are about, as fresh plain data (lists, numbers, text)."""

    @abstractmethod
    def _scene(self) -> str:
        """The state in text, for ``shows`` text and both, and for spectators."""

    @abstractmethod
    def _score(self, text: str, truth: Mapping[str, Any]) -> float:
        """How right a belief is, 0 to 1; reads text by ``params.representation``."""

    @abstractmethod
    def _situation(self) -> bytes:
        """The world's own state as bytes; equal states give equal bytes."""

    @abstractmethod
    def _told(self) -> str:
        """The world's rules in words: task, legend, actions, rewards."""

    @abstractmethod
    def _examples(self) -> tuple[Mapping[str, str], Sequence[str]]:
        """A worked example: what to write in each part (all of them), and the actions."""

    def _picture(self) -> Image:
        """The state as a picture, fresh; only asked for if ``_seat_reader`` was given a size."""
        raise NotImplementedError

    def _read_action(self, word: str) -> Any | None:
        """The primitive action that ``word`` names, whatever its case; None if there is none."""
        names = [name.lower() for name in self.actions]
        return names.index(word.lower()) if word.lower() in names else None

    def _observed(self) -> str:
        """What is said before the scene in this turn: an instruction, limits; "" for nothing."""
        return ""

    def _closing(self) -> float:
        """What the world pays once, at the end of the match."""
        return 0.0

    # The seat.

    def _seat_reader(self, size: tuple[int, int] | None) -> None:
        """Seat the reader; called at the end of ``__init__``.

        Args:
            size: height and width of pictures; None where there are none.
        """
        p = self.params
        seen: dict[str, Any] = {"text": spaces.Text(MAX_SCENE, charset=WRITABLE)}
        if p.shows != "text" and size is not None:
            seen["image"] = spaces.Box(0, 255, (*size, 3), np.uint8)
        self._shown, self._pictured = "image" in seen, size is not None
        self.horizon = p.turns
        self._forget()
        reply = Replies(
            p.strategy,
            self.actions,
            most=p.actions_per_turn,
            form=p.form,
            separator=self.separator,
        )
        self._take_seat(spaces.Dict(seen), reply)

    def _take_seat(self, seen: Space, answer: Space) -> None:
        whole = (SEAT,) if isinstance(answer, Replies) else ()
        self._seat_all([SEAT], {SEAT: seen}, {SEAT: answer}, whole_replies=whole)

    def step_parsed(
        self, actions: Sequence[str], parts: Mapping[str, str] = NOTHING
    ) -> dict[str, Turn]:
        """Play a turn of primitive actions, for callers that need no language.

        Args:
            actions: names of actions, as a reply would have them.
            parts: what the reply is to say before them (``observation``, …).

        Returns:
            As ``step``.
        """
        p = self.params
        reply = written(p.strategy, actions, parts, form=p.form, separator=self.separator)
        return self.step({SEAT: reply})

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        self._forget()
        self._start(rng)
        self._last["state"] = self._truth()
        self._over_now, self._success = self._done()

    def _forget(self) -> None:
        self._log: list[dict[str, Any]] = []
        self._templates = Repetition()
        self._sums = dict.fromkeys(METRICS, 0.0)
        self._over_now = self._success = False
        self._last: dict[str, Any] = blank_turn()

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        p, text = self.params, actions[SEAT]
        said = read(
            text or "", p.strategy, separator=self.separator, loose=p.loose, nested=p.nested
        )
        earned = self._carry_out(said, len(text or ""))
        return {SEAT: earned + self._last_word()}

    def _last_word(self) -> float:
        """What the world pays at the end, if this turn is the last."""
        if not self._over_now and self._step_count + 1 < (self.horizon or 0):
            return 0.0
        paid = self._closing()
        self._success = self._done()[1]
        return paid

    def _carry_out(self, said: Said, length: int) -> float:
        """One turn: act, score what was believed, write down what happened. Returns its reward."""
        p = self.params
        words = said.actions(separator=self.separator, most=p.actions_per_turn)
        known = [self._read_action(word) for word in words]
        valid = bool(known) and None not in known
        correct = said.correct and valid
        before, executed, earned = self._truth(), [], 0.0
        for word, action in zip(words, known, strict=True):
            if action is None:
                break
            earned += self._do(action)
            executed.append(word)
            self._over_now, self._success = self._done()
            if self._over_now:
                break
        after = self._truth()
        now, then = (
            self._believed(said, part, truth) if correct else 0.0
            for part, truth in (("observation", before), ("prediction", after))
        )
        reasoned = world_modeling_reward(now, then, correct=correct, weights=p.belief_rewards)
        form = p.format_reward if correct else 0.0
        self._last = {
            "said": dict(said.parts),
            "answer": [*words],
            "executed": executed,
            "state_before": before,
            "state": after,
            "turn_metrics": turn_metrics(
                format_correct=correct,
                action_is_valid=valid,
                action_is_effective=before != after,
                grounding_reward=now,
                worldmodeling_reward=then,
                format_reward=form,
                environment_reward=earned,
            ),
        }
        self._log.append(self._last)
        add(self._sums, self._last, length)
        return earned + form + reasoned

    def _believed(self, said: Said, part: str, truth: Mapping[str, Any]) -> float:
        if part not in parts_of(self.params.strategy):
            return 0.0
        text = said.parts.get(part, "")
        scored = self._score(text, truth)
        return self._templates.settle(text, scored) if self.params.fine_templates else scored

    def _ended(self) -> tuple[bool, bool, str]:
        if self._over_now:
            return True, False, "the task was done" if self._success else "the task was failed"
        late = self._step_count >= (self.horizon or 0)
        return False, late, "all turns were taken" if late else ""

    def _observe(self, seat: str) -> dict[str, Any]:
        seen: dict[str, Any] = {"text": self._message()}
        if self._shown:
            seen["image"] = self._picture()
        return seen

    def _info(self, seat: str) -> Mapping[str, Any]:
        p, told = self.params, {}
        for name, value in self._last.items():
            told[name] = value.copy()
        return {
            **told,
            "traj_metrics": {"success": self._success},
            "strategy": p.strategy,
            "representation": p.representation,
            "actions_per_turn": p.actions_per_turn,
        }

    def _state(self) -> bytes:
        said = repr((self._last, self._sums, self._over_now, self._success))
        return said.encode() + self._situation()

    def _metrics(self) -> dict[str, float]:
        return {**means(self._sums), "success": float(self._success)}

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Every turn, as :func:`.turn_account.table` has it."""
        return {"turns": table(self._log, f"{self.separator} ")}

    # Words and pictures.

    def _message(self) -> str:
        """All that is said in a turn: what became of the last one, the scene, how to reply."""
        p, last = self.params, self._last
        told = [f"Turn {min(self._step_count + 1, self.horizon or 0)} of {self.horizon}."]
        if self._step_count:
            told.append(feedback(last, self.separator))
        told.append(self._observed())
        told.append(self._scene() if p.shows != "image" or not self._shown else "")
        told.append(IMAGE_MARK if self._shown else "")
        told.append(self._reminder())
        return "\n".join(part for part in told if part)[:MAX_SCENE]

    def _reminder(self) -> str:
        p = self.params
        return reminder(p.strategy, p.form, p.actions_per_turn, self.separator)

    def rules(self, seat: str) -> str:
        """The task, and what a reply must look like."""
        p = self.params
        parts, actions = self._examples()
        kept = {name: parts.get(name, "") for name in parts_of(p.strategy)}
        beliefs = self.how_written[p.representation]
        reply = how_to_reply(p.strategy, p.form, beliefs, p.actions_per_turn, self.separator)
        example = written(p.strategy, actions, kept, form=p.form, separator=self.separator)
        return f"You are {seat}. {self._told()}\n{reply}\nFor example:\n{example}"

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The text of the observation."""
        return str(observation["text"])

    def images(self, seat: str, observation: Any, info: Mapping[str, Any]) -> tuple[Image, ...]:
        """The picture of the observation, if there is one."""
        return (observation["image"],) if "image" in observation else ()

    def action_schema(
        self, seat: str, observation: Any, info: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """A pattern for replies in tags, an object for those in JSON."""
        p = self.params
        if p.form == "json":
            named: Sequence[str] = self.actions if self.closed else ()
            return schema(p.strategy, named, most=p.actions_per_turn)
        return {"type": "string", "maxLength": MAX_REPLY, "pattern": f"^{pattern(p.strategy)}$"}

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The reply itself, in letters that can be shown; what it means is for the rules."""
        return peeled(text)

    def format(self, seat: str, action: Action) -> str:
        """The reply as it stands."""
        return str(action)

    def render(self) -> str:
        """The scene, what was said and what it brought: a spectator sees everything."""
        if self._over is None:
            return super().render()
        last = self._last
        lines = [f"After {self._step_count} of {self.horizon} turns", self._scene()]
        if self._step_count:
            lines += [f"{name}: {text}" for name, text in last["said"].items()]
            lines += [f"{name}: {value}" for name, value in last["turn_metrics"].items()]
            lines += [f"executed: {(self.separator + ' ').join(last['executed']) or 'nothing'}"]
            lines += [f"truth: {last['state']}"]
        return "\n".join(lines)

    def draw(self) -> Image:
        """The picture, and beside it belief, truth, actions and reward of the last turn."""
        if self._over is None or not self._pictured:
            return super().draw()
        from .turn_card import turn_card

        title = f"turn {self._step_count} of {self.horizon}"
        return turn_card(self._picture(), title, self._last)
