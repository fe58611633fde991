"""Two processes that write the same file: each takes its turn, or is refused."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.fault_jobs import JOBS, begin, state, words_of
from support.fault_program import Program

import bookbuilder as bb
from bookbuilder.disk import remove_drafts
from bookbuilder.errors import StoreError
from bookbuilder.tally.store import layout


def started(*words: str) -> subprocess.Popen[str]:
    """Start the program in a new process."""
    command = [sys.executable, "-P", "-m", "bookbuilder", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_concurrent_edits_are_all_kept(inputs: Path, tmp_path: Path) -> None:
    begin(JOBS["edit"], inputs, tmp_path / "out")
    book = tmp_path / "out" / "a.book"
    moves = list(bb.Book.open(book).moves("startpos")["move"])[:3]
    running = [started("book", "edit", str(book), "startpos", move, "--drop") for move in moves]
    for process in running:
        _, output = process.communicate()
        assert process.returncode == 0, output
    found = bb.Book.open(book)
    assert found.recipe["edited"] == len(moves)
    assert not {*moves} & {*found.moves("startpos")["move"]}


@pytest.mark.parametrize("name", ["tally more", "tally merge", "tally remove-source"])
def test_second_writer_of_a_store_is_refused(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    job, place = JOBS[name], tmp_path / "out"
    old = begin(job, inputs, place)
    with layout.locked(place / "a.store"):
        ended = program.run(words_of(job.words, inputs, place), place)
    assert ended.code == 3
    assert "another process is writing this store; wait until it has ended" in ended.err
    assert state(place) == old


def test_store_removed_by_other_writer_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, take = tmp_path / "a.store", fcntl.flock
    place.mkdir()
    removals = iter([place.rmdir])

    def take_late(handle: int, how: int) -> None:
        next(removals, lambda: None)()
        take(handle, how)

    monkeypatch.setattr(fcntl, "flock", take_late)
    with layout.locked(place):
        assert place.is_dir()
        with pytest.raises(StoreError, match="another process"), layout.locked(place):
            pass
        (place / "kept").touch()
    assert [each.name for each in place.iterdir()] == ["kept"]


def test_drafts_of_running_writers_are_kept(tmp_path: Path) -> None:
    ended = started("--version")
    ended.communicate()
    living, dead = os.getpid(), ended.pid
    names = {
        f".tmp-{living}-a.book", f".tmp-{dead}-b.book", "a.book",
        f".tmp-{living}-.tmp-{living}-a.book", ".hidden", ".tmp-work",
    }  # fmt: skip
    gone = {f".tmp-{dead}-a.book", f".tmp-{dead}-.tmp-{dead}-a.book"}
    for name in names | gone:
        (tmp_path / name).touch()
    remove_drafts(tmp_path, "a.book")
    assert {path.name for path in tmp_path.iterdir()} == names
    remove_drafts(tmp_path)
    assert not (tmp_path / f".tmp-{dead}-b.book").exists()
    assert (tmp_path / f".tmp-{living}-a.book").exists()


def test_next_build_removes_the_draft_of_a_killed_one(tmp_path: Path, data: Path) -> None:
    """Defect 9 of an attack. Drafts of other files are theirs: another host may be writing them."""
    ended = started("--version")
    ended.communicate()
    for name in ("a.book", "b.book"):
        (tmp_path / f".tmp-{ended.pid}-{name}").write_bytes(b"half")
    command = ("build", str(data / "chess_selfplay.pgn"), "-o", str(tmp_path / "a.book"), "--max-games", "50")
    again = started(*command)
    again.communicate()
    assert again.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"a.book", f".tmp-{ended.pid}-b.book"}
