"""Output of commands: JSON and figures."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from bookbuilder.cli import console, tables


def test_json_has_plain_numbers_and_null(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_json(
        {"a": np.uint64(7), "b": math.nan, "c": [np.float64(0.5), {"d": np.bool_(True)}], "e": None}
    )
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"schema": 1, "a": 7, "b": None, "c": [0.5, {"d": True}], "e": None}
    assert printed.err == ""


def test_markup_is_printed_literally(capsys: pytest.CaptureFixture[str]) -> None:
    console.say("[bold]a[/bold]")
    tables.print_table(("a",), [("[red]b",)])
    out = capsys.readouterr().out
    assert "[bold]a[/bold]" in out
    assert "[red]b" in out


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 * 1024**3, "5.0 GiB")]
)
def test_sizes_in_binary_units(count: int, text: str) -> None:
    assert console.format_bytes(count) == text
