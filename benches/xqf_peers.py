"""Compare reading XQF files with bookbuilder and with cchess: the same moves, and the time per file.

The files are 500 of the stratified sample under BOOKBUILDER_CORPUS, evenly by name. The few trees above 100
KB are skipped, because cchess needs minutes for each. If the manifest says that the whole tree is legal,
every line of it must be the same: cchess drops illegal moves, bookbuilder does not. The core reads with
`cargo bench --bench xqf_read`, cchess in this process; both read from disk.

    python benches/xqf_peers.py [--files N] [--json]

cchess (PyPI, version 1.25.5) is not a dependency: install it into a separate environment and run this file
with that environment's Python.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CORE = Path(__file__).resolve().parents[1] / "core"
SAMPLE = "data/xiangqi/xqf/sample"
MANIFEST = "data/xiangqi/xqf/sample_manifest.csv"
MOST_BYTES = 100_000


def main() -> int:
    """Read with both, compare, print."""
    parser = argparse.ArgumentParser(description="Compare XQF readers.")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    corpus = os.environ.get("BOOKBUILDER_CORPUS")
    if corpus is None:
        parser.error("set BOOKBUILDER_CORPUS")
    paths = chosen(Path(corpus), arguments.files)
    ours, theirs = read_with_core(paths), read_with_cchess(paths)
    report = compared(ours, theirs, legal_names(Path(corpus)))
    if arguments.json:
        print(json.dumps({"schema": 1, **report}, indent=1))
    else:
        for name, value in report.items():
            print(f"{name:>28}: {value}")
    return 1 if report["different"] else 0


def chosen(corpus: Path, count: int) -> list[Path]:
    """Files of the sample, evenly by name."""
    files = [path for path in sorted((corpus / SAMPLE).glob("*.xqf")) if path.stat().st_size <= MOST_BYTES]
    return [files[index * len(files) // count] for index in range(min(count, len(files)))]


def legal_names(corpus: Path) -> set[str]:
    """Names of the files whose whole tree is legal."""
    with (corpus / MANIFEST).open(newline="", encoding="utf-8") as stream:
        return {row["sha1"][:12] for row in csv.DictReader(stream) if row["illegal_nodes"] == "0"}


def read_with_core(paths: list[Path]) -> dict[Path, tuple[float, list[str]]]:
    """Seconds and lines of each file by the core."""
    with tempfile.TemporaryDirectory(prefix="bookbuilder-xqf-") as directory:
        listed = Path(directory, "list")
        listed.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
        command = ["cargo", "bench", "--quiet", "--bench", "xqf_read", "--", str(listed)]
        done = subprocess.run(command, cwd=CORE, check=True, stdout=subprocess.PIPE, text=True)
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return {Path(path): (int(nanoseconds) / 1e9, ends(lines.split("|"))) for path, nanoseconds, lines in rows}


def read_with_cchess(paths: list[Path]) -> dict[Path, tuple[float, list[str]]]:
    """Seconds and lines of each file by cchess, which calls itself for every move."""
    cchess = importlib.import_module("cchess")
    sys.setrecursionlimit(100_000)
    read = {}
    for path in paths:
        started = time.perf_counter()
        game = cchess.read_from_xqf(str(path))
        seconds = time.perf_counter() - started
        read[path] = (seconds, ends(["".join(line) for line in game.dump_iccs_moves()]))
    return read


def ends(lines: list[str]) -> list[str]:
    """The lines that are not the beginning of another, each once."""
    last_first = sorted(set(lines), reverse=True)
    kept = [
        line
        for before, line in zip(["", *last_first], last_first, strict=False)
        if line and not before.startswith(line)
    ]
    return sorted(kept)


def compared(
    ours: dict[Path, tuple[float, list[str]]], theirs: dict[Path, tuple[float, list[str]]], legal: set[str]
) -> dict[str, Any]:
    """Files that differ, and the times."""
    different = [path.name for path in ours if path.stem[:12] in legal and ours[path][1] != theirs[path][1]]
    seconds = [[read[path][0] for path in ours] for read in (ours, theirs)]
    ratios = [slow / fast for fast, slow in zip(*seconds, strict=True)]
    return {
        "files": len(ours),
        "compared": sum(path.stem[:12] in legal for path in ours),
        "different": different,
        "lines": sum(len(lines) for _, lines in ours.values()),
        "our microseconds per file": round(1e6 * statistics.mean(seconds[0]), 1),
        "cchess microseconds per file": round(1e6 * statistics.mean(seconds[1]), 1),
        "ratio of all": round(sum(seconds[1]) / sum(seconds[0]), 1),
        "median ratio": round(statistics.median(ratios), 1),
    }


if __name__ == "__main__":
    raise SystemExit(main())
