"""Tables of evaluations: order, merging, files, and look-ups."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from bookbuilder import Evals, as_position, merge_evals
from bookbuilder.errors import EvalsError, SchemaError
from bookbuilder.schema import EVALS
from bookbuilder.sealed import seal

START = as_position("startpos", "chess")


def rows(*given: tuple[int, int, str, str | None, str, int | None, int | None, int, int | None]) -> pa.Table:
    """Return rows of EVALS."""
    columns = zip(*given, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, EVALS, strict=True)]
    return pa.Table.from_arrays(arrays, schema=EVALS)


def row(
    key: int = 7, *, lock: int = 1, engine: str = "E", nodes: int | None = 100, score: int = 5, best: int = 9
) -> tuple[int, int, str, str | None, str, int | None, int | None, int, int | None]:
    """Return one row."""
    return key, lock, engine, None, f"nodes={nodes}", 12, nodes, score, best


def found(evals: Evals, key: int, lock: int = 1) -> tuple[float, int, int, float, int]:
    """Return the evaluation of one position."""
    values = evals.values(np.array([key], np.uint64), np.array([lock], np.uint32))
    score, nodes, best, first_score, first_nodes = (column[0].item() for column in values[:5])
    return score, nodes, best, first_score, first_nodes


def test_rows_are_sorted_and_equal_ones_count_once() -> None:
    evals = Evals.of(rows(row(9), row(7), row(7, nodes=400), row(7)), "chess")
    assert evals.table.column("key").to_pylist() == [7, 7, 9]
    assert (len(evals), evals.positions) == (3, 2)


def test_longest_and_shortest_search_of_a_position() -> None:
    evals = Evals.of(rows(row(), row(nodes=900, score=-40, best=3), row(nodes=300), row(8)), "chess")
    assert found(evals, 7) == (-40, 900, 3, 5, 100)
    assert evals.values(np.array([7], np.uint64), np.array([1], np.uint32)).first_best.tolist() == [9]


def test_file_holds_the_table_and_has_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    given = [row(9), row(7), row(7, engine="F"), row(7, nodes=400)]
    for name, order in (("a", given), ("b", given[::-1])):
        Evals.of(rows(*order), "xiangqi", fold=False).write(tmp_path / name)
    again = Evals.read(tmp_path / "a")
    assert (again.game, again.fold, len(again)) == ("xiangqi", False, 4)
    assert again.table.schema.field("score").metadata == EVALS.field("score").metadata
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_folder_is_the_merger_of_its_files(tmp_path: Path) -> None:
    parts = [Evals.of(rows(row(7), row(8)), "chess"), Evals.of(rows(row(8), row(9)), "chess")]
    for number, part in enumerate(parts):
        part.write(tmp_path / f"{number}.evals")
    assert Evals.read(tmp_path).table == merge_evals(parts).table
    assert len(merge_evals(parts)) == 3
    assert merge_evals(parts[::-1]).table == merge_evals(parts).table


def test_merging_refuses_other_games_and_foldings() -> None:
    for other in (Evals.empty("chess"), Evals.empty("xiangqi", fold=False)):
        with pytest.raises(EvalsError, match="expected tables of one game"):
            merge_evals([Evals.empty("xiangqi"), other])
    assert Evals.empty("chess").fold == Evals.empty("chess", fold=False).fold
    with pytest.raises(EvalsError, match="expected tables of one game"):
        merge_evals([])


def test_other_files_are_refused_by_name(tmp_path: Path, chess_pgn: Path) -> None:
    table = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"a": [1]}), table)
    for path in (chess_pgn, table):
        with pytest.raises(EvalsError, match=rf"{path.name}: not a file of evaluations"):
            Evals.read(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(EvalsError, match="expected files of evaluations"):
        Evals.read(tmp_path / "empty")


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.evals"
    Evals.of(rows(*(row(key) for key in range(2000))), "chess").write(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(EvalsError, match=r"a\.evals: damaged"):
        Evals.read(path)


def test_keys_of_another_scheme_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.evals"
    Evals.of(rows(row()), "chess").write(path)
    table = parquet.read_table(path)
    known = json.loads(table.schema.metadata[b"bookbuilder.evals"])
    assert known["key_scheme"] == f"{START.key:016x}"
    other = {name: known[name] for name in ("game", "fold")} | {"key_scheme": "0" * 16}
    changed = table.replace_schema_metadata({b"bookbuilder.evals": seal(table, other)})
    parquet.write_table(changed, path)
    with pytest.raises(EvalsError, match="has keys of the scheme 0000000000000000"):
        Evals.read(path)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="is not EVALS"):
        Evals.of(rows(row()).drop_columns(["best"]), "chess")
    path = tmp_path / "a.evals"
    Evals.of(rows(row()), "chess").write(path)
    table = parquet.read_table(path)
    known = json.loads(table.schema.metadata[b"bookbuilder.evals"])
    fewer = table.drop_columns(["best"])
    for facts, complaint in (
        (json.dumps(known), "damaged: its content is not what was written"),
        (seal(fewer, {name: known[name] for name in known if name != "digest"}), "table is not EVALS"),
    ):
        parquet.write_table(fewer.replace_schema_metadata({b"bookbuilder.evals": facts}), path)
        with pytest.raises(EvalsError, match=rf"a\.evals: {complaint}"):
            Evals.read(path)
