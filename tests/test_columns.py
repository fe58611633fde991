"""Columns of Arrow as arrays and back: the same as by `pa.array` and `to_numpy`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bookbuilder.columns import column_of, texts_of, values

NUMBERS = ["u1", "u2", "u4", "u8", "i1", "i8", "f4", "f8", "?"]


@given(st.sampled_from(NUMBERS).flatmap(lambda kind: arrays.arrays(np.dtype(kind), st.integers(0, 40))))
def test_column_of_array_is_that_of_pyarrow(numbers: Any) -> None:
    for nullable in (False, True):
        column = column_of(numbers, nullable=nullable)
        column.validate(full=True)
        wanted = pa.array(numbers, from_pandas=nullable)
        assert column.type == wanted.type
        assert column.null_count == wanted.null_count
        assert str(column.to_pylist()) == str(wanted.to_pylist())
    again = values(column_of(numbers[::-1]))
    assert again.dtype == numbers.dtype
    assert np.array_equal(again, numbers[::-1], equal_nan=numbers.dtype.kind == "f")


@given(
    st.lists(st.lists(st.none() | st.floats(width=32), max_size=20), max_size=4),
    st.integers(0, 5),
)
def test_values_of_pieces_with_nulls(pieces: list[list[float | None]], skipped: int) -> None:
    column = pa.chunked_array([pa.array(piece, pa.float64()) for piece in pieces], pa.float64())
    flat = [number for piece in pieces for number in piece][skipped:]
    found = values(column.slice(skipped))
    wanted = np.array([np.nan if number is None else number for number in flat], np.float64)
    assert np.array_equal(found, wanted, equal_nan=True)
    zeros = values(column.slice(skipped), null=0)
    assert np.array_equal(zeros, [0 if number is None else number for number in flat], equal_nan=True)


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 9))
def test_values_of_sliced_bools(bools: list[bool], skipped: int) -> None:
    assert values(pa.array(bools, pa.bool_())[skipped:]).tolist() == bools[skipped:]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=10))
def test_texts(texts: list[str]) -> None:
    column = texts_of(texts)
    column.validate(full=True)
    assert column.to_pylist() == texts


def test_numbers_take_the_type_of_the_column() -> None:
    assert column_of(np.arange(3), pa.uint16()).equals(pa.array([0, 1, 2], pa.uint16()))
    with pytest.raises((ValueError, TypeError)):
        column_of(np.array(["a"]), pa.uint16())
