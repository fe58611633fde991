"""A tally on a cluster: the store of one process, byte for byte, in whatever stretches, whoever is killed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run
from support.dask_workers import two_workers
from support.zstd_frames import framed

from bookbuilder.archives.find import find_archives
from bookbuilder.errors import ArchiveError, OptionError, OutputExistsError, StoreError
from bookbuilder.tally.cluster.run import grow_on_cluster
from bookbuilder.tally.cluster.storage import find_everywhere
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import TallyReport, reject_pieces
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import WORK

distributed = pytest.importorskip("distributed", reason='needs the extra "cluster"')
fsspec = pytest.importorskip("fsspec", reason='needs the extra "cluster"')

OPTIONS = TallyOptions(game="chess")
TASK_BYTES = 1 << 20
DECODER_BYTES = 128 << 10  # read at a time
BAD_GAME = '[Event "Bad \\"1\\""]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


def files(directory: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in directory.iterdir()}


def figures(report: TallyReport) -> TallyReport:
    """A report without what clocks and systems say."""
    return replace(report, seconds=0, cpu_seconds=0, peak_rss_bytes=0)


def grow_together(
    crew: distributed.LocalCluster, target: object, archives: Sequence[object], **how: Any
) -> TallyReport:
    """Count archives on a cluster, in small tasks."""
    options, limits = how.pop("options", OPTIONS), how.pop("limits", RunLimits())
    found = find_everywhere([str(each) for each in archives])
    how = {"address": crew.scheduler_address, "task_bytes": TASK_BYTES // 4, **how}
    return grow_on_cluster(str(target), found, options, limits, **how)


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[distributed.LocalCluster]:
    """Two worker processes."""
    with two_workers(tmp_path_factory.mktemp("workers")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def many(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A large text, much of it compressed too, small archives, one of another game; some games are bad."""
    folder = tmp_path_factory.mktemp("many")
    text = (data / "chess_selfplay.pgn").read_text(encoding="utf-8")
    texts = [text.replace('[White "', f'[White "{number} ') + BAD_GAME for number in range(6)]
    (folder / "large.pgn").write_text("".join(texts[:4]), encoding="utf-8")
    with (folder / "packed.pgn.gz").open("wb") as stream:
        stream.write(gzip.compress("".join(texts[2:]).encode() + b'[Event "unlike"]\n\n1. d4 *\n', mtime=0))
    (folder / "framed.pgn.zst").write_bytes(framed("".join(texts[3:]).replace("\n", "\r\n").encode()))
    (folder / "small.pgn").write_text(BAD_GAME + text[:100_000], encoding="utf-8")
    (folder / "empty.pgn").write_text("")
    (folder / "xiangqi.pgn").write_bytes((data / "xiangqi_selfplay.pgn").read_bytes()[:300_000])
    return folder


@pytest.fixture(scope="module")
def whole(many: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TallyReport, bytes]:
    """The store of `many` by one process, its report, and the rejects."""
    store = tmp_path_factory.mktemp("whole") / "store"
    lines: list[bytes] = []
    keep = lambda runs: lines.extend(reject_pieces(runs, as_text=False))  # noqa: E731
    report = grow(store, find_archives([many]), OPTIONS, on_runs=keep)
    return store, report, b"".join(lines)


def test_store_does_not_depend_on_the_plan(crew, many, whole, tmp_path) -> None:
    expected, report, rejects = whole
    told: list[bytes] = []
    read: list[tuple[int, int, int]] = []
    limits = RunLimits(progress=lambda *figures: read.append(figures))
    keep = lambda runs: told.extend(reject_pieces(runs, as_text=False))  # noqa: E731
    found = grow_together(crew, tmp_path / "a", [many], limits=limits, on_runs=keep, task_bytes=TASK_BYTES)
    assert files(tmp_path / "a") == files(expected)
    assert figures(found) == figures(report)
    assert b"".join(told) == rejects
    assert max(json.loads(line)["game"] for line in rejects.splitlines()) > 3000
    assert len(read) > 5
    assert read[-1] == (report.bytes, report.games_read, sum(report.rejects.values()))


def test_killed_worker_changes_nothing(crew, many, whole, tmp_path) -> None:
    with distributed.Client(crew.scheduler_address, set_as_default=False) as client:
        victims = list(client.run(os.getpid).values())
        killed: list[int] = []

        def kill(*_: int) -> None:
            if not killed:
                killed.append(victims[0])
                os.kill(victims[0], signal.SIGKILL)

        found = grow_together(crew, tmp_path / "a", [many], limits=RunLimits(progress=kill))
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
    assert files(tmp_path / "a") == files(whole[0])
    assert figures(found) == figures(whole[1])


