"""docs/reliability.md: each promise names its tests, and all of them exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`(?: \((slow)\))?")


def marks_of(path: Path, name: str) -> str | None:
    """Return the decorators of a test as text, or None if it does not exist."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return " ".join(ast.unparse(each) for each in node.decorator_list)
    return None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:60])
def test_promises_name_existing_tests(row: str) -> None:
    named = NAMED.findall(row)
    assert named, "no test is named"
    assert len(named) == row.count("`tests/"), "name each test by its file and its function"
    for file, name, slow in named:
        assert (ROOT / file).is_file(), file
        marks = marks_of(ROOT / file, name)
        assert marks is not None, f"{file} has no {name}"
        assert bool(slow) == any(mark == "pytest.mark.slow" for mark in marks.split()), f"{name}: slow or not"


def test_every_fault_test_has_a_promise() -> None:
    named = {(file, name) for file, name, _ in NAMED.findall(PAGE)}
    forgotten = [
        f"{path.name}::{name}"
        for path in sorted((ROOT / "tests" / "faults").glob("test_*.py"))
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        if (f"tests/faults/{path.name}", name) not in named
    ]
    assert forgotten == ["test_two_writers.py::test_drafts_of_running_writers_are_kept"]
