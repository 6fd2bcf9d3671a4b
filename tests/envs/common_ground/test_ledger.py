"""The books of a conversation, by hand and against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.envs.common_ground.ledger import Ledger
from gymposium.envs.common_ground.measures import agreement, transitions
from gymposium.envs.common_ground.weights_task import possible, questions_of, true_of

RED_BLUE_EQUAL, MORE, LESS, UNEQUAL = range(4)  # the answers to the first question


def ledger(members=2, grams=(10, 10, 20, 30, 50)):
    questions = questions_of(len(grams))
    return questions, Ledger(questions.vocabulary, members, np.asarray(true_of(np.array(grams))))


def claim(questions, *sentences):
    found = np.zeros(len(questions.vocabulary.names), bool)
    for sentence in sentences:
        found[questions.vocabulary.names.index(sentence)] = True
    return found


NOTHING = np.zeros(len(questions_of(5).vocabulary.names), bool)


def test_the_blocks_of_the_data_set_have_one_equal_nine_unequal_and_nine_ordered_pairs():
    questions, books = ledger()
    kinds = np.array(questions.vocabulary.kinds)
    counts = {kind: int(books.truth[kinds == kind].sum()) for kind in set(kinds)}
    assert counts == {"equality": 1, "inequality": 9, "order": 9, "weight": 5}


def test_common_ground_is_what_all_have_said():
    questions, books = ledger()
    both = claim(questions, "red = blue", "green > purple")
    books.speak(0, 0, both, NOTHING)
    assert not books.common.any()  # one with an empty book leaves nothing common
    books.speak(1, 1, both, NOTHING)
    expected = claim(questions, "red = blue", "green > purple", "green != purple")
    assert np.array_equal(books.common, expected)
    assert np.array_equal(books.common, books.public[0])


def test_what_one_saw_alone_is_held_but_not_common_until_it_is_said():
    questions, books = ledger()
    seen = claim(questions, "red = blue")
    books.see(seen, 0)
    assert books.held[0].any()
    assert not books.public.any()
    books.see(seen, 0, 1)
    assert np.array_equal(books.common, seen)


def test_a_claim_takes_back_what_it_excludes_and_keeps_what_it_does_not():
    questions, books = ledger()
    books.speak(0, 0, claim(questions, "red != blue"), NOTHING)
    books.speak(1, 0, claim(questions, "red > blue"), NOTHING)
    assert books.utterances[-1].reversals == 0
    assert np.array_equal(books.public[0], claim(questions, "red > blue", "red != blue"))
    spoken = books.speak(2, 0, claim(questions, "red = blue"), NOTHING)
    assert spoken.reversals == 2
    assert np.array_equal(books.public[0], claim(questions, "red = blue"))


def test_doubting_a_thing_takes_back_all_that_says_it():
    questions, books = ledger()
    books.speak(0, 0, claim(questions, "red > blue", "red = 20 g"), NOTHING)
    books.speak(1, 0, NOTHING, claim(questions, "red != blue"))
    assert np.array_equal(books.public[0], claim(questions, "red = 20 g"))


def test_what_one_utterance_both_claims_and_denies_is_claimed_by_nobody():
    questions, books = ledger()
    spoken = books.speak(0, 0, claim(questions, "red = blue", "red > blue"), NOTHING)
    assert (spoken.contradictions, spoken.true, spoken.false) == (2, 0, 0)
    assert not books.public.any()


def test_utterances_are_judged_by_the_truth_and_by_what_anybody_has_seen():
    questions, books = ledger()
    books.founded = claim(questions, "red = blue")
    spoken = books.speak(0, 0, claim(questions, "red = blue", "green = 50 g"), NOTHING)
    assert (spoken.true, spoken.false, spoken.unfounded, spoken.helpful) == (1, 1, 1, 0)


def test_an_utterance_is_booked_with_what_others_made_of_it_until_its_speaker_spoke_again():
    questions, books = ledger(3)
    true, false = claim(questions, "red = blue"), claim(questions, "green = 50 g")
    first = books.speak(0, 0, true, NOTHING)
    books.speak(1, 1, true, NOTHING)
    books.speak(2, 2, false, NOTHING)
    assert first.adopted == 0  # not settled yet
    books.speak(3, 0, NOTHING, NOTHING)
    assert (first.adopted, first.effect) == (1, 0)  # one truth gained, one error
    books.speak(4, 1, true, NOTHING)
    assert (first.adopted, first.effect) == (1, 0)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 63), st.integers(0, 1)), max_size=12))
def test_nobody_writes_in_anothers_book_and_no_book_contradicts_itself(course):
    questions, books = ledger(3)
    conflicts = questions.vocabulary.conflicts
    for turn, (speaker, place, doubting) in enumerate(course):
        said = np.zeros(len(NOTHING), bool)
        said[place] = True
        others = np.delete(books.public, speaker, 0).copy()
        books.speak(turn, speaker, NOTHING if doubting else said, said if doubting else NOTHING)
        assert np.array_equal(np.delete(books.public, speaker, 0), others)
        for book in books.public:
            assert not (conflicts & book & book[:, None]).any()
        assert np.array_equal(books.common, books.public[0] & books.public[1] & books.public[2])
        assert (books.ever | ~books.common).all()


def test_every_assignment_of_weights_has_one_relation_for_each_pair():
    ways = possible(3)
    assert len(ways.grams) == 125
    pairs = ways.true[:, :12].reshape(-1, 3, 4)
    assert (pairs[..., :3].sum(-1) == 1).all()
    assert (pairs[..., UNEQUAL] == ~pairs[..., RED_BLUE_EQUAL]).all()


@pytest.mark.parametrize(
    ("course", "expected"),
    [
        ("aaa", (0, 1, 0)),
        ("aba", (0, 0, 1)),
        ("abc", (1, 0, 0)),
        ("aab", (0, 0, 0)),
        ("ab", (0, 0, 0)),
        ("aaaa", (0, 2, 0)),
    ],
)
def test_transitions_are_counted_as_in_the_paper(course, expected):
    found = transitions([list(course)])
    assert (found["unique"], found["stuck"], found["circular"]) == expected


def test_agreement_is_the_modal_share_where_two_or_more_answer():
    assert agreement([[1, 1], [1, 2], [2, 0]]) == pytest.approx((2 + 1) / 6)
    assert agreement([[1, 1]]) == 0
