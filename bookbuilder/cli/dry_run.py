"""Print what `tally` and `build` would read and write, estimated from a sample, and write nothing.

The constants were measured on the machine of docs/measurements.md, on archives of 1,000 to 184,000 games.
Sizes and memory were within a factor of two; times on a busy machine were as low as 0.3 of the real ones.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.cli.console import facts_columns, format_bytes, note, print_json, print_table

if TYPE_CHECKING:
    from bookbuilder.cli.sampling import Sample
    from bookbuilder.selection.options import SelectionOptions
    from bookbuilder.tally.tally import Tally

__all__ = [
    "Estimate",
    "estimate_book",
    "estimate_store",
    "is_lean",
    "kept_of",
    "print_estimate",
    "refuse_stdin",
]

# The pace of the machine: how long it sorts random numbers, here where the constants were measured.
_PACE_NUMBERS: Final = 1 << 20
_PACE_SECONDS: Final = 0.067
# A run without games: loading the program, and its memory.
_START_SECONDS: Final = 0.4
_PROGRAM_BYTES: Final = 140 << 20
# A store: sorting and writing its rows.
_STORE_ROW_SECONDS: Final = 0.5e-6
_STORE_ROW_BYTES: Final = 28
_STORE_ROW_MEMORY: Final = 45
# A book: selection, and following the book from the start.
_BOOK_ROW_SECONDS: Final = 1.0e-6
_BOOK_ROW_MEMORY: Final = 340
_STORE_READ_SECONDS: Final = 0.15e-6
# The same where rare positions stay in the core, or in the store.
_LEAN_ROW_SECONDS: Final = 0.2e-6
_LEAN_ROW_MEMORY: Final = 95
_LEAN_STORE_ROW_MEMORY: Final = 25
# Bytes of a book without moves; of a clustered book also those of an archive in the recipe.
_FIXED_BYTES: Final = {"book": 142_000, "abk": 25_200, "obk": 16_384, "parquet": 4_000}
_SOURCE_BYTES: Final = 250
# Bytes of a move, by format.
_MOVE_BYTES: Final = {
    "book": 26,
    "polyglot": 16,
    "abk": 30,
    "book-dat": 8,
    "obk": 47,
    "pgn": 24,
    "epd": 70,
    "csv": 175,
    "json": 280,
    "parquet": 43,
}
# Seconds of a move, in a format that is a database.
_MOVE_SECONDS: Final = {"obk": 60e-6}
# The selection of a store with more rows takes seconds: it is not made for an estimate.
_CHEAP_ROWS: Final = 1_000_000
_KINDS: Final = 6
"""Kinds of files that the table names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a command would read and write. Unknown figures are None.

    Attributes:
        command: `tally` or `build`.
        output: the file or folder that it would write.
        format: what that would be.
        game: the game.
        files: the archives.
        stores: the tally stores.
        bytes: bytes of the archives.
        kinds: number of archives by suffix.
        games: games of the archives and stores.
        games_used: those that would be counted.
        is_exact: whether the games were counted, not estimated.
        rows: rows of the tally.
        kept: positions or moves of the book.
        kept_is_exact: whether `kept` was counted, not estimated.
        seconds: time.
        memory: peak memory, in bytes.
        output_bytes: size of the output.
    """

    command: str
    output: str
    format: str
    game: str
    files: int
    stores: int = 0
    bytes: int
    kinds: dict[str, int]
    games: int
    games_used: int
    is_exact: bool
    rows: int
    kept: int | None = None
    kept_is_exact: bool = False
    seconds: float
    memory: int
    output_bytes: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as JSON data."""
        names = [name for name in self.__slots__ if name != "memory"]
        facts = {name: getattr(self, name) for name in names}
        return {"dry_run": True, **facts, "seconds": round(self.seconds, 2), "peak_memory_bytes": self.memory}


def refuse_stdin(inputs: Sequence[str]) -> None:
    """Refuse a sample of stdin, which the real run could not read again.

    Raises:
        OptionError: stdin is an input.
    """
    from bookbuilder.archives.sources import STDIN
    from bookbuilder.errors import OptionError

    if STDIN in inputs:
        raise OptionError("--dry-run reads a sample, and stdin is read only once: name a file")


