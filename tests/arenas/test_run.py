"""A run from outside: any agent in any seat, tables, and who is crowned."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.errors import GymposiumError, UnknownName, UsageError
from gymposium.scenarios.model import Scenario
from gymposium.types import Seat, Turn

PD = {"name": "pd", "world": "iterated_matrix-v0", "params": {"rounds": 12}}


def scenario(**fields: Any) -> Scenario:
    return Scenario.model_validate({**PD, **fields})


class Defector:
    deterministic = True

    def reset(self, seat: Seat, seed: int) -> None: ...

    def act(self, turn: Turn) -> int:
        return 1


class Unmakeable(Defector):
    def __init__(self) -> None:
        raise RuntimeError("no weights")


async def slow_defector(turn: Turn) -> int:
    await asyncio.sleep(0)
    return 1


def speaker(text: str) -> str:
    return "I will **defect**."


def test_any_mind_sits_in_any_seat(tmp_path: Path) -> None:
    minds = [Defector, slow_defector, speaker, "scripted:always_defect", "llm:scripted/legal"]
    run = gymposium.run(scenario(schedule={"kind": "pairs"}), minds, out=tmp_path / "run")
    table = run.table()
    assert len(table) == len(minds)
    assert len(run.rows) == len(minds) * (len(minds) - 1) + len(minds)
    defectors = [seat for row in run.rows for seat in row.seats if "llm" not in seat.agent]
    assert not any(seat.faults for seat in defectors)


def test_an_agent_that_cannot_be_made_loses_its_turns_and_the_run_goes_on(tmp_path: Path) -> None:
    run = gymposium.run(scenario(), [Unmakeable, "random"], out=tmp_path / "run")
    for row in run.rows:
        for seat in row.seats:
            assert seat.faults == ({"error": 12} if "Unmakeable" in seat.agent else {})


def test_always_defect_is_not_crowned_in_the_prisoners_dilemma(tmp_path: Path) -> None:
    bots = ["tit_for_tat", "grim", "win_stay_lose_shift", "always_cooperate", "always_defect"]
    run = gymposium.run(
        scenario(schedule={"kind": "round_robin", "repeats": 5}, params={"rounds": 30}),
        [f"scripted:{bot}" for bot in bots],
        out=tmp_path / "run",
    )
    board = run.leaderboard()
    ratings = {row.agent: row.rating for row in board.rows}
    assert ratings["scripted:always_defect"] < ratings["scripted:tit_for_tat"]
    assert board.rows[0].agent != "scripted:always_defect"


def test_in_a_zero_sum_world_the_better_player_is_rated_higher(tmp_path: Path) -> None:
    def exploiter(turn: Turn) -> int:
        """Always-cooperate plays heads: match it as the matcher, mismatch it as the other."""
        return 0 if turn.seat.endswith("0") else 1

    run = gymposium.run(
        scenario(params={"game": "matching-pennies", "rounds": 5}, schedule={"repeats": 4}),
        [exploiter, "scripted:always_cooperate", "random"],
        out=tmp_path / "run",
    )
    ratings = {row.agent: row.rating for row in run.leaderboard().rows}
    assert max(ratings, key=lambda name: ratings[name]) == "exploiter"


def test_two_agents_alone_in_a_mixed_world_are_compared_with_each_other(tmp_path: Path) -> None:
    pair = ["scripted:tit_for_tat", "scripted:always_defect"]
    run = gymposium.run(scenario(schedule={"repeats": 3}), pair, out=tmp_path / "run")
    assert all(row.connected for row in run.leaderboard().rows)


def test_swiss_rounds_are_refused_where_they_could_not_rate_anybody(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="zero_sum"):
        gymposium.run(scenario(schedule={"kind": "swiss"}), ["random"], out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_live_objects_are_known_by_their_own_names(tmp_path: Path) -> None:
    run = gymposium.run(scenario(), [Defector, speaker, "random"], out=tmp_path / "run")
    assert set(run.table()["agent"]) == {"Defector", "speaker", "random"}


def test_two_objects_of_one_name_stay_apart(tmp_path: Path) -> None:
    run = gymposium.run(scenario(), [Defector(), Defector()], out=tmp_path / "run")
    assert len(set(run.table()["agent"])) == 2


def test_a_slow_language_model_loses_its_turns_to_the_time_limit(tmp_path: Path) -> None:
    slow = scenario(params={"rounds": 2}, time_limit=0.01, reasks=0)
    run = gymposium.run(slow, ["llm:scripted/slow-3000ms", "random"], out=tmp_path / "run")
    for row in run.rows:
        for seat in row.seats:
            assert seat.faults == ({"timeout": 2} if "llm" in seat.agent else {})
            assert seat.parsed_turns == 0
            assert seat.llm_turns == (2 if "llm" in seat.agent else 0)


def test_runs_are_data_frames_with_every_seat(tmp_path: Path) -> None:
    run = gymposium.run(scenario(), ["random", "scripted:grim"], out=tmp_path / "run")
    frame = run.matches()
    assert len(frame) == sum(len(row.seats) for row in run.rows)
    assert {"match", "cell", "seat", "agent", "return", "faults", "llm_calls"} <= set(frame)


def test_a_transcript_tells_the_match_and_replays_to_the_same_states(tmp_path: Path) -> None:
    from gymposium.arenas.record import decode, state_hash
    from gymposium.envs.registry import make_world

    run = gymposium.run(scenario(), ["random", "scripted:grim"], out=tmp_path / "run")
    first, *steps, last = run.transcript(run.rows[0].key)
    world = make_world(first["world"], **first["params"])
    turns = world.reset(first["seed"])
    for line in steps:
        assert state_hash(world) == line["state"]
        for seat, turn in turns.items():
            assert str(decode(line["turns"][seat]["observation"])) == str(turn.observation)
        turns = world.step(
            {seat: decode(reply["action"]) for seat, reply in line["replies"].items()}
        )
    assert not turns
    assert state_hash(world) == last["state"]
    assert decode(last["outcome"]["returns"]) == world.outcome.returns


def test_a_run_inside_a_running_event_loop_works(tmp_path: Path) -> None:
    async def notebook() -> int:
        run = gymposium.run(scenario(), ["random", "scripted:grim"], out=tmp_path / "run")
        return len(run.rows)

    assert asyncio.run(notebook()) > 0


def test_a_world_id_alone_is_a_scenario(tmp_path: Path) -> None:
    run = gymposium.run("iterated_matrix-v0", ["random", "scripted:grim"], out=tmp_path / "run")
    assert {row.world for row in run.rows} == {"iterated_matrix-v0"}


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (["scripted:tit_for_tatt", "random"], "tit_for_tat"),
        (["nowhere.py:Mine", "random"], "nowhere.py"),
        (["randon"], "random"),
        (["random", "random"], "twice"),
    ],
)
def test_a_wrong_agent_is_told_in_a_sentence(tmp_path: Path, agents: list[str], said: str) -> None:
    with pytest.raises(GymposiumError, match=said):
        gymposium.run(scenario(), agents, out=tmp_path / "run")


def test_a_wrong_world_or_parameter_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="iterated_matrix"):
        gymposium.run("iterated_matrx-v0", ["random"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="rounds"):
        gymposium.run(scenario(params={"round": 3}), ["random", "random?"], out=tmp_path / "run")


def test_the_report_is_one_file(tmp_path: Path) -> None:
    run = gymposium.run(scenario(), ["random", "llm:scripted/legal"], out=tmp_path / "run")
    page = run.report().read_text(encoding="utf-8")
    assert "llm:scripted/legal" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
