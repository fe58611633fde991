"""Compare bookbuilder with python-chess on one job: games per CPU second and peak memory.

The job: read a PGN archive, replay the first 30 plies of each game, and count per (position, move). Each
contender runs in its own process with one thread. CPU seconds are user + system, of the job alone, without
start-up and imports; `commands.py` compares whole commands with polyglot. A ratio is the median over the
rounds. bookbuilder runs in two variants: `tally` is `Tally.from_archives`, `book` adds a selection and a book
of every position.

Every answer is checked: moves from the start position and their results agree.

    python benches/peers.py [ARCHIVE] [--runs 5] [--games N] [--json]

The archive defaults to the 20,000-game sample under BOOKBUILDER_CORPUS.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from contenders import Run, peak, plain_copy, ratio, split_games, waited

PLIES = 30
SAMPLE = "data/chess/pgnmentor_sample20k_dev.pgn.zst"
RESULTS = {"1-0": 0, "1/2-1/2": 1, "0-1": 2}
# A goal of the project: a ratio of games per CPU second.
LEAST_RATIO = {"python-chess": 300.0}
OURS = ("tally", "book")
# Move → [wins of the first side, draws, wins of the second, unknown] at the start position.
Answer = dict[str, list[int]]


def main() -> int:
    """Run the contenders, check their answers, print the ratios."""
    arguments = parsed()
    if arguments.child:
        archive, output = Path(arguments.archive), Path(arguments.output)
        if arguments.child != "python-chess":
            warmed(archive, output)
        print(json.dumps(JOBS[arguments.child](archive, output)))
        return 0
    with tempfile.TemporaryDirectory(prefix="bookbuilder-peers-") as directory:
        archive = plain_copy(Path(arguments.archive), Path(directory), arguments.games)
        runs = taken_in_turns(archive, arguments.runs)
    check_answers(runs)
    rows = summary(runs)
    if arguments.json:
        print(
            json.dumps(
                {"schema": 1, "archive": arguments.archive, "plies": PLIES, "contenders": rows}, indent=1
            )
        )
    else:
        print_rows(rows)
    return 0


def parsed() -> argparse.Namespace:
    """The arguments."""
    corpus = os.environ.get("BOOKBUILDER_CORPUS")
    parser = argparse.ArgumentParser(description="Compare with peers on one job.")
    parser.add_argument("archive", nargs="?", default=str(Path(corpus, SAMPLE)) if corpus else None)
    parser.add_argument("--runs", type=int, default=5, help="runs of each; python-chess runs once")
    parser.add_argument("--games", type=int, help="use only the first N games")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--output", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.archive is None:
        parser.error("name an archive, or set BOOKBUILDER_CORPUS")
    return arguments


def taken_in_turns(archive: Path, rounds: int) -> dict[str, list[Run]]:
    """Return the runs of each contender: one per round, or one in all for python-chess, which is slow."""
    runs: dict[str, list[Run]] = {f"bookbuilder, {job}": [] for job in OURS}
    runs["python-chess"] = [child("python-chess", archive, archive)]
    for number in range(rounds):
        for job in OURS:
            runs[f"bookbuilder, {job}"].append(child(job, archive, archive.with_name(f"{number}.book")))
    return runs


def child(job: str, archive: Path, output: Path) -> Run:
    """Run one job in its own process."""
    command = [sys.executable, __file__, str(archive), "--child", job, "--output", str(output)]
    stdout, usage = waited(command)
    answer = json.loads(stdout)
    return Run(answer["cpu_seconds"], peak(usage), answer["games"], answer["answer"])


def warmed(archive: Path, output: Path) -> None:
    """Run the whole job on one game, so that all imports are done before the clock starts."""
    from bookbuilder import Book, Tally, select
    from bookbuilder.selection.options import preset

    first, book = output.with_suffix(".pgn"), output.with_suffix(".warm")
    with archive.open("rb") as stream:
        first.write_bytes(next(split_games(stream.read(1 << 16))))
    tally = Tally.from_archives(first, game="chess", max_ply=PLIES, jobs=1)
    tally.moves("startpos")
    Book.write(book, select(tally, preset("literature"), min_win_rate=0, min_games=1))


def job_ours(archive: Path, output: Path | None) -> dict[str, Any]:
    """Count with bookbuilder and, if `output` is given, select every position and write the book."""
    from bookbuilder import Book, Tally, select
    from bookbuilder.selection.options import preset

    started = time.process_time()
    tally = Tally.from_archives(archive, game="chess", max_ply=PLIES, jobs=1)
    if output is not None:
        Book.write(output, select(tally, preset("literature"), min_win_rate=0, min_games=1))
    seconds = time.process_time() - started
    moves = tally.moves("startpos")
    columns = [moves[name].tolist() for name in ("move", "first_wins", "draws", "second_wins", "played")]
    answer = {move: [w, d, b, n - w - d - b] for move, w, d, b, n in zip(*columns, strict=True)}
    return {"cpu_seconds": seconds, "games": tally.report.games_read, "answer": answer}


def job_python_chess(archive: Path, _output: Path) -> dict[str, Any]:
    """The plain loop with python-chess: replay, Zobrist hash, dict."""
    import chess.pgn
    import chess.polyglot

    text = io.StringIO(archive.read_text(encoding="latin-1"))
    started = time.process_time()
    counts: dict[tuple[int, str], list[int]] = {}
    games = 0
    while (game := chess.pgn.read_game(text)) is not None:
        games += 1
        result = RESULTS.get(game.headers.get("Result", "*"), 3)
        board, last = game.board(), dict[int, str]()
        for ply, move in enumerate(game.mainline_moves()):
            if ply == PLIES:
                break
            last[chess.polyglot.zobrist_hash(board)] = move.uci()
            board.push(move)
        for key, uci in last.items():
            counts.setdefault((key, uci), [0, 0, 0, 0])[result] += 1
    seconds = time.process_time() - started
    start = chess.polyglot.zobrist_hash(chess.Board())
    answer = {uci: count for (key, uci), count in counts.items() if key == start}
    return {"cpu_seconds": seconds, "games": games, "answer": answer}


JOBS = {
    "tally": lambda archive, _output: job_ours(archive, None),
    "book": job_ours,
    "python-chess": job_python_chess,
}


def check_answers(runs: dict[str, list[Run]]) -> None:
    """Exit if contenders disagree about the moves from the start position."""
    ours: Answer = runs["bookbuilder, tally"][0].answer
    for name, found in runs.items():
        for run in found:
            if run.answer != ours:
                raise SystemExit(f"{name} answers {run.answer}, expected {ours}")


def summary(runs: dict[str, list[Run]]) -> list[dict[str, Any]]:
    """Return one row per contender: medians, and ratios to our jobs."""
    rows = []
    for name, found in runs.items():
        seconds = statistics.median(seconds_of(found))
        rows.append(
            {
                "contender": name,
                "runs": len(found),
                "games": found[0].games,
                "cpu_seconds": seconds,
                "games_per_cpu_second": found[0].games / seconds,
                "peak_bytes": max(run.peak_bytes for run in found),
            }
        )
    for row, found in zip(rows, runs.values(), strict=True):
        for ours in OURS:
            row[f"ratio_{ours}"] = ratio(seconds_of(found), seconds_of(runs[f"bookbuilder, {ours}"]))
    return rows


def seconds_of(runs: list[Run]) -> list[float]:
    """CPU seconds of each run."""
    return [run.cpu_seconds for run in runs]


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print the rows, and whether the goals are reached."""
    print(f"{'contender':<29}{'CPU s':>9}{'games/CPU s':>13}{'peak MB':>9}  times slower than tally, book")
    for row in rows:
        ratios = "".join(f"{row[f'ratio_{ours}']:>8.1f}" for ours in OURS)
        print(
            f"{row['contender']:<29}{row['cpu_seconds']:>9.3f}{row['games_per_cpu_second']:>13,.0f}"
            f"{row['peak_bytes'] / 1e6:>9.0f}  {ratios}"
        )
    for row in rows:
        if (least := LEAST_RATIO.get(row["contender"])) is not None:
            verdict = "reached" if row["ratio_tally"] >= least else "missed"
            print(f"at least {least:.0f} x {row['contender']}: {verdict}")


if __name__ == "__main__":
    sys.exit(main())
