"""Books in one call: `bb.build`, `Selection.write`, and the demo's archives."""

from __future__ import annotations

import shutil
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


def test_only_the_recipe_names_the_archive_by_the_path_that_was_given(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books: dict[str, set[bytes]] = {}
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        monkeypatch.chdir(folder)
        shutil.copy(data / "historic.pgn", "historic.pgn")
        for name in ("a.book", "a.bin", "a.abk", "a.csv", "a.parquet", "a.pgn", "a.epd"):
            bb.build("historic.pgn", name, preset="own-games")
            books.setdefault(name, set()).add(Path(name).read_bytes())
    assert {name: len(found) for name, found in books.items()} == dict.fromkeys(books, 1)
    named = {name for name, found in books.items() if any(b"historic.pgn" in each for each in found)}
    assert named == {"a.book"}
    bb.build(tmp_path / "other" / "historic.pgn", "b.book", preset="own-games")
    assert str(tmp_path / "other").encode() in Path("b.book").read_bytes()
