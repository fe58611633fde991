"""`/builds`: books that the page builds, one at a time. Their files are deleted when the server ends.

A build belongs to a source and to rules, which its answer names. Quick files are written at once, so that
these downloads have their number of moves; the others at the first download. The book is served as a source
too, under the id of the build.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.book.build import write_book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import FORMATS, Written, write_moves
from bookbuilder.book.open import ListedBook
from bookbuilder.book.reach import selection_reach
from bookbuilder.errors import BookBuilderError, SelectionError
from bookbuilder.explorer.answer import RefusedError, answer, told
from bookbuilder.explorer.facts import named_difference, named_reach
from bookbuilder.explorer.query import FACETS, RULES, asked_store, require_write_token, selection_of
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.schema import NO_VERDICTS
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import Selection, select

# A build of a large archive holds some hundred megabytes.
_KEPT: Final = 4
_DIFFERENCES: Final = 12
# Formats that a page offers, in this order, and the formats that are written at once.
_OFFERED: Final = ("polyglot", "abk", "obk", "book-dat", "book", "pgn", "csv")
_QUICK: Final = ("polyglot", "obk", "book")


class Chosen(NamedTuple):
    """A selection of shape `moves`, its kept moves, and the facts of a book of them."""

    selection: Selection
    moves: MoveBook
    facts: Mapping[str, Any]


def choose(source: StoreSource, options: SelectionOptions) -> Chosen:
    """Return the moves of a store, with its filters, that rules keep. SelectionError: none is kept.

    The facts are the number of moves that an engine can play, which have a weight, of the others, and of rows
    for each reason.
    """
    options = replace(options, shape="moves")
    selection = select(source.tally(options), options)
    reasons = selection.reasons()
    if not reasons.get(""):
        why = ", ".join(f"{count:,} {name}" for name, count in reasons.items() if name not in NO_VERDICTS)
        raise SelectionError(f"no move is kept: {why or 'no move was counted'}; lower the limits")
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
    error: dict[str, str] | None = None  # code and message
    facts: dict[str, Any] = field(default_factory=dict)  # games, moves, reach, change since the build before
    files: dict[str, Written] = field(default_factory=dict)  # report on the file of each format
    chosen: Chosen | None = None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it, and whether its store and the changes by hand are others now."""
        return {
            **{name: getattr(self, name) for name in ("id", "number", "state", "phase", "error")},
            "source": self.source.id,
            "game": self.source.game,
            "query": dict(self.query),
            "store_changed": self.source.has_changed,
            "edits_changed": self.source.by_hand.current() != self.options.edits,
            "formats": [
                {
                    "name": name,
                    "suffix": FORMATS[name].suffix,
                    "moves": self.files[name].moves if name in self.files else None,
                    "lost": list(self.files[name].lost) if name in self.files else [],
                }
                for name in self.offered()
            ],
            **dict.fromkeys(("games", "moves", "never_played", "reasons", "reach", "change")),
            **self.facts,
        }

    def offered(self) -> list[str]:
        """Return the names of the formats in which it can be downloaded."""
        game, is_done = self.source.game, self.state == "done"
        return [name for name in _OFFERED if is_done and game in FORMATS[name].games]


class Builds:
    """The builds of a server."""

    def __init__(self, sources: Sources) -> None:
        """Begin without any; a finished one is one of the sources."""
        self._sources = sources
        self._all: dict[str, Build] = {}
        self._lock = threading.Lock()
        self._number = 0

    def listing(self, source: str | None = None) -> list[dict[str, Any]]:
        """Return the builds, of a source if one is given, the newest first."""
        with self._lock:
            found = list(reversed(self._all.values()))
        return [build.to_json() for build in found if source in (None, build.source.id)]

    def start(self, source: StoreSource, options: SelectionOptions, query: Mapping[str, str]) -> Build:
        """Start a build and return it. While another one runs, it is refused."""
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
                self._sources.remove(old)
        threading.Thread(target=self._run, args=(build, before), daemon=True).start()
        return build

    def file(self, name: str, format_name: str) -> Path:
        """Return the file of a build in a format, written at the first call. Its name has store and id."""
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
        suffix, chosen = FORMATS[format_name].suffix, build.chosen
        path = self._sources.folder("builds") / f"{build.source.path.stem}-{build.id}{suffix}"
        assert chosen is not None
        with build.writing:
            if format_name not in build.files:
                build.files[format_name] = (
                    write_book(chosen.selection, path)
                    if format_name == "book"
                    else write_moves(path, chosen.moves, format_name)
                )
        return path

    def _run(self, build: Build, before: Build | None) -> None:
        """Build a book. Errors of the input belong to the build; others also end up on the terminal."""
        error: Exception = BookBuilderError("the build stopped by a fault of the server; see its terminal")
        source = build.source
        try:
            build.chosen = chosen = choose(source, build.options)
            build.phase = "following the book from the start"
            reach = selection_reach(chosen.selection, chosen.moves.select(chosen.moves.column("weight") > 0))
            games = source.tally(build.options).game_count
            build.facts = {"games": games, **chosen.facts, "reach": named_reach(reach)}
            if before is not None and before.chosen is not None:
                change = named_difference(before.chosen.moves, chosen.moves, _DIFFERENCES)
                build.facts["change"] = {"build": before.number, **change}
            build.phase = "writing the files"
            for name in (name for name in _QUICK if source.game in FORMATS[name].games):
                path = self._written(build, name)
            moves = ListedBook(path, "moves of a build", chosen.moves)
            self._sources.add(path, build.id, f"{source.path.name} #{build.number}", moves)
            build.state = "done"
        except (BookBuilderError, OSError) as found:
            error = found
            if source.has_changed:
                why = f"{source.path} was replaced while the book was built: build it again"
                error = RefusedError(409, "changed", why)
        finally:
            if build.state != "done":
                _, code, message = told(error)
                build.error, build.state = {"code": code, "message": message}, "failed"
            build.phase = None


def builds(request: Request) -> Response:
    """Answer `/builds`: the last builds, of the source `src` if it is given, the newest first."""
    found: Builds = request.app.state.builds
    return answer({"builds": found.listing(request.query_params.get("src"))})


def start_build(request: Request) -> Response:
    """Answer `POST /builds`: start to build a book of a store with the filters and rules of the query."""
    require_write_token(request)
    query, source = request.query_params, asked_store(request)
    rules = {name: query[name] for name in (*RULES, *FACETS) if query.get(name)}
    found: Builds = request.app.state.builds
    build = found.start(source, selection_of(source, query), rules)
    return answer({"build": build.to_json()}, 202)


def build_file(request: Request) -> Response:
    """Answer `/builds/{id}/file`: the book in a format, as a file to keep."""
    found: Builds = request.app.state.builds
    name = request.query_params.get("format") or "book"
    path = found.file(request.path_params["id"], name)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)
