from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.language.backends.prefix_queue import (
    PATIENCE,
    PrefixQueue,
    Waiting,
    shared,
)


def prompt(*texts):
    return [{"role": "user", "content": text} for text in texts]


def queued(queue, *texts):
    call = Waiting({"messages": prompt(*texts)})
    queue.put(call)
    return call


def queued_and_taken(queue, *texts):
    queued(queue, *texts)
    return queue.take()


TEXTS = st.lists(st.text("ab", max_size=6), max_size=4)


@given(TEXTS, TEXTS)
def test_what_two_prompts_share_is_their_common_beginning(one, other):
    expected = 0
    for a, b in zip(one, other, strict=False):
        expected += next(
            (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        if a != b:
            break
    assert shared(prompt(*one), prompt(*other)) == expected


def test_the_call_whose_prompt_the_free_slot_holds_is_served_first():
    queue = PrefixQueue(1)
    queue.give_back(queued_and_taken(queue, "rules of the buyer"))
    seller = queued(queue, "rules of the seller")
    buyer = queued(queue, "rules of the buyer", "an offer")
    assert queue.take() is buyer
    queue.give_back(buyer)
    assert queue.take() is seller


def test_among_equals_the_oldest_is_served_first():
    queue = PrefixQueue(3)
    calls = [queued(queue, text) for text in "xyz"]
    assert [queue.take() for _ in calls] == calls


def test_nobody_is_passed_over_for_ever():
    queue = PrefixQueue(1)
    latest = queued_and_taken(queue, "popular")
    poor = queued(queue, "something else")
    served = 0
    while True:
        queue.give_back(latest)
        queued(queue, "popular")
        latest = queue.take()
        if latest is poor:
            break
        served += 1
        assert served <= PATIENCE
    assert served == PATIENCE


def test_a_call_given_up_while_it_waits_is_skipped():
    queue = PrefixQueue(2)
    first, second = queued(queue, "x"), queued(queue, "y")
    first.done.cancel()
    assert queue.take() is second
    assert queue.take() is None
