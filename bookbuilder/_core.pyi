"""The native core. Columns cross as Arrow (PyCapsule interface); paths and options as plain values.

`options`, `limits` and `filters` are values of `bookbuilder.tally.options.TallyOptions` and `RunLimits` and of
`bookbuilder.archives.filters.GameFilter`: the core reads their attributes.

What goes wrong is raised as the classes of `bookbuilder.errors`, or as Python's own `OSError`.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, final

class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

# The same names as in `bookbuilder.games` and `bookbuilder.engine`, which import this module.
_Game: TypeAlias = Literal["chess", "xiangqi"]
_Side: TypeAlias = Literal["first", "second"]
_Rule: TypeAlias = Literal["axf", "cxa", "check-only", "none"]
_BookMode: TypeAlias = Literal["off", "root", "hints"]
_Metric: TypeAlias = Literal["wld", "dtm", "dtc", "dtz"]
_Worth: TypeAlias = tuple[Literal[1, 0, -1], int | None, int | None, int | None]
"""1, 0 or -1 for the side to move, and signed plies by dtm, dtc and dtz."""

ARCHIVE_SUFFIXES: list[str]
CORE_VERSION: str
BOOK_MAGIC: bytes
"""First bytes of every clustered book."""
NOWHERE: int
"""What stands for "none" in a column of places, u32."""
MAX_USAGE: int
"""The largest usage of a record."""
MAX_QUALITY: int
"""The largest quality of a record."""
RATING_STEPS: list[int]
TALLY_COLUMNS: list[tuple[str, str, str, str, bool]]
GAME_COLUMNS: list[tuple[str, str, str, str, bool]]
OBSERVATION_COLUMNS: list[tuple[str, str, str, str, bool]]
"""The columns of TALLY, GAMES and OBSERVATIONS: name, Arrow type, unit and meaning of each."""

@final
class Position:
    """One position of either game; immutable. `bb.as_position` makes one from any form.

    Args:
        game: `chess` or `xiangqi`.
        fen: the position; None = the start position.

    Raises:
        FenError: the FEN breaks a rule of the game.

    Example:
        >>> start = bb.Position("chess")
        >>> after = start.play(start.parse_move("e4"))
        >>> after.fen
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
    """

    def __init__(self, game: _Game, fen: str | None = None) -> None: ...
    @staticmethod
    def of_bitboards(
        roles: tuple[int, int, int, int, int, int],
        colours: tuple[int, int],
        castling: int,
        is_white: bool,
        en_passant: int | None,
        clocks: tuple[int, int],
    ) -> Position | None:
        """Return a chess position from bitboards; None if it breaks a rule.

        Args:
            roles: pawns, knights, bishops, rooks, queens, kings.
            colours: Black's pieces, White's pieces.
            castling: the rooks that may castle.
            is_white: whether White is to move.
            en_passant: the square behind a pawn that has just moved two ranks.
            clocks: half move clock and move number.

        Example:
            >>> kings = (1 << 60, 1 << 4)
            >>> bb.Position.of_bitboards((0, 0, 0, 0, 0, sum(kings)), kings, 0, True, None, (0, 1)).fen
            '4k3/8/8/8/8/8/8/4K3 w - - 0 1'
        """
    @property
    def game(self) -> _Game:
        """The game.

        Example:
            >>> bb.Position("xiangqi").game
            'xiangqi'
        """
    @property
    def fen(self) -> str:
        """The position as FEN.

        Example:
            >>> bb.Position("chess").fen
            'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
        """
    @property
    def side(self) -> int:
        """The side to move: 0 White or Red, 1 Black.

        Example:
            >>> bb.as_position("1.e4", "chess").side
            1
        """
    @property
    def key(self) -> int:
        """The 64-bit key. In chess it is Polyglot's key.

        Example:
            >>> hex(bb.Position("chess").key)
            '0x463b96181691fc9c'
        """
    @property
    def lock(self) -> int:
        """A second key of 32 bits, which tells positions with the same `key` apart.

        Example:
            >>> bb.Position("chess").lock == bb.as_position("startpos", "chess").lock
            True
        """
    @property
    def is_check(self) -> bool:
        """Whether the side to move is in check.

        Example:
            >>> bb.as_position("1.e4 e5 2.Qh5 Nc6 3.Qxf7", "chess").is_check
            True
        """
    @property
    def verdict(self) -> str | None:
        """Why the game is over, such as `mate` or `stalemate`; None = it goes on. `bb.judge` counts repetitions too.

        Example:
            >>> bb.as_position("1.f3 e5 2.g4 Qh4", "chess").verdict
            'mate'
        """
    def stored(self, fold: bool) -> tuple[int, int]:
        """Return (key, lock) under which a book or a tally holds the position.

        Args:
            fold: whether left-right mirrors share one record.

        Example:
            >>> left, right = (bb.as_position(move, "xiangqi") for move in ("h2e2", "b2e2"))
            >>> left.stored(True) == right.stored(True), left.stored(False) == right.stored(False)
            (True, False)
        """
    def stored_move(self, code: int, fold: bool) -> int:
        """Return the code of a move as a tally row of this position holds it.

        Args:
            code: a legal move.
            fold: whether left-right mirrors share one record.

        Example:
            >>> start = bb.Position("xiangqi")
            >>> left, right = start.parse_move("h2e2"), start.parse_move("b2e2")
            >>> start.stored_move(left, True) == start.stored_move(right, True)
            True
        """
    def unfolded_move(self, code: int, fold: bool) -> int:
        """Return the move that such a code stands for here; in a position that is its own mirror the usual one of a pair.

        Args:
            code: the code of a tally row of this position, or 0.
            fold: whether left-right mirrors share one record.

        Example:
            >>> start = bb.Position("xiangqi")
            >>> start.coordinates(start.unfolded_move(start.stored_move(start.parse_move("b2e2"), True), True))
            'h2e2'
        """
    def moves(self) -> list[int]:
        """Return the codes of the legal moves.

        Example:
            >>> start = bb.Position("chess")
            >>> len(start.moves()), sorted(start.san(code) for code in start.moves())[:3]
            (20, ['Na3', 'Nc3', 'Nf3'])
        """
    def play(self, code: int) -> Position:
        """Return the position after a legal move.

        Raises:
            MoveError: the move is not legal.

        Example:
            >>> start = bb.Position("chess")
            >>> start.play(start.parse_move("Nf3")).side
            1
        """
    def parse_move(self, text: str, notation: str | None = None) -> int:
        """Return the code of a legal move.

        Args:
            text: the move.
            notation: one of `notations`; None = whichever it is written in: UCI or SAN for chess; ICCS, WXF or Chinese
                for xiangqi, never UCI, whose texts mean other moves in ICCS.

        Raises:
            MoveError: the text is not exactly one legal move.

        Example:
            >>> start = bb.Position("xiangqi")
            >>> len({start.parse_move(text) for text in ("h2e2", "C2=5", "炮二平五")})
            1
            >>> start.coordinates(start.parse_move("h3e3", "uci"))
            'h2e2'
        """
    def format_move(self, code: int, notation: str) -> str:
        """Return the text of a legal move.

        Args:
            code: the move.
            notation: `uci` or `san` in chess; `iccs`, `wxf`, `chinese` or `uci` in xiangqi.

        Example:
            >>> start = bb.Position("xiangqi")
            >>> code = start.parse_move("h2e2")
            >>> [start.format_move(code, notation) for notation in ("iccs", "wxf", "chinese", "uci")]
            ['h2e2', 'C2=5', '炮二平五', 'h3e3']
        """
    def coordinates(self, code: int) -> str:
        """Return a legal move in UCI for chess, in 4-character ICCS for xiangqi.

        Example:
            >>> start = bb.Position("chess")
            >>> start.coordinates(start.parse_move("Nf3"))
            'g1f3'
        """
    def san(self, code: int) -> str:
        """Return a legal move in SAN for chess, in ICCS for xiangqi.

        Example:
            >>> start = bb.Position("chess")
            >>> start.san(start.parse_move("g1f3"))
            'Nf3'
        """
    def _repr_svg_(self) -> str:
        """The picture of the board that notebooks show: `bookbuilder.games.board_svg.board_svg`."""

@final
class Positions:
    """Positions of one game, in order; immutable. Tables come in and go out as Arrow streams."""

    def __init__(self, game: _Game, fens: Sequence[str] | None = None) -> None:
        """The start position, or the positions of FENs."""
    def __len__(self) -> int: ...
    @property
    def game(self) -> _Game: ...
    def keys(self, fold: bool) -> ArrowStream:
        """key u64 and lock u32 under which books hold each position, symmetry u8 (0 stored as it is, 1 as its mirror,
        2 its own mirror), side u8."""
    def boards(self) -> ArrowStream:
        """piece u8, for each position 64 (a1, b1 … h8) or 90 (a0, b0 … i9) of them: 0 empty; pawn 1, knight, bishop,
        rook, queen, king of the first side, the second's 6 more; pawn 1, advisor, elephant, cannon, horse, rook,
        general, the second's 7 more."""
    def fens(self) -> ArrowStream:
        """fen, string."""
    def legal_moves(self) -> ArrowStream:
        """index u32 of the position, move u16."""
    def play(self, moves: ArrowStream) -> tuple[Positions, ArrowStream]:
        """Play `moves` (index u32, move u16). Returns the positions after the legal ones, and a mask: legal bool."""
    def take(self, rows: ArrowStream) -> Positions:
        """The positions of index u32, in that order."""
    def texts(self, moves: ArrowStream, notation: str) -> ArrowStream:
        """text, of legal moves (index u32, move u16) in a notation of `notations`."""

