"""`bookbuilder demo`: run the whole flow for both games, with the archives that come with the program.

Archives → tally → threshold curve → book → engine. The engine answers from the book, and searches where the
book ends. Every step is a call that users can make too.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from bookbuilder._core import Position
from bookbuilder.archives.demo import demo as demo_archives
from bookbuilder.cli.console import note, say
from bookbuilder.cli.declare import option
from bookbuilder.cli.engine.search import Searching, print_search, searched
from bookbuilder.cli.info import print_book_facts
from bookbuilder.cli.inputs import print_report
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free
from bookbuilder.cli.show import print_answer, store_answer, with_openings
from bookbuilder.cli.threshold import print_curve
from bookbuilder.errors import OutputExistsError
from bookbuilder.games.line import play_moves
from bookbuilder.games.position import GAMES_KNOWN, Game
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder.book.book import Book

# 40 plies cover the opening of every game. The sides are equally strong, so the minimum P is below one half.
_MAX_PLY: Final = 40
_MIN_GAMES: Final = 3
_MIN_WIN_RATE: Final = "0.45"
_SEARCH_DEPTH: Final = 7


def demo(
    keep: Annotated[
        Path | None,
        option("--keep", metavar="DIRECTORY", help="Keep stores and books here.", show_default="not kept"),
    ] = None,
    force: opt.Force = False,
) -> None:
    """Try the whole flow with the archives of the program."""
    started = time.perf_counter()
    if keep is not None:
        if keep.exists() and not keep.is_dir():
            raise OutputExistsError(f"{keep}: is a file, expected a directory or nothing")
        keep.mkdir(parents=True, exist_ok=True)
    with TemporaryFolder() if keep is None else nullcontext(keep) as folder:
        for game in GAMES_KNOWN:
            _show_flow(game, folder, force=force)
    note(f"done in {time.perf_counter() - started:.1f} s")


def _show_flow(game: Game, folder: Path, *, force: bool) -> None:
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.book.book import Book
    from bookbuilder.selection.select import select
    from bookbuilder.tally.tally import Tally

    store, output = folder / f"{game}.store", folder / f"{game}.book"
    require_free(output, force=force)
    archives = demo_archives(game)
    say(f"══ {game}: {', '.join(path.name for path in archives)}")
    say("")
    say(f"1. Archives to tally, {_MAX_PLY} plies of each game")
    tally = Tally.from_archives(*archives, game=game, max_ply=_MAX_PLY)
    tally.save(store, force=force)
    if tally.report is not None:
        print_report(tally.report)
    chosen = select(tally)
    say("2. The tally at the start position")
    _show_start(game, store)
    say("3. The threshold curve: positions kept as P = W/(W+L) rises")
    print_curve(threshold_curve(tally, min_games=[3, 10]))
    say("4. The book: moves that at least 3 games played and that did about as well as their position")
    book = Book.write(output, chosen)
    book.verify()
    print_book_facts(output.name, book.info)
    _show_engine(game, book)


def _show_start(game: Game, store: Path) -> None:
    from bookbuilder.selection.options import preset
    from bookbuilder.tally.store.reading import OpenStore

    start = Position(game)
    answer = store_answer(OpenStore(store), start, preset("engine"))
    print_answer(with_openings(answer, start))


def _show_engine(game: Game, book: Book) -> None:
    """Follow the book from the start position until it ends, then let the engine search."""
    line: list[str] = []
    say("5. The engine at the start position, with the book")
    answer = searched(game, Searching(depth=_SEARCH_DEPTH), book=book)
    print_search(answer, Position(game))
    # No book position lies beyond the ply limit; the limit also stops repetitions.
    while answer["source"] == "book" and len(line) < _MAX_PLY:
        line.append(answer["move"])
        answer = searched(game, Searching(depth=_SEARCH_DEPTH), moves=line, book=book)
    say("")
    say(f"6. The engine where the book ends, after {len(line)} plies: {' '.join(line)}")
    print_search(answer, play_moves(Position(game), line))
    say("")
