"""`bookbuilder demo`: run the whole flow for both games, with the archives that come with the program."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Final

import typer

from bookbuilder._core import Position, notations
from bookbuilder.archives.demo import demo as demo_archives
from bookbuilder.cli.console import display, say
from bookbuilder.cli.notation import shown_move, shown_moves
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free
from bookbuilder.errors import OutputExistsError
from bookbuilder.games.line import format_line
from bookbuilder.games.position import GAMES_KNOWN, SIDE_WORDS, Game

_FILES: Final[dict[Game, str]] = {"chess": "chess.bin", "xiangqi": "xiangqi.obk"}
_MAX_PLY: Final = 40
_WIDTH: Final = 66
_DEPTH: Final = 7


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIRECTORY", help="Write the books here.")
    ] = Path("bookbuilder-demo"),
    force: opt.Force = False,
) -> None:
    """Build a book of chess and one of xiangqi from the games of the program, and play from them."""
    if output.exists() and not output.is_dir():
        raise OutputExistsError(f"{output}: is a file, expected a directory or nothing")
    output.mkdir(parents=True, exist_ok=True)
    for name in _FILES.values():
        require_free(output / name, force=force)
    wanted = display.notation
    for game in GAMES_KNOWN:
        # A notation of one game leaves the other as it is.
        display.set(notation=wanted if wanted in notations(game) else None)
        _show(game, output / _FILES[game])
    say(f"The books are in {output}/. Look inside, or build your own:")
    say(f"  bookbuilder show {output / 'chess.bin'} '1.e4 c5'")
    say("  bookbuilder build games.pgn -o book.bin")


def _show(game: Game, path: Path) -> None:
    """Build the book of a game, and print a few lines about each step."""
    from rich.cells import cell_len

    from bookbuilder.book.build import write_book
    from bookbuilder.book.open import open_book
    from bookbuilder.engine.engine import Engine
    from bookbuilder.selection.select import select
    from bookbuilder.tally.tally import Tally

    started = time.perf_counter()
    tally = Tally.from_archives(*demo_archives(game), game=game, max_ply=_MAX_PLY)
    seconds = time.perf_counter() - started
    first = str(next(iter(SIDE_WORDS[game]))).capitalize()
    say(f"{game}: {tally.game_count:,} games, {len(tally):,} moves of positions, counted in {seconds:.1f} s")
    say(f"  first move  games  {first} wins  draws")
    for row in tally.move_rows("startpos")[:3]:
        known = row["first_wins"] + row["draws"] + row["second_wins"]
        wins, draws = (f"{row[name] / known:.0%}".replace("%", " %") for name in ("first_wins", "draws"))
        text = shown_move(Position(game), row["san"])
        text += " " * (10 - cell_len(text))
        say(f"  {text}  {row['played']:>5,}  {wins:>{len(first) + 5}}  {draws:>5}")
    written = write_book(select(tally), path)
    say(f"{path}: {written.moves:,} moves, {written.bytes:,} bytes")
    # The line of the heaviest moves until the book ends.
    book, line = open_book(path), list[str]()
    while len(line) < _MAX_PLY and (move := book.pick(" ".join(line) or "startpos", "best")) is not None:
        line.append(move)
    result = Engine(game).search(moves=line, depth=_DEPTH)
    *moves, answer = shown_moves(Position(game), [*line, str(result.move)])
    text = format_line(moves)
    # Chinese signs take two columns.
    found = shorten(text, _WIDTH * len(text) // cell_len(text), placeholder=" …")
    say(f"  the book:   {found}")
    say(f"  the engine: {answer} at ply {len(line) + 1}, where the book ends ({result.nodes:,} nodes)")
