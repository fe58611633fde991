"""The store on disk: what was written is what is read, whole or not at all; anyone can read its parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.stores import files

import bookbuilder as bb
from bookbuilder.errors import OutputExistsError, StoreError
from bookbuilder.schema import GAMES, TALLY
from bookbuilder.tally.store import layout, reduce
from bookbuilder.tally.store.layout import MANIFEST, Manifest, read_manifest
from bookbuilder.tally.store.reading import OpenStore


@pytest.fixture
def tally(make_tally) -> bb.Tally:
    return make_tally(21, 900, games=50)


def test_read_equals_written(tally, tmp_path) -> None:
    tally.save(tmp_path / "a.store")
    found = OpenStore(tmp_path / "a.store")
    assert found.table.equals(tally.to_arrow())
    assert found.games.equals(tally.games)
    assert found.table.schema.equals(TALLY, check_metadata=True)
    assert found.games.schema.equals(GAMES, check_metadata=True)
    assert found.manifest.sources == tally.sources
    assert (found.manifest.rows, found.manifest.games) == (len(tally), 50)
    assert isinstance(found.manifest, Manifest)
    assert bb.Tally.open(tmp_path / "a.store") == tally


def test_parts_are_key_ranges_in_order(make_tally, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reduce, "ROWS_PER_PART", 256)
    tally = make_tally(3, 5000)
    tally.save(tmp_path / "a")
    manifest = read_manifest(tmp_path / "a")
    assert len(manifest.parts) == 1 << manifest.bits > 16
    ranges = [int(part["first_key"], 16) >> (64 - manifest.bits) for part in manifest.parts]
    assert ranges == sorted(set(ranges))
    assert bb.Tally.open(tmp_path / "a") == tally


def test_store_that_exists_is_replaced_only_by_force(tally, make_tally, tmp_path) -> None:
    tally.save(tmp_path)
    before = files(tmp_path)
    smaller = make_tally(5, 90)
    with pytest.raises(OutputExistsError, match="force"):
        smaller.save(tmp_path)
    assert files(tmp_path) == before
    smaller.save(tmp_path, force=True)
    assert bb.Tally.open(tmp_path) == smaller
    assert len(files(tmp_path)) == 3, "parts of the old store are removed"


def test_foreign_directory_and_file_are_left_alone(tally, tmp_path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match=r"thesis\.txt"):
        tally.save(tmp_path, force=True)
    with pytest.raises(OutputExistsError, match="is a file"):
        tally.save(tmp_path / "thesis.txt", force=True)
    assert files(tmp_path) == {"thesis.txt": b"mine"}


def change_manifest(directory: Path, **changes: object) -> None:
    """Change entries, and the digest with them."""
    where = directory / MANIFEST
    manifest = json.loads(where.read_text(encoding="utf-8")) | changes
    manifest["digest"] = layout._digest(manifest)
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
        (lambda d: (d / MANIFEST).write_text("{"), "is not valid JSON"),
        (lambda d: change_manifest(d, kind="recipe"), "of another kind"),
        (lambda d: change_manifest(d, schema=2), "schema version 2, expected 1"),
        (lambda d: change_manifest(d, rows=7), "the manifest says 7"),
        (lambda d: change_manifest(d, options={"game": "chess", "speed": 1}), "speed"),
        (lambda d: part_of(d).unlink(), "part-00000-.*missing"),
        (lambda d: part_of(d).write_bytes(part_of(d).read_bytes()[:-9]), r"^\S+parquet: has"),
    ],
)
def test_damage_is_named_when_a_store_is_opened(tally, tmp_path, damage, message) -> None:
    tally.save(tmp_path)
    damage(tmp_path)
    with pytest.raises(StoreError, match=message):
        bb.Tally.open(tmp_path)


@pytest.mark.parametrize("offset", [0, 400, 20_000, -20, -1])
def test_a_changed_byte_is_found_when_a_table_is_read(tally, tmp_path, offset) -> None:
    tally.save(tmp_path)
    flip(part_of(tmp_path), offset)
    with pytest.raises(StoreError, match=r"part-00000-.* is damaged: its digest is"):
        bb.Tally.open(tmp_path).to_arrow()


def test_lookups_equal_the_table(make_tally, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reduce, "ROWS_PER_PART", 2048)
    tally = make_tally(8, 6000)
    tally.save(tmp_path)
    store = OpenStore(tmp_path)
    assert len(store.manifest.parts) > 2
    frame = tally.to_pandas()
    for (key, lock), rows in list(frame.groupby(["key", "lock"]))[::9]:
        found = store.rows_at(key, lock)
        assert [tuple(row) for row in found] == [tuple(row) for row in rows.itertuples(index=False)]
        counts = rows[["games", "first_wins", "draws", "second_wins"]].sum().tolist()
        assert store.counts_at([(key, lock)]) == [counts]
        assert store.rows_at(key, (lock + 1) & 0xFFFFFFFF) == []
    assert store.rows_at(0, 0) == store.rows_at(2**64 - 1, 0) == []
    for part in tmp_path.glob("part-*"):
        part.write_bytes(bytes(part.stat().st_size))
    with pytest.raises(StoreError, match="is damaged: .*; restore the file"):
        store.rows_at(key, lock)


def test_a_store_that_is_replaced_while_it_is_open_is_named(tally, make_tally, tmp_path) -> None:
    tally.save(tmp_path)
    opened = bb.Tally.open(tmp_path)
    make_tally(5, 90).save(tmp_path, force=True)
    with pytest.raises(StoreError, match="missing"):
        opened.to_arrow()


def manifest_or_error(store: Path) -> Manifest | StoreError:
    try:
        return read_manifest(store)
    except StoreError as error:
        return error


def test_manifest_is_validated_entry_by_entry(tally, tmp_path) -> None:
    store = tally.save(tmp_path / "a")
    where = store / MANIFEST
    manifest = json.loads(where.read_text(encoding="utf-8"))
    for name in manifest.keys() - {"digest"}:
        for wrong in (None, "x", -1, [], {}, [{}], {"a": 1}):
            changed = manifest | {name: wrong}
            changed["digest"] = layout._digest(changed)
            where.write_text(json.dumps(changed), encoding="utf-8")
            found = manifest_or_error(store)
            assert name in {"bits", "game", "sources"} or str(store) in str(found), (name, wrong)
    del manifest["digest"]
    where.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(StoreError, match="its digest is not that of its entries"):
        read_manifest(store)
    where.write_text(json.dumps(manifest | {"digits": ""}), encoding="utf-8")
    with pytest.raises(StoreError, match='entry "digits" is unknown'):
        read_manifest(store)
