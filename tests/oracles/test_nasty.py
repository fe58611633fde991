"""Hostile chess files: we read the same games as python-chess.

The test compares each game of standard chess that python-chess reads without an error, with a legal main line
and a move or a tag: main line, result, all tags, start, variations, comments and glyphs.

Intended differences between the readers:

- The termination marker has priority over the Result tag, unless it is `*`.
- A missing Date tag is taken from UTCDate.
- Blank lines within a game do not end it (`text_of`).
- Null moves are illegal: a variation ends before it, and a game with one in its main line is rejected.

`EXCEPTIONS` has the rest.
"""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chess.pgn
import pytest
from support.cli_runner import run
from support.nasty_files import FOLDER, Row, table

pytestmark = pytest.mark.corpus

# Files that python-chess reads differently, with the reason.
EXCEPTIONS = {
    "pgn-extract/test/infield/test-nochecks.pgn": "python-chess reads over a marker into the next game",
    "pgn-extract/test/infield/test-stalemate.pgn": "python-chess reads over a marker into the next game",
    "shakmaty/fuzz/corpus/san_from_ascii/move": "a single move without a number is not a game",
}
# A byte order mark, a character for each byte.
BOM = "\xef\xbb\xbf"
# Files with more games are compared in the slow suite.
MANY = 100


class Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Remember what python-chess does not keep: the original tags, and the termination marker."""

    def begin_game(self) -> None:
        """Forget the game before."""
        super().begin_game()
        self.game.tags: dict[str, str] = {}  # type: ignore[attr-defined, misc]
        self.game.marker = None  # type: ignore[attr-defined]

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Take a tag."""
        super().visit_header(tagname, tagvalue)
        self.game.tags[tagname] = tagvalue  # type: ignore[attr-defined]

    def visit_result(self, result: str) -> None:
        """Take a termination marker."""
        super().visit_result(result)
        self.game.marker = result  # type: ignore[attr-defined]


def text_of(path: Path) -> str:
    """Return one character for each byte, so that offsets are equal, with normal line ends.

    Where two blank lines follow the tags, or one a comment before the moves, python-chess sees a game without
    moves and one without tags; so these become spaces.
    """
    text = re.sub(rb"\r(?!\n)", b"\n", path.read_bytes()).decode("latin-1")
    blank = r"(?:[ \t\r]*\n)"
    text = re.sub(
        rf"(\]\r?\n)({blank}{{2,}})(?=[^\[\s])", lambda m: m[1] + " " * (len(m[2]) - 1) + "\n", text
    )
    head = rf"((?:\A|\]\r?\n{blank})\{{[^}}]*\}})({blank}{{2,}})(?=[^\[\s])"
    return re.sub(head, lambda m: m[1] + " " * len(m[2]), text)


