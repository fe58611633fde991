"""Endgame tables against Syzygy and Gaviota tables, longest lines, and the known census of both games.

BOOKBUILDER_TABLES may name a folder of finished tables (wld, dtm and dtz of all 35 chess materials); missing
tables are built. BOOKBUILDER_POSITIONS is the number of random positions a table, 100,000 if unset: half a
CPU minute a table, nearly all of it in the readers of the oracles.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.syzygy
import pytest
from support.unpacked_syzygy import KeptTables

from bookbuilder.engine.endgames import Endgames, Metric, Value, build_tables, table_stats
from bookbuilder.games.position import Game

pytestmark = [pytest.mark.slow, pytest.mark.corpus]

POSITIONS = int(os.environ.get("BOOKBUILDER_POSITIONS", "100000"))
# All materials of three and four men.
PIECES = "QRBNP"
MATERIALS = [
    *(f"K{piece}vK" for piece in PIECES),
    *(f"K{one}{other}vK" for at, one in enumerate(PIECES) for other in PIECES[at:]),
    *(f"K{one}vK{other}" for at, one in enumerate(PIECES) for other in PIECES[at:]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables of every chess material, wld, dtm and dtz."""
    ready = os.environ.get("BOOKBUILDER_TABLES")
    tables = Path(ready) if ready else tmp_path_factory.mktemp("tables")
    metrics: tuple[Metric, ...] = ("wld", "dtm", "dtz")
    for metric in metrics:
        build_tables(MATERIALS, tables, metric=metric, verify=False)
    return tables


