"""Endgame tables from Python and from the command line: built, asked, counted, checked, refused."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder.analysis import plots
from bookbuilder.engine.endgames import (
    Built,
    Endgames,
    RankedMove,
    Value,
    build_tables,
    table_stats,
    verify_table,
)
from bookbuilder.errors import EndgameError, FenError, OptionError

ROOK_ENDING = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
MATED = "8/8/8/8/8/6K1/8/R5k1 b - - 0 1"
CANNON_ENDING = "4k4/9/9/9/9/9/9/9/4A4/C2K5 w - - 0 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small tables of both games."""
    tables = tmp_path_factory.mktemp("tables")
    build_tables(["KRvK"], tables)
    build_tables(["KRvK"], tables, metric="dtz")
    build_tables(["KCAvK"], tables, game="xiangqi")
    return tables


def test_probe_both_games(folder: Path) -> None:
    tables = bb.Endgames(folder)
    assert tables.probe(ROOK_ENDING) == Value(1, 31, None, 31)
    assert tables.probe(chess.Board(MATED)) == Value(-1, 0, None, 0)
    assert tables.probe(bb.Position("xiangqi", CANNON_ENDING)) == Value(1, 11, None, None)
    assert tables.probe(CANNON_ENDING, game="xiangqi") == tables.find(CANNON_ENDING, game="xiangqi")
    unknown = "8/8/8/8/8/2k5/1Q6/K6R b - - 0 1"
    assert tables.probe(unknown) is None
    assert tables.probe_all([ROOK_ENDING, unknown, MATED]) == [
        Value(1, 31, None, 31),
        None,
        Value(-1, 0, None, 0),
    ]
    assert tables.probe_all([CANNON_ENDING], game="xiangqi") == [Value(1, 11, None, None)]
    with pytest.raises(FenError):
        tables.probe_all([ROOK_ENDING, "8/8/8"])


def test_best_moves_and_lines_lead_to_mate(folder: Path) -> None:
    tables = Endgames(folder)
    board = chess.Board(ROOK_ENDING)
    moves = tables.moves(board)
    assert moves[0] == RankedMove(tables.best(board)[0], 1, 31)
    assert len(moves) == board.legal_moves.count()
    for text in tables.line(board):
        board.push_uci(text)
    assert board.is_checkmate()
    assert board.ply() == 31


def test_census_counts_every_position(folder: Path) -> None:
    counted = table_stats(folder, "KRvK")
    first, second = counted["sides"]["first"], counted["sides"]["second"]
    assert (first["legal"], first["win"], first["max_win"], first["max_win_count"]) == (
        175168,
        175168,
        31,
        916,
    )
    assert (second["mated"], second["stalemated"]) == (216, 68)
    assert sum(second["losses"].values()) == second["loss"] == 201700
    assert second["up_to_symmetry"] == {"legal": 28056, "win": 0, "draw": 2796, "loss": 25260}
    assert plots.endgame(counted).get_title(loc="left").startswith("KRvK")


def test_interrupted_build_is_resumed(tmp_path: Path) -> None:
    seen: list[Built] = []
    build_tables(["KRvK"], tmp_path, report=seen.append)
    (tmp_path / "KRvK.chess.dtm.bbtb").unlink()
    build_tables(["KRvK"], tmp_path, report=seen.append)
    assert [(each.material, each.was_there) for each in seen[2:]] == [("KvK", True), ("KRvK", False)]


