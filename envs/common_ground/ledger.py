"""Who holds what, and what is common ground: the books of a conversation.

A proposition is common ground once every participant has said or endorsed it, or all have seen it
together (Stalnaker, Common Ground, 2002; Clark and Marshall, Definite Reference and Mutual
Knowledge, 1981); what somebody has seen alone is held but not common until it is said. The measures
are those of Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in Multi-Party
Collaboration (NeurIPS 2025): the ground of a turn is what all hold, its growth the union over
turns. The world knows the truth, so each utterance is booked with what it was worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Props: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]


class Vocabulary(NamedTuple):
    """The P propositions that can be held.

    Attributes:
        names: each as a sentence.
        kinds: a word for each, to count by.
        entails: bool ``[P, P]``; row p is all that p says, p itself included.
        conflicts: bool ``[P, P]``; what cannot be held together with p.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    entails: Props
    conflicts: Props

    def all_that(self, said: Props) -> Props:
        """Everything that the propositions ``said`` say together."""
        return np.asarray((self.entails & said[:, None]).any(0))

    def against(self, said: Props) -> Props:
        """Everything that cannot be held beside one of ``said``."""
        return np.asarray((self.conflicts & said[:, None]).any(0))

    def resting_on(self, dropped: Props) -> Props:
        """Everything that says one of ``dropped``, and falls with it."""
        return np.asarray((self.entails & dropped[None]).any(1))


@dataclass
class Utterance:
    """One utterance and what it was worth; counts of propositions.

    Attributes:
        turn, speaker: when and who.
        true, false: claims, by the truth that the world knows.
        unfounded: claims that follow from nothing anybody has seen.
        contradictions: claims that this very utterance also denies; they count as doubts.
        reversals: what the speaker had said and now takes back.
        adopted: claims that others came to hold, each once for each of them, before the speaker
            spoke again.
        effect: what others held in that time: truths gained less truths lost, and errors likewise
            the other way round.
    """

    turn: int
    speaker: int
    true: int
    false: int
    unfounded: int = 0
    contradictions: int = 0
    reversals: int = 0
    adopted: int = 0
    effect: int = 0

    @property
    def helpful(self) -> int:
        """1 if it claims more truths than errors, -1 if fewer, else 0."""
        return (self.true > self.false) - (self.true < self.false)


class Ledger:
    """The books of one conversation of n participants over P propositions.

    Attributes:
        vocabulary: the propositions.
        truth: bool ``[P]``.
        held: bool ``[n, P]``, what each believes: seen, said or endorsed, and not taken back.
        public: bool ``[n, P]``, what each has said, endorsed or seen together with all.
        founded: bool ``[P]``, what follows from what anybody has seen; the world keeps it.
        ever: bool ``[P]``, what was common ground at some time.
        utterances: in order.
        ground: the common ground after each utterance.
    """

    def __init__(self, vocabulary: Vocabulary, participants: int, truth: Props) -> None:
        self.vocabulary, self.truth = vocabulary, truth
        shape = (participants, len(truth))
        self.held, self.public = np.zeros(shape, bool), np.zeros(shape, bool)
        self.founded, self.ever = np.ones(len(truth), bool), np.zeros(len(truth), bool)
        self.utterances: list[Utterance] = []
        self.ground: list[Props] = []
        self._open: dict[int, tuple[Utterance, Props, Props]] = {}

    @property
    def common(self) -> Props:
        """What is common ground now."""
        return np.asarray(self.public.all(0))

    def see(self, seen: Props, *watchers: int) -> None:
        """Some participants see for themselves; if all do, together, it is common ground."""
        said = self.vocabulary.all_that(seen)
        against = self.vocabulary.against(said)
        books = (self.held, self.public) if len(watchers) == len(self.held) else (self.held,)
        for book in books:
            for who in watchers:
                book[who] = (book[who] & ~against) | said
        self.ever |= self.common

    def hold(self, who: int, belief: Props) -> None:
        """Somebody makes up its mind, without saying so; what it has seen stands against that."""
        said = self.vocabulary.all_that(belief)
        self.held[who] |= said & ~self.vocabulary.against(self.held[who])

    def speak(self, turn: int, speaker: int, claims: Props, doubts: Props) -> Utterance:
        """Book an utterance.

        Args:
            turn: its number.
            speaker: who speaks; nobody else's book is written to, whatever is said.
            claims: bool ``[P]``, what is claimed.
            doubts: bool ``[P]``, what is taken back or called into question.
        """
        vocabulary = self.vocabulary
        clash = claims & vocabulary.against(claims)
        claims = claims & ~clash
        said = vocabulary.all_that(claims)
        gone = vocabulary.resting_on(doubts | clash) | vocabulary.against(said)
        before = self.public[speaker]
        booked = Utterance(
            turn,
            speaker,
            true=int((claims & self.truth).sum()),
            false=int((claims & ~self.truth).sum()),
            unfounded=int((claims & ~self.founded).sum()),
            contradictions=int(clash.sum()),
            reversals=int((before & gone & ~said).sum()),
        )
        for book in (self.held, self.public):
            book[speaker] = (book[speaker] & ~gone) | said
        self._settle(speaker)
        if said.any() or gone.any():  # silence brings nothing about
            self._open[speaker] = (booked, said, self.held.copy())
        self.utterances.append(booked)
        self.ever |= self.common
        self.ground.append(self.common)
        return booked

    def close(self) -> None:
        """The conversation is over: settle what the last utterances came to."""
        for speaker in list(self._open):
            self._settle(speaker)

    def _settle(self, speaker: int) -> None:
        """Book what others made of the speaker's last utterance."""
        if speaker not in self._open:
            return
        booked, said, then = self._open.pop(speaker)
        others = np.arange(len(self.held)) != speaker
        gained, lost = self.held & ~then, then & ~self.held
        booked.adopted = int((gained[others] & said).sum())
        worth = np.where(self.truth, 1, -1)
        booked.effect = int((worth * (gained[others].astype(int) - lost[others])).sum())

    def state(self) -> bytes:
        """All of it as bytes, for fingerprints."""
        books = (self.held, self.public, self.ever, self.founded)
        counts = repr([(u.true, u.false, u.adopted, u.effect) for u in self.utterances])
        return b"".join(book.tobytes() for book in books) + counts.encode()
