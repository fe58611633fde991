"""A game is read from its place in an archive, whatever the container and the compression."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.api import games as archive_game
from bookbuilder.explorer.api.games import read_game, samples_of
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.tally.tally import Tally

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def zipped(data: bytes, name: str = "inner.pgn") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("other.txt", "no game")
        container.writestr(name, data)
    return target.getvalue()


def tarred(data: bytes, name: str = "folder/inner.pgn") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as container:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        container.addfile(entry, io.BytesIO(data))
    return target.getvalue()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "a.pgn": bytes,
    "a.pgn.gz": gzip.compress,
    "a.pgn.zst": lambda data: zstd.compress(data[:300]) + zstd.compress(data[300:]),  # two frames
    "棋.zip": lambda data: zipped(data, "棋.pgn"),
    "a.tar.gz": lambda data: gzip.compress(tarred(data)),
    "nested.tar": lambda data: tarred(zipped(gzip.compress(data), "inner.pgn.gz"), "inner.zip"),
}


def source_of(store: Path, archive: Path) -> StoreSource:
    Tally.from_archives(archive).save(store)
    found = Sources([store]).find_store(None)
    assert found.store.manifest.games
    return found


@pytest.mark.parametrize("name", FORMS)
def test_every_game_is_found_in_every_container(tmp_path: Path, chess_pgn: Path, name: str) -> None:
    archive = tmp_path / name
    archive.write_bytes(FORMS[name](chess_pgn.read_bytes()))
    source = source_of(tmp_path / "store", archive)
    rows = source.store.games.to_pylist()
    assert len(rows) == 6
    lines = []
    for row in rows:
        known = samples_of(source).find(row["fingerprint"])
        assert known is not None
        found = read_game(known, "chess")
        assert found.tags["Date"] == row["date"]
        assert len(found.moves) == row["plies"]
        lines.append(" ".join(found.moves))
    assert lines[0] == "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"
    assert len(set(lines)) == 6


def test_xqf_is_returned_as_pgn(tmp_path: Path, xiangqi_zip: Path) -> None:
    source = source_of(tmp_path / "store", xiangqi_zip)
    rows = [samples_of(source).find(row["fingerprint"]) for row in source.store.games.to_pylist()]
    games = [read_game(row, "xiangqi") for row in rows if row is not None]
    assert [game.moves for game in games] == [
        ("h2e2", "h9g7", "h0g2", "i9h9"),
        ("b2e2", "b9c7", "b0c2", "a9b9"),
        ("c3c4", "g6g5", "h2e2"),
    ]
    assert all('[Game "Chinese Chess"]' in game.pgn for game in games)


@pytest.mark.parametrize("name", ["棋.zip", "a.tar.gz", "a.pgn.zst"])
def test_damaged_archive_is_refused(tmp_path: Path, chess_pgn: Path, name: str) -> None:
    archive = tmp_path / name
    archive.write_bytes(FORMS[name](chess_pgn.read_bytes()))
    source = source_of(tmp_path / "store", archive)
    rows = source.store.games.to_pylist()
    whole = archive.read_bytes()
    row = samples_of(source).find(rows[-1]["fingerprint"])
    assert row is not None
    for damaged in (whole[: len(whole) // 2], b"", bytes(len(whole))):
        archive.write_bytes(damaged)
        with pytest.raises(RefusedError) as refused:
            read_game(row, "chess")
        assert refused.value.status == 409
        assert name in str(refused.value)


def test_bomb_before_the_game_is_refused(
    tmp_path: Path, chess_pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(FORMS["a.tar.gz"](chess_pgn.read_bytes()))
    source = source_of(tmp_path / "store", archive)
    row = samples_of(source).find(source.store.games.to_pylist()[-1]["fingerprint"])
    assert row is not None
    monkeypatch.setattr(archive_game, "_MAX_INFLATE", 1000)
    with pytest.raises(RefusedError, match="decompress it") as refused:
        read_game(row, "chess")
    assert refused.value.code == "too-far"


@pytest.mark.corpus
def test_games_of_real_archives_are_found(tmp_path: Path, corpus: Path) -> None:
    libraries = corpus / "data" / "xiangqi" / "cbl_cbr"
    Tally.from_archives(libraries, max_ply=4, on_error="drop").save(tmp_path / "store")
    source = Sources([tmp_path / "store"]).find_store(None)
    rows = source.store.games.to_pylist()
    for row in rows[:: max(len(rows) // 40, 1)]:
        known = samples_of(source).find(row["fingerprint"])
        assert known is not None
        found = read_game(known, "xiangqi")
        assert found.tags.get("Red", "") in (known["first_player"], "?")
        assert len(found.moves) >= min(row["plies"], 4)
