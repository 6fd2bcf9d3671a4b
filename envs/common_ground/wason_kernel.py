"""Turns of many groups at once: the rules of ``wason_cards-v0`` and its books as bits.

What a member holds is one byte: four bits "turn" and, above them, four bits "leave", one a class of
card. What a group of up to eight holds is one number, a byte a member, so that who took up what is
two masks and a count of bits, whatever the group's size. Everything here follows the rules in
``discussion.py`` and ``ledger.py`` to the letter; a test plays both. Where play is random a branch
is dearer than a sum: only what depends on the phase has one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..grid.cache import kernel, part

SOLO, TALK, ANSWER = range(3)
RIGHT = 0b1100
"""The classes to be turned, as bits in the order C, E, O, V."""
TRUTH = RIGHT | (~RIGHT & 15) << 4
"""All that is true of them."""
EACH = 0x0101010101010101
"""The lowest bit of every member's byte."""
(
    SCORE,
    ALONE,
    TRUE,
    FALSE,
    EVER,
    AGREEMENT,
    SOLO_TYPES,
    TALK_TYPES,
    UNIQUE,
    STUCK,
    CIRCULAR,
    HELPFUL,
    HARMFUL,
    ADOPTED,
    EFFECT,
    EXACT,
    CORRECT,
    ANSWERS,
) = range(18)
TALLIES = 18
FIELD = 1 << 10
"""A word of counts has ten bits for each; no talk is longer than 1,000 turns."""


class State(NamedTuple):
    """Groups, as arrays; E groups of n members.

    Attributes:
        clock: int64 ``[E]``, turns taken.
        first: int64 ``[E]``, who begins.
        speaker: int64 ``[E]``, who spoke last, or -1.
        symbols, classes: int64 ``[E, 4]``, what lies at each place.
        hints: int64 ``[E, n]``, the place each was told of, or -1.
        held, public: int64 ``[E]``, what each holds and has said, a byte a member.
        latest: uint8 ``[E, n, 4]``, codes of what each said last, by place.
        final: int64 ``[E]``, bits of the last answers, a byte a member.
        then: int64 ``[E, n]``, what all held when each last spoke.
        said: int64 ``[E, n]``, the claims of each one's last utterance and 256, or 0 for silence.
        course: int64 ``[E, n]``, each one's latest answer but one and, five bits above, the latest:
            an answer's bits and 16, or 0 for none.
        types: int64 ``[E]``, kinds of answers so far as bits of bits: alone and, 16 bits above, in
            the talk.
        ever: int64 ``[E]``, what was common ground at some time.
        answers: int64 ``[E]``, counts of answers in fields: STUCK, CIRCULAR, UNIQUE, ANSWERS,
            CORRECT, ALONE.
        worth: int64 ``[E]``, what came of utterances: HELPFUL, HARMFUL, ADOPTED (two fields),
            EFFECT.
        tallies: int16 ``[E, TALLIES]``, counts, written at the end; SCORE is in quarters.
    """

    clock: Any
    first: Any
    speaker: Any
    symbols: Any
    classes: Any
    hints: Any
    held: Any
    public: Any
    latest: Any
    final: Any
    then: Any
    said: Any
    course: Any
    types: Any
    ever: Any
    answers: Any
    worth: Any
    tallies: Any


@part
def ones(bits: int) -> int:
    """How many of 64 bits are set."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    return ((((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * EACH) >> 56) & 127


@part
def common(group: int, members: int) -> int:
    """What is in the byte of every member."""
    group |= -256 << 8 * (members - 1)  # the bytes of nobody are full
    group &= group >> 32
    group &= group >> 16
    return group & (group >> 8) & 255


@part
def answered(state: State, e: int, i: int, bits: int) -> None:
    """A member's answer is (now) ``bits``: note how it got there."""
    one, two, three = state.course[e, i] & 31, state.course[e, i] >> 5, bits | 16
    told = FIELD**3 + FIELD**4 * (bits == RIGHT)
    if one:
        stays, same, back = one == two, two == three, one == three
        told += (stays & same) + FIELD * (back & (not same))
        told += FIELD**2 * ((not stays) & (not same) & (not back))
    state.answers[e] += told
    state.course[e, i] = two | three << 5


@part
def settle(state: State, e: int, i: int) -> None:
    """Book what the others made of what ``i`` said last, unless it was nothing."""
    said, others = state.said[e, i], ~(255 << 8 * i)
    if said == 0:
        return
    now, then = state.held[e] & others, state.then[e, i] & others
    # Of what is held, what is true counts 1 and what is false -1: bits where truth says so, less
    # those it denies. The constant of that sum is the same then and now.
    effect = ones(now ^ ~(TRUTH * EACH)) - ones(then ^ ~(TRUTH * EACH))
    adopted = ones(now & ~then & ((said & 255) * EACH))
    state.worth[e] += FIELD**4 * effect + FIELD**2 * adopted


@part
def speak(state: State, e: int, i: int, turn: int, leave: int, doubt: int, track: bool) -> None:
    """A member claims and doubts."""
    if track:
        settle(state, e, i)
    place = 8 * i
    said = turn | leave << 4
    gone = (doubt | leave) | (doubt | turn) << 4
    held = (state.held[e] & ~(gone << place)) | said << place
    public = (state.public[e] & ~(gone << place)) | said << place
    state.held[e], state.public[e] = held, public
    if not track:
        return
    state.said[e, i] = said | 256 * (said | gone != 0)
    if not said | gone:
        return
    true, false = ones(said & TRUTH), ones(said & ~TRUTH)
    state.worth[e] += (true > false) + FIELD * (true < false)
    state.then[e, i] = held
    state.ever[e] |= common(public, state.then.shape[1])
    own = (held >> place) & 15
    answered(state, e, i, own)
    state.types[e] |= 1 << own + 16


