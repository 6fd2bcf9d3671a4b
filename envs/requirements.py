"""The numbered requirements of the conformance kit for worlds, each a function that plays one.

Numbers are stable across releases; the remedies are what a world's author reads.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import Turn

from .disclosure import disclosures, hidden_in
from .global_random import global_state, moved
from .sameness import arrays_in, same
from .view_checks import check_views
from .words import SpaceWords
from .world import RuleWorld

Make = Callable[[], RuleWorld]
RUBBISH = (
    "", "   ", "\x00", "?", "I refuse.", "{", "[[[[", '{"action": null}', "9" * 5000, "é" * 99
)  # fmt: skip


class Unmet(Exception):
    """What a requirement raises when a world does not meet it; the message is what was seen."""


@dataclass(frozen=True)
class Subject:
    """A world under test.

    Attributes:
        name: id and preset, for messages.
        make: makes a fresh one.
        deterministic: whether the seed need not matter.
        steps: at most so many steps of an episode are played per requirement.
    """

    name: str
    make: Make
    deterministic: bool
    steps: int


def _require(condition: bool, found: str) -> None:
    if not condition:
        raise Unmet(found)


# Playing.


def legal_action(turn: Turn, rng: np.random.Generator) -> Any:
    """A random legal action for a turn; equal generators give equal actions."""
    space = turn.action_space
    space.seed(int(rng.integers(2**31)))
    return space.sample() if turn.action_mask is None else space.sample(mask=turn.action_mask)


def _answers(turns: Mapping[str, Turn], rng: np.random.Generator) -> dict[str, Any]:
    return {seat: legal_action(turn, rng) for seat, turn in turns.items()}


def _seen(turns: Mapping[str, Turn]) -> Any:
    return {
        seat: (turn.step, turn.observation, turn.reward, turn.action_mask, turn.text)
        for seat, turn in turns.items()
    }


def _play(world: RuleWorld, seed: int, steps: int, *, actions: int = 0) -> list[Any]:
    """Everything seen in random play, as comparable data."""
    rng = np.random.default_rng(actions)
    turns = world.reset(seed)
    seen = [(_seen(turns), world.fingerprint())]
    for _ in range(steps):
        if not turns:
            break
        turns = world.step(_answers(turns, rng))
        seen.append((_seen(turns), world.fingerprint()))
    return seen


# The requirements, in the order of their numbers.


def _seats(subject: Subject) -> None:
    world = subject.make()
    _require(bool(world.seats), "the world has no seats.")
    for id, seat in world.seats.items():
        _require(seat.id == id, f"seats[{id!r}].id is {seat.id!r}.")
        _require(bool(seat.rules.strip()), f"seat {id} has no rules text.")
        own = type(world).rules is not SpaceWords.rules
        _require(own or bool(type(world).__doc__), "the class has no docstring: it is the rules.")
        _require(bool(seat.fault_rule.strip()), f"seat {id} has no fault rule.")
    _require(world.kind in ("zero_sum", "mixed", "cooperative"), f"kind is {world.kind!r}.")
    _require("ansi" in world.metadata["render_modes"], "'ansi' is not among the render modes.")


def _turns(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(0)
    for seed in range(3):
        turns = world.reset(seed)
        _require(bool(turns), "reset returned nobody to act.")
        for step in range(subject.steps):
            for seat, turn in turns.items():
                where = f"at step {step} (seed {seed}), seat {seat}"
                space = world.seats[seat].observation_space
                _require(turn.step == step, f"{where}: Turn.step is {turn.step}.")
                _require(
                    space.contains(turn.observation),
                    f"{where}: the observation {turn.observation!r:.200} is not in {space!r:.200}.",
                )
                world.check(seat, legal_action(turn, rng))
                hint = turn.info.get("action_mask")
                _require(same(hint, turn.action_mask), f"{where}: info lacks the action mask.")
            if not turns:
                break
            turns = world.step(_answers(turns, rng))


def _ending(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(1)
    limit = world.horizon if world.horizon is not None else 100_000
    for seed in range(2):
        turns, earned, step = world.reset(seed), dict.fromkeys(world.seats, 0.0), 0
        try:
            _ = world.outcome
            raise Unmet("outcome can be read before the match is over.")
        except UsageError:
            pass
        while turns:
            _require(step < limit, f"the match goes on after its horizon of {limit} steps.")
            for seat, turn in turns.items():
                earned[seat] += turn.reward
            turns, step = world.step(_answers(turns, rng)), step + 1
        outcome = world.outcome
        low, high = world.return_range
        for seat in world.seats:
            total = earned[seat] + outcome.final_rewards[seat]
            value = outcome.returns[seat]
            _require(bool(np.isfinite(value)), f"seat {seat}: the return is {value}.")
            _require(
                abs(total - value) <= 1e-6 * max(1.0, abs(value)),
                f"seat {seat}: rewards sum to {total}, but the return is {value}.",
            )
            _require(
                low - 1e-6 <= value <= high + 1e-6,
                f"seat {seat}: the return {value} is outside return_range ({low}, {high}).",
            )
        _require(any(world.ended), "ended is (False, False) after the end.")
        _require(bool(outcome.reason), "the outcome has no reason.")


def _reproducible(subject: Subject) -> None:
    first, second = subject.make(), subject.make()
    for seed in range(2):
        one = _play(first, seed, subject.steps)
        two = _play(second, seed, subject.steps)
        _require(same(one, two), f"two worlds with seed {seed} and equal actions differ.")


def _seeded(subject: Subject) -> None:
    if not subject.deterministic:
        plays = [_play(subject.make(), seed, subject.steps) for seed in range(8)]
        _require(
            any(not same([t for t, _ in plays[0]], [t for t, _ in play]) for play in plays[1:]),
            "eight different seeds give the same match.",
        )


def _copies(world: RuleWorld) -> list[RuleWorld]:
    try:
        return [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    except Exception as error:  # the world boundary; not every Python says what failed
        why = f"{type(error).__name__}: {error!s:.300}"
        raise Unmet(f"in play it cannot be copied and pickled: {why}.") from error


def _movable(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(2)
    turns = world.reset(5)
    for _ in range(2):
        further = world.step(_answers(turns, rng))
        if not further:
            turns = world.reset(5)
            break
        turns = further
    copies = _copies(world)
    for copied in copies:
        _require(copied.fingerprint() == world.fingerprint(), "a copy has another fingerprint.")
    draws = [np.random.default_rng(3) for _ in range(3)]
    states = [turns] * 3
    for _ in range(subject.steps):
        if not states[0]:
            break
        answers = [_answers(turns, draw) for turns, draw in zip(states, draws, strict=True)]
        states = [w.step(a) for w, a in zip([world, *copies], answers, strict=True)]
        for other in states[1:]:
            _require(same(_seen(states[0]), _seen(other)), "a copy plays on differently.")
    pickle.loads(pickle.dumps(turns))


def _global_random(subject: Subject) -> None:
    before = global_state()
    _play(subject.make(), 0, subject.steps)
    found = moved(before)
    _require(not found, f"making or playing the world moved the process-wide generator of {found}.")


def _fresh(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(4)
    turns = world.reset(0)
    kept: list[tuple[Turn, Any, str]] = []
    for _ in range(min(subject.steps, 50)):
        for turn in turns.values():
            kept.append((turn, copy.deepcopy((turn.observation, dict(turn.info))), turn.text))
        if not turns:
            break
        turns = world.step(_answers(turns, rng))
    for turn, was, text in kept:
        unchanged = same((turn.observation, turn.info), was)
        _require(unchanged, f"the observation of {turn.seat} at step {turn.step} changed later.")
        again = world.words.describe(turn.seat, turn.observation, turn.info)
        _require(
            again == text, f"describe gives {turn.seat} another text after the world moved on."
        )
    arrays = [array for turn, _, _ in kept for array in arrays_in(turn.observation)]
    for i, array in enumerate(arrays[:60]):
        shared = any(np.shares_memory(array, other) for other in arrays[i + 1 : i + 60])
        _require(not shared, "two observations share memory.")


def _words(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(6)
    turns = world.reset(1)
    for _ in range(min(subject.steps, 30)):
        for seat, turn in turns.items():
            told = world.words.rules(seat)
            _require(told == world.seats[seat].rules, f"the rules of {seat} change in play.")
            _require(bool(turn.text.strip()), f"describe tells {seat} nothing.")
            json.dumps(turn.schema, default=dict)
            action = legal_action(turn, rng)
            said = world.words.format(seat, action)
            back = world.words.parse(seat, said, turn.observation, turn.info)
            close = same(back, action, exact=False)
            _require(close, f"{action!r:.120} said as {said!r:.120} is read as {back!r:.120}.")
            _read_rubbish(world, seat, turn)
        if not turns:
            break
        turns = world.step(_answers(turns, rng))


def _read_rubbish(world: RuleWorld, seat: str, turn: Turn) -> None:
    for text in RUBBISH:
        try:
            action = world.words.parse(seat, text, turn.observation, turn.info)
        except IllegalAction as error:
            _require(bool(str(error)), "an IllegalAction has no sentence for the speaker.")
        else:
            inside = turn.action_space.contains(action)
            _require(inside, f"parse reads {text!r:.40} as {action!r:.80}, which is no action.")


def _faults(subject: Subject) -> None:
    for silent in [*subject.make().seats, None]:
        world, rng = subject.make(), np.random.default_rng(7)
        turns, step = world.reset(0), 0
        while turns and step < subject.steps:
            answers = _answers(turns, rng)
            for seat in turns:
                if silent in (seat, None):
                    answers[seat] = None
            turns, step = world.step(answers), step + 1
        if not turns:
            finite = all(np.isfinite(value) for value in world.outcome.returns.values())
            _require(finite, "a seat that never answers leaves an infinite return.")


def _refusals(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(8)
    turns = world.reset(0)
    before = world.fingerprint()
    for seat in turns:
        answers = {**_answers(turns, rng), seat: object()}
        try:
            world.step(answers)
        except IllegalAction:
            _require(world.fingerprint() == before, "a refused action changed the state.")
        else:
            raise Unmet(f"an action of {seat} outside its space was accepted.")
    for wrong in ({}, {"nobody": 0}):
        try:
            world.step(wrong)
        except UsageError:
            continue
        raise Unmet(f"step took answers from the wrong seats ({list(wrong)}).")


def _rendering(subject: Subject) -> None:
    world, rng = subject.make(), np.random.default_rng(9)
    turns = world.reset(0)
    texts: list[str] = []
    pictures: list[Any] = []
    while turns and len(texts) < subject.steps:
        texts.append(world.render())
        if len(pictures) < _PICTURES:
            pictures.append(world.draw())
        turns = world.step(_answers(turns, rng))
    with contextlib.suppress(UsageError):  # before the first reset: a frame or one sentence
        texts.append(subject.make().render())
    with contextlib.suppress(UsageError):
        pictures.append(subject.make().draw())
    texts += [world.render(), world.render()]
    pictures += [world.draw(), world.draw()]
    _require(all(isinstance(text, str) and text for text in texts), "render gave no text.")
    for picture in pictures:
        seen = f"draw gave {getattr(picture, 'dtype', None)} {getattr(picture, 'shape', None)}"
        _require(seen == f"draw gave uint8 {pictures[0].shape}", f"{seen}, not uint8 of one shape.")
        _require(picture.ndim == 3 and picture.shape[2] == 3, f"{seen}, not HxWx3.")
        _require(bool(picture.max() > picture.min()), "draw gave a picture of one colour.")
    _require(texts[-1] == texts[-2], "rendering twice gives two texts.")
    _require(same(pictures[-1], pictures[-2]), "drawing twice gives two pictures.")
    _require(len(set(texts)) > 1, "every text is the same.")
    _require(len({picture.tobytes() for picture in pictures}) > 1, "every picture is the same.")


def _views(subject: Subject) -> None:
    check_views(subject.make)


def _discreet(subject: Subject) -> None:
    world, rng, seed = subject.make(), np.random.default_rng(10), 2_718_281_828
    turns = world.reset(seed)
    for step in range(min(subject.steps, 50)):
        for seat, turn in turns.items():
            shown = {"observation": turn.observation, "info": turn.info, "text": turn.text}
            for what, value in shown.items():
                for found in disclosures(value, seed, f"the {what} of {seat} at step {step}"):
                    raise Unmet(found)
            leak = hidden_in((turn, world.seats[seat]), world) if step < _LOOKED_INTO else None
            _require(leak is None, f"what {seat} is given at step {step} leads to {leak}.")
        if not turns:
            break
        turns = world.step(_answers(turns, rng))


def _quiet(subject: Subject) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        _play(subject.make(), 0, subject.steps)
    _require(not said.getvalue(), f"playing prints {said.getvalue()[:80]!r}.")


_LOOKED_INTO = 3  # in so many first steps every reference is followed
_PICTURES = 40  # of these a world draws so many at most; words are cheaper

ENDING = 3
"""The requirement that a match ends, with returns that are sums of finite rewards."""
WORDS = 8
"""The requirement that words are functions of what they are given."""
VIEWS = 13
"""The requirement that runs other projects' checkers, which may be left out."""

