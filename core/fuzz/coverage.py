"""Print which lines of the readers the inputs of the fuzz targets reach.

    python fuzz/coverage.py [--lines READER]

libFuzzer knows the places where the code branches, and which of them its inputs reach. `src/places.rs` finds
their lines. Each target reads its corpus and its seeds once. A line counts if it has such a place. It is
reached if one target reaches one of its places. Of inlined code the innermost line of the core counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, TypeAlias

Lines: TypeAlias = dict[tuple[str, int], bool]
"""Whether a line is reached, by its file below `core/src` and its number."""

HERE: Final = Path(__file__).resolve().parent
SEEDS: Final = HERE / "seeds"
READERS: Final = {
    "PGN": ("archive/formats/pgn/*",),
    "XQF": ("archive/formats/xqf/*",),
    "CCBridge": ("archive/formats/ccbridge/*",),
    "DhtmlXQ": ("archive/formats/dhtmlxq/*",),
    "ChessBase: games": ("archive/formats/chessbase/*",),
    "Scid: games": ("archive/formats/scid/*",),
    "AIX: games": ("archive/formats/aix/*",),
    "other formats of xiangqi, lists of positions": ("archive/formats/*",),
    "AIX: pages and columns": ("archive/input/aix/*",),
    "zip, tar, 7z, files of databases": ("archive/input/*",),
    "where games begin, encodings": ("archive/text/*", "archive/block.rs"),
    "notations": ("xiangqi/notation/*", "chess/notation.rs", "chess/san.rs", "game/notation.rs"),
    "FEN": ("*/fen.rs",),
    "run files": ("tally/run_file/*",),
    "books": ("book/*",),
    "endgame tables": ("endgame/file/*",),
    "dialogue": ("protocol/*",),
}


def lines_of(target: Path, corpus: Path) -> Lines:
    """Return the lines with places that the inputs of a target reach, and those that they do not."""
    inputs = [str(folder) for folder in (corpus / target.name, SEEDS / target.name) if folder.is_dir()]
    command = [str(target), "-runs=0", "-print_full_coverage=1", *inputs]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True)
    found: Lines = defaultdict(bool)
    for row in ran.stderr.partition("FULL COVERAGE:")[2].splitlines():
        # "C" and the places of a function that are covered; then "U" and the others.
        for place in row[1:].split():
            if place.startswith("src/"):
                file, line = place.removeprefix("src/").split(":")
                found[file, int(line)] |= row.startswith("C")
    if not found:
        sys.exit(f"{target}: names no places; expected a target that cargo fuzz built")
    return found


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
    for seeds in sorted(SEEDS.iterdir()):
        for line, is_reached in lines_of(options.built / seeds.name, options.corpus).items():
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
