"""Compare counting with lower bounds of its cost. Each goal of the project is reported as reached or missed.

| contender | job |
|---|---|
| replay | replay the same file to the same ply with pgn-reader and shakmaty, and keep nothing |
| entries | inflate a .tar.gz and read its files |
| tally | `Tally.from_archives`: all columns of TALLY in the core, the archive's digest and its checks |

Each contender runs in its own process, in turns; a ratio is the median over the rounds. The tally is timed
without start-up and imports, the others as whole processes. CPU seconds are user + system. Two threads are
compared with one by wall time, which only makes sense on an idle machine. `peers.py` compares with polyglot
and python-chess.

Every answer is checked: replay and tally find the same games and plies, and a .tar.gz has as many files as
the tally finds games.

    python benches/limit.py [--rounds 7] [--json]

The archives are those under BOOKBUILDER_CORPUS, and cargo builds `core/benches/limits.rs`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contenders import cpu, plain_copy, ratio, waited

CORE = Path(__file__).resolve().parents[1] / "core"
CHESS = "data/chess/pgnmentor_sample20k_dev.pgn.zst"
XQF = "data/xiangqi/xqf/walker8088_cchess_all.tar.gz"
GBK = "data/xiangqi/pgn_gbk/walker8088_cchess_pgn.tar.gz"
PLIES = 30


@dataclass(frozen=True)
class Ran:
    """One run of one contender, and its answer: games and plies, or files and bytes."""

    cpu_seconds: float
    seconds: float
    bytes: int
    answer: Mapping[str, Any]


MEASURES: Mapping[str, Callable[[Ran], float]] = {
    "CPU time": lambda ran: ran.cpu_seconds,
    "wall time": lambda ran: ran.seconds,
    "CPU time a byte": lambda ran: ran.cpu_seconds / ran.bytes,
}


@dataclass(frozen=True)
class Goal:
    """A limit for the ratio of the figures of two contenders."""

    upper: str
    lower: str
    measure: str
    wanted: str
    bound: float

    def is_reached(self, found: float) -> bool:
        """Return whether a ratio is within the limit."""
        return found >= self.bound if self.wanted == "at least" else found <= self.bound


GOALS = (
    Goal("tally, 30 plies", "replay, 30 plies", "CPU time", "at most", 1.5),
    Goal("tally", "replay", "CPU time", "at most", 2.0),
    Goal("tally", "tally, two threads", "wall time", "at least", 1.8),
    Goal("tally of XQF", "entries of XQF", "CPU time", "at most", 2.0),
    Goal("tally of GBK PGN", "tally", "CPU time a byte", "at most", 3.0),
)


def main() -> int:
    """Run the contenders, check their answers, print the goals."""
    arguments = parsed()
    if arguments.child:
        print(json.dumps(tallied(json.loads(arguments.child))))
        return 0
    with tempfile.TemporaryDirectory(prefix="bookbuilder-limit-") as directory:
        jobs = contenders(Path(os.environ["BOOKBUILDER_CORPUS"]), Path(directory))
        runs: dict[str, list[Ran]] = {name: [] for name in jobs}
        for _ in range(arguments.rounds):
            for name, job in jobs.items():
                runs[name].append(job())
    check_answers({name: found[0].answer for name, found in runs.items()})
    rows = [judged(goal, runs) for goal in GOALS]
    if arguments.json:
        print(json.dumps({"schema": 1, "goals": rows, "contenders": figures(runs)}, indent=1))
    else:
        print_rows(rows, figures(runs))
    return 0


def parsed() -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(description="Compare counting with lower bounds of its cost.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if "BOOKBUILDER_CORPUS" not in os.environ:
        parser.error("set BOOKBUILDER_CORPUS")
    return arguments


def contenders(corpus: Path, directory: Path) -> dict[str, Callable[[], Ran]]:
    """Return the jobs of a round, by name."""
    program = limits_program()
    chess = plain_copy(corpus / CHESS, directory)
    size = chess.stat().st_size
    xqf, gbk = corpus / XQF, corpus / GBK
    text = json.loads(waited([program, "entries", str(gbk)])[0])["bytes"]
    return {
        "replay, 30 plies": lambda: by_program([program, "replay", str(chess), str(PLIES)], size),
        "tally, 30 plies": lambda: by_us(chess, size, game="chess", max_ply=PLIES),
        "replay": lambda: by_program([program, "replay", str(chess)], size),
        "tally": lambda: by_us(chess, size, game="chess"),
        "tally, two threads": lambda: by_us(chess, size, game="chess", jobs=2),
        "entries of XQF": lambda: by_program([program, "entries", str(xqf)], xqf.stat().st_size),
        "tally of XQF": lambda: by_us(xqf, xqf.stat().st_size, game="xiangqi"),
        "tally of GBK PGN": lambda: by_us(gbk, text, game="xiangqi"),
    }


def limits_program() -> str:
    """Return the program of the lower bounds, built if necessary."""
    command = ["cargo", "bench", "--bench", "limits", "--no-run", "--message-format", "json"]
    built = subprocess.run(command, cwd=CORE, stdout=subprocess.PIPE, check=True, text=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    made = (each for each in messages if each.get("target", {}).get("name") == "limits")
    return next(each["executable"] for each in made if each.get("executable"))


def by_program(command: list[str], size: int) -> Ran:
    """Run the program of the lower bounds."""
    started = time.perf_counter()
    stdout, usage = waited(command)
    return Ran(cpu(usage), time.perf_counter() - started, size, json.loads(stdout))


def by_us(archive: Path, size: int, *, jobs: int = 1, **options: Any) -> Ran:
    """Tally an archive in its own process."""
    job = json.dumps({"archive": str(archive), "jobs": jobs, **options})
    answer = json.loads(waited([sys.executable, __file__, "--child", job])[0])
    return Ran(answer.pop("cpu_seconds"), answer.pop("seconds"), size, answer)


def tallied(job: dict[str, Any]) -> dict[str, Any]:
    """Tally an archive, after one game of the same kind that does all imports."""
    from importlib.resources import files

    from bookbuilder import Tally

    archive = job.pop("archive")
    first = Path(str(files("bookbuilder"))) / "data" / f"{job['game']}_selfplay.pgn"
    Tally.from_archives(first, game=job["game"], limit=1, jobs=1)
    started, cpu_started = time.perf_counter(), time.process_time()
    tally = Tally.from_archives(archive, **job)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    assert tally.report is not None
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "games": tally.report.games_read,
        "plies": sum(tally.games.column("plies").to_pylist()),
    }


def check_answers(answers: Mapping[str, Mapping[str, Any]]) -> None:
    """Exit if contenders disagree."""
    for one, other, what in (
        ("replay, 30 plies", "tally, 30 plies", "games"),
        ("replay, 30 plies", "tally, 30 plies", "plies"),
        ("replay", "tally", "games"),
        ("replay", "tally", "plies"),
        ("tally, two threads", "tally", "plies"),
    ):
        if answers[one][what] != answers[other][what]:
            raise SystemExit(f"{what}: {answers[one][what]} by {one}, {answers[other][what]} by {other}")
    files, games = answers["entries of XQF"]["files"], answers["tally of XQF"]["games"]
    if files != games:
        raise SystemExit(f"the XQF archive has {files} files, the tally found {games} games")


def judged(goal: Goal, runs: Mapping[str, list[Ran]]) -> dict[str, Any]:
    """Return one row: a goal and the measured ratio."""
    measure = MEASURES[goal.measure]
    upper, lower = ([measure(ran) for ran in runs[name]] for name in (goal.upper, goal.lower))
    found = ratio(upper, lower)
    return {
        "goal": f"{goal.upper} : {goal.lower}",
        "measure": goal.measure,
        "wanted": f"{goal.wanted} {goal.bound:.1f}",
        "measured": found,
        "verdict": "reached" if goal.is_reached(found) else "missed",
    }


def figures(runs: Mapping[str, list[Ran]]) -> list[dict[str, Any]]:
    """Return the medians of each contender."""
    return [
        {
            "contender": name,
            "cpu_seconds": statistics.median(ran.cpu_seconds for ran in found),
            "seconds": statistics.median(ran.seconds for ran in found),
            "megabytes_per_cpu_second": statistics.median(ran.bytes / ran.cpu_seconds for ran in found) / 1e6,
        }
        for name, found in runs.items()
    ]


def print_rows(rows: list[dict[str, Any]], contenders: list[dict[str, Any]]) -> None:
    """Print the goals, and the medians of the contenders."""
    print(f"{'goal':<42}{'of':<17}{'wanted':>14}{'measured':>10}  verdict")
    for row in rows:
        goal = f"{row['goal']:<42}{row['measure']:<17}{row['wanted']:>14}"
        print(f"{goal}{row['measured']:>10.2f}  {row['verdict']}")
    print(f"\n{'contender':<24}{'CPU s':>8}{'wall s':>8}{'MB/CPU s':>10}")
    for each in contenders:
        print(
            f"{each['contender']:<24}{each['cpu_seconds']:>8.3f}{each['seconds']:>8.3f}"
            f"{each['megabytes_per_cpu_second']:>10.1f}"
        )


if __name__ == "__main__":
    sys.exit(main())
