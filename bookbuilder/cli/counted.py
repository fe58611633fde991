"""Count archives for one answer: a temporary store, which is removed at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from bookbuilder.cli.console import note, reading
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import named_files, tell_left_out
from bookbuilder.cli.rejected import nothing_counted
from bookbuilder.games.line import START_WORD, move_words, split_position
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder.archives.filters import GameFilter
    from bookbuilder.tally.store.reading import OpenStore

__all__ = ["counted_archives", "plies_before"]

# Positions are counted up to this ply, as far as `build` selects by default.
_USUAL_PLY: Final = 40


def plies_before(fen: str | None, moves: str) -> int:
    """Return the ply of a position: of its FEN, plus the moves after it.

    Example:
        >>> plies_before(None, "1.e4 e5"), plies_before("4k3/8/8/8/8/8/8/4K3 b - - 0 7", "")
        (2, 13)
    """
    start, words = split_position(START_WORD if fen is None else fen)
    fields = start.split()
    number = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1
    before = max(2 * (number - 1), 0) + (len(fields) > 1 and fields[1] == "b")
    return before + len(words) + len(move_words(moves))


@contextmanager
def counted_archives(
    inputs: Sequence[str], *, ply: int, filters: GameFilter | None, quiet: bool
) -> Iterator[OpenStore]:
    """Yield a temporary store of the games of archives, counted at least up to a position at this ply.

    Raises:
        ArchiveError: an input is missing or is not an archive.
        Exit: no game could be counted.
    """
    from bookbuilder.archives.filters import GameFilter
    from bookbuilder.archives.find import detect_game
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.store.grow import grow
    from bookbuilder.tally.store.reading import OpenStore

    with TemporaryFolder() as folder, named_files(inputs) as files:
        options = TallyOptions(
            game=detect_game(files), max_ply=max(_USUAL_PLY, ply + 1), filters=filters or GameFilter()
        )
        store = folder / "counted.store"
        with reading(sum(path.stat().st_size for path in files), quiet=quiet) as progress:
            report = grow(store, files, options, RunLimits(progress=progress))
        tell_left_out(report, quiet=quiet)
        if not report.rows:
            raise finish(Exit.FAILED, nothing_counted(f"{', '.join(inputs)}: nothing to show", report))
        note(f"games counted: {report.games_used:,}; `bookbuilder tally` keeps them in a store", quiet=quiet)
        yield OpenStore(store)
