"""Recognise by its content what a file or folder is: archive, store, book, recipe, tables or journal.

Polyglot books and BOOK.DAT have no signature. They are recognised by their records, which are sorted and hold
moves on the board.
"""

from __future__ import annotations

import json
import re
import shlex
import struct
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bookbuilder.errors import ArchiveError
from bookbuilder.games.position import GAMES_KNOWN, Game, as_game

Kind: TypeAlias = Literal[
    "archive",
    "store",
    "run",
    "book",
    "endgames",
    "recipe",
    "rejects",
    "match",
    "lines",
    "evals",
    "evaluation",
    "growth",
    "edits",
    "json",
]
"""The kinds of files and folders that bookbuilder reads or writes."""


class Recognised(NamedTuple):
    """What a file or folder is."""

    kind: Kind  # its kind
    what: str  # the kind in words, with an article
    game: Game | None = None  # the game, if the beginning of the content tells
    format: str | None = None  # of a book, the name of its format


def recognise(path: Path) -> Recognised | None:
    """Return what a file or folder is by its content; None if it is unknown or cannot be read.

    Only the beginning of a file is read. Pipes and devices are not opened.
    """
    try:
        if path.is_dir():
            return _folder(path)
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
        if found := _signed(path, head) or _records(path, head):
            return found
        from bookbuilder import _core

        game = as_game(_core.detect_game(str(path)))
        return Recognised(kind="archive", what=f"an archive of {game} games", game=game)
    except (OSError, ArchiveError):
        return None


def describe_mistake(path: Path, wanted: Kind, *, is_clustered: bool = False) -> str | None:
    """Return what a path is instead of what is wanted, and the command that makes what is wanted.

    The text begins with the path; None if the path is of the wanted kind or is not recognised. If
    `is_clustered`, a book of another format is a mistake too.
    """
    found, name = recognise(path), shlex.quote(str(path))
    if found is None or wanted not in _WANTED:
        return None
    if found.kind == "run":
        return f"{path}: is {found.what}; repeat its tally command, which resumes it"
    if found.kind == wanted:
        if not is_clustered or found.format == "book":
            return None
        convert = f"bookbuilder book convert {name} {shlex.quote(path.with_suffix('.book').name)}"
        return f"{path}: is {found.what}; expected a clustered book. Convert it with: {convert}"
    is_usable = found.kind == "archive" or (found.kind == "store" and wanted == "book")
    expected = _WANTED[wanted].format(games=name if is_usable else "GAMES")
    if wanted == "archive":
        use = _USES.get(found.kind, "See its facts with: bookbuilder info {path}")
        expected += f". {use.format(path=name)}"
    return f"{path}: is {found.what}; expected {expected}"


_WANTED: Final[dict[Kind, str]] = {
    "store": "a tally store. Count one with: bookbuilder tally {games} -o NAME.store",
    "book": "a book. Build one with: bookbuilder build {games} -o NAME.book",
    "archive": "archives of games",
    "endgames": "a folder of endgame tables. Build one with: bookbuilder endgame build KRvK -o DIR",
    "recipe": "a book or its recipe as JSON. Build a book with: bookbuilder build {games} -o NAME.book",
}


# What can be done with a path that holds no games.
_USES: Final[dict[Kind, str]] = {
    "store": "Merge stores with: bookbuilder tally merge {path} OTHER -o NAME.store",
    "book": "Look inside the book with: bookbuilder show {path}",
}

# Enough for 4,096 records of a Polyglot book.
_HEAD: Final = 1 << 16
_MANIFEST: Final = "manifest.json"
_RUN: Final = ".tmp-work"

# Names in the first line of files with lines of JSON. Journals begin with the name of their kind.
_JSON_LINES: Final[tuple[tuple[set[str], Kind, str], ...]] = (
    ({"match"}, "match", "the journal of a match"),
    ({"evaluation"}, "evaluation", "the journal of an evaluation"),
    ({"growth"}, "growth", "the log of a book that grows"),
    ({"edits"}, "edits", "changes of a book by hand"),
    ({"source", "reason", "token"}, "rejects", "a list of rejected games"),
    ({"book", "moves"}, "lines", "the lines of engine walk"),
)
# Words, and the game of formats for one game.
_BOOKS: Final[dict[str, tuple[str, Game | None]]] = {
    "book": ("a clustered book", None),
    "polyglot": ("a Polyglot book", "chess"),
    "abk": ("an Arena book (ABK)", "chess"),
    "book-dat": ("a BOOK.DAT of ElephantEye", "xiangqi"),
    "obk": ("an OBK book", "xiangqi"),
    "csv": ("a book as CSV", None),
}
# XQF, gzip, bzip2, xz, zstd, zip, 7z and RAR: a short file may look like a record.
_NAMED: Final = (b"XQ", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK", b"7z\xbc\xaf", b"Rar!")
# A tag, or move 1.
_PGN: Final = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*\w+\s|1\s*\.)")
_SIGNATURES: Final = ((b"BOOKBLDR", "book"), (b"\x03ABK", "abk"), (b"\x03AB2", "abk"))


