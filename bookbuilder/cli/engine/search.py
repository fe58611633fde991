"""`bookbuilder engine search|judge`: what the bundled engine and the rules say of a position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from bookbuilder.cli.console import format_share, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_moves, side_label
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import PositionWords, game_of, joined, line_at, position_at
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.games.ruling import Rule

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.open import ListedBook
    from bookbuilder.book.play import PickPolicy
    from bookbuilder.games.ruling import Judgement


# What each reason means; the loser, if there is one, is written in front.
_WORDS: Final = {
    "mate": "is mated",
    "stalemate": "has no legal move",
    "insufficient-material": "neither side can ever mate",
    "move-count": "too many moves without a capture (chess: or a pawn move)",
    "repetition": "the position has occurred too often",
    "nothing-forbidden": "the position has occurred too often, and neither side does what the code forbids",
    "perpetual-check": "checks with every move",
    "mutual-perpetual-check": "both sides check with every move",
    "perpetual-chase": "chases the same piece with every move",
    "pinned-rook-chase": "chases with every move a rook that a horse pins",
    "perpetual-undermining": "chases the same piece with every move, at times by unprotecting it",
    "mutual-perpetual-chase": "both sides chase with every move",
    "forbidden-series": "does nothing but check, threaten mate and chase",
    "mutual-forbidden-series": "both sides do nothing but check, threaten mate and chase",
}


def search(
    game: Annotated[
        Game | None, typer.Option(help="The game.", show_default="the book's, or the FEN's, or chess")
    ] = None,
    position: PositionWords = None,
    *,
    depth: Annotated[
        int | None, typer.Option(min=1, max=64, help="Plies.", show_default="8 without another limit")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Maximum of nodes.", show_default="none")] = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds.", show_default="none")] = None,
    book: Annotated[Path | None, typer.Option(metavar="BOOK", help="A book to play from.")] = None,
    policy: Annotated[
        Literal["best", "weighted", "uniform", "off"],
        typer.Option("--pick", help="With --book: how a book move is chosen."),
    ] = "best",
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same random book move.")] = 0,
    lines: Annotated[int, typer.Option(min=1, max=256, help="Lines to find (MultiPV).")] = 1,
    pv: Annotated[
        Literal["array", "table"],
        typer.Option(help="Lines from the search's array, or a walk through the table."),
    ] = "array",
    json: opt.Json = False,
) -> None:
    """Search a position: the book's move where it has one, else the engine's."""
    from bookbuilder.book.book import Book
    from bookbuilder.book.open import open_book
    from bookbuilder.engine.engine import Engine

    if book is None and (policy != "best" or seed):
        raise OptionError("--pick and --seed choose moves of a book: give --book too")
    opened = None if book is None else open_book(book, game=game)
    name = game_of(game, joined(position), opened)
    # Report an invalid position or move before the engine starts.
    start, words, here = line_at(name, joined(position))
    answer = None
    if opened is not None and not isinstance(opened, Book):
        passed = [
            position_at(name, f"{start} moves {' '.join(words[:count])}") for count in range(len(words))
        ]
        answer = None if policy == "off" else _listed_move(opened, passed, here, policy, seed)
        opened = None
    if answer is None:
        has_limit = (depth, nodes, movetime) != (None, None, None)
        found = Engine(name, book=opened).search(
            start,
            moves=words,
            depth=depth if has_limit else 8,
            nodes=nodes,
            movetime_ms=movetime,
            lines=lines,
            book_policy=policy,
            seed=seed,
            pv=pv,
        )
        rate = found.table_hits / found.table_probes if found.table_probes else None
        answer = {"game": name, **asdict(found), "table_hit_rate": rate}
    if json:
        print_json({"fen": here.fen, **answer})
    else:
        _print_search(answer, here)
    if answer["move"] is None:
        raise finish(Exit.FAILED, f"no move: {here.verdict} in {here.fen}")


def _listed_move(
    book: ListedBook, before: Sequence[Position], here: Position, policy: PickPolicy, seed: int
) -> dict[str, Any] | None:
    """Return the answer of a search that plays a move of a book of another format; None if it has none."""
    from bookbuilder.book.play import draw, fresh
    from bookbuilder.engine.engine import Result

    code = draw(fresh(book.choices(here), here, before), policy, random.Random(seed).random())
    if code is None:
        return None
    move = here.coordinates(code)
    facts: dict[str, Any] = dict.fromkeys(Result.__dataclass_fields__, 0)
    facts |= {"seconds": 0.0, "lines": (), "iterations": ()}
    facts |= {"move": move, "source": "book", "score_cp": None, "mate_in": None, "pv": (move,)}
    return {"game": book.game, **facts, "table_hit_rate": None}


def _print_search(answer: dict[str, Any], here: Position) -> None:
    """Print the result of a search at a position, one fact per line."""
    moves = partial(shown_moves, here, plain=True)
    move = "none" if answer["move"] is None else moves([answer["move"]])[0]
    say(f"{'move':<11}{move} (from {answer['source']})")
    if answer["source"] == "book":
        return
    rows = [
        ("score", _score(answer)),
        ("depth", str(answer["depth"])),
        ("nodes", f"{answer['nodes']:,}"),
        ("nodes/s", f"{answer['nps']:,.0f}"),
        ("book hits", f"{answer['book_hits']:,}"),
        ("table hits", format_share(answer["table_hit_rate"])),
        ("line", " ".join(moves(answer["pv"]))),
    ]
    for name, value in rows:
        say(f"{name:<11}{value}", is_prose=True)
    for place, line in enumerate(answer["lines"][1:], start=2):
        say(f"{f'line {place}':<11}{_score(line)} {' '.join(moves(line['pv']))}", is_prose=True)


def _score(found: dict[str, Any]) -> str:
    if found["mate_in"] is not None:
        return f"mate in {found['mate_in']} plies"
    return "–" if found["score_cp"] is None else f"{found['score_cp'] / 100:+.2f}"


def judge(
    position: PositionWords = None,
    game: Annotated[Game | None, typer.Option(help="The game.", show_default="the FEN's, or chess")] = None,
    rule: Annotated[
        Rule, typer.Option("--repetition-rule", help="The code for repetitions of xiangqi.")
    ] = "axf",
    occurrences: Annotated[int, typer.Option(min=2, max=9, help="Occurrences that make a repetition.")] = 3,
    json: opt.Json = False,
) -> None:
    """Show whether a line has ended the game, who has won, and by which rule."""
    from bookbuilder.games.ruling import judge as judged

    name = game_of(game, joined(position))
    # Report an invalid position or move with its number.
    line = line_at(name, joined(position))
    found = judged(name, line.start, moves=line.moves, rule=rule, occurrences=occurrences)
    if json:
        cycle = found.cycle
        plies = None if cycle is None else len(cycle)
        print_json({"game": name, "rule": rule, **found._asdict(), "cycle": cycle, "cycle_plies": plies})
    else:
        before = line.moves[: len(line.moves) - len(found.cycle or ())]
        _print_judgement(position_at(name, f"{line.start} moves {' '.join(before)}"), found)


def _print_judgement(start: Position, found: Judgement) -> None:
    """Print a judgement, one fact per line; a cycle begins at `start`."""
    if found.reason is None:
        say(f"{'verdict':<11}none: the game goes on")
        return
    says = _WORDS[found.reason]
    if found.loser is not None:
        says = f"{side_label(start.game, found.loser)} {says}"
    if found.victim is not None:
        says += f" (on {found.victim})"
    article = "" if found.axf_article is None else f", AXF {found.axf_article}"
    say(f"{'verdict':<11}{found.verdict} for the side to move")
    say(f"{'reason':<11}{found.reason}{article}: {says}")
    if found.cycle is not None:
        cycle = " ".join(shown_moves(start, found.cycle, plain=True))
        say(f"{'cycle':<11}{cycle} ({len(found.cycle)} plies)", is_prose=True)
