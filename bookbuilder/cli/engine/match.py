"""`bookbuilder engine match`: two engines play each other; the score is reported with Elo and its error."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli.console import counted, format_share, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.progress import standing_line
from bookbuilder.cli.tables import Cell, print_facts
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder.engine.drivers.spec import EngineSpec
    from bookbuilder.engine.match.elo import Sprt
    from bookbuilder.engine.match.referee import MatchGame
    from bookbuilder.engine.match.standing import MatchOptions, Standing

_LIMIT = "movetime=MS, nodes=N, depth=N, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS+INCREMENT."
_engines = partial(typer.Option, rich_help_panel="Engines")
_books = partial(typer.Option, rich_help_panel="Book")
_games = partial(typer.Option, rich_help_panel="Games")
_Own = Annotated[
    list[str] | None, _engines(metavar="NAME=VALUE", help="Option of that engine; may be repeated.")
]
_OwnBook = Annotated[
    Path | None, _books(metavar="BOOK", help="Book of that engine, in any format.", show_default="none")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """The options of the two engines and of their books."""

    limit: Annotated[str, _engines(metavar="LIMIT", help=_LIMIT)] = "movetime=100"
    option_a: _Own = None
    option_b: _Own = None
    book_a: _OwnBook = None
    book_b: _OwnBook = None

    def game(self, a: str, b: str) -> Game:
        """Return the game of the books, else xiangqi if an engine speaks UCCI, else chess."""
        from bookbuilder.book.book import Book
        from bookbuilder.book.formats.registry import format_of

        for path in (self.book_a, self.book_b):
            if path is not None:
                form = format_of(path)
                return Book.open(path).game if form.name == "book" else form.games[0]
        return "xiangqi" if "ucci" in (a.partition(":")[0], b.partition(":")[0]) else "chess"

    def specs(self, a: str, b: str, game: Game) -> tuple[EngineSpec, EngineSpec]:
        """Return the engines of the two texts, with different names."""
        from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine

        limit = ThinkLimit.parse(self.limit)
        one, two = (
            parse_engine(text, game, name=None, options=own or (), limit=limit)
            for text, own in ((a, self.option_a), (b, self.option_b))
        )
        if one.name != two.name:
            return one, two
        return replace(one, name=f"{one.name} A"), replace(two, name=f"{two.name} B")


def match(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="`bundled`, or a command line, with ucci: or xboard: before it if it is not UCI.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Likewise.")],
    *,
    game: Annotated[
        Game | None, _games(help="The game.", show_default="by books and protocols, else chess")
    ] = None,
    games: Annotated[int, _games(min=1, help="Number of games; with --sprt the maximum.")] = 100,
    engines: Engines,
    openings: Annotated[
        Path | None,
        _games(
            metavar="FILE",
            help="Openings: an archive, or .epd.",
            show_default="6 random moves; none if an engine has a book",
        ),
    ] = None,
    seed: Annotated[int, _games(min=0, help="Same seed, same openings.")] = 1,
    jobs: Annotated[int, _games("--jobs", "-j", min=1, max=256, help="Number of games at a time.")] = 1,
    sprt: Annotated[str | None, _games(metavar="ELO0,ELO1", help="Stop when the test is decided.")] = None,
    journal: Annotated[
        Path | None, opt.in_output(metavar="FILE", help="Keep finished games there; resume from it.")
    ] = None,
    output: Annotated[
        Path | None,
        opt.in_output(
            "--output", "-o", metavar="FILE", help="Games to write: .pgn, or .zip of XQF (xiangqi)."
        ),
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Let two engines play a match: each opening twice, colours swapped.

    A side loses after four scores of -9 pawns or worse. A game is a draw after ply 80 with eight scores of
    both sides within 0.1 pawns, and at ply 400.
    """
    from bookbuilder.archives.write import check_archive_form, write_archive
    from bookbuilder.engine.match.match import run_match
    from bookbuilder.engine.match.standing import MatchOptions, Standing, played_games

    game = game or engines.game(a, b)
    if output is not None:
        check_archive_form(output, game)
        require_free(output, force=force, read=[str(openings)] if openings else ())
    books = engines.book_a, engines.book_b
    options = MatchOptions(
        game=game,
        engines=engines.specs(a, b, game),
        games=games,
        openings=openings,
        # Random moves would leave a book before its first move.
        opening_plies=0 if any(books) and openings is None else 6,
        seed=seed,
        sprt=None if sprt is None else _sprt(sprt),
        concurrency=jobs,
        books=books,
    )
    with standing_line() as show:
        played = run_match(
            options, journal=journal, tell=lambda done, standing: show(_line(options, done, standing))
        )
    standing = Standing.of(played, options.sprt)
    if output is not None:
        with whole_file(output) as stream:
            write_archive(stream, output.suffix, options.game, played_games(options, played))
    if json:
        print_json(_answer(options, played, standing))
    else:
        _print(options, played, standing)
    if sum(standing.faults):
        raise finish(Exit.FAILED, f"{counted(sum(standing.faults), 'game')} ended by a fault of an engine")


