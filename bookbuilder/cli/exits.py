"""Exit codes of commands, and the line on stderr that explains them. All errors are mapped here.

A usage error is one line in our own words, which names the option and what it expects.
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import Any, Final

import typer

from bookbuilder.cli.console import report
from bookbuilder.cli.help import Context, Group, commands_below
from bookbuilder.disk import FULL
from bookbuilder.errors import BookBuilderError, FenError, MoveError, OptionError, SelectionError


class Exit(IntEnum):
    """The exit code of a command."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNREADABLE = 3
    EXISTS = 4
    INTERRUPTED = 130
    PIPE = 141
    TERMINATED = 143


class Commands(Group):
    """A group of commands that reports expected errors as one line and an exit code."""

    def make_context(self, *given: Any, **settings: Any) -> Context:  # noqa: ANN401 (as in the parent class)
        """Parse the words before the command."""
        with _errors_reported():
            return super().make_context(*given, **settings)

    def invoke(self, ctx: Context) -> Any:  # noqa: ANN401 (the signature of the parent class)
        """Run the command of the command line."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # File names may be invalid UTF-8, and a terminal may lack letters.
            sys.stdout.reconfigure(errors="backslashreplace")
        with _errors_reported():
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer


_signals: Final[list[int]] = []
"""The signals that the process got to end."""


def end_at_sigterm() -> None:
    """Let SIGTERM interrupt the command as Ctrl-C does, so that it removes its drafts."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, _: FrameType | None) -> None:
    _signals.append(number)
    raise KeyboardInterrupt


def finish(code: Exit, reason: str) -> typer.Exit:
    """Print why a command ends with this code, and return the exception to raise."""
    report(f"bookbuilder: {reason}")
    return typer.Exit(code)


@contextmanager
def _errors_reported() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        code = Exit.TERMINATED if _signals else Exit.INTERRUPTED
        raise finish(code, f"{code.name.lower()}; each output is as before, or complete") from None
    except typer.TyperException as error:
        raise finish(Exit.USAGE, usage_line(error)) from None
    except MemoryError:
        raise finish(Exit.UNREADABLE, "not enough memory; each output is as before, or complete") from None
    except (BookBuilderError, OSError) as error:
        try:
            sys.stdout.flush()
        except OSError:
            # What nobody takes must not be tried again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise typer.Exit(Exit.PIPE) from None
        is_usage = isinstance(error, OptionError | FenError | MoveError | SelectionError)
        code = Exit.USAGE if is_usage else Exit.UNREADABLE
        raise finish(Exit.EXISTS if isinstance(error, FileExistsError) else code, _line_of(error)) from None


def _line_of(error: BookBuilderError | OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is None:
        # A relative path names nothing where the working directory has been deleted.
        try:
            Path.cwd()
        except FileNotFoundError:
            return "the working directory is gone; change to another one, or name files by their whole paths"
    if isinstance(error, OSError) and not isinstance(error, BookBuilderError) and error.strerror:
        remedy = "; make room or choose another disk" if error.errno in FULL else ""
        # The system names no file when stdout has no room.
        place = error.filename or ("stdout" if remedy else None)
        file = f"{place}: " if place is not None else ""
        return f"{file}{error.strerror[0].lower()}{error.strerror[1:]}{remedy}"
    return " ".join(str(error).split())


_REWORDED: Final = (
    (r"Invalid value for (?:'-\w' / )?'(?P<name>[^']+)'(?: / '[^']+')*: (?P<why>.+)", r"\g<name>: \g<why>"),
    (r"^Invalid value: ", ""),
    (r"'[^']*' is not a valid int.*", "expected a whole number"),
    (r"'[^']*' is not a valid float.*", "expected a number"),
    (r"\S+ is not in the range x>=(\S+)\.", r"expected at least \1"),
    (r"\S+ is not in the range (\S+)<=x<=(\S+)\.", r"expected \1 to \2"),
    (r"'([^']*)' is not one of (.+?)\.$", r'"\1" is unknown: expected one of \2'),
    (r"No such option: (\S+) \(Possible options: (.+)\)", r"unknown option \1; did you mean \2?"),
    (r"No such option: (\S+)", r"unknown option \1"),
    (r"No such command '([^']+)'\.", r"unknown command \1"),
    (r"Missing argument '([^']+)'\.", r"\1 is missing"),
    (r"Missing option (?:'-\w' / )?'(\S+)'.*", r"\1 is missing"),
    (r"Option '([^']+)' requires an argument\.", r"\1 needs a value"),
    (r"Option '([^']+)' does not take a value\.", r"\1 takes no value"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.+)\)", r"unexpected words: \1"),
    (r"'([a-z-]+)'", r"\1"),
)
"""Wordings of the library, and ours."""


