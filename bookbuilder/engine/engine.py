"""The bundled engine: search a position, with a book and endgame tables if given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bookbuilder.book.book import Book
from bookbuilder.errors import OptionError
from bookbuilder.games.line import MoveLike, coordinate_moves
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_game, as_position
from bookbuilder.games.ruling import Rule
from bookbuilder.keywords import as_integer

if TYPE_CHECKING:
    from bookbuilder._core import IterationDict, LineDict

BookPolicy = Literal["best", "weighted", "uniform", "off"]
"""How the book's move is chosen. `best`: the heaviest move; the weight of a move is usage x (quality + 1)³.
`weighted`: at random by weight. `uniform`: at random, every move equally likely. `off`: never."""

BookMode = Literal["off", "root", "hints"]
"""How a book is used. `off`: not at all. `root`: its moves are played. `hints`: they are played, and the
book's records are loaded into the transposition table to order moves."""

LineSource = Literal["array", "table"]
"""The source of lines: the triangular array of the search, or a walk through the transposition table."""

RepetitionDetector = Literal["small-table", "scan", "open-flag"]
"""How repetitions are detected; docs/repetition.md compares them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a search.

    Attributes:
        move: the move in UCI or ICCS; None if there is no legal one.
        source: `book` or `search`.
        score_cp: score for the side to move, in centipawns; None for a mate or a book move.
        mate_in: plies to mate, negative if the side to move is mated; None otherwise.
        depth: plies searched.
        nodes: positions searched.
        seconds: wall-clock time.
        nps: positions a second.
        pv: the expected line, beginning with `move`.
        book_hits: look-ups answered by a record of the book.
        endgame_hits: positions scored by an endgame table.
        table_hits: look-ups answered by the transposition table.
        table_probes: look-ups in the transposition table.
        table_refused: entries of the table that belonged to another position, because their move was illegal.
        lines: `score_cp`, `mate_in` and `pv` of the best lines, up to the number requested.
        iterations: `depth`, `move`, `score_cp`, `mate_in`, and the `nodes` and `seconds` since the start, of
            each iteration in order. Both are empty for a book move.
    """

    move: str | None
    source: Literal["book", "search"]
    score_cp: int | None
    mate_in: int | None
    depth: int
    nodes: int
    seconds: float
    nps: int
    pv: Sequence[str]
    book_hits: int
    endgame_hits: int
    table_hits: int
    table_probes: int
    table_refused: int
    lines: Sequence[LineDict]
    iterations: Sequence[IterationDict]

    def __repr__(self) -> str:
        """Return one line for people."""
        if self.source == "book":
            return f"<Result: {self.move} from the book>"
        score = f"mate in {self.mate_in} plies" if self.mate_in is not None else f"{self.score_cp:+} cp"
        return f"<Result: {self.move}, {score}, depth {self.depth}, {self.nodes:,} nodes>"


