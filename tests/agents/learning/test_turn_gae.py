"""Advantages for what was written in turns: hand-computed cases, identities, exact gradients."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gymposium.agents.learning.gae import (
    PADDING,
    READ,
    Tokens,
    bi_level_gae,
    carried,
    token_gae,
    turn_gae,
    turn_targets,
    varlam_gae,
    whitened,
)
from gymposium.errors import UsageError

VALUES = np.array([0.1, 0.2, 0.3, 0.4])
TWO_TURNS = Tokens(np.array([0, 0, 1, 1]), VALUES, np.array([0.0, 0.5, 0.0, 1.0]))


def bi_level(
    tokens: Tokens,
    gamma_turn: float = 1.0,
    lam: float = 1.0,
    gamma_token: float = 1.0,
    lam_turn: float | None = None,
) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bi_level_gae(
            tokens,
            gamma_turn=gamma_turn,
            lam_turn=lam if lam_turn is None else lam_turn,
            gamma_token=gamma_token,
            lam_token=lam,
        )


def drawn(seed: int, *, turns: int = 3, longest: int = 4, lanes: int = 2) -> Tokens:
    """Lanes of observations and replies of random lengths, padded at the end."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(lanes):
        row: list[int] = []
        for turn in range(turns):
            row += [READ] * int(rng.integers(0, 3)) + [turn] * int(rng.integers(1, longest + 1))
        rows.append(row)
    most = max(map(len, rows))
    numbers = np.array([row + [PADDING] * (most - len(row)) for row in rows]).T
    values, rewards = rng.normal(size=(2, *numbers.shape))
    return Tokens(numbers, values, np.where(numbers >= 0, rewards, 0))


@pytest.mark.parametrize(
    ("gamma_turn", "lam", "expected"),
    [
        (0.95, 1.0, (1.35, 1.25, 0.70, 0.60)),
        (1.0, 1.0, (1.4, 1.3, 0.7, 0.6)),
        (0.9, 0.9, (1.1314, 1.146, 0.64, 0.60)),
    ],
)
def test_two_turns_of_two_tokens_come_to_the_numbers_worked_out_by_hand(
    gamma_turn: float, lam: float, expected: tuple[float, ...]
) -> None:
    np.testing.assert_allclose(bi_level(TWO_TURNS, gamma_turn, lam), expected, atol=1e-12)


def plain_bi_level(tokens: Tokens, lane: int, gt: float, lt: float, gk: float, lk: float):  # type: ignore[no-untyped-def]
    """The two passes as loops over lists, one lane."""
    turns, values = tokens.turns[:, lane], tokens.values[:, lane]
    at = [i for i in range(len(turns)) if turns[i] >= 0]
    ends = [i for n, i in enumerate(at) if n + 1 == len(at) or turns[at[n + 1]] > turns[i]]
    rho = dict.fromkeys(at, 0.0)
    sofar = after = 0.0
    for e in reversed(ends):
        reward = sum(tokens.turn_rewards[i, lane] for i in at if turns[i] == turns[e])
        sofar = reward + gt * after - values[e] + gt * lt * sofar
        after = values[e]
        rho[e] = sofar + values[e]
    found = np.zeros(len(turns))
    carry = after = 0.0
    for i in reversed(at):
        if i in ends:
            carry = after = 0.0
        carry = rho[i] + gk * after - values[i] + gk * lk * carry
        after = values[i]
        found[i] = carry
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), *[st.floats(0, 1)] * 4)
def test_bi_level_is_its_two_passes_written_as_loops(
    seed: int, gt: float, lt: float, gk: float, lk: float
) -> None:
    tokens = drawn(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = bi_level_gae(tokens, gamma_turn=gt, lam_turn=lt, gamma_token=gk, lam_token=lk)
    for lane in range(2):
        np.testing.assert_allclose(fast[:, lane], plain_bi_level(tokens, lane, gt, lt, gk, lk))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), gamma=st.floats(0, 1))
def test_without_decay_it_is_the_return_by_turns_less_the_value(seed: int, gamma: float) -> None:
    tokens = drawn(seed)
    written = tokens.turns >= 0
    sums = np.array([(tokens.turn_rewards * (tokens.turns == t)).sum(0) for t in range(3)])
    returns = np.array([sum(gamma**k * sums[t + k] for k in range(3 - t)) for t in range(3)])
    expected = np.where(written, np.take_along_axis(returns, tokens.turns.clip(0), 0), 0)
    expected = np.where(written, expected - tokens.values, 0)
    np.testing.assert_allclose(bi_level(tokens, gamma), expected, atol=1e-10)
    gap = np.zeros((3, 2))
    for t, k in ((0, 1), (0, 2), (1, 1)):
        gap[t] += (1 - gamma**k) * sums[t + k]
    apart = token_gae(tokens, gamma=1, lam=1) - bi_level(tokens, gamma)
    owed = np.where(written, np.take_along_axis(gap, tokens.turns.clip(0), 0), 0)
    np.testing.assert_allclose(apart, owed, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), gamma=st.floats(0, 1), lam=st.floats(0, 1))
