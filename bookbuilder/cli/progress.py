"""Progress of long work on stderr: a line that is rewritten on a terminal, else a line every few seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from stat import S_ISFIFO
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder.cli.console import counted, display, is_live, note, visible

if TYPE_CHECKING:
    from rich.progress import Progress

_PLAIN_LINE_SECONDS: Final = 10.0
_START_SECONDS: Final = 1.0

Reader: TypeAlias = Callable[[int, int, int], None]
"""Takes the numbers of bytes, games and rejects read so far."""


@contextmanager
def reading(total_bytes: int, *, is_printing: bool = False) -> Iterator[Reader | None]:
    """Show the progress of reading archives, and of the work after the last byte.

    Yields a function that the core calls with the numbers of bytes, games and rejects read. With --quiet it
    is None.

    The bytes are 0 if they are not known; `is_printing` as for `standing_line`.
    """
    if display.is_quiet:
        yield None
        return
    started, is_over = time.monotonic(), False
    with (
        ExitStack() as steps,
        standing_line("reading" if total_bytes else "merging", is_printing=is_printing) as show,
    ):

        def advance(read: int, games: int, rejects: int) -> None:
            nonlocal is_over
            found = f"{counted(games, 'game')}, {counted(rejects, 'reject')}"
            if read >= total_bytes:
                show(f"merging: {found}")
                if not is_over and not is_live(sys.stderr):
                    steps.enter_context(phase("merging"))
                is_over = True
                return
            seconds = max(time.monotonic() - started, 1e-3)
            rates = f"{read / seconds / 1e6:.1f} MB/s, {games / seconds:,.0f} games/s"
            left = f", {seconds * (total_bytes / read - 1):.0f} s left" if read else ""
            show(f"read {100 * read / total_bytes:.0f} %{left}: {found}, {rates}")

        yield advance


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show the progress of `total` things; yields a function to call with the number done."""
    with standing_line() as show:
        yield lambda done: show(f"{done:,} of {total:,} {what}")


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Show that a step of unknown length runs, and for how long."""
    if display.is_quiet or is_live(sys.stderr):
        with standing_line(name):
            yield
        return
    started, begun, ended = time.monotonic(), threading.Event(), threading.Event()

    def beat() -> None:
        begun.set()
        while not ended.wait(_PLAIN_LINE_SECONDS):
            note(f"{name} ({time.monotonic() - started:.0f} s)")

    # Not by `threading.Thread`: where memory has run out, it waits forever for its start.
    start_new_thread(beat, ())
    try:
        yield
    finally:
        ended.set()
        # Python crashes if a thread begins while it exits. Without memory it may never begin.
        begun.wait(_START_SECONDS)


@contextmanager
def standing_line(first: str = "starting", *, is_printing: bool = False) -> Iterator[Callable[[str], None]]:
    """Show the latest of many lines; yields a function to call with each.

    On a terminal the line is rewritten in place; in a pipe a line is printed every few seconds.

    With `is_printing`, answers are printed meanwhile. A program that reads them from a pipe may print to the
    same terminal, so no line is rewritten then.
    """
    if display.is_quiet:
        yield lambda _line: None
    elif is_live(sys.stderr) and not (is_printing and S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)):
        with _bar() as bar:
            task = bar.add_task(visible(first), total=None)
            yield lambda line: bar.update(task, description=visible(line))
    else:
        # Without a thread: where memory has run out, Python waits forever for the start of one.
        started = last = time.monotonic()

        def show(line: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PLAIN_LINE_SECONDS:
                last = now
                note(f"{line} ({now - started:.0f} s)")

        yield show


def _bar() -> Progress:
    """Return a line on stderr that is rewritten and removed at its end; other output appears above it."""
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    console = Console(stderr=True, no_color=True if display.color == "never" else None)
    # A text that is too long is cut, so that spinner, time and a ^C stay on its line.
    line = Column(no_wrap=True, overflow="ellipsis", max_width=max(console.width - 13, 1))
    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False, table_column=line),
        progress.TimeElapsedColumn(),
        console=console,
        transient=True,
        # Output that is piped elsewhere must not be moved above the bar.
        redirect_stdout=sys.stdout.isatty(),
    )