@final
class PositionIndex:
    """Positions in ascending order of key u64 and lock u32, found by them. Without locks a key alone is a position."""

    def __init__(self, positions: ArrowStream) -> None:
        """Index a table of key and lock, or of key."""
    def find(self, positions: ArrowStream) -> ArrowStream:
        """place u32 of each position of a table of key and lock; `NOWHERE` = none."""
    def successors(self, positions: Positions, fold: bool) -> ArrowStream:
        """The legal moves that lead to a position of the index: index u32 of the position before, move u16, place u32 of
        the position after."""

@final
class PositionNumbers:
    """Numbers of positions from 0, in the order in which they are first met."""

    def __init__(self) -> None: ...
    def number(self, positions: ArrowStream) -> tuple[ArrowStream, ArrowStream]:
        """Number a table of key and lock. Returns number u32 of each row, and index u32 of the rows that are new."""

@final
class Run:
    """The result of a run over archives, or of a batch of it: in memory, or in a file."""

    def __init__(self, path: str) -> None:
        """Open a run file."""
    def figures(self) -> list[bytes]:
        """JSON objects: observations, superseded, and the figures of sources by index."""
    def rejects(self) -> list[bytes]:
        """Lines of JSON with the columns of REJECTS."""
    def rejected_text(self) -> list[bytes]:
        """Rejected games of text formats as they stand; none unless they were kept."""
    def __len__(self) -> int:
        """Number of rows of a run in memory."""
    def rows(self) -> ArrowStream:
        """The rows of a run in memory: schema TALLY, sorted by (key, lock, move)."""
    def frequent(self, least: int) -> FrequentRows:
        """As `frequent_positions`, of the rows of a run in memory."""
    def observations(self) -> ArrowStream:
        """The observations of a run of `Observer`: schema OBSERVATIONS."""
    @property
    def games(self) -> RunGames:
        """The games of a run in memory; they do not hold its rows."""
    @property
    def end_source(self) -> int:
        """Index of the source that a run file ends in; the number of sources if nothing is left."""

