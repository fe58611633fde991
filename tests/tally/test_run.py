"""Runs over archives: which files are read, and what is reported about them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.errors import ArchiveError
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.tally import run_archives

PGN = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'


def put(path: Path, text: str = PGN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_directories_are_searched_and_files_taken_by_name(tmp_path) -> None:
    names = ["b/2.PGN", "b/c/1.xqf", "a.pgn.zst", "b/games.tar.gz"]
    wanted = sorted(put(tmp_path / name) for name in names)
    put(tmp_path / "b" / "readme.txt")
    odd = put(tmp_path / "odd.name")
    assert find_archives([tmp_path]) == wanted
    assert find_archives([odd, tmp_path / "b", tmp_path]) == sorted([*wanted, odd])


def test_patterns_are_expanded_and_a_file_comes_once(tmp_path) -> None:
    wanted = [put(tmp_path / name) for name in ("1.pgn", "2.pgn", "x/3.pgn")]
    assert find_archives([tmp_path / "*.pgn"]) == wanted[:2]
    assert find_archives([f"{tmp_path}/**/*.pgn", tmp_path / "x" / ".." / "1.pgn"]) == wanted
    # A name is taken as it stands before it is read as a pattern.
    literal = put(tmp_path / "[1].pgn")
    assert find_archives([literal]) == [literal]


@pytest.mark.parametrize("missing", ["none.pgn", "*.xqf", "empty"])
def test_input_without_archive_is_refused(tmp_path, missing) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArchiveError, match=f"{missing.replace('*', '.')}: no "):
        find_archives([tmp_path / missing])


def test_directory_that_cannot_be_listed_is_named(tmp_path, monkeypatch) -> None:
    put(tmp_path / "shut" / "1.pgn")
    scandir = os.scandir

    def refuse(path: str) -> object:  # root could list any directory, whatever its mode
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ArchiveError, match="shut: cannot be listed: Permission denied"):
        find_archives([tmp_path])


def test_pipe_is_refused_without_waiting(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe.pgn")
    with pytest.raises(ArchiveError, match="pipe.pgn: is a pipe"):
        run_archives(find_archives([tmp_path]), TallyOptions(game="chess"))


def test_empty_members_differ_from_unreadable_ones(tmp_path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.pgn", PGN)
        archive.writestr("bad.pgn", PGN * 300)
        archive.writestr("read.me", "prose\n" * 9)
        damage = archive.getinfo("bad.pgn").header_offset + 60
    content = bytearray(path.read_bytes())
    content[damage : damage + 30] = bytes(30)
    path.write_bytes(content)
    report = run_archives([path], TallyOptions(game="chess")).report
    codes = {each["member"]: each["code"] for each in report.members_skipped}
    assert codes == {"bad.pgn": "damaged", "read.me": "foreign"}
    assert [each["member"] for each in report.unreadable()] == ["bad.pgn"]


def test_peak_memory_excludes_the_parent_process() -> None:
    told = "from bookbuilder.system import peak_rss_bytes as peak; print(peak())"
    starts = (
        'import subprocess, sys; held = b"x" * (1 << 30); '
        f'print(subprocess.check_output([sys.executable, "-P", "-c", {told!r}], text=True))'
    )
    ran = subprocess.run([sys.executable, "-P", "-c", starts], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 1 << 29


def test_run_reads_each_content_once_and_counts_by_source(tmp_path) -> None:
    first, again, bad = (put(tmp_path / name) for name in ("1.pgn", "2.pgn", "3.pgn"))
    put(bad, PGN.replace("Nf3", "Nf6"))
    paths = find_archives([tmp_path])
    assert detect_game(paths) == "chess"
    run = run_archives(paths, TallyOptions(game="chess"), RunLimits(jobs=1))
    assert run.report.skipped == (str(again),)
    assert [(s.source, s.games, s.rejects) for s in run.report.sources] == [
        (str(first), 1, 0),
        (str(bad), 0, 1),
    ]
    assert (run.report.games_read, run.report.games_used) == (2, 1)
    assert sum(run.report.rejects.values()) == run.rejects.num_rows == 1
    assert run.report.observations == len(run.rows) == 4
    assert run.rows.games.to_pylist()[0]["first_player"] == "A"
    known = run_archives(paths, TallyOptions(game="chess"), known=run.report.sources)
    assert len(known.report.skipped) == 3
    assert len(known.rows) == 0