@part
def alone(state: State, e: int, i: int, turn: int, track: bool) -> None:
    """A member answers alone: it makes up its mind where it was not told better."""
    place = 8 * i
    told = (state.held[e] >> place) & 255
    mind = turn | (~turn & 15) << 4
    state.held[e] |= (mind & ~(told >> 4 | (told & 15) << 4)) << place
    if track:
        answered(state, e, i, turn)
        state.answers[e] += FIELD**5 * (4 - ones(turn ^ RIGHT))
        state.types[e] |= 1 << turn


@part
def conclude(state: State, e: int, track: bool) -> None:
    """The group's answer, and what the books come to."""
    members = state.then.shape[1]
    group = 0
    for k in range(4):
        group |= (2 * ones((state.final[e] >> k) & EACH) > members) << k
    tallies = state.tallies
    tallies[e, SCORE] = 4 - ones(group ^ RIGHT)
    tallies[e, EXACT] = group == RIGHT
    if not track:
        return
    for i in range(members):
        settle(state, e, i)
    ground, held, modal = common(state.public[e], members), state.held[e], 0
    tallies[e, TRUE], tallies[e, FALSE] = ones(ground & TRUTH), ones(ground & ~TRUTH)
    tallies[e, EVER] = ones(state.ever[e])
    for k in range(4):
        turns, leaves = ones((held >> k) & EACH), ones((held >> (k + 4)) & EACH)
        modal += max(turns, leaves) * (turns + leaves > 1)
    tallies[e, AGREEMENT] = modal
    tallies[e, SOLO_TYPES] = ones(state.types[e] & 0xFFFE)  # an answer of no cards is no kind
    tallies[e, TALK_TYPES] = ones(state.types[e] >> 16 & 0xFFFE)
    answers, worth = state.answers[e], state.worth[e]
    for row in (STUCK, CIRCULAR, UNIQUE, ANSWERS, CORRECT, ALONE):
        tallies[e, row] = answers & FIELD - 1
        answers //= FIELD
    tallies[e, HELPFUL], tallies[e, HARMFUL] = worth & FIELD - 1, worth // FIELD & FIELD - 1
    tallies[e, ADOPTED] = worth // FIELD**2 & FIELD**2 - 1
    tallies[e, EFFECT] = worth // FIELD**4


@kernel
def play(
    state: State,
    idle: Any,
    actions: Any,
    schedule: Any,
    rewards: Any,
    ended: Any,
    exact: bool,
    track: bool,
) -> None:
    """One turn in every group that is not idle.

    Args:
        state: changed.
        idle: bool ``[E]``.
        actions: uint8 or int64 ``[E, n, 4]``, of which the actor's row is read: 0 silent, 1 turn,
            2 leave, 3 unsure, by place.
        schedule: int64 ``[T]``, the phase of each turn.
        rewards: float32 ``[E, n]``, written.
        ended: bool ``[E]``, written.
        exact: whether only an answer that is right in all is paid.
        track: whether the books are kept.
    """
    members, length = state.then.shape[1], len(schedule)
    for e in range(len(idle)):
        ended[e] = False
        for i in range(members):
            rewards[e, i] = 0.0
        if idle[e]:
            continue
        clock = state.clock[e]
        i = (state.first[e] + clock) % members
        turn, leave, doubt = 0, 0, 0
        for place in range(4):
            bit = 1 << state.classes[e, place]
            code = actions[e, i, place]
            turn |= bit * (code == 1)
            leave |= bit * (code == 2)
            doubt |= bit * (code == 3)
        phase = schedule[clock]
        if phase == TALK:
            speak(state, e, i, turn, leave, doubt, track)
            for place in range(4):
                state.latest[e, i, place] = actions[e, i, place]
            state.speaker[e] = i
        elif phase == SOLO:
            alone(state, e, i, turn, track)
        else:
            state.final[e] |= turn << 8 * i
            if track:
                answered(state, e, i, turn)
        state.clock[e] = clock + 1
        if clock + 1 == length:
            conclude(state, e, track)
            ended[e] = True
            paid = state.tallies[e, EXACT] if exact else 0.25 * state.tallies[e, SCORE]
            for k in range(members):
                rewards[e, k] = paid


@kernel
def look(state: State, schedule: Any, out: Any) -> None:
    """What every member sees, written into ``out``, uint8 ``[E, n, 15 + 4 n]``.

    Phase and clock; the four symbols; the hint; each one's stances, oneself first; who spoke last,
    counted from oneself; what was claimed.
    """
    members, last = state.then.shape[1], len(schedule) - 1
    for e in range(len(out)):
        for i in range(members):
            row = out[e, i]
            row[0], row[1] = schedule[min(state.clock[e], last)], state.clock[e]
            speaker = state.speaker[e]
            heard = speaker >= 0 and speaker != i
            for place in range(4):
                kind = state.classes[e, place]
                row[2 + place] = state.symbols[e, place]
                told = state.hints[e, i] == place
                row[6 + place] = (2 - ((RIGHT >> kind) & 1)) if told else 0
                for step in range(members):
                    other = (i + step) % members
                    book = state.held[e] if step == 0 else state.public[e]
                    turn = (book >> (8 * other + kind)) & 1
                    leave = (book >> (8 * other + kind + 4)) & 1
                    row[10 + 4 * step + place] = 1 if turn else 2 * leave
                row[11 + 4 * members + place] = state.latest[e, speaker, place] if heard else 0
            row[10 + 4 * members] = 1 + (speaker - i) % members if heard else 0
