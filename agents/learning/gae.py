"""Generalised advantage estimation, the only one: backward over time, any number of lanes at once.

Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation (2016),
equation 16, with the two ends of an episode kept apart: after a *terminated* step nothing follows
and the successor is worth 0; after a *truncated* one the successor was cut off, so its value counts
but no later advantage does.

Agents that write get their rewards by the turn and act by the token. :func:`token_gae`,
:func:`turn_gae`, :func:`varlam_gae` and :func:`bi_level_gae` are four ways to carry the one to the
other. The last is from Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM
Agents (2025), in the form of the authors' released program: first over turns, then, from each
turn's last token, over the tokens before it.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
READ = -1
"""In place of a turn's number: a token the agent was shown."""
PADDING = -2
"""In place of a turn's number: no token at all."""


def gae(
    rewards: Array,
    values: Array,
    next_values: Array,
    *,
    terminated: Array,
    truncated: Array,
    gamma: float,
    lam: float,
    valid: Array | None = None,
) -> Array:
    """Advantages of every step.

    Args:
        rewards: float ``[T, …]``; time comes first, all other axes are lanes.
        values: float ``[T, …]``, what each step's observation was worth.
        next_values: float ``[T, …]``, what the observation *after* the step was worth: at an
            episode's end the final observation of that episode, never the first of the next.
        terminated: bool ``[T, …]``, the rules ended the episode with this step.
        truncated: bool ``[T, …]``, a limit did.
        gamma: discount, 0 to 1.
        lam: 0 (one-step) to 1 (Monte Carlo).
        valid: bool ``[T, …]``; False for steps in which nothing was decided (the resetting step of
            next-step autoreset, padding). Their advantage is 0, and nothing passes through them.

    Returns:
        Float array of the rewards' shape and type. Add ``values`` for the value targets.
    """
    goes_on = ~(terminated | truncated)
    if valid is not None:
        goes_on = goes_on & valid
    delta = rewards + gamma * np.where(terminated, 0, next_values) - values
    if valid is not None:
        delta = np.where(valid, delta, 0)
    keep = (gamma * lam * goes_on).astype(rewards.dtype)
    return discounted_sums(delta, keep).astype(rewards.dtype, copy=False)


def discounted_sums(delta: Array, keep: Array) -> Array:
    """``x[t] = delta[t] + keep[t] x[t + 1]``, the recursion under every estimator.

    Args:
        delta: float ``[T, …]``.
        keep: float or bool, of the same shape.

    Returns:
        Float array like ``delta``.
    """
    sums = np.empty_like(delta)
    following = np.zeros_like(delta[:1]).sum(0)
    for t in range(len(delta) - 1, -1, -1):
        following = delta[t] + keep[t] * following
        sums[t] = following
    return sums


class Tokens(NamedTuple):
    """Texts of alternating observations and replies; time first, any other axes are lanes.

    Attributes:
        turns: int ``[T, …]``, which turn each token was written in, from 0 and never falling;
            READ or PADDING elsewhere. A turn's last written token stands for the turn, so a reply
            that was cut off needs no end token.
        values: float ``[T, …]``, the critic at each token. It must not have seen the token itself,
            or it explains away what the token achieved.
        turn_rewards: float ``[T, …]``, rewards of turns, at any of their tokens; they are summed
            onto the last one.
        token_rewards: float ``[T, …]``, rewards of tokens (a penalty for leaving the reference
            model), or None; they stay where they are.
    """

    turns: Array
    values: Array
    turn_rewards: Array
    token_rewards: Array | None = None


def token_gae(tokens: Tokens, *, gamma: float, lam: float, masked: bool = True) -> Array:
    """Every token is a step, whatever turn it is in.

    Args:
        tokens: the texts.
        gamma: discount from token to token.
        lam: 0 (one step) to 1 (Monte Carlo).
        masked: step over the tokens that were read (their advantage is 0). False treats them as if
            the agent had written them, as programs without an observation mask do.

    Returns:
        Float ``[T, …]``; 0 at padding.
    """
    rewards, _ = _settled(tokens)
    counts = tokens.turns >= 0 if masked else tokens.turns != PADDING
    return _over(counts, rewards, tokens.values, gamma, lam)