def _sprt(text: str) -> Sprt:
    from bookbuilder.engine.match.elo import Sprt

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    is_test = len(numbers) in {2, 4} and numbers[0] < numbers[1]
    if not is_test or not all(0 < risk < 0.5 for risk in numbers[2:]):
        raise OptionError(f'--sprt "{text}": expected ELO0,ELO1 with ELO0 below ELO1, or with ALPHA,BETA too')
    return Sprt(*numbers)


def _line(options: MatchOptions, done: MatchGame, standing: Standing) -> str:
    """Return the state of a match after a game; what matters most comes first, if the line is cut."""
    names = [options.engines[player].name for player in (done.first_player, 1 - done.first_player)]
    state = f"+{standing.wins} ={standing.draws} -{standing.losses}, {_elo(standing)}"
    if standing.sprt is not None:
        state += f", LLR {standing.sprt.llr:.2f} ({standing.sprt.low:.2f} … {standing.sprt.high:.2f})"
    return (
        f"{done.number} of {options.games}: {state}; {names[0]} - {names[1]} {done.result} "
        f"({done.detail or done.reason}, {len(done.moves)} plies)"
    )


def _elo(standing: Standing) -> str:
    elo = standing.elo
    if elo is None:
        return "Elo –"
    interval = ", no interval" if math.isnan(elo.low) else f" [{elo.low:+.0f}, {elo.high:+.0f}]"
    return f"Elo {elo.elo:+.0f}{interval}"


def _answer(options: MatchOptions, played: list[MatchGame], standing: Standing) -> dict[str, Any]:
    facts = asdict(standing)
    elo = facts.pop("elo") or dict.fromkeys(("score", "elo", "low", "high", "los"), math.nan)
    finite = {name: value if math.isfinite(value) else None for name, value in elo.items()}
    players = [
        {
            "name": spec.name,
            "command": spec.command,
            "limit": str(spec.limit),
            "book": None if path is None else str(path),
            "book_moves": sum(game.book_moves[place] for game in played),
        }
        for place, (spec, path) in enumerate(zip(options.engines, options.books, strict=True))
    ]
    return {
        "game": options.game,
        "players": players,
        "games": len(played),
        **facts,
        "elo_low": finite.pop("low"),
        "elo_high": finite.pop("high"),
        **finite,
    }


def _print(options: MatchOptions, played: list[MatchGame], standing: Standing) -> None:
    names = [spec.name for spec in options.engines]
    points, games = standing.wins + standing.draws / 2, len(played)
    facts: list[tuple[str, Cell]] = [
        ("games", games),
        ("won, drawn, lost", f"{standing.wins:,} {standing.draws:,} {standing.losses:,}"),
        ("score", format_share(points / games) if played else "–"),
        ("Elo, 95 %", _elo(standing).removeprefix("Elo ")),
        ("pairs by points 0 ½ 1 1½ 2", " ".join(map(str, standing.pairs))),
    ]
    if standing.elo is not None:
        facts.append(("likelihood of superiority", format_share(standing.elo.los)))
    if any(options.books) and played:
        a, b = (sum(game.book_moves[place] for game in played) / games for place in range(2))
        facts.append(("book moves a game", f"{a:.1f} against {b:.1f}"))
    if standing.different < games:
        facts.append(("different games; the error takes all for new", standing.different))
    if (test := standing.sprt) is not None:
        facts.append(("LLR", f"{test.llr:.2f} ({test.low:.2f} … {test.high:.2f}), {test.decision or 'open'}"))
    facts += [(f"  {reason}", count) for reason, count in standing.reasons.items()]
    late, most_ms = standing.late, standing.late_ms
    delays = f"{late[0]:,} by up to {most_ms[0]:,} ms; {late[1]:,} by up to {most_ms[1]:,} ms"
    facts.append(("late answers", delays if any(late) else "none"))
    print_facts(f"{names[0]} against {names[1]}", facts)
