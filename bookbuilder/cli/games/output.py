"""The output of commands that write games, and the report of their run.

The name of the output decides its form: a `.zip` or a directory has one file per game, other names are one
file. Without a name games go to stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from bookbuilder.cli import console
from bookbuilder.cli.console import counted, note, print_json, print_text
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import check_losses, tell_unreadable
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_empty, require_free, whole_file
from bookbuilder.disk import draft_directory
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.archives.collection import CollectionReport

__all__ = [
    "GamesOutput",
    "Sink",
    "Writing",
    "check",
    "is_file_a_game",
    "tell",
    "tell_left_out",
    "write_rejects",
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
        if self.path is None and console.is_terminal(sys.stdout):
            # As text, which a bar makes room for.
            yield lambda content: print_text(content.decode("utf-8", errors="replace"))
        elif self.path is None:
            yield sys.stdout.buffer.write
            sys.stdout.buffer.flush()
        elif self.layout == "directory":
            with draft_directory(self.path) as directory:
                yield str(directory)
        else:
            with whole_file(self.path) as stream:
                yield stream.write


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The options of commands that write games to one output."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="File, .zip or directory to write.", show_default="stdout"
        ),
    ] = None
    force: opt.Force = False
    json: opt.Json = False

    def check(self) -> None:
        """Refuse a report where the games go.

        Raises:
            OptionError: both are to be printed.
        """
        if self.json and _is_stdout(self.output):
            raise OptionError("--json prints the report where the games go: give --output too")

    def target(self, *, is_file_a_game: bool, inputs: Sequence[str] = ()) -> GamesOutput:
        """Return the output, before any work is done for it.

        Args:
            is_file_a_game: whether games are of a kind that takes a file each.
            inputs: the archives that are read, which must not be replaced.

        Raises:
            OutputExistsError: it exists already.
            OptionError: games of that kind cannot go there, or it is an input.
            ArchiveError: the directory it is to be written to does not exist.
        """
        target = _output_at(self.output, is_file_a_game=is_file_a_game, force=self.force)
        if self.output is not None and self.output.is_file():
            for name in inputs:
                if Path(name).is_file() and self.output.samefile(name):
                    raise OptionError(f"{self.output}: is read, too; give another name for the output")
        return target


def _is_stdout(path: Path | None) -> bool:
    return path is None or str(path) == "-"


def _output_at(path: Path | None, *, is_file_a_game: bool, force: bool) -> GamesOutput:
    if path is None or _is_stdout(path):
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


def tell(report: CollectionReport, *, json: bool, quiet: bool) -> None:
    """Report the run on stderr, and as JSON on stdout if that is asked for."""
    if json:
        print_json(report.to_json())
    tell_left_out(report, quiet=quiet)
    left_out = {**report.filtered, **report.rejects}
    reasons = "".join(f", {count:,} {reason}" for reason, count in sorted(left_out.items()))
    note(
        f"{counted(report.games_read, 'game')} read, {report.games_written:,} written{reasons}",
        quiet=quiet,
    )
    if report.variations_cut:
        note(f"{counted(report.variations_cut, 'variation')} cut at a bad move", quiet=quiet)


def tell_left_out(report: CollectionReport, *, quiet: bool) -> None:
    """Name unreadable archives and members, even if quiet; count files without games of this run."""
    tell_unreadable(report.members_skipped, quiet=quiet)


def check(report: CollectionReport, *, strict: bool = False) -> None:
    """End with exit code 3 if a file could not be read, with 1 if no game was written.

    If strict, also with 1 if a game was rejected.
    """
    check_losses(report, strict=strict)
    if report.games_read == 0:
        raise finish(Exit.FAILED, "no game was found")
    if report.games_written == 0:
        raise finish(Exit.FAILED, "no game was written")


def write_rejects(report: CollectionReport, path: Path | None) -> None:
    """Write the rejects of a run, one line of JSON each."""
    if path is None:
        return
    with whole_file(path) as stream:
        stream.write(report.rejects_json)


def is_file_a_game(output: Path | None, game: str) -> bool:
    """Return whether games that are copied get a file each: xiangqi, unless the output is a text."""
    return game == "xiangqi" and output is not None and output.suffix.lower() in {"", ".xqf"}
