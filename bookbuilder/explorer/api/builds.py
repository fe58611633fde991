"""`/builds`: books that the page builds, one at a time. Their folder is deleted when the server ends.

A build belongs to a source and to rules, which its answer names. Quick files are written at once, so that
these downloads have their number of moves; the others at the first download. The book is served as a source
too, under the id of the build.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.book.build import write_book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import FORMATS, Written, write_moves
from bookbuilder.book.merge import diff_moves, heaviest_differences
from bookbuilder.book.open import ListedBook
from bookbuilder.book.reach import selection_reach
from bookbuilder.errors import BookBuilderError, SelectionError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import named_differences, named_reach
from bookbuilder.explorer.query import (
    FACETS,
    RULES,
    asked_store,
    require_write_token,
    selection_of,
    sources_of,
)
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import Selection, select
from bookbuilder.temporary import TemporaryFolder

# A build of a large archive holds some hundred megabytes.
_KEPT: Final = 4
_DIFFERENCES: Final = 12
# Formats that a page offers, in this order, and those that are written at once.
_OFFERED: Final = ("polyglot", "abk", "obk", "book-dat", "book", "pgn", "csv")
_QUICK: Final = ("polyglot", "obk", "book")


class Chosen(NamedTuple):
    """A selection of shape `moves`, its kept moves, and the facts of a book of them."""

    selection: Selection
    moves: MoveBook
    facts: Mapping[str, Any]


def choose(source: StoreSource, options: SelectionOptions) -> Chosen:
    """Return the moves of a store, with its filters, that rules keep.

    The facts are the number of moves that an engine can play, which have a weight, of the others, and of rows
    for each reason.

    Raises:
        SelectionError: no move is kept.
    """
    options = replace(options, shape="moves")
    selection = select(source.tally(options), options)
    reasons = selection.reasons()
    if not reasons.get(""):
        why = ", ".join(f"{count:,} {name}" for name, count in reasons.items()) or "no game was counted"
        raise SelectionError(f"no move is kept: {why}; lower the limits")
    moves = MoveBook.from_selection(selection)
    played = int((moves.table.column("weight").to_numpy() > 0).sum())
    facts = {
        "moves": played,
        "never_played": len(moves) - played,
        "reasons": {name or "kept": count for name, count in reasons.items()},
    }
    return Chosen(selection, moves, facts)


@dataclass(slots=True)
class Build:
    """A book that is being built, or was."""

    id: str  # in requests, and as a source
    number: int  # how many builds the server had with it
    source: StoreSource  # with the filters of games
    options: SelectionOptions
    query: Mapping[str, str]  # the rules and filters as parameters
    state: Literal["running", "done", "failed"] = "running"
    phase: str | None = "selecting"
    seconds: float | None = None
    error: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # games, moves, reach, change since the build before
    files: dict[str, Written] = field(default_factory=dict)  # report on the file of each format
    chosen: Chosen | None = None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it, and whether the changes by hand are still those of the build."""
        return {
            **{name: getattr(self, name) for name in ("id", "number", "state", "phase", "seconds", "error")},
            "source": self.source.id,
            "game": self.source.game,
            "query": dict(self.query),
            "edits_changed": self.source.by_hand.current() != self.options.edits,
            "formats": [self._format_json(name) for name in self.offered()],
            **dict.fromkeys(("games", "moves", "never_played", "reasons", "reach", "change")),
            **self.facts,
        }

    def offered(self) -> list[str]:
        """Return the names of the formats in which it can be downloaded."""
        game, is_done = self.source.game, self.state == "done"
        return [name for name in _OFFERED if is_done and game in FORMATS[name].games]

    def _format_json(self, name: str) -> dict[str, Any]:
        written = self.files.get(name)
        moves, lost = (None, []) if written is None else (written.moves, list(written.lost))
        return {"name": name, "suffix": FORMATS[name].suffix, "moves": moves, "lost": lost}


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

    def file(self, name: str, format_name: str) -> Path:
        """Return the file of a build in a format, written at the first call. Its name has store and id.

        Raises:
            RefusedError: there is no such build any more, it is not done, or the format is not offered.
            FormatError, OSError: the file cannot be written.
        """
        with self._lock:
            build = self._all.get(name)
        if build is None:
            raise RefusedError(404, "build", f'build "{name[:20]}" is not kept: build it again')
        if build.state != "done":
            raise RefusedError(409, "not-built", f"build {build.id} is {build.state}: there is no book")
        offered = build.offered()
        if format_name not in offered:
            message = f'format is "{format_name[:20]}": expected one of {", ".join(offered)}'
            raise RefusedError(400, "option", message)
        return self._written(build, format_name)

    def _written(self, build: Build, format_name: str) -> Path:
        with self._lock:
            self._folder = self._folder or TemporaryFolder()
            path = self._folder.path / f"{build.source.path.stem}-{build.id}{FORMATS[format_name].suffix}"
        chosen = build.chosen
        assert chosen is not None
        with build.writing:
            if format_name not in build.files:
                build.files[format_name] = (
                    write_book(chosen.selection, path)
                    if format_name == "book"
                    else write_moves(path, chosen.moves, format_name)
                )
        return path

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None

    def _run(self, build: Build, before: Build | None, sources: Sources) -> None:
        """Build a book. Errors of the input belong to the build; others also end up on the terminal."""
        started, state = time.monotonic(), build.state
        build.error = "the build stopped by a fault of the server; see its terminal"
        try:
            self._make(build, before, sources)
            state, build.error = "done", None
        except (BookBuilderError, OSError) as error:
            build.error = " ".join(str(error).split())
        finally:
            build.seconds, build.phase = time.monotonic() - started, None
            build.state = "done" if state == "done" else "failed"

    def _make(self, build: Build, before: Build | None, sources: Sources) -> None:
        source = build.source
        build.chosen = chosen = choose(source, build.options)
        build.phase = "following the book from the start"
        reach = selection_reach(chosen.selection, chosen.moves.select(chosen.moves.column("weight") > 0))
        build.facts = {
            "games": source.tally(build.options).game_count,
            **chosen.facts,
            "reach": named_reach(reach),
            "change": None if before is None or before.chosen is None else _change(before, chosen.moves),
        }
        build.phase = "writing the files"
        for name in (name for name in _QUICK if source.game in FORMATS[name].games):
            path = self._written(build, name)
        moves = ListedBook(path, "moves of a build", chosen.moves)
        sources.add(path, build.id, f"{source.path.name}, book {build.number}", moves)


def _change(before: Build, moves: MoveBook) -> dict[str, Any]:
    """Return how a book differs from the one before."""
    assert before.chosen is not None
    found = diff_moves(before.chosen.moves, moves)
    counts = found["change"].value_counts()
    heaviest = heaviest_differences(found, before.chosen.moves, moves, _DIFFERENCES)
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
    query, source = request.query_params, asked_store(request)
    rules = {name: query[name] for name in (*RULES, *FACETS) if query.get(name)}
    found: Builds = request.app.state.builds
    build = found.start(sources_of(request), source, selection_of(source, query), rules)
    return answer({"build": build.to_json()}, 202)


async def build_file(request: Request) -> Response:
    """Answer `/builds/{id}/file`: the book in a format, as a file to keep."""
    found: Builds = request.app.state.builds
    name = request.query_params.get("format") or "book"
    path = await run_in_threadpool(found.file, request.path_params["id"], name)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)
