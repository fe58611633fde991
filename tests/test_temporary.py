"""Temporary folders: removed by their owner, or after a kill by the next one; those in use stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bookbuilder.errors import BookBuilderError
from bookbuilder.temporary import TemporaryFolder

KILLED = """
import os, signal, sys
from bookbuilder.temporary import TemporaryFolder
folder = TemporaryFolder(sys.argv[1])
(folder.path / "store").mkdir()
(folder.path / "store" / "part").write_bytes(b"half")
os.kill(os.getpid(), signal.SIGKILL)
"""
WAITING = """
import sys
from bookbuilder.temporary import TemporaryFolder
with TemporaryFolder(sys.argv[1]) as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


def command(program: str, place: Path) -> list[str]:
    return [sys.executable, "-P", "-c", program, str(place)]


def test_folder_goes_with_its_block(tmp_path: Path) -> None:
    with TemporaryFolder(tmp_path) as path:
        (path / "a").mkdir()
        assert list(tmp_path.iterdir()) == [path]
    assert not list(tmp_path.iterdir())
    with pytest.raises(BookBuilderError), TemporaryFolder(tmp_path):
        raise BookBuilderError("stop")
    assert not list(tmp_path.iterdir())


def test_folder_goes_with_its_last_reference(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    assert folder.path.is_dir()
    del folder
    assert not list(tmp_path.iterdir())


def test_next_folder_removes_that_of_a_killed_process(tmp_path: Path) -> None:
    """A kill once left its counts in the folder of the system for temporary files, for ever."""
    for _ in range(2):
        assert subprocess.run(command(KILLED, tmp_path), check=False).returncode < 0
        [left] = tmp_path.iterdir()
        assert (left / "store" / "part").exists()
    with TemporaryFolder(tmp_path) as path:
        assert list(tmp_path.iterdir()) == [path]


def test_folders_in_use_stay(tmp_path: Path) -> None:
    with (
        TemporaryFolder(tmp_path) as own,
        subprocess.Popen(
            command(WAITING, tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other,
    ):
        assert other.stdout is not None
        of_other = Path(other.stdout.readline().rstrip())
        with TemporaryFolder(tmp_path) as third:
            assert {*tmp_path.iterdir()} == {own, of_other, third}
        other.communicate()
        assert {*tmp_path.iterdir()} == {own}


def test_other_names_and_links_stay(tmp_path: Path) -> None:
    precious, place = tmp_path / "precious", tmp_path / "place"
    names = {"bookbuilder-", ".tmp-bookbuilder-", ".tmp-bookbuilder-UPPERCAS", ".tmp-123-a.book"}
    for folder in (precious, *(place / name for name in names)):
        folder.mkdir(parents=True)
    (precious / "a.book").touch()
    (place / ".tmp-bookbuilder-aaaaaaaa").symlink_to(precious)
    (place / ".tmp-bookbuilder-bbbbbbbb").touch()
    (place / ".tmp-bookbuilder-cccccccc").mkdir()
    with TemporaryFolder(place):
        pass
    linked = {".tmp-bookbuilder-aaaaaaaa", ".tmp-bookbuilder-bbbbbbbb"}
    assert {path.name for path in place.iterdir()} == names | linked
    assert (precious / "a.book").exists()


def test_folder_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bookbuilder import system, temporary

    removals = iter([Path.rmdir])

    def lock_late(path: Path) -> int | None:
        next(removals, lambda _: None)(path)
        return system.lock_directory(path)

    monkeypatch.setattr(temporary, "lock_directory", lock_late)
    with TemporaryFolder(tmp_path) as path:
        assert path.is_dir()
    assert next(removals, None) is None
    assert not list(tmp_path.iterdir())
