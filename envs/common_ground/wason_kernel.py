"""Turns of many groups at once: the rules of ``wason_cards-v0`` and its books as bits.

What a member holds is one byte: four bits "turn" and, above them, four bits "leave", one a class of
card, so that a whole group's common ground is one conjunction. Everything here follows the rules in
``discussion.py`` and ``ledger.py`` to the letter; a test plays both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..grid.cache import kernel, part

SOLO, TALK, ANSWER = range(3)
RIGHT = 0b1100
"""The classes to be turned, as bits in the order C, E, O, V."""
TRUTH = RIGHT | (~RIGHT & 15) << 4
"""All that is true of them."""
(
    SCORE,
    ALONE,
    GROUND,
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
) = range(19)
TALLIES = 19


class State(NamedTuple):
    """Groups, as arrays; E groups of n members.

    Attributes:
        clock: int64 ``[E]``, turns taken.
        first: int64 ``[E]``, who begins.
        speaker: int64 ``[E]``, who spoke last, or -1.
        symbols, classes: int64 ``[E, 4]``, what lies at each place.
        hints: int64 ``[E, n]``, the place each was told of, or -1.
        held, public: uint8 ``[E, n]``, bits to turn and, above, bits to leave.
        latest: uint8 ``[E, n, 4]``, codes of what each said last, by place.
        final: uint8 ``[E, n]``, bits of the last answers.
        then: uint8 ``[E, n, n]``, what each held when another last spoke.
        said: uint8 ``[E, n]``, the claims of each one's last utterance.
        open: uint8 ``[E, n]``, whether that utterance is still to be settled.
        course: int64 ``[E, n, 2]``, each one's two latest answers as bits, -1 for none.
        types: int64 ``[E, 2]``, kinds of answers so far, alone and in the talk, as bits of bits.
        ever: uint8 ``[E]``, what was common ground at some time.
        tallies: float64 ``[E, TALLIES]``.
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
    open: Any
    course: Any
    types: Any
    ever: Any
    tallies: Any


@part
def ones(bits: int) -> int:
    """How many of the eight lowest bits are set."""
    bits = bits - ((bits >> 1) & 0x55)
    bits = (bits & 0x33) + ((bits >> 2) & 0x33)
    return (bits + (bits >> 4)) & 15


@part
def answered(state: State, e: int, i: int, bits: int) -> None:
    """A member's answer is (now) ``bits``: note how it got there."""
    one, two = state.course[e, i, 0], state.course[e, i, 1]
    if one >= 0:
        if one == two and two == bits:
            state.tallies[e, STUCK] += 1
        elif one == bits:
            state.tallies[e, CIRCULAR] += 1
        elif one != two and two != bits:
            state.tallies[e, UNIQUE] += 1
    state.course[e, i, 0], state.course[e, i, 1] = two, bits
    state.tallies[e, ANSWERS] += 1
    if bits == RIGHT:
        state.tallies[e, CORRECT] += 1


@part
def settle(state: State, e: int, i: int) -> None:
    """Book what the others made of what ``i`` said last."""
    if not state.open[e, i]:
        return
    state.open[e, i] = 0
    for k in range(state.held.shape[1]):
        now, then = state.held[e, k], state.then[e, i, k]
        if now == then or k == i:
            continue
        gained, lost = now & ~then, then & ~now
        state.tallies[e, ADOPTED] += ones(gained & state.said[e, i])
        state.tallies[e, EFFECT] += ones(gained & TRUTH) - ones(gained & ~TRUTH)
        state.tallies[e, EFFECT] -= ones(lost & TRUTH) - ones(lost & ~TRUTH)


@part
def common(state: State, e: int) -> int:
    """What all have said, as bits."""
    bits = 255
    for k in range(state.public.shape[1]):
        bits &= state.public[e, k]
    return bits