def test_invalid_requests_are_refused(folder: Path, tmp_path: Path) -> None:
    tables = Endgames(folder)
    for name in ("KRK", "KXvK", "KRRRvK", "KQRBvKQ"):
        with pytest.raises(EndgameError, match=name):
            build_tables([name], tmp_path)
    with pytest.raises(OptionError, match="dtz"):
        build_tables(["KRvK"], tmp_path, game="xiangqi", metric="dtz")
    with pytest.raises(EndgameError, match="castling"):
        tables.find("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with pytest.raises(EndgameError, match="KQvK"):
        tables.find("8/8/8/8/8/2k5/6Q1/K7 w - - 0 1")
    with pytest.raises(EndgameError, match="KQvK"):
        table_stats(folder, "KQvK")
    with pytest.raises(EndgameError, match="memory"):
        build_tables(["KQRvK"], tmp_path / "small", memory_mib=1)


def test_every_altered_block_is_detected(tmp_path: Path) -> None:
    build_tables(["KQvK"], tmp_path)
    path = tmp_path / "KQvK.chess.dtm.bbtb"
    sound = path.read_bytes()
    cells = int.from_bytes(sound[32:40], "little")
    blocks = 2 * -(-cells // 16384)  # of both sides to move, a byte a cell
    lengths = [
        int.from_bytes(sound[at : at + 4], "little") & 0x3FFF_FFFF for at in range(128, 128 + 8 * blocks, 8)
    ]
    assert 128 + 8 * blocks + sum(lengths) == len(sound)
    start = 128 + 8 * blocks
    for block, length in enumerate(lengths):
        middle = start + length // 2
        path.write_bytes(sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :])
        with pytest.raises(EndgameError, match=f"{path.name}: block {block} of {blocks}"):
            verify_table(tmp_path, "KQvK")
        start += length
    path.write_bytes(sound[:-1])
    with pytest.raises(EndgameError, match="bytes, expected"):
        Endgames(tmp_path)


def test_engine_scores_from_tables(folder: Path) -> None:
    engine = bb.Engine("chess", hash_mib=1, endgames=folder)
    found = engine.search(ROOK_ENDING, depth=2)
    assert found.mate_in == 31
    assert found.endgame_hits > 0
    engine = bb.Engine("xiangqi", hash_mib=1)
    assert engine.load_endgames(folder) > 0
    assert engine.search(CANNON_ENDING, depth=2).mate_in == 11


def test_endgame_commands(folder: Path, tmp_path: Path) -> None:
    built = json.loads(run("endgame", "build", "KvK", "-o", tmp_path, "--json").out)
    assert run("endgame", "build", "KvK", "-o", tmp_path, "--memory", "100MiB", "-q").err == ""
    assert [table["material"] for table in built["tables"]] == ["KvK"]
    counted = json.loads(run("endgame", "stats", folder, "KRvK", "--json").out)
    assert counted["sides"]["first"]["wins"]["31"] == 916
    assert "31 (916)" in run("endgame", "stats", folder, "KRvK").out
    checked = json.loads(run("endgame", "verify", folder, "KRvK", "--json").out)
    assert {table["metric"] for table in checked["tables"]} == {"dtm", "dtz"}
    answer = json.loads(run("endgame", "probe", folder, ROOK_ENDING, "--json").out)
    assert (answer["wdl"], answer["dtm"], answer["dtz"], len(answer["line"])) == (1, 31, 31, 31)
    assert answer["line"][0] == answer["best"][0]


def test_census_has_the_game_of_the_folder(tmp_path: Path) -> None:
    build_tables(["KNvKC"], tmp_path, metric="wld")
    asked, stored = (table_stats(tmp_path, name, metric="wld") for name in ("KNvKC", "KCvKN"))
    assert asked == stored
    # Both games have kings, rooks and knights; the folder has this table of xiangqi only.
    assert table_stats(tmp_path, "KNvK", metric="wld")["sides"]["first"]["legal"] > 0
    assert verify_table(tmp_path, "KNvK", metric="wld")[1] == []


def test_solvers_give_one_file_and_numberings_one_answer(tmp_path: Path) -> None:
    folders = {}
    for solver, index in (("retrograde", "gapless"), ("forward", "gapless"), ("retrograde", "gapped")):
        folders[solver, index] = tmp_path / f"{solver}-{index}"
        words = ("--solver", solver, "--index", index, "-o", folders[solver, index], "-q")
        assert run("endgame", "build", "KRvK", *words).code == 0
    plain, forward, gapped = folders.values()
    name = next(plain.glob("KRvK.*")).name
    assert (plain / name).read_bytes() == (forward / name).read_bytes()
    assert (plain / name).read_bytes() != (gapped / name).read_bytes()
    assert table_stats(plain, "KRvK") == table_stats(gapped, "KRvK")
    assert verify_table(gapped, "KRvK")[1] == []
    squares = [f"8/8/8/3k4/8/8/{file}/K7 w - - 0 1" for file in ("1R6", "2R5", "6R1", "7R")]
    assert Endgames(plain).probe_all(squares) == Endgames(gapped).probe_all(squares)
