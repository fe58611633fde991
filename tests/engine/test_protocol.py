"""The engine at the end of a pipe, driven by python-chess, in xiangqi's three spellings, and badly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest
from support.protocols import Engine
from support.selections import LITERATURE

from bookbuilder import Book, MoveBook, Position, Tally, select, write_moves

COMMAND = [sys.executable, "-P", "-m", "bookbuilder", "engine"]


@pytest.fixture
def uci() -> Iterator[chess.engine.SimpleEngine]:
    """A running engine, spoken to by python-chess."""
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, "uci"], timeout=60) as engine:
        yield engine


def dialogue(protocol: str, *lines: str, arguments: tuple[str, ...] = ()) -> list[str]:
    """What the engine answers to lines that come all at once."""
    ran = subprocess.run(
        [*COMMAND, protocol, *arguments],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def best_of(lines: list[str]) -> str:
    """The last move answered."""
    return next(line for line in reversed(lines) if line.startswith("bestmove")).split()[1]


def test_uci_game_to_mate(uci: chess.engine.SimpleEngine) -> None:
    board = chess.Board("8/8/8/8/8/2k5/8/K6q w - - 0 1")
    assert uci.play(board, chess.engine.Limit(depth=2)).move is not None
    board = chess.Board()
    for _ in range(30):
        result = uci.play(board, chess.engine.Limit(nodes=2000))
        assert result.move in board.legal_moves
        board.push(result.move)
    board = chess.Board("6k1/8/6K1/8/8/8/8/R7 w - - 0 1")
    while not board.is_game_over():
        result = uci.play(board, chess.engine.Limit(depth=6), info=chess.engine.INFO_ALL)
        assert result.move is not None
        board.push(result.move)
    assert board.is_checkmate()


def test_analysis_reports_all_fields(uci: chess.engine.SimpleEngine) -> None:
    info = uci.analyse(chess.Board(), chess.engine.Limit(depth=6))
    assert {"depth", "seldepth", "score", "nodes", "nps", "hashfull", "time", "pv", "multipv"} <= set(info)
    assert info["depth"] == 6
    limit = chess.engine.Limit(depth=6)
    mate = uci.analyse(chess.Board("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1"), limit)
    assert mate["score"].white() == chess.engine.Mate(2)
    mated = uci.analyse(chess.Board("7k/1R6/8/8/8/8/R7/4K3 b - - 0 1"), limit)
    assert mated["score"].white() == chess.engine.Mate(1)


def test_multipv_lines_differ_and_scores_fall(uci: chess.engine.SimpleEngine) -> None:
    lines = uci.analyse(chess.Board(), chess.engine.Limit(depth=5), multipv=5)
    assert len({line["pv"][0] for line in lines}) == 5
    scores = [line["score"].relative.score() for line in lines]
    assert scores == sorted(scores, reverse=True)
    only = uci.analyse(chess.Board("k7/8/1K6/8/8/8/8/7R b - - 0 1"), chess.engine.Limit(depth=3), multipv=5)
    assert len(only) == 1


def test_ponder_hit_and_miss(uci: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    for hits in (True, False, True):
        result = uci.play(board, chess.engine.Limit(white_clock=3.0, black_clock=3.0), ponder=True)
        assert result.move is not None
        board.push(result.move)
        assert result.ponder in board.legal_moves
        replies = [move for move in board.legal_moves if (move == result.ponder) == hits]
        board.push(replies[0])
    assert uci.play(board, chess.engine.Limit(depth=2)).move in board.legal_moves


def test_options_are_listed_and_set(uci: chess.engine.SimpleEngine) -> None:
    assert {"Hash", "Threads", "MultiPV", "Ponder", "Book file", "Book mode", "Book depth"} <= set(
        uci.options
    )
    uci.configure({"Hash": 4, "Threads": 2, "Clear Hash": None})
    assert uci.play(chess.Board(), chess.engine.Limit(depth=5)).move is not None
    uci.configure({"Hash": 1, "Threads": 1})
    with pytest.raises(chess.engine.EngineError):
        uci.configure({"Hash": 0})
    uci.ping()


def test_fixed_nodes_repeat_exactly() -> None:
    def search() -> tuple[object, ...]:
        with chess.engine.SimpleEngine.popen_uci([*COMMAND, "uci"], timeout=60) as engine:
            info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=30_000))
            return info["nodes"], info["score"], tuple(info["pv"])

    assert search() == search()


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book with one line, in a folder whose name holds a space."""
    folder = tmp_path_factory.mktemp("a folder")
    games = folder / "games.pgn"
    games.write_text('[Result "1-0"]\n\n1. a4 h5 2. a5 1-0\n\n', encoding="utf-8")
    return Book.write(
        folder / "the line.book", select(Tally.from_archives(games), LITERATURE, min_win_rate=0)
    ).path