@part
def speak(state: State, e: int, i: int, turn: int, leave: int, doubt: int, track: bool) -> None:
    """A member claims and doubts."""
    if track:
        settle(state, e, i)
    said = turn | leave << 4
    gone = (doubt | leave) | (doubt | turn) << 4
    state.held[e, i] = (state.held[e, i] & ~gone) | said
    state.public[e, i] = (state.public[e, i] & ~gone) | said
    if not track or not said | gone:
        return
    true, false = ones(said & TRUTH), ones(said & ~TRUTH)
    state.tallies[e, HELPFUL] += true > false
    state.tallies[e, HARMFUL] += true < false
    state.open[e, i], state.said[e, i] = 1, said
    for k in range(state.held.shape[1]):
        state.then[e, i, k] = state.held[e, k]
    state.ever[e] |= common(state, e)
    held = state.held[e, i] & 15
    answered(state, e, i, held)
    if held:
        state.types[e, 1] |= 1 << held


@part
def alone(state: State, e: int, i: int, turn: int, track: bool) -> None:
    """A member answers alone: it makes up its mind where it was not told better."""
    told = state.held[e, i]
    mind = turn | (~turn & 15) << 4
    state.held[e, i] |= mind & ~(told >> 4 | (told & 15) << 4)
    if track:
        answered(state, e, i, turn)
        state.tallies[e, ALONE] += 4 - ones(turn ^ RIGHT)
        if turn:
            state.types[e, 0] |= 1 << turn


@part
def conclude(state: State, e: int, track: bool) -> None:
    """The group's answer, and what the books come to."""
    members = state.held.shape[1]
    group = 0
    for k in range(4):
        votes = 0
        for i in range(members):
            votes += (state.final[e, i] >> k) & 1
        group |= (2 * votes > members) << k
    state.tallies[e, SCORE] = 0.25 * (4 - ones(group ^ RIGHT))
    state.tallies[e, EXACT] = group == RIGHT
    if not track:
        return
    for i in range(members):
        settle(state, e, i)
    ground = common(state, e)
    state.tallies[e, TRUE], state.tallies[e, FALSE] = ones(ground & TRUTH), ones(ground & ~TRUTH)
    state.tallies[e, GROUND] = state.tallies[e, TRUE] / 4
    state.tallies[e, EVER] = ones(state.ever[e])
    modal = 0
    for k in range(4):
        turns, leaves = 0, 0
        for i in range(members):
            turns += (state.held[e, i] >> k) & 1
            leaves += (state.held[e, i] >> k + 4) & 1
        if turns + leaves > 1:
            modal += max(turns, leaves)
    state.tallies[e, AGREEMENT] = modal / (4 * members)
    for which in range(2):
        bits, kinds = state.types[e, which], 0
        while bits:
            bits &= bits - 1
            kinds += 1
        state.tallies[e, SOLO_TYPES + which] = kinds


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
    members, length = state.held.shape[1], len(schedule)
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
            state.final[e, i] = turn
            if track:
                answered(state, e, i, turn)
        state.clock[e] = clock + 1
        if clock + 1 == length:
            conclude(state, e, track)
            ended[e] = True
            paid = state.tallies[e, EXACT] if exact else state.tallies[e, SCORE]
            for k in range(members):
                rewards[e, k] = paid


@kernel
def look(state: State, schedule: Any, out: Any) -> None:
    """What every member sees, written into ``out``, uint8 ``[E, n, 15 + 4 n]``.

    Phase and clock; the four symbols; the hint; each one's stances, oneself first; who spoke last,
    counted from oneself; what was claimed.
    """
    members, last = state.held.shape[1], len(schedule) - 1
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
                    book = state.held if step == 0 else state.public
                    turn, leave = book[e, other] >> kind & 1, book[e, other] >> kind + 4 & 1
                    row[10 + 4 * step + place] = 1 if turn else 2 * leave
                row[11 + 4 * members + place] = state.latest[e, speaker, place] if heard else 0
            row[10 + 4 * members] = 1 + (speaker - i) % members if heard else 0
