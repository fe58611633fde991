"""The native core. Columns cross as Arrow (PyCapsule interface); paths and options as plain values.

What goes wrong is raised as the classes of `bookbuilder.errors`, or as Python's own `OSError`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, final

class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

CORE_VERSION: str
MAX_USAGE: int
MAX_QUALITY: int

@final
class Position:
    """One position of either game; immutable."""

    def __init__(self, game: str, fen: str | None = None) -> None: ...
    @property
    def game(self) -> str: ...
    @property
    def fen(self) -> str: ...
    @property
    def side(self) -> int: ...
    @property
    def key(self) -> int: ...
    @property
    def lock(self) -> int: ...
    @property
    def is_check(self) -> bool: ...
    @property
    def verdict(self) -> str | None: ...
    def stored(self, fold: bool) -> tuple[int, int]:
        """(key, lock) under which a book or a tally holds the position."""
    def stored_move(self, code: int, fold: bool) -> int:
        """The move's code as a tally row of this position holds it."""
    def moves(self) -> list[int]:
        """Codes of the legal moves."""
    def play(self, code: int) -> Position: ...
    def parse_move(self, text: str, notation: str | None = None) -> int:
        """The code of a legal move in a notation of `notations`; without one, in whichever it is written: UCI or SAN
        for chess; ICCS, WXF or Chinese for xiangqi (never UCI, whose texts mean other moves in ICCS)."""
    def format_move(self, code: int, notation: str) -> str:
        """The text of a legal move in a notation of `notations`."""
    def coordinates(self, code: int) -> str:
        """UCI for chess, 4-character ICCS for xiangqi."""
    def san(self, code: int) -> str:
        """SAN for chess; ICCS for xiangqi."""

@final
class TallyRun:
    """What one run over archives brought."""

    def rows(self) -> ArrowStream:
        """A table of schema TALLY, sorted by (key, lock, move)."""
    def games(self) -> ArrowStream:
        """A table of schema GAMES, in order of source, member and offset."""
    def rejects(self) -> ArrowStream:
        """A table of schema REJECTS, in order of source and game."""
    def rejected_text(self) -> bytes:
        """Rejected games of text formats as they stand, one after the other; empty unless they were kept."""
    def report(self) -> dict[str, Any]:
        """games_read, games_used, filtered, variants, duplicates, superseded, other_tags, variations, variations_cut,
        rejects, observations, rows and per-source figures."""

def tally_archives(
    paths: Sequence[str],
    game: str,
    *,
    max_ply: int | None = None,
    full_check: bool = False,
    on_error: str = "drop",
    variations: bool = False,
    custom_starts: bool = False,
    fold: bool = True,
    filters: Mapping[str, Any] | None = None,
    dedupe: str = "off",
    known: ArrowStream | None = None,
    keep_rejected: bool = False,
    jobs: int = 1,
    limit: int | None = None,
    max_inflate: int | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> TallyRun:
    """Replays archives into counts. `progress(bytes_read, games, rejects)` is called some times a second.

    `filters`: the fields of `bookbuilder.filters.GameFilter`; `known`: schema GAMES, games that others may be copies of;
    `max_inflate`: bytes that the compressed data of each archive may become.
    """

def check_filters(filters: Mapping[str, Any]) -> None:
    """Refuses filters that have no meaning."""

def count_copies(dedupe: str, one: ArrowStream, other: ArrowStream) -> int:
    """How many games of either table of schema GAMES are copies of games of the other."""

def file_digest(path: str) -> tuple[int, str]:
    """Size of a file and the hexadecimal BLAKE3 digest of its bytes. Raises OSError."""

def detect_game(path: str) -> str:
    """'chess' or 'xiangqi', by the content of the first games."""

def merge_tallies(tables: Sequence[ArrowStream]) -> ArrowStream:
    """Merges tables of schema TALLY, each sorted, into one sorted table; counts add up."""

def notations(game: str) -> list[str]:
    """Names of the notations of a game, the one of machines first: uci, san; iccs, uci, wxf, chinese,
    chinese-traditional."""

@final
class GamesRun:
    """What one run over a collection of games read and wrote."""

    @property
    def parts(self) -> int:
        """Parts that games were dealt out to; 0 for other runs."""
    def sources(self) -> list[dict[str, Any]]:
        """For each source: path, games_read, games_used (written), filtered, rejects, skipped."""
    def rejects(self) -> ArrowStream:
        """A table of schema REJECTS, in order of source and game."""

def list_games(
    paths: Sequence[str],
    game: str,
    hand: Callable[[ArrowStream], object],
    *,
    progress: Callable[[int, int, int], None] | None = None,
) -> GamesRun:
    """Hands tables of some thousand games to `hand`: number, source, member, offset, length, first_player,
    second_player, first_rating, second_rating, date, event, result, plies, eco, opening, defect."""

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
    jobs: int = 1,
    progress: Callable[[int, int, int], None] | None = None,
) -> GamesRun:
    """Writes games as `to`: "pgn", "xqf" or "lines". `layout` says what `output` is: "stream", "single" (one game)
    and "zip" take bytes, "directory" is the path of an empty one."""