def test_interrupted_run_is_resumed(crew, many, whole, tmp_path) -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    def again(limits: RunLimits) -> None:
        grow_together(crew, tmp_path / "a", [many], limits=limits, task_bytes=TASK_BYTES)

    with pytest.raises(KeyboardInterrupt):
        again(RunLimits(progress=stop))
    done = {path: path.stat().st_mtime_ns for path in (tmp_path / "a" / WORK).glob("*.run")}
    assert done
    seen: dict[Path, int] = {}

    def look(*_: int) -> None:
        seen.update({path: path.stat().st_mtime_ns for path in done})

    again(RunLimits(progress=look))
    assert seen == done
    assert files(tmp_path / "a") == files(whole[0])


@pytest.mark.parametrize("scheme", ["", "local://"])
def test_many_runs_and_parts_give_the_same_store(crew, many, tmp_path, monkeypatch, scheme) -> None:
    monkeypatch.setattr("bookbuilder.tally.store.reduce.ROWS_PER_PART", 1 << 13)
    monkeypatch.setattr("bookbuilder.tally.store.reduce.MOST_RUNS", 3)
    monkeypatch.setattr("bookbuilder.tally.cluster.run._MOST_REDUCES", 4)
    grow(tmp_path / "a", find_archives([many]), OPTIONS, RunLimits())
    grow_together(crew, f"{scheme}{tmp_path}/b", [many])
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(list((tmp_path / "a").glob("part-*"))) > 8


def test_facets_on_a_cluster(crew, data, tmp_path) -> None:
    archives = [str(data / name) for name in ("chess_selfplay.pgn", "historic.pgn")]
    options = TallyOptions(game="chess", facets=("year",))
    grow(tmp_path / "one", find_archives(archives), options, RunLimits())
    grow_together(crew, tmp_path / "tasks", archives, options=options)
    assert files(tmp_path / "tasks") == files(tmp_path / "one")


def test_a_store_grows(crew, many, whole, tmp_path) -> None:
    grow(tmp_path / "a", [many / "small.pgn"], OPTIONS, RunLimits())
    report = grow_together(crew, tmp_path / "a", [many / "*.pgn*"], task_bytes=1 << 26)
    assert report.skipped == (str(many / "small.pgn"),)
    parts = {name: content for name, content in files(tmp_path / "a").items() if name != "manifest.json"}
    assert parts == {name: content for name, content in files(whole[0]).items() if name != "manifest.json"}
    with pytest.raises(StoreError, match="max_ply"):
        grow_together(crew, tmp_path / "a", [many], options=TallyOptions(game="chess", max_ply=3))


