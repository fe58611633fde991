"""The declared schemas and their check."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bookbuilder import schema
from bookbuilder.errors import SchemaError

ALL = [schema.TALLY, schema.GAMES, schema.REJECTS, schema.SELECTION_POSITIONS, schema.SELECTION_MOVES]


@pytest.mark.parametrize("declared", ALL)
def test_fields_have_meaning_and_unit(declared: pa.Schema) -> None:
    assert declared.metadata[b"bookbuilder.version"] == b"1"
    for field in declared:
        assert field.metadata[b"meaning"], field.name
        assert b"unit" in field.metadata


def test_conforming_table_gets_the_schema() -> None:
    plain = pa.table({field.name: pa.array([], field.type) for field in schema.TALLY})
    checked = schema.check(plain, schema.TALLY)
    assert checked.schema.equals(schema.TALLY, check_metadata=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["ply"]), 'column "ply" is missing .expected uint16'),
        (lambda t: t.append_column("elo", t["ply"]), '"elo" was not expected'),
        (lambda t: t.append_column("ply", t["ply"]), '"ply" was not expected .* twice'),
        (lambda t: t.select([*t.column_names[::-1]]), '"key" expected at place 0, found "surplus"'),
        (
            lambda t: t.set_column(2, "move", pa.array([1], pa.int64())),
            '"move" expected as uint16, found int64',
        ),
        (
            lambda t: t.set_column(2, "move", pa.array([None], pa.uint16())),
            '"move" expected without nulls, found 1',
        ),
    ],
)
def test_error_names_column_and_both_types(change, message: str) -> None:
    table = pa.table({field.name: pa.array([1], field.type) for field in schema.TALLY})
    with pytest.raises(SchemaError, match=f"table is not TALLY: .*{message}"):
        schema.check(change(table), schema.TALLY)


def test_reasons_are_distinct_and_kept_is_empty() -> None:
    assert schema.REASONS[0] == ""
    assert len(set(schema.REASONS)) == len(schema.REASONS)
