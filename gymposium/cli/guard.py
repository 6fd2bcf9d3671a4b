"""What the command line does when something goes wrong: one sentence, and an exit code.

0 done, 1 failed, 2 wrong usage, 130 interrupted (and resumable). ``--debug``, anywhere on the line,
or ``GYMPOSIUM_DEBUG=1`` shows the traceback instead. A closed pipe (``| head``) is silence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer.core

from gymposium.envs.start_folder import start_folder
from gymposium.errors import GymposiumError

INTERRUPTED = 130


class GuardedGroup(typer.core.TyperGroup):
    """The root command; its ``main`` is the boundary at which every error ends."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line.

        Args:
            args: the words after the program's name; default: those of this process.
            prog_name: the program's name in help texts.
            complete_var: as in typer.
            standalone_mode: exit with the code; otherwise return it.
            windows_expand_args: as in typer.
            extra: as in typer.

        Returns:
            The exit code, unless it exits.
        """
        words, debug = _split_debug(sys.argv[1:] if args is None else args)
        code = _outcome(
            lambda: super(GuardedGroup, self).main(
                args=words,
                prog_name=prog_name,
                complete_var=complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            ),
            debug=debug,
        )
        code = _flush(code)
        if standalone_mode:
            sys.exit(code)
        return code


def say(sentence: str) -> None:
    """One sentence to stderr; names in it may come from files of anybody's."""
    from gymposium.agents.human.harmless import harmless

    print(f"gymposium: {harmless(' '.join(sentence.split()))}", file=sys.stderr, flush=True)


def fail(sentence: str, *, code: int = 1) -> NoReturn:
    """Say ``sentence`` and end with ``code``."""
    say(sentence)
    raise typer.Exit(code)


def _split_debug(words: Sequence[str]) -> tuple[list[str], bool]:
    """Take ``--debug`` out of the words, wherever it stands before a ``--``."""
    end = list(words).index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    asked = len(kept) < end or os.environ.get("GYMPOSIUM_DEBUG", "") not in ("", "0")
    return [*kept, *words[end:]], asked


def _outcome(run: Any, *, debug: bool) -> int:
    """Run and translate whatever comes out into an exit code, saying what went wrong."""
    try:
        with start_folder():
            result = run()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(bool(error.code))
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.Abort:
        say("aborted")
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return 1
    except GymposiumError as error:
        if debug:
            raise
        say(str(error))
        return error.exit_code
    except Exception as error:  # the outermost boundary: said, and shown with --debug
        message = getattr(error, "format_message", None)
        if message is not None:  # typer's own complaints about the command line
            say(f"{_sentence(message())} ({_pointer(error)})")
            return int(getattr(error, "exit_code", 2))
        if debug:
            raise
        if isinstance(error, OSError) and error.strerror:
            place = error.filename or "the current folder"
            say(f"{place}: {error.strerror}; check that it exists and may be written")
            return 1
        from gymposium.envs.whereabouts import place_of_own

        what, place = f"{type(error).__name__}: {error}", place_of_own(error)
        if place:  # a user's own code, of which we know nothing more
            say(f"{what} ({place}); run again with --debug to see what led to it")
        else:
            say(f"internal error ({what}); run again with --debug and report it")
        return 1
    return result if isinstance(result, int) else 0


def _sentence(message: str) -> str:
    text = " ".join(message.replace("Value error, ", "").split()).rstrip(".")
    return text[:1].lower() + text[1:]


def _pointer(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "gymposium")
    return f"see `{path} --help`"


def _flush(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
        return 1
    return code


def _silence() -> None:
    """Let the interpreter's last flush go nowhere: whoever read us has enough."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
