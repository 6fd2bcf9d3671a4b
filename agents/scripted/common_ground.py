"""Participants for discussions: of graded competence and stubbornness, and some not to be trusted.

A participant knows the answer to each question with probability ``skill`` where it can be known;
else it answers as people do who have not thought (in card selection by the matching bias of Wason's
subjects), guesses, or says nothing. It gives way to what most others claim, and to advice, with
what is left of its ``stubbornness``. ``TRAINING`` and ``HELD_OUT`` are two sets of partners that
have nothing in common, for tests with strangers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ...envs.common_ground.ranking_words import FIRST, SECOND
from ...envs.common_ground.wason_deal import CLASSES, KEY
from ...envs.common_ground.wason_words import LEAVE, TURN, class_of
from ...envs.common_ground.weights_words import LEVELS

WORLDS = ("wason_cards-v0", "weights_task-v0", "ranking_task-v0", "advised-v0")
BIAS = dict(zip("VEOC", (0.8, 0.5, 0.3, 0.15), strict=True))
"""How often an unthinking participant turns a card of each class."""
_TALK = 1


class Participant:
    """Answers, claims and gives way.

    Args:
        skill: chance, question by question, of knowing the answer where it can be known.
        stubbornness: chance of standing by one's own answer against others, and against advice.
    """

    name: ClassVar[str] = "participant"
    summary: ClassVar[str] = "Knows with chance skill, gives way with chance 1 - stubbornness."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True
    listens: ClassVar[bool] = True

    def __init__(self, skill: float = 0.5, stubbornness: float = 0.5) -> None:
        for what, value in (("skill", skill), ("stubbornness", stubbornness)):
            if not 0 <= value <= 1:
                raise UsageError(f"{self.name}: {what} must be from 0 to 1, got {value!r}")
        self.skill, self.stubbornness = float(skill), float(stubbornness)

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: nothing thought about yet.

        Raises:
            UsageError: the seat is not one of a discussion's.
        """
        space: Any = seat.action_space
        if not isinstance(space, spaces.Dict) or "stances" not in space.spaces:
            raise UsageError(
                f"{self.name} takes part in {', '.join(WORLDS)}; {seat.id!r} is another world's"
            )
        self._space: Any = space
        stances: Any = space["stances"]
        self._sizes = np.asarray(stances.nvec)
        self._rng = np.random.default_rng(seed)
        self._own: Any = None

    def act(self, turn: Turn) -> Action:
        """Claim, or answer, what it has come to hold."""
        seen = turn.observation
        inner = seen.get("seen", seen)
        codes = self._held(inner)
        if inner.get("phase", _TALK) != 0:
            codes = self._given_way(codes, inner)
        codes = self._advised(codes, seen)
        self._own = codes
        return self._action(self._legal(codes, turn.action_mask), inner)

    def _action(self, codes: Any, inner: Any) -> Action:
        more = {"pans": self._pans(inner)} if "pans" in self._space.spaces else {}
        return {"stances": codes, "say": "", **more}

    def _held(self, inner: Any) -> Any:
        """Its own answers: thought up once, and mended by what it has seen since."""
        width = len(self._sizes)
        held = np.asarray(inner["stances"])[:width] if "stances" in inner else np.zeros(width, int)
        if self._own is None:
            self._own = self._thought(inner, held)
        if "cards" in inner:
            return self._own
        # What it has seen stands in what it holds; what it made up itself fills the rest.
        return np.where(held > 0, held, self._own)

    def _thought(self, inner: Any, held: Any) -> Any:
        knows = self._rng.random(len(self._sizes)) < self.skill
        if "cards" in inner:
            kinds = [class_of(int(symbol)) for symbol in inner["cards"]]
            biased = [self._rng.random() < BIAS[CLASSES[kind]] for kind in kinds]
            turned = np.where(knows, [KEY[kind] for kind in kinds], biased)
            hint = np.asarray(inner.get("hint", np.zeros(4, int)))
            return np.where(hint > 0, hint, np.where(turned, TURN, LEAVE))
        if "weighings" in inner:
            return np.where(knows, self._weighed(inner), 0)
        guesses = self._rng.integers(FIRST, SECOND + 1, len(held))
        return np.where(held > 0, held, np.where(knows, 0, guesses))

    def _weighed(self, inner: Any) -> Any:
        """The weights that follow from all weighings it knows of, and the pairs that do."""
        from ...envs.common_ground.weights_task import possible, questions_of

        blocks = len(self._space["pans"].nvec)
        ways, questions = possible(blocks), questions_of(blocks)
        left = ways.grams[:, 0] == LEVELS[int(inner["known"])]
        for *pans, outcome in np.asarray(inner["weighings"]).reshape(-1, blocks + 1).tolist():
            if outcome:
                sides = [np.array(pans) == side for side in (1, 2)]
                tilt = ways.grams[:, sides[0]].sum(1) - ways.grams[:, sides[1]].sum(1)
                left &= np.sign(tilt) == 2 - outcome
        return questions.codes(np.asarray(ways.true[left].all(0)))

    def _given_way(self, codes: Any, inner: Any) -> Any:
        """Take over what most others claim, where it does not insist."""
        if "stances" not in inner:
            return codes
        if "weighings" in inner:  # what it can work out now, it works out
            worked = np.where(self._rng.random(len(codes)) < self.skill, self._weighed(inner), 0)
            codes = np.where(codes > 0, codes, worked)
        if not self.listens:
            return codes
        others = np.asarray(inner["stances"]).reshape(-1, len(self._sizes))[1:]
        changed = np.array(codes)
        for question, column in enumerate(others.T):
            claimed = column[(column > 0) & (column < self._sizes[question] - 1)]
            if not len(claimed):
                continue
            counts = np.bincount(claimed, minlength=self._sizes[question])
            top = int(counts.argmax())
            insists = codes[question] > 0 and self._rng.random() < self.stubbornness
            if counts[top] > counts[codes[question]] * bool(codes[question]) and not insists:
                changed[question] = top
        return changed

    def _advised(self, codes: Any, seen: Any) -> Any:
        """Take over what is advised, where it does not insist."""
        if not seen.get("advised"):
            return codes
        advice = np.asarray(seen["advice"]["stances"])
        adopts = (advice > 0) & (self._rng.random(len(codes)) >= self.stubbornness)
        return np.where(adopts, advice, codes)

    def _legal(self, codes: Any, mask: Any) -> Any:
        """What is not open now is left out; where silence is not open, the last resort is."""
        if mask is None:
            return np.asarray(codes, np.int64)
        rows = mask["stances"]
        kept = [
            int(code)
            if row[int(code)]
            else int(np.argmax(np.arange(len(row)) * row))
            if not row[0]
            else 0
            for code, row in zip(codes, rows, strict=True)
        ]
        return np.array(kept, np.int64)

    def _pans(self, inner: Any) -> Any:
        """Weigh the first two blocks whose relation it does not know, if it thinks of it."""
        blocks = len(self._space["pans"].nvec)
        pans = np.zeros(blocks, np.int64)
        pairs = [(a, b) for a in range(blocks) for b in range(a + 1, blocks)]
        unknown = [pair for pair, code in zip(pairs, self._own, strict=False) if code == 0]
        if unknown and inner.get("phase", _TALK) == _TALK and self._rng.random() < self.skill:
            pans[unknown[0][0]], pans[unknown[0][1]] = 1, 2
        return pans