def theirs(path: Path) -> Iterator[tuple[int, Any]]:
    """Return the games that python-chess finds in a file, with their offsets."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    text = text_of(path)
    stream = io.StringIO(text, newline="\n")
    stream.seek(len(BOM) if text.startswith(BOM) else 0)
    while True:
        place = stream.tell()
        game = chess.pgn.read_game(stream, Visitor=Reader)
        if game is None:
            return
        blank = re.compile(r"(?:\s+|[%;][^\n]*\n)*").match(text, place)
        yield blank.end() if blank else place, game


class Ours(NamedTuple):
    """A game as we read it."""

    offset: int
    end: int
    line: list[str] | None
    """Moves and result; None if the game was rejected."""
    game: Any
    """As python-chess reads it in the PGN that we write; None if the game or a variation was rejected."""


def ours(path: Path, folder: Path) -> list[Ours]:
    """Return the games that we find in a file."""
    listed = run("games", "list", path, "--game", "chess", "--json", "--quiet").out.splitlines()
    lines, rejects = converted(path, folder / "out.txt", "--to", "lines", "--notation", "uci")
    pgn, not_written = converted(path, folder / "out.pgn", "--to", "pgn")
    each_line, stream = iter(lines.splitlines()), io.StringIO(pgn)
    games = []
    for row in map(json.loads, listed):
        number, start = row["number"], row["offset"]
        line = None if number in rejects else next(each_line).split()
        game = None if number in not_written else chess.pgn.read_game(stream, Visitor=Reader)
        games.append(Ours(start, start + row["length"], line, game))
    assert next(each_line, None) is None
    assert chess.pgn.read_game(stream) is None
    return games


def converted(path: Path, out: Path, *options: str) -> tuple[str, set[int]]:
    """Return the converted file, and the numbers of the games that are not converted."""
    rejects = out.with_suffix(".jsonl")
    for each in (out, rejects):
        each.unlink(missing_ok=True)
    run("games", "convert", path, "--game", "chess", *options, "-o", out, "--rejects", rejects, "--quiet")
    if not rejects.exists():
        return "", set()
    numbers = {json.loads(line)["game"] for line in rejects.read_text(encoding="utf-8").splitlines()}
    return out.read_text(encoding="utf-8") if out.exists() else "", numbers


def is_compared(game: Any) -> bool:
    """Return whether both readers must agree on a game."""
    if game.errors or not (game.tags or game.variations):
        return False
    board = game.board()
    if type(board) is not chess.Board or game.headers.is_chess960() or not board.is_valid():
        return False
    for move in game.mainline_moves():
        if not board.is_legal(move):
            return False
        board.push(move)
    return True


def result_of(game: Any) -> str:
    """Return the result; a marker other than `*` has priority."""
    tag = game.tags.get("Result", "").strip()
    marker = game.marker or "*"
    return tag if marker == "*" and tag in {"1-0", "0-1", "1/2-1/2"} else marker


def decoded(text: str) -> str:
    """Decode a text whose characters are bytes, as UTF-8 or else as Windows-1252."""
    content = text.encode("latin-1")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def tags(values: dict[str, str]) -> dict[str, str]:
    """Return the non-empty tags without escapes; result and start are compared separately."""
    return {
        name: re.sub(r'\\(["\\])', r"\1", value).strip()
        for name, value in values.items()
        if name not in {"Result", "FEN", "SetUp"} and value.strip() not in {"", "?", "????.??.??"}
    }


def tree(game: Any, *, is_bytes: bool) -> list[Any]:
    """Return every move with its depth, comments and glyphs, ignoring space and braces in comments."""

    def plain(comment: str) -> str:
        text = decoded(comment) if is_bytes else comment
        return " ".join(text.split())

    rows, stack = [], [(0, game)]
    while stack:
        depth, node = stack.pop()
        comments = plain(f"{node.starting_comment} {node.comment}")
        rows.append((depth, node.move, comments, sorted(node.nags)))
        stack += [(depth + 1, child) for child in reversed(node.variations)]
    return rows


def without_null_moves(game: Any) -> Any:
    """The game with its variations ended before their null moves, as we write them."""
    stack = [game]
    while stack:
        node = stack.pop()
        node.variations = [child for child in node.variations if child.move]
        stack += node.variations
    return game


def differences(their: Any, our: Ours) -> Iterator[str]:
    """Return the differences between the two readings of a game."""
    moves = [move.uci() for move in their.mainline_moves()]
    if our.line is None:
        yield "we reject it"
        return
    *words, result = our.line
    # A custom start is before the moves.
    if moves != [word for word in words if re.fullmatch("[a-h][1-8][a-h][1-8][qrbn]?", word)]:
        yield f"main line {moves}, ours {words}"
    if result != result_of(their):
        yield f"result {result_of(their)}, ours {result}"
    if our.game is None:
        yield "we reject it"
        return
    their_tags, our_tags = tags({k: decoded(v) for k, v in their.tags.items()}), tags(our.game.tags)
    if "Date" not in their_tags and our_tags.get("Date") == their_tags.get("UTCDate"):
        our_tags.pop("Date", None)
    if our_tags != their_tags:
        yield f"tags {sorted(their_tags.items() ^ our_tags.items())}"
    if our.game.board() != their.board():
        yield f"start {their.board().fen()}, ours {our.game.board().fen()}"
    if tree(our.game, is_bytes=False) != tree(without_null_moves(their), is_bytes=True):
        yield "variations, comments or glyphs"


def compare(path: Path, folder: Path) -> tuple[int, list[str]]:
    """Return the number of compared games, and the differences."""
    mine = ours(path, folder)
    found, compared = [], 0
    for place, game in theirs(path):
        if not is_compared(game):
            continue
        compared += 1
        here = [our for our in mine if our.offset <= place < our.end]
        if here:
            found += [f"byte {place}: {each}" for each in differences(game, here[0])]
        else:
            found.append(f"byte {place}: we see no game")
    return compared, found


def with_marks(row: Row) -> Any:
    """Return a test parameter; files with many games are slow."""
    return pytest.param(row.file, marks=[pytest.mark.slow] if row.read > MANY else [])


@pytest.mark.parametrize("name", [with_marks(row) for row in table()])
def test_python_chess_reads_the_same_games(corpus: Path, tmp_path: Path, name: str) -> None:
    compared, found = compare(corpus / FOLDER / name, tmp_path)
    if name in EXCEPTIONS:
        assert len(found) >= 1, f"{name} is read alike: remove the exception"
    else:
        assert found == [], f"{compared} games compared"
