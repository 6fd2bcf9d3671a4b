import pytest

from gymposium.agents.language.minds import associative_memory
from gymposium.agents.language.minds.associative_memory import AssociativeMemory

EVENTS = [
    "Ann said that the Red Lion is closed.",
    "Bob offered three coins for a pear.",
    "Cleo defected although she had promised not to.",
    "Dora went to the Red Lion and found it shut.",
]


def filled(by, most=256):
    memory = AssociativeMemory(by, most)
    for turn, text in enumerate(EVENTS):
        memory.add(turn, text)
    return memory


@pytest.mark.parametrize("by", ["bm25", "embeddings"])
def test_what_fits_comes_back_in_the_order_it_happened(by):
    found = filled(by).retrieve("Is the Red Lion open?", 2, before=9)
    assert [kept.turn for kept in found] == [0, 3]


def test_by_meaning_a_memory_is_found_without_a_word_in_common():
    question = "Who broke their word?"
    assert [kept.turn for kept in filled("embeddings").retrieve(question, 1, before=9)] == [2]
    assert filled("bm25").retrieve(question, 1, before=9) == []


def test_only_turns_before_the_given_one_are_looked_at():
    assert [kept.turn for kept in filled("bm25").retrieve("Red Lion", 2, before=3)] == [0]
    assert filled("bm25").retrieve("Red Lion", 2, before=0) == []


def test_equally_good_ones_are_taken_latest_first():
    memory = AssociativeMemory("bm25")
    for turn in range(4):
        memory.add(turn, f"pear number{turn}")
    assert [kept.turn for kept in memory.retrieve("pear", 2, before=9)] == [2, 3]


def test_the_same_text_is_kept_once_at_its_latest_turn():
    memory = filled("bm25")
    memory.add(7, EVENTS[0])
    assert len(memory) == 4
    assert [kept.turn for kept in memory.retrieve("Ann", 5, before=9)] == [7]


def test_the_oldest_go_when_it_is_full():
    memory = filled("bm25", most=2)
    assert len(memory) == 2
    assert [kept.turn for kept in memory.retrieve("Ann Bob Cleo Dora", 9, before=9)] == [2, 3]


def test_without_the_extra_it_ranks_by_words(monkeypatch):
    assert AssociativeMemory().by == "embeddings"
    monkeypatch.setattr(associative_memory, "can_embed", lambda: False)
    assert AssociativeMemory().by == "bm25"