def turn_gae(tokens: Tokens, *, gamma: float, lam: float) -> Array:
    """Every turn is a step, and all its tokens share its advantage.

    Args:
        tokens: the texts; the critic is consulted at each turn's last token.
        gamma: discount from turn to turn.
        lam: 0 (one step) to 1 (Monte Carlo).

    Returns:
        Float ``[T, …]``; 0 where nothing was written.
    """
    rewards, ends = _settled(tokens)
    written = _written(tokens)
    if tokens.token_rewards is not None:
        rewards = rewards + _onto_ends(tokens.token_rewards * (written & ~ends), ends)
    of_turns = _over(ends, rewards, tokens.values, gamma, lam)
    # Back over everything up to the end before it; what was read in between gets nothing.
    return discounted_sums(of_turns, ~ends) * written


def turn_targets(tokens: Tokens, advantages: Array) -> Array:
    """What the critic is to say where every turn is a step: of all its tokens, the same.

    An advantage of :func:`turn_gae` plus a token's own value would be a target that runs away with
    the critic, since only the values at the ends of turns are in that advantage.

    Args:
        tokens: the texts.
        advantages: of :func:`turn_gae`.

    Returns:
        Float ``[T, …]``: what a turn and those after it came to; 0 where nothing was written.
    """
    _, ends = _settled(tokens)
    came_to = np.where(ends, advantages + tokens.values, 0)
    return discounted_sums(came_to, ~ends) * _written(tokens)


def varlam_gae(
    tokens: Tokens, *, gamma_turn: float, lam_turn: float, gamma_token: float, lam_token: float
) -> Array:
    """One recursion over tokens whose discount and decay are others where a turn ends.

    Args:
        tokens: the texts.
        gamma_turn: discount from a turn's last token to the next turn's first.
        lam_turn: decay there.
        gamma_token: discount from token to token within a turn.
        lam_token: decay there.

    Returns:
        Float ``[T, …]``; 0 where nothing was written.
    """
    rewards, ends = _settled(tokens)
    gamma = np.where(ends, gamma_turn, gamma_token)
    lam = np.where(ends, lam_turn, lam_token)
    return _over(_written(tokens), rewards, tokens.values, gamma, lam)


def bi_level_gae(
    tokens: Tokens, *, gamma_turn: float, lam_turn: float, gamma_token: float, lam_token: float
) -> Array:
    """Advantages over turns, and from each turn's last token back over the tokens before it.

    The advantage a turn earned is all that its last token gets, and stands there for everything
    that follows; so the tokens before it discount later turns by the turn, never by the token.

    Args:
        tokens: the texts.
        gamma_turn: discount between the last tokens of turns.
        lam_turn: decay there.
        gamma_token: discount between the tokens of one turn.
        lam_token: decay there.

    Returns:
        Float ``[T, …]``; 0 where nothing was written. Add ``values`` for the value targets.

    Warns:
        UserWarning: all four numbers are 1: this is then :func:`token_gae`.
    """
    if gamma_turn == lam_turn == gamma_token == lam_token == 1:
        warnings.warn(
            "with every gamma and lambda at 1, bi_level_gae is token_gae; lower gamma_turn to "
            "credit turns apart from tokens",
            stacklevel=2,
        )
    rewards, ends = _settled(tokens)
    of_turns = _over(ends, rewards, tokens.values, gamma_turn, lam_turn)
    earned = np.where(ends, of_turns + tokens.values, rewards)
    gamma = np.where(ends, 0, gamma_token)  # a turn's last token has no successor here
    return _over(_written(tokens), earned, tokens.values, gamma, lam_token)


Estimator: TypeAlias = Literal["token", "masked", "vanilla", "turn", "bi_level", "varlam"]
"""Names of the ways: ``masked`` and ``vanilla`` are ``token`` with the rewards of all turns on the
last one written; ``vanilla`` takes what was read for written."""


