"""Output of commands: JSON and tables on stdout, notes and progress on stderr.

Progress is a bar on a terminal, otherwise a line every few seconds. rich is imported only for tables and
bars, so JSON answers do not wait for it.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bookbuilder.plain_json import to_plain

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.progress import Progress, ProgressColumn

__all__ = [
    "JSON_SCHEMA",
    "counting",
    "format_bar",
    "format_bytes",
    "format_share",
    "note",
    "print_json",
    "print_table",
    "reading",
    "say",
]

JSON_SCHEMA: Final = 1
"""Version of the JSON answers. Fields may be added but not renamed."""

_PLAIN_LINE_SECONDS: Final = 10.0
# Tables are data, so they are not cut when stdout is not a terminal.
_PLAIN_WIDTH: Final = 160

Reader: TypeAlias = Callable[[int, int, int], None]


def print_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as JSON with its schema version. Undefined numbers become null."""
    print(json.dumps({"schema": JSON_SCHEMA, **to_plain(answer)}, indent=1, ensure_ascii=False))


def say(text: str) -> None:
    """Print a line of the answer to stdout."""
    from rich.markup import escape

    _stdout().print(escape(text), highlight=False, soft_wrap=True)


def note(text: str, *, quiet: bool = False) -> None:
    """Print a line to stderr, unless quiet."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    left: Container[int] = (0,),
    wrapped: Container[int] = (),
) -> None:
    """Print a table to stdout.

    Args:
        columns: the headings.
        rows: the cells of each row.
        title: the title, or nothing.
        left: the numbers of the columns that are aligned to the left; all others are aligned to the right.
        wrapped: the numbers of the columns that may wrap in a narrow terminal.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title) or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        justify: JustifyMethod = "left" if place in left else "right"
        table.add_column(escape(column), justify=justify, no_wrap=place not in wrapped)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    _stdout().print(table, highlight=False)


def format_share(value: float | None) -> str:
    """Return a ratio in per cent, or a dash if it is undefined.

    Example:
        >>> format_share(0.5512), format_share(None)
        ('55.1 %', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def format_bar(share: float, width: int) -> str:
    """Return a bar of `width` characters, filled up to `share` in steps of an eighth of a character.

    Example:
        >>> format_bar(0.5, 8) + "|"
        '████    |'
    """
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths % 8 > 0)).ljust(width)


def format_bytes(count: float) -> str:
    """Return a size in binary units.

    Example:
        >>> format_bytes(1536), format_bytes(12)
        ('1.5 KiB', '12 B')
    """
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.1f} {unit}"
    return f"{count:.0f} B"


@contextmanager
def reading(total_bytes: int, *, quiet: bool) -> Iterator[Reader | None]:
    """Show the progress of reading archives.

    Yields a function that the core calls with the numbers of bytes, games and rejects read; None if quiet.
    """
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _plain_reader(total_bytes)
    else:
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn

        figures_column = TextColumn("{task.fields[figures]}")
        with _bar(TextColumn("reading"), BarColumn(), TaskProgressColumn(), figures_column) as bar:
            task = bar.add_task("reading", total=total_bytes or None, figures="")
            started = time.monotonic()

            def advance(read: int, games: int, rejects: int) -> None:
                figures = _figures(read, games, rejects, time.monotonic() - started)
                bar.update(task, completed=read, figures=figures)

            yield advance


@contextmanager
def counting(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show the progress of `total` things; yields a function to call with the number done."""
    if quiet:
        yield lambda _done: None
    elif not sys.stderr.isatty():
        is_due = _every_few_seconds()
        yield lambda done: note(f"{done:,} of {total:,} {what}", quiet=not is_due())
    else:
        from rich.progress import BarColumn, TextColumn

        with _bar(TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + what), BarColumn()) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)


def _bar(*columns: ProgressColumn) -> Progress:
    """A progress bar on stderr that is removed at its end; other output appears above it."""
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        # Output that is piped elsewhere must not be moved above the bar.
        redirect_stdout=sys.stdout.isatty(),
    )


def _stdout() -> Console:
    from rich.console import Console

    # Created for each answer, because tests and pipes replace sys.stdout.
    return Console() if sys.stdout.isatty() else Console(width=_PLAIN_WIDTH)


def _every_few_seconds() -> Callable[[], bool]:
    """Return a function that is true when a plain line of progress is due."""
    last = time.monotonic()

    def is_due() -> bool:
        nonlocal last
        if time.monotonic() - last < _PLAIN_LINE_SECONDS:
            return False
        last = time.monotonic()
        return True

    return is_due


def _plain_reader(total_bytes: int) -> Reader:
    started, is_due = time.monotonic(), _every_few_seconds()

    def advance(read: int, games: int, rejects: int) -> None:
        if not is_due():
            return
        seconds = time.monotonic() - started
        share = f"{100 * read / total_bytes:.0f} %" if total_bytes else format_bytes(read)
        left = f", {seconds * (total_bytes / read - 1):.0f} s left" if 0 < read < total_bytes else ""
        note(f"read {share}: {_figures(read, games, rejects, seconds)}{left}")

    return advance


def _figures(read: int, games: int, rejects: int, seconds: float) -> str:
    seconds = max(seconds, 1e-3)
    rates = f"{read / seconds / 1e6:.1f} MB/s, {games / seconds:,.0f} games/s"
    return f"{games:,} games, {rejects:,} rejects, {rates}"
