"""Output of commands: answers on stdout, notes on stderr, and how both are displayed.

Text from archives, books, file names and engines is foreign. Every line goes through `visible`, so that no
foreign text can move the cursor, change colours, forge a line, or turn the direction of writing.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TextIO, TypeAlias

from bookbuilder.plain_json import to_plain

ColorChoice: TypeAlias = Literal["auto", "always", "never"]
"""When output has colours; `auto`: on a terminal."""
JSON_SCHEMA: Final = 1
"""Version of the JSON answers. Fields may be added but not renamed."""

# Control characters, separators of lines, controls of the direction of writing, and bytes that are not UTF-8.
_UNSAFE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Signs of tables and bars, for a terminal whose encoding lacks them.
_PLAIN_SIGNS: Final = str.maketrans("─…–█▒░▏▎▍▌▋▊▉", "-~-#=.-----##")


def visible(text: str) -> str:
    r"""Return a text of foreign origin with its control characters and line breaks written as escapes."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def copies(count: int) -> str:
    """Return what to do about games that are, as far as they were counted, copies of others."""
    games = counted(count, "game may be a copy of another", "games may be copies of others")
    return f"{games}; --dedupe exact skips copies"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number and what it counts.

    `one` follows the number 1: a noun, or a noun and its verb. `many` follows other numbers; by default it is
    `one` and an s.

    Example:
        >>> counted(1, "file"), counted(2000, "file"), counted(0, "move loses", "moves lose")
        ('1 file', '2,000 files', '0 moves lose')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


_SKIPPED: Final = {
    "": "filtered",
    "custom-start": "from set-up positions",
    "variant": "of variants",
    "no-moves": "without moves",
    "duplicate": "duplicates",
    "reaches": "skipped by --reaches",
    "follows": "skipped by --follows",
}


def skip_reasons(filtered: Mapping[str, int], rejects: Mapping[str, int], duplicates: int = 0) -> list[str]:
    """Return each reason why games were skipped with their number, the most frequent first."""
    known = {_SKIPPED.get(name, f"filtered by {name}"): count for name, count in filtered.items()}
    known |= {f"rejected as {name}" if name else "rejected": count for name, count in rejects.items()}
    known["duplicates"] = known.get("duplicates", 0) + duplicates
    return [
        counted(count, "duplicate") if name == "duplicates" else f"{count:,} {name}"
        for name, count in sorted(known.items(), key=lambda each: -each[1])
        if count
    ]


def format_share(value: float | None) -> str:
    """Return a ratio in per cent, or a dash if it is undefined."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def format_bytes(count: float) -> str:
    """Return a size in binary units."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count:.0f} B"


@dataclass(slots=True)
class Display:
    """How answers are displayed. The options of a command line set it."""

    is_wide: bool = False  # whether tables have all columns, whatever the width of the terminal
    color: ColorChoice = "auto"
    is_quiet: bool = False  # whether answers, notes and progress are left out
    notation: str | None = None  # of moves; None: by the language
    stream: TextIO | None = None  # that was printed to last
    is_after_table: bool = False  # whether a table was the last thing on it

    def set(self, **settings: Any) -> None:  # noqa: ANN401 (fields)
        """Change some of the settings from now on."""
        for name, value in settings.items():
            setattr(self, name, value)


display: Final = Display()
"""The display of this process."""


def is_terminal(stream: TextIO) -> bool:
    """Return whether a person reads a stream, not another program."""
    return stream.isatty()


def is_live(stream: TextIO) -> bool:
    """Return whether a terminal can rewrite lines and show colours: it is not a dumb one."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def has_color() -> bool:
    """Return whether stdout shows colours."""
    if display.color != "auto":
        return display.color == "always"
    # https://no-color.org: any value but the empty one.
    return is_live(sys.stdout) and not os.environ.get("NO_COLOR")


def room() -> int | None:
    """Return the width that a table may take on stdout; None: any width, in pipes and with --wide."""
    if display.is_wide or not is_terminal(sys.stdout):
        return None
    return shutil.get_terminal_size().columns


def say(text: str, *, is_prose: bool = False) -> None:
    """Print a line of the answer to stdout, unless quiet. Prose is broken to fit the terminal."""
    if display.is_quiet:
        return
    width = room()
    text = visible(text)
    if is_prose and width is not None:
        from rich.cells import cell_len

        lines: list[str] = []
        for word in text.split(" "):
            # Chinese signs take two columns.
            if lines and cell_len(f"{lines[-1]} {word}") <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        text = "\n".join(lines)
    gap = "\n" if display.is_after_table and display.stream is sys.stdout and text else ""
    _write(f"{gap}{text}\n", is_table=False)


def write_block(text: str, *, is_first: bool = True) -> None:
    """Print lines of a table to stdout, unless quiet. A blank line separates it from what stands above."""
    if not display.is_quiet:
        gap = "\n" if is_first and display.stream is sys.stdout else ""
        _write(gap + text, is_table=True)


def _write(text: str, *, is_table: bool) -> None:
    stream = sys.stdout
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(_PLAIN_SIGNS)
    stream.write(text)
    display.stream, display.is_after_table = stream, is_table


def note(text: str) -> None:
    """Print a line to stderr, unless quiet."""
    if not display.is_quiet:
        report(text)


def report(text: str) -> None:
    """Print a line about an error to stderr, even if quiet."""
    print(visible(text), file=sys.stderr, flush=True)


def json_text(answer: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Return an answer as JSON with its schema version. Undefined numbers become null."""
    text = json.dumps({"schema": JSON_SCHEMA, **to_plain(answer)}, indent=indent, ensure_ascii=False)
    return _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


def print_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as JSON with its schema version."""
    _write(f"{json_text(answer, indent=1)}\n", is_table=False)


def print_text(text: str) -> None:
    """Print lines of CSV or of games as they are; on a terminal with control characters as escapes."""
    if is_terminal(sys.stdout):
        text = "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))
    _write(text, is_table=False)