@final
class RunGames:
    """The games of a run in memory."""

    def __len__(self) -> int:
        """Number of games."""
    def repeats(self) -> int:
        """Number of games that have the fingerprint of another one before them."""
    def table(self) -> ArrowStream:
        """The games: schema GAMES, in order of source, member and offset."""

@final
class Observer:
    """Reads archives on another thread, and gives runs in memory that have observations instead of rows."""

    def __init__(self, paths: Sequence[str], options: object, limits: object, memory: int) -> None:
        """`memory`: bytes of a run."""
    def __iter__(self) -> Observer: ...
    def __next__(self) -> Run: ...

@final
class StoreLookup:
    """Parts of a store that are asked for positions; each with its first and last key, and its checksums."""

    def __init__(
        self,
        parts: Sequence[tuple[str, int, int, tuple[int, int]]],
        question: tuple[object, Sequence[str]] | None = None,
    ) -> None:
        """`question`: filters and the facets kept, of parts with cells."""
    def rows(self, key: int, lock: int) -> list[tuple[int, ...]]:
        """The rows of a position by move: the columns of TALLY."""
    def counts(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """games, first_wins, draws and second_wins of each position, given by (key, lock)."""

def count_archives(
    paths: Sequence[str],
    options: object,
    limits: object,
    *,
    directory: str | None = None,
    runs: Sequence[str] = ...,
    memory: int | None = None,
    known: ArrowStream | None = None,
    digests: bool = False,
) -> list[Run]:
    """Counts archives and returns the runs, in order.

    Without a directory there is one run, in memory. With one, a run holds what fits in `memory` bytes and becomes a file
    `run-<number>.run`, numbered after `runs`; the only run stays in memory. `known`: schema GAMES, games that others may
    be copies of. `digests`: whether figures have size and BLAKE3 digest of each source.
    """

def count_rows(runs: Sequence[Run], parts: Sequence[str], first: int, last: int) -> int:
    """How many rows run files and parts come to within a range of keys, both ends included."""

def runs_hold(runs: Sequence[Run], first: int, last: int) -> bool:
    """Whether run files hold a row within a range of keys."""

def reduce_rows(
    runs: Sequence[Run],
    parts: Sequence[str],
    first: int,
    last: int,
    target: str,
    with_cells: bool,
    metadata: Sequence[tuple[str, str]],
    jobs: int,
) -> dict[str, Any] | None:
    """Merges a range of keys into the part `target`, with cells or without, and says what it holds; without rows it writes none.

    `metadata`: key-value pairs of the Parquet file. `jobs`: threads that pack columns.
    """

def reduce_games(
    runs: Sequence[Run],
    parts: Sequence[str],
    names: Sequence[str],
    target: str,
    metadata: Sequence[tuple[str, str]],
) -> list[tuple[str, int]]:
    """Merges games into parts `<target>-<number>.parquet`; returns them with the games of each.

    `names`: the names of all sources; the sources that games of the runs index come first.
    """

def merge_runs(runs: Sequence[Run], names: Sequence[str], target: str) -> None:
    """Merges neighbouring run files of one plan, in order, into one; `names` are the names of the plan's sources."""

def write_run(path: str, rows: ArrowStream, games: ArrowStream, names: Sequence[str]) -> None:
    """Writes tables of schema TALLY and GAMES, sorted, as a run file; `names` are the names of the games' sources."""

def check_part(path: str) -> dict[str, Any]:
    """Reads a part whole, checks the order of its rows and says what it holds."""

def frequent_in_part(path: str, least: int) -> FrequentRows:
    """As `frequent_positions`, of the rows of a part of TALLY."""

def check_filters(filters: object) -> None:
    """Rejects invalid filters."""

def check_question(question: tuple[object, Sequence[str]]) -> None:
    """Refuses filters that a store with these facets cannot answer."""

def sum_cells(rows: ArrowStream, question: tuple[object, Sequence[str]]) -> ArrowStream:
    """Adds up rows of schema TALLY_CELLS, as far as they answer a question, to a table of schema TALLY."""

def count_copies(dedupe: str, one: ArrowStream, other: ArrowStream) -> int:
    """How many games of either table of schema GAMES are copies of games of the other."""

def archive_name(path: str) -> str:
    """What an archive is called in messages and reports: its path, `-`, or its URL."""

def file_digest(path: str) -> tuple[int, str]:
    """Size of a file and the hexadecimal BLAKE3 digest of its bytes. Raises OSError."""

def detect_game(path: str, max_inflate: int | None = None) -> str:
    """'chess' or 'xiangqi', by the content of the first games; at most `max_inflate` bytes of them are unpacked."""

FrequentRows: TypeAlias = tuple[
    ArrowStream, list[tuple[tuple[bool, int, int], int]], list[tuple[tuple[bool, int, int], int]]
]
"""Rows of frequent positions; the numbers of the other rows and of their positions, by (has a move, mover, ply)."""

def frequent_positions(rows: ArrowStream, least: int) -> FrequentRows:
    """The rows of a sorted table of schema TALLY whose positions at least `least` games reached."""

def merge_tallies(tables: Sequence[ArrowStream]) -> ArrowStream:
    """Merges tables of schema TALLY, each sorted, into one sorted table; counts add up."""

def notations(game: str) -> list[str]:
    """Names of the notations of a game, the one of machines first: uci, san; iccs, uci, wxf, chinese,
    chinese-traditional."""

def read_game(
    source: str, member: str | None, offset: int, game: str, *, max_inflate: int | None = None
) -> tuple[list[str], int, str | None, list[str]] | None:
    """Returns the game at an offset of a member of an archive, None if there is none: its players and date as written,
    its bytes in the archive, itself as PGN (None if its moves cannot be read to the end), and its moves in UCI or
    ICCS. Raises ArchiveError, and OptionError if it lies further than `max_inflate` bytes inside compressed data."""

@final
class GamesRun:
    """What one run over a collection of games read and wrote."""

    def sources(self) -> list[dict[str, Any]]:
        """For each source: path, games_read, games_used (written), filtered, variations_cut, rejects,
        skipped."""
    def rejects(self) -> list[bytes]:
        """Lines of JSON with the columns of REJECTS, in order of source and game."""

def list_games(
    paths: Sequence[str],
    game: str,
    hand: Callable[[ArrowStream], object],
    *,
    names: ArrowStream | None = None,
    limits: object | None = None,
) -> GamesRun:
    """Hands tables of some thousand games to `hand`: number, source, member, offset, length, first_player,
    second_player, first_rating, second_rating, date, event, result, plies, eco, opening, named, defect.

    `names`: named positions, as `bookbuilder.games.openings.Openings.positions` has them; `named` is the place of the last
    of them that a game meets."""

def sum_comments(
    paths: Sequence[str], game: str, positions: ArrowStream, *, fold: bool = False
) -> tuple[ArrowStream, GamesRun]:
    """Adds up what comments such as `[%eval 0.31]` say of positions (columns key, lock): a row for each, with total
    (centipawns for the side to move) and count."""

def convert_games(
    paths: Sequence[str],
    game: str,
    output: Callable[[bytes], object] | str,
    *,
    layout: str,
    to: str,
    notation: str | None = None,
    results: bool = True,
    variations: bool = True,
    comments: bool = True,
    strict: bool = False,
    limits: object | None = None,
) -> GamesRun:
    """Writes games as `to`: "pgn", "xqf" or "lines". `layout` says what `output` is: "stream", "single" (one game)
    and "zip" take bytes, "directory" is the path of an empty one. A variation ends before a move that
    is not legal; if `strict`, its game is rejected."""

def filter_games(
    paths: Sequence[str],
    game: str,
    output: Callable[[bytes], object] | str,
    *,
    layout: str,
    filters: object,
    reaches: Sequence[tuple[int, int]] = ...,
    follows: tuple[tuple[ArrowStream, bool], str | None] | None = None,
    dedupe: str | None = None,
    limits: object | None = None,
) -> GamesRun:
    """Writes the games that pass filters, byte for byte; `reaches` are keys and locks of positions, `follows` the
    keys, moves and weights of a book, whether it folds, and the side that follows it; with `dedupe` ("exact", "players" or "prefix") without
    duplicates of earlier games."""

def perft(game: str, fen: str | None, depth: int) -> int: ...
def write_book(
    path: str, records: ArrowStream, *, game: _Game, fold: bool, columns: bool, recipe: str
) -> None:
    """Writes a clustered book atomically; an existing file is replaced.

    `records`: key u64, lock u32, usage u64, wins u64, draws u64, losses u64 (first side's view), quality u8;
    sorted by (key, lock), unique. Optional: valued u64, an engine's depth << 32 | best move << 16 | value."""

def link_moves(rows: ArrowStream, game: _Game, *, fold: bool) -> tuple[ArrowStream, ArrowStream]:
    """For each row of a tally (key, lock, move; one chunk) the number of the position that its move leads to, u32
    `child`; positions are numbered in the order of the rows; `NOWHERE` = none. And for each position where its pieces stand,
    for `unplayed_moves`."""

def use_threads(count: int) -> None:
    """Sets how many threads `link_moves` and `unplayed_moves` take; at first it is one for each processor."""

def unplayed_moves(
    rows: ArrowStream, placed: ArrowStream, records: ArrowStream, game: _Game, *, fold: bool
) -> ArrowStream:
    """The legal moves to records of a book that no row of a tally has: parent u32, move u16, child u32.

    `rows`: key, lock, move and child, as `link_moves` takes and gives them; children that are not in the tally may
    have numbers beyond its positions. `placed`: as it gives it. `records`: numbers of the positions (u32
    `position`, ascending) of the book."""

def shortest_lines(
    positions: ArrowStream, moves: ArrowStream, root: int, plies: int | None = None
) -> ArrowStream:
    """For each position the last move of a shortest line of usable moves from the root to it, i64 `into`, -1 = none,
    and the plies of that line, i32 `ply`, -1 = no line. Of several last moves it is the heaviest, then the last.

    `positions`: u32 `end`, the number of the moves of each position and those before it. `moves`: u32 `child`
    (`NOWHERE` = none), u8 `usable`, f64 `weight`. `plies`: length of the longest line."""

def expected_visits(
    positions: ArrowStream, moves: ArrowStream, root: int, *, plies: int, negligible: float
) -> tuple[float, ArrowStream]:
    """The expected plies of a walk of chance from the root, and the expected visits of each position, f64 `visits`.

    `positions`: u32 `end`, u8 `goes_on`. `moves`: u32 `child`, f64 `chance` at its position. The walk ends after
    `plies`, or where the probability that it goes on is `negligible`."""

class Followed(TypedDict):
    """What following games through a book found."""

    games_read: int
    filtered: dict[str, int]
    rejected: int
    games: ArrowStream
    """One row per game: plies, exit_ply, asked, followed, known u16, result u8."""

def follow_games(
    paths: Sequence[str],
    book: Book,
    *,
    max_ply: int | None = None,
    side: _Side | None = None,
    custom_starts: bool = False,
    filters: object | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> Followed:
    """Follows games through a book."""

@final
class Record:
    """One record of a book; results are from the first side's view."""

    @property
    def key(self) -> int:
        """64-bit key under which the position is stored."""
    @property
    def lock(self) -> int | None:
        """Second, independent key; None in a book without columns."""
    @property
    def usage(self) -> int:
        """Games that reached the position, at most `MAX_USAGE`."""
    @property
    def seen_first_win(self) -> bool:
        """Whether the first side won a counted game through it."""
    @property
    def seen_draw(self) -> bool:
        """Whether one was drawn."""
    @property
    def seen_second_win(self) -> bool:
        """Whether the second side won one."""
    @property
    def quality(self) -> int:
        """0 … 31."""
    @property
    def wins(self) -> int | None:
        """Games that the first side won; None in a book without columns."""
    @property
    def draws(self) -> int | None:
        """Games drawn; None in a book without columns."""
    @property
    def losses(self) -> int | None:
        """Games that the first side lost; None in a book without columns."""
    @property
    def value(self) -> int | None:
        """An engine's value in centipawns for the side to move, mates as ±30,000 less their plies; None if there is none."""
    @property
    def depth(self) -> int | None:
        """The depth of the engine's search."""
    @property
    def best(self) -> int | None:
        """Its best move in the stored form; None if it is unknown."""

class JudgementDict(TypedDict):
    """The fields of `bookbuilder.games.ruling.Judgement`; `loser` is 0 for the first side, 1 for the second."""

    fen: str
    verdict: Literal["win", "loss", "draw", "none"]
    reason: str | None
    loser: Literal[0, 1] | None
    axf_article: str | None
    victim: str | None
    cycle: list[str] | None

@final
class Referee:
    """A game in play: its moves, its position now, and the verdict of the rules on it."""

    def __init__(
        self,
        game: _Game,
        fen: str | None = None,
        moves: Sequence[str] = ...,
        *,
        rule: _Rule = "axf",
        occurrences: int = 3,
    ) -> None: ...
    @property
    def game(self) -> _Game: ...
    @property
    def fen(self) -> str | None:
        """The first position as given; None: the start of the game."""
    @property
    def position(self) -> Position: ...
    def __len__(self) -> int:
        """Number of moves."""
    def moves(self, notation: str | None = None) -> list[str]:
        """The moves in a notation of `notations`, by default in coordinates."""
    def play(self, code: int) -> None: ...
    def judge(self) -> JudgementDict: ...

class BookInfo(TypedDict):
    """Facts of a book."""

    game: _Game
    records: int
    clusters_used: int
    bytes: int
    fold: bool
    columns: bool
    format_version: int
    key_scheme: str
    recipe: str

@final
class Book:
    """A clustered book, memory-mapped."""

    @staticmethod
    def open(path: str, game: _Game | None = None) -> Book:
        """Opens a book of `game`, or of either game."""
    def __len__(self) -> int: ...
    @property
    def game(self) -> _Game: ...
    @property
    def fold(self) -> bool: ...
    @property
    def has_columns(self) -> bool: ...
    @property
    def has_values(self) -> bool: ...
    @property
    def recipe(self) -> str: ...
    @property
    def info(self) -> BookInfo: ...
    def probe_position(self, position: Position) -> Record | None:
        """The record of a position of the book's game."""
    def moves_at(self, position: Position) -> list[tuple[int, Record]]:
        """Returns code and record of each book move at a position, the most used first; of two mirrored moves the
        usual one."""
    def verify(self) -> None:
        """Checks checksum, order and index; raises BookError naming the first defect."""
    def records(self) -> ArrowStream:
        """key u64, lock u32, usage u32, seen_first_win, seen_draw, seen_second_win bool, quality u8, wins, draws,
        losses u32 (first side's view); a book without columns has no lock and counts."""
    def cluster_sizes(self) -> ArrowArray:
        """The number of records in each cluster, u32."""

class LineDict(TypedDict):
    """One line of play: the score of the side to move, in centipawns or in plies to mate, and its moves."""

    score_cp: int | None
    mate_in: int | None
    pv: list[str]

class IterationDict(TypedDict):
    """The result of one iteration of a search; nodes and seconds are those since the search began."""

    depth: int
    move: str
    score_cp: int | None
    mate_in: int | None
    nodes: int
    seconds: float

class ResultDict(TypedDict):
    """The fields of `bookbuilder.engine.engine.Result`."""

    move: str | None
    source: Literal["book", "search"]
    score_cp: int | None
    mate_in: int | None
    depth: int
    nodes: int
    seconds: float
    nps: int
    pv: list[str]
    book_hits: int
    endgame_hits: int
    table_hits: int
    table_probes: int
    table_refused: int
    lines: list[LineDict]
    iterations: list[IterationDict]

@final
class Engine:
    """The bundled search for one game; `bookbuilder.engine.engine.Engine` documents its methods."""

    def __init__(self, game: _Game, hash_mib: int = 16, threads: int = 1) -> None: ...
    def load_book(self, book: Book | None, mode: _BookMode | None = None) -> int: ...
    def load_endgames(self, folder: str | PathLike[str]) -> int: ...
    def set_repetition(
        self,
        *,
        rule: _Rule = "axf",
        contempt: int = 0,
        in_tree: int = 2,
        in_game: int = 3,
        detector: Literal["small-table", "scan", "open-flag"] = "small-table",
    ) -> None:
        """Set the code for repetitions, the value of a draw, the occurrences that count, and the detector."""
    def set_learning(self, *, history: bool = True, killers: bool = True) -> None:
        """Set what the move order learns."""
    def clear(self) -> None: ...
    def search(
        self,
        fen: str | None = None,
        moves: Sequence[str] = ...,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        mate: int | None = None,
        lines: int = 1,
        book_policy: Literal["best", "weighted", "uniform", "off"] = "best",
        seed: int = 0,
        pv: Literal["array", "table"] = "array",
    ) -> ResultDict: ...

@final
class Endgames:
    """The endgame tables of a folder, of both games; `bookbuilder.engine.endgames` documents its methods."""

    def __init__(self, folder: str | PathLike[str]) -> None: ...
    def files(self) -> list[tuple[_Game, str, _Metric, int]]:
        """Game, material, metric and bytes of each file."""
    def probe(self, position: Position) -> _Worth | None: ...
    def probe_all(self, game: _Game, fens: Sequence[str]) -> list[_Worth | None]: ...
    def find(self, position: Position) -> _Worth: ...
    def moves(self, position: Position, metric: _Metric) -> list[tuple[str, Literal[1, 0, -1], int]]:
        """Every legal move with its value for the side that makes it, the best first."""
    def line(self, position: Position, metric: _Metric) -> list[str]: ...

def build_endgames(
    game: _Game,
    names: Sequence[str],
    folder: str | PathLike[str],
    *,
    metric: _Metric,
    memory_mib: int,
    verify: bool,
    jobs: int,
    solver: Literal["retrograde", "forward"],
    index: Literal["gapless", "gapped"],
    report: Callable[[str, bool, int, float, int, int], None],
) -> None:
    """Build tables, and the tables that they depend on. `report` receives the fields of `bookbuilder.engine.endgames.Built`."""

class CensusCounts(TypedDict):
    """Numbers of positions."""

    legal: int
    win: int
    draw: int
    loss: int

class CensusSide(CensusCounts):
    """The census of a table for one side to move."""

    max_win: int
    max_win_count: int
    max_loss: int
    max_loss_count: int
    mated: int
    stalemated: int
    wins: dict[int, int]
    losses: dict[int, int]
    longest_win: str | None
    longest_loss: str | None
    up_to_symmetry: CensusCounts

class CensusSides(TypedDict):
    """The census of both sides."""

    first: CensusSide
    second: CensusSide

class CensusZugzwangs(TypedDict):
    """Numbers of mutual zugzwangs."""

    first_draws_second_loses: int
    first_loses_second_draws: int
    both_lose: int

class Census(TypedDict):
    """The census of a table."""

    material: str
    metric: _Metric
    sides: CensusSides
    zugzwangs: CensusZugzwangs

def endgame_stats(folder: str | PathLike[str], game: _Game, name: str, metric: _Metric) -> Census: ...
def verify_endgame(
    folder: str | PathLike[str], game: _Game, name: str, metric: _Metric
) -> tuple[int, list[tuple[str, int | None, int | None]]]:
    """The number of entries compared, and FEN, found and expected value of the first that differ."""

def serve_protocol(
    protocol: str,
    game: str,
    open_book: Callable[[Any, Any], tuple[ArrowStream, bool]],
    options: Sequence[tuple[str, str]] = ...,
) -> None:
    """Serve "uci" or "ucci" on standard input and output until `quit` or the end of input. `options` are names and
    values of options of the protocol; xiangqi under "uci" has ranks from 0. `open_book` returns the moves of a book
    that is not clustered, and whether it folds mirrors."""
