"""python-chess reads our PGN like the archive that it was converted from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess.pgn
import pyarrow as pa
import pytest
from support.cli_runner import run

pytestmark = pytest.mark.corpus


def games_of(path: Path) -> Iterator[chess.pgn.Game]:
    """The games that python-chess finds in a file."""
    with path.open(encoding="utf-8", errors="surrogateescape") as stream:
        while (game := chess.pgn.read_game(stream)) is not None:
            yield game


def plain(comment: str) -> str:
    """Return a comment without white space, and without braces, which PGN cannot contain."""
    return " ".join(comment.split())


def tree(game: chess.pgn.Game) -> list[Any]:
    """Return every move with its place, comments and glyphs, main line first."""
    rows, stack = [], [(0, game)]
    while stack:
        depth, node = stack.pop()
        starting = plain(node.starting_comment)
        rows.append((depth, node.move, starting, plain(node.comment), sorted(node.nags)))
        stack += [(depth + 1, child) for child in reversed(node.variations)]
    return rows


def tags(game: chess.pgn.Game) -> dict[str, str]:
    """Return the tags without escapes, which python-chess keeps; the result is compared separately."""
    return {
        name: re.sub(r"\\(.)", r"\1", value).strip()
        for name, value in game.headers.items()
        if name not in {"Result", "FEN", "SetUp"} and value not in {"", "?", "????.??.??"}
    }


def assert_same(source: Path, tmp_path: Path) -> int:
    """Compare a file with its conversion; return the number of games."""
    out, rejects = tmp_path / "out.pgn", tmp_path / "rejects.jsonl"
    run("games", "convert", source, "--game", "chess", "-o", out, "--rejects", rejects, "--force", "--quiet")
    rejected = {json.loads(line)["game"] for line in rejects.read_text(encoding="utf-8").splitlines()}
    before = [game for number, game in enumerate(games_of(source), start=1) if number not in rejected]
    for number, (game, again) in enumerate(zip(before, games_of(out), strict=True), start=1):
        place = f"{source.name}, game {number} of {len(before)}"
        assert not again.errors, place
        assert tree(again) == tree(game), place
        assert tags(again) == tags(game), place
        assert again.board() == game.board(), place
    return len(before)


def first_games(archive: Path, count: int, target: Path) -> Path:
    """A file with the first games of a compressed archive."""
    with pa.input_stream(archive, compression="zstd") as stream:
        games = re.split(rb"(?m)^(?=\[Event )", stream.read(16 << 20))[1:]
    # Where two empty lines follow the tags, python-chess finds one game without moves and one without tags.
    games = [game for game in games if not re.search(rb"\]\r?\n\r?\n\r?\n", game)]
    target.write_bytes(b"".join(games[:count]))
    return target


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("pgnmentor_sample20k_dev", 500),
        pytest.param("pgnmentor_sample20k_dev", 4000, marks=pytest.mark.slow),
        ("lichess_magnus_online", 60),
        pytest.param("lichess_magnus_online", 1500, marks=pytest.mark.slow),
    ],
)
def test_real_games_round_trip(corpus: Path, tmp_path: Path, name: str, count: int) -> None:
    archive = corpus / "data" / "chess" / f"{name}.pgn.zst"
    games = assert_same(first_games(archive, count, tmp_path / "in.pgn"), tmp_path)
    assert games > 0.95 * count
