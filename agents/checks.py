"""The public conformance kit for agents: numbered requirements, each with its remedy.

``check_agent`` seats an agent in every seat of a world, beside random ones, and holds it to what
the arena relies on. It raises instead of warning, all failures at once. None of the neighbouring
projects has such a kit for agents; the requirements are what their users' agents get wrong.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Any

from gymposium.errors import GymposiumError, IllegalAction, UsageError
from gymposium.types import Reply, Turn, World

from ..envs.global_random import global_state, moved
from ..envs.overdue import Overdue, do_in_time
from ..envs.whereabouts import place_to_look
from .isolation.process import Unsendable
from .random_agent import RandomAgent
from .registry import AgentSpec, resolve
from .wire import dumps, from_json, reply_from_json, reply_to_json, to_json

DEFAULT_WORLD = "iterated_matrix-v0"
_STARTUP_SECONDS = 60.0  # what the arena allows for making and resetting an agent
_GRACE_SECONDS = 1.0
REQUIREMENTS = (
    "it can be made, reset, asked and told the end without raising",
    "it answers with what is legal: in the action space, within the mask, allowed by the rules",
    "it answers within the time limit",
    "its answers have a JSON form and can be pickled",
    "if it declares itself deterministic, equal seeds give equal play",
    "nothing is left over from the match before: a second match is played as a fresh agent would",
    "it leaves the observation, the mask and the info it is given as they were",
    "it does not draw from the global random generators",
    "it does not draw from the shared action space",
)
"""What is required, in order; a failure's number counts from 1 and never changes."""
_REMEDIES = (
    "the message above names the place; try act() on one turn by hand",
    "look at turn.action_space and turn.action_mask (or turn.schema) before answering",
    "do less, or raise the scenario's time_limit",
    "return numbers, text, tuples, lists, dicts, numpy arrays or a Reply of such, of 8 MiB at most",
    "draw only from a generator made of the seed in reset(), or say deterministic = False",
    "set everything that changes during a match in reset(), and change no module globals",
    "copy before writing: turn.observation.copy()",
    "use numpy.random.default_rng(seed), random.Random(seed) or a torch.Generator, made in reset()",
    "choose with your own generator; space.sample() is shared by every agent of the match",
)


class AgentUnfit(GymposiumError):
    """An agent fails the conformance kit; ``failures``: what was seen, by requirement number."""

    def __init__(self, agent: str, failures: dict[int, str]) -> None:
        lines = "\n".join(
            f"{number}. {REQUIREMENTS[number - 1]}: {found} Remedy: {_REMEDIES[number - 1]}."
            for number, found in sorted(failures.items())
        )
        count = len(failures)
        super().__init__(
            f"{agent}: {count} requirement{'s are' if count > 1 else ' is'} not met:\n{lines}"
        )
        self.agent = agent
        self.failures = failures

    def __reduce__(self) -> tuple[Any, ...]:
        return (AgentUnfit, (self.agent, self.failures))


@dataclass
class _Trial:
    """What is found out about one agent; the first finding per requirement is kept."""

    time_limit: float
    failures: dict[int, str] = field(default_factory=dict)
    due: tuple[float, str] | None = None
    """While its code is at it: when it is to be back, and what else is to be said."""

    def fail(self, number: int, found: str) -> None:
        self.failures.setdefault(number, found if found.endswith((".", "!")) else found + ".")


def check_agent(
    agent: Any,
    world_id: str | None = None,
    *,
    steps: int = 100,
    time_limit: float = 10.0,
    trusted: bool = False,
) -> None:
    """Hold an agent to all requirements.

    Args:
        agent: a spec, or a class, function or instance.
        world_id: the world to play; default: the worlds the agent declares, or else
            the iterated matrix game.
        steps: at most so many steps of a match are played.
        time_limit: seconds an answer may take.
        trusted: run a user's agent named by file or module in this process; only then can
            requirements 7 to 9 be seen to be violated (``gymposium check agent`` does both).

    Raises:
        AgentUnfit: with every requirement that is not met.
        UsageError: the agent or the world does not exist.
    """
    spec = resolve(agent, trusted=trusted)
    trial = _Trial(time_limit)
    _in_time(lambda: _check(spec, world_id, steps, trial), trial)
    if trial.failures:
        raise AgentUnfit(spec.text, trial.failures)


def _check(spec: AgentSpec, world_id: str | None, steps: int, trial: _Trial) -> None:
    names = [world_id] if world_id else _worlds_of(spec, trial)
    tables = [_seated(spec, name, trial) for name in names]
    if any(seats for _, seats in tables):
        trial.failures.clear()  # not every world it plays has a seat for it at its presets
    for world, seats in tables:
        asyncio.run(_examine(spec, world, seats, steps, trial))


