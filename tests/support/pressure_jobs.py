"""Commands to be killed thousands of times: those of `fault_jobs` and more, also on inputs of real size."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa
from support.fault_jobs import BOOK, JOBS, Job, done, make_stores

CHESS: Final = Path("data", "chess", "pgnmentor_sample20k_dev.pgn.zst")
COMMENTED: Final = Path("data", "chess", "lichess_magnus_online.pgn.zst")
XIANGQI: Final = Path("data", "xiangqi", "xqf", "sample")
PLOTS: Final = {
    "coverage": "coverage IN/a.book IN/chess.pgn",
    "calibrate": "calibrate IN/other.pgn --min-games 1",
    "book info": "info IN/a.book --against IN/a.store",
    "book check": "book check IN/a.book --against IN/a.store --nodes 200 --positions 5",
    "tally info": "info IN/a.store",
    "endgame stats": "endgame stats IN/tables KQvK",
}
MATCH: Final = "engine match bundled bundled --game chess --games 2 --limit nodes=1 --jobs 1"
PRESSED: Final[dict[str, Job]] = {
    **JOBS,
    "filter": Job("games filter IN/chess.pgn -o OUT/a.pgn --min-plies 30 --force"),
    "dedupe": Job("games filter IN/chess.pgn IN/chess.pgn -o OUT/a.pgn --dedupe exact --force"),
    "check": Job("games check IN/other.pgn --rejects OUT/rejects.jsonl --force --jobs 1"),
    "match": Job(f"{MATCH} --journal OUT/a.jsonl -o OUT/a.pgn --force", grows=("a.jsonl",)),
    "walk": Job("engine walk IN/a.book --against IN/a.store --walks 4 --nodes 200 -o OUT/a.jsonl --force"),
    "clean": Job(
        f"{PLOTS['book check']} --max-loss 5 -o OUT/a.book --force",
        (BOOK,),
    ),
    "demo": Job("demo -o OUT/ --force"),
    "export": Job("tally export IN/a.store -o OUT/a.parquet --force"),
    **{f"plot {name}": Job(f"{words} --plot OUT/a.svg --force") for name, words in PLOTS.items()},
}
"""Every command that writes, but for `tally compact` and `book grow`, which tests treat apart."""

SLOW: Final = {
    *("evaluate", "match", "walk", "threshold", "build new", "clean", "demo"),
    *(f"plot {name}" for name in PLOTS),
}
"""Those that start engines or draw pictures."""

ROWS_PER_PART: Final = 1 << 15
"""Rows of a part of a store of real size, so that it has some parts, and is counted within a second."""
MANY_BYTES: Final = 8_000_000
FEW_BYTES: Final = 3_000_000
"""Sizes of the archives of chess: some 12,000 and 4,500 games."""
XQF_FILES: Final = 1_200
LEAST: Final = 8
"""Games of a move of the book that is converted."""
COUNTING: Final = " --memory 64MiB --max-ply 24"
"""What counting gets at real size: it goes through files, and takes no longer."""
ARCHIVES: Final = ("chess.pgn", "other.pgn", "commented.pgn", "xiangqi.zip")
LARGER: Final = (
    ("--games 2", "--games 24"),
    ("--as nodes", "--as Adams"),
    ("--walks 4 --nodes 200", "--walks 4 --nodes 1000"),
)


def _of_real_size(line: str) -> str:
    is_count = line.startswith(("tally IN/", "build IN/")) and any(name in line for name in ARCHIVES)
    for small, large in LARGER:
        line = line.replace(small, large)
    if not line.startswith("engine "):  # whose games end in any order
        line = line.replace("--jobs 1", "--jobs 2")
    return line + COUNTING if is_count else line


REAL: Final = {
    name: replace(job, words=_of_real_size(job.words), before=tuple(map(_of_real_size, job.before)))
    for name, job in PRESSED.items()
    if "endgame" not in name and name != "demo"
}
"""The same commands for `make_real_inputs`; endgame tables and the demo's archives have one size."""
COMPACTING: Final = Job(
    "tally compact OUT/a.store --jobs 1", (_of_real_size("tally IN/other.pgn -o OUT/a.store"),)
)


def make_more_inputs(folder: Path, counting: str = "") -> Path:
    """Add what `PRESSED` reads to the inputs of `fault_jobs`."""
    commented = folder / "commented.pgn"
    if not commented.exists():
        commented.write_text(
            '[Result "1-0"]\n\n1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 1-0\n\n' * 4, encoding="utf-8"
        )
    done(f"tally OUT/chess.pgn OUT/other.pgn -o OUT/both.store{counting}", folder, folder)
    done("endgame build KQvK -o OUT/tables", folder, folder)
    return folder


def make_real_inputs(folder: Path, corpus: Path) -> Path:
    """Create the inputs of `REAL` from real archives, by the names of `fault_jobs.make_inputs`."""
    folder.mkdir()
    with pa.input_stream(corpus / CHESS, compression="zstd") as stream:
        text = stream.read()
    middle = text.index(b"[Event ", MANY_BYTES)
    end = text.index(b"[Event ", middle + FEW_BYTES)
    with pa.input_stream(corpus / COMMENTED, compression="zstd") as stream:
        (folder / "commented.pgn").write_bytes(stream.read(FEW_BYTES).rpartition(b"[Event ")[0])
    (folder / "chess.pgn").write_bytes(text[:middle])
    (folder / "other.pgn").write_bytes(text[middle:end])
    with zipfile.ZipFile(folder / "xiangqi.zip", "w") as archive:
        for path in islice(sorted((corpus / XIANGQI).iterdir()), XQF_FILES):
            archive.write(path, path.name)
    return make_more_inputs(make_stores(folder, COUNTING, LEAST), COUNTING)
