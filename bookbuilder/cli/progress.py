"""Progress of long work on stderr: a line that is rewritten on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder.cli.console import counted, format_bytes, is_colorless, is_live, is_quiet, note, visible

if TYPE_CHECKING:
    from rich.progress import Progress

_PLAIN_LINE_SECONDS: Final = 10.0

Reader: TypeAlias = Callable[[int, int, int], None]
"""Takes the numbers of bytes, games and rejects read so far."""


@contextmanager
def reading(total_bytes: int, then: str = "merging") -> Iterator[Reader | None]:
    """Show the progress of reading archives, and of the work after the last byte.

    Yields a function that the core calls with the numbers of bytes, games and rejects read. With --quiet it
    is None.

    Args:
        total_bytes: of all archives; 0 if it is not known.
        then: what happens after the last byte.
    """
    if is_quiet():
        yield None
    elif not is_live(sys.stderr):
        with ExitStack() as steps:
            yield _plain_reader(total_bytes, lambda: steps.enter_context(phase(then)))
    else:
        with _bar(has_figures=True) as bar:
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
            bar.update(task, completed=read, figures=_rates(read, games, rejects, time.monotonic() - started))

    return advance


def _plain_reader(total_bytes: int, at_end: Callable[[], object]) -> Reader:
    started, is_due = time.monotonic(), _every_few_seconds()
    is_reading = bool(total_bytes)

    def advance(read: int, games: int, rejects: int) -> None:
        nonlocal is_reading
        if is_reading and read >= total_bytes:
            is_reading = False
            at_end()
        if is_due():
            seconds = time.monotonic() - started
            share = f"{100 * read / total_bytes:.0f} %" if total_bytes else format_bytes(read)
            left = f", {seconds * (total_bytes / read - 1):.0f} s left" if 0 < read < total_bytes else ""
            note(f"read {share}: {_rates(read, games, rejects, seconds)}{left}")

    return advance


def _totals(games: int, rejects: int) -> str:
    return f"{counted(games, 'game')}, {counted(rejects, 'reject')}"


def _rates(read: int, games: int, rejects: int, seconds: float) -> str:
    seconds = max(seconds, 1e-3)
    return f"{_totals(games, rejects)}, {read / seconds / 1e6:.1f} MB/s, {games / seconds:,.0f} games/s"


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show the progress of `total` things; yields a function to call with the number done."""
    with standing_line() as show:
        yield lambda done: show(f"{done:,} of {total:,} {what}")


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Show that a step of unknown length runs, and for how long."""
    if is_quiet():
        yield
    elif is_live(sys.stderr):
        with _bar() as bar:
            bar.add_task(visible(name), total=None)
            yield
    else:
        started, ended = time.monotonic(), threading.Event()

        def beat() -> None:
            while not ended.wait(_PLAIN_LINE_SECONDS):
                note(f"{name}: {time.monotonic() - started:.0f} s")

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@contextmanager
def standing_line() -> Iterator[Callable[[str], None]]:
    """Show the latest of many lines; yields a function to call with each.

    On a terminal the line is rewritten in place; in a pipe a line appears every few seconds.
    """
    if is_quiet():
        yield lambda _line: None
    elif not is_live(sys.stderr):
        is_due = _every_few_seconds()
        yield lambda line: note(line) if is_due() else None
    else:
        with _bar() as bar:
            task = bar.add_task("starting", total=None)
            yield lambda line: bar.update(task, description=visible(line))


def _bar(*, has_figures: bool = False) -> Progress:
    """Return a line on stderr that is rewritten and removed at its end; other output appears above it."""
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    if has_figures:
        columns = [
            progress.BarColumn(20),
            progress.TextColumn("{task.fields[figures]}"),
            progress.TimeRemainingColumn(),
        ]
    else:
        columns = [progress.TimeElapsedColumn()]
    # A text that is too long is cut, so that it stays on its line.
    line = Column(no_wrap=True, overflow="ellipsis")
    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False, table_column=line),
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
