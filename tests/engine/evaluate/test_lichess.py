"""The reader of lichess's dump of evaluations, on lines of its form."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import chess
import pyarrow as pa
import pytest
from support.cli_runner import run

from bookbuilder import Evals, as_position
from bookbuilder.engine.evaluate.imports import LICHESS, read_dump
from bookbuilder.engine.evaluate.plan import Plan, Target
from bookbuilder.errors import ArchiveError

CASTLING = "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5"
STARTS = (("startpos", "e2e4"), ("1.e4", "e7e5"))
LINES = ("startpos", "1.e4", CASTLING, "1.e4 a6 2.e5 d5")


def plan_of(*lines: str) -> Plan:
    """A plan of these positions."""
    positions = [as_position(line, "chess") for line in lines]
    return Plan([Target(each, *each.stored(False), 1.0, "") for each in positions], [], False)


def entry(line: str, *evals: tuple[int, int, dict[str, object]]) -> str:
    """A line of the dump: nodes in thousands, depth and the best variation of each evaluation."""
    fen = " ".join(as_position(line, "chess").fen.split()[:4])
    given = [{"pvs": [pv, {"cp": -999, "line": "a2a3"}], "knodes": k, "depth": d} for k, d, pv in evals]
    return json.dumps({"fen": fen, "evals": given}, separators=(",", ":"))


Found = dict[str, list[tuple[int, int, int, str]]]
"""Score, nodes, depth and best move of positions."""


def found(folder: Path, *lines: str, of: tuple[str, ...] = LINES) -> Found:
    """Score, nodes, depth and best move of each position."""
    path = folder / "a.jsonl"
    path.write_text("\n".join(lines) + "\n")
    rows = read_dump(path, plan_of(*of)).table.to_pylist()
    by_key: Found = {}
    for line in of:
        here = as_position(line, "chess")
        mine = [row for row in rows if (row["key"], row["lock"]) == here.stored(False)]
        by_key[line] = [
            (row["score"], row["nodes"], row["depth"], here.coordinates(row["best"])) for row in mine
        ]
    return by_key


def test_scores_are_of_the_side_to_move(tmp_path: Path) -> None:
    white = entry("startpos", (100, 30, {"cp": 25, "line": "e2e4 e7e5"}))
    black = entry("1.e4", (7, 12, {"cp": 25, "line": "c7c5 g1f3"}))
    rows = found(tmp_path, white, black)
    assert rows["startpos"] == [(25, 100_000, 30, "e2e4")]
    assert rows["1.e4"] == [(-25, 7_000, 12, "c7c5")]
    # The signs of mates are White's too.
    white, black = (entry(at, (1, 9, {"mate": 3, "line": move})) for at, move in STARTS)
    rows = found(tmp_path, white, black)
    assert (rows["startpos"][0][0], rows["1.e4"][0][0]) == (30_000 - 6, -30_000 + 6)


def test_en_passant_tells_positions_apart(tmp_path: Path) -> None:
    """The same board without the right to take is another position."""
    right = entry("1.e4 a6 2.e5 d5", (1, 9, {"cp": 1, "line": "e5d6"}))
    wrong = right.replace(" d6", " -", 1)
    assert wrong != right
    assert found(tmp_path, wrong.replace("e5d6", "d2d4"))["1.e4 a6 2.e5 d5"] == []
    assert found(tmp_path, right)["1.e4 a6 2.e5 d5"] == [(1, 1_000, 9, "e5d6")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. e4 e5", "line 2: expected"),
        (
            '{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[{}]}',
            "line 2: not an eval",
        ),
        ('{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","eva', "line 2: not an eval"),
    ],
)
def test_damaged_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        found(tmp_path, entry("1.e4", (1, 9, {"cp": 2, "line": "e7e5"})), text)


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_packed_dump_reads_like_the_plain_one(tmp_path: Path, suffix: str) -> None:
    text = "\n".join(entry(line, (1, 9, {"cp": 2, "line": next(iter(best(line)))})) for line in LINES)
    plain, packed = tmp_path / "a.jsonl", tmp_path / f"a.jsonl.{suffix}"
    plain.write_text(text)
    codec = pa.Codec("zstd") if suffix == "zst" else None
    raw = text.encode()
    packed.write_bytes(gzip.compress(raw) if codec is None else codec.compress(raw, asbytes=True))
    tables = [read_dump(path, plan_of(*LINES)).table for path in (plain, packed)]
    assert tables[0] == tables[1]
    assert tables[0].num_rows == len(LINES)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(ArchiveError, match="damaged"):
        read_dump(packed, plan_of(*LINES))


def best(line: str) -> list[str]:
    """Moves at a position, in UCI."""
    here = as_position(line, "chess")
    return [here.coordinates(code) for code in here.moves()]


def test_command_adds_the_dump_to_a_file(chess_pgn: Path, tmp_path: Path) -> None:
    store, output, dump = tmp_path / "a.store", tmp_path / "a.evals", tmp_path / "a.jsonl"
    assert run("tally", chess_pgn, "-o", store, "--quiet").code == 0
    dump.write_text(
        "\n".join(
            [
                entry("startpos", (2_000, 30, {"cp": 30, "line": "d2d4"})),
                entry("1.e4", (2_000, 30, {"cp": -100, "line": "e7e5"})),
            ]
        )
    )
    words = ("evaluate", store, "-o", output, "--lichess", dump, "--min-games", "1", "--json", "--quiet")
    ran = run(*words)
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert (answer["engine"], answer["rows"], answer["moves_compared"]) == (LICHESS, 2, 1)
    assert [(each["move"], each["best"], each["loss_cp"]) for each in answer["losing"]] == [("e4", "d4", 130)]
    assert len(Evals.read(output)) == 2
    assert chess.Board(answer["losing"][0]["fen"]) == chess.Board()
