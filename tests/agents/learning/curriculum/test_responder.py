"""The made-up speaker: as sure as its formula, and shortened by a curriculum."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium
from gymposium.agents.learning.curriculum.responder import (
    LEVELS,
    START,
    ResponderAgent,
    chance_right,
    write,
)
from gymposium.agents.methods import resolve_method
from gymposium.envs.trees.word_problems import count_tokens, make_problem, read_answer, solve
from gymposium.errors import UsageError
from gymposium.types import TrainingTask


def trained(spec, seed=0, steps=4000):
    method = resolve_method(spec).make()
    task = TrainingTask("token_budget_math-v0", {}, budget={"steps": steps}, seed=seed)
    for _ in method.train(task):
        pass
    return method


def test_longer_work_is_surer_and_more_steps_are_harder():
    by_length = [chance_right(tokens, 3) for tokens in (1, 5, 20, 80)]
    assert by_length == sorted(by_length)
    assert chance_right(20, 1) > chance_right(20, 6)


@pytest.mark.parametrize("level", [0, 4, 9])
def test_answers_are_as_long_and_as_often_right_as_told(level):
    rng = np.random.default_rng(level)
    right, expected, words = [], [], []
    for _ in range(1500):
        problem = make_problem(rng, steps=(3, 3), largest=100, distractors=0)
        text = write(problem.question, level, rng)
        work = text.partition("####")[0]
        right.append(read_answer(text) == problem.answer)
        expected.append(chance_right(count_tokens(work), 3))
        words.append(len(work.split()) / 3)
    assert abs(np.mean(right) - np.mean(expected)) < 4 * 0.5 / np.sqrt(1500)
    assert np.median(words) == pytest.approx(LEVELS[level], rel=0.1, abs=0.35)


def test_under_a_curriculum_answers_shrink_and_stay_right_while_the_target_starves():
    before = resolve_method("curltrac").make()
    before.begin(TrainingTask("token_budget_math-v0"))
    at_first = before.measure(range(300))
    shrunk, starved = (trained(spec).measure(range(300)) for spec in ("curltrac", "target_budget"))
    assert shrunk.costs.mean() < 0.65 * at_first.costs.mean()
    assert shrunk.returns.mean() > at_first.returns.mean() - 0.1
    assert starved.costs.mean() > 0.9 * at_first.costs.mean()


def test_it_learns_from_one_line_and_sits_in_the_world(tmp_path):
    run = gymposium.train(
        "token_budget_math",
        ["curltrac?report=5"],
        budget={"steps": 200},
        evaluation={"every": 200, "matches": 5},
        out=tmp_path / "run",
    )
    assert list(run.table()["method"]) == ["curltrac?report=5"]
    assert float(run.evaluations["faults"].iloc[-1]) == 0


def test_the_agent_draws_its_verbosity_and_repeats_itself_by_seed():
    world = gymposium.make("token_budget_math-v0", api="world")
    turn = world.reset(1)["player_0"]
    agent, said = ResponderAgent(START), []
    for seed in (1, 1, 2):
        agent.reset(world.seats["player_0"], seed)
        said.append(agent.act(turn))
    assert said[0] == said[1] != said[2]
    assert solve(turn.observation["problem"])[-1] == world.problem.answer


def test_foreign_problems_and_seats_are_refused():
    with pytest.raises(UsageError, match="generated problems only"):
        write("Who are you?", 0, np.random.default_rng(0))
    method = resolve_method("curltrac?student=responder").make()
    with pytest.raises(UsageError, match="a responder answers in text"):
        method.begin(TrainingTask("binary_tree-v0"))