def estimate_store(
    output: str, game: str, files: Sequence[Path], sample: Sample, *, memory: int | None, limit: int | None
) -> Estimate:
    """Return what `tally` would do.

    Args:
        output: the store.
        game: the game.
        files: the archives.
        sample: a sample of them.
        memory: the limit of memory for counting; None = the default.
        limit: maximum number of games.
    """
    from bookbuilder.tally.store.spill import default_memory

    rows = sample.all_rows(limit)
    counting = _counting_seconds(sample, limit)
    return Estimate(
        command="tally",
        output=output,
        format="tally store",
        game=game,
        **_inputs(files, sample, limit),
        rows=rows,
        seconds=counting + _pace() * (_START_SECONDS + rows * _STORE_ROW_SECONDS),
        memory=min(
            _PROGRAM_BYTES + rows * _STORE_ROW_MEMORY, max(memory or default_memory(), _PROGRAM_BYTES)
        ),
        output_bytes=rows * _STORE_ROW_BYTES,
    )


def estimate_book(
    output: str,
    form: str,
    game: str,
    files: Sequence[Path],
    sample: Sample | None,
    *,
    kept: int | None,
    stored: Sequence[Tally] = (),
    limit: int | None = None,
    is_lean: bool = False,
) -> Estimate:
    """Return what `build` would do.

    Args:
        output: the book.
        form: the name of its format.
        game: the game.
        files: the archives.
        sample: a sample of them; None if there are none.
        kept: what a selection keeps of the sample or the store; None = unknown.
        stored: the tallies of the stores.
        limit: maximum number of games.
        is_lean: whether rows of rare positions need not be made.
    """
    counted, growth = (0, 1.0) if sample is None else (sample.all_rows(limit), sample.growth(limit))
    held = sum(len(each) for each in stored)
    most = None if kept is None else round(kept * growth)
    inputs = _inputs(files, sample, limit, stored)
    return Estimate(
        command="build",
        output=output,
        format=form,
        game=game,
        **inputs,
        rows=counted + held,
        kept=most,
        kept_is_exact=growth == 1 and inputs["is_exact"],
        seconds=_counting_seconds(sample, limit)
        + _pace() * _building_seconds(counted, held, most, form, is_lean=is_lean),
        memory=_PROGRAM_BYTES + _building_memory(counted, held, is_lean=is_lean),
        output_bytes=_book_bytes(form, most, len(files) + sum(len(each.sources) for each in stored)),
    )


def is_lean(options: SelectionOptions) -> bool:
    """Return whether a build by these options needs no rows of rare positions."""
    return options.trims and options.for_games(0).least_games > 1


def kept_of(tally: Tally, options: SelectionOptions) -> int | None:
    """Return how many positions or moves a selection keeps; None if the answer takes seconds."""
    from bookbuilder.selection.select import select

    if len(tally) > _CHEAP_ROWS:
        return None
    return select(tally, options).reasons().get("", 0)


def print_estimate(estimate: Estimate, *, json: bool, quiet: bool = False) -> None:
    """Print what a command would do."""
    if json:
        print_json(estimate.to_json())
        return
    print_table(facts_columns(estimate.output), _rows(estimate))
    note("dry run: nothing was written", quiet=quiet)


