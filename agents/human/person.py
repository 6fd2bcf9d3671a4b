"""A person in a seat: shown the rules and each turn in words, answering in words.

An ordinary agent: the match loop asks it like any other. What it answers is read by the world's own
words; an answer that is not legal comes back with the reason, as often as it takes, and no time
limit applies. ``rules``, ``help`` and ``quit`` are commands, unless the world itself takes the word
for an answer (a haggler may quit); with a slash they always are.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from typing import ClassVar

from gymposium.errors import IllegalAction, PlayerLeft
from gymposium.types import Outcome, Seat, Turn, Words

from .answers import legal_answers
from .pictures import half_blocks
from .terminal import Terminal, this_terminal

COMMANDS = ("help", "rules", "quit")


class HumanAgent:
    """You, at this terminal: rules, turns and answers in words."""

    deterministic: ClassVar[bool] = False
    human: ClassVar[bool] = True
    """Asked again as often as it takes, and never timed."""
    view: Callable[[], str] | None = None
    """The whole state in words, shown before each turn where the person may see it all."""

    def __init__(self) -> None:
        self._terminal: Terminal = this_terminal()

    def reset(self, seat: Seat, seed: int) -> None:
        """Greet the person with the seat and its rules."""
        self._seat = seat
        self._seen: tuple[int, str] | None = None
        role = "" if seat.role in ("player", seat.id) else f" ({seat.role})"
        self._terminal.say(f"\n— You are {seat.id}{role} —", "heading")
        self._rules()
        self._help()

    async def act(self, turn: Turn) -> str:
        """Show the turn and wait for an answer in words.

        Raises:
            PlayerLeft: the person quits, or there is no more input.
        """
        async with self._terminal.turn():
            await asyncio.sleep(0)  # whoever was asked before may have left, and ended the match
            self._show(turn)
            while True:
                line = await self._terminal.ask(f"{turn.seat}> ")
                if line is None:
                    raise PlayerLeft(self._gone("the input ended", turn))
                command = _command(turn, line)
                if command == "quit":
                    raise PlayerLeft(self._gone("you quit", turn))
                if command == "rules":
                    self._rules()
                elif command == "help" or not (line.strip() or _means(turn, line)):
                    self._help()
                    self._legal(turn)
                elif command:
                    self._terminal.say(f"there is no command /{command}; /help lists them", "error")
                else:
                    return line

    def end(self, outcome: Outcome) -> None:
        """Say how it ended for this seat."""
        seat = self._seat.id
        reason = f": {outcome.reason}" if outcome.reason else ""
        self._terminal.say(f"\n— The match is over{reason} —", "heading")
        self._terminal.say(f"{seat} ends with {outcome.returns[seat]:g}.", "bold")

    def _show(self, turn: Turn) -> None:
        say = self._terminal.say
        if "error" in turn.info:
            say(f"{turn.info['error']}", "error")
            return
        say(f"\n[step {turn.step}] {turn.seat}", "heading")
        if turn.step and turn.reward:
            say(f"Since your last turn you got {turn.reward:g}.")
        if self.view is not None:
            say(self.view(), "dim")
        if self._terminal.coloured:
            size = shutil.get_terminal_size()
            for image in turn.images:
                say(half_blocks(image, columns=size.columns, lines=size.lines // 2), raw=True)
        say(turn.text or str(turn.observation))
        self._legal(turn)

    def _legal(self, turn: Turn) -> None:
        self._terminal.say(f"You may answer: {legal_answers(turn.schema)}", "dim")

    def _rules(self) -> None:
        seat = self._seat
        self._terminal.say(seat.rules or "This world says nothing about its rules.")
        if seat.fault_rule:
            self._terminal.say(f"(For agents that give no legal answer: {seat.fault_rule})", "dim")

    def _help(self) -> None:
        self._terminal.say("Answer in words. /rules, /help and /quit work at any time.", "dim")

    def _gone(self, why: str, turn: Turn) -> str:
        return f"{why} as {turn.seat} at step {turn.step}; the match was stopped and does not count"


def _command(turn: Turn, line: str) -> str:
    """The command that ``line`` is, or ""."""
    word = line.strip().lower()
    if word.startswith("/") and word[1:].isalpha():
        return word[1:]
    return word if word in COMMANDS and not _means(turn, line) else ""


def _means(turn: Turn, line: str) -> bool:
    """Whether the world takes ``line`` for an answer."""
    # The world's speech travels with the turn, which keeps it to itself.
    words: Words | None = getattr(turn, "_words", None)
    if words is None:
        return False
    try:
        words.parse(turn.seat, line, turn.observation, turn.info)
    except IllegalAction:
        return False
    return True