def _made(spec: AgentSpec, trial: _Trial) -> Any:
    with _at_it(trial, "it was not made", _STARTUP_SECONDS):
        return spec.create()


def _worlds_of(spec: AgentSpec, trial: _Trial) -> tuple[str, ...]:
    made = None if spec.isolated else _made(spec, trial)
    return tuple(getattr(made, "worlds", ())) or (DEFAULT_WORLD,)


def _in_time(work: Callable[[], None], trial: _Trial) -> None:
    late = ""

    def due() -> float:
        nonlocal late
        if trial.due is None:
            return math.inf
        moment, late = trial.due
        return moment + _GRACE_SECONDS

    try:
        do_in_time(work, due)
    except Overdue as overdue:
        trial.fail(3, f"{late}; it is at {overdue.place}")


class _Late(Exception):
    """The time is over; says what did not come."""


def _seated(spec: AgentSpec, world_id: str, trial: _Trial) -> tuple[World, list[str]]:
    """The world, or the first of its presets with a seat for the agent, and those seats."""
    from ..envs import registry  # only here: agents know no worlds otherwise

    presets = registry.spec(world_id).presets.values()
    for params in ({}, *presets):
        world, found = registry.make_world(world_id, **params), []
        for name, seat in world.seats.items():
            try:
                if spec.fits is not None:
                    spec.fits(world_id, seat)
                found.append(name)
            except UsageError as error:
                trial.fail(1, str(error))
        if found:
            break
    return world, found


async def _examine(
    spec: AgentSpec, world: World, seats: Sequence[str], steps: int, trial: _Trial
) -> None:
    agents: list[Any] = []
    try:
        for seat in seats:
            one, two, used = made = [_made(spec, trial) for _ in range(3)]
            agents += made
            first = await _play(one, world, seat, 11, steps, trial)
            second = await _play(two, world, seat, 11, steps, trial)
            await _play(used, world, seat, 12, steps, trial)
            third = await _play(used, world, seat, 11, steps, trial)
            if spec.deterministic:
                _compare(first, second, 5, seat, trial)
                _compare(first, third, 6, seat, trial)
            await _close(made, trial)
    except _Late as late:
        trial.fail(3, str(late))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the agent boundary: reported
        trial.fail(1, str(error) if isinstance(error, GymposiumError) else _told(error))
    finally:
        with suppress(_Late):
            await _close(agents, trial)
        if spec.isolated:
            from .isolation import shutdown

            await shutdown()


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error} ({place_to_look(error)})"


async def _close(agents: list[Any], trial: _Trial) -> None:
    for agent in agents:
        close = getattr(agent, "close", None)
        if close is not None:
            await _call(close, trial, "close() did not return", trial.time_limit)


def _compare(one: list[bytes], two: list[bytes], number: int, seat: str, trial: _Trial) -> None:
    if one == two:
        return
    pairs = enumerate(zip(one, two, strict=False))
    turn = next((i for i, (a, b) in pairs if a != b), min(len(one), len(two)))
    said = [
        answers[turn][:80].decode("utf-8", "replace") if turn < len(answers) else "nothing"
        for answers in (one, two)
    ]
    trial.fail(number, f"in seat {seat}, answer {turn + 1} was {said[0]} once and {said[1]} again")


async def _play(
    agent: Any, world: World, seat: str, seed: int, steps: int, trial: _Trial
) -> list[bytes]:
    """One match with ``agent`` in ``seat``; its answers in their JSON form."""
    others = {other: RandomAgent() for other in world.seats if other != seat}
    for index, other in enumerate(others):
        others[other].reset(world.seats[other], seed + 1000 * (index + 1))
    # Whatever differs from match to match must come from the seed alone.
    with _watched(world, seat, trial):
        most = max(_STARTUP_SECONDS, trial.time_limit)
        late = f"in seat {seat}, reset() did not return"
        await _call(lambda: agent.reset(world.seats[seat], seed), trial, late, most)
    answers: list[bytes] = []
    turns = world.reset(seed)
    for _ in range(steps):
        if not turns:
            break
        actions: dict[str, Any] = {}
        for name, turn in turns.items():
            if name in others:
                actions[name] = _legal(world, turn, others[name].act(turn))
                continue
            action, written = await _ask(agent, world, turn, trial)
            answers.append(written)
            actions[name] = action
        turns = world.step(actions)
    end = getattr(agent, "end", None)
    if not turns and end is not None:
        late = f"in seat {seat}, end() did not return"
        await _call(lambda: end(world.outcome), trial, late, trial.time_limit)
    return answers