def test_one_turn_is_token_gae_and_one_token_a_turn_is_turn_gae(
    seed: int, gamma: float, lam: float
) -> None:
    single = drawn(seed, turns=1)
    np.testing.assert_allclose(
        bi_level(single, gamma, lam, lam_turn=0.3), token_gae(single, gamma=1, lam=lam), atol=1e-10
    )
    short = drawn(seed, longest=1)
    np.testing.assert_allclose(
        bi_level(short, gamma, lam), turn_gae(short, gamma=gamma, lam=lam), atol=1e-10
    )


def test_equal_discounts_with_decay_are_not_token_gae() -> None:
    assert not np.allclose(bi_level(TWO_TURNS, lam=0.9), token_gae(TWO_TURNS, gamma=1, lam=0.9))


def test_one_recursion_with_equal_numbers_is_token_gae_and_an_end_may_decay_alone() -> None:
    same = {"gamma_turn": 0.9, "gamma_token": 0.9, "lam_turn": 0.8, "lam_token": 0.8}
    np.testing.assert_allclose(
        varlam_gae(TWO_TURNS, **same), token_gae(TWO_TURNS, gamma=0.9, lam=0.8)
    )
    cut = varlam_gae(TWO_TURNS, gamma_turn=1, gamma_token=1, lam_turn=0, lam_token=1)
    np.testing.assert_allclose(cut, [0.7, 0.6, 0.7, 0.6])  # turn 0: .5 + V(first of turn 1) - V


def test_all_tokens_of_a_turn_share_its_advantage_and_its_penalties() -> None:
    shared = turn_gae(TWO_TURNS, gamma=1, lam=1)
    np.testing.assert_allclose(shared, [1.3, 1.3, 0.6, 0.6])
    fined = TWO_TURNS._replace(token_rewards=np.array([0.0, 0.0, -0.25, -0.25]))
    np.testing.assert_allclose(turn_gae(fined, gamma=1, lam=1), shared - 0.5)


def test_where_turns_are_steps_the_critic_is_held_to_what_a_turn_came_to() -> None:
    # Whatever it says within a turn: else each target would be the last one plus an advantage.
    for within in (0.1, 5.0):
        tokens = TWO_TURNS._replace(values=np.array([within, 0.2, -within, 0.4]))
        targets = turn_targets(tokens, turn_gae(tokens, gamma=1, lam=1))
        np.testing.assert_allclose(targets, [1.5, 1.5, 1, 1])


def test_a_penalty_stays_at_its_token_and_is_not_seen_by_the_turns_before() -> None:
    fined = TWO_TURNS._replace(token_rewards=np.array([0.0, 0.0, -0.25, 0.0]))
    np.testing.assert_allclose(
        bi_level(fined, 0.95) - bi_level(TWO_TURNS, 0.95), [0, 0, -0.25, 0], atol=1e-12
    )


def test_tokens_that_were_read_change_nothing_unless_the_mask_is_off() -> None:
    apart = Tokens(
        np.array([READ, 0, READ, 0, READ, 1, 1, PADDING]),
        np.array([9.0, 0.1, 9.0, 0.2, 9.0, 0.3, 0.4, 9.0]),
        np.array([0.0, 0.2, 0.0, 0.3, 0.0, 0.0, 1.0, 0.0]),
    )
    for estimate in (
        lambda tokens: token_gae(tokens, gamma=0.9, lam=0.7),
        lambda tokens: turn_gae(tokens, gamma=0.9, lam=0.7),
        lambda tokens: bi_level(tokens, 0.9, 0.7),
        lambda tokens: varlam_gae(
            tokens, gamma_turn=0.9, lam_turn=0.7, gamma_token=0.8, lam_token=0.6
        ),
    ):
        found = estimate(apart)
        np.testing.assert_allclose(found[apart.turns >= 0], estimate(TWO_TURNS))
        assert not found[apart.turns < 0].any()
    unmasked = token_gae(apart, gamma=1, lam=1, masked=False)
    assert unmasked[4] == pytest.approx(1.0 - 9.0)
    assert unmasked[7] == 0


def test_every_number_at_one_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="is token_gae"):
        bi_level_gae(TWO_TURNS, gamma_turn=1, lam_turn=1, gamma_token=1, lam_token=1)


