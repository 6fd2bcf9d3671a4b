"""What happens to an agent that misbehaves: its own turns, and nobody else's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.agents.agent import as_agent
from gymposium.arenas.asking import Player
from gymposium.arenas.match import Match, MatchRules
from gymposium.arenas.meter import Meter
from gymposium.envs.registry import make_world
from gymposium.errors import AgentFault, BackendError, BudgetSpent, GymposiumError
from gymposium.types import Call, Outcome, Reply, Seat, Turn, Usage

ROUNDS = 6


class Always:
    def __init__(self, action: Any) -> None:
        self.action = action
        self.turns: list[Turn] = []
        self.outcome: Outcome | None = None

    def reset(self, seat: Seat, seed: int) -> None:
        self.turns = []

    def act(self, turn: Turn) -> Any:
        self.turns.append(turn)
        if callable(self.action):
            return self.action(turn)
        if isinstance(self.action, BaseException):
            raise self.action
        return self.action

    def end(self, outcome: Outcome) -> None:
        self.outcome = outcome


def play(
    first: Any, second: Any = 0, *, game: str = "prisoners-dilemma", **rules: Any
) -> tuple[Outcome, Mapping[str, Player]]:
    meter, language = rules.pop("meter", None), rules.pop("language", False)
    world = make_world("iterated_matrix-v0", game=game, rounds=ROUNDS)
    minds = [mind if hasattr(mind, "act") else Always(mind) for mind in (first, second)]
    players = {
        seat: Player(world.seats[seat], mind, f"agent {place}", language=language)
        for place, (seat, mind) in enumerate(zip(world.seats, minds, strict=True))
    }
    match = Match(world, players, 3, MatchRules(**rules), meter=meter)
    return asyncio.run(match.play()), players


def returns(outcome: Outcome) -> tuple[float, float]:
    first, second = outcome.returns.values()
    return first, second


RUBBISH: list[Any] = [
    ValueError("boom"),
    AgentFault("error", "boom"),
    SystemExit(3),
    None,
    99,
    -1,
    1.5,
    "perhaps",
    {"x": 1},
    [],
    object(),
    float("nan"),
    Reply(),
    Reply(text=""),
    Reply(action=7),
]


@pytest.mark.parametrize("rubbish", RUBBISH, ids=lambda rubbish: type(rubbish).__name__)
def test_an_agent_that_talks_nonsense_loses_its_turns_and_only_its_own(rubbish: Any) -> None:
    outcome, players = play(rubbish)
    bad, good = players.values()
    assert sum(outcome.faults[bad.seat.id].values()) == ROUNDS
    assert good.seat.id not in outcome.faults
    # Nothing the crasher could have played legally against this partner earns less.
    assert returns(outcome)[0] <= min(returns(play(action)[0])[0] for action in (0, 1))


@pytest.mark.parametrize("game", ["prisoners-dilemma", "stag-hunt", "chicken", "matching-pennies"])
@pytest.mark.parametrize("partner", [0, 1])
def test_a_fault_never_pays(game: str, partner: int) -> None:
    crashed = returns(play(ValueError("boom"), partner, game=game)[0])[0]
    legal = [returns(play(action, partner, game=game)[0])[0] for action in (0, 1)]
    assert crashed <= min(legal)


def test_an_agent_is_told_why_and_asked_again() -> None:
    def learns(turn: Turn) -> Any:
        return 0 if "error" in turn.info else 99

    agent = Always(learns)
    outcome, _ = play(agent)
    assert not outcome.faults
    assert len(agent.turns) == 2 * ROUNDS
    assert "99" in agent.turns[1].info["error"]
    assert [turn.info.get("attempt") for turn in agent.turns[:4]] == [None, 1, None, 1]


@pytest.mark.parametrize("reasks", [0, 1, 4])
def test_an_agent_is_asked_again_as_often_as_the_rules_say(reasks: int) -> None:
    agent = Always(99)
    play(agent, reasks=reasks)
    assert len(agent.turns) == ROUNDS * (1 + reasks)


def test_an_agent_that_fails_its_reset_is_out_and_the_match_goes_on() -> None:
    class Broken(Always):
        def reset(self, seat: Seat, seed: int) -> None:
            raise RuntimeError("no weights")

    agent = Broken(0)
    outcome, players = play(agent)
    assert next(iter(players.values())).out == "error"
    assert sum(outcome.faults["player_0"].values()) == ROUNDS
    assert not agent.turns


def test_a_dead_process_is_not_asked_again() -> None:
    agent = Always(AgentFault("crash", "the process died"))
    outcome, _ = play(agent)
    assert outcome.faults["player_0"] == {"crash": ROUNDS}
    assert len(agent.turns) == 1


def test_an_async_agent_that_never_answers_costs_one_time_limit_a_turn() -> None:
    class Sleeper(Always):
        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            self.turns.append(turn)
            await asyncio.Event().wait()

    agent = Sleeper(0)
    outcome, _ = play(agent, time_limit=0.01, reasks=0)
    assert outcome.faults["player_0"] == {"timeout": ROUNDS}


def test_a_hung_process_is_killed_and_its_seat_left_empty() -> None:
    class Hung(Always):
        killed = 0

        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            await asyncio.Event().wait()

        def kill(self) -> None:
            self.killed += 1

    agent = Hung(0)
    outcome, _ = play(agent, time_limit=0.01)
    assert agent.killed == 1
    assert outcome.faults["player_0"] == {"timeout": ROUNDS}


def test_writing_on_an_observation_changes_nothing_for_anybody() -> None:
    def scribble(turn: Turn) -> int:
        for value in turn.observation.values() if isinstance(turn.observation, dict) else ():
            if hasattr(value, "fill"):
                value.fill(0)
        if isinstance(turn.observation, dict):
            turn.observation.clear()
        return 1

    witness = Always(lambda turn: 0)
    honest = Always(lambda turn: 0)
    scribbled, _ = play(Always(scribble), witness)
    plain, _ = play(1, honest)
    assert returns(scribbled) == returns(plain)
    assert [turn.text for turn in witness.turns] == [turn.text for turn in honest.turns]


def test_seats_that_act_at_the_same_time_are_asked_at_the_same_time() -> None:
    """Each waits for the other to have been asked: one after the other would never end."""
    asked = [asyncio.Event(), asyncio.Event()]

    class Waits(Always):
        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            me = int(turn.seat[-1])
            asked[me].set()
            await asked[1 - me].wait()
            return 0

    outcome, _ = play(Waits(0), Waits(0), time_limit=5.0)
    assert not outcome.faults


@pytest.mark.parametrize("error", [BudgetSpent("spent"), BackendError("down")])
@pytest.mark.parametrize("both", [False, True])
def test_what_is_not_the_agents_doing_stops_the_match_instead_of_faulting_it(
    error: GymposiumError, both: bool
) -> None:
    class Fails(Always):
        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            raise error

    with pytest.raises(type(error)):
        play(Fails(0), Fails(0) if both else 0, language=True)


def test_a_spent_budget_stops_before_the_next_call_is_made() -> None:
    class Model(Always):
        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            self.turns.append(turn)
            return Reply(action=0, calls=(Call("m", (), "0", usage=Usage(10, 2)),))

    agent = Model(0)
    meter = Meter({"calls": 4})
    with pytest.raises(BudgetSpent, match=r"budget\.calls"):
        play(agent, meter=meter, language=True)
    assert len(agent.turns) == 4
    assert (meter.total.calls, meter.total.prompt_tokens, meter.total.completion_tokens) == (
        4,
        40,
        8,
    )


def test_calls_of_failed_attempts_are_counted_and_unparsed_turns_are_not_the_models_own() -> None:
    class Model(Always):
        async def act(self, turn: Turn) -> Any:  # type: ignore[override]
            text = "nonsense" if turn.step % 2 else '{"action": "cooperate"}'
            return Reply(text=text, calls=(Call("m", (), text, usage=Usage(5, 1)),))

    _, players = play(Model(0), reasks=1, language=True)
    model = players["player_0"]
    assert model.llm_turns == ROUNDS
    assert model.parsed_turns == ROUNDS // 2
    assert len(model.calls) == ROUNDS // 2 + ROUNDS
    assert model.faults == {"illegal": ROUNDS // 2}


def test_a_broken_world_is_named_with_its_step_and_seed() -> None:
    world = make_world("iterated_matrix-v0", rounds=ROUNDS)

    def fail(actions: object) -> Any:
        raise ZeroDivisionError("oops")

    world.step = fail  # type: ignore[method-assign]
    players = {seat: Player(info, Always(0), seat) for seat, info in world.seats.items()}
    with pytest.raises(GymposiumError, match=r"iterated_matrix-v0 failed at step 0 with seed 3"):
        asyncio.run(Match(world, players, 3).play())


def test_rewards_of_turns_and_the_final_reward_add_up_to_the_return() -> None:
    agent = Always(lambda turn: turn.step % 2)
    play(agent, 1)
    assert agent.outcome is not None
    total = sum(turn.reward for turn in agent.turns) + agent.outcome.final_rewards["player_0"]
    assert total == agent.outcome.returns["player_0"]


def test_functions_of_words_are_agents_too() -> None:
    def speak(text: str) -> str:
        return "I choose to defect."

    outcome, _ = play(as_agent(speak), 0)
    assert not outcome.faults
    assert returns(outcome) == returns(play(1, 0)[0])


@pytest.mark.parametrize(
    "said",
    [
        "{'action': 'defect'}",
        'Well, let me see. {"thought": "hm", "action": "defect",} That is all.',
        "<think>cooperate?</think> **defect**",
        '```json\n{"action": "defect"}\n```',
        "b)",
    ],
)
def test_sloppy_words_are_taken_apart_by_the_one_extractor(said: str) -> None:
    assert returns(play(Always(said), 0)[0]) == returns(play(1, 0)[0])
    assert returns(play(Always(Reply(text=said)), 0)[0]) == returns(play(1, 0)[0])


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


@pytest.mark.parametrize(
    "sin",
    [
        np.array(1),
        asyncio.CancelledError(),
        Unprintable(),
        ValueError("\ud800"),
        BudgetSpent("mine"),
        BackendError("mine"),
    ],
    ids=lambda sin: type(sin).__name__,
)
def test_no_agent_can_stop_the_match_with_its_own_faults(sin: Any) -> None:
    outcome, _ = play(sin)
    assert sum(outcome.faults["player_0"].values()) == ROUNDS


def test_writing_on_the_action_space_makes_nothing_legal() -> None:
    def cheat(turn: Turn) -> int:
        turn.action_space.n = 9  # type: ignore[attr-defined]
        return 8

    outcome, _ = play(Always(cheat))
    assert sum(outcome.faults["player_0"].values()) == ROUNDS


def test_what_cannot_be_written_down_is_left_out_of_the_record(tmp_path: Path) -> None:
    def odd(turn: Turn) -> Reply:
        return Reply(action=0, trace=[{"x": object()}])

    run = gymposium.run("iterated_matrix-v0", [odd, "random"], out=tmp_path / "run")
    assert not any(seat.faults for row in run.rows for seat in row.seats)
