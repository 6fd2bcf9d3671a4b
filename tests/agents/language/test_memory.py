from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.language.llm_agent import LLMAgent
from gymposium.agents.language.memory import Memory
from gymposium.types import Usage

from .stand_ins import Recording, make_turn, play


def message(role, content):
    return {"role": role, "content": content}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 100)), max_size=40))
def test_memory_stays_within_its_budget_and_keeps_the_latest(sizes):
    memory = Memory(300)
    for index, (seen, answered) in enumerate(sizes):
        memory.add(message("user", f"{index} " + "x" * seen), message("assistant", "y" * answered))
        assert memory.tokens <= 300
        roles = [part["role"] for part in memory.messages]
        assert roles == ["user", "assistant"] * len(memory)
        if memory.messages:
            assert memory.messages[-2]["content"].startswith(f"{index} ")
        total = sum(len(part["content"]) for part in memory.messages)
        assert memory.tokens == memory.estimate("x" * total) + 6 * (len(memory.messages) - 1)


def test_old_turns_are_dropped_in_chunks_so_that_the_prefix_mostly_stays(seat):
    backend = Recording()
    agent = LLMAgent(backend, memory_tokens=400)
    agent.reset(seat, 0)
    play(agent, [make_turn(step, f"Round {step}. " + "x" * 100) for step in range(100)])
    kept = sum(
        after[: len(before)] == before
        for before, after in zip(backend.asked, backend.asked[1:], strict=False)
    )
    assert 75 <= kept < 99  # most prompts extend the one before; some follow a clearing


def test_without_a_budget_nothing_is_remembered(seat):
    backend = Recording()
    agent = LLMAgent(backend, memory_tokens=0)
    agent.reset(seat, 0)
    play(agent, [make_turn(step, "Go.") for step in range(3)])
    assert [len(messages) for messages in backend.asked] == [2, 2, 2]


def test_a_new_match_begins_with_an_empty_memory(seat):
    backend = Recording()
    agent = LLMAgent(backend)
    for match in range(2):
        agent.reset(seat, match)
        play(agent, [make_turn(step, "Go.") for step in range(3)])
    assert [len(messages) for messages in backend.asked] == [2, 4, 6, 2, 4, 6]


def test_prompts_fit_a_small_context_whatever_the_tokenizer_makes_of_them(seat):
    def one_token_per_character(messages):
        return Usage(sum(len(part["content"]) + 4 for part in messages), 1)

    backend = Recording(context_tokens=1500, usage=one_token_per_character)
    agent = LLMAgent(backend, memory_tokens=100_000, max_tokens=100)
    agent.reset(seat, 0)
    play(agent, [make_turn(step, f"Round {step}. " + "x" * 80) for step in range(60)])
    worst = max(one_token_per_character(messages).prompt_tokens for messages in backend.asked)
    assert worst + 100 <= 1500
    assert max(map(len, backend.asked)) > 8