def test_book_options_control_book_moves(uci: chess.engine.SimpleEngine, book: Path) -> None:
    limit = chess.engine.Limit(depth=3)
    board = chess.Board()
    uci.configure({"Book file": str(book)})
    assert uci.play(board, limit).move == chess.Move.from_uci("a2a4")
    uci.configure({"Book mode": "off"})
    assert uci.play(board, limit).move != chess.Move.from_uci("a2a4")
    uci.configure({"Book mode": "hints"})
    assert uci.play(board, limit).move == chess.Move.from_uci("a2a4")
    uci.configure({"Book mode": "root", "Book depth": 2})
    assert uci.play(board, limit).move == chess.Move.from_uci("a2a4")
    board.push_uci("a2a4")
    board.push_uci("h7h5")
    assert uci.play(board, limit).move != chess.Move.from_uci("a4a5")
    uci.configure({"Book depth": 3})
    assert uci.play(board, limit).move == chess.Move.from_uci("a4a5")
    # Analysis is about the position, not about the book.
    assert uci.analyse(board, limit)["pv"]


def test_first_book_with_a_move_plays_and_that_of_a_side_before_others(book: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    games = tmp_path / "other.pgn"
    games.write_text('[Result "1-0"]\n\n1. h4 a5 2. Rh3 1-0\n\n', encoding="utf-8")
    chosen = select(Tally.from_archives(games), min_games=1, min_win_rate=0, shape="moves")
    write_moves(other, MoveBook.from_selection(chosen))

    def played(moves: str, *arguments: str) -> str:
        return best_of(dialogue("uci", f"position startpos moves {moves}", "go depth 2", arguments=arguments))

    both = ("--book", str(book), "--book", str(other))
    assert [played(moves, *both) for moves in ("", "h2h4 a7a5")] == ["a2a4", "h1h3"]
    own = ("--book", str(book), "--white-book", str(other))
    assert [played(moves, *own) for moves in ("", "a2a4")] == ["h2h4", "h7h5"]
    assert played("", "--book", str(book), "--black-book", str(other)) == "a2a4"


def test_books_are_loaded_by_default_and_reported(book: Path) -> None:
    load = f"setoption name Book file value {book}"
    lines = dialogue("uci", load, "setoption name Hash value 4", "setoption name Book mode value root")
    assert sum("3 of 3 records of the book loaded in" in line for line in lines) == 2


@pytest.mark.parametrize(
    "lines",
    [
        ("setoption name UCI_AnalyseMode value true", "go depth 3"),
        ("setoption name MultiPV value 2", "go depth 3"),
        ("go depth 3 searchmoves a2a4 e2e4",),
    ],
    ids=" ".join,
)
def test_analysis_never_answers_from_the_book(book: Path, lines: tuple[str, ...]) -> None:
    def is_searched(*said: str) -> bool:
        answers = dialogue("uci", *said, arguments=("--book", str(book)))
        return any(line.startswith("info depth 1 ") for line in answers)

    assert not is_searched("go depth 3")
    assert is_searched(*lines)


def test_invalid_option_at_start_exits_with_2(tmp_path: Path) -> None:
    for arguments in (["--book", str(tmp_path / "none.book")], ["--option", "Hash"], ["--option", "No=1"]):
        ran = subprocess.run([*COMMAND, "uci", *arguments], capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr


def test_xiangqi_moves_like_fairy_stockfish() -> None:
    lines = dialogue(
        "uci",
        "uci",
        "setoption name UCI_Variant value xiangqi",
        "position startpos moves h3e3 h10g8",
        "go depth 4",
    )
    position = Position("xiangqi")
    for text in ("h3e3", "h10g8"):
        position = position.play(position.parse_move(text, "uci"))
    position.parse_move(best_of(lines), "uci")


def test_ucci_dialogue() -> None:
    """A GUI's side of a game: every answer is legal, to the end or for thirty moves."""
    engine, start = Engine("self", "ucci"), Position("xiangqi")
    position, moves = start, list[str]()
    while len(moves) < 30 and position.verdict is None:
        go = "go time 3000 increment 20" if len(moves) % 2 else "go nodes 3000"
        engine.say(f"position fen {start.fen}{' moves ' if moves else ''}{' '.join(moves)}", go, "isready")
        lines = engine.hear("readyok", answers=1)
        moves.append(best_of(lines))
        position = position.play(position.parse_move(moves[-1], "iccs"))
    engine.say("quit")
    assert engine.hear("bye")[-1] == "bye"
    assert engine.process.wait(30) == 0
    engine.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
def test_fifo_is_refused_as_book(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.book")
    lines = dialogue("uci", f"setoption name Book file value {tmp_path / 'f.book'}", "isready")
    assert "not a regular file" in lines[0]
    assert lines[-1] == "readyok"


def test_simple_start_loads_no_heavy_packages() -> None:
    """What a GUI waits for is the interpreter and the core; typer alone would take longer than both."""
    code = (
        "import sys\nfrom bookbuilder.cli.engine.pipe import serve_plainly\n"
        "assert serve_plainly(['uci', '--option', 'Hash=2']) == 0\n"
        "assert serve_plainly(['uci', '--help']) is serve_plainly(['uci', '--option']) is None\n"
        "print({'typer', 'rich', 'pandas', 'pyarrow', 'numpy'} & set(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code], input="quit\n", capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "set()"
