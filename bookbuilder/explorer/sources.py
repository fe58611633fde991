"""What is served: paths of stores and books in, open sources with an id each out.

A source whose file changes on disk is opened anew when it is next asked for, so a store that grows and a book
that is built again are seen without a restart.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from bookbuilder.archives.filters import Facet, GameFilter
from bookbuilder.book.book import Book
from bookbuilder.errors import OptionError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.games.position import Game
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.rows import TallyRow
from bookbuilder.tally.store.layout import MANIFEST, is_store
from bookbuilder.tally.store.reading import OpenStore

__all__ = ["BookSource", "Kept", "Source", "Sources", "StoreSource"]

# Positions whose rows are remembered, in all: some hundred bytes each.
_POSITIONS: Final = 50_000
# Things that are made of a store once, by name: its samples, its distribution; narrowed ones, by filters.
_HELD: Final = 8


class Kept:
    """Results by key, the latest ones; any thread may ask."""

    def __init__(self, most: int) -> None:
        """Keep at most so many."""
        self._most = most
        self._held: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any) -> Any:  # noqa: ANN401 (whatever was put in)
        """Return what was kept under a key, or None."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Any, value: Any) -> None:  # noqa: ANN401 (whatever is to be kept)
        """Keep a value; the one that was not asked for the longest goes."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)


@dataclass(slots=True)
class StoreSource:
    """A tally store that is open.

    Attributes:
        id: its name in requests.
        path: the directory.
        store: the store.
        held: what was made of the store to answer quickly, by name, as long as it does not change.
        slow: held while the whole store is read, so that it is read once.
    """

    id: str
    path: Path
    store: OpenStore
    stamp: tuple[int, ...]
    held: Kept = field(default_factory=lambda: Kept(_HELD))
    slow: threading.Lock = field(default_factory=threading.Lock)
    _rows: Kept = field(default_factory=lambda: Kept(_POSITIONS))

    @property
    def game(self) -> Game:
        """The game."""
        return self.store.options.game

    @property
    def options(self) -> TallyOptions:
        """What was counted."""
        return self.store.options

    @property
    def fold(self) -> bool:
        """Whether left-right mirrors are one position."""
        return self.options.fold

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move; what was asked before is not read again."""
        found: list[TallyRow] | None = self._rows.get((key, lock))
        if found is None:
            found = self.store.rows_at(key, lock)
            self._rows.put((key, lock), found)
        return found

    @property
    def facets(self) -> tuple[Facet, ...]:
        """What it can be filtered by."""
        return self.store.manifest.options.facets

    def narrowed(self, filters: GameFilter) -> StoreSource:
        """Return the source of those of its games that filters let stay; it has what was made of it before.

        Raises:
            OptionError: the store does not keep apart what a filter asks for.
        """
        if filters == GameFilter():
            return self
        found: StoreSource | None = self.held.get(filters)
        if found is None:
            store = OpenStore(self.path, self.store.manifest, filters=filters)
            found = StoreSource(self.id, self.path, store, self.stamp)
            self.held.put(filters, found)
        return found

    def facts(self) -> dict[str, Any]:
        """Return what `/sources` tells of it."""
        manifest = self.store.manifest
        return {
            "kind": "store",
            "rows": manifest.rows,
            "records": None,
            "games": manifest.games,
            "max_ply": manifest.options.max_ply,
            "newest_year": manifest.newest_year or None,
            "archives": [
                {"name": source.source, "games": source.games, "rejects": source.rejects}
                for source in manifest.sources
            ],
            "recipe": None,
            "writable": False,
        }


@dataclass(slots=True)
class BookSource:
    """A clustered book that is open.

    Attributes:
        id: its name in requests.
        path: the file.
        book: the book.
        writing: held while an entry is changed.
    """

    id: str
    path: Path
    book: Book
    stamp: tuple[int, ...]
    writing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def game(self) -> Game:
        """The game."""
        return self.book.game

    @property
    def fold(self) -> bool:
        """Whether left-right mirrors are one position."""
        return self.book.fold

    @property
    def max_ply(self) -> int | None:
        """The most plies after which a position of the book stands, as its recipe says; None = no limit."""
        recipe = self.book.recipe
        limits = [(recipe.get(part) or {}).get("max_ply") for part in ("tally", "selection")]
        return min((limit for limit in limits if isinstance(limit, int)), default=None)

    def facts(self) -> dict[str, Any]:
        """Return what `/sources` tells of it."""
        recipe = self.book.recipe
        archives = recipe.get("sources") or ()
        return {
            "kind": "book",
            "rows": None,
            "records": len(self.book),
            "games": sum(each.get("games", 0) for each in archives) if archives else None,
            "max_ply": self.max_ply,
            "newest_year": None,
            "archives": [
                {"name": each.get("source"), "games": each.get("games"), "rejects": each.get("rejects")}
                for each in archives
            ],
            "recipe": recipe,
        }


