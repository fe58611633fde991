"""What a process may not have: room in files, handles, memory, a reader of its output, a writable folder."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.fault_jobs import State, begin, finish, is_after, require_old_or_new, state, words_of
from support.fault_program import Ended, Program
from support.pressure_jobs import PRESSED

WITH_ENGINES = {"evaluate", "clean", "plot book check"}
"""Without a handle for its event loop, Python itself prints a traceback after the error."""
HANGS = "export"
"""Python waits for ever for a thread that gets no memory to begin with, here that of progress."""
SOME = ["tally more", "build", "merge", "edit", "convert obk", "convert games", "endgame"]
PRINTING = {
    "tables": "show IN/a.store",
    "json": "show IN/a.store --json",
    "lines": "book diff IN/a.book IN/edited.book --rows 1000",
    "games": "games list IN/chess.pgn --json",
    "moves": "games convert IN/chess.pgn",
    "info": "info IN/a.store",
}


class Limited:
    """A job that is run with a limit, from what was there before it."""

    def __init__(self, name: str, program: Program, inputs: Path, folder: Path) -> None:
        self.job, self.program, self.inputs = PRESSED[name], program, inputs
        self.place, self.before = folder / "out", folder / "before"
        self.old: State = begin(self.job, inputs, self.place)
        shutil.copytree(self.place, self.before)
        self.words = words_of(self.job.words, inputs, self.place)
        assert program.run(self.words, self.place).code == 0
        self.new = state(self.place)

    def run(self, **options: Any) -> Ended:
        """Run it within a limit; what is there then is the old or the new, and a run without makes it new."""
        shutil.rmtree(self.place)
        shutil.copytree(self.before, self.place)
        ended = self.program.run(self.words, self.place, **options)
        now = state(self.place)
        require_old_or_new(self.job, now, self.old, self.new)
        if ended.code == 0:
            assert is_after(self.job, now, self.new)
        finish(self.job, self.inputs, self.place, self.new)
        return ended


def assert_reported_in_a_line(ended: Ended) -> None:
    assert "Traceback" not in ended.err, ended.err
    if ended.code != 0:
        assert ended.code in (2, 3), ended
        assert ended.err.splitlines()[-1].startswith("bookbuilder: "), ended.err


@pytest.mark.parametrize("name", SOME)
def test_file_size_limit_is_reported(name: str, program: Program, inputs: Path, tmp_path: Path) -> None:
    limited = Limited(name, program, inputs, tmp_path)
    whole = max(len(each) for files in limited.new.values() for each in files.values())
    ended = limited.run(limits={"RLIMIT_FSIZE": whole // 2})
    assert_reported_in_a_line(ended)
    assert ended.code == 3, ended


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESSED)
def test_any_file_size_limit_leaves_old_or_new_output(
    name: str, program: Program, more_inputs: Path, tmp_path: Path
) -> None:
    limited = Limited(name, program, more_inputs, tmp_path)
    whole = max(len(each) for files in limited.new.values() for each in files.values())
    for part in range(8):
        # What is said of it goes into a file too.
        limit = max(whole * part // 7, 1024)
        assert_reported_in_a_line(limited.run(limits={"RLIMIT_FSIZE": limit}))


@pytest.mark.parametrize("name", ["tally more", "convert games"])
def test_running_out_of_handles_is_reported(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    limited = Limited(name, program, inputs, tmp_path)
    ends = [limited.run(limits={"RLIMIT_NOFILE": handles}) for handles in (3, 6, 256)]
    for ended in ends:
        assert_reported_in_a_line(ended)
    assert (ends[0].code, ends[-1].code) == (3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in PRESSED if each not in WITH_ENGINES])
def test_any_number_of_handles_leaves_old_or_new_output(
    name: str, program: Program, more_inputs: Path, tmp_path: Path
) -> None:
    limited = Limited(name, program, more_inputs, tmp_path)
    for handles in (*range(3, 16), 24):
        assert_reported_in_a_line(limited.run(limits={"RLIMIT_NOFILE": handles}))


@pytest.mark.parametrize("name", ["tally more", "merge"])
def test_running_out_of_memory_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    limited = Limited(name, program, inputs, tmp_path)
    ends = [limited.run(limits={"RLIMIT_AS": mib << 20}).code for mib in (0, 2, 8, 4096)]
    assert ends[0] != 0
    assert ends[-1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in PRESSED if each != HANGS])
def test_any_memory_limit_leaves_old_or_new_output(
    name: str, program: Program, more_inputs: Path, tmp_path: Path
) -> None:
    limited = Limited(name, program, more_inputs, tmp_path)
    for mib in (0, 1, 2, 4, 8, 16, 32, 64, 128):
        limited.run(limits={"RLIMIT_AS": mib << 20})


@pytest.mark.parametrize("name", SOME)
def test_backward_clock_changes_no_output(name: str, program: Program, inputs: Path, tmp_path: Path) -> None:
    limited = Limited(name, program, inputs, tmp_path)
    assert limited.run(is_clock_odd=True).code == 0


@pytest.mark.parametrize("what", PRINTING)
def test_full_stdout_is_reported(what: str, program: Program, inputs: Path) -> None:
    ended = program.run(words_of(PRINTING[what], inputs, inputs), inputs, out=Path("/dev/full"))
    assert_reported_in_a_line(ended)
    assert ended.code == 3


@pytest.mark.parametrize("what", PRINTING)
def test_closed_pipe_ends_command_quietly(what: str, inputs: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-P", "-m", "bookbuilder", *words_of(PRINTING[what], inputs, inputs)]
    with os.fdopen(theirs, "wb") as pipe:
        ran = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.stderr == ""
    assert ran.returncode in (1, 141)


def without_rights_of_root() -> None:
    """Let the program that is started next have no right to write where its user may not, were it root's."""
    drop, write, read = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    if os.geteuid() == 0:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        for right in (write, read):
            assert prctl(drop, right, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())


@pytest.mark.parametrize("name", SOME)
def test_unwritable_folder_is_reported(name: str, program: Program, inputs: Path, tmp_path: Path) -> None:
    limited = Limited(name, program, inputs, tmp_path)
    shutil.rmtree(limited.place)
    shutil.copytree(limited.before, limited.place)
    folders = [limited.place, *(each for each in limited.place.iterdir() if each.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    command = [sys.executable, "-P", "-m", "bookbuilder", *limited.words]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=without_rights_of_root
    )
    for folder in folders:
        folder.chmod(0o755)
    assert ran.returncode == 3, ran.stderr
    line = ran.stderr.splitlines()[-1]
    assert line.startswith(f"bookbuilder: {limited.place}"), ran.stderr
    assert "Traceback" not in ran.stderr
    assert "permission denied" in line.lower()
    assert state(limited.place) == limited.old
