"""The archives that a command for collections of games reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bookbuilder.cli.inputs import named_files
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.progress import reading
from bookbuilder.games.position import Game, as_game

if TYPE_CHECKING:
    from bookbuilder.tally.options import RunLimits

__all__ = ["Collection", "Reading"]


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
    quiet: opt.Quiet = False

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
            with reading(size, quiet=self.quiet) as progress:
                limits = RunLimits(jobs=jobs, progress=progress)
                yield Collection([str(path) for path in files], game, limits)