def _book(name: str) -> Recognised:
    what, game = _BOOKS[name]
    return Recognised(kind="book", what=what, format=name, game=game)


def _folder(path: Path) -> Recognised | None:
    if (path / _MANIFEST).is_file():
        text = (path / _MANIFEST).read_text(encoding="utf-8", errors="replace")
        return Recognised(kind="store", what="a tally store", game=_game_in(_object(text)))
    if (path / _RUN).is_dir():
        return Recognised(kind="run", what="a tally store whose first run has not ended")
    if any(path.glob("*.bbtb")):
        return Recognised(kind="endgames", what="a folder of endgame tables")
    return None


def _signed(path: Path, head: bytes) -> Recognised | None:
    """Recognise a file by its first bytes, or by the JSON in its first line."""
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return _book(name)
    if head.startswith(b"SQLite format 3\0"):
        return _book("obk") if b"bhobk" in head or b"pfBook" in head else None
    if head.startswith(b"PAR1"):
        with path.open("rb") as stream:
            stream.seek(max(path.stat().st_size - _HEAD, 0))
            is_evals = b"bookbuilder.evals" in stream.read()
        return Recognised(kind="evals", what="a file of evaluations") if is_evals else None
    if path.suffix.lower() == ".bbtb":
        return Recognised(kind="endgames", what="an endgame table")
    text = head.decode("utf-8", errors="replace")
    if {"fen", "move", "weight"} <= set(text.partition("\n")[0].replace('"', "").strip().split(",")):
        return _book("csv")
    return _json(path, text) if text.lstrip().startswith("{") else None


def _json(path: Path, text: str) -> Recognised | None:
    """Recognise a JSON file, or the first line of a file with one JSON value a line."""
    line = _object(text.partition("\n")[0])
    for names, kind, what in _JSON_LINES:
        if names <= line.keys():
            return Recognised(kind=kind, what=what, game=_game_in(line.get(kind)))
    # Of lines, only the first is read.
    data = line or _object(path.read_text(encoding="utf-8", errors="replace"))
    if {"selection", "sources"} <= data.keys() or {"merge", "parts"} <= data.keys():
        return Recognised(kind="recipe", what="the recipe of a book", game=_game_in(data))
    if data.get("kind") == "bookbuilder tally store":
        return Recognised(kind="json", what=f"the manifest of the tally store {path.parent}")
    # As the core reads games of api.chess.com and lichess.
    has_games = isinstance(data.get("games"), list) or data.keys() & {"pgn", "players"}
    return None if has_games or not data else Recognised(kind="json", what="JSON without games")


def _object(text: str) -> dict[str, Any]:
    """Return a JSON object; an empty one if the text is not an object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _game_in(facts: object) -> Game | None:
    game = facts.get("game") if isinstance(facts, dict) else None
    return as_game(game) if game in GAMES_KNOWN else None


def _records(path: Path, head: bytes) -> Recognised | None:
    """Recognise a file of sorted records, by the layout of its suffix first."""
    if not head or head.isascii() or head.startswith(_NAMED) or _PGN.match(head):
        return None
    known = [("polyglot", _is_polyglot), ("book-dat", _is_book_dat)]
    if path.suffix.lower() == ".dat":
        known.reverse()
    return next((_book(name) for name, fits in known if fits(head)), None)


def _is_polyglot(head: bytes) -> bool:
    """Return whether bytes begin with ascending keys, each with a move and its promotion."""
    rows = list(struct.iter_unpack(">QHHI", head[: len(head) // 16 * 16]))
    if head[:12] == bytes(8) + b"@PG@":  # the head of XBoard's books, in records of key 0
        rows = [row for row in rows if row[0]]
    keys, moves = ([row[column] for row in rows] for column in (0, 1))
    # Zero moves are gaps; a file of gaps is not a book.
    return any(keys) and any(moves) and all(move >> 12 <= 4 for move in moves) and keys == sorted(keys)


def _is_book_dat(head: bytes) -> bool:
    """Return whether bytes begin with ascending locks and moves between squares of the board."""
    rows = list(struct.iter_unpack("<IBBH", head[: len(head) // 8 * 8]))
    order = [(lock, target, origin) for lock, origin, target, _ in rows]
    squares = {square for row in order for square in row[1:]}
    on_board = all(3 <= square >> 4 <= 12 and 3 <= square & 15 <= 11 for square in squares)
    return bool(rows) and on_board and order == sorted(order)
