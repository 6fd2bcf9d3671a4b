import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.language.minds.bm25 import K1, B, bm25, words

TEXTS = st.lists(st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join), max_size=6)
QUERIES = st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join)


def by_the_formula(query, texts):
    """Robertson's sum as it is printed, word by word and text by text."""
    split = [text.split() for text in texts]
    mean = sum(map(len, split)) / len(split) if split else 0
    scores = []
    for words_of_it in split:
        score = 0.0
        for word in set(query.split()):
            n = len([other for other in split if word in other])
            idf = math.log((len(split) - n + 0.5) / (n + 0.5) + 1)
            f = words_of_it.count(word)
            if f:
                norm = K1 * (1 - B + B * len(words_of_it) / mean)
                score += idf * f * (K1 + 1) / (f + norm)
        scores.append(score)
    return scores


@given(QUERIES, TEXTS)
def test_every_score_is_the_formulas(query, texts):
    assert bm25(query, texts) == pytest.approx(by_the_formula(query, texts))


def test_a_case_by_hand():
    # Two texts of two words: "pub" is in both, "fox" in the first only; lengths are the mean.
    rare, common = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    assert bm25("fox pub", ["fox pub", "red pub"]) == pytest.approx([rare + common, common])


@pytest.mark.parametrize("texts", [[], ["", ""], ["!?", "..."]])
def test_texts_without_words_score_nothing(texts):
    assert bm25("fox", texts) == [0.0] * len(texts)


def test_case_and_punctuation_do_not_matter():
    assert words("Ümlaut, ÜMLAUT! x_1") == ["ümlaut", "ümlaut", "x_1"]
