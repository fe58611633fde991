"""Journals after a power loss or a failing call: what was synced is there, and a run adds what is missing.

A buffer that is written again when the file is closed would leave half of the lines, then all of them.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.fault_program import Program
from support.journals import JOURNALS, Kind, writing
from support.lost_writes import EVERYTHING, NOTHING, Cut, Disk, Tree, cuts, read_calls, tree_of, write_tree

from bookbuilder.errors import BookBuilderError, EvalsError


class Recorded:
    """A run that wrote a whole journal, recorded."""

    def __init__(self, kind: Kind, name: str, program: Program, folder: Path) -> None:
        self.kind, self.place, self.copy = kind, folder / "out", folder / "copy"
        self._program, self._words = program, writing(name, self.place / kind.name)
        self.begin()
        self.disk = Disk(self.place)
        ended = program.run(self._words, self.place, record=folder / "calls")
        assert ended.code == 0, ended.err
        self.calls, self.after = read_calls(folder / "calls"), tree_of(self.place)

    def begin(self) -> None:
        """Restore the state before."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        if self.kind.before is not None:
            self.kind.before(self.place / self.kind.name)

    def finish(self) -> None:
        """Run it again: all records are there."""
        kind = self.kind
        kind.write(self.place / kind.name)
        again = list(kind.read(self.place / kind.name))
        assert len(again) == len(kind.whole)
        assert all(record in again for record in kind.whole)

    def records(self, tree: Tree) -> list[Any]:
        """Return the records of a state."""
        shutil.rmtree(self.copy, ignore_errors=True)
        write_tree(tree, self.copy)
        return list(self.kind.read(self.copy / self.kind.name))

    def check(self, cut: Cut) -> None:
        """Check that a state has true records, and that the next run adds what is missing."""
        kind, found = self.kind, self.records(cut.tree)
        if kind.is_ordered:
            assert found in (list(kind.whole[: len(found)]), list(kind.old[: len(found)]))
        assert all(record in (*kind.whole, *kind.old) for record in found)
        shutil.rmtree(self.place)
        write_tree(cut.tree, self.place)
        self.finish()
        if kind.is_ordered and self.after:
            assert (self.place / kind.name).read_bytes() == self.after[kind.name]

    def check_all(self, moments: int, seeds: int) -> int:
        """Check states at some moments, and that what was synced is there; return their number."""
        count = 0
        for cut in cuts(self.disk, self.calls, moments=moments, seeds=seeds, seed=self.kind.name):
            print(cut)  # shown if it fails
            self.check(cut)
            count += 1
            if self.kind.is_exact and cut.after and self.calls[cut.after - 1].kind == "S":
                least, most = (self.records(self.disk.after(loss)) for loss in (NOTHING, EVERYTHING))
                assert least == most
        assert self.disk.after(EVERYTHING) == self.after, "a call was not recorded"
        if self.kind.is_exact:
            assert self.records(self.disk.after(NOTHING)) == list(self.kind.whole)
        return count

    def fail(self, at: int) -> bool:
        """Let a call fail, a write after half of it, and run it again; return whether that ended the run."""
        self.begin()
        ended = self._program.run(self._words, self.place, at=at, error=errno.EIO)
        assert ended.code == 0 or self.kind.name in ended.err.rpartition("Error")[2], ended.err
        self.finish()
        return ended.code != 0


@pytest.mark.parametrize("name", JOURNALS)
def test_failing_call_leaves_true_records(name: str, program: Program, tmp_path: Path) -> None:
    recorded = Recorded(JOURNALS[name], name, program, tmp_path)
    assert sum(map(recorded.fail, range(1, min(len(recorded.calls), 12) + 1))) > 1


@pytest.mark.parametrize("name", JOURNALS)
def test_power_loss_leaves_true_records(name: str, program: Program, tmp_path: Path) -> None:
    assert Recorded(JOURNALS[name], name, program, tmp_path).check_all(6, 3) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNALS)
def test_loss_or_failure_at_any_call_leaves_true_records(name: str, program: Program, tmp_path: Path) -> None:
    recorded = Recorded(JOURNALS[name], name, program, tmp_path)
    failed = sum(map(recorded.fail, range(1, len(recorded.calls) + 1)))
    recorded.begin()
    print(f"FIGURE {name}: {failed} of {len(recorded.calls)} calls, {recorded.check_all(500, 10)} states")


def test_rows_without_head_are_not_used(tmp_path: Path) -> None:
    """An earlier version did not sync the head, so a power loss could take it and leave what follows."""
    kind = JOURNALS["paced"]
    path = tmp_path / kind.name
    kind.write(path)
    head, rows = path.read_bytes().split(b"\n", 1)
    for without in (bytes(len(head)) + b"\n" + rows, bytes(len(head) + 1) + rows, rows):
        path.write_bytes(without)
        with pytest.raises(EvalsError, match="not a journal of this program"):
            kind.read(path)


@pytest.mark.parametrize("name", ["paced", "exact"])
def test_journal_with_half_a_head_begins_again(name: str, tmp_path: Path) -> None:
    """A killed run, or a power loss, at the first write; a file of something else is not overwritten."""
    kind = JOURNALS[name]
    path = tmp_path / kind.name
    kind.write(path)
    head = path.read_bytes().split(b"\n", 1)[0]
    for half in (b"", b"\0" * 9, head[: len(head) // 2], head, head[:20] + bytes(len(head) - 19)):
        path.write_bytes(half)
        kind.write(path)
        assert list(kind.read(path)) == list(kind.whole)
    for foreign in (b"some words", b"\0" * 9 + b"x", b"{}\n"):
        path.write_bytes(foreign)
        with pytest.raises(BookBuilderError):
            kind.write(path)
        assert path.read_bytes().startswith(foreign)
