"""What a process may not have: room in files, handles, memory, a reader of its output, a writable folder."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.fault_jobs import JOBS, state, words_of
from support.fault_program import Ended, Program
from support.fault_stage import Stage, assert_reported_in_a_line

WITH_ENGINES = {"evaluate", "clean", "plot book check", "walk", "grow"}
"""Without a handle for its event loop, Python itself prints a traceback after the error."""
SOME = ["tally more", "build", "merge", "edit", "convert obk", "convert games", "endgame"]
PRINTING = {
    "tables": "show IN/a.store",
    "json": "show IN/a.store --json",
    "lines": "book diff IN/a.book IN/edited.book --rows 1000",
    "games": "games list IN/chess.pgn --json",
    "moves": "games convert IN/chess.pgn",
    "info": "info IN/a.store",
}


def limited(stage: Stage, name: str, limit: int) -> Ended:
    """Run a job within a limit, and again without."""
    stage.reset()
    ended = stage.disturb(limits={name: limit})
    stage.finish()
    return ended


def largest_file(stage: Stage) -> int:
    """Return the bytes of the largest file that a job writes."""
    return max(len(each) for files in stage.new.values() for each in files.values())


@pytest.mark.parametrize("name", SOME)
def test_file_size_limit_is_reported(stage: Stage) -> None:
    ended = limited(stage, "RLIMIT_FSIZE", largest_file(stage) // 2)
    assert_reported_in_a_line(ended)
    assert ended.code == 3, ended


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_any_file_size_limit_leaves_old_or_new_output(stage: Stage) -> None:
    for part in range(8):
        # What is said of it goes into a file too.
        limit = max(largest_file(stage) * part // 7, 1024)
        assert_reported_in_a_line(limited(stage, "RLIMIT_FSIZE", limit))


@pytest.mark.parametrize("name", ["tally more", "convert games"])
def test_running_out_of_handles_is_reported(stage: Stage) -> None:
    ends = [limited(stage, "RLIMIT_NOFILE", handles) for handles in (3, 6, 256)]
    for ended in ends:
        assert_reported_in_a_line(ended)
    assert (ends[0].code, ends[-1].code) == (3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [each for each in JOBS if each not in WITH_ENGINES])
def test_any_number_of_handles_leaves_old_or_new_output(stage: Stage) -> None:
    for handles in (*range(3, 16), 24):
        assert_reported_in_a_line(limited(stage, "RLIMIT_NOFILE", handles))


@pytest.mark.parametrize("name", ["tally more", "merge"])
def test_running_out_of_memory_leaves_old_or_new_output(stage: Stage) -> None:
    ends = [limited(stage, "RLIMIT_AS", mib << 20).code for mib in (0, 2, 8, 4096)]
    assert ends[0] != 0
    assert ends[-1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_any_memory_limit_leaves_old_or_new_output(stage: Stage) -> None:
    for mib in (0, 1, 2, 4, 8, 16, 32, 64, 128):
        limited(stage, "RLIMIT_AS", mib << 20)


@pytest.mark.parametrize("name", SOME)
def test_backward_clock_changes_no_output(stage: Stage) -> None:
    stage.reset()
    assert stage.disturb(is_clock_odd=True).code == 0


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
def test_unwritable_folder_is_reported(stage: Stage) -> None:
    stage.reset()
    folders = [stage.place, *(each for each in stage.place.iterdir() if each.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    command = [sys.executable, "-P", "-m", "bookbuilder", *stage.words]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=without_rights_of_root
    )
    for folder in folders:
        folder.chmod(0o755)
    assert ran.returncode == 3, ran.stderr
    line = ran.stderr.splitlines()[-1]
    assert line.startswith(f"bookbuilder: {stage.place}"), ran.stderr
    assert "Traceback" not in ran.stderr
    assert "permission denied" in line.lower()
    assert state(stage.place) == stage.old


@pytest.mark.parametrize("name", ["build", "convert games", "convert obk"])
def test_no_temporary_folder(stage: Stage, tmp_path: Path) -> None:
    """Without any folder for temporary files a command works, or says so in a line."""
    stage.reset()
    command = [sys.executable, "-P", "-m", "bookbuilder", *stage.words]
    nowhere = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(tmp_path / "nowhere"))}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=nowhere)
    assert ran.returncode in (0, 3), ran.stderr
    assert "Traceback" not in ran.stderr
    stage.check()
    assert ran.returncode or stage.is_done()
