from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.agents.language.backends.rate import Bucket
from gymposium.agents.language.backends.retry import Retries, Trouble, retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AGAIN = Trouble("failed", again=True)


@given(st.integers(0, 2**31), st.integers(0, 20))
def test_waits_double_within_half_and_whole_and_are_bounded(seed, attempt):
    wait = Retries(most=50, first=0.5, longest=30.0).delay(attempt, AGAIN, seed)
    whole = min(30.0, 0.5 * 2**attempt)
    assert whole / 2 <= wait <= whole


def test_the_jitter_is_the_calls_own():
    waits = [Retries().delay(2, AGAIN, seed) for seed in (1, 2, 3, 1)]
    assert len(set(waits)) == 3
    assert waits[0] == waits[3]


def test_attempts_end():
    assert Retries(most=2).delay(1, AGAIN, 0) is not None
    assert Retries(most=2).delay(2, AGAIN, 0) is None
    assert Retries(most=0).delay(0, AGAIN, 0) is None


def test_what_another_attempt_cannot_mend_is_not_attempted_again():
    assert Retries().delay(0, Trouble("no such model", again=False), 0) is None


def test_a_server_that_names_its_time_is_never_asked_earlier():
    waits = [Retries().delay(0, Trouble("busy", again=True, wait=7.0), n) for n in range(50)]
    assert all(7.0 <= wait <= 7.5 for wait in waits)
    assert Retries(longest=60).delay(0, Trouble("busy", again=True, wait=3600.0), 0) is None


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("nan", None), ("inf", None)],
)
def test_retry_after_in_seconds(said, seconds):
    assert retry_after({"retry-after": said}) == seconds


def test_retry_after_as_a_date_is_told_by_the_servers_own_clock():
    until = format_datetime(NOW + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": until}, now=NOW) == 90
    wrong_clock = format_datetime(NOW + timedelta(seconds=60), usegmt=True)
    assert retry_after({"retry-after": until, "date": wrong_clock}, now=NOW) == 30
    past = format_datetime(NOW - timedelta(days=1), usegmt=True)
    assert retry_after({"retry-after": past}, now=NOW) == 0
    assert retry_after({}) is None


@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.floats(0, 20), st.integers(1, 40)), min_size=1, max_size=60),
)
def test_no_minute_sees_more_than_its_limit(per_minute, arrivals):
    now = 0.0
    bucket = Bucket(per_minute, clock=lambda: now)
    let_through = []
    for later, units in arrivals:
        now += later
        units = min(units, max(1, per_minute // 10))
        let_through.append((now + bucket.take(units), units))
    for start, _ in let_through:
        inside = sum(units for at, units in let_through if start <= at < start + 60 - 1e-6)
        assert inside <= max(per_minute, 2)


def test_a_waiting_caller_gets_its_turn_as_the_bucket_fills():
    now = 0.0
    bucket = Bucket(60, clock=lambda: now)
    assert [bucket.take() for _ in range(6)] == [0.0] * 6
    assert bucket.take() == pytest.approx(60 / 54)
    now = 60 / 54
    assert bucket.take() == pytest.approx(60 / 54)


def test_what_was_not_needed_can_be_given_back():
    bucket = Bucket(600, clock=lambda: 0.0)
    bucket.take(60)
    bucket.give_back(50)
    assert bucket.take(50) == 0.0
    assert bucket.take(1) > 0
