"""The terminal that commands print to: its width, its colours, and the lines between tables."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from dataclasses import dataclass
from typing import Final, Literal, TextIO, TypeAlias

__all__ = [
    "ColorChoice",
    "Style",
    "is_colorless",
    "is_live",
    "is_terminal",
    "note",
    "paint",
    "room",
    "say",
    "set_display",
    "write_block",
]

ColorChoice: TypeAlias = Literal["auto", "always", "never"]
"""When output has colours; `auto`: on a terminal."""

Style: TypeAlias = Literal["plain", "heading", "muted", "kept", "dropped", "white", "red", "black", "draw"]
"""What a text means, which decides its colour."""

# The hues of the explorer, in tones that are readable on a light and on a dark background.
_CODES: Final[dict[Style, str]] = {
    "heading": "1",
    "muted": "2",
    "kept": "38;5;32",
    "dropped": "38;5;136",
    "white": "38;5;250",
    "red": "38;5;167",
    "black": "38;5;240",
    "draw": "38;5;245",
}
# Signs of tables and bars, for a terminal whose encoding lacks them.
_PLAIN_SIGNS: Final = str.maketrans("─…–█▒░▏▎▍▌▋▊▉", "-~-#=.-----##")


@dataclass(slots=True)
class _Display:
    """How answers are printed. The options of a command line set it."""

    is_wide: bool = False
    color: ColorChoice = "auto"
    # The stream that was printed to last, and whether a table was the last thing on it.
    stream: TextIO | None = None
    is_after_table: bool = False


_display = _Display()


def set_display(*, is_wide: bool | None = None, color: ColorChoice | None = None) -> None:
    """Set how answers are printed from now on; None leaves a setting as it is."""
    if is_wide is not None:
        _display.is_wide = is_wide
    if color is not None:
        _display.color = color


def room() -> int | None:
    """Return the width that a table may take on stdout; None: any width, in pipes and with --wide."""
    if _display.is_wide or not is_terminal(sys.stdout):
        return None
    return shutil.get_terminal_size().columns


def is_terminal(stream: TextIO) -> bool:
    """Return whether a person reads a stream, not another program."""
    return stream.isatty()


def is_live(stream: TextIO) -> bool:
    """Return whether a terminal can rewrite lines and show colours: it is not a dumb one."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_colorless() -> bool:
    """Return whether --color never forbids colours."""
    return _display.color == "never"


def paint(text: str, style: Style) -> str:
    """Return a text in the colour of its meaning, or plain where stdout has no colours."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text and style in _CODES and _has_color() else text


def _has_color() -> bool:
    if _display.color != "auto":
        return _display.color == "always"
    # https://no-color.org: any value but the empty one.
    return is_live(sys.stdout) and not os.environ.get("NO_COLOR")


def say(text: str, *, is_prose: bool = False) -> None:
    """Print a line of the answer to stdout. Prose is broken at blanks where the terminal is too narrow."""
    width = room()
    if is_prose and width is not None:
        text = "\n".join(textwrap.wrap(text, width))
    if _display.is_after_table and _display.stream is sys.stdout and text:
        text = f"\n{text}"
    _write(f"{text}\n", is_table=False)


def write_block(lines: list[str], *, is_first: bool = True) -> None:
    """Print the lines of a table to stdout, with a blank line before it if something stands above.

    Args:
        lines: the lines.
        is_first: whether the table begins with them.
    """
    gap = "\n" if is_first and _display.stream is sys.stdout else ""
    _write(gap + "".join(f"{line}\n" for line in lines), is_table=True)


def _write(text: str, *, is_table: bool) -> None:
    stream = sys.stdout
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(_PLAIN_SIGNS)
    stream.write(text)
    _display.stream, _display.is_after_table = stream, is_table


def note(text: str, *, quiet: bool = False) -> None:
    """Print a line to stderr, unless quiet."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)
