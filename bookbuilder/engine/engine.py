"""The bundled engine: a position and limits in, a move with its score and line out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from bookbuilder.book.book import Book
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_game, as_position
from bookbuilder.games.ruling import Rule

__all__ = ["BOOK_MODES", "BookMode", "BookPolicy", "Engine", "Iteration", "Line", "LineSource", "Result"]

BookPolicy = Literal["best", "weighted", "off"]
"""How the book's move is chosen: the best one, at random by usage (with a seed), or not at all."""

BookMode = Literal["off", "root", "hints", "bounds", "lazy"]
"""How a book is used. `off`: not at all. `root`: its moves are played. The others play them too, and besides
`hints` loads its records into the transposition table to order moves, `bounds` takes those of many games also
as lower bounds, less a margin, and `lazy` asks the book itself where the table knows nothing."""

BOOK_MODES: Final[tuple[BookMode, ...]] = get_args(BookMode)
"""All of them."""

LineSource = Literal["array", "table"]
"""Where lines come from: the triangular array of the search, or a walk through the transposition table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of play.

    Attributes:
        score_cp: score for the side to move, in centipawns; None for a mate.
        mate_in: plies to mate, negative if the side to move is mated; None otherwise.
        pv: its moves.
    """

    score_cp: int | None
    mate_in: int | None
    pv: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """What one iteration of a search found.

    Attributes:
        depth: plies searched.
        move: the best move.
        score_cp: its score, as in `Line`.
        mate_in: likewise.
        nodes: positions searched since the search began.
        seconds: time since then.
    """

    depth: int
    move: str
    score_cp: int | None
    mate_in: int | None
    nodes: int
    seconds: float


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
        endgame_hits: positions whose score came from an endgame table.
        table_hits: look-ups answered by the transposition table.
        table_probes: look-ups in the transposition table.
        table_refused: entries of the table whose move was not legal: they were of another position.
        pawn_hits: pawn structures found in their table (chess).
        pawn_probes: look-ups in it.
        material_hits: materials found in their table.
        material_probes: look-ups in it.
        lines: the best lines, as many as were asked for; none for a book move.
        iterations: what each iteration found, in order; none for a book move.
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
    endgame_hits: int
    table_hits: int
    table_probes: int
    table_refused: int
    pawn_hits: int
    pawn_probes: int
    material_hits: int
    material_probes: int
    lines: tuple[Line, ...]
    iterations: tuple[Iteration, ...]


class Engine:
    """A searcher for one game, with its transposition table and, if given, a book."""

    def __init__(
        self,
        game: Game,
        *,
        hash_mib: int = 16,
        threads: int = 1,
        book: Book | None = None,
        book_mode: BookMode | None = None,
        endgames: Path | str | None = None,
        rule: Rule = "axf",
        contempt: int = 0,
    ) -> None:
        """Make a searcher.

        Args:
            game: `chess` or `xiangqi`.
            hash_mib: size of the transposition table.
            threads: threads of a search; with one, searches to a depth or a number of nodes repeat exactly.
            book: a book to play from.
            book_mode: how it is used; None = the mode that did best when measured.
            endgames: a folder of endgame tables, for exact scores of positions with few men.
            rule: the code by which repetitions of xiangqi are scored.
            contempt: what a draw is worth less to the engine, in centipawns.

        Raises:
            OptionError: there is no such game, table, mode or rule, or the book is of the other game.
        """
        from bookbuilder import _core

        self.game = as_game(game)
        self._native = _core.Engine(self.game, hash_mib, threads)
        self._native.set_repetition(rule=rule, contempt=contempt)
        if book is not None:
            self.load_book(book, book_mode)
        if endgames is not None:
            self.load_endgames(endgames)

    def load_book(self, book: Book | None, mode: BookMode | None = None) -> int:
        """Use a book, or none any more, forget what was searched, and return how many records the table took.

        Args:
            book: the book.
            mode: how it is used; None = the mode that did best when measured. Only `hints` and `bounds` load
                records.

        Raises:
            OptionError: the book is of the other game, or there is no such mode.
        """
        return self._native.load_book(None if book is None else book.native, mode)

    def load_endgames(self, folder: Path | str) -> int:
        """Take exact scores from the tables of a folder, and return how many files of the game it has.

        Raises:
            EndgameError: a file is damaged, truncated or newer.
        """
        return self._native.load_endgames(folder)

    def clear(self) -> None:
        """Forget all results and which moves did well.

        Book and endgame tables stay, and the book's records are loaded anew.
        """
        self._native.clear()

    def search(
        self,
        position: PositionLike = START_WORD,
        *,
        moves: Sequence[str] = (),
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        mate: int | None = None,
        lines: int = 1,
        book_policy: BookPolicy = "best",
        seed: int = 0,
        pv: LineSource = "array",
    ) -> Result:
        """Return the book's move if there is one, else what the search finds within the first limit reached.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            moves: moves played from there, in UCI or ICCS; repetitions among them count.
            depth: most plies.
            nodes: most positions.
            movetime_ms: most milliseconds.
            mate: end with a mate in so many moves too; one in up to three is found if it is there.
            lines: how many lines with different first moves to find (MultiPV).
            book_policy: how the book's move is chosen.
            seed: for the `weighted` policy.
            pv: where the lines told come from; what is found is the same.

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
            mate=mate,
            lines=lines,
            book_policy=book_policy,
            seed=seed,
            pv=pv,
        )
        known = {name: found[name] for name in Result.__dataclass_fields__}
        known |= {
            "pv": tuple(found["pv"]),
            "lines": tuple(Line(**{**line, "pv": tuple(line["pv"])}) for line in found["lines"]),
            "iterations": tuple(Iteration(**iteration) for iteration in found["iterations"]),
        }
        return Result(**known)
