"""Episodes of language agents: the calls of one seat in one match, and what each came to earn.

The arena plays; an agent of this module sits in the seat, passes every turn on to a language agent
and keeps its calls. A call is rewarded with all that comes until the next one, or until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from gymposium.errors import GymposiumError, UsageError
from gymposium.types import Action, Call, Outcome, Play, Reply, Seat, Turn

from ..backends.seeing import Pictures
from ..llm_agent import LLMAgent, call_of
from .tokens import Row


@dataclass
class Episode:
    """What one seat said in one match.

    Attributes:
        seat: its id.
        group: equal for episodes that began alike: the same match seed and seat.
        seed: of the match.
        calls: in order, with token ids.
        pictures: that each call showed the model.
        rewards: of each call.
        outcome: how the match ended.
    """

    seat: str
    group: int
    seed: int
    calls: list[Call] = field(default_factory=list)
    pictures: list[Pictures] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    outcome: Outcome = field(default_factory=lambda: Outcome({}))

    @property
    def earned(self) -> float:
        """The sum of what the calls earned."""
        return sum(self.rewards)

    def rows(self) -> list[Row]:
        """Its calls as rows of tokens."""
        return [
            Row(call.prompt_ids or (), call.completion_ids or (), pictures=shown)
            for call, shown in zip(self.calls, self.pictures, strict=True)
        ]


class Recorded:
    """A language agent whose calls are kept.

    Args:
        agent: what answers.
        episode: filled in.
        seed: of the agent's draws, in place of the arena's: matches with one seed are to differ in
            what is said, and in nothing else.
        fault: what each fault costs.
    """

    announces_calls = True

    def __init__(self, agent: LLMAgent, episode: Episode, *, seed: int, fault: float = 0.0) -> None:
        self._agent, self._episode, self._seed, self._fault = agent, episode, seed, fault

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin a match."""
        self._agent.reset(seat, self._seed)

    async def act(self, turn: Turn) -> Reply:
        """Answer as the agent does."""
        episode = self._episode
        if episode.calls:
            episode.rewards[-1] += turn.reward
        reply = await self._agent.act(turn)
        for call in reply.calls:
            if not call.completion_ids:
                raise UsageError(f"{call.model} does not tell its tokens: it cannot be trained")
            episode.calls.append(call)
            episode.pictures.append(self._agent.pictures)
            episode.rewards.append(0.0)
        return reply

    def end(self, outcome: Outcome) -> None:
        """Keep what came last."""
        episode = self._episode
        episode.outcome = outcome
        if episode.calls:
            faults = sum(outcome.faults.get(episode.seat, {}).values())
            last = outcome.final_rewards.get(episode.seat, 0.0) - self._fault * faults
            episode.rewards[-1] += last
        self._agent.end(outcome)


class Demonstrator(LLMAgent):
    """Asks and remembers as a language agent, and answers what an expert does.

    Args:
        backend: tells how its model would write the prompt and the answer as tokens.
        expert: an agent.
        written: an action in the world's words.
        options: as of :class:`LLMAgent`.
    """

    def __init__(
        self, backend: Any, expert: Any, written: Callable[[str, Action], str], **options: Any
    ) -> None:
        super().__init__(backend, **options)
        self._expert, self._written, self._box = expert, written, backend.white_box()

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin a match, the expert too."""
        super().reset(seat, seed)
        self._expert.reset(seat, seed)

    async def act(self, turn: Turn) -> Reply:
        """The expert's action, as if the model had said it."""
        self._open(turn)
        action = self._expert.act(turn)
        if isinstance(action, Reply):
            action = action.text if action.action is None else action.action
        text = action if isinstance(action, str) else self._written(turn.seat, action)
        said = orjson.dumps({"action": _value(text)}).decode()
        self._answers.append({"role": "assistant", "content": said})
        messages = self._messages(64)[:-1]
        from ..backends.protocol import Completion

        done = Completion(
            said,
            prompt_ids=tuple(self._box.prompt_ids(messages)),
            completion_ids=tuple(self._box.completion_ids(said)),
        )
        call = call_of(self._backend.name, messages, done, {})
        return Reply(action=action, text=said, calls=(call,))

    def end(self, outcome: Outcome) -> None:
        """Pass the end on."""
        super().end(outcome)
        end = getattr(self._expert, "end", None)
        if end is not None:
            end(outcome)


def play_episodes(
    play: Play,
    seats: Sequence[str],
    agent: Callable[[], LLMAgent],
    *,
    groups: int,
    size: int,
    seed: np.random.SeedSequence,
    fault: float = 0.0,
) -> list[Episode]:
    """Play ``groups`` times ``size`` matches; those of a group begin alike.

    Args:
        play: the arena's match loop.
        seats: that learn; each gives an episode a match.
        agent: makes what sits there.
        groups: how many beginnings.
        size: how many matches of each.
        seed: everything is drawn from it.
        fault: what each fault costs.

    Raises:
        GymposiumError: the world or the model failed.
    """
    seatings: list[dict[str, Recorded]] = []
    seeds: list[int] = []
    episodes: list[Episode] = []
    for number, group in enumerate(seed.spawn(groups)):
        world, *draws = (
            int(n) >> 1 for n in group.generate_state(1 + size * len(seats), np.uint64)
        )
        for match in range(size):
            seeds.append(world)
            seatings.append({})
            for place, seat in enumerate(seats):
                episode = Episode(seat, number * len(seats) + place, world)
                draw = draws[match * len(seats) + place] & 0x7FFFFFFF
                seatings[-1][seat] = Recorded(agent(), episode, seed=draw, fault=fault)
                episodes.append(episode)
    play(seatings, seeds)
    for episode in episodes:
        for kind in ("error", "crash"):
            if episode.outcome.faults.get(episode.seat, {}).get(kind):
                raise GymposiumError(f"the agent that learns in {episode.seat} failed ({kind})")
    return [episode for episode in episodes if episode.calls]


def _value(text: str) -> Any:
    """An action in words as the JSON a model would write: objects and lists as such."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return found
