"""The store on disk: what was written is what is read, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bookbuilder import store
from bookbuilder.errors import OutputExistsError, StoreError
from bookbuilder.schema import GAMES, TALLY
from bookbuilder.store import MANIFEST, StoreContent, is_store, read_store, write_store


@pytest.fixture
def content(make_tally) -> StoreContent:
    tally = make_tally(21, 900, games=50)
    return StoreContent(
        rows=tally.to_arrow(), games=tally.games, options=tally.options, sources=tally.sources
    )


def files(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}


def test_reading_gives_back_what_was_written(content, tmp_path) -> None:
    write_store(tmp_path / "a.store", content)
    found = read_store(tmp_path / "a.store")
    assert found == content
    assert found.rows.schema.equals(TALLY, check_metadata=True)
    assert found.games.schema.equals(GAMES, check_metadata=True)


def test_same_tally_gives_the_same_files(content, tmp_path) -> None:
    for name in ("a", "b"):
        write_store(tmp_path / name, content)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_parts_are_key_ranges_in_order(content, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(store, "ROWS_PER_PART", 256)
    write_store(tmp_path / "a", content)
    parts = json.loads((tmp_path / "a" / MANIFEST).read_text(encoding="utf-8"))["parts"]
    assert len(parts) > 4
    bounds = [int(part[name], 16) for part in parts for name in ("first_key", "last_key")]
    assert bounds == sorted(bounds)
    assert sum(part["rows"] for part in parts) == content.rows.num_rows
    assert read_store(tmp_path / "a") == content


def test_empty_tally_is_a_store(content, tmp_path) -> None:
    empty = replace(content, rows=TALLY.empty_table(), games=GAMES.empty_table(), sources=())
    write_store(tmp_path / "a", empty)
    assert list(files(tmp_path / "a")) == [MANIFEST]
    assert read_store(tmp_path / "a") == empty


def test_store_that_exists_is_replaced_only_by_force(content, tmp_path) -> None:
    write_store(tmp_path, content)
    before = files(tmp_path)
    smaller = replace(content, rows=content.rows.slice(0, 100))
    with pytest.raises(OutputExistsError, match="force"):
        write_store(tmp_path, smaller)
    assert files(tmp_path) == before
    write_store(tmp_path, smaller, force=True)
    assert read_store(tmp_path) == smaller
    assert len(files(tmp_path)) == 3, "parts of the old store are removed"


def test_killed_run_leaves_the_old_store(content, tmp_path, monkeypatch) -> None:
    write_store(tmp_path, content)

    def killed(_: Path, __: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            write_store(tmp_path, replace(content, rows=content.rows.slice(0, 9)), force=True)
        before = files(tmp_path)
        with pytest.raises(KeyboardInterrupt):
            write_store(tmp_path / "new", content)
    assert read_store(tmp_path) == content
    assert files(tmp_path) == before
    assert not [name for name in before if name.startswith(".tmp-")]
    assert not (tmp_path / "new").exists()


def test_leftovers_of_a_killed_process_go_with_the_next_save(content, tmp_path) -> None:
    write_store(tmp_path, content)
    before = files(tmp_path)
    for name in (".tmp-1-part-000", "part-007-0123456789abcdef.parquet"):
        (tmp_path / name).write_bytes(b"half")
    write_store(tmp_path, content, force=True)
    assert files(tmp_path) == before


def test_foreign_directory_and_file_are_left_alone(content, tmp_path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"thesis\.txt"):
        write_store(tmp_path, content, force=True)
    with pytest.raises(OutputExistsError, match="is a file"):
        write_store(tmp_path / "thesis.txt", content, force=True)
    assert files(tmp_path) == {"thesis.txt": b"mine"}


def test_is_store_tells_a_store_from_a_directory(content, tmp_path) -> None:
    assert not is_store(tmp_path)
    write_store(tmp_path, content)
    assert is_store(tmp_path)


def change_manifest(directory: Path, **changes: object) -> None:
    where = directory / MANIFEST
    manifest = json.loads(where.read_text(encoding="utf-8")) | changes
    where.write_text(json.dumps(manifest), encoding="utf-8")


def part_of(directory: Path) -> Path:
    return next(directory.glob("part-*"))


def flip(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x55
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: (d / MANIFEST).unlink(), "manifest.json is missing"),
        (lambda d: (d / MANIFEST).write_text("{"), "is no JSON"),
        (lambda d: (d / MANIFEST).write_bytes(b"\xff\xfe{"), "is no JSON"),
        (lambda d: (d / MANIFEST).write_text("[]"), "of another kind"),
        (lambda d: change_manifest(d, kind="recipe"), "of another kind"),
        (lambda d: change_manifest(d, schema=3), "schema version 3, expected 2"),
        (lambda d: change_manifest(d, rows=7), "the manifest says 7"),
        (lambda d: change_manifest(d, options={"game": "chess", "speed": 1}), "speed"),
        (lambda d: change_manifest(d, parts=[{}]), "file"),
        (lambda d: part_of(d).unlink(), "part-000-.*missing"),
        (lambda d: part_of(d).write_bytes(part_of(d).read_bytes()[:-9]), "bytes, the manifest says"),
        (lambda d: flip(part_of(d), 400), "damaged"),
        (lambda d: flip(part_of(d), -20), "damaged"),
    ],
)
def test_damage_is_named(content, tmp_path, damage, message) -> None:
    write_store(tmp_path, content)
    damage(tmp_path)
    with pytest.raises(StoreError, match=message):
        read_store(tmp_path)


def test_games_of_the_first_version_lack_the_columns_added_since(content, tmp_path) -> None:
    write_store(tmp_path, content)
    name = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))["game_parts"][0]["file"]
    pq.write_table(content.games.drop_columns(["line_hash", "moves"]), tmp_path / name)
    size = (tmp_path / name).stat().st_size
    change_manifest(tmp_path, game_parts=[{"file": name, "bytes": size}])
    assert read_store(tmp_path) == content


def test_missing_store_is_named(tmp_path) -> None:
    with pytest.raises(StoreError, match="none: is no tally store"):
        read_store(tmp_path / "none")
