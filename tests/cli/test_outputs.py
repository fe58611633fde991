"""Outputs and standard streams: devices, links, long names, full disks, closed streams and closed pipes."""

from __future__ import annotations

import itertools
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli_runner import run

PROGRAM = [sys.executable, "-P", "-m", "bookbuilder"]


def outputs(archive: Path, target: Path) -> list[list[object]]:
    """Return command lines that write the target."""
    return [
        ["build", archive, "-o", target, "--force", "--format", "polyglot"],
        ["build", archive, "-o", target, "--force", "--format", "book"],
        ["build", archive, "-o", target, "--force", "--format", "csv"],
        ["games", "filter", archive, "-o", target, "--force"],
        ["games", "check", archive, "--rejects", target, "--force"],
    ]


def test_a_link_is_followed(chess_pgn: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    for number, words in enumerate(outputs(chess_pgn, tmp_path / "link")):
        target = tmp_path / "disk" / f"target{number}"
        if number % 2:
            target.write_text("old")
        link = tmp_path / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        ran = run(*words)
        assert ran.code == 0, ran.err
        assert link.is_symlink()
        assert target.read_bytes() != b"old"
    assert not list(tmp_path.rglob(".tmp-*"))


def test_what_is_no_file_is_never_replaced(chess_pgn: Path, tmp_path: Path) -> None:
    pipe, door = tmp_path / "pipe", tmp_path / "door"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(door))
        for target in (pipe, door):
            kind = stat.S_IFMT(target.stat().st_mode)
            for words in outputs(chess_pgn, target):
                for given in (words, [each for each in words if each != "--force"]):
                    ran = run(*given)
                    assert ran.code == 4
                    assert "is not a regular file" in ran.err
                    assert "--force" not in ran.err
            assert stat.S_IFMT(target.stat().st_mode) == kind


def test_a_dash_is_standard_output_of_games(chess_pgn: Path) -> None:
    ran = run("games", "filter", chess_pgn, "-o", "-")
    assert (ran.code, ran.out) == (0, chess_pgn.read_text())


@pytest.mark.parametrize("name", ["b" * 251 + ".bin", "b" * 250 + ".book", "局" * 83 + ".csv"])
def test_names_may_have_all_255_bytes(name: str, chess_pgn: Path, tmp_path: Path) -> None:
    assert len(os.fsencode(name)) <= 255
    ran = run("build", chess_pgn, "-o", tmp_path / name, "--min-games", 1)
    assert ran.code == 0, ran.err
    assert [each.name for each in tmp_path.glob("*b*") if each != chess_pgn] == [name] or "局" in name
    assert (tmp_path / name).stat().st_size


def test_a_full_disk_is_named_with_the_file(chess_pgn: Path, tmp_path: Path) -> None:
    lines = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    lines += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    lines += "sys.argv[0] = 'bookbuilder'; from bookbuilder.__main__ import main; main()"
    for name in ("a.csv", "a.bin", "a.pgn"):
        words = ["build", str(chess_pgn), "-o", str(tmp_path / name), "--min-games", "1"]
        ran = subprocess.run(
            [sys.executable, "-P", "-c", lines, *words], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 3, ran.stderr
        last = ran.stderr.splitlines()[-1]
        assert last == f"bookbuilder: {tmp_path / name}: file too large", last
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    "closed", [each for count in range(4) for each in itertools.combinations((0, 1, 2), count)]
)
def test_closed_standard_streams(closed: tuple[int, ...], chess_pgn: Path, tmp_path: Path) -> None:
    close = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
    for words in (
        f"games list {chess_pgn}",
        f"build {chess_pgn} -o {tmp_path / 'a.bin'} --force --min-games 1",
        f"tally {chess_pgn} -o {tmp_path / 'a.store'} --force",
    ):
        ran = subprocess.run(
            f"exec {' '.join(PROGRAM)} {words} {close}",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert "Traceback" not in ran.stderr
    assert (tmp_path / "a.bin").stat().st_size
    assert (tmp_path / "a.store" / "manifest.json").stat().st_size
    ran = subprocess.run(
        f"exec {' '.join(PROGRAM)} tally - -o {tmp_path / 'b.store'} <&-",
        shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 3
    assert len(ran.stderr.splitlines()) == 1


def test_a_working_directory_that_is_gone_is_named(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in ("build", "tally"):
        ran = run(command, data / "chess_selfplay.pgn", "-o", "a.book", "--quiet")
        assert (ran.code, "the working directory is gone" in ran.err) == (3, True), (command, ran.err)
