"""What a language agent remembers of the match: past turns within a token budget.

The oldest turns go first, and in chunks: when the budget is exceeded, turns are dropped until half
of it is free. Between two such moments the messages only grow at their end, so that a backend's
prefix cache finds everything before the current turn already computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .backends.protocol import CHARACTERS_PER_TOKEN, MESSAGE_TOKENS

Message = Mapping[str, Any]


class Memory:
    """Past turns as chat messages, oldest first.

    Attributes:
        budget: the most tokens to keep, as estimated.
        messages: ``user`` and ``assistant`` messages in turn.
        tokens_per_character: the estimate, raised by ``calibrate``.
    """

    __slots__ = ("_characters", "budget", "messages", "tokens_per_character")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.messages: list[Message] = []
        self.tokens_per_character = 1 / CHARACTERS_PER_TOKEN
        self._characters = 0

    def __len__(self) -> int:
        return len(self.messages) // 2

    @property
    def tokens(self) -> float:
        """Estimated tokens of everything remembered."""
        return self._characters * self.tokens_per_character + len(self.messages) * MESSAGE_TOKENS

    def estimate(self, *texts: str) -> float:
        """Estimated tokens of ``texts``, each as one message."""
        characters = sum(map(len, texts))
        return characters * self.tokens_per_character + len(texts) * MESSAGE_TOKENS

    def add(self, seen: Message, answered: Message) -> None:
        """Remember one turn: what was asked and what was answered."""
        self.messages.append(seen)
        self.messages.append(answered)
        self._characters += len(seen["content"]) + len(answered["content"])
        if self.tokens > self.budget:
            self.shrink(self.budget / 2)

    def shrink(self, tokens: float) -> None:
        """Forget the oldest turns until at most ``tokens`` remain."""
        drop = 0
        messages = self.messages
        while drop < len(messages) and self.tokens - drop * MESSAGE_TOKENS > tokens:
            self._characters -= len(messages[drop]["content"])
            self._characters -= len(messages[drop + 1]["content"])
            drop += 2
        if drop:
            # A new list: the old one may still be held by the record of an earlier call.
            self.messages = messages[drop:]

    def calibrate(self, characters: int, tokens: int, messages: int) -> None:
        """Learn from a backend's own count of a prompt; only ever makes the estimate larger."""
        if characters > 0:
            rate = (tokens - messages * MESSAGE_TOKENS) / characters
            if rate > self.tokens_per_character:
                self.tokens_per_character = rate
