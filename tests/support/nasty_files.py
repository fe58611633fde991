"""The hostile chess files of the corpus and the table of what is read from them, `nasty_files.tsv`.

`python tests/support/nasty_files.py CORPUS` rewrites the table. Read the difference. Columns: file,
games read, games used, games filtered by reason, games rejected by reason; the last column has the reason
why a file is refused.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from support.cli_runner import run

TABLE: Final = Path(__file__).with_name("nasty_files.tsv")
FOLDER: Final = Path("data", "chess", "nasty")


class Row(NamedTuple):
    """One file of the table."""

    file: str
    read: int
    used: int
    filtered: str
    rejected: str


def table() -> list[Row]:
    """The rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream, delimiter="\t")
        next(rows)
        return [Row(file, int(read), int(used), *reasons) for file, read, used, *reasons in rows]


def found(folder: Path, file: str) -> Row:
    """Return the current counts of a file: every game to its end, custom starts too."""
    ran = run("games", "check", folder / file, "--game", "chess", "--json", "--quiet")
    if not ran.out:
        refusal = ran.err.replace(str(folder / file), "").removeprefix("bookbuilder: ").strip(": \n")
        return Row(file, 0, 0, "", refusal.partition(";")[0])
    report = json.loads(ran.out)
    filtered = {**report["filtered"], **{f"variant {name}": n for name, n in report["variants"].items()}}
    if report["variants"]:
        del filtered["variant"]
    return Row(file, report["games_read"], report["games_used"], counts(filtered), counts(report["rejects"]))


def counts(reasons: Mapping[str, int]) -> str:
    """Counts by reason in one cell."""
    return ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))


def write(folder: Path) -> None:
    """Write the table of all files below a folder."""
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(found(folder, file) for file in files)


if __name__ == "__main__":
    write(Path(sys.argv[1]) / FOLDER)
