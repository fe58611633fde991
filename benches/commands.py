"""Time whole commands in fresh processes: what a user waits for, beside polyglot and beside lower bounds.

| part | job | beside |
|---|---|---|
| start | `--version`, `--help`, `engine uci`, `show STORE`, `build` of 100 games | – |
| build | to ply 40, with its summary and with `--quiet` | `polyglot make-book -max-ply 40 -min-game 3` |
| every move | `--preset broad --min-games 1 --max-ply 30`, `.bin`, `.book` | `… -max-ply 30 -min-game 1` |
| tally | to ply 30, and all plies | counting alone + pyarrow writing the same rows (lz4 or zstd 1) |

CPU seconds are user and system time of the whole process; of the lower bounds the time of the job alone.
Contenders take turns, and a figure is the median over the rounds.

Every answer is checked: a book of every move has polyglot's moves at the start position, and its weights as
long as polyglot adds up; a tally has all games of the archive, and pyarrow's file all its rows.

    python benches/commands.py [ARCHIVE] [--rounds 3] [--games 12000 138608] [--jobs 1 2] [--json]

The archive defaults to the games of master players under BOOKBUILDER_CORPUS. Polyglot ends at castling that
is written `0-0`, so both read a copy with `O-O`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
from contenders import cpu, environment, peak, split_games

ARCHIVE = "data/chess/pgnmentor_players_dev.pgn.zst"
GAMES = (12_000, 138_608)
CASTLING = re.compile(rb"(?<![\w/-])0-0(-0)?(?![\w-])")
# Where more games meet, polyglot halves its counts on the way: its weights are then no longer sums.
POLYGLOT_GAMES = 16_384
POLYGLOT = shutil.which("polyglot") or "/usr/games/polyglot"
EVERY = ("--preset", "broad", "--min-games", "1", "--max-ply", "30")


@dataclass(frozen=True)
class Ran:
    """One run of a command."""

    cpu_seconds: float
    seconds: float
    peak_bytes: int


Row = dict[str, Any]
"""The median of a command over the rounds; `ratio` is how often it fits into the time beside it."""


def main() -> int:
    """Run all jobs, check the answers, print the table."""
    asked = parsed()
    if asked.target:
        clean(Path(asked.archive), Path(asked.target), asked.games[0])
        return 0
    if asked.limit:
        print(json.dumps(limit(Path(asked.archive), asked.limit)))
        return 0
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bookbuilder-commands-") as folder:
        for games in asked.games:
            archive = cleaned(Path(asked.archive), Path(folder), games)
            for jobs in asked.jobs:
                rows += builds(archive, games, jobs, asked.rounds)
                rows += tallies(archive, games, jobs, asked.rounds)
        rows += starts(cleaned(Path(asked.archive), Path(folder), 100), asked.rounds)
    print(json.dumps(rows, indent=1) if asked.json else table(rows))
    return 0


def ran(command: Sequence[str], stdin: bytes = b"") -> Ran:
    """Return what a command took, which must succeed."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(
            command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
    return Ran(cpu(usage), time.perf_counter() - started, peak(usage))


def cleaned(archive: Path, folder: Path, games: int) -> Path:
    """Return the first games as a file that polyglot reads to its end."""
    target = folder / f"{games}.pgn"
    # In its own process, because the peak memory of a child is at least that of its parent.
    command = [sys.executable, __file__, str(archive), "--target", str(target), "--games", str(games)]
    subprocess.run(command, check=True)
    return target


def clean(archive: Path, target: Path, games: int) -> None:
    """Write the first games of an archive with castling as PGN writes it."""
    plain = target.with_suffix(".all")
    subprocess.run(ours("games", "filter", archive, "-o", plain, "--quiet"), check=True)
    with target.open("wb") as out:
        for game in itertools.islice(split_games(plain.read_bytes()), games):
            lines = game.split(b"\n")
            out.write(b"\n".join(each if each[:1] == b"[" else CASTLING.sub(castled, each) for each in lines))
    plain.unlink()


def castled(found: re.Match[bytes]) -> bytes:
    """Return castling as PGN writes it."""
    return b"O-O-O" if found[1] else b"O-O"


def ours(*words: object) -> list[str]:
    """Return a command line of the installed program."""
    return [str(Path(sys.executable).parent / "bookbuilder"), *map(str, words)]


def builds(archive: Path, games: int, jobs: int, rounds: int) -> list[Row]:
    """Return builds by default and books of every move, each beside polyglot."""
    other = archive.with_suffix(".polyglot")
    rows = []
    for job, words, suffix, theirs in (
        ("build", (), ".bin", ("40", "3")),
        ("build --quiet", ("--quiet",), ".bin", ("40", "3")),
        ("build, every move", EVERY, ".bin", ("30", "1")),
        ("build, every move, .book", EVERY, ".book", ("30", "1")),
    ):
        book = archive.with_suffix(suffix)
        mine = ours("build", archive, "-o", book, "--force", "--jobs", jobs, *words)
        peer = [POLYGLOT, "make-book", "-pgn", str(archive), "-bin", str(other)]
        peer += ["-max-ply", theirs[0], "-min-game", theirs[1]]
        found, beside = in_turns(rounds, lambda mine=mine: ran(mine), lambda peer=peer: ran(peer))
        if words == EVERY and suffix == ".bin":
            check_moves(book, other, games)
        rows.append(row(job, games, jobs, found, "polyglot", [each.cpu_seconds for each in beside]))
    return rows