def test_a_reward_of_no_turn_and_turns_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match="token of no turn"):
        token_gae(TWO_TURNS._replace(turns=np.array([0, READ, 1, 1])), gamma=1, lam=1)
    with pytest.raises(UsageError, match="in order"):
        token_gae(TWO_TURNS._replace(turns=np.array([1, 1, 0, 0])), gamma=1, lam=1)


def test_whitening_is_safe_for_one_token_none_and_equal_ones() -> None:
    numbers, some = np.array([1.0, 3.0, 50.0]), np.array([True, True, False])
    np.testing.assert_allclose(whitened(numbers, some), [-1, 1, 0])
    assert not whitened(numbers, np.array([True, False, False])).any()
    assert not whitened(numbers, np.zeros(3, bool)).any()
    assert np.abs(whitened(np.full(3, 0.1), np.ones(3, bool))).max() < 1e-12


# Exact gradients: three turns of three tokens from three letters, every trajectory enumerated.

LETTERS, TURNS, LENGTH = 3, 3, 3
STEPS = TURNS * LENGTH


class Enumerated:
    """A softmax table over (position, letter before), and rewards of turns, in closed form."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        logits = rng.normal(size=(STEPS, LETTERS, LETTERS))
        self.policy = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
        self.paid = rng.normal(size=(TURNS, LETTERS, LETTERS))
        self.texts = np.array(list(product(range(LETTERS), repeat=STEPS))).T
        self.before = np.concatenate([np.zeros_like(self.texts[:1]), self.texts[:-1]])
        steps = np.arange(STEPS)[:, None]
        self.chance = self.policy[steps, self.before, self.texts].prod(0)
        self.turns = np.repeat(np.arange(TURNS), LENGTH)[:, None] + np.zeros_like(self.texts)
        self.rewards = np.zeros(self.texts.shape)
        for turn in range(TURNS):
            end = (turn + 1) * LENGTH - 1
            self.rewards[end] = self.paid[turn][self.before[end], self.texts[end]]
        worth = np.zeros((STEPS + 1, LETTERS))
        for i in range(STEPS - 1, -1, -1):
            gain = self.paid[i // LENGTH] if i % LENGTH == LENGTH - 1 else 0
            worth[i] = (self.policy[i] * (gain + worth[i + 1][None, :])).sum(-1)
        self.worth = worth
        self.values = worth[steps, self.before]
        self.seeing = worth[steps + 1, self.texts] + self.rewards

    def tokens(self, values: np.ndarray) -> Tokens:
        return Tokens(self.turns, values, self.rewards)

    def gradient(self, advantages: np.ndarray) -> np.ndarray:
        """The expected sum of advantage x grad log-probability, over the table's logits."""
        total = np.zeros_like(self.policy)
        weights = self.chance * advantages
        for i in range(STEPS):
            np.add.at(total[i], (self.before[i], self.texts[i]), weights[i])
            by_state = np.bincount(self.before[i], weights[i], LETTERS)
            total[i] -= by_state[:, None] * self.policy[i]
        return total

    def truth(self) -> np.ndarray:
        """The policy gradient theorem with exact visits and exact action values."""
        visits, total = np.eye(LETTERS)[0], np.zeros_like(self.policy)
        for i in range(STEPS):
            gain = self.paid[i // LENGTH] if i % LENGTH == LENGTH - 1 else 0
            better = gain + self.worth[i + 1][None, :] - self.worth[i][:, None]
            total[i] = visits[:, None] * self.policy[i] * better
            visits = visits @ self.policy[i]
        return total


@pytest.fixture(scope="module")
def game() -> Enumerated:
    return Enumerated()


def test_the_expected_gradient_is_exact_without_discount_and_strays_with_it(
    game: Enumerated,
) -> None:
    truth, tokens = game.truth(), game.tokens(game.values)
    np.testing.assert_allclose(game.gradient(token_gae(tokens, gamma=1, lam=1)), truth, atol=1e-12)
    np.testing.assert_allclose(game.gradient(bi_level(tokens)), truth, atol=1e-12)
    gaps = [
        np.linalg.norm(game.gradient(bi_level(tokens, gamma)) - truth)
        for gamma in (0.99, 0.95, 0.9)
    ]
    assert 1e-4 < gaps[0] < gaps[1] < gaps[2]


def test_an_exact_critic_makes_the_gradient_exact_at_any_decay_of_token_gae(
    game: Enumerated,
) -> None:
    found = game.gradient(token_gae(game.tokens(game.values), gamma=1, lam=0.5))
    np.testing.assert_allclose(found, game.truth(), atol=1e-12)


def test_a_critic_that_has_seen_the_token_explains_the_gradient_away(game: Enumerated) -> None:
    found = game.gradient(token_gae(game.tokens(game.seeing), gamma=1, lam=1))
    assert np.linalg.norm(found) < 1e-12
    assert np.linalg.norm(game.truth()) > 0.1


@pytest.mark.parametrize("estimator", ["token", "masked"])
def test_paying_for_every_token_that_strays_climbs_return_less_divergence(
    game: Enumerated, estimator: str
) -> None:
    """Advantages with ``-beta log(pi / reference)`` at each token, against automatic gradients."""
    beta, rng = 0.3, np.random.default_rng(5)
    reference = rng.normal(size=game.policy.shape)
    reference = np.exp(reference) / np.exp(reference).sum(-1, keepdims=True)
    steps = np.arange(STEPS)[:, None]
    place = steps, game.before, game.texts
    price = -beta * np.log(game.policy[place] / reference[place])
    tokens = game.tokens(np.zeros(game.texts.shape))._replace(token_rewards=price)
    levels = {"gamma": 1.0, "lam": 1.0, "gamma_turn": 1.0, "lam_turn": 1.0}
    found = game.gradient(carried(tokens, estimator, **levels))  # type: ignore[arg-type]

    logits = torch.from_numpy(np.log(game.policy)).requires_grad_()
    logp = torch.log_softmax(logits, -1)[place].sum(0)
    strayed = logp - torch.from_numpy(np.log(reference))[place].sum(0)
    paid = torch.from_numpy(game.rewards.sum(0))
    (logp.exp() * (paid - beta * strayed)).sum().backward()
    np.testing.assert_allclose(found, logits.grad, atol=1e-9)
    assert np.abs(found - game.truth()).max() > 1e-2


NAMES = ("token", "masked", "vanilla", "turn", "bi_level", "varlam")
TALK = Tokens(
    turns=np.array([READ, 0, 0, READ, 1, 1, PADDING]),
    values=np.array([0.9, 0.1, 0.2, 0.8, 0.3, 0.4, 0.7]),
    turn_rewards=np.array([0, 0, 0.5, 0, 0, 1.0, 0]),
)


def by_name(estimator, gamma=1.0, lam=1.0, gamma_turn=0.95, lam_turn=1.0):
    given = {"gamma": gamma, "lam": lam, "gamma_turn": gamma_turn, "lam_turn": lam_turn}
    return carried(TALK, estimator, **given)


def test_estimators_by_name_are_the_functions_of_that_name():
    levels = {"gamma_turn": 0.95, "lam_turn": 0.9, "gamma_token": 0.8, "lam_token": 0.7}
    given = {"gamma": 0.8, "lam": 0.7, "gamma_turn": 0.95, "lam_turn": 0.9}
    assert_allclose(by_name("bi_level", **given), bi_level_gae(TALK, **levels))
    assert_allclose(by_name("varlam", **given), varlam_gae(TALK, **levels))
    assert_allclose(by_name("turn", **given), turn_gae(TALK, gamma=0.95, lam=0.9))
    assert_allclose(by_name("token", **given), token_gae(TALK, gamma=0.8, lam=0.7))


def test_the_oracle_of_the_two_levels_holds_through_what_was_read():
    assert_allclose(by_name("bi_level")[[1, 2, 4, 5]], [1.35, 1.25, 0.7, 0.6])


def test_a_whole_return_on_the_last_token_credits_every_token_with_all_of_it():
    written = [1, 2, 4, 5]
    assert_allclose(by_name("masked")[written], 1.5 - TALK.values[written])
    assert (by_name("masked")[[0, 3, 6]] == 0).all()


def test_without_a_mask_what_was_read_is_credited_too():
    assert_allclose(by_name("vanilla")[:6], 1.5 - TALK.values[:6])
    assert by_name("vanilla")[6] == 0


def test_tokens_of_one_reply_are_credited_with_returns_less_values():
    rewards, values = np.array([0.5, 0.0, 1.0]), np.array([0.1, 0.2, 0.3])
    talk = Tokens(np.zeros(3, int), values, np.array([0, 0, 1.0]), rewards * [1, 1, 0])
    given = {"gamma_turn": 1.0, "lam_turn": 1.0}
    found = carried(talk, "token", gamma=0.5, lam=1.0, **given)
    assert_allclose(found, [0.5 + 0.25 - 0.1, 0.5 - 0.2, 1 - 0.3])
    one_step = carried(talk, "token", gamma=1.0, lam=0.0, **given)
    assert_allclose(one_step, [0.5 + 0.2 - 0.1, 0.3 - 0.2, 1 - 0.3])