def split_games(
    paths: Sequence[str],
    game: str,
    directory: str,
    *,
    parts: int | None = None,
    games: int | None = None,
    tag: str | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> GamesRun:
    """Deals games out, byte for byte, into `parts` files, files of `games` games, or a file for each value of `tag`."""

def sample_games(
    paths: Sequence[str],
    game: str,
    output: Callable[[bytes], object] | str,
    *,
    layout: str,
    count: int,
    seed: int,
    progress: Callable[[int, int, int], None] | None = None,
) -> GamesRun:
    """Writes `count` games drawn at random, byte for byte, in the order of the archives."""

def dedupe_games(
    paths: Sequence[str],
    game: str,
    output: Callable[[bytes], object] | str,
    *,
    layout: str,
    by: str,
    progress: Callable[[int, int, int], None] | None = None,
) -> GamesRun:
    """Writes the games that are the same as none before them, byte for byte; `by` "exact", "players" or "prefix"."""

def perft(game: str, fen: str | None, depth: int) -> int: ...
def write_book(
    path: str,
    records: ArrowStream,
    *,
    game: str,
    fold: bool,
    columns: bool,
    recipe: str,
) -> None:
    """Writes a clustered book whole or not at all.

    `records`: key u64, lock u32, usage u64, wins u64, draws u64, losses u64 (first side's view), quality u8;
    sorted by (key, lock), unique. An existing file is replaced."""

@final
class Book:
    """A clustered book, memory-mapped."""

    @staticmethod
    def open(path: str, game: str | None = None) -> Book:
        """Opens a book of `game`, or of either game."""
    def __len__(self) -> int: ...
    @property
    def game(self) -> str: ...
    @property
    def fold(self) -> bool: ...
    @property
    def has_columns(self) -> bool: ...
    @property
    def recipe(self) -> str: ...
    @property
    def info(self) -> dict[str, Any]: ...
    def probe(self, key: int, lock: int) -> dict[str, Any] | None:
        """The columns of `records` for one position; lock and counts are None in a book without columns."""
    def verify(self) -> None:
        """Checks checksum, order and index; raises BookError naming the first thing wrong."""
    def records(self) -> ArrowStream:
        """key u64, lock u32, usage u32, seen_first_win, seen_draw, seen_second_win bool, quality u8, wins, draws,
        losses u32 (first side's view); lock and counts are left out in a book without columns."""
    def cluster_sizes(self) -> ArrowArray:
        """32,768 cluster sizes, u32."""

@final
class Engine:
    """The bundled search for one game."""

    def __init__(self, game: str, hash_mib: int = 16) -> None: ...
    @property
    def game(self) -> str: ...
    @property
    def hash_mib(self) -> int: ...
    def load_book(self, book: Book) -> int:
        """Clears the table, puts every record of a book into it and returns how many found a place."""
    def clear(self) -> None:
        """Forgets all results and the book."""
    def search(
        self,
        fen: str | None = None,
        moves: Sequence[str] = ...,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        movetime_ms: int | None = None,
        book_policy: str = "best",
        seed: int = 0,
    ) -> dict[str, Any]:
        """Searches until the first limit: move, source, score_cp, mate_in, depth, seldepth, nodes, seconds, nps, pv,
        book_hits, table_hits, table_probes, table_permille, book_moves."""
