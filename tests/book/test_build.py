"""Books in one call: `bb.build`, `Selection.write`, and the demo's archives."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli_runner import run

import bookbuilder as bb

WAYS = {
    "plain.book": ((), {}),
    "plain.bin": ((), {}),
    "no_suffix": ((), {}),
    "white.bin": (
        ("--side", "white", "--min-games", "4", "--max-ply", "20"),
        {"for_side": "white", "min_games": 4, "max_ply": 20},
    ),
    "paper.book": (
        ("--preset", "literature", "--min-win-rate", "0.6"),
        {"preset": "literature", "min_win_rate": 0.6},
    ),
    "games.bin": (
        ("--tag", "Result=1-0", "--margin", "off"),
        {"tag": ["Result=1-0"], "margin": None},
    ),
    "named.dat": (("--format", "csv"), {"as_format": "csv"}),
}


@pytest.mark.parametrize("name", WAYS)
def test_build_is_the_command(name: str, data: Path, tmp_path: Path) -> None:
    words, options = WAYS[name]
    archive = data / "chess_selfplay.pgn"
    (tmp_path / "command").mkdir()
    assert run("build", archive, "-o", tmp_path / "command" / name, "--quiet", *words).code == 0
    report = bb.build(archive, tmp_path / name, **options)
    assert isinstance(report, bb.Written)
    assert (tmp_path / name).read_bytes() == (tmp_path / "command" / name).read_bytes()
    assert report.bytes == (tmp_path / name).stat().st_size
    assert report.moves > 0


def test_build_of_archives_store_and_tally_agrees(chess_pgn: Path, other_pgn: Path, tmp_path: Path) -> None:
    tally = bb.Tally.from_archives(chess_pgn, other_pgn, max_ply=40)
    store = tally.save(tmp_path / "a.store")
    books = []
    for number, source in enumerate(([chess_pgn, other_pgn], store, tally)):
        bb.build(source, tmp_path / f"{number}.bin", preset="own-games", max_ply=40)
        books.append((tmp_path / f"{number}.bin").read_bytes())
    assert books[0] == books[1] == books[2]
