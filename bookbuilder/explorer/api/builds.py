"""`/builds`: books that the page builds, one at a time. Their folder is deleted when the server ends.

A build belongs to a source and to rules, which its answer names. All its files are written at once, so that
each download has its number of moves. The book is served as a source too, under the id of the build.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.book.build import write_book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import FORMATS, Written, write_moves
from bookbuilder.book.merge import diff_moves, heaviest_differences
from bookbuilder.book.reach import selection_reach
from bookbuilder.errors import BookBuilderError, SelectionError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import named_differences, named_reach
from bookbuilder.explorer.query import (
    FACETS,
    RULES,
    asked_filters,
    require_write_token,
    selection_of,
    sources_of,
)
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import Selection, select
from bookbuilder.temporary import TemporaryFolder

__all__ = ["Build", "Builds", "Chosen", "build_file", "builds", "choose", "start_build"]

# A build of a large archive holds some hundred megabytes.
_KEPT: Final = 4
_DIFFERENCES: Final = 12
# Formats that a page offers, in this order. The last one is the source.
_OFFERED: Final = ("polyglot", "abk", "obk", "book-dat", "book", "pgn", "csv")
_SERVED: Final = "parquet"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection of moves from a store, and the book that it makes.

    Attributes:
        selection: of shape `moves`.
        moves: the kept moves.
        reasons: number of rows for each reason; "" counts kept ones.
    """

    selection: Selection
    moves: MoveBook
    reasons: Mapping[str, int]

    @property
    def played(self) -> int:
        """The number of moves that an engine can play: those with a weight."""
        return int((self.moves.table.column("weight").to_numpy() > 0).sum())


def choose(source: StoreSource, options: SelectionOptions) -> Chosen:
    """Return the moves of a store, with its filters, that rules keep.

    Raises:
        SelectionError: no move is kept.
    """
    options = replace(options, shape="moves")
    selection = select(source.tally(options), options)
    reasons = selection.reasons()
    if not reasons.get(""):
        why = ", ".join(f"{count:,} {name}" for name, count in reasons.items()) or "no game was counted"
        raise SelectionError(f"no move is kept: {why}; lower the limits")
    return Chosen(selection, MoveBook.from_selection(selection), reasons)


