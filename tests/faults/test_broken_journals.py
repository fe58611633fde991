"""Journals on a broken disk: a call fails once, a write after half of it. The next run adds what is missing.

A buffer that is written again when the file is closed would leave half of the lines, then all of them.
"""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path

import pytest
from support.fault_program import Program
from support.journals import JOURNALS, writing

FIRST, FEW = 12, 5
"""Numbers of the calls that fail in the gate: of the first ones, and of others at random."""


def check_failing_calls(name: str, program: Program, folder: Path, most: int) -> int:
    """Let calls of a run fail, one a time, and resume it; return how many runs a failure ended."""
    kind, place = JOURNALS[name], folder / "out"
    words = writing(name, place / kind.name)

    def prepare() -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        if kind.before is not None:
            kind.before(place / kind.name)

    prepare()
    calls = program.run(words, place).calls
    chosen = {
        *range(1, min(calls, FIRST) + 1),
        *random.Random(name).sample(range(1, calls + 1), min(most, calls)),
    }
    failed = 0
    for at in sorted(chosen):
        print(name, at)  # shown if it fails
        prepare()
        ended = program.run(words, place, at=at, error=errno.EIO)
        failed += ended.code != 0
        assert ended.code == 0 or kind.name in ended.err.rpartition("Error")[2], ended.err
        kind.write(place / kind.name)
        again = list(kind.read(place / kind.name))
        assert len(again) == len(kind.whole)
        assert all(record in again for record in kind.whole)
    return failed


@pytest.mark.parametrize("name", JOURNALS)
def test_call_that_fails_leaves_true_records(name: str, program: Program, tmp_path: Path) -> None:
    assert check_failing_calls(name, program, tmp_path, FEW) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNALS)
def test_any_call_that_fails_leaves_true_records(name: str, program: Program, tmp_path: Path) -> None:
    print(f"FIGURE {name}: {check_failing_calls(name, program, tmp_path, 10_000)} failures")
