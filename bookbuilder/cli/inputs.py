"""INPUT... and the options of counting in, a tally out; for every command that reads archives."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from bookbuilder.cli.console import format_bytes, note, print_table, reading
from bookbuilder.cli.options import Check, GameChoice
from bookbuilder.cli.output import whole_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.runner import TallyOptions, TallyReport
    from bookbuilder.tally import Tally

__all__ = [
    "Counting",
    "add_to",
    "held_tally",
    "losses",
    "named_files",
    "print_report",
    "settle",
    "write_rejects",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What the options of counting say; defaults are the command line's."""

    game: GameChoice = GameChoice.AUTO
    max_ply: int | None = None
    check: Check = Check.PREFIX
    keep_prefix: bool = False
    custom_starts: bool = False
    fold: bool = True
    limit: int | None = None


def held_tally(context: typer.Context, stores: Sequence[Path], counting: Counting) -> Tally:
    """Return what the stores hold, added up.

    Raises:
        OptionError: a store was counted with other options than this command line asks for.
        StoreError: a store is damaged, or two stores do not add up.
    """
    from bookbuilder.tally import Tally

    # Only what was said on this command line can differ from what a store was counted with.
    given = {
        name: getattr(value, "value", value)
        for name, value in asdict(counting).items()
        if _is_given(context, name) and value is not GameChoice.AUTO
    }
    tallies = [Tally.open(store) for store in stores]
    for store, tally in zip(stores, tallies, strict=True):
        differences = tally.options.differences(replace(tally.options, **given))
        if differences:
            raise OptionError(f"{store}: was counted with other options: {'; '.join(differences)}")
    return reduce(add, tallies)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def named_files(inputs: Sequence[str]) -> Iterator[list[Path]]:
    """Yield the archive files that the inputs name; stdin becomes a file for as long as the block lasts.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
    """
    from bookbuilder.runner import STDIN, find_archives

    if STDIN not in inputs:
        yield find_archives(inputs)
        return
    with tempfile.TemporaryDirectory(prefix="bookbuilder-") as directory:
        spooled = Path(directory, STDIN)  # reports call it by this name alone
        with spooled.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield find_archives([str(spooled) if entry == STDIN else entry for entry in inputs])


def settle(counting: Counting, files: Sequence[Path]) -> TallyOptions:
    """Return the options of a tally, the game taken from the files where none was named."""
    from bookbuilder.games import as_game
    from bookbuilder.runner import TallyOptions, detect_game

    return TallyOptions(
        game=detect_game(files) if counting.game is GameChoice.AUTO else as_game(counting.game.value),
        max_ply=counting.max_ply,
        check=counting.check.value,
        keep_prefix=counting.keep_prefix,
        custom_starts=counting.custom_starts,
        fold=counting.fold,
        limit=counting.limit,
    )


def add_to(
    tally: Tally, files: Sequence[Path], *, max_inflate: int | None, jobs: int | None, quiet: bool
) -> tuple[Tally, TallyReport]:
    """Return the tally with the files' games added, and the run's report, showing how far it is."""
    with reading(sum(path.stat().st_size for path in files), quiet=quiet) as progress:
        after = tally.add_archives(*files, max_inflate=max_inflate, jobs=jobs, progress=progress)
    if after.report is None:
        raise AssertionError("a tally that archives were added to has a report")
    _tell_left_out(after.report, quiet=quiet)
    return after, after.report


def losses(report: TallyReport | None) -> str:
    """Return what a run could not use, in words; empty if it used all, or there was no run."""
    if report is None:
        return ""
    counts = (
        (sum(report.rejects.values()), f"of {report.games_read:,} games were rejected"),
        (len(report.unreadable()), "members could not be read"),
    )
    return ", ".join(f"{count:,} {words}" for count, words in counts if count)


def write_rejects(tally: Tally, path: Path | None) -> None:
    """Write the rejects of the tally's run, one line of JSON each."""
    if path is None:
        return
    with whole_file(path) as stream:
        for row in tally.rejects.to_pylist():
            stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")


def print_report(report: TallyReport) -> None:
    """Print what a run read and made."""
    rows = [
        ("archives", f"{len(report.sources):,}"),
        ("games read", f"{report.games_read:,}"),
        ("games used", f"{report.games_used:,}"),
        *((f"  left out: {reason}", f"{count:,}") for reason, count in sorted(report.filtered.items())),
        *((f"  rejected: {reason}", f"{count:,}") for reason, count in sorted(report.rejects.items())),
        *((("members unreadable", f"{len(report.unreadable()):,}"),) if report.unreadable() else ()),
        ("duplicates", f"{report.duplicates:,}"),
        ("observations", f"{report.observations:,}"),
        ("rows", f"{report.rows:,}"),
        ("wall time", f"{report.seconds:.2f} s"),
        ("CPU time", f"{report.cpu_seconds:.2f} s"),
        ("games per CPU second", f"{report.games_read / max(report.cpu_seconds, 1e-3):,.0f}"),
        ("peak memory", format_bytes(report.peak_rss_bytes)),
    ]
    print_table(("", "figure"), rows)


def _tell_left_out(report: TallyReport, *, quiet: bool) -> None:
    """Name the members of containers that could not be read, even if quiet; count those that hold no game."""
    unreadable = report.unreadable()
    for each in unreadable:
        note(f"bookbuilder: {each['reason']}")
    others = len(report.members_skipped) - len(unreadable)
    if others:
        note(f"{others:,} members without games left out; --json names them", quiet=quiet)