REQUIREMENTS: Mapping[int, tuple[Callable[[Subject], None], str]] = {
    1: (_seats, "fill seats in __init__ by _seat_all, with rules and a fault_rule in words."),
    2: (_turns, "make _observe, the spaces, the mask and _check agree; put the mask in _info."),
    ENDING: (_ending, "end by the horizon; rewards, all of them finite, must reach every return."),
    4: (_reproducible, "draw only from the world's own generator; iterate over nothing unordered."),
    5: (_seeded, "use the generator given to _begin, or register the world as deterministic."),
    6: (_movable, "keep all state, the generator too, in attributes of a module-level class."),
    7: (
        _global_random,
        "use the generator given to _begin (for torch, a torch.Generator seeded from it).",
    ),
    WORDS: (
        _fresh,
        "build each observation anew; describe may read its arguments and params only.",
    ),
    9: (_words, "make format and parse inverse, and let parse raise nothing but IllegalAction."),
    10: (_faults, "let _play accept None for any seat and apply the fault rule."),
    11: (_refusals, "refuse in _check, before anything changes."),
    12: (
        _rendering,
        "let render return the state in words, draw as a picture, at any time after reset.",
    ),
    VIEWS: (_views, "see the message of PettingZoo's or Gymnasium's own checker."),
    14: (_discreet, "show numbers, text, arrays and collections of them, drawn from the rules."),
    15: (_quiet, "return it by render, or drop the print: output belongs to whoever plays."),
}
