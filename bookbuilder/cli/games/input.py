"""The archives that a command for collections of games reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from bookbuilder.cli.console import reading
from bookbuilder.cli.inputs import named_files
from bookbuilder.cli.options import arguments as opt
from bookbuilder.games.position import Game, as_game

__all__ = ["Collection", "Reading"]


class Collection(NamedTuple):
    """Archives that are read, as the core takes them.

    Attributes:
        paths: the files.
        game: the game that they record.
        progress: what the core calls to say how far it is.
    """

    paths: list[str]
    game: Game
    progress: Callable[[int, int, int], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The options of commands that read archives as collections of games."""

    game: opt.GameOption = "auto"
    max_inflate: opt.MaxInflate = None
    quiet: opt.Quiet = False

    @contextmanager
    def opened(self, inputs: Sequence[str], *, times: int = 1) -> Iterator[Collection]:
        """Yield the archives that the inputs name, and show the progress of reading each `times` times."""
        from bookbuilder.archives.find import detect_game

        with named_files(inputs) as files:
            is_named = self.game != "auto"
            game = as_game(self.game) if is_named else detect_game(files)
            size = sum(path.stat().st_size for path in files) * times
            with reading(size, quiet=self.quiet) as progress:
                yield Collection([str(path) for path in files], game, progress)
