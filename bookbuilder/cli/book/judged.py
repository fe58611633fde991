"""A book in use, judged by an engine: what `book check` and `book suite` share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bookbuilder.cli.options.searching import Searching, known_evals
from bookbuilder.cli.progress import counting
from bookbuilder.disk import remove_file
from bookbuilder.errors import OptionError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder.book.play import MoveSource
    from bookbuilder.engine.check.sound import SoundMoves
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Played
    from bookbuilder.evals.table import Evals
    from bookbuilder.games.position import Game

__all__ = ["EvalsFile", "InUse", "book_in_use", "evaluated"]

EvalsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--evals",
        metavar="FILE",
        help="Use the evaluations of this file, and add new ones to it.",
        show_default="not kept",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class InUse:
    """A book whose owner plays against the moves of a store.

    Attributes:
        path: the book.
        game: its game.
        fold: whether it folds left-right mirrors.
        moves: its moves.
        replies: the opponent's moves.
    """

    path: Path
    game: Game
    fold: bool
    moves: SoundMoves
    replies: MoveSource

    def played(self, positions: int) -> list[Played]:
        """Return the book in use by each owner, with a maximum number of positions of each.

        Raises:
            OptionError: the book is never used.
        """
        from bookbuilder.engine.check.check import played_games

        return played_games(self.path, self.moves, self.replies, most=positions, fold=self.fold)


def book_in_use(path: Path, against: Path) -> InUse:
    """Return a book, and the store whose moves the opponent plays.

    Raises:
        OptionError: the store counts the other game.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.check.sound import SoundMoves
    from bookbuilder.tally.store.reading import OpenStore

    book, store = open_book(path), OpenStore(against)
    if store.options.game != book.game:
        raise OptionError(f"{against}: counts {store.options.game}, the book is of {book.game}")
    replies = TallyMoves(store, book.game, fold=store.options.fold)
    moves = SoundMoves(path, book.game, fold=book.fold)
    return InUse(path=path, game=book.game, fold=book.fold, moves=moves, replies=replies)


def evaluated(
    book: InUse,
    games: Sequence[Played],
    evals: Path | None,
    searching: Searching,
    *,
    known: Evals | None = None,
    quiet: bool,
) -> Evaluated:
    """Return the evaluations of a book in use, and keep them in a file if one is named.

    Args:
        book: the book.
        games: the book in use by each owner.
        evals: a file whose evaluations are used, and which gets the new ones.
        searching: the engine and its searches.
        known: evaluations that need not be made again, if no file is named.
        quiet: whether to show no progress.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at one position after the other.
    """
    from bookbuilder.engine.evaluate.evaluate import evaluate
    from bookbuilder.engine.evaluate.plan import plan_of

    with ExitStack() as stack:
        if evals is not None:
            known = known_evals(evals, book.game, fold=book.fold)
            journal = evals.with_name(f"{evals.name}.journal")
        else:
            journal = stack.enter_context(TemporaryFolder()) / "journal"
        done = evaluate(
            plan_of(games, fold=book.fold),
            book.game,
            searching.spec(book.game),
            searching.options(),
            known=known,
            journal=journal,
            progress=partial(counting, quiet=quiet),
        )
        if evals is not None:
            done.evals.write(evals)
            remove_file(journal)
    return done
