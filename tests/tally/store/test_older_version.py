"""A store of schema version 3, without results against ratings: it is read, but not written to."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import bookbuilder as bb
from bookbuilder import _core
from bookbuilder.errors import SelectionError, StoreError
from bookbuilder.tally.options import RunLimits
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import MANIFEST
from bookbuilder.tally.store.upkeep import compact, merge_stores, verify

NEW = ["paired", "surplus"]


@pytest.fixture
def old_store(make_tally, tmp_path) -> Path:
    """A store as version 3 wrote it."""
    store = make_tally(21, 900, games=50).save(tmp_path / "old.store")
    manifest = json.loads((store / MANIFEST).read_text(encoding="utf-8"))
    del manifest["digest"]
    for part in manifest["parts"]:
        where = store / part["file"]
        table = pq.read_table(where).drop_columns(NEW)
        pq.write_table(table, where, compression="zstd", write_page_index=True)
        part["bytes"], part["blake3"] = _core.file_digest(str(where))
    manifest["schema"] = 3
    (store / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    return store


def test_its_rows_are_read_with_no_paired_game(make_tally, old_store) -> None:
    tally = make_tally(21, 900, games=50)
    found = bb.Tally.open(old_store)
    assert found.column("paired").tolist() == found.column("surplus").tolist() == [0] * len(tally)
    assert found.to_arrow().drop_columns(NEW).equals(tally.to_arrow().drop_columns(NEW))
    for row in tally.to_arrow().to_pylist()[::97]:
        rows = found._source.rows_at(row["key"], row["lock"])
        assert {**row, "paired": 0, "surplus": 0} in [each._asdict() for each in rows]
    assert [each.fault for each in verify(old_store) if each.fault] == []


def test_it_is_selected_from_but_not_by_ratings(make_tally, old_store) -> None:
    found = bb.Tally.open(old_store)
    kept = bb.select(make_tally(21, 900, games=50), shape="moves").table.column("kept")
    assert bb.select(found, shape="moves").table.column("kept").equals(kept)
    with pytest.raises(SelectionError, match="no game of the tally has a result and both ratings"):
        bb.select(found, shape="moves", by="performance")


def test_nothing_is_added_to_it(old_store, tmp_path) -> None:
    options = bb.Tally.open(old_store).options
    archive = tmp_path / "a.pgn"
    archive.write_text('[Result "1-0"]\n\n1. e4 1-0\n', encoding="utf-8")
    said = "schema version 3, which is read, but not added to, merged or compacted; count its archives again"
    with pytest.raises(StoreError, match=said):
        grow(old_store, [archive], options)
    with pytest.raises(StoreError, match=said):
        compact(old_store)
    other = bb.Tally.empty(options).save(tmp_path / "other")
    with pytest.raises(StoreError, match=said):
        merge_stores([other, old_store], tmp_path / "merged", RunLimits())