def _legal(world: Any, turn: Turn, action: Any) -> Any:
    try:
        world.check(turn.seat, action)
    except IllegalAction:
        return None
    return action


async def _ask(agent: Any, world: Any, turn: Turn, trial: _Trial) -> tuple[Any, bytes]:
    before = pickle.dumps((turn.observation, turn.action_mask, dict(turn.info)))
    where = f"in seat {turn.seat}, at step {turn.step}"
    began = perf_counter()
    with _watched(world, turn.seat, trial):
        late = f"{where}, no answer came"
        try:
            said = await _call(lambda: agent.act(turn), trial, late, 2 * trial.time_limit)
        except Unsendable as error:
            trial.fail(4, f"{where}, {error}")
            return None, b""
    took = perf_counter() - began
    if took > trial.time_limit:
        trial.fail(3, f"{where}, an answer took {took:.1f} s; the limit is {trial.time_limit:g} s")
    if pickle.dumps((turn.observation, turn.action_mask, dict(turn.info))) != before:
        trial.fail(7, f"{where}, what it was given had changed after it answered")
    written = _written(said, where, trial)
    action = None
    try:
        action = _meaning(world, turn, said)
        world.check(turn.seat, action)
        if not _within(turn, action):
            raise IllegalAction(f"{action!r} is masked")
    except IllegalAction as error:
        trial.fail(2, f"{where}, {error}")
        action = None
    return action, written


def _meaning(world: Any, turn: Turn, said: Any) -> Any:
    words = said if isinstance(said, str) else None
    if isinstance(said, Reply):
        if said.action is not None:
            return said.action
        words = said.text
    if said is None or (isinstance(said, Reply) and words is None):
        raise IllegalAction("it answered nothing")
    if words is None:
        return said
    from .language.extract import extract

    if not world.seats[turn.seat].whole_reply:
        words = extract(words).action_text
    return world.words.parse(turn.seat, words, turn.observation, turn.info)


def _within(turn: Turn, action: Any) -> bool:
    """Whether a masked discrete action is unmasked; other spaces are the rules' to judge."""
    mask, space = turn.action_mask, turn.action_space
    if mask is None or type(space).__name__ != "Discrete":
        return True
    return bool(mask[int(action) - int(space.start)])  # type: ignore[attr-defined]


def _written(said: Any, where: str, trial: _Trial) -> bytes:
    """The answer's JSON form without what may differ (timings); b"" if it has none."""
    try:
        if isinstance(said, Reply):
            whole = reply_to_json(said)
            reply_from_json(whole)
            pickle.dumps(said)
            return dumps([said.action, said.text, said.thought])
        from_json(to_json(said))
        pickle.dumps(said)
        return dumps(said)
    except Exception as error:  # noqa: BLE001 - the agent boundary: what it gave may raise too
        trial.fail(4, f"{where}, {type(said).__name__}: {error}")
        return b""


async def _call(call: Callable[[], Any], trial: _Trial, late: str, seconds: float) -> Any:
    """What the agent's code gives, awaited if it must be; both for at most so long."""
    with _at_it(trial, late, seconds):
        result = call()
        if not inspect.isawaitable(result):
            return result
        try:
            async with asyncio.timeout(seconds) as timer:
                return await result
        except TimeoutError:
            if not timer.expired():
                raise  # its own
            assert trial.due is not None
            raise _Late(trial.due[1]) from None


@contextmanager
def _at_it(trial: _Trial, late: str, seconds: float) -> Iterator[None]:
    trial.due = (monotonic() + seconds, f"{late} within {seconds:g} s")
    try:
        yield
    finally:
        trial.due = None


class _watched:
    """While user code runs: the global generators and the shared space must not move."""

    def __init__(self, world: World, seat: str, trial: _Trial) -> None:
        self._space: Any = world.seats[seat].action_space
        self._trial = trial
        self._where = f"in seat {seat}"

    def __enter__(self) -> None:
        self._globals = global_state()
        self._own = tuple(_generators(self._space))

    def __exit__(self, *_: object) -> None:
        found = moved(self._globals)
        if found:
            self._trial.fail(8, f"{self._where}, the global generator of {found} had moved")
        if tuple(_generators(self._space)) != self._own:
            self._trial.fail(9, f"{self._where}, the space's generator had moved")


def _generators(space: Any) -> Iterator[str]:
    """The positions of a space's generators, without making those that are not made yet."""
    generator = getattr(space, "_np_random", None)
    yield "" if generator is None else str(generator.bit_generator.state)
    parts = getattr(space, "spaces", ())
    for part in parts.values() if hasattr(parts, "values") else parts:
        yield from _generators(part)
