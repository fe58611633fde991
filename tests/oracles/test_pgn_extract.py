"""pgn-extract reads the same main lines and results as we do, in hostile chess files and in large archives.

Only games with moves are compared, because pgn-extract writes text that it does not understand as a game
without moves.

Intended differences between the readers:

- pgn-extract drops a last game without a termination marker. The test appends one and compares the moves.
- pgn-extract reads games of other variants as chess. We skip them.

`EXCEPTIONS` has the rest.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.cli_runner import run
from support.nasty_files import FOLDER, Row, table
from support.pgn_readers import PGN_EXTRACT, ours, pgn_extract

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not Path(PGN_EXTRACT).exists(), reason="pgn-extract is not installed"),
]

# Files that pgn-extract reads differently, with the reason.
EXCEPTIONS = {
    "capicue-pgn/spec/pgn_files/comments.pgn": "it ends a game at a comment after a move number",
    "capicue-pgn/spec/pgn_files/nested_comments.pgn": "it ends a game at an unknown word",
    "chess.js/__tests__/pgn/0.pgn": "it ends a game at an HTML tag",
    "pgn-extract/test/infield/test-nobadresults.pgn": "it takes the marker `*`, not the `[Result]` tag",
    "pgn-extract/test/outfiles/test-WWdeutsch-out.pgn": "it reads German names of pieces",
    "pgn-extract/test/outfiles/test-Wdeutsch-out.pgn": "it reads German names of pieces",
    "pgn-extract/test/outfiles/test-plylimit-out.pgn": "it takes the marker `*`, not the `[Result]` tag",
    "pgn-read/pgn_read/core/tests/pgn_files/twic9nn_error.pgn": "it promotes to a queen if no piece is named",
}
# Files with more games are compared in the slow suite.
MANY = 200
ARCHIVES = ("lichess_magnus_online", "pgnmentor_players_dev", "pgnmentor_tournaments_dev")


def with_marks(row: Row) -> Any:
    """Return a test parameter; files with many games are slow."""
    return pytest.param(row.file, marks=[pytest.mark.slow] if row.read > MANY else [])


@pytest.mark.parametrize("name", [with_marks(row) for row in table() if "variant" not in row.filtered])
def test_pgn_extract_reads_the_same_games(corpus: Path, tmp_path: Path, name: str) -> None:
    path = corpus / FOLDER / name
    our = ours(path)
    their, messages = pgn_extract(path)
    if name in EXCEPTIONS:
        assert our != their, f"{name} is read alike: remove the exception"
    elif our != their and "Missing result." in messages:
        completed = tmp_path / "completed.pgn"
        completed.write_bytes(path.read_bytes() + b"\n*\n")
        their, _ = pgn_extract(completed)
        assert [game.moves for game in our] == [game.moves for game in their]
    else:
        assert our == their


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHIVES)
def test_pgn_extract_reads_the_same_archive(corpus: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "games.pgn"
    with pa.input_stream(corpus / "data" / "chess" / f"{name}.pgn.zst", compression="zstd") as stream:
        path.write_bytes(stream.read())
    our = ours(path)
    their, _ = pgn_extract(path)
    report = json.loads(run("games", "check", path, "--game", "chess", "--json", "--quiet").out)
    # What only pgn-extract reads are games of variants.
    others = iter(their)
    assert all(game in others for game in our)
    assert len(their) - len(our) <= sum(report["variants"].values())
