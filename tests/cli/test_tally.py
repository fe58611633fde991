"""`tally`, `games`, `threshold` and `show`: files, answers and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.cli_runner import Ran, run

import bookbuilder as bb

BAD_GAME = '[Event "Bad"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


def answer_of(ran: Ran) -> dict[str, Any]:
    """Return the JSON that a command printed, which has the version of the answers."""
    answer: dict[str, Any] = json.loads(ran.out)
    assert answer["schema"] == 1
    return answer


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, chess_pgn: Path) -> Path:
    """A tally store of the small chess archive."""
    path = tmp_path_factory.mktemp("tally") / "chess.store"
    assert run("tally", chess_pgn, "-o", path, "--max-ply", 8).code == 0
    return path


def test_rejects_file_and_strict(tmp_path: Path, chess_pgn: Path) -> None:
    archive = tmp_path / "bad.pgn"
    archive.write_text(chess_pgn.read_text() + BAD_GAME)
    rejects = tmp_path / "rejects.jsonl"
    ran = run("tally", archive, "-o", tmp_path / "s", "--rejects", rejects, "--strict", "--json")
    assert ran.code == 1
    assert answer_of(ran)["games_used"] == 6
    lines = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert len(lines) == 1
    assert lines[0]["source"] == str(archive)
    assert (lines[0]["ply"], lines[0]["game"]) == (2, 7)
    assert "Ke3" in lines[0]["token"]
    ran = run("tally", archive, "-o", tmp_path / "t", "--rejects", rejects)
    assert ran.code == 4
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_same_picture_has_the_same_bytes(tmp_path: Path, store: Path, suffix: str) -> None:
    """In SVG and PDF the time of drawing and random names differed."""
    first, second = (tmp_path / f"{name}.{suffix}" for name in "ab")
    for picture in (first, second):
        assert run("threshold", store, "--plot", picture, "--quiet").code == 0
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(("game", "words"), [("chess", ("white", "e4")), ("xiangqi", ("red", "炮二平五"))])
def test_export_writes_the_tree(game: Any, words: tuple[str, str], tmp_path: Path) -> None:
    store, first, move = tmp_path / "a.store", *words
    run("tally", *bb.demo(game), "-o", store, "--max-ply", 4, "-q")
    csv, parquet = tmp_path / "tree.csv", tmp_path / "tree.parquet"
    for output in (csv, parquet):
        ran = run("tally", "export", store, "-o", output)
        assert ran.code == 0, ran.err
    tree = pd.read_parquet(parquet)
    again = pd.read_csv(csv)
    assert list(again) == list(tree)
    assert again[["line", "fen", "played"]].equals(tree[["line", "fen", "played"]])
    top = tree.sort_values("played", ascending=False).iloc[0]
    rows = {row["san"]: row for row in bb.Tally.open(store).move_rows("startpos")}
    row = max(rows.values(), key=lambda each: each["played"])
    assert top["san"] == move
    counts = [top["played"], top[f"{first}_wins"], top["draws"]]
    assert counts == [row["played"], row["first_wins"], row["draws"]]
    limits = ("--from", top["fen"], "--min-games", 5, "--max-ply", 1)
    assert run("tally", "export", store, "-o", csv, "--force", *limits).code == 0
    assert pd.read_csv(csv)["played"].min() >= 5
    assert run("tally", "export", store, "-o", csv).code == 4
    assert run("tally", "export", store, "-o", tmp_path / "a.txt").code == 2
