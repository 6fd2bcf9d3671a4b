"""Entities of the real ``gdm-concordia`` in seats, and our models as theirs."""

import asyncio
import json
import threading

import pytest

pytest.importorskip("concordia", reason="gymposium[concordia] is not installed")

from concordia.associative_memory.basic_associative_memory import (
    AssociativeMemoryBank,
)
from concordia.language_model.language_model import (
    InvalidResponseError,
    LanguageModel,
)
from concordia.prefabs.entity import basic
from concordia.typing.entity import choice_action_spec, free_action_spec

import gymposium
from gymposium.agents.language.concordia_agent import ConcordiaAgent, by_words
from gymposium.agents.language.concordia_model import ConcordiaModel
from gymposium.agents.registry import resolve
from gymposium.errors import BudgetSpent, UnknownName, UsageError
from gymposium.types import Usage

from .stand_ins import RULES, Recording, make_seat, make_turn, play

PREFAB_FILE = '''
import dataclasses
from collections.abc import Mapping

from concordia.prefabs.entity import minimal


@dataclasses.dataclass
class Shy(minimal.Entity):
    """Says little."""

    description: str = "an entity that says little"
'''


def played(world, spec, out, *, params=None, other="random", **more):
    once = {"rotate_seats": False, "self_play": False}
    entry = {"id": world, "params": params or {}}
    scenario = gymposium.Scenario(name="concordia", worlds=[entry], schedule=once)
    return gymposium.run(scenario, agents=[spec, other], out=out, cache=False, **more)


def replies(run, seat):
    steps = run.transcript(run.rows[0].key)
    return [step["replies"][seat] for step in steps if seat in step.get("replies", {})]


def seated(backend, prefab="minimal", **params):
    agent = ConcordiaAgent(
        f"concordia.prefabs.entity.{prefab}", "Entity", params, "scripted/legal", {}, {}
    )
    agent._backend = backend
    agent.reset(make_seat(rules=RULES), 7)
    return agent


@pytest.mark.parametrize("prefab", ["minimal", "basic", "basic_with_plan", "basic__Entity"])
def test_concordias_own_entities_play_a_match_without_a_fault(prefab, tmp_path):
    spec = f"concordia:{prefab}?model=scripted/legal"
    run = played("iterated_matrix-v0", spec, tmp_path / "run", params={"rounds": 3})
    assert not any(seat.faults for seat in run.rows[0].seats)
    made = replies(run, "player_0")
    assert len(made) == 3
    assert all(reply["calls"] for reply in made)
    acted = [part for part in made[0]["trace"] if part["name"] == "__act__"]
    assert [part["value"] for part in acted] == [["cooperate", "defect"][made[0]["action"]]]


@pytest.mark.parametrize(
    ("world", "params"),
    [("haggling-v0", {}), ("clean_up-v0", {"map": "clean_up_mini", "agents": 2, "horizon": 3})],
)
def test_they_play_other_worlds_too_their_words_in_the_form_the_world_reads(
    world, params, tmp_path
):
    spec = "concordia:minimal?model=scripted/legal"
    run = played(world, spec, tmp_path / "run", params=params)
    assert not any(seat.faults for seat in run.rows[0].seats)


def test_it_is_told_the_rules_and_each_turn_and_says_one_of_the_options():
    backend = Recording(['{"answer":"b"}'])
    agent = seated(backend, goal="be kind")
    (reply,) = play(agent, [make_turn(0, "Round 1. <|im_end|> Choose.")])
    (prompt,) = backend.asked
    text = prompt[-1]["content"]
    assert "You play a game with player_1." in text
    assert "Round 1." in text
    assert "<|im_end|>" not in text
    assert "be kind" in text
    offered = dict(
        line.strip().removeprefix("(").split(") ") for line in text.splitlines() if "  (" in line
    )
    assert set(offered.values()) == {"cooperate", "defect"}
    assert reply.text == offered["b"]
    assert reply.calls[0].usage == Usage(0, 1)


def test_equal_seeds_give_equal_play_whatever_order_its_threads_ask_in():
    def match():
        agent = ConcordiaAgent(
            "concordia.prefabs.entity.basic", "Entity", {}, "scripted/legal", {}, {}
        )
        agent.reset(make_seat(rules=RULES), 7)
        turns = [make_turn(step, f"Round {step}.") for step in range(4)]
        return [
            (reply.text, sorted(call.parameters["seed"] for call in reply.calls))
            for reply in play(agent, turns)
        ]

    assert match() == match()


def test_an_answer_that_is_none_of_the_options_is_refused_and_after_three_an_error():
    agent = seated(Recording(['{"answer":"z"}', "b)", '{"answer":"a"}']))
    assert play(agent, [make_turn(0, "Go.")])[0].text in ("cooperate", "defect")
    agent = seated(Recording(["rubbish"] * 3))
    with pytest.raises(InvalidResponseError, match="'rubbish' is none of 'a', 'b'"):
        play(agent, [make_turn(0, "Go.")])
    # It can be asked again all the same.
    agent._backend.answers = ['{"answer":"a"}']
    again = make_turn(0, "Go.").again("no legal answer", 1)
    assert play(agent, [again])[0].text in ("cooperate", "defect")
    assert "That answer cannot be used: no legal answer" in agent._backend.asked[-1][-1]["content"]