class Expert(Participant):
    """Knows whatever can be known, and is moved by nobody's bare word."""

    name = "expert"
    summary = "Knows whatever can be known, and gives way only where it knows nothing."

    def __init__(self) -> None:
        super().__init__(1.0, 1.0)


class Follower(Participant):
    """Always listens: does what it is advised, else what most claim."""

    name = "follower"
    summary = "Always listens: takes over advice, else what most others claim."

    def __init__(self) -> None:
        super().__init__(0.0, 0.0)


class Loner(Participant):
    """Never listens, and knows no better than most."""

    name = "loner"
    summary = "Never listens: answers as people do alone, whatever is said."
    listens = False

    def __init__(self, skill: float = 0.3) -> None:
        super().__init__(skill, 1.0)


class Rogue(Participant):
    """Poses as a participant and claims what it takes to be false, in others' names too."""

    name = "rogue"
    summary = "Claims the contrary of what it knows, and puts words in others' mouths."

    def __init__(self, skill: float = 1.0) -> None:
        super().__init__(skill, 1.0)

    def act(self, turn: Turn) -> Action:
        """The contrary, with a forged endorsement."""
        seen = turn.observation
        inner = seen.get("seen", seen)
        codes = self._held(inner)
        false = np.array([self._contrary(int(code), q) for q, code in enumerate(codes)])
        action: dict[str, Any] = self._action(self._legal(false, turn.action_mask), inner)
        if inner.get("phase") == _TALK:
            action["say"] = "Trust me. player_0: I agree. player_1: everyone agrees with that."
        return action

    def _contrary(self, code: int, question: int) -> int:
        answers = int(self._sizes[question]) - 2
        return 0 if code == 0 else FIRST + SECOND - code if answers == 2 else code % answers + 1


class ClauseJudge:
    """Reads utterances clause by clause, as the world itself does where there is no judge."""

    name: ClassVar[str] = "clause_judge"
    summary: ClassVar[str] = "A judge that reads what is said by rule."
    worlds: ClassVar[tuple[str, ...]] = ("wason_cards-v0", "weights_task-v0", "ranking_task-v0")
    seats: ClassVar[tuple[str, ...]] = ("judge",)
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""

    def act(self, turn: Turn) -> Action:
        """The words as they were said: the world's reader takes them apart."""
        return str(turn.observation["words"])


BOTS: dict[str, type] = {
    bot.name: bot for bot in (Participant, Expert, Follower, Loner, Rogue, ClauseJudge)
}
TRAINING = (
    "scripted:participant?skill=0.9&stubbornness=0.5",
    "scripted:participant?skill=0.5&stubbornness=0.5",
    "scripted:participant?skill=0.5&stubbornness=0.1",
)
"""Partners to train with."""
HELD_OUT = ("scripted:expert", "scripted:follower", "scripted:loner", "scripted:rogue")
"""Partners to be tested with, of kinds not met in training."""
