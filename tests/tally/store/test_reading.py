"""The store on disk: what was written is what is read, whole or not at all; anyone can read its parts."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import bookbuilder as bb
from bookbuilder.errors import OutputExistsError, StoreError
from bookbuilder.schema import GAMES, TALLY
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store import layout, reduce
from bookbuilder.tally.store.layout import MANIFEST, Manifest, read_manifest
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.store.upkeep import write_store


@pytest.fixture
def tally(make_tally) -> bb.Tally:
    return make_tally(21, 900, games=50)


def files(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}


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


def test_killed_run_leaves_the_old_store(tally, make_tally, tmp_path, monkeypatch) -> None:
    tally.save(tmp_path)
    before = files(tmp_path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reduce, "write_manifest", killed)
        with pytest.raises(KeyboardInterrupt):
            make_tally(5, 90).save(tmp_path, force=True)
        with pytest.raises(KeyboardInterrupt):
            tally.save(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert files(tmp_path) == before


def test_leftovers_of_a_killed_process_go_with_the_next_save(tally, tmp_path) -> None:
    tally.save(tmp_path)
    before = files(tmp_path)
    for name in (".tmp-1-part-000", "part-00007-0123456789abcdef.parquet"):
        (tmp_path / name).write_bytes(b"half")
    tally.save(tmp_path, force=True)
    assert files(tmp_path) == before


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
        (lambda d: part_of(d).write_bytes(part_of(d).read_bytes()[:-9]), "bytes, the manifest says"),
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


@pytest.mark.parametrize("seed", range(6))
def test_bytes_that_change_under_a_lookup_are_an_error_or_the_same_rows(tally, tmp_path, seed) -> None:
    tally.save(tmp_path)
    rng = np.random.default_rng(seed)
    part = part_of(tmp_path)
    sound = OpenStore(tmp_path)
    rows = {
        (key, lock): sound.rows_at(key, lock)
        for key, lock in zip(
            tally.column("key")[::50].tolist(), tally.column("lock")[::50].tolist(), strict=True
        )
    }
    for offset in rng.integers(4, part.stat().st_size, 40).tolist():
        flip(part, offset)
    store = OpenStore(tmp_path)
    for key, lock in rows:
        try:
            assert store.rows_at(key, lock) == rows[key, lock]
        except StoreError as error:
            assert part.name in str(error)  # noqa: PT017 (either is right)


def test_lookups_equal_the_table(make_tally, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reduce, "ROWS_PER_PART", 2048)
    tally = make_tally(8, 6000)
    tally.save(tmp_path)
    store = OpenStore(tmp_path)
    assert len(store.manifest.parts) > 2
    frame = tally.to_pandas()
    for (key, lock), rows in frame.groupby(["key", "lock"]):
        found = store.rows_at(key, lock)
        assert [tuple(row) for row in found] == [tuple(row) for row in rows.itertuples(index=False)]
        counts = rows[["games", "first_wins", "draws", "second_wins"]].sum().tolist()
        assert store.counts_at([(key, lock)]) == [counts]
        assert store.rows_at(key, (lock + 1) & 0xFFFFFFFF) == []
    assert store.rows_at(0, 0) == store.rows_at(2**64 - 1, 0) == []


def test_a_position_whose_rows_cross_a_page_is_found_whole(tmp_path) -> None:
    """Pages have 1,024 rows: here one key has 3,000, of three locks."""
    rows = 3_000
    columns = {field.name: np.zeros(rows, dtype=field.type.to_pandas_dtype()) for field in TALLY}
    columns["key"] += np.uint64(5)
    columns["lock"] = np.repeat(np.arange(3, dtype=np.uint32), 1000)
    columns["move"] = np.tile(np.arange(1000, dtype=np.uint16), 3)
    columns["games"] += np.uint64(1)
    bb.Tally(pa.table(columns, schema=TALLY), TallyOptions(game="chess")).save(tmp_path)
    store = OpenStore(tmp_path)
    for lock in range(3):
        assert [row.move for row in store.rows_at(5, lock)] == list(range(1000))
    assert store.counts_at([(5, 1), (4, 1), (6, 1)]) == [[1000, 0, 0, 0], [0] * 4, [0] * 4]


def test_a_store_that_is_replaced_while_it_is_open_is_named(tally, make_tally, tmp_path) -> None:
    tally.save(tmp_path)
    opened = bb.Tally.open(tmp_path)
    make_tally(5, 90).save(tmp_path, force=True)
    with pytest.raises(StoreError, match="missing"):
        opened.to_arrow()


def test_a_full_disk_leaves_the_old_store(tally, chess_pgn, tmp_path) -> None:
    """A limit on the size of files stands for a full disk."""
    tally.save(tmp_path / "old")
    before = files(tmp_path / "old")
    limit = 20_000
    script = (
        "import sys, bookbuilder as bb\n"
        "tally = bb.Tally.open(sys.argv[1])\ntally.to_arrow(), tally.games\n"
        "try:\n    tally.save(sys.argv[2], force=True)\n"
        "except bb.errors.StoreError as error:\n    print(error)\n"
    )
    for target in ("old", "new"):
        ran = subprocess.run(
            [sys.executable, "-P", "-c", script, str(tmp_path / "old"), str(tmp_path / target)],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert ran.returncode == 0, ran.stderr
        assert "no room to write it" in ran.stdout, ran.stderr
    assert files(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()


def test_duckdb_reads_the_parts(tally, tmp_path) -> None:
    duckdb = pytest.importorskip("duckdb")
    tally.save(tmp_path)
    found = duckdb.sql(f"select * from '{part_of(tmp_path)}' order by key, lock, move").fetchnumpy()
    for name in TALLY.names:
        assert np.array_equal(found[name], tally.column(name)), name
    key = int(tally.column("key")[400])
    asked = duckdb.sql(f"select count(*) from '{part_of(tmp_path)}' where key = {key}").fetchall()
    assert asked == [(int((tally.column("key") == key).sum()),)]
    assert duckdb.sql(f"select count(*) from '{tmp_path}/games-*.parquet'").fetchall() == [(50,)]


def test_tables_out_of_order_are_not_written(tally, tmp_path) -> None:
    rows = tally.to_arrow().take(list(range(len(tally) - 1, -1, -1)))
    with pytest.raises(bb.errors.SchemaError, match="not sorted"):
        write_store(tmp_path / "a", rows, tally.games, tally.options, tally.sources)
    assert not (tmp_path / "a").exists()


def manifest_or_error(store: Path) -> Manifest | StoreError:
    try:
        return read_manifest(store)
    except StoreError as error:
        return error


def test_manifest_with_any_changed_byte_is_refused_or_the_same(tally, tmp_path) -> None:
    store = tally.save(tmp_path / "a")
    where, before = store / MANIFEST, read_manifest(store)
    text = where.read_bytes()
    chance = random.Random(28)
    refused = 0
    for _ in range(1_500):
        changed = bytearray(text)
        changed[chance.randrange(len(changed))] = chance.randrange(256)
        where.write_bytes(bytes(changed))
        found = manifest_or_error(store)
        assert found == before or str(store) in str(found)
        refused += isinstance(found, StoreError)
    assert refused > 1_000


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
