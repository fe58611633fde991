"""Progress of long work on stderr: a line that is rewritten on a terminal, else a line every few seconds.

rich is imported only for a terminal, so that pipes do not wait for it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder.cli.console import counted, format_bytes, is_colorless, is_live, note

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

__all__ = ["Reader", "counting", "phase", "reading", "standing_line"]

_PLAIN_LINE_SECONDS: Final = 10.0

Reader: TypeAlias = Callable[[int, int, int], None]
"""Takes the numbers of bytes, games and rejects read so far."""


@contextmanager
def reading(total_bytes: int, *, quiet: bool, then: str = "merging") -> Iterator[Reader | None]:
    """Show the progress of reading archives, and of the work after the last byte.

    Yields a function that the core calls with the numbers of bytes, games and rejects read; None if quiet.

    Args:
        total_bytes: of all archives; 0 if it is not known.
        quiet: show nothing.
        then: what happens after the last byte.
    """
    if quiet:
        yield None
    elif not is_live(sys.stderr):
        with ExitStack() as steps:
            yield _plain_reader(total_bytes, lambda: steps.enter_context(phase(then, quiet=False)))
    else:
        with _bar(*_reading_columns()) as bar:
            yield _live_reader(bar, total_bytes, then)


def _live_reader(bar: Progress, total_bytes: int, then: str) -> Reader:
    task = bar.add_task("reading" if total_bytes else then, total=total_bytes or None, figures="")
    started = time.monotonic()
    is_reading = bool(total_bytes)

    def advance(read: int, games: int, rejects: int) -> None:
        nonlocal is_reading
        if is_reading and read >= total_bytes:
            # A full bar would say that the work is done.
            is_reading = False
            bar.remove_task(task)
            bar.add_task(then, total=None, figures=_totals(games, rejects))
        elif is_reading or not total_bytes:
            figures = _figures(read, games, rejects, time.monotonic() - started)
            bar.update(task, completed=read, figures=figures)

    return advance


@contextmanager
def counting(what: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show the progress of `total` things; yields a function to call with the number done."""
    if quiet:
        yield lambda _done: None
    elif not is_live(sys.stderr):
        is_due = _every_few_seconds()
        yield lambda done: note(f"{done:,} of {total:,} {what}", quiet=not is_due())
    else:
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

        described = TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + what)
        with _bar(described, BarColumn(), TimeRemainingColumn()) as bar:
            task = bar.add_task(what, total=total)
            yield lambda done: bar.update(task, completed=done)


@contextmanager
def phase(name: str, *, quiet: bool) -> Iterator[None]:
    """Show that a step of unknown length runs, and for how long."""
    if quiet:
        yield
    elif is_live(sys.stderr):
        with _bar(*_step_columns()) as bar:
            bar.add_task(name, total=None)
            yield
    else:
        ended = threading.Event()
        beat = threading.Thread(target=_beat, args=(name, ended), daemon=True)
        beat.start()
        try:
            yield
        finally:
            ended.set()
            beat.join()


def _beat(name: str, ended: threading.Event) -> None:
    """Print a line every few seconds until the step ends."""
    started = time.monotonic()
    while not ended.wait(_PLAIN_LINE_SECONDS):
        note(f"{name}: {time.monotonic() - started:.0f} s")


@contextmanager
def standing_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the latest of many lines; yields a function to call with each.

    On a terminal the line is rewritten in place; in a pipe a line appears every few seconds.
    """
    if quiet:
        yield lambda _line: None
    elif not is_live(sys.stderr):
        is_due = _every_few_seconds()
        yield lambda line: note(line, quiet=not is_due())
    else:
        with _bar(*_step_columns()) as bar:
            task: TaskID = bar.add_task("starting", total=None)
            yield lambda line: bar.update(task, description=line)


def _reading_columns() -> list[ProgressColumn]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn

    name, figures = TextColumn("{task.description}"), TextColumn("{task.fields[figures]}")
    return [SpinnerColumn(), name, BarColumn(20), figures, TimeRemainingColumn()]


def _step_columns() -> list[ProgressColumn]:
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    # A text that is too long is cut, so that it stays on its line.
    line = Column(no_wrap=True, overflow="ellipsis")
    return [
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=line),
        TimeElapsedColumn(),
    ]


def _bar(*columns: ProgressColumn) -> Progress:
    """A line on stderr that is rewritten and removed at its end; other output appears above it."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(
        *columns,
        console=Console(stderr=True, no_color=True if is_colorless() else None),
        transient=True,
        # Output that is piped elsewhere must not be moved above the bar.
        redirect_stdout=sys.stdout.isatty(),
    )


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


def _plain_reader(total_bytes: int, at_end: Callable[[], object]) -> Reader:
    started, is_due = time.monotonic(), _every_few_seconds()
    is_reading = bool(total_bytes)

    def advance(read: int, games: int, rejects: int) -> None:
        nonlocal is_reading
        if is_reading and read >= total_bytes:
            is_reading = False
            at_end()
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
    return f"{_totals(games, rejects)}, {rates}"


def _totals(games: int, rejects: int) -> str:
    return f"{counted(games, 'game')}, {counted(rejects, 'reject')}"
