"""Print which lines of the readers the inputs of the fuzz targets reach.

    python fuzz/coverage.py [--lines READER]

libFuzzer knows the places where the code branches, and which of them its inputs reach. `places.c` is loaded
before a target and names their addresses, and addr2line names their lines. This needs a C compiler. Each
target reads its corpus and its seeds once. A line counts if it has such a place. It is reached if one target
reaches one of its places. Of inlined code the innermost line of the core counts.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

Lines: TypeAlias = dict[tuple[str, int], bool]
"""Whether a line is reached, by its file below `core/src` and its number."""

HERE: Final = Path(__file__).resolve().parent
SEEDS: Final = HERE / "seeds"
CORE: Final = HERE.parent / "src"
READERS: Final = {
    "PGN": ("archive/formats/pgn/*",),
    "XQF": ("archive/formats/xqf/*",),
    "CCBridge": ("archive/formats/ccbridge/*",),
    "DhtmlXQ": ("archive/formats/dhtmlxq/*",),
    "ChessBase: games": ("archive/formats/chessbase/*",),
    "Scid: games": ("archive/formats/scid/*",),
    "other formats of xiangqi, lists of positions": ("archive/formats/*",),
    "zip, tar, 7z, files of databases": ("archive/input/*",),
    "where games begin, encodings": ("archive/text/*", "archive/block.rs"),
    "notations": ("xiangqi/notation/*", "chess/notation.rs", "chess/san.rs", "game/notation.rs"),
    "FEN": ("*/fen.rs",),
    "books": ("book/*",),
    "endgame tables": ("endgame/file/*",),
    "dialogue": ("protocol/*",),
}


def lines_of(target: Path, corpus: Path, library: Path) -> Lines:
    """Return the lines with places that the inputs of a target reach, and those that they do not."""
    inputs = [str(folder) for folder in (corpus / target.name, SEEDS / target.name) if folder.is_dir()]
    command = [str(target), "-runs=0", "-print_full_coverage=1", *inputs]
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    ran = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=True, env=environment
    )
    # "C" and the places of a function that are reached; then "U" and the others.
    rows = ran.stderr.partition("FULL COVERAGE:")[2].splitlines()
    reached = {place: row.startswith("C") for row in rows for place in row[1:].split()}
    found: Lines = defaultdict(bool)
    for place, line in named(target, list(reached)):
        found[line] |= reached[place]
    if not found:
        sys.exit(f"{target}: names no lines; expected a target that cargo fuzz built")
    return found


def named(target: Path, places: list[str]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield the places in the core with their lines; of inlined code that of the innermost function."""
    command = ["addr2line", "--inlines", "--addresses", "--exe", str(target)]
    ran = subprocess.run(command, input="\n".join(places), capture_output=True, text=True, check=True)
    numbers = iter(places)
    place = ""
    for row in ran.stdout.splitlines():
        if row.startswith("0x"):
            place = next(numbers)
        elif place and (line := re.match(rf"{re.escape(str(CORE))}/(\S+):(\d+)", row)):
            yield place, (line[1], int(line[2]))
            place = ""


def reader_of(file: str) -> str | None:
    """Return the first reader that has the file."""
    return next((name for name, globs in READERS.items() if any(fnmatch(file, each) for each in globs)), None)


def main() -> None:
    """Print a table of the readers, or the lines of one that no input reaches."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--built", type=Path, default=HERE / "target/x86_64-unknown-linux-gnu/release")
    asked.add_argument("--corpus", type=Path, default=HERE / "corpus")
    asked.add_argument("--lines", choices=READERS, metavar="READER", help="list lines that are not reached")
    options = asked.parse_args()
    reached: Lines = defaultdict(bool)
    with TemporaryDirectory() as folder:
        library = Path(folder) / "places.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "places.c"], check=True)
        for seeds in sorted(SEEDS.iterdir()):
            for line, is_reached in lines_of(options.built / seeds.name, options.corpus, library).items():
                reached[line] |= is_reached
    of_reader: dict[str, list[tuple[str, int]]] = {name: [] for name in READERS}
    for place in sorted(reached):
        if (name := reader_of(place[0])) is not None:
            of_reader[name].append(place)
    if options.lines:
        missed = [f"{file}:{line}" for file, line in of_reader[options.lines] if not reached[file, line]]
        print(*missed, sep="\n")
        return
    print("| reader | reached | of |\n|---|---:|---:|")
    for name, places in of_reader.items():
        print(f"| {name} | {sum(reached[place] for place in places):,} | {len(places):,} |")


if __name__ == "__main__":
    main()