class Engine:
    """A searcher for one game, with its transposition table and, if given, a book.

    Example:
        >>> engine = bb.Engine("chess")
        >>> found = engine.search("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", depth=3)
        >>> found.move, found.mate_in
        ('a1a8', 1)
    """

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
        repetition_in_tree: int = 2,
        repetition_in_game: int = 3,
        repetition_detector: RepetitionDetector = "small-table",
        history: bool = True,
        killers: bool = True,
    ) -> None:
        """Create a searcher.

        Args:
            game: `chess` or `xiangqi`.
            hash_mib: size of the transposition table.
            threads: threads of a search; with one, searches to a depth or a number of nodes repeat exactly.
            book: a book to play from.
            book_mode: how it is used; None: `hints`.
            endgames: a folder of endgame tables, for exact scores of positions with few pieces.
            rule: the code by which repetitions of xiangqi are scored.
            contempt: value of a draw for the opponent, in centipawns.
            repetition_in_tree: the occurrence, 2 or 3, at which a position is scored as a repetition if the
                previous occurrence is in the tree of the search.
            repetition_in_game: the same if the previous occurrence is in the game.
            repetition_detector: how repetitions are detected.
            history: whether the move order learns history counters.
            killers: whether the move order learns killers and counter-moves.

        Raises:
            OptionError: a value is invalid, or the book is of the other game.
        """
        from bookbuilder import _core

        self.game = as_game(game)
        self._native = _core.Engine(self.game, hash_mib, threads)
        self._native.set_repetition(
            rule=rule,
            contempt=contempt,
            in_tree=repetition_in_tree,
            in_game=repetition_in_game,
            detector=repetition_detector,
        )
        self._native.set_learning(history=history, killers=killers)
        if book is not None:
            self.load_book(book, book_mode)
        if endgames is not None:
            self.load_endgames(endgames)

    def load_book(self, book: Book | None, mode: BookMode | None = None) -> int:
        """Use a book, clear the transposition table, and return the number of records loaded into it.

        Args:
            book: the book; None: no book.
            mode: how it is used; None: `hints`, the only mode that loads records. Of a book with more records
                than a quarter of the entries of the table, the most used records are loaded.

        Raises:
            OptionError: the book is of the other game or format, or the mode is unknown.

        Example:
            >>> engine = bb.Engine("chess")
            >>> engine.load_book(bb.Book.open("games.book"))
            21
            >>> engine.search("startpos", depth=1).source
            'book'
        """
        # `open_book` also returns books of other formats.
        if book is not None and not isinstance(book, Book):
            raise OptionError(
                f"{book!r}: the engine reads .book files; open one with bb.Book.open, or use bb.convert first"
            )
        return self._native.load_book(None if book is None else book.native, mode)

    def load_endgames(self, folder: Path | str) -> int:
        """Use the endgame tables of a folder for exact scores; return the number of files of this game.

        Raises:
            EndgameError: a file is damaged, truncated or newer.

        Example:
            >>> bb.Engine("chess").load_endgames("tables")
            2
        """
        return self._native.load_endgames(folder)

    def clear(self) -> None:
        """Forget all results of searches. The book and the endgame tables stay in use.

        Example:
            >>> engine = bb.Engine("chess")
            >>> first = engine.search("1.e4", depth=4)
            >>> engine.clear()
            >>> engine.search("1.e4", depth=4).nodes == first.nodes
            True
        """
        self._native.clear()

    def search(
        self,
        position: PositionLike = START_WORD,
        *,
        moves: Sequence[MoveLike] = (),
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        mate: int | None = None,
        lines: int = 1,
        book_policy: BookPolicy = "best",
        seed: int = 0,
        pv: LineSource = "array",
    ) -> Result:
        """Return the book's move if there is one, else the result of a search up to the first limit reached.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
            moves: moves played from there, in any notation or as `chess.Move`; repetitions among them count.
            depth: maximum of plies.
            nodes: maximum of positions.
            movetime_ms: maximum of milliseconds.
            mate: stop also at a mate in this number of moves; a mate in up to three is always found.
            lines: number of lines with different first moves (MultiPV).
            book_policy: how the book's move is chosen.
            seed: seed of the policies `weighted` and `uniform`.
            pv: the source of the lines; it does not change the search.

        Raises:
            FenError, MoveError: the position or a move is invalid.
            OptionError: no limit is given, or a value is invalid.

        Example:
            >>> engine = bb.Engine("chess", book=bb.Book.open("games.book"))
            >>> engine.search("startpos", depth=2).source
            'book'
            >>> found = engine.search("1.d4 d5 2.c4 e6", depth=2)
            >>> found.source, found.depth, found.move == found.pv[0]
            ('search', 2, True)
        """
        start = as_position(position, self.game)
        found = self._native.search(
            start.fen,
            coordinate_moves(start, moves),
            depth=as_integer("depth", depth, 0),
            nodes=as_integer("nodes", nodes, 0),
            movetime_ms=as_integer("movetime_ms", movetime_ms, 0),
            mate=mate,
            lines=lines,
            book_policy=book_policy,
            seed=seed,
            pv=pv,
        )
        return Result(**found)
