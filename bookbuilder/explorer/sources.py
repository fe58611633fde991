"""The open stores and books that the server serves, each with an id, and the changes by hand of stores.

A source whose file has changed on disk is reopened at the next request, so a store that grows and a book that
is rebuilt are served without a restart.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from bookbuilder.archives.filters import Facet, GameFilter
from bookbuilder.book.book import Book
from bookbuilder.book.build import without_rare
from bookbuilder.book.open import AnyBook, open_book
from bookbuilder.disk import remove_file
from bookbuilder.errors import BookBuilderError, OptionError
from bookbuilder.explorer.answer import RefusedError, told
from bookbuilder.games.position import Game
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits, kept_places
from bookbuilder.selection.options import SelectionOptions, minimum_for
from bookbuilder.system import release_memory
from bookbuilder.tally.rows import TallyRow
from bookbuilder.tally.store.layout import MANIFEST
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.tally import Tally
from bookbuilder.temporary import TemporaryFolder

_T = TypeVar("_T")
# Maximum number of positions whose rows are cached: some hundred bytes each.
_POSITIONS: Final = 50_000
# Maximum number of cached objects of a store: samples, distribution, filtered stores.
_HELD: Final = 8
# Maximum number of cached answers about a whole store.
_COMPUTED: Final = 32
# One change by hand at a time, whatever store.
_WRITING: Final = threading.Lock()


class Kept:
    """A thread-safe cache of the latest results."""

    def __init__(self, most: int) -> None:
        """Keep at most `most` results."""
        self._most = most
        self._held: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any) -> Any:  # noqa: ANN401 (whatever was put in)
        """Return the value of a key, or None."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def of(self, key: object, make: Callable[[], _T]) -> _T:
        """Return the value of a key, made if it is not there; two threads may make it."""
        found: _T | None = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def put(self, key: Any, value: Any) -> None:  # noqa: ANN401 (whatever is to be kept)
        """Keep a value, and drop the least recently used one if there are too many."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)


class StoreEdits:
    """The changes by hand of a store, in a file beside it that `build --edits` reads too.

    Attributes:
        path: their file: the store's name with the suffix `.edits`.
    """

    def __init__(self, store: Path, game: Game, *, fold: bool) -> None:
        """Begin without reading the file, which may not exist."""
        self.path = store.with_suffix(".edits")
        self._game: Game = game
        self._fold = fold
        self._stamp: tuple[int, ...] = ()
        self._edits: MoveEdits | None = None
        self._moves: dict[tuple[int, int], dict[int, MoveEdit]] = {}

    def current(self) -> MoveEdits | None:
        """Return the changes, None without a file. They are read again when the file has changed."""
        stamp, moves = _stamp(self.path), dict[tuple[int, int], dict[int, MoveEdit]]()
        if stamp != self._stamp:
            edits = MoveEdits.read(self.path) if stamp else None
            if edits is not None:
                edits.require(self._game)
                for place, edit in edits.placed(fold=self._fold).items():
                    moves.setdefault((place.key, place.lock), {})[place.move] = edit
            self._edits, self._moves, self._stamp = edits, moves, stamp
        return self._edits

    def at(self, key: int, lock: int) -> dict[int, MoveEdit]:
        """Return the changes of the moves of a position, by the stored code of the move."""
        return {} if self.current() is None else self._moves.get((key, lock), {})

    def add(self, edit: MoveEdit) -> MoveEdits:
        """Add a change and return all."""
        with _WRITING:
            return self._written((self.current() or MoveEdits(self._game)).added(edit))

    def undo(self, number: int, edit: object) -> MoveEdits:
        """Take back a change, given by place and as JSON, and return the others. Refuse a stale list."""
        with _WRITING:
            now = self.current() or MoveEdits(self._game)
            if not 0 <= number < len(now) or now.edits[number].to_json() != edit:
                message = "the list of changes has changed meanwhile: look at it again, then undo"
                raise RefusedError(409, "edits", message)
            return self._written(replace(now, edits=now.edits[:number] + now.edits[number + 1 :]))

    def _written(self, edits: MoveEdits) -> MoveEdits:
        """Write the file; without changes it goes."""
        if len(edits):
            edits.write(self.path)
        else:
            remove_file(self.path)
        return edits


@dataclass(slots=True)
class StoreSource:
    """A tally store that is open."""

    id: str  # in requests
    path: Path
    store: OpenStore
    stamp: tuple[int, ...]  # the version on disk that was opened
    held: Kept = field(default_factory=lambda: Kept(_HELD))  # objects made from the store, by name or filters
    computed: Kept = field(default_factory=lambda: Kept(_COMPUTED))  # answers about the whole store
    slow: threading.Lock = field(default_factory=threading.Lock)  # so that the whole store is read once
    game: Game = field(init=False)
    fold: bool = field(init=False)  # whether left-right mirrors are one position
    max_ply: int | None = field(init=False)  # of the games that were counted
    facets: tuple[Facet, ...] = field(init=False)  # that it can be filtered by
    by_hand: StoreEdits = field(init=False)
    _rows: Kept = field(default_factory=lambda: Kept(_POSITIONS))

    def __post_init__(self) -> None:
        """Take over what the store counts, and look for changes by hand beside it."""
        options, self.facets = self.store.options, self.store.manifest.options.facets
        self.game, self.fold, self.max_ply = options.game, options.fold, options.max_ply
        self.by_hand = StoreEdits(self.path, self.game, fold=self.fold)

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move; they are cached."""
        return self._rows.of((key, lock), lambda: self.store.rows_at(key, lock))

    def tally(self, options: SelectionOptions) -> Tally:
        """Return the tally that a selection with these options needs. The last ones are cached."""
        least = options.resolved(self.game, self.store.game_count).least_games if options.trims else 0
        # Of changes by hand, only the positions that they keep are needed besides.
        key = ("tally", least, kept_places(options.edits, fold=self.fold))
        # The positions that changes by hand keep are added to the others, which are read once.
        base = None if options.edits is None else self.tally(replace(options, edits=None))
        whole = base or Tally(self.store, self.store.options, sources=self.store.manifest.sources)
        with self.slow:
            return self.held.of(key, lambda: without_rare(whole, options))

    def narrowed(self, filters: GameFilter) -> StoreSource:
        """Return the source of the games that pass the filters. It is cached with its own cache."""
        if filters == GameFilter():
            return self

        def opened() -> StoreSource:
            store = OpenStore(self.path, self.store.manifest, filters=filters)
            return StoreSource(self.id, self.path, store, self.stamp)

        return self.held.of(filters, opened)

    def archives(self) -> list[Path]:
        """Return the archives of its games. A missing one is refused."""
        paths = [Path(each.source) for each in self.store.manifest.sources]
        for path in paths:
            if not path.is_file():
                message = f"{path}: not found; the games of {self.id} are read from its archives"
                raise RefusedError(409, "no-archive", message)
        return paths

    @property
    def has_changed(self) -> bool:
        """Whether the store on disk is another one now."""
        return _stamp(self.path) != self.stamp

    def facts(self) -> dict[str, Any]:
        """Return its part of the entry in `/sources`."""
        manifest = self.store.manifest
        return {
            "kind": "store",
            "facets": list(self.facets),
            "rows": manifest.rows,
            "games": manifest.games,
            "min_games": int(minimum_for(manifest.games)),
            "newest_year": manifest.newest_year or None,
            "archives": [
                {"name": source.source, "games": source.games, "rejects": source.rejects}
                for source in manifest.sources
            ],
        }


