"""Books that the page builds: one at a time, in a folder that is deleted when the server ends.

A build keeps its selection, so that a format is written when somebody downloads it. The last few are kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.named_lines import named_differences, named_reach
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.explorer.sources import StoreSource
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally

__all__ = ["Asked", "Build", "Builds"]

# A build of a large archive holds some hundred megabytes.
_KEPT: Final = 4
_DIFFERENCES: Final = 12
# Formats that a page offers, in this order.
_OFFERED: Final = ("polyglot", "abk", "obk", "book-dat", "book", "pgn", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is built: a store, the games of it, and the rules.

    Attributes:
        source: the store.
        filters: which of its games.
        options: the rules.
        query: the parameters of the request that said so.
    """

    source: StoreSource
    filters: GameFilter
    options: SelectionOptions
    query: Mapping[str, str]


@dataclass(slots=True)
class Build:
    """A book that is being built, or was.

    Attributes:
        id: its name in requests.
        asked: what is built.
        state: running, done or failed.
        phase: what it does now.
        seconds: the time that it took; None while it runs.
        error: why it failed.
        facts: of the book: games, moves, verdicts, reach, and change since the build before.
    """

    id: str
    asked: Asked
    state: Literal["running", "done", "failed"] = "running"
    phase: str = "opening the store"
    seconds: float | None = None
    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    moves: MoveBook | None = None
    chosen: Selection | None = None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        return {
            "id": self.id,
            "source": self.asked.source.id,
            "game": self.asked.source.game,
            "query": dict(self.asked.query),
            "state": self.state,
            "phase": self.phase if self.state == "running" else None,
            "seconds": self.seconds,
            "error": self.error or None,
            "formats": self.formats() if self.state == "done" else [],
            **dict.fromkeys(("games", "moves", "verdicts", "reach", "change")),
            **self.facts,
        }

    def formats(self) -> list[dict[str, str]]:
        """Return the name and the suffix of each format in which it can be downloaded."""
        from bookbuilder.book.formats.registry import FORMATS

        offered = (FORMATS[name] for name in _OFFERED)
        game = self.asked.source.game
        return [{"name": each.name, "suffix": each.suffix} for each in offered if game in each.games]


class Builds:
    """The builds of a server."""

    def __init__(self) -> None:
        """Begin without any."""
        self._all: dict[str, Build] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._folder: TemporaryFolder | None = None

    def listing(self) -> list[dict[str, Any]]:
        """Return all builds, the newest first."""
        with self._lock:
            return [build.to_json() for build in reversed(self._all.values())]

    def find(self, name: str) -> Build:
        """Return a build.

        Raises:
            RefusedError: there is none of this id; only the last few are kept.
        """
        with self._lock:
            if name in self._all:
                return self._all[name]
        raise RefusedError(404, "build", f'build "{name[:20]}" is not kept: build it again')

    def start(self, asked: Asked) -> Build:
        """Start a build and return it.

        Raises:
            RefusedError: another one runs.
        """
        with self._lock:
            if any(each.state == "running" for each in self._all.values()):
                raise RefusedError(409, "busy", "another book is being built: wait until it is done")
            self._number += 1
            build = Build(str(self._number), asked)
            last = next((each for each in reversed(self._all.values()) if each.state == "done"), None)
            self._all[build.id] = build
            for old in list(self._all)[:-_KEPT]:
                del self._all[old]
        threading.Thread(target=_run, args=(build, last), name=f"build {build.id}", daemon=True).start()
        return build

    def file(self, build: Build, format_name: str) -> Path:
        """Return the file of a build in a format; it is written at the first call.

        Raises:
            RefusedError: the build is not done, or the format is not offered.
            FormatError, OSError: the file cannot be written.
        """
        if build.state != "done":
            raise RefusedError(409, "not-built", f"build {build.id} is {build.state}: there is no book")
        offered = {each["name"]: each["suffix"] for each in build.formats()}
        if format_name not in offered:
            message = f'format is "{format_name[:20]}": expected one of {", ".join(offered)}'
            raise RefusedError(400, "option", message)
        with self._lock:
            if self._folder is None:
                self._folder = TemporaryFolder()
            path = self._folder.path / f"{build.id}{offered[format_name]}"
        with build.writing:
            if not path.exists():
                _write(build, path, format_name)
        return path

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None


def _run(build: Build, last: Build | None) -> None:
    """Build a book. Errors of the input belong to the build; others also end up on the server's terminal."""
    started = time.monotonic()
    try:
        _select(build, last)
        build.state = "done"
    except (BookBuilderError, OSError) as error:
        build.error = " ".join(str(error).split())
    finally:
        build.seconds = time.monotonic() - started
        if build.state == "running":
            build.error = build.error or "the build stopped by a fault of the server; its terminal says more"
            build.state = "failed"


def _select(build: Build, last: Build | None) -> None:
    from dataclasses import replace

    from bookbuilder.book.build import without_rare
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.selection_reach import selection_reach
    from bookbuilder.errors import SelectionError
    from bookbuilder.selection.select import select

    options = replace(build.asked.options, shape="moves")
    tally = _opened(build.asked)
    build.phase = "selecting"
    tally = without_rare(tally, options)
    chosen = select(tally, options)
    reasons = chosen.reasons()
    if not reasons.get(""):
        why = ", ".join(f"{count:,} {name}" for name, count in reasons.items()) or "no game was counted"
        raise SelectionError(f"no move is kept: {why}; lower the limits")
    moves = MoveBook.from_selection(chosen, "score")
    build.phase = "following the book from the start"
    reach = selection_reach(tally, chosen, moves, min_weight=1)
    build.facts = {
        "games": tally.game_count,
        "moves": reasons[""],
        "verdicts": {name or "kept": count for name, count in reasons.items()},
        "reach": named_reach(reach),
        "change": None if last is None else _change(last, moves),
    }
    build.moves, build.chosen = moves, chosen


def _opened(asked: Asked) -> Tally:
    from bookbuilder.tally.tally import Tally

    return Tally.open(asked.source.path, filters=asked.filters)


def _change(last: Build, moves: MoveBook) -> dict[str, Any] | None:
    """Return how a book differs from the build before; None if that is of the other game."""
    from bookbuilder.book.merge import diff_moves, heaviest_differences

    before = last.moves
    if before is None or (before.game, before.fold) != (moves.game, moves.fold):
        return None
    found = diff_moves(before, moves)
    counts = found["change"].value_counts()
    return {
        "build": last.id,
        **{name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")},
        "differences": named_differences(
            moves.game, heaviest_differences(found, before, moves, _DIFFERENCES)
        ),
    }


def _write(build: Build, path: Path, format_name: str) -> None:
    from bookbuilder.book.build import write_book
    from bookbuilder.book.formats.registry import write_moves

    assert build.moves is not None
    assert build.chosen is not None
    if format_name == "book":
        write_book(build.chosen, path)
    else:
        write_moves(path, build.moves, format_name)
