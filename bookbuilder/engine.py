"""The bundled engine: a position and limits in, a move with its score and line out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bookbuilder.book import Book
from bookbuilder.games import START_WORD, Game, PositionLike, as_game, as_position

__all__ = ["BookPolicy", "Engine", "Result"]

BookPolicy = Literal["best", "weighted", "off"]
"""How the book's move is chosen: the best one, at random by usage (with a seed), or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a search found.

    Attributes:
        move: the move in UCI or ICCS; None if there is no legal one.
        source: `book` or `search`.
        score_cp: score for the side to move, in centipawns; None for a mate or a book move.
        mate_in: plies to mate, negative if the side to move is mated; None otherwise.
        depth: plies searched.
        nodes: positions searched.
        seconds: wall-clock time.
        nps: positions a second.
        pv: the line expected, beginning with `move`.
        book_hits: look-ups answered by a record of the book.
        table_hits: look-ups answered by the transposition table.
        table_probes: look-ups in the transposition table.
    """

    move: str | None
    source: Literal["book", "search"]
    score_cp: int | None
    mate_in: int | None
    depth: int
    nodes: int
    seconds: float
    nps: int
    pv: tuple[str, ...]
    book_hits: int
    table_hits: int
    table_probes: int


class Engine:
    """A searcher for one game, with its transposition table and, if given, a book."""

    def __init__(self, game: Game, *, hash_mib: int = 16, book: Book | None = None) -> None:
        """Make a searcher.

        Args:
            game: `chess` or `xiangqi`.
            hash_mib: size of the transposition table.
            book: a book to play from; every record of it also goes into the transposition table.

        Raises:
            OptionError: there is no such game or table, or the book is of the other game.
        """
        from bookbuilder import _core

        self.game = as_game(game)
        self._native = _core.Engine(self.game, hash_mib)
        if book is not None:
            self.load_book(book)

    def load_book(self, book: Book) -> int:
        """Put every record of a book into the transposition table, play from it, and return how many went in.

        Raises:
            OptionError: the book is of the other game.
        """
        return self._native.load_book(book.native)

    def clear(self) -> None:
        """Forget book and transposition table."""
        self._native.clear()

    def search(
        self,
        position: PositionLike = START_WORD,
        *,
        moves: Sequence[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        book_policy: BookPolicy = "best",
        seed: int = 0,
    ) -> Result:
        """Return the book's move if there is one, else what the search finds within the first limit reached.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            moves: moves played from there, in UCI or ICCS; repetitions among them count.
            depth: most plies.
            nodes: most positions.
            movetime_ms: most milliseconds.
            book_policy: how the book's move is chosen.
            seed: for the `weighted` policy.

        Raises:
            FenError: the position is not one of the engine's game.
            MoveError: a move is not legal.
            OptionError: no limit is given.
        """
        found = self._native.search(
            as_position(position, self.game).fen,
            list(moves),
            depth=depth,
            nodes=nodes,
            movetime_ms=movetime_ms,
            book_policy=book_policy,
            seed=seed,
        )
        known = {name: found[name] for name in Result.__dataclass_fields__}
        return Result(**{**known, "pv": tuple(found["pv"])})