@pytest.fixture(scope="module")
def winners(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with only the wld tables."""
    alone = tmp_path_factory.mktemp("winners")
    for table in folder.glob("*.chess.wld.bbtb"):
        (alone / table.name).symlink_to(table.resolve())
    return alone


class Kept(dict[Any, Any]):
    """The unpacked blocks of a Gaviota table. python-chess would drop blocks beyond 128."""

    def __len__(self) -> int:
        return 0


class Oracles:
    """Both readers of python-chess, which keep every unpacked block."""

    def __init__(self, corpus: Path) -> None:
        self.syzygy = KeptTables()
        self.syzygy.add_directory(str(corpus / "oracles" / "syzygy"))
        self.gaviota = chess.gaviota.PythonTablebase()
        self.gaviota.add_directory(str(corpus / "oracles" / "gaviota"))
        self.gaviota.block_cache = Kept()

    def close(self) -> None:
        """Close the files."""
        self.syzygy.close()
        self.gaviota.close()

    def differ(
        self, board: chess.Board, value: Value | None, winner: Value | None
    ) -> tuple[object, ...] | None:
        """Return their values of a position if they differ from our tables."""
        wdl, dtz = self.syzygy.probe_wdl(board), self.syzygy.probe_dtz(board)
        dtm = self.gaviota.probe_dtm(board)
        assert value is not None
        assert value.dtz is not None
        # Syzygy stores some distances in moves: n may mean n + 1 plies. It calls a mated side lost in 1.
        is_dtz = abs(value.dtz) - abs(dtz) in (0, 1) or ((value.dtz, dtz) == (0, -1) and board.is_checkmate())
        sign = (wdl > 0) - (wdl < 0)
        if winner == (sign, None, None, None) and (value.wdl, value.dtm) == (sign, dtm) and is_dtz:
            return None
        return board.fen(), value, winner, wdl, dtz, dtm


@pytest.fixture
def oracles(corpus: Path) -> Iterator[Oracles]:
    """The readers, with empty caches for each test."""
    oracles = Oracles(corpus)
    yield oracles
    oracles.close()


def random_board(material: str, rng: random.Random) -> chess.Board:
    """Return a legal position of the material, without castling and en passant."""
    first, second = material.split("v")
    while True:
        squares = rng.sample(range(64), len(material) - 1)
        board = chess.Board(None)
        for square, letter in zip(squares, first + second.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid() and can_arise(board):
            return board


def en_passant_board(rng: random.Random) -> chess.Board:
    """Return a legal position of KPvKP with an en passant capture."""
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        file, rank = rng.randrange(8), 4 if board.turn else 3
        board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not board.turn))
        board.ep_square = chess.square(file, 5 if board.turn else 2)
        taker = rng.choice([beside for beside in (file - 1, file + 1) if 0 <= beside < 8])
        board.set_piece_at(chess.square(taker, rank), chess.Piece(chess.PAWN, board.turn))
        empty = [square for square in chess.SQUARES if board.piece_at(square) is None]
        for color, square in zip(chess.COLORS, rng.sample(empty, 2), strict=True):
            board.set_piece_at(square, chess.Piece(chess.KING, color))
        if board.is_valid() and board.has_legal_en_passant():
            return board


def can_arise(board: chess.Board) -> bool:
    """Return whether a move can have given the checks; our FEN reader refuses other positions."""
    leapers = (chess.PAWN, chess.KNIGHT)
    return sum(board.piece_type_at(square) in leapers for square in board.checkers()) < 2


@pytest.mark.parametrize("material", MATERIALS)
def test_random_positions_agree_with_syzygy_and_gaviota(
    material: str, folder: Path, winners: Path, oracles: Oracles
) -> None:
    rng = random.Random(material)
    boards = [random_board(material, rng) for _ in range(POSITIONS)]
    assert differences(boards, folder, winners, oracles) == []


def test_en_passant_positions_agree(folder: Path, winners: Path, oracles: Oracles) -> None:
    rng = random.Random("en passant")
    boards = [en_passant_board(rng) for _ in range(POSITIONS // 20)]
    assert differences(boards, folder, winners, oracles) == []


def differences(
    boards: list[chess.Board], folder: Path, winners: Path, oracles: Oracles
) -> list[tuple[object, ...]]:
    """Return the first positions with different values in our tables and the oracles."""
    fens = [board.fen() for board in boards]
    values, by_winner = Endgames(folder).probe_all(fens), Endgames(winners).probe_all(fens)
    compared = map(oracles.differ, boards, values, by_winner)
    return list(islice(filter(None, compared), 5))


def test_cached_blocks_equal_plain_reading(oracles: Oracles, corpus: Path) -> None:
    with chess.syzygy.open_tablebase(str(corpus / "oracles" / "syzygy")) as plain:
        for material in MATERIALS:
            rng = random.Random(f"plain {material}")
            for board in (random_board(material, rng) for _ in range(50)):
                kept = oracles.syzygy
                assert plain.probe_wdl(board) == kept.probe_wdl(board), board.fen()
                assert plain.probe_dtz(board) == kept.probe_dtz(board), board.fen()


def test_gaviota_suite_distances(folder: Path, corpus: Path) -> None:
    tables = Endgames(folder)
    known = 0
    for line in (corpus / "oracles" / "endgame" / "endgame-dm-4.epd").read_text().splitlines():
        if "dm " not in line or line.startswith("#"):
            continue
        board, operations = chess.Board.from_epd(line)
        value = tables.find(board)
        assert value.dtm is not None
        moves = (abs(value.dtm) + 1) // 2
        assert (moves if value.wdl >= 0 else -moves) == operations["dm"], line
        known += 1
    assert known == 48


def histogram(counted: dict[int, int]) -> str:
    """Return a histogram in the form of the census file."""
    return "".join(f" {plies}:{count}" for plies, count in counted.items())


def lines_of(counted: dict[str, Any], game: Game) -> list[str]:
    """Return the lines of the census file for a table: counts and histograms of both sides."""
    metric = "" if game == "xiangqi" else f" {counted['metric'].upper()}"
    letters = ("r", "b") if game == "xiangqi" else ("w", "b")
    names = ("mated", "stalemated") if game == "xiangqi" else ("mates", "stale")
    lines = []
    for letter, side in zip(letters, ("first", "second"), strict=True):
        s = counted["sides"][side]
        head = f"{counted['material']}{metric} {letter}"
        if game == "chess":
            u = s["up_to_symmetry"]
            lines.append(f"U {head} legal {u['legal']} win {u['win']} draw {u['draw']} loss {u['loss']}")
        lines.append(
            f"{head} legal {s['legal']} win {s['win']} draw {s['draw']} loss {s['loss']} "
            f"maxwin {s['max_win']} nmax {s['max_win_count']} "
            f"maxloss {s['max_loss']} nmax {s['max_loss_count']} "
            f"{names[0]} {s['mated']} {names[1]} {s['stalemated']}"
        )
        lines.append(f"H {head} W{histogram(s['wins'])} L{histogram(s['losses'])}")
    return lines


def test_chess_census(folder: Path, corpus: Path) -> None:
    text = (corpus / "oracles" / "endgame" / "egtb_chess_dev.txt").read_text()
    known = {line.strip() for line in text.splitlines()}
    names = sorted(set(re.findall(r"^(K\w*vK\w*)", text, re.MULTILINE)))
    metrics: tuple[Metric, ...] = ("dtm", "dtz")
    lines = [
        line for n in names for m in metrics for line in lines_of(table_stats(folder, n, metric=m), "chess")
    ]
    assert [line for line in lines if line not in known] == []
    zugzwangs = table_stats(folder, "KPvKP")["zugzwangs"]
    assert list(zugzwangs.values()) == [212, 212, 60]


def test_xiangqi_census(tmp_path: Path, corpus: Path) -> None:
    text = (corpus / "oracles" / "endgame" / "egtb_xiangqi_dev.txt").read_text()
    known = {line.strip() for line in text.splitlines()}
    names = sorted(set(re.findall(r"^(K\w*vK\w*)", text, re.MULTILINE)))
    build_tables(names, tmp_path, game="xiangqi")
    lines = [line for n in names for line in lines_of(table_stats(tmp_path, n, game="xiangqi"), "xiangqi")]
    assert [line for line in lines if line not in known] == []


@pytest.mark.parametrize(
    ("fen", "plies"),
    [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", 31),
        ("8/8/7N/8/8/8/8/K1k1B3 w - - 0 1", 65),
    ],
)
def test_lines_mate_in_their_distance(fen: str, plies: int, folder: Path) -> None:
    tables = Endgames(folder)
    board = chess.Board(fen)
    value = tables.find(board)
    line = tables.line(board)
    for text in line:
        board.push_uci(text)
    assert len(line) == abs(value.dtm or 0)
    assert board.is_checkmate() == (value.wdl != 0)
    assert len(line) == plies
