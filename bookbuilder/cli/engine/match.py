"""`bookbuilder engine match`: two engines play each other; the score is reported with Elo and its error."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bookbuilder.cli.console import counted, format_share, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.progress import standing_line
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder.engine.drivers.spec import EngineSpec
    from bookbuilder.engine.match.books import MatchBooks
    from bookbuilder.engine.match.elo import Sprt
    from bookbuilder.engine.match.standing import MatchGame, MatchOptions, Standing

_ENGINE = "`bundled`, or a command line, with ucci: or xboard: before it if it is not UCI."
_LIMIT = "movetime=MS, nodes=N, depth=N, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS+INCREMENT."
_engines = partial(typer.Option, rich_help_panel="Engines")
_books = partial(typer.Option, rich_help_panel="Book")
_games = partial(typer.Option, rich_help_panel="Games")
_output = partial(typer.Option, rich_help_panel=opt.OUTPUT)

_Own = Annotated[
    list[str] | None, _engines(metavar="NAME=VALUE", help="Option of that engine; may be repeated.")
]
_OwnLimit = Annotated[
    str | None, _engines(metavar="LIMIT", help="Limit of that engine.", show_default="--limit", hidden=True)
]
_OwnBook = Annotated[
    Path | None, _books(metavar="BOOK", help="Book of that engine, in any format.", show_default="none")
]
_OwnName = Annotated[
    str | None,
    _engines(metavar="NAME", help="Name of that engine.", show_default="its program's", hidden=True),
]
_Game = Annotated[
    opt.GameName | None,
    _games("--game", help="The game.", show_default="by books and protocols, else chess"),
]
_Games = Annotated[int, _games("--games", min=1, help="Number of games; with --sprt the maximum.")]
_Journal = Annotated[
    Path | None, _output("--journal", metavar="FILE", help="Keep finished games there; resume from it.")
]
_Output = Annotated[
    Path | None,
    _output("--output", "-o", metavar="FILE", help="Games to write: .pgn, or .zip of XQF (xiangqi)."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """The options of the two engines."""

    limit: Annotated[str, _engines("--limit", metavar="LIMIT", help=_LIMIT)] = "movetime=100"
    limit_a: _OwnLimit = None
    limit_b: _OwnLimit = None
    option_a: _Own = None
    option_b: _Own = None
    name_a: _OwnName = None
    name_b: _OwnName = None

    def specs(self, a: str, b: str, game: Game) -> tuple[EngineSpec, EngineSpec]:
        """Return the engines of the two texts, with different names.

        Raises:
            OptionError: a text or an option is invalid.
        """
        from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine

        one, two = (
            parse_engine(text, game, name=name, options=own or (), limit=ThinkLimit.parse(limit))
            for text, name, own, limit in (
                (a, self.name_a, self.option_a, self.limit_a or self.limit),
                (b, self.name_b, self.option_b, self.limit_b or self.limit),
            )
        )
        if one.name != two.name:
            return one, two
        return replace(one, name=f"{one.name} A"), replace(two, name=f"{two.name} B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """The options of the books of the two engines."""

    book_a: _OwnBook = None
    book_b: _OwnBook = None
    book_pick: Annotated[
        Literal["weighted", "best", "uniform"], _books("--pick", help="How book moves are chosen.")
    ] = "weighted"
    book_plies: Annotated[
        int | None,
        _books(min=1, help="Play book moves up to this ply of a game.", show_default="no limit", hidden=True),
    ] = None

    def chosen(self) -> MatchBooks:
        """Return them as the engine's room takes them."""
        from bookbuilder.engine.match.books import MatchBooks

        return MatchBooks(paths=(self.book_a, self.book_b), pick=self.book_pick, plies=self.book_plies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The options of openings, tests and adjudication."""

    openings: Annotated[
        Path | None,
        _games(
            "--openings",
            metavar="FILE",
            help="Openings: a book, an archive, or .epd.",
            show_default="random moves",
        ),
    ] = None
    opening_plies: Annotated[
        int | None,
        _games(
            "--opening-plies",
            hidden=True,
            min=0,
            max=60,
            help="Moves from a book, an archive or chance.",
            show_default="6; 0 if an engine has a book and --openings is not given",
        ),
    ] = None
    in_order: Annotated[
        bool, _games("--in-order", hidden=True, help="Take openings as the file has them.")
    ] = False
    seed: Annotated[int, _games("--seed", min=0, help="Same seed, same openings.")] = 1
    concurrency: Annotated[int, _games("--jobs", "-j", min=1, max=256, help="Number of games at a time.")] = 1
    sprt: Annotated[
        str | None, _games("--sprt", metavar="ELO0,ELO1", help="Stop when the test is decided.")
    ] = None
    resign: Annotated[
        str,
        _games(
            "--resign",
            metavar="CP,MOVES",
            help="A side loses at -CP or worse for MOVES moves, or off.",
        ),
    ] = "900,4"
    draw: Annotated[
        str,
        _games(
            "--draw",
            hidden=True,
            metavar="CP,MOVES,PLY",
            help="Adjudicate a draw if both scores stay within CP for MOVES moves, from PLY on. off: never.",
        ),
    ] = "10,8,80"
    max_ply: Annotated[
        int, _games("--max-length", hidden=True, min=1, max=5000, help="A longer game is a draw.")
    ] = 400
    time_margin: Annotated[
        int, _games("--time-margin", hidden=True, min=0, help="Milliseconds of grace.")
    ] = 1000

    def options(
        self, game: Game, engines: tuple[EngineSpec, EngineSpec], games: int, books: MatchBooks
    ) -> MatchOptions:
        """Return the options of the match.

        Raises:
            OptionError: an option is invalid.
        """
        from bookbuilder.engine.match.referee import Adjudication
        from bookbuilder.engine.match.standing import MatchOptions

        resign_cp, resign_moves = _numbers("--resign", self.resign, 2, (900, 0))
        draw_cp, draw_moves, draw_ply = _numbers("--draw", self.draw, 3, (0, 0, 0))
        # Random moves would leave a book before its first move.
        plies = 0 if books.are_used and self.openings is None else 6
        return MatchOptions(
            game=game,
            engines=engines,
            games=games,
            openings=self.openings,
            opening_plies=plies if self.opening_plies is None else self.opening_plies,
            shuffle=not self.in_order,
            seed=self.seed,
            rules=Adjudication(
                resign_cp=resign_cp,
                resign_moves=resign_moves,
                draw_cp=draw_cp,
                draw_moves=draw_moves,
                draw_from_ply=draw_ply,
                most_plies=self.max_ply,
                time_margin_ms=self.time_margin,
            ),
            sprt=None if self.sprt is None else _sprt(self.sprt),
            concurrency=self.concurrency,
            books=books,
        )


@spread
def match(
    a: Annotated[str, typer.Argument(metavar="A", help=_ENGINE)],
    b: Annotated[str, typer.Argument(metavar="B", help="Likewise.")],
    *,
    game: _Game = None,
    games: _Games = 100,
    engines: Engines,
    books: Books,
    conditions: Conditions,
    journal: _Journal = None,
    output: _Output = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Let two engines play a match: each opening twice, colours swapped."""
    from bookbuilder.archives.write import check_archive_form, write_archive
    from bookbuilder.engine.match.match import run_match
    from bookbuilder.engine.match.standing import Standing, played_games

    game = game or _game(a, b, books)
    if output is not None:
        check_archive_form(output, game)
        require_free(output, force=force)
    options = conditions.options(game, engines.specs(a, b, game), games, books.chosen())

    with standing_line(quiet=quiet) as show:
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


def _game(a: str, b: str, books: Books) -> Game:
    """Return the game of the books, else xiangqi if an engine speaks UCCI, else chess."""
    from bookbuilder.book.book import Book
    from bookbuilder.book.formats.registry import format_of

    for path in (books.book_a, books.book_b):
        if path is not None:
            form = format_of(path)
            return Book.open(path).game if form.name == "book" else form.games[0]
    return "xiangqi" if "ucci" in (a.partition(":")[0], b.partition(":")[0]) else "chess"


def _numbers(name: str, text: str, count: int, off: tuple[int, ...]) -> tuple[int, ...]:
    if text == "off":
        return off
    parts = text.split(",")
    if len(parts) != count or not all(part.strip().isdecimal() for part in parts):
        raise OptionError(f'{name} "{text}": expected {count} whole numbers with commas between them, or off')
    return tuple(int(part) for part in parts)


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
    finished = done.finished
    reason = finished.detail or finished.ruling.reason
    state = f"+{standing.wins} ={standing.draws} -{standing.losses}, {_elo(standing)}"
    if standing.sprt is not None:
        state += f", LLR {standing.sprt.llr:.2f} ({standing.sprt.low:.2f} … {standing.sprt.high:.2f})"
    return (
        f"{done.number} of {options.games}: {state}; {names[0]} - {names[1]} {finished.ruling.result} "
        f"({reason}, {len(finished.moves)} plies)"
    )


def _elo(standing: Standing) -> str:
    elo = standing.elo
    if elo is None:
        return "Elo –"
    return f"Elo {elo.elo:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}]"


def _answer(options: MatchOptions, played: list[MatchGame], standing: Standing) -> dict[str, Any]:
    elo, test = standing.elo, standing.sprt
    finite = {} if elo is None else {k: v if math.isfinite(v) else None for k, v in asdict(elo).items()}
    return {
        "game": options.game,
        "players": _players(options, played),
        "games": len(played),
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "pairs": standing.pairs,
        "score": finite.get("score"),
        "elo": finite.get("elo"),
        "elo_low": finite.get("low"),
        "elo_high": finite.get("high"),
        "los": finite.get("los"),
        "sprt": None if test is None else asdict(test),
        "faults": standing.faults,
        "time_losses": standing.time_losses,
        "reasons": standing.reasons,
        "different_games": standing.different,
        "late_ms": max((game.finished.late_ms for game in played), default=0),
    }


def _players(options: MatchOptions, played: list[MatchGame]) -> list[dict[str, Any]]:
    """Return engine, limit, book and number of book moves of each player."""
    books = options.books
    return [
        {
            "name": spec.name,
            "command": spec.command,
            "limit": str(spec.limit),
            "book": None if path is None else str(path),
            "book_pick": None if path is None else books.pick,
            "book_plies": None if path is None else books.plies,
            "book_moves": sum(game.book_moves[place] for game in played),
        }
        for place, (spec, path) in enumerate(zip(options.engines, books.paths, strict=True))
    ]


def _print(options: MatchOptions, played: list[MatchGame], standing: Standing) -> None:
    names = [spec.name for spec in options.engines]
    points = standing.wins + standing.draws / 2
    facts = [
        ("games", f"{len(played):,}"),
        ("won, drawn, lost", f"{standing.wins:,} {standing.draws:,} {standing.losses:,}"),
        ("score", format_share(points / len(played)) if played else "–"),
        ("Elo, 95 %", _elo(standing).removeprefix("Elo ")),
        ("pairs by points 0 ½ 1 1½ 2", " ".join(str(count) for count in standing.pairs)),
    ]
    if standing.elo is not None:
        facts.append(("likelihood of superiority", format_share(standing.elo.los)))
    if options.books.are_used and played:
        totals = [sum(game.book_moves[place] for game in played) / len(played) for place in range(2)]
        facts.append(("book moves a game", f"{totals[0]:.1f} against {totals[1]:.1f}"))
    if standing.different < len(played):
        facts.append(("different games; the error takes all for new", f"{standing.different:,}"))
    if standing.sprt is not None:
        test = standing.sprt
        facts.append(("LLR", f"{test.llr:.2f} ({test.low:.2f} … {test.high:.2f}), {test.decision or 'open'}"))
    facts += [(f"  {reason}", f"{count:,}") for reason, count in standing.reasons.items()]
    facts.append(("latest answer", f"{max((game.finished.late_ms for game in played), default=0)} ms late"))
    print_table(facts_columns(f"{names[0]} against {names[1]}"), facts)