Source: TypeAlias = StoreSource | BookSource
"""A store or a book that is open."""


class Sources:
    """The stores and books that are served, in the order in which they were named."""

    def __init__(self, paths: Sequence[str | os.PathLike[str]], *, is_writable: bool = False) -> None:
        """Open them.

        Raises:
            OptionError: there is none.
            StoreError: a directory is no store.
            BookError: a file is no clustered book.
            OSError: a path cannot be read.
        """
        if not paths:
            raise OptionError("nothing to serve: expected a tally store or a clustered book")
        self.is_writable = is_writable
        self._lock = threading.Lock()
        self._held: dict[str, Source] = {}
        for path in paths:
            name = _free(_slug(Path(path)), self._held)
            self._held[name] = _opened(name, Path(path))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._held)

    def __iter__(self) -> Iterator[Source]:
        """Yield each, as it is on disk now."""
        for name in list(self._held):
            yield self._fresh(name)

    def find(self, name: str | None, game: Game | None = None) -> Source:
        """Return the source of that id; without one the first, or the first of a game.

        Raises:
            RefusedError: there is none.
        """
        if name:
            if name not in self._held:
                known = ", ".join(self._held)
                raise RefusedError(404, "source", f'source "{name}" is not served: expected one of {known}')
            return self._fresh(name)
        for known_name, source in self._held.items():
            if game is None or source.game == game:
                return self._fresh(known_name)
        raise RefusedError(404, "source", f"no source of {game} is served: start the server with one")

    def find_store(self, name: str | None, game: Game | None = None) -> StoreSource:
        """Return the store of that id; without one the first store, or the first of a game.

        Raises:
            RefusedError: there is none, or it is a book, which has no such counts.
        """
        if not name:
            stores = [key for key, each in self._held.items() if isinstance(each, StoreSource)]
            name = next((key for key in stores if game in (None, self._held[key].game)), None)
        found = self.find(name, game)
        if isinstance(found, StoreSource):
            return found
        raise RefusedError(
            409,
            "not-a-store",
            f"{found.id} is a book, and a book does not keep what this needs: ask a tally store "
            "(bookbuilder serve STORE)",
        )

    def find_book(self, name: str | None) -> BookSource:
        """Return the book of that id; without one the first book.

        Raises:
            RefusedError: there is none, or it is a store.
        """
        if not name:
            name = next((key for key, each in self._held.items() if isinstance(each, BookSource)), None)
        found = self.find(name)
        if isinstance(found, BookSource):
            return found
        raise RefusedError(
            409,
            "not-a-book",
            f"{found.id} is a tally store: ask a book (bookbuilder build {found.path} -o BOOK)",
        )

    def listing(self) -> list[dict[str, Any]]:
        """Return what `/sources` tells of each."""
        return [
            {
                "id": source.id,
                "name": source.path.name,
                "path": str(source.path),
                "game": source.game,
                "fold": source.fold,
                "sides": ["Red" if source.game == "xiangqi" else "White", "Black"],
                "facets": list(source.facets) if isinstance(source, StoreSource) else [],
                **source.facts(),
                "writable": self.is_writable and isinstance(source, BookSource),
            }
            for source in self
        ]

    def _fresh(self, name: str) -> Source:
        held = self._held[name]
        if _stamp(held.path) == held.stamp:
            return held
        with self._lock:
            held = self._held[name]
            if _stamp(held.path) != held.stamp:
                self._held[name] = held = _opened(name, held.path)
            return held


def _opened(name: str, path: Path) -> Source:
    # The stamp is taken first: a change while the file is being opened is seen afterwards.
    stamp = _stamp(path)
    if path.is_dir() or is_store(path):
        return StoreSource(name, path, OpenStore(path), stamp)
    return BookSource(name, path, Book.open(path), stamp)


def _stamp(path: Path) -> tuple[int, ...]:
    """What tells a file from the one that takes its place; empty while there is none."""
    try:
        found = (path / MANIFEST if path.is_dir() else path).stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _slug(path: Path) -> str:
    """A file's name in signs that a URL needs no escape for."""
    return re.sub(r"[^a-z0-9._-]+", "-", path.resolve().name.lower()).strip("-.") or "source"


def _free(name: str, taken: dict[str, Source]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
