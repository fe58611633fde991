"""What commands for collections of games read and write, and the report of their run.

The name of the output decides its form: a `.zip` or a directory has one file per game, other names are one
file. Without a name games go to stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

import typer

from bookbuilder.cli import console
from bookbuilder.cli.console import counted, note, print_json, print_text, skip_reasons
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import check_losses, named_files, tell_unreadable
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_empty, require_free, whole_file
from bookbuilder.cli.progress import reading
from bookbuilder.disk import draft_directory
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, as_game

if TYPE_CHECKING:
    from bookbuilder._core import GamesRun
    from bookbuilder.tally.options import RunLimits

Sink: TypeAlias = "Callable[[bytes], object] | str"
"""What the core writes to: a function that takes bytes, or the path of an empty directory."""

_COMPRESSED: Final = (".gz", ".bz2", ".xz", ".zst")


class Collection(NamedTuple):
    """Archives that are read, as the core takes them.

    Attributes:
        paths: the files.
        game: the game that they record.
        limits: threads, sizes and the progress.
    """

    paths: list[str]
    game: Game
    limits: RunLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The options of commands that read archives as collections of games."""

    game: opt.GameOption = "auto"

    @contextmanager
    def opened(
        self, inputs: Sequence[str], *, times: int = 1, jobs: int | None = None
    ) -> Iterator[Collection]:
        """Yield the archives that the inputs name, and show the progress of reading each `times` times."""
        from bookbuilder.archives.find import detect_game
        from bookbuilder.tally.options import RunLimits

        with named_files(inputs) as files:
            is_named = self.game != "auto"
            game = as_game(self.game) if is_named else detect_game(files)
            size = sum(path.stat().st_size for path in files) * times
            with reading(size) as progress:
                limits = RunLimits(jobs=jobs, progress=progress)
                yield Collection([str(path) for path in files], game, limits)


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

    def _is_stdout(self) -> bool:
        return self.output is None or str(self.output) == "-"

    def check(self) -> None:
        """Refuse a report where the games go."""
        if self.json and self._is_stdout():
            raise OptionError("--json prints the report where the games go: give --output too")

    def target(self, *, is_file_a_game: bool, inputs: Sequence[str] = ()) -> GamesOutput:
        """Return the output, before any work is done for it.

        Args:
            is_file_a_game: whether games are of a kind that takes a file each.
            inputs: the archives that are read, which must not be replaced.
        """
        path = self.output
        if path is None or self._is_stdout():
            if is_file_a_game:
                raise OptionError("a file for each game: name a directory or a .zip file with --output")
            return GamesOutput(None, "stream")
        suffix = path.suffix.lower()
        if suffix in _COMPRESSED:
            raise OptionError(f"{path}: games are written plain; leave {suffix} out")
        if path.is_dir() or (is_file_a_game and not suffix):
            require_empty(path)
            return GamesOutput(path, "directory")
        require_free(path, force=self.force)
        if path.is_file() and any(Path(name).is_file() and path.samefile(name) for name in inputs):
            raise OptionError(f"{path}: is read, too; give another name for the output")
        if suffix == ".zip":
            return GamesOutput(path, "zip")
        return GamesOutput(path, "single" if is_file_a_game else "stream")

    def end(self, run: GamesRun, *, strict: bool = False, rejects: Path | None = None) -> None:
        """Report a run on stderr, as JSON on stdout if that is asked for, and its rejects in a file.

        End with exit code 3 if a file could not be read, with 1 if no game was written. If strict, also
        with 1 if a game was rejected.
        """
        from bookbuilder.archives.collection import CollectionReport

        report = CollectionReport.of_run(run)
        if rejects is not None:
            with whole_file(rejects) as stream:
                stream.write(report.rejects_json)
        if self.json:
            print_json(report.to_json())
        tell_unreadable(report.members_skipped)
        done = f"{counted(report.games_read, 'game')} read, {report.games_written:,} written"
        note(", ".join([done, *skip_reasons(report.filtered, report.rejects)]))
        if report.variations_cut:
            note(f"{counted(report.variations_cut, 'variation')} cut at a bad move")
        check_losses(report, strict=strict)
        if report.games_written == 0:
            raise finish(Exit.FAILED, f"no game was {'written' if report.games_read else 'found'}")