def check_moves(book: Path, other: Path, games: int) -> None:
    """Refuse a book whose moves and weights at the start differ from polyglot's, apart from the scale."""
    mine, theirs = (
        {entry.move.uci(): entry.weight for entry in chess.polyglot.open_reader(path).find_all(chess.Board())}
        for path in (book, other)
    )
    if games >= POLYGLOT_GAMES:
        if mine.keys() != theirs.keys():
            raise SystemExit(f"{book}: other moves than polyglot's: {mine.keys() ^ theirs.keys()}")
        return
    top = max(theirs, key=lambda move: theirs[move])
    # Both scale to 16 bits, and round.
    wrong = {
        move: (mine.get(move), weight)
        for move, weight in theirs.items()
        if abs(mine.get(move, -9) * theirs[top] / mine[top] - weight) > 1 + theirs[top] / mine[top]
    }
    if wrong:
        raise SystemExit(f"{book}: other weights than polyglot's: {wrong}")


def tallies(archive: Path, games: int, jobs: int, rounds: int) -> list[Row]:
    """Return tallies beside counting alone and the cheapest Parquet file of the same rows."""
    from bookbuilder import Tally

    rows = []
    store = archive.with_suffix(".store")
    for job, words, plies in (
        ("tally to ply 30", ("--max-ply", 30), 30),
        ("tally, all plies", ("--max-ply", 9999), 9999),
    ):
        command = ours("tally", archive, "-o", store, "--force", "--quiet", "--jobs", jobs, *words)
        bound = [sys.executable, __file__, str(archive), "--limit", str(plies)]
        found, bounds = in_turns(rounds, lambda command=command: ran(command), lambda b=bound: answer_of(b))
        tally = Tally.open(store)
        if tally.game_count != games or len(tally) != bounds[0]["rows"]:
            raise SystemExit(
                f"{store}: {tally.game_count} games and {len(tally)} rows: expected {games}, {bounds[0]}"
            )
        beside = [each["count"] + each["write"] for each in bounds]
        rows.append(row(job, games, jobs, found, "counting + Parquet", beside))
    return rows


def limit(archive: Path, plies: int) -> dict[str, Any]:
    """Return CPU seconds of counting alone and of writing the rows as Parquet; in a process of its own."""
    import pyarrow.parquet as pq

    from bookbuilder import Tally

    max_ply = None if plies == 9999 else plies
    started = time.process_time()
    tally = Tally.from_archives(archive, max_ply=max_ply, jobs=1)
    counted = time.process_time() - started
    table = tally.to_arrow()
    written = []
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "rows.parquet")
        for packed in ({"compression": "zstd", "compression_level": 1}, {"compression": "lz4"}):
            started = time.process_time()
            pq.write_table(table, target, **packed)
            written.append(time.process_time() - started)
        rows = pq.read_metadata(target).num_rows
    return {"count": counted, "write": min(written), "rows": rows}


def answer_of(command: Sequence[str]) -> dict[str, Any]:
    """Return the JSON answer of a command."""
    found = subprocess.run(command, check=True, capture_output=True, env=environment())
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


def starts(archive: Path, rounds: int) -> list[Row]:
    """Return the commands whose time is their start."""
    store, book = archive.with_suffix(".store"), archive.with_suffix(".bin")
    ran(ours("tally", archive, "-o", store, "--force", "--quiet"))
    dialogue = b"uci\nquit\n"
    commands: Mapping[str, tuple[list[str], bytes]] = {
        "--version": (ours("--version"), b""),
        "--help": (ours("--help"), b""),
        "engine uci to uciok": (ours("engine", "uci"), dialogue),
        "show STORE": (ours("show", store), b""),
        "build of 100 games": (ours("build", archive, "-o", book, "--force", "--quiet"), b""),
    }
    return [
        row(job, 100, 1, [ran(*command) for _ in range(rounds)], "", None)
        for job, command in commands.items()
    ]


def in_turns(rounds: int, one: Any, other: Any) -> tuple[list[Any], list[Any]]:
    """Return what two contenders give, round by round."""
    pairs = [(one(), other()) for _ in range(rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def row(
    job: str, games: int, jobs: int, runs: Sequence[Ran], beside: str, seconds: Sequence[float] | None
) -> Row:
    """Return the medians of runs, and of the CPU seconds beside them."""
    spent = statistics.median(each.cpu_seconds for each in runs)
    ratios = seconds and [theirs / mine.cpu_seconds for theirs, mine in zip(seconds, runs, strict=True)]
    return {
        "job": job,
        "games": games,
        "jobs": jobs,
        "cpu_seconds": spent,
        "seconds": statistics.median(each.seconds for each in runs),
        "peak_bytes": max(each.peak_bytes for each in runs),
        "beside": beside,
        "beside_cpu_seconds": statistics.median(seconds) if seconds else None,
        "ratio": statistics.median(ratios) if ratios else None,
    }


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table of Markdown."""
    lines = ["| command | games | threads | CPU s | wall s | peak | beside it | CPU s | ratio |"]
    lines.append("|---|---:|---:|---:|---:|---:|---|---:|---:|")
    for each in rows:
        beside, ratio = (
            "–" if each[name] is None else f"{each[name]:.2f}" for name in ("beside_cpu_seconds", "ratio")
        )
        lines.append(
            "| {job} | {games:,} | {jobs} | {cpu_seconds:.2f} | {seconds:.2f} ".format(**each)
            + f"| {each['peak_bytes'] >> 20:,} MiB | {each['beside'] or '–'} | {beside} | {ratio} |"
        )
    return "\n".join(lines)


def parsed() -> argparse.Namespace:
    """Return the words of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    corpus = os.environ.get("BOOKBUILDER_CORPUS", "")
    parser.add_argument("archive", nargs="?", default=str(Path(corpus, ARCHIVE)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, nargs="+", default=GAMES)
    parser.add_argument("--jobs", type=int, nargs="+", default=(1, 2))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--target", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