def test_free_text_is_held_to_the_worlds_form_and_the_entitys_name_is_taken_off():
    schema = {"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]}
    backend = Recording(['{"action":{"price":3}}'])
    agent = seated(backend)
    (reply,) = play(agent, [make_turn(0, "Offer {something}.", schema=schema)])
    assert json.loads(reply.text) == {"action": {"price": 3}}
    assert "price" in backend.parameters[0]["schema"]["properties"]["action"]["properties"]


def test_prompts_are_cut_to_what_the_model_can_take_in():
    backend = Recording(['{"answer":"a"}'], context_tokens=700)
    agent = seated(backend)
    play(agent, [make_turn(0, "word " * 3000)])
    assert "characters left out" in backend.asked[0][-1]["content"]
    assert len(backend.asked[0][-1]["content"]) < 700 * 3.2


def test_a_budget_that_is_spent_stops_the_run(tmp_path):
    spec = "concordia:basic?model=scripted/legal"
    with pytest.raises(BudgetSpent):
        played("iterated_matrix-v0", spec, tmp_path / "run", budget={"calls": 4})


def test_whoever_gives_up_waiting_leaves_no_call_behind():
    class Slow(Recording):
        ended = 0

        async def complete(self, messages, **parameters):
            self.asked.append(messages)
            try:
                await asyncio.sleep(60)
            finally:
                self.ended += 1

    async def go():
        agent = seated(backend, "basic")
        asking = asyncio.create_task(agent.act(make_turn(0, "Go.")))
        while not backend.asked:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.sleep(0.1)
        return len(backend.asked)

    backend = Slow()
    assert asyncio.run(go()) == backend.ended == len(backend.asked)


def test_a_users_prefab_plays_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "shy.py"
    file.write_text(PREFAB_FILE)
    spec = resolve(f"concordia:{file}:Shy?model=scripted/legal")
    assert spec.isolated
    assert not resolve(f"concordia:{file}:Shy?model=scripted/legal", trusted=True).isolated
    run = played("iterated_matrix-v0", spec.text, tmp_path / "run", params={"rounds": 2})
    assert not any(seat.faults for seat in run.rows[0].seats)
    assert all(reply["calls"] for reply in replies(run, "player_0"))


def test_what_is_misspelt_is_said_before_a_match(tmp_path):
    with pytest.raises(UnknownName, match="'basic'"):
        resolve("concordia:basik")
    with pytest.raises(UnknownName, match="'goal'"):
        resolve("concordia:basic?gaol=win&model=scripted/legal")
    with pytest.raises(UnknownName, match="smollm2"):
        resolve("concordia:basic?model=smolm2")
    with pytest.raises(UsageError, match="names no prefab"):
        resolve("concordia:scripted:grim")
    with pytest.raises(UsageError, match="not a prefab"):
        ConcordiaAgent("concordia.prefabs.entity.basic", "Mapping", {}, "scripted/legal", {}, {})


def test_a_spec_is_spelt_back():
    spec = resolve("concordia:basic?model=scripted/legal&goal=win")
    assert spec.text == "concordia:basic?goal=win&model=scripted/legal"
    assert resolve(spec.text).identity == spec.identity
    assert spec.identity != resolve("concordia:basic?model=scripted/legal").identity


def test_a_model_of_ours_serves_an_entity_of_theirs_outside_any_match():
    model = ConcordiaModel("scripted/legal", seed=3)
    assert isinstance(model, LanguageModel)
    bank = AssociativeMemoryBank(by_words)
    entity = basic.Entity(params={"name": "Ann", "goal": "be kind"}).build(model, bank)
    entity.observe("It is raining.")
    options = ("go out", "stay in")
    assert entity.act(choice_action_spec(call_to_action="What now?", options=options)) in options
    assert entity.act(free_action_spec(call_to_action="What does {name} say?")).startswith("Ann ")
    assert len(model.calls()) > 4
    assert model.calls() == []


def test_texts_end_at_their_terminator_and_at_their_length():
    backend = Recording(["\n one two\nQuestion: three", "four"])
    model = ConcordiaModel(backend, max_tokens=9)
    assert model.sample_text("Answer: ", terminators=("\n", "Question")) == "one two"
    assert model.sample_text("Answer: ", temperature=0.1) == "four"
    assert [asked["max_tokens"] for asked in backend.parameters] == [9, 9]
    assert [asked["temperature"] for asked in backend.parameters] == [0.5, 0.1]
    seeds = [asked["seed"] for asked in backend.parameters]
    assert seeds[0] != seeds[1]  # one prompt, asked twice


def test_choices_are_looked_up_whatever_the_model_wraps_them_in():
    model = ConcordiaModel(Recording(["**Yes**", "Answer: no"]))
    assert model.sample_choice("Rain?", ["No", "Yes"]) == (1, "Yes", {"attempts": 1})
    assert model.sample_choice("Rain?", ["No", "Yes"])[:2] == (0, "No")


def test_many_threads_may_ask_at_once():
    model = ConcordiaModel("scripted/legal")
    said = []
    threads = [
        threading.Thread(target=lambda n=n: said.append(model.sample_text(f"{n}: ")))
        for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(said) == 16


def test_smollm2_speaks_for_an_entity_of_concordias(smollm2, tmp_path):
    run = played("iterated_matrix-v0", "concordia:minimal", tmp_path / "run", params={"rounds": 2})
    assert not any(seat.faults for seat in run.rows[0].seats)
    calls = [call for reply in replies(run, "player_0") for call in reply["calls"]]
    assert {call["model"] for call in calls} == {"smollm2-135m"}
    assert len(calls) == 2
