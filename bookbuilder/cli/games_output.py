"""Where the games of a collection go, and what a run over them is said to have done.

An output's form is told by its name: `.zip` and a directory hold a file a game, other names one file. Without
a name games go to stdout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from bookbuilder.cli.console import note, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import GameChoice
from bookbuilder.cli.output import require_empty, require_free, whole_directory, whole_file
from bookbuilder.errors import OptionError
from bookbuilder.games import Game, as_game

if TYPE_CHECKING:
    from bookbuilder.collection import CollectionReport

__all__ = [
    "GamesOutput",
    "OutputOption",
    "Sink",
    "check",
    "game_of_files",
    "output_at",
    "tell",
    "tell_left_out",
    "write_rejects",
]

OutputOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="OUT", help="File, .zip or directory to write.", show_default="stdout"
    ),
]

Sink: TypeAlias = "Callable[[bytes], object] | str"
"""What the core writes to: a function that takes bytes, or the path of an empty directory."""

_COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class GamesOutput:
    """An output that may be written.

    Attributes:
        path: its name; None is stdout.
        layout: how games lie in it: `stream`, `single`, `zip` or `directory`.
    """

    path: Path | None
    layout: str

    @contextmanager
    def opened(self) -> Iterator[Sink]:
        """Yield what the core writes to; the output appears when the block ends, and never if it fails."""
        if self.path is None:
            yield sys.stdout.buffer.write
            sys.stdout.buffer.flush()
        elif self.layout == "directory":
            with whole_directory(self.path) as directory:
                yield str(directory)
        else:
            with whole_file(self.path) as stream:
                yield stream.write


def output_at(path: Path | None, *, is_file_a_game: bool, force: bool) -> GamesOutput:
    """Return the output of that name, before any work is done for it.

    Args:
        path: its name; None is stdout.
        is_file_a_game: whether games are of a kind that takes a file each.
        force: whether a file that exists may be replaced.

    Raises:
        OutputExistsError: it exists already.
        OptionError: games of that kind cannot go there.
        ArchiveError: the directory it is to be written to does not exist.
    """
    if path is None:
        if is_file_a_game:
            raise OptionError("a file for each game: name a directory or a .zip file with --output")
        return GamesOutput(None, "stream")
    suffix = path.suffix.lower()
    if suffix in _COMPRESSED:
        raise OptionError(f"{path}: games are written plain; leave {suffix} out")
    if path.is_dir() or (is_file_a_game and not suffix):
        require_empty(path)
        return GamesOutput(path, "directory")
    require_free(path, force=force)
    if suffix == ".zip":
        return GamesOutput(path, "zip")
    return GamesOutput(path, "single" if is_file_a_game else "stream")


def game_of_files(choice: GameChoice, files: Sequence[Path]) -> Game:
    """Return the game named, or the one that the files hold."""
    from bookbuilder.runner import detect_game

    return detect_game(files) if choice is GameChoice.AUTO else as_game(choice.value)


def tell(report: CollectionReport, *, json: bool, quiet: bool) -> None:
    """Say what was done: on stderr, and as JSON on stdout where that was asked for."""
    if json:
        print_json(report.to_json())
    tell_left_out(report, quiet=quiet)
    left_out = {**report.filtered, **report.rejects}
    reasons = "".join(f", {count:,} {reason}" for reason, count in sorted(left_out.items()))
    parts = f" in {report.parts:,} parts" if report.parts else ""
    note(f"{report.games_read:,} games read, {report.games_written:,} written{parts}{reasons}", quiet=quiet)


def tell_left_out(report: CollectionReport, *, quiet: bool) -> None:
    """Name the members of containers that could not be read, even if quiet; count those that hold no game."""
    unreadable = report.unreadable()
    for each in unreadable:
        note(f"bookbuilder: {each['reason']}")
    others = len(report.members_skipped) - len(unreadable)
    if others:
        note(f"{others:,} members without games left out", quiet=quiet)


def check(report: CollectionReport, *, strict: bool = False) -> None:
    """End with exit code 1 where no game was written or, if strict, something was rejected or unreadable."""
    rejected, unreadable = sum(report.rejects.values()), len(report.unreadable())
    if strict and rejected + unreadable:
        losses = f"{rejected:,} of {report.games_read:,} games were rejected"
        raise finish(Exit.FAILED, f"{losses}, {unreadable:,} members could not be read")
    if report.games_read == 0:
        raise finish(Exit.FAILED, "no game was found")
    if report.games_written == 0:
        raise finish(Exit.FAILED, "no game was written")


def write_rejects(report: CollectionReport, path: Path | None) -> None:
    """Write the rejects of a run, one line of JSON each."""
    if path is None:
        return
    with whole_file(path) as stream:
        for row in report.reject_rows.to_pylist():
            stream.write(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")