@dataclass(slots=True)
class Build:
    """A book that is being built, or was.

    Attributes:
        id: its name in requests, and as a source.
        number: how many builds the server had with it.
        source: the store, with the filters of games.
        options: the rules.
        query: the rules and filters as parameters.
        state: running, done or failed.
        phase: what it does now.
        seconds: the time that it took; None while it runs.
        error: why it failed.
        facts: of the book: games, moves, reach, and change since the build before.
        files: report on the file of each format.
    """

    id: str
    number: int
    source: StoreSource
    options: SelectionOptions
    query: Mapping[str, str]
    state: Literal["running", "done", "failed"] = "running"
    phase: str = "selecting"
    seconds: float | None = None
    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Written] = field(default_factory=dict)
    moves: MoveBook | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it. Whether it fits the store and its changes by hand is told too."""
        return {
            "id": self.id,
            "number": self.number,
            "source": self.source.id,
            "game": self.source.game,
            "query": dict(self.query),
            "edits_changed": self.source.by_hand.current() != self.options.edits,
            "state": self.state,
            "phase": self.phase if self.state == "running" else None,
            "seconds": self.seconds,
            "error": self.error or None,
            "formats": [
                {
                    "name": name,
                    "suffix": FORMATS[name].suffix,
                    "moves": written.moves,
                    "lost": list(written.lost),
                }
                for name, written in self.files.items()
                if name != _SERVED
            ],
            **dict.fromkeys(("games", "moves", "never_played", "reasons", "reach", "change")),
            **self.facts,
        }


class Builds:
    """The builds of a server."""

    def __init__(self) -> None:
        """Begin without any."""
        self._all: dict[str, Build] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._folder: TemporaryFolder | None = None

    def listing(self, source: str | None = None) -> list[dict[str, Any]]:
        """Return the builds, of a source if one is given, the newest first."""
        with self._lock:
            found = list(reversed(self._all.values()))
        return [build.to_json() for build in found if source in (None, build.source.id)]

    def find(self, name: str) -> Build:
        """Return a build.

        Raises:
            RefusedError: there is none of this id; only the last few are kept.
        """
        with self._lock:
            if name in self._all:
                return self._all[name]
        raise RefusedError(404, "build", f'build "{name[:20]}" is not kept: build it again')

    def start(
        self, sources: Sources, source: StoreSource, options: SelectionOptions, query: Mapping[str, str]
    ) -> Build:
        """Start a build and return it.

        Raises:
            RefusedError: another one runs.
        """
        with self._lock:
            if any(each.state == "running" for each in self._all.values()):
                raise RefusedError(409, "busy", "another book is being built: wait until it is done")
            self._number += 1
            build = Build(secrets.token_hex(4), self._number, source, options, query)
            done = (each for each in reversed(self._all.values()) if each.state == "done")
            before = next((each for each in done if each.source.id == source.id), None)
            self._all[build.id] = build
            for old in list(self._all)[:-_KEPT]:
                del self._all[old]
                sources.remove(old)
        work = threading.Thread(target=self._run, args=(build, before, sources), daemon=True)
        work.start()
        return build

    def path(self, build: Build, format_name: str) -> Path:
        """Return the file of a build in a format. Its name has the store and the id.

        Raises:
            RefusedError: the build is not done, or the format is not offered.
        """
        if build.state != "done":
            raise RefusedError(409, "not-built", f"build {build.id} is {build.state}: there is no book")
        if format_name not in build.files:
            offered = ", ".join(name for name in build.files if name != _SERVED)
            raise RefusedError(400, "option", f'format is "{format_name[:20]}": expected one of {offered}')
        return self._file(build, format_name)

    def _file(self, build: Build, format_name: str) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = TemporaryFolder()
            return self._folder.path / f"{build.source.path.stem}-{build.id}{FORMATS[format_name].suffix}"

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None

    def _run(self, build: Build, before: Build | None, sources: Sources) -> None:
        """Build a book. Errors of the input belong to the build; others also end up on the terminal."""
        started = time.monotonic()
        try:
            self._make(build, before, sources)
            build.state = "done"
        except (BookBuilderError, OSError) as error:
            build.error = " ".join(str(error).split())
        finally:
            build.seconds = time.monotonic() - started
            if build.state == "running":
                build.error = build.error or "the build stopped by a fault of the server; see its terminal"
                build.state = "failed"

    def _make(self, build: Build, before: Build | None, sources: Sources) -> None:
        source = build.source
        chosen = choose(source, build.options)
        build.phase = "following the book from the start"
        tally = source.tally(build.options)
        reach = selection_reach(chosen.selection, chosen.moves.select(chosen.moves.column("weight") > 0))
        build.facts = {
            "games": tally.game_count,
            "moves": chosen.played,
            "never_played": len(chosen.moves) - chosen.played,
            "reasons": {name or "kept": count for name, count in chosen.reasons.items()},
            "reach": named_reach(reach),
            "change": None if before is None else _change(before, chosen.moves),
        }
        build.moves = chosen.moves
        build.phase = "writing the files"
        for name in (*_OFFERED, _SERVED):
            if source.game not in FORMATS[name].games:
                continue
            path = self._file(build, name)
            if name == "book":
                build.files[name] = write_book(chosen.selection, path)
            else:
                build.files[name] = write_moves(path, chosen.moves, name)
        sources.add(self._file(build, _SERVED), build.id, f"{source.path.name}, book {build.number}")


def _change(before: Build, moves: MoveBook) -> dict[str, Any] | None:
    """Return how a book differs from the one before; None if mirrors are other positions there."""
    if before.moves is None or (before.moves.game, before.moves.fold) != (moves.game, moves.fold):
        return None
    found = diff_moves(before.moves, moves)
    counts = found["change"].value_counts()
    heaviest = heaviest_differences(found, before.moves, moves, _DIFFERENCES)
    return {
        "build": before.number,
        **{name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")},
        "differences": named_differences(moves.game, heaviest),
    }


def builds(request: Request) -> Response:
    """Answer `/builds`: the last builds, of the source `src` if it is given, the newest first."""
    found: Builds = request.app.state.builds
    return answer({"builds": found.listing(request.query_params.get("src"))})


async def start_build(request: Request) -> Response:
    """Answer `POST /builds`: start to build a book of a store with the filters and rules of the query."""
    require_write_token(request)
    query, served = request.query_params, sources_of(request)
    source = served.find_store(query.get("src")).narrowed(asked_filters(query))
    options = selection_of(source, query)
    rules = {name: query[name] for name in (*RULES, *FACETS) if query.get(name)}
    found: Builds = request.app.state.builds
    return answer({"build": found.start(served, source, options, rules).to_json()}, 202)


def build_file(request: Request) -> Response:
    """Answer `/builds/{id}/file`: the book in a format, as a file to keep."""
    found: Builds = request.app.state.builds
    path = found.path(found.find(request.path_params["id"]), request.query_params.get("format") or "book")
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)