def _rows(estimate: Estimate) -> list[tuple[str, str]]:
    kinds = sorted(estimate.kinds.items(), key=lambda each: (-each[1], each[0]))
    about = "" if estimate.is_exact else "about "
    is_kept_exact = "" if estimate.kept_is_exact else "about "
    size = estimate.output_bytes
    rows = [
        ("would write", estimate.format),
        ("game", estimate.game),
        *([("tally stores", f"{estimate.stores:,}")] if estimate.stores else []),
        *([("archives", f"{estimate.files:,}")] if estimate.files else []),
        *((f"  {kind}", f"{count:,}") for kind, count in kinds[:_KINDS]),
        *([("  other kinds", f"{len(kinds) - _KINDS:,}")] if len(kinds) > _KINDS else []),
        *([("bytes", f"{estimate.bytes:,} ({format_bytes(estimate.bytes)})")] if estimate.files else []),
        ("games", f"{about}{_rounded(estimate.games, is_exact=estimate.is_exact)}"),
        ("games used", f"{about}{_rounded(estimate.games_used, is_exact=estimate.is_exact)}"),
        ("rows", f"{about}{_rounded(estimate.rows, is_exact=estimate.is_exact)}"),
    ]
    if estimate.command == "build":
        kept = estimate.kept
        text = "not estimated" if kept is None else _rounded(kept, is_exact=estimate.kept_is_exact)
        rows.append(("kept", text if kept is None else f"{is_kept_exact}{text}"))
    return [
        *rows,
        ("time", f"about {_duration(estimate.seconds)}"),
        ("peak memory", f"about {format_bytes(_two_digits(estimate.memory))}"),
        ("size of output", "not estimated" if size is None else f"about {format_bytes(_two_digits(size))}"),
    ]


def _inputs(
    files: Sequence[Path], sample: Sample | None, limit: int | None, stored: Sequence[Tally] = ()
) -> dict[str, Any]:
    """Return the fields of an estimate that describe its inputs."""
    games = sum(each.game_count for each in stored)
    return {
        "files": len(files),
        "stores": len(stored),
        "bytes": sum(file.stat().st_size for file in files),
        "kinds": dict(Counter(_kind(file) for file in files)),
        "games": games + (0 if sample is None else sample.all_games()),
        "games_used": games + (0 if sample is None else sample.all_used(limit)),
        "is_exact": sample is None or sample.is_whole,
    }


def _kind(file: Path) -> str:
    """Return the suffix of a file, with the one below a compression."""
    return (
        "".join(file.suffixes[-2:]).lower() if file.suffix in {".gz", ".bz2", ".xz", ".zst"} else _end(file)
    )


def _end(file: Path) -> str:
    return file.suffix.lower() or "no suffix"


def _pace() -> float:
    """Return how many times as long as on the machine of the constants things take here and now."""
    import numpy as np

    numbers = np.random.default_rng(1).integers(0, 1 << 63, _PACE_NUMBERS, dtype=np.uint64)
    began = time.perf_counter()
    numbers.sort(kind="stable")
    return (time.perf_counter() - began) / _PACE_SECONDS


def _building_memory(counted: int, held: int, *, is_lean: bool) -> int:
    """Return the bytes of memory of a build, besides the program."""
    if is_lean:
        return counted * _LEAN_ROW_MEMORY + held * _LEAN_STORE_ROW_MEMORY
    return (counted + held) * _BOOK_ROW_MEMORY


def _building_seconds(counted: int, held: int, kept: int | None, form: str, *, is_lean: bool) -> float:
    """Return the time of a build without counting, where the constants were measured."""
    row = _LEAN_ROW_SECONDS if is_lean else _BOOK_ROW_SECONDS
    rows = (counted + held) * row + (0 if is_lean else held * _STORE_READ_SECONDS)
    return _START_SECONDS + rows + (kept or 0) * _MOVE_SECONDS.get(form, 0.0)


def _counting_seconds(sample: Sample | None, limit: int | None) -> float:
    if sample is None or sample.report is None:
        return 0.0
    used = sample.report.games_used
    # A run that stops at its limit of games reads no more.
    share = sample.all_used(limit) / sample.all_used() if limit is not None and used else 1.0
    return sample.report.seconds * sample.ratio * share


def _book_bytes(form: str, kept: int | None, sources: int) -> int | None:
    if kept is None:
        return None
    recipe = sources * _SOURCE_BYTES if form == "book" else 0
    return _FIXED_BYTES.get(form, 0) + recipe + kept * _MOVE_BYTES[form]


def _rounded(number: int, *, is_exact: bool) -> str:
    return f"{number if is_exact else _two_digits(number):,}"


def _two_digits(number: int) -> int:
    """Return a number rounded to its first two digits, as estimates are printed."""
    if number < 100:
        return number
    unit = int(10 ** (int(math.log10(number)) - 1))
    return round(number / unit) * unit


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} h"
