from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.arenas.export import export_transcripts
from gymposium.arenas.export.answers import answers
from gymposium.arenas.export.chat import chat_examples
from gymposium.arenas.export.preferences import preference_pairs
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.errors import StoreError, UnknownName, UsageError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gymposium.Run:
    scenario = {"name": "talk", "world": "haggling-v0", "schedule": {"repeats": 3}, "reasks": 1}
    agents = ["llm:scripted/legal", "llm:scripted/flaky", "llm:scripted/rubbish", "random"]
    path = tmp_path_factory.mktemp("runs") / "run"
    return gymposium.run(gymposium.load_scenario(scenario), agents, out=path)


def exported(run: gymposium.Run, path: Path, **options: Any) -> list[dict[str, Any]]:
    written = run.export_transcripts(path / "out.jsonl", **options)
    lines = [json.loads(line) for line in (path / "out.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == written
    return lines


def test_a_conversation_per_model_seat_with_roles_in_turn(
    run: gymposium.Run, tmp_path: Path
) -> None:
    lines = exported(run, tmp_path)
    wanted = {(r.key, s.seat) for r in run.rows for s in r.seats if s.llm_turns}
    assert {(line["match"], line["seat"]) for line in lines} == wanted
    for line in lines:
        roles = [message["role"] for message in line["messages"]]
        assert roles == ["system", *["user", "assistant"] * line["turns"]]
        row = next(row for row in run.rows if row.key == line["match"])
        seat = next(seat for seat in row.seats if seat.seat == line["seat"])
        assert (line["return"], line["turns"]) == (seat.return_, seat.llm_turns)
        assert line["own_answers"] == seat.parsed_turns


def test_what_is_said_is_what_the_record_holds_without_the_refusals(
    run: gymposium.Run, tmp_path: Path
) -> None:
    line = next(it for it in exported(run, tmp_path) if it["agent"] == "llm:scripted/flaky")
    calls = [
        step["replies"][line["seat"]]["calls"]
        for step in run.transcript(line["match"])
        if step["kind"] == "step" and line["seat"] in step["replies"]
    ]
    assert any(len(each) > 1 for each in calls)  # it was asked again
    assert [m["content"] for m in line["messages"] if m["role"] == "assistant"] == [
        each[-1]["completion"] for each in calls
    ]
    assert "That answer cannot be used" not in json.dumps(line["messages"])


def test_filters_by_return_and_by_own_answers(run: gymposium.Run, tmp_path: Path) -> None:
    everything = exported(run, tmp_path)
    rich = exported(run, tmp_path, min_return=1.0)
    assert rich == [line for line in everything if line["return"] >= 1.0]
    assert 0 < len(rich) < len(everything)
    own = exported(run, tmp_path, own_answers=True)
    assert own == [line for line in everything if line["own_answers"] == line["turns"]]
    assert {line["agent"] for line in everything} - {line["agent"] for line in own} == {
        "llm:scripted/rubbish"
    }


def brute_force(run: gymposium.Run) -> set[tuple[Any, ...]]:
    """Every (place, prompt) with the best and the worst answer to it, from all records at once."""
    heard: dict[tuple[Any, ...], dict[str, list[float]]] = {}
    for row in run.rows:
        for line in run.transcript(row.key):
            for seat_id, reply in line.get("replies", {}).items():
                if not reply.get("calls") or reply.get("fault") or reply.get("action") is None:
                    continue
                seat = next(s for s in row.seats if s.seat == seat_id)
                others = tuple((s.seat, s.agent) for s in row.seats if s.seat != seat_id)
                prompt = json.dumps(reply["calls"][0]["messages"])
                place = (row.cell, row.seed, seat_id, others, prompt)
                said = reply["calls"][-1]["completion"]
                heard.setdefault(place, {}).setdefault(said, []).append(seat.return_)
    found = set()
    for place, said in heard.items():
        means = sorted(
            ((sum(v) / len(v), k) for k, v in said.items()), key=lambda it: (-it[0], it[1])
        )
        for best, worst in zip(means[: len(means) // 2], means[::-1], strict=False):
            if best[0] > worst[0]:
                found.add((place[1], place[2], place[3], place[4], best[1], worst[1]))
    return found


def test_pairs_by_return_are_those_of_a_plain_search(run: gymposium.Run, tmp_path: Path) -> None:
    lines = [it for it in exported(run, tmp_path, format="preferences") if it["by"] == "return"]
    ours = {
        (
            it["seed"], it["seat"], tuple(it["others"].items()), json.dumps(it["prompt"]),
            it["chosen"][0]["content"], it["rejected"][0]["content"],
        )
        for it in lines
    }  # fmt: skip
    assert ours == brute_force(run)
    assert len(ours) == len(lines) > 0
    for it in lines:
        assert it["chosen_return"] > it["rejected_return"]


def test_a_refused_answer_is_worse_than_the_one_that_stood(
    run: gymposium.Run, tmp_path: Path
) -> None:
    lines = [it for it in exported(run, tmp_path, format="preferences") if it["by"] == "legal"]
    assert lines
    for it in lines:
        assert json.loads(it["chosen"][0]["content"])["action"]
        assert it["chosen"] != it["rejected"]
        assert it["prompt"][-1]["role"] == "user"
        assert "That answer cannot be used" not in it["prompt"][-1]["content"]


def test_preferences_ask_for_a_gap_and_a_return(run: gymposium.Run, tmp_path: Path) -> None:
    every = exported(run, tmp_path, format="preferences")
    wide = exported(run, tmp_path, format="preferences", min_gap=3.0)
    assert wide == [
        it for it in every
        if it["by"] == "legal" or it["chosen_return"] - it["rejected_return"] >= 3
    ]  # fmt: skip
    rich = exported(run, tmp_path, format="preferences", min_return=1.0)
    assert rich == [it for it in every if it["chosen_return"] >= 1.0]


def reply(completion: str, messages: list[dict[str, str]], **more: Any) -> dict[str, Any]:
    call = {"model": "m", "messages": messages, "completion": completion}
    return {"action": 1, "calls": [call], **more}


def match(key: str, seed: int, total: float, other: str = "z") -> MatchRow:
    seats = (
        SeatRow("a", key, "focal", None, total, llm_turns=1, parsed_turns=1),
        SeatRow("b", other, "focal", None, 0.0),
    )
    return MatchRow(key, "w", "mixed", "c", seed, seed, seats)


def test_answers_of_other_seeds_or_with_other_company_are_never_paired() -> None:
    said = {"m1": "x", "m2": "y", "m3": "v", "m4": "w"}
    asked = [{"role": "user", "content": "?"}]

    def record(key: str) -> Iterator[dict[str, Any]]:
        yield {"kind": "step", "step": 0, "replies": {"a": reply(said[key], asked)}}

    rows = [match("m1", 0, 3), match("m2", 1, 1), match("m3", 0, 0, "someone else")]
    assert list(preference_pairs(rows, record)) == []
    (pair,) = preference_pairs([*rows, match("m4", 0, 1)], record)
    assert (pair["chosen"][0]["content"], pair["rejected"][0]["content"]) == ("x", "w")


def test_a_seat_with_several_questions_a_turn_is_taken_at_its_last_call() -> None:
    asked = [[{"role": "user", "content": text}] for text in ("plan?", "act?")]
    calls = [
        {"model": "m", "messages": messages, "completion": said}
        for messages, said in zip(asked, ("a plan", "a move"), strict=True)
    ]
    line = {"kind": "step", "step": 0, "replies": {"a": {"action": 1, "calls": calls}}}
    (answer,) = answers([line], ["a"])
    assert (answer.prompt, answer.completion, answer.refused) == (asked[1], "a move", ())


def test_records_are_read_one_at_a_time() -> None:
    open_now = 0

    def rows() -> Iterator[MatchRow]:
        for number in range(50):
            yield match(f"m{number}", number, 1.0)

    def record(key: str) -> Iterator[dict[str, Any]]:
        nonlocal open_now
        open_now += 1
        assert open_now == 1
        yield {"kind": "step", "step": 0, "replies": {"a": reply("x", [{"role": "user"}])}}
        open_now -= 1

    made = chat_examples(rows(), record)
    assert next(made)["match"] == "m0"
    assert next(made)["match"] == "m1"


def test_a_run_without_models_gives_an_empty_file(tmp_path: Path) -> None:
    run = gymposium.run("iterated_matrix-v0", ["random"], out=tmp_path / "run")
    assert exported(run, tmp_path) == []
    assert exported(run, tmp_path, format="preferences") == []


def test_what_cannot_be_written_is_refused(run: gymposium.Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'preferences'"):
        export_transcripts(run.path, tmp_path / "x.jsonl", "preference")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"written as \.jsonl"):
        export_transcripts(run.path, tmp_path / "x.parquet")


def test_a_lost_record_stops_the_export_and_leaves_no_file(tmp_path: Path) -> None:
    run = gymposium.run("iterated_matrix-v0", ["llm:scripted/legal"], out=tmp_path / "run")
    next(run.path.glob("transcripts/*/*.zst")).unlink()
    with pytest.raises(StoreError, match="is missing"):
        run.export_transcripts(tmp_path / "x.jsonl")
    assert not (tmp_path / "x.jsonl").exists()