@dataclass(slots=True)
class BookSource:
    """A book that is open: a clustered one, or the moves of a file of another format."""

    id: str
    path: Path
    book: AnyBook
    stamp: tuple[int, ...]
    game: Game = field(init=False)
    fold: bool = field(init=False)
    max_ply: int | None = field(init=False)  # of positions in the book, by its recipe; None = no limit

    def __post_init__(self) -> None:
        """Take over what the book says of itself."""
        self.game, self.fold = self.book.game, self.book.fold
        recipe = self.book.recipe if isinstance(self.book, Book) else {}
        limits = [(recipe.get(part) or {}).get("max_ply") for part in ("tally", "selection")]
        self.max_ply = min((limit for limit in limits if isinstance(limit, int)), default=None)

    def narrowed(self, filters: GameFilter) -> BookSource:
        """Return the source itself; a filter is refused."""
        if filters != GameFilter():
            why = f"{self.id} is a book, which keeps no games apart: ask a store"
            raise RefusedError(409, "not-a-store", why)
        return self

    def facts(self) -> dict[str, Any]:
        """Return its part of the entry in `/sources`."""
        facts = {"kind": "book", "facets": [], "records": len(self.book)}
        if not isinstance(self.book, Book):
            return {**facts, "format": self.book.format, "lacks": list(self.book.lacks), "archives": []}
        archives = [
            {"name": each.get("source"), "games": each.get("games"), "rejects": each.get("rejects")}
            for each in self.book.recipe.get("sources") or ()
        ]
        return {**facts, "format": None, "archives": archives}


Source: TypeAlias = StoreSource | BookSource
"""A store or a book that is open."""


