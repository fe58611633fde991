"""Coverage: the share of games and plies of an archive that a book knows.

A game follows the book while each of its positions has a record. It leaves the book with the first move to a
position without one. For a book for one side, only the moves of that side count.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bookbuilder.archives.filters import GameFilter
from bookbuilder.archives.find import find_archives
from bookbuilder.book.open import AnyBook, ListedBook
from bookbuilder.book.play import PlayableBook
from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import SideName
from bookbuilder.keywords import as_integer, require_kind
from bookbuilder.schema import from_native
from bookbuilder.tally.options import MAX_PLY, Progress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The part of some games that a book knows.

    Attributes:
        games: one row for each game: plies (of the game, up to the limit), exit_ply (plies before it left the
            book; `plies` if it did not), asked (moves that count), followed (of those, before it left), known
            (of those, in the book at all), result (0 unknown, 1 first side won, 2 draw, 3 second side won).
        games_read: games in the archives.
        filtered: games that filters removed, by reason.
        rejected: games with a move that is illegal or cannot be read.
    """

    games: pd.DataFrame
    games_read: int
    filtered: Mapping[str, int]
    rejected: int

    def figures(self) -> dict[str, Any]:
        """Return the sums over all games.

        games; games_followed: games whose first counted move is in the book; games_to_end: games that never
        leave it; asked, followed, known: moves; games_share, plies_share (followed of asked), known_share;
        mean_exit_ply,
        median_exit_ply: plies before a game leaves.
        """
        g = self.games
        asked, followed, known = (int(g[name].sum()) for name in ("asked", "followed", "known"))
        begun = int((g["followed"] > 0).sum())
        return {
            "games": len(g),
            "games_followed": begun,
            "games_to_end": int((g["followed"] == g["asked"]).sum()),
            "asked": asked,
            "followed": followed,
            "known": known,
            "games_share": begun / len(g) if len(g) else None,
            "plies_share": followed / asked if asked else None,
            "known_share": known / asked if asked else None,
            "mean_exit_ply": float(g["exit_ply"].mean()) if len(g) else None,
            "median_exit_ply": float(g["exit_ply"].median()) if len(g) else None,
        }

    def by_ply(self) -> pd.DataFrame:
        """Return the number of games that leave the book at each ply.

        Returns:
            Columns ply (from 0), left (games that leave the book with the next move), ended (games that end
            there, still in the book), inside (games that have reached this ply and are still in the book),
            inside_share (of the games that have reached this ply).
        """
        import pandas as pd

        plies, exit_ply = (self.games[name].to_numpy() for name in ("plies", "exit_ply"))
        longest = int(plies.max(initial=0))
        is_left = self.games["followed"].to_numpy() < self.games["asked"].to_numpy()
        left = np.bincount(exit_ply[is_left], minlength=longest + 1)
        ended = np.bincount(exit_ply[~is_left], minlength=longest + 1)
        inside = _at_least(exit_ply, longest)
        there = _at_least(plies, longest)
        return pd.DataFrame(
            {
                "ply": np.arange(longest + 1),
                "left": left,
                "ended": ended,
                "inside": inside,
                "inside_share": inside / np.maximum(there, 1),
            }
        )


def _at_least(values: np.ndarray[Any, np.dtype[np.int64]], longest: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the number of values that are at least 0, 1 … `longest`."""
    return np.cumsum(np.bincount(values, minlength=longest + 1)[::-1])[::-1]


def coverage(
    book: AnyBook,
    *paths: str | os.PathLike[str],
    side: SideName | None = None,
    max_ply: int | None = None,
    custom_starts: bool = False,
    filters: GameFilter | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Coverage:
    """Return the part of the games of archives that a book knows.

    Args:
        book: the book. Of a book that lists moves, the positions that its moves lead to count.
        *paths: files, directories (searched recursively), patterns or `@` lists of them.
        side: count the moves of this side only; None = of both.
        max_ply: count moves up to this ply; None = all.
        custom_starts: include games from custom starts.
        filters: which games; None = all.
        limit: the maximum number of games that are compared, the first ones; None = all. The archives are
            read to their end, so the numbers of games read, filtered and rejected do not change.
        progress: called a few times per second with (bytes read, games, rejects).

    Raises:
        ArchiveError: a file is missing, unreadable, or of an unknown format, none is given, or none holds
            games of the book's game.
        FormatError: the start position leads to no move of the book.
        OptionError: a number is not valid, or the book is of another class.

    Example:
        >>> found = bb.coverage(bb.Book.open("games.book"), "games.pgn", max_ply=2)
        >>> figures = found.figures()
        >>> figures["games"], figures["asked"], figures["plies_share"]
        (6, 12, 1.0)
    """
    from bookbuilder import _core

    require_kind("coverage", book, PlayableBook)
    if not paths:
        raise ArchiveError("coverage: no archive is given; name archives after the book")
    max_ply, limit = as_integer("max_ply", max_ply, 0, MAX_PLY), as_integer("limit", limit, 0)
    files = [os.fspath(path) for path in find_archives(paths)]
    with book.as_clustered() if isinstance(book, ListedBook) else nullcontext(book) as clustered:
        found = _core.follow_games(
            files,
            clustered.native,
            max_ply=max_ply,
            side=side,
            custom_starts=custom_starts,
            filters=filters,
            progress=progress,
        )
    if not found["games_read"]:
        raise ArchiveError(
            f"{book.path}: is a book of {book.game}; the archives hold no games of {book.game}"
        )
    return Coverage(
        games=from_native(found["games"]).to_pandas().iloc[:limit].astype(np.int64),
        games_read=found["games_read"],
        filtered=found["filtered"],
        rejected=found["rejected"],
    )
