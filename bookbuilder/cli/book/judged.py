"""A book in use, judged by an engine: what `book check` and `book suite` share."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bookbuilder.cli.console import counting
from bookbuilder.cli.options.searching import Searching, known_evals
from bookbuilder.disk import remove_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.engine.check.graph import Played
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.games.position import Game

__all__ = ["EvalsFile", "evaluated", "played_book"]

EvalsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--evals",
        metavar="FILE",
        help="Use the evaluations of this file, and add new ones to it.",
        show_default="not kept",
    ),
]


def played_book(path: Path, against: Path, positions: int) -> tuple[Game, list[Played], bool]:
    """Return the game, the book in use by each owner, and whether mirrors are folded.

    Args:
        path: the book.
        against: the store whose moves the opponent plays.
        positions: maximum number of positions of each owner.

    Raises:
        OptionError: the store counts the other game, or the book is never used.
    """
    from bookbuilder.book.open import open_book
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.check.check import played_games
    from bookbuilder.tally.store.reading import OpenStore

    book, store = open_book(path), OpenStore(against)
    if store.options.game != book.game:
        raise OptionError(f"{against}: counts {store.options.game}, the book is of {book.game}")
    replies = TallyMoves(store, book.game, fold=store.options.fold)
    games = played_games(path, book.game, replies, most=positions, fold=book.fold)
    return book.game, games, book.fold


def evaluated(
    game: Game, games: Sequence[Played], fold: bool, evals: Path | None, searching: Searching, *, quiet: bool
) -> Evaluated:
    """Return the evaluations of a book in use, and keep them in a file if one is named.

    Raises:
        OptionError: the engine cannot be used.
        PlayerFault: the engine fails at one position after the other.
    """
    from bookbuilder.engine.check.graph import plan_of
    from bookbuilder.engine.evaluate.evaluate import evaluate

    with ExitStack() as stack:
        known = None
        if evals is not None:
            known = known_evals(evals, game, fold=fold)
            journal = evals.with_name(f"{evals.name}.journal")
        else:
            journal = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "journal"
        done = evaluate(
            plan_of(games, fold=fold),
            game,
            searching.spec(game),
            searching.options(),
            known=known,
            journal=journal,
            progress=partial(counting, quiet=quiet),
        )
        if evals is not None:
            done.evals.write(evals)
            remove_file(journal)
    return done