class Sources:
    """The stores and books that are served, in the given order."""

    def __init__(self, paths: Sequence[str | os.PathLike[str]], *, is_writable: bool = False) -> None:
        """Open them. What cannot be read, or is not a store or a book, is an error of its kind."""
        if not paths:
            raise OptionError("nothing to serve: expected a tally store or a book")
        self.is_writable = is_writable
        self._lock = threading.Lock()
        self._folder: TemporaryFolder | None = None
        self._held: dict[str, Source] = {}
        # The sources that were added later, with their names for people; None = imported.
        self._added: dict[str, str | None] = {}
        for path in map(Path, paths):
            name = self._free_name(path)
            self._held[name] = _opened(name, path)

    def add(
        self, path: Path, name: str | None = None, title: str | None = None, book: AnyBook | None = None
    ) -> str:
        """Serve another store or book, and return its id.

        Id and title for people are the name of the file by default; what has no title was imported.
        """
        with self._lock:
            name = name or self._free_name(path)
            opened = _opened(name, path) if book is None else BookSource(name, path, book, _stamp(path))
            self._held[name], self._added[name] = opened, title
            return name

    def folder(self, name: str) -> Path:
        """Return a folder for files of the server, which are deleted when it ends."""
        with self._lock:
            self._folder = self._folder or TemporaryFolder()
            path = self._folder.path / name
            path.mkdir(exist_ok=True)
            return path

    def close(self) -> None:
        """Delete the files of the server."""
        if self._folder is not None:
            self._folder.remove()

    def remove(self, name: str) -> None:
        """Serve a source that was added no longer."""
        with self._lock:
            if name in self._added:
                del self._added[name], self._held[name]

    def _free_name(self, path: Path) -> str:
        """Return the name of a file in characters that a URL does not escape; a taken one gets a number."""
        name = re.sub(r"[^a-z0-9._-]+", "-", path.resolve().name.lower()).strip("-.") or "source"
        free = chain((name,), (f"{name}-{number}" for number in count(2)))
        return next(each for each in free if each not in self._held)

    def __len__(self) -> int:
        """Return the number of sources."""
        return len(self._held)

    def __iter__(self) -> Iterator[Source]:
        """Yield the sources that can be read, reopened if they have changed."""
        for name in list(self._held):
            with suppress(BookBuilderError, OSError):
                yield self._fresh(name)

    def find(self, name: str | None, game: Game | None = None, kind: type | None = None) -> Source:
        """Return a served source by its id; without an id the first one, of a game and of a kind if given."""
        held = list(self._held.items())
        if not name:
            fitting = [(known, source) for known, source in held if game in (None, source.game)]
            if not fitting:
                message = f"no source of {game} is served: start the server with one"
                raise RefusedError(404, "source", message)
            of_kind = (known for known, source in fitting if isinstance(source, kind or object))
            name = next(of_kind, fitting[0][0])
        if name not in self._held:
            known = ", ".join(self._held)
            raise RefusedError(404, "source", f'source "{name}" is not served: expected one of {known}')
        return self._fresh(name)

    def find_store(self, name: str | None, game: Game | None = None) -> StoreSource:
        """Return a store by its id; without an id the first store, of a game if given. A book is refused."""
        found = self.find(name, game, StoreSource)
        if isinstance(found, StoreSource):
            return found
        why = "is a book, and a book does not keep what this needs: ask a tally store (serve STORE)"
        raise RefusedError(409, "not-a-store", f"{found.id} {why}")

    def find_book(self, name: str | None) -> BookSource:
        """Return a book by its id; without an id the first book. A store is refused."""
        found = self.find(name, kind=BookSource)
        if isinstance(found, BookSource):
            return found
        message = f"{found.id} is a tally store: ask a book (bookbuilder build {found.path} -o BOOK)"
        raise RefusedError(409, "not-a-book", message)

    def stamps(self) -> tuple[tuple[int, ...], ...]:
        """Return what identifies the versions of the sources on disk."""
        return tuple(_stamp(source.path) for source in list(self._held.values()))

    def listing(self) -> list[dict[str, Any]]:
        """Return the entries of `/sources`. A source that cannot be read any more says why."""
        found = []
        for name, source in list(self._held.items()):
            missing = None
            try:
                source = self._fresh(name)
            except (BookBuilderError, OSError) as error:
                missing = told(error)[2]
            found.append(
                {
                    "id": name,
                    "name": self._added.get(name) or source.path.name,
                    "path": str(source.path),
                    "game": source.game,
                    "fold": source.fold,
                    "max_ply": source.max_ply,
                    "missing": missing,
                    "imported": name in self._added and not self._added[name],
                    **source.facts(),
                }
            )
        return found

    def _fresh(self, name: str) -> Source:
        held = self._held[name]
        if _stamp(held.path) == held.stamp:
            return held
        with self._lock:
            held = self._held[name]
            if _stamp(held.path) != held.stamp:
                self._held[name] = held = _opened(name, held.path)
                release_memory()  # of what was cached of the old version
            return held


def _opened(name: str, path: Path) -> Source:
    # The stamp is taken first, so that a change during the opening is noticed later.
    stamp = _stamp(path)
    if path.is_dir():
        return StoreSource(name, path, OpenStore(path), stamp)
    return BookSource(name, path, open_book(path), stamp)


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what identifies the version of a file; empty without a file."""
    try:
        found = (path / MANIFEST if path.is_dir() else path).stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
