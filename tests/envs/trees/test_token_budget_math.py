"""Word problems: exact answers, a counter that counts, and answers that must not score."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.trees.token_budget_math import TokenBudgetMath
from gymposium.envs.trees.word_problems import (
    OPERATIONS,
    count_tokens,
    make_problem,
    read_answer,
    solve,
)
from gymposium.errors import UsageError

DIFFICULTIES = st.fixed_dictionaries(
    {
        "steps": st.sampled_from([(1, 1), (2, 4), (1, 8), (6, 6)]),
        "largest": st.sampled_from([20, 100, 5000]),
        "distractors": st.integers(0, 5),
        "operations": st.sampled_from(
            [OPERATIONS, ("add",), ("subtract", "add"), ("subtract", "multiply")]
        ),
    }
)


def answer(world, text, seed=0, budget=None):
    world.set_budget(budget)
    world.reset(seed)
    world.step({"player_0": text})
    return world.outcome


@settings(max_examples=150, deadline=None)
@given(DIFFICULTIES, st.integers(0, 2**31))
def test_a_generated_problem_is_solved_from_its_text_alone_and_its_work_adds_up(hard, seed):
    problem = make_problem(np.random.default_rng(seed), **hard)
    values = solve(problem.question)
    assert values[-1] == problem.answer == read_answer(problem.solution)
    assert hard["steps"][0] <= len(values) - 1 <= hard["steps"][1]
    assert all(0 <= value <= hard["largest"] for value in values)
    for line in problem.solution.split(". ")[1:-1]:
        left, _, right = line.partition(" = ")
        a, sign, b = left.split()
        done = {"+": int(a) + int(b), "-": int(a) - int(b), "*": int(a) * int(b)}
        assert done.get(sign, int(a) // int(b)) == int(right)


@pytest.mark.parametrize("seed", range(30))
def test_the_solution_scores_and_repeating_the_question_never_does(seed):
    world = TokenBudgetMath(distractors=2)
    world.reset(seed)
    problem = world.problem
    loose = world.max_budget
    assert answer(world, problem.solution, seed, loose).returns["player_0"] == 1
    for wrong in ("", "####", problem.question, f"#### {problem.answer + 1}", "no idea", "-" * 90):
        assert answer(world, wrong, seed, loose).returns["player_0"] == 0
    everything = " ".join(map(str, range(300)))
    assert answer(world, everything, seed, loose).metrics["raw_return"] == 0  # it is cut off


def test_a_right_answer_is_paid_only_within_the_budget():
    world = TokenBudgetMath(share=0.5)
    world.reset(3)
    solution, number = world.problem.solution, world.problem.answer
    tokens = count_tokens(solution)
    assert world.target_budget == np.floor(tokens / 2)
    long, short = answer(world, solution, 3), answer(world, f"#### {number}", 3)
    assert long.returns["player_0"] == 0
    assert long.metrics == {"cost": tokens, "raw_return": 1, "feasible": 0}
    assert short.returns["player_0"] == 1
    assert answer(world, solution, 3, tokens).returns["player_0"] == 1
    assert answer(world, solution, 3, tokens - 1).returns["player_0"] == 0


def test_what_is_too_long_is_cut_off_and_wrong():
    world = TokenBudgetMath(limit=30)
    world.reset(0)
    number = world.problem.answer
    assert answer(world, f"{'so ' * 28}#### {number}", 0, 30).metrics["raw_return"] == 0
    cut = answer(world, f"{'so ' * 40}#### {number}", 0, 30)
    assert cut.metrics == {"cost": 30, "raw_return": 0, "feasible": 1}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("two words", 2), ("3 + 4 = 7.", 6), ("12345", 2), ("#### 7", 5), ("a\nb_c", 4)],
)
def test_tokens_are_words_groups_of_digits_and_marks(text, tokens):
    assert count_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3 + 4 = 7. #### 7", 7),
        ("#### 1,234", 1234),
        ("####12 (not 13)", 12),
        ("#### 3\n#### 5", 5),
        ("so it is 12", 12),
        ("The answer is $18.50.", Decimal("18.5")),
        ("-4", -4),
        ("#### none", None),
        ("", None),
    ],
)
def test_the_number_behind_the_last_marker_counts_or_else_the_last(text, number):
    assert read_answer(text) == number


@given(st.text(max_size=300))
def test_any_text_at_all_is_an_answer(text):
    world = TokenBudgetMath()
    turn = world.reset(0)["player_0"]
    action = world.parse("player_0", text, turn.observation, turn.info)
    assert world.step({"player_0": action}) == {}


def test_the_budget_is_told_only_where_asked():
    assert "tokens" not in TokenBudgetMath().reset(0)["player_0"].text
    told = TokenBudgetMath(tell_budget=True, budget=9)
    assert told.reset(0)["player_0"].text.endswith("(At most 9 tokens.)")
    assert "within 9 tokens" in told.seats["player_0"].rules


def test_problems_come_from_a_file(tmp_path):
    file = tmp_path / "two.jsonl"
    rows = [
        {"question": "Two “and” three?", "answer": "2 + 3 = <<2+3=5>>5\n#### 5"},
        {"question": "A thousand twice?", "answer": "#### 2,000"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    world = TokenBudgetMath(data=str(file))
    seen = {}
    for seed in range(20):
        text = world.reset(seed)["player_0"].text
        seen[text] = world.problem.answer
    assert seen == {"Two “and” three?": 5, "A thousand twice?": 2000}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "holds no problems"),
        ("nonsense", "line 1: not an object with 'question' and 'answer'"),
        ('{"question": "q"}', "line 1: not an object"),
        ('{"question": "q", "answer": "7"}', "number behind '####'"),
        ('{"question": "q", "answer": "#### x"}', "no number behind"),
        ('{"question": "", "answer": "#### 1"}', "question must be 1 to 2000"),
        ("[" * 100_000, "line 1: not an object"),
    ],
)
def test_files_that_are_not_problems_are_refused_with_the_line(tmp_path, content, said):
    file = tmp_path / "bad.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        TokenBudgetMath(data=str(file))


def test_missing_and_other_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        TokenBudgetMath(data=str(tmp_path / "none.jsonl"))
    file = tmp_path / "one.jsonl"
    file.write_text('{"question": "q", "answer": "#### 1"}', encoding="utf-8")
    with pytest.raises(UsageError, match="it is another file"):
        TokenBudgetMath(data=str(file), sha256="0" * 64)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"steps": (3, 2)}, "steps must be two numbers"),
        ({"steps": (1,)}, "steps must be two numbers"),
        ({"largest": 5}, "largest must be"),
        ({"operations": ("divide",)}, "must hold add or subtract"),
        ({"operations": ("ad",)}, "did you mean 'add'"),
        ({"budget": -1}, "budget must be"),
        ({"share": float("nan")}, "share: budget must be|share"),
        ({"limit": 0}, "limit must be"),
        ({"sha256": "00"}, "name it with data"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(params, said):
    with pytest.raises(UsageError, match=said):
        TokenBudgetMath(**params)
