"""Growing a store: memory, threads and splits do not show, what is broken off is taken up."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder import Tally, _core
from bookbuilder.archives.find import find_archives
from bookbuilder.errors import StoreError
from bookbuilder.tally.options import MAX_PLY, RunLimits, TallyOptions
from bookbuilder.tally.report import reject_pieces
from bookbuilder.tally.store import layout
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import WORK, read_manifest
from bookbuilder.tally.store.reduce import count_repeats

OPTIONS = TallyOptions(game="chess")
ALL_PLIES = TallyOptions(game="chess", max_ply=MAX_PLY)
"""As the command counts with `--max-ply 65535`."""
LEAST = RunLimits(memory=1, jobs=1)
"""As little memory as a run can do with: 16 MiB, some hundred thousand observations."""


def files(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}


def games_of(folder: Path) -> list[str]:
    """Return the texts of all games of a folder of PGN files."""
    texts = [path.read_text(encoding="utf-8") for path in find_archives([folder])]
    return [game.strip() for text in texts for game in text.split("[Event ")[1:]]


def rows_of(directory: Path) -> list[tuple[str, str]]:
    """Files and digests of the parts of TALLY."""
    return [(part["file"], part["blake3"]) for part in read_manifest(directory).parts]


@pytest.fixture(scope="session")
def many(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives beyond the minimum memory: 1,000 games of `data/` many times, with other players."""
    folder = tmp_path_factory.mktemp("many")
    games = (data / "chess_selfplay.pgn").read_text(encoding="utf-8").split("[Event ")
    text = "[Event ".join(games[:1001])
    for number in range(6):
        (folder / f"{number}.pgn").write_text(
            text.replace('[White "', f'[White "{number} '), encoding="utf-8"
        )
    return folder


