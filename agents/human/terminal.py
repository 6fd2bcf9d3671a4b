"""The terminal a person plays at: lines in, lines out, and nothing that can block the arena.

Lines are read in a thread that dies with the process, so that other seats go on thinking while a
person types and Ctrl-C ends at once. The thread reads the descriptor itself: a thread blocked in
``sys.stdin`` would hold a lock that the interpreter needs to exit.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import weakref
from concurrent.futures import Future
from typing import Any, TextIO

from gymposium.errors import PlayerLeft

from .harmless import harmless

_BLOCK = 4096
STYLES = {"bold": "1", "dim": "2", "error": "31", "heading": "1;36"}
"""Names of styles and their codes of ANSI's Select Graphic Rendition."""


class Terminal:
    """Standard input and output, as one person uses them; shared by all seats that person takes."""

    def __init__(self, source: TextIO, sink: TextIO) -> None:
        self.source = source
        self.sink = sink
        self.watched = _is_tty(sink)
        self.coloured = self.watched and not os.environ.get("NO_COLOR")
        self._typed = _is_tty(source)
        self._rest = b""
        self._reading: Future[str | None] | None = None
        self._turns: weakref.WeakKeyDictionary[Any, asyncio.Lock] = weakref.WeakKeyDictionary()

    def turn(self) -> asyncio.Lock:
        """Held while one seat is asked: people share a terminal one after the other."""
        return self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    def say(self, text: str, style: str = "", *, raw: bool = False) -> None:
        """Print a line or several.

        Args:
            text: anything; control characters are replaced.
            style: one of STYLES, used where there are colours.
            raw: the text is our own and may hold control sequences.

        Raises:
            PlayerLeft: nobody can read it any more.
        """
        shown = text if raw else harmless(text)
        if style and self.coloured:
            shown = f"\x1b[{STYLES[style]}m{shown}\x1b[0m"
        self._write(f"{shown}\n")

    async def ask(self, prompt: str) -> str | None:
        """The next line the person types, without its end; None when there are no more."""
        self._write(prompt)
        if self._reading is None:
            self._reading = Future()
            self._reading.set_running_or_notify_cancel()  # a wait may be cancelled, the line kept
            threading.Thread(
                target=self._read, args=(self._reading,), name="terminal", daemon=True
            ).start()
        line = await asyncio.wrap_future(self._reading)
        self._reading = None
        if not self._typed:  # nobody saw it being typed
            self._write("(end of input)\n" if line is None else f"{harmless(line)}\n")
        elif line is None:
            self._write("\n")
        return line

    def _read(self, promised: Future[str | None]) -> None:
        try:
            promised.set_result(self._line())
        except (OSError, ValueError):  # closed
            promised.set_result(None)

    def _line(self) -> str | None:
        try:
            number = self.source.fileno()
        except (AttributeError, OSError, ValueError):  # no descriptor behind it, as in tests
            line = self.source.readline()
            return line.rstrip("\r\n") if line else None
        while b"\n" not in self._rest:
            block = os.read(number, _BLOCK)
            if not block:
                break
            self._rest += block
        if not self._rest:
            return None
        read, _, self._rest = self._rest.partition(b"\n")
        return read.rstrip(b"\r").decode(self.source.encoding or "utf-8", "replace")

    def _write(self, text: str) -> None:
        encoding = getattr(self.sink, "encoding", None) or "utf-8"
        try:
            self.sink.write(text.encode(encoding, "replace").decode(encoding))
            self.sink.flush()
        except (OSError, ValueError):
            raise PlayerLeft("nobody reads the terminal any more; the match was stopped") from None


_open: Terminal | None = None


def this_terminal() -> Terminal:
    """The terminal of this process; the same one as long as its streams are the same."""
    global _open
    if _open is None or _open.source is not sys.stdin or _open.sink is not sys.stdout:
        _open = Terminal(sys.stdin, sys.stdout)
    return _open


def _is_tty(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False
