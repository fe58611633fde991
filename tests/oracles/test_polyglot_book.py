"""Our Polyglot books: every entry equals a count with python-chess, and polyglot and Toga read them."""

from __future__ import annotations

import io
import itertools
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import chess
import chess.engine
import chess.polyglot
import pytest
from backports import zstd
from support.cli_runner import run
from support.selections import ABSOLUTE

POLYGLOT = shutil.which("polyglot") or "/usr/games/polyglot"
TOGA = shutil.which("toga2") or "/usr/games/toga2"
OWN = Path(__file__).resolve().parents[2] / "data" / "chess_selfplay.pgn"
RESULTS = {"1-0": (1, 0, 0), "1/2-1/2": (0, 1, 0), "0-1": (0, 0, 1)}

Counts = dict[tuple[int, int], list[int]]
"""(key, Polyglot's move) → games, and wins, draws, losses of who made the move."""


def games_in(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Result tag and moves of each game of a PGN without variations."""
    result, text = "*", ""
    for line in itertools.chain(lines, ["[Event "]):
        if line.startswith("[Event "):
            # Skip comments and move numbers.
            if words := re.sub(r"\{[^}]*\}|\d+\.+", " ", text).split():
                yield result, words
            result, text = "*", ""
        elif line.startswith("[Result "):
            result = line.split('"')[1]
        elif not line.startswith("["):
            text += line


def polyglot_move(board: chess.Board, move: chess.Move) -> int:
    """Return Polyglot's code of a move; castling is written as king takes rook."""
    target = move.to_square
    if board.is_castling(move):
        target = chess.square(7 if chess.square_file(target) == 6 else 0, chess.square_rank(target))
    promotion = 0 if move.promotion is None else move.promotion - 1
    return promotion << 12 | move.from_square << 6 | target


def aggregated(games: Iterable[tuple[str, list[str]]], plies: int, limit: int | None) -> Counts:
    """Return the counts of all moves; a game counts once in a position, with the first move from it."""
    counts: Counts = defaultdict(lambda: [0, 0, 0, 0])
    for number, (result, words) in enumerate(games):
        if number == limit:
            break
        first: dict[int, tuple[int, bool]] = {}
        board = chess.Board()
        for word in words[:plies]:
            if word in ("1-0", "0-1", "1/2-1/2", "*"):
                break
            move = board.parse_san(word)
            first.setdefault(chess.polyglot.zobrist_hash(board), (polyglot_move(board, move), board.turn))
            board.push(move)
        first_won, drawn, second_won = RESULTS.get(result, (0, 0, 0))
        for key, (code, is_first) in first.items():
            row = counts[key, code]
            row[0] += 1
            row[1] += first_won if is_first else second_won
            row[2] += drawn
            row[3] += second_won if is_first else first_won
    return counts


def expected_entries(counts: Counts, min_games: int, min_win_rate: str) -> dict[tuple[int, int], int]:
    """Return the expected entries of a book, with weights by the documented rule."""
    scores = {}
    for entry, (games, wins, draws, losses) in counts.items():
        decided = wins + losses
        if games >= min_games and (not decided or Fraction(wins, decided) >= Fraction(min_win_rate)):
            scores[entry] = 2 * wins + draws
    most = max(scores.values())
    if most > 65535:
        scores = {entry: (2 * score * 65535 + most) // (2 * most) for entry, score in scores.items()}
    return {entry: score for entry, score in scores.items() if score}


def compare(archive: Path, counts: Counts, path: Path, plies: int, limit: int | None) -> int:
    """Build books of an archive and compare every entry; return the number of entries."""
    entries = 0
    for min_games, min_win_rate in ((1, "0"), (3, "0.5")):
        options = ["--max-ply", plies, "--min-games", min_games, "--min-win-rate", min_win_rate, "--quiet"]
        if limit is not None:
            options += ["--max-games", limit, "--jobs", 1]
        assert run("build", *ABSOLUTE, archive, "-o", path, *options, "--force").code == 0
        with chess.polyglot.open_reader(path) as reader:
            rows = [(entry.key, entry.raw_move, entry.weight, entry.learn) for entry in reader]
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)
        found = {(key, move): weight for key, move, weight, _ in rows}
        assert len(found) == len(rows)
        assert found == expected_entries(counts, min_games, min_win_rate)
        assert not any(row[3] for row in rows)
        entries += len(rows)
    return entries


def test_entries_equal_python_chess_on_our_games(tmp_path: Path) -> None:
    with OWN.open(encoding="utf-8") as lines:
        counts = aggregated(games_in(lines), plies=24, limit=150)
    assert compare(OWN, counts, tmp_path / "own.bin", plies=24, limit=150) > 1_500


def zstd_lines(path: Path) -> io.TextIOWrapper:
    """The lines of a compressed archive."""
    return io.TextIOWrapper(zstd.open(path), encoding="latin-1")


@pytest.mark.corpus
def test_entries_equal_python_chess_on_real_games(corpus: Path, tmp_path: Path) -> None:
    archive = corpus / "data/chess/pgnmentor_sample20k_dev.pgn.zst"
    with zstd_lines(archive) as lines:
        counts = aggregated(games_in(lines), plies=20, limit=1_500)
    assert compare(archive, counts, tmp_path / "sample.bin", plies=20, limit=1_500) > 10_000


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of our own games."""
    path = tmp_path_factory.mktemp("books") / "own.bin"
    assert (
        run("build", *ABSOLUTE, OWN, "-o", path, "--min-games", 2, "--min-win-rate", 0, "--quiet").code == 0
    )
    return path


def require(program: str) -> None:
    """Skip where a program is not installed; the gate installs both."""
    if not Path(program).exists():
        pytest.skip(f"{program} is not installed")


def test_polyglot_program_reads_the_book(book: Path) -> None:
    require(POLYGLOT)
    info = subprocess.run(
        [POLYGLOT, "info-book", "-bin", str(book)],
        capture_output=True,
        text=True,
        check=True,
        cwd=book.parent,
    ).stdout
    figures = {name: int(number) for name, number in re.findall(r"(?m)^(.+?)\s*:\s+(\d+)$", info)}
    assert figures["Lines for white"] > 100
    assert figures["Lines for black"] > 100
    with chess.polyglot.open_reader(book) as reader:
        best = reader.find(chess.Board())
        total = sum(entry.weight for entry in reader.find_all(chess.Board()))
    dump = book.with_suffix(".txt")
    subprocess.run(
        [POLYGLOT, "dump-book", "-bin", str(book), "-color", "white", "-out", str(dump)],
        capture_output=True,
        check=True,
        cwd=book.parent,
    )
    lines = dump.read_text().splitlines()
    assert len(lines) > figures["Lines for white"]
    share = 100 * best.weight / total
    first = re.match(r"1: 1\. (\S+)\{(\d+)%\}", lines[1])
    assert first is not None
    assert chess.Board().parse_san(first[1]) == best.move
    assert abs(int(first[2]) - share) <= 1


def test_toga_plays_from_book(book: Path) -> None:
    require(TOGA)
    played = 0
    with (
        chess.engine.SimpleEngine.popen_uci(TOGA, cwd=book.parent) as engine,
        chess.polyglot.open_reader(book) as reader,
    ):
        engine.configure({"OwnBook": True, "BookFile": str(book)})
        for _ in range(5):
            board = chess.Board()
            while known := {entry.move for entry in reader.find_all(board)}:
                # In Polyglot's books the king takes its rook; Toga does not know that, and
                # searches if it draws such a move.
                if any(board.is_castling(move) for move in known):
                    break
                answer = engine.play(
                    board, chess.engine.Limit(depth=2), game=object(), info=chess.engine.INFO_ALL
                )
                assert answer.move in known
                # A move of the book costs no search.
                assert answer.info.get("nodes", 0) == 0
                assert answer.move is not None
                board.push(answer.move)
                played += 1
    assert played >= 4