@pytest.fixture(scope="session")
def whole(many: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of `many`, made at once and undisturbed."""
    store = tmp_path_factory.mktemp("whole") / "store"
    grow(store, find_archives([many]), OPTIONS, RunLimits(jobs=2))
    return store


def test_store_does_not_depend_on_memory_and_threads(many, whole, tmp_path) -> None:
    runs: list[int] = []
    for jobs in (1, 2):
        limits = RunLimits(memory=1, jobs=jobs)
        count = lambda opened: runs.append(len(opened))  # noqa: E731
        grow(tmp_path / str(jobs), find_archives([many]), OPTIONS, limits, on_runs=count)
        assert files(tmp_path / str(jobs)) == files(whole)
    assert min(runs) > 1, "it did not fit into memory"


def test_a_run_that_fits_into_memory_is_no_file(many, whole, tmp_path) -> None:
    held: list[_core.Run] = []
    files_there: list[Path] = []

    def look(runs: Sequence[_core.Run]) -> None:
        held.extend(runs)
        files_there.extend((tmp_path / "a" / WORK).glob("*.run"))

    # What other tests left in the memory of this process must not matter.
    limits = RunLimits(jobs=2, memory=64 << 30)
    grow(tmp_path / "a", find_archives([many]), OPTIONS, limits, on_runs=look)
    assert [run.path for run in held] == [None]
    assert not files_there
    assert files(tmp_path / "a") == files(whole)


def test_archives_added_one_by_one_give_the_same_store(many, whole, tmp_path) -> None:
    paths = find_archives([many])
    random.Random(3).shuffle(paths)
    for path in paths:
        report = grow(tmp_path / "a", [path], OPTIONS, LEAST)
    assert files(tmp_path / "a") == files(whole)
    assert report.rows == read_manifest(whole).rows


def test_a_store_is_the_tally_in_memory(many, whole) -> None:
    tally = Tally.from_archives(many)
    assert Tally.open(whole) == tally
    bounded = Tally.from_archives(many, memory=1)
    assert bounded == tally
    assert bounded.report is not None
    assert tally.report is not None
    different = ("seconds", "cpu_seconds", "peak_rss_bytes")
    one, other = (
        {name: value for name, value in each.to_json().items() if name not in different}
        for each in (bounded.report, tally.report)
    )
    assert one == other


def test_known_archives_are_skipped_and_parts_kept(many, whole, tmp_path) -> None:
    grow(tmp_path / "a", find_archives([many]), OPTIONS, LEAST)
    stamps = {entry: entry.stat().st_mtime_ns for entry in (tmp_path / "a").iterdir()}
    report = grow(tmp_path / "a", find_archives([many]), OPTIONS, LEAST)
    assert (len(report.skipped), report.games_read, report.rows) == (6, 0, read_manifest(whole).rows)
    assert {entry: entry.stat().st_mtime_ns for entry in (tmp_path / "a").iterdir()} == stamps


@pytest.mark.parametrize("dedupe", ["exact", "players", "prefix"])
def test_dedupe_does_not_depend_on_memory(many, tmp_path, dedupe) -> None:
    options = TallyOptions(game="chess", dedupe=dedupe)
    tally = Tally.empty(options).add_archives(many)
    report = grow(tmp_path / "a", find_archives([many]), options, LEAST)
    assert Tally.open(tmp_path / "a") == tally
    assert tally.report is not None
    assert report.duplicates == tally.report.duplicates > 0
    for path in reversed(find_archives([many])):
        grow(tmp_path / "b", [path], options, LEAST)
    assert len(Tally.open(tmp_path / "b")) == len(tally)


def test_a_limit_counts_over_batches(many, tmp_path) -> None:
    options = TallyOptions(game="chess", limit=4321)
    tally = Tally.empty(options).add_archives(many)
    grow(tmp_path / "a", find_archives([many]), options, LEAST)
    assert Tally.open(tmp_path / "a") == tally
    assert tally.games.num_rows == 4321


def test_rejects_are_numbered_over_all_batches(many, tmp_path) -> None:
    archive = tmp_path / "bad.pgn"
    bad = '[Event "Bad \\"1\\""]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'
    texts = [path.read_text(encoding="utf-8") + bad for path in find_archives([many])]
    archive.write_text("".join(texts), encoding="utf-8")
    lines: list[bytes] = []
    keep = lambda runs: lines.extend(reject_pieces(runs, as_text=False))  # noqa: E731
    report = grow(tmp_path / "a", [archive], OPTIONS, RunLimits(memory=1, jobs=1), on_runs=keep)
    table = Tally.from_archives(archive).rejects
    assert b"".join(lines).decode().splitlines() == [
        __import__("json").dumps(row, ensure_ascii=False) for row in table.to_pylist()
    ]
    assert report.rejects == {"illegal-move": 6}
    assert table.column("game").to_pylist() == [1001 * number for number in range(1, 7)]


def test_repeats_are_counted_in_shares(many, whole, monkeypatch) -> None:
    parts = [whole / part["file"] for part in read_manifest(whole).game_parts]
    games = read_manifest(whole).games
    texts = [re.sub(r"\[Round .*", "", game) for game in games_of(many)]
    repeats = len(texts) - len(set(texts))
    assert count_repeats(parts, games, None) == repeats > 0
    assert count_repeats(parts * 2, games * 2, None) == games + repeats
    monkeypatch.setattr("bookbuilder.tally.store.reduce._REPEATS_BYTES", 1 << 15)
    assert count_repeats(parts * 2, games * 2, 1) == games + repeats
    assert sorted(path.name for path in whole.iterdir()) == sorted(files(whole))


def interrupted(many: Path, store: Path) -> None:
    """Leave what a run leaves that is broken off behind its first batch."""

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow(store, find_archives([many]), OPTIONS, RunLimits(memory=1, jobs=1), on_runs=stop)
    runs = sorted((store / WORK).glob("run-*.run"))
    assert len(runs) > 2
    for path in runs[1:]:
        path.unlink()


def test_interrupted_run_resumes_after_its_last_batch(many, whole, tmp_path) -> None:
    interrupted(many, tmp_path / "a")
    read: list[int] = []
    how = RunLimits(memory=1, jobs=1, progress=lambda _, games, __: read.append(games))
    grow(tmp_path / "a", find_archives([many]), OPTIONS, how)
    assert read[-1] < 6000, "what was done is not replayed"
    assert files(tmp_path / "a") == files(whole)


def test_resume_uses_runs_of_shared_archives(many, whole, tmp_path) -> None:
    interrupted(many, tmp_path / "a")
    fewer = find_archives([many])[:-1]
    grow(tmp_path / "a", fewer, OPTIONS, LEAST)
    grow(tmp_path / "b", fewer, OPTIONS, LEAST)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    other = TallyOptions(game="chess", max_ply=20)
    interrupted(many, tmp_path / "c")
    grow(tmp_path / "c", fewer, other, LEAST)
    grow(tmp_path / "d", fewer, other, LEAST)
    assert files(tmp_path / "c") == files(tmp_path / "d")


def test_damaged_run_is_recounted(many, whole, tmp_path) -> None:
    interrupted(many, tmp_path / "a")
    run_file = tmp_path / "a" / WORK / "run-00000.run"
    run_file.write_bytes(run_file.read_bytes()[:-5])
    grow(tmp_path / "a", find_archives([many]), OPTIONS, LEAST)
    assert files(tmp_path / "a") == files(whole)


def kill_once(many: Path, store: Path, seconds: float) -> bool:
    """Run `tally` in a process group of its own and kill that; returns whether it had ended by itself."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "bookbuilder",
        "tally",
        str(many),
        "-o",
        str(store),
        "--max-ply",
        str(MAX_PLY),
    ]
    process = subprocess.Popen(
        [*command, "--memory", "64MiB", "--jobs", "1", "--quiet"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def kill_and_resume(many: Path, folder: Path, kills: int) -> None:
    """Kill runs at random moments; a run that is let be then ends with the bytes of an undisturbed one."""
    chance = random.Random(kills)
    whole = folder / "whole"
    grow(whole, find_archives([many]), ALL_PLIES, RunLimits(jobs=1))
    started = time.perf_counter()
    assert kill_once(many, folder / "first", 600)
    lasts = time.perf_counter() - started
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        store = folder / f"{rounds}"
        # Up to three kills of one store, at any moment of its life.
        for _ in range(chance.randrange(1, 4)):
            if kill_once(many, store, chance.uniform(0.2, 1.1) * lasts):
                break
            killed += 1
        report = grow(store, find_archives([many]), ALL_PLIES, RunLimits(jobs=1))
        assert report.skipped or report.games_read
        assert files(store) == files(whole)


def test_a_store_that_is_being_written_is_not_written_by_another(many, tmp_path) -> None:
    with layout.locked(tmp_path / "a"):
        with pytest.raises(StoreError, match="another process is writing"):
            grow(tmp_path / "a", find_archives([many]), OPTIONS, LEAST)
        ran = run("tally", many, "-o", tmp_path / "a")
        assert ran.code == 3
        assert "wait until it has ended" in ran.err


def test_unreadable_archive_leaves_no_files(many, foreign, tmp_path) -> None:
    from bookbuilder.errors import ArchiveError

    with pytest.raises(ArchiveError):
        grow(tmp_path / "a", [foreign], OPTIONS, LEAST)
    assert not (tmp_path / "a").exists()


@pytest.mark.corpus
def test_the_real_sample_gives_one_store_however_it_is_made(corpus, tmp_path) -> None:
    archive = corpus / "data" / "chess" / "pgnmentor_sample20k_dev.pgn.zst"
    made = {}
    for jobs in (1, 2):
        for memory in (64 << 20, 4 << 30):
            grow(tmp_path / "a", [archive], OPTIONS, RunLimits(memory=memory, jobs=jobs), force=True)
            made[jobs, memory] = files(tmp_path / "a")
    assert all(each == made[1, 64 << 20] for each in made.values())
    import pyarrow as pa

    with pa.input_stream(archive, compression="zstd") as stream:
        text = stream.read().decode("latin-1")
    games = ["[Event " + game for game in text.split("[Event ")[1:]]
    (tmp_path / "cut").mkdir()
    for number in range(7):
        piece = "".join(games[number * len(games) // 7 : (number + 1) * len(games) // 7])
        (tmp_path / "cut" / f"{number}.pgn").write_bytes(piece.encode("latin-1"))
    grow(tmp_path / "b", find_archives([tmp_path / "cut"]), OPTIONS, RunLimits(memory=64 << 20))
    assert rows_of(tmp_path / "a") == rows_of(tmp_path / "b")


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_resume_after_kill_gives_same_bytes(many, tmp_path, kills) -> None:
    kill_and_resume(many, tmp_path, kills=kills)
