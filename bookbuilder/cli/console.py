"""What commands print: JSON answers and tables to stdout, notes and progress to stderr.

Progress is a bar on a terminal and otherwise a plain line every few seconds. rich loads when something is
printed with it: JSON answers are not.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
"""Version of the JSON answers: fields may be added, never renamed."""

_PLAIN_LINE_SECONDS: Final = 10.0
# Tables are data: where no terminal sets a width they must not be cut.
_PLAIN_WIDTH: Final = 160

Reader: TypeAlias = Callable[[int, int, int], None]


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one answer as JSON, with its schema version; undefined numbers become null."""
    print(json.dumps({"schema": JSON_SCHEMA, **_plain(answer)}, indent=1, ensure_ascii=False))


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
    """Print a table to stdout; the columns of the numbers in `left` stand left, the others right.

    Where there is too little room, those in `wrapped` go on in the next line.
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
    """Return a ratio in per cent, or a dash where it is undefined.

    Example:
        >>> format_share(0.5512), format_share(None)
        ('55.1 %', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def format_bar(share: float, width: int) -> str:
    """Return a bar of eighths of a sign; `share` of `width` signs are filled.

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
    """Show how far archives have been read; yields what the core calls with (bytes read, games, rejects)."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _plain_reader(total_bytes)
    else:
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn

        columns = (
            TextColumn("reading"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[figures]}"),
        )
        with _bar(*columns) as bar:
            task = bar.add_task("reading", total=total_bytes or None, figures="")
            started = time.monotonic()

            def advance(read: int, games: int, rejects: int) -> None:
                figures = _figures(read, games, rejects, time.monotonic() - started)
                bar.update(task, completed=read, figures=figures)

            yield advance


@contextmanager
def counting(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many of `total` things are done; yields what is called with the number so far."""
    if quiet:
        yield lambda _done: None
    elif not sys.stderr.isatty():
        last = time.monotonic()

        def line(done: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _PLAIN_LINE_SECONDS:
                last = time.monotonic()
                note(f"{done:,} of {total:,} {what}")

        yield line
    else:
        from rich.progress import BarColumn, TextColumn

        columns = (TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + what), BarColumn())
        with _bar(*columns) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)


def _bar(*columns: ProgressColumn) -> Progress:
    """A bar on stderr that goes when it is done; what is printed meanwhile stands above it."""
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        # Where stdout is no terminal, what is printed belongs there and not above the bar.
        redirect_stdout=sys.stdout.isatty(),
    )


def _stdout() -> Console:
    from rich.console import Console

    # Made anew for each answer: tests and pipes replace sys.stdout.
    return Console() if sys.stdout.isatty() else Console(width=_PLAIN_WIDTH)


def _plain_reader(total_bytes: int) -> Reader:
    started = last = time.monotonic()

    def advance(read: int, games: int, rejects: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PLAIN_LINE_SECONDS:
            return
        last = now
        share = f"{100 * read / total_bytes:.0f} %" if total_bytes else format_bytes(read)
        left = f", {(now - started) * (total_bytes / read - 1):.0f} s left" if 0 < read < total_bytes else ""
        note(f"read {share}: {_figures(read, games, rejects, now - started)}{left}")

    return advance


def _figures(read: int, games: int, rejects: int, seconds: float) -> str:
    seconds = max(seconds, 1e-3)
    rates = f"{read / seconds / 1e6:.1f} MB/s, {games / seconds:,.0f} games/s"
    return f"{games:,} games, {rejects:,} rejects, {rates}"


def _plain(value: Any) -> Any:  # noqa: ANN401 (whatever a frame holds)
    """The value in JSON's own types: numpy numbers as Python's, undefined ones as None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if not isinstance(value, str | int | float) and hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