def carried(
    tokens: Tokens,
    estimator: Estimator,
    *,
    gamma: float,
    lam: float,
    gamma_turn: float,
    lam_turn: float,
) -> Array:
    """Advantages of tokens by the estimator of that name.

    Args:
        tokens: the texts, with rewards by the turn.
        estimator: its name.
        gamma: discount from token to token.
        lam: decay from token to token.
        gamma_turn: discount from turn to turn; of no effect on ``token`` and its kin.
        lam_turn: decay from turn to turn; likewise.

    Returns:
        Float ``[T, …]``; 0 where nothing was written (``vanilla``: at padding).
    """
    levels = {"gamma_turn": gamma_turn, "lam_turn": lam_turn}
    match estimator:
        case "turn":
            return turn_gae(tokens, gamma=gamma_turn, lam=lam_turn)
        case "bi_level":
            return bi_level_gae(tokens, **levels, gamma_token=gamma, lam_token=lam)
        case "varlam":
            return varlam_gae(tokens, **levels, gamma_token=gamma, lam_token=lam)
        case "masked" | "vanilla":
            tokens = tokens._replace(turn_rewards=_at_the_end(tokens))
    return token_gae(tokens, gamma=gamma, lam=lam, masked=estimator != "vanilla")


def _at_the_end(tokens: Tokens) -> Array:
    """The sum of each lane's turn rewards, on the last token that was written."""
    rewards, written = tokens.turn_rewards, _written(tokens)
    later = np.cumsum(written[::-1], axis=0)[::-1]
    return np.where(written & (later == 1), rewards.sum(0), 0)


def whitened(advantages: Array, counts: Array) -> Array:
    """The advantages with mean 0 and deviation 1 over the tokens that count, and 0 elsewhere.

    Args:
        advantages: float ``[T, …]``.
        counts: bool ``[T, …]``. Fewer than two such tokens, or equal ones, are only centred.

    Returns:
        Float ``[T, …]``.
    """
    chosen = advantages[counts]
    if not chosen.size:
        return np.zeros_like(advantages)
    spread = chosen.std()
    # Equal numbers differ from their mean by rounding, which must not be blown up to 1.
    steady = spread <= 1e-6 * max(1.0, float(np.abs(chosen).max()))
    centred = (advantages - chosen.mean()) / (1.0 if steady else spread)
    return np.where(counts, centred, 0).astype(advantages.dtype)


def _written(tokens: Tokens) -> Array:
    return tokens.turns >= 0


def _settled(tokens: Tokens) -> tuple[Array, Array]:
    """Rewards with those of turns on the turns' last tokens, and where those are."""
    turns, written = tokens.turns, _written(tokens)
    if (written & (turns < np.maximum.accumulate(turns, axis=0))).any():
        raise UsageError("the turns of tokens must be numbered in order: a later one was lower")
    if (tokens.turn_rewards[~written] != 0).any():
        raise UsageError("a turn's reward stands at a token of no turn; move it to one it wrote")
    # The turn of the next written token, carried back over what was read between.
    ahead = np.maximum.accumulate(np.where(written, -turns, -np.inf)[::-1], axis=0)[::-1]
    ahead = np.concatenate([-ahead[1:], np.full_like(ahead[:1], np.inf)])
    ends = written & (turns < ahead)
    rewards = _onto_ends(tokens.turn_rewards, ends)
    return rewards if tokens.token_rewards is None else rewards + tokens.token_rewards, ends


def _onto_ends(rewards: Array, ends: Array) -> Array:
    """Each turn's sum of ``rewards``, at its last token."""
    so_far = np.cumsum(rewards, axis=0)
    # What earlier turns had summed to at their ends, carried forward to this one's.
    at_ends = np.where(ends, so_far, 0)
    before = discounted_sums(at_ends[::-1], np.where(ends, 0, 1.0)[::-1])[::-1]
    before = np.concatenate([np.zeros_like(before[:1]), before[:-1]])
    return np.where(ends, so_far - before, 0)


def _over(counts: Array, rewards: Array, values: Array, gamma: Any, lam: Any) -> Array:
    """Generalised advantages from one token that counts to the next; 0 at all others."""
    # The value of the next token that counts: carried back over those that do not.
    carried = discounted_sums(np.where(counts, values, 0), np.where(counts, 0, 1.0))
    following = np.concatenate([carried[1:], np.zeros_like(carried[:1])])
    delta = np.where(counts, rewards + gamma * following - values, 0)
    keep = np.where(counts, gamma * lam, 1.0)
    return np.where(counts, discounted_sums(delta, keep), 0).astype(rewards.dtype)