def usage_line(error: typer.TyperException) -> str:
    """Return the line that explains a usage error."""
    text = " ".join(error.format_message().split())
    for pattern, words in _REWORDED:
        text = re.sub(pattern, words, text)
    context: Context = getattr(error, "ctx", None)
    if context is None:
        return text
    text = _with_hint(text, context)
    # A question is an answer already. `tally` is the usual name of `tally add`.
    return text if text.endswith("?") else f"{text}; see {context.command_path.removesuffix(' add')} --help"


_POSITION: Final = "write a position as an argument, such as '1.e4 c5' or a FEN"
_OPTIONS_MEANT: Final = {
    **dict.fromkeys(("--elo", "--min-elo", "--rating", "--minimum-rating"), ("--min-rating",)),
    **dict.fromkeys(("--max-elo", "--maximum-rating"), ("--max-rating",)),
    **dict.fromkeys(("--depth", "--ply", "--plies", "--max-depth", "--max-plies"), ("--max-ply", "--depth")),
    **dict.fromkeys(("--white", "--black", "--red"), ("--side",)),
    **dict.fromkeys(("--bin", "--out", "--outfile"), ("--output",)),
    **dict.fromkeys(("--min-game", "--min-count", "--games"), ("--min-games",)),
    **dict.fromkeys(("--from", "--after", "--year"), ("--since",)),
    **dict.fromkeys(("--to", "--before"), ("--until",)),
    **dict.fromkeys(("--threads", "--concurrency"), ("--jobs", "--threads")),
    **dict.fromkeys(("--limit", "--number"), ("--max-games", "--rows", "--positions")),
}
"""Names that other programs have, with ours; the first one that a command has is meant."""
_COMMANDS_MEANT: Final = {
    "make-book": "build",
    "merge-book": "book merge",
    "info-book": "info",
    "dump-book": "book convert",
    "extract": "games filter",
    "count": "tally",
}


def _with_hint(text: str, context: Context) -> str:
    """Return the line with what was meant: a command or option of another name, or of another group."""
    if unknown := re.match(r"unknown command (.+)", text):
        program = context.find_root()
        paths = [path for path, _ in commands_below(program.command) if path.split()[-1] == unknown[1]]
        if meant := _COMMANDS_MEANT.get(unknown[1]):
            paths = [meant]
        meant = " or ".join(f"{program.info_name} {path}" for path in paths)
        meant = meant or ", ".join(get_close_matches(unknown[1], context.command.list_commands(context)))
        return f"{text}; did you mean {meant}?" if meant else text
    if unknown := re.match(r"unknown option (--[\w-]+)", text):
        params = context.command.params
        known = {name for each in params for name in each.opts}
        if unknown[1] in ("--moves", "--fen") and any(each.metavar == "POSITION" for each in params):
            return f"{unknown[0]}; {_POSITION}"
        for meant in _OPTIONS_MEANT.get(unknown[1], ()):
            if meant in known:
                value = f" {unknown[1][2:]}" if meant == "--side" else ""
                return f"{unknown[0]}; did you mean {meant}{value}?"
    return text