def test_damaged_archive_is_reported_as_by_one_process(crew, many, tmp_path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    packed = (many / "packed.pgn.gz").read_bytes()
    (folder / "cut.pgn.gz").write_bytes(packed[: len(packed) * 3 // 4])
    (folder / "foreign.pgn").write_bytes(bytes(range(256)) * 5000)
    report = grow(tmp_path / "a", find_archives([folder]), OPTIONS, RunLimits())
    found = grow_together(crew, tmp_path / "b", [folder])
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert figures(found) == figures(report)
    assert len(found.unreadable()) == 2
    (folder / "cut.pgn.gz").unlink()
    with pytest.raises(ArchiveError) as alone:
        grow(tmp_path / "c", find_archives([folder]), OPTIONS, RunLimits())
    with pytest.raises(ArchiveError) as together:
        grow_together(crew, tmp_path / "c", [folder])
    assert str(together.value) == str(alone.value)
    assert not (tmp_path / "c" / WORK).exists()


@pytest.mark.parametrize(
    ("is_missing", "reason"),
    [(False, "has bookbuilder 0.0.9, here is here"), (True, "cannot import bookbuilder")],
)
def test_workers_of_another_version_are_refused(
    crew, many, tmp_path, monkeypatch, is_missing, reason
) -> None:
    here = os.getpid()

    def version() -> str:
        if os.getpid() == here:
            return "here"
        if is_missing:
            raise ImportError("No module named 'bookbuilder'")
        return "0.0.9"

    monkeypatch.setattr("bookbuilder.tally.cluster.client.core_version", version)
    with pytest.raises(OptionError, match=reason):
        grow_together(crew, tmp_path / "a", [many / "small.pgn"])
    assert not (tmp_path / "a").exists()


def test_unsupported_options_are_refused(crew, many, tmp_path, monkeypatch) -> None:
    for words, reason in (
        (["--dedupe", "exact"], "needs all games in one place"),
        (["--max-games", "3"], "in their order"),
        (["--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
        (["--cluster", "nowhere"], "no Dask scheduler answers"),
    ):
        monkeypatch.setattr("bookbuilder.tally.cluster.client._CONNECT_SECONDS", 1)
        ran = run("tally", many / "small.pgn", "-o", tmp_path / "a", "--cluster", "local", *words)
        assert (ran.code, reason in ran.err) == (2, True), ran.err
    ran = run("tally", "-", "-o", tmp_path / "a", "--cluster", crew.scheduler_address)
    assert (ran.code, "standard input" in ran.err) == (2, True)
    ran = run("tally", "memory://a.pgn", "-o", tmp_path / "a")
    assert (ran.code, "--cluster local" in ran.err) == (2, True)
    for missing in ("distributed", "fsspec"):
        monkeypatch.setitem(sys.modules, missing, None)
        source = many / "small.pgn" if missing == "distributed" else "s3://games/a.pgn"
        ran = run("tally", source, "-o", tmp_path / "a", "--cluster", "local")
        assert (ran.code, "pip install 'bookbuilder[cluster]'" in ran.err) == (2, True), ran.err
    assert not (tmp_path / "a").exists()


def test_command_starts_local_workers(data, tmp_path) -> None:
    words = [data / "chess_selfplay.pgn", "--max-ply", "20", "--quiet", "--json"]
    alone = json.loads(run("tally", *words, "-o", tmp_path / "a").out)
    together = json.loads(run("tally", *words, "-o", tmp_path / "b", "--cluster", "local", "--jobs", "1").out)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    clocks = ("seconds", "cpu_seconds", "peak_rss_bytes")
    assert {**together, **dict.fromkeys(clocks)} == {**alone, **dict.fromkeys(clocks)}


def test_ctrl_c_keeps_finished_work(many, tmp_path) -> None:
    store = tmp_path / "a"
    words = ["tally", many, "-o", store, "--cluster", "local", "--jobs", "2", "--task", "256KiB", "--quiet"]
    command = [sys.executable, "-P", "-m", "bookbuilder", *map(str, words)]
    running = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True)
    while not list(store.glob(f"{WORK}/*.run")):
        assert running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    _, told = running.communicate()
    assert (running.returncode, told.splitlines()) == (
        130,
        ["bookbuilder: interrupted; outputs are as they were before"],
    )
    assert list(store.glob(f"{WORK}/*.run"))
    assert not (store / "manifest.json").exists()


def test_archives_and_stores_behind_urls(crew, many, whole, tmp_path) -> None:
    # To fsspec `local:` is storage like any other: copied from in ranges, put to whole.
    url = f"local://{tmp_path}/store"
    archives = find_everywhere([f"local://{many}"])
    assert [Path(each.name).name for each in archives] == sorted(path.name for path in many.iterdir())
    told: list[bytes] = []

    def grow_there(*, force: bool = False) -> TallyReport:
        return grow_on_cluster(
            url,
            archives,
            OPTIONS,
            address=crew.scheduler_address,
            on_runs=lambda runs: told.extend(reject_pieces(runs, as_text=False)),
            force=force,
            task_bytes=TASK_BYTES // 4,
        )

    report = grow_there()
    there, here = files(tmp_path / "store"), files(whole[0])
    tally = {name: content for name, content in here.items() if name.startswith("part-")}
    assert tally == {name: content for name, content in there.items() if name.startswith("part-")}
    assert set(there) - set(tally) == {
        "manifest.json",
        *(name for name in there if name.startswith("games-00000-")),
    }
    assert (report.games_used, report.rejects) == (whole[1].games_used, whole[1].rejects)
    names = b"".join(told).replace(b"file://", b"")
    assert names == whole[2]
    with pytest.raises(OutputExistsError, match="not grown"):
        grow_there()
    (tmp_path / "store" / "part-00000-left.parquet").write_bytes(b"left over")
    grow_there(force=True)
    assert files(tmp_path / "store") == there
    with pytest.raises(ArchiveError, match="cannot be read"):
        find_everywhere([f"local://{tmp_path}/none.pgn"])
    with pytest.raises(OptionError, match="cannot be opened"):
        find_everywhere(["nothing://a.pgn"])
