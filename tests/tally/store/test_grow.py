"""Growing a store: memory, threads and splits do not show, and interrupted runs are resumed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.stores import files

from bookbuilder import Tally, _core
from bookbuilder.archives.find import find_archives
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import reject_pieces
from bookbuilder.tally.store import reduce
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import WORK, read_manifest
from bookbuilder.tally.store.reduce import count_repeats

OPTIONS = TallyOptions(game="chess")
LEAST = RunLimits(memory=1, jobs=1)
"""As little memory as a run can do with: 16 MiB, some hundred thousand observations."""


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


def test_store_does_not_depend_on_memory_and_threads(many, whole, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(reduce, "_MOST_RUNS", 2)
    runs: list[int] = []
    for jobs in (1, 2):
        limits = RunLimits(memory=1, jobs=jobs)
        count = lambda opened: runs.append(len(opened))  # noqa: E731
        grow(tmp_path / str(jobs), find_archives([many]), OPTIONS, limits, on_runs=count)
        assert files(tmp_path / str(jobs)) == files(whole)
    assert min(runs) > 1, "it did not fit into memory"
    assert max(runs) > 2, "runs were merged first"


def test_a_run_that_fits_into_memory_is_no_file(many, whole, tmp_path) -> None:
    held: list[_core.Run] = []
    files_there: list[Path] = []

    def look(runs: Sequence[_core.Run]) -> None:
        held.extend(runs)
        files_there.extend((tmp_path / "a" / WORK).glob("*.run"))

    # What other tests left in the memory of this process must not matter.
    limits = RunLimits(jobs=2, memory=64 << 30)
    grow(tmp_path / "a", find_archives([many]), OPTIONS, limits, on_runs=look)
    assert [len(run) > 0 for run in held] == [True]
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
    assert [json.loads(line) for line in b"".join(lines).splitlines()] == table.to_pylist()
    assert report.rejects == {"illegal-move": 6}
    assert table.column("game").to_pylist() == [1001 * number for number in range(1, 7)]


def test_repeats_are_counted_in_shares(many, whole, monkeypatch) -> None:
    parts = [whole / part["file"] for part in read_manifest(whole).game_parts]
    games = read_manifest(whole).games
    archives = [path.read_text(encoding="utf-8") for path in find_archives([many])]
    games_in = [game.strip() for text in archives for game in text.split("[Event ")[1:]]
    texts = [re.sub(r"\[Round .*", "", game) for game in games_in]
    repeats = len(texts) - len(set(texts))
    assert count_repeats(parts, games, None) == repeats > 0
    assert count_repeats(parts * 2, games * 2, None) == games + repeats
    monkeypatch.setattr("bookbuilder.tally.store.reduce._REPEATS_BYTES", 1 << 15)
    assert count_repeats(parts * 2, games * 2, 1) == games + repeats


def interrupted(many: Path, store: Path) -> None:
    """Leave what a run leaves that is interrupted after its first batch."""

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


def test_unreadable_archive_leaves_no_files(many, foreign, tmp_path) -> None:
    from bookbuilder.errors import ArchiveError

    with pytest.raises(ArchiveError):
        grow(tmp_path / "a", [foreign], OPTIONS, LEAST)
    assert not (tmp_path / "a").exists()
