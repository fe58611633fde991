"""`bookbuilder engine match`: two engines play each other, and what the games say of them."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli.console import format_share, note, print_json, print_table
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.engine.match.elo import Sprt
    from bookbuilder.engine.match.match import MatchGame, MatchOptions, Standing
    from bookbuilder.engine.match.player import EngineSpec

_ENGINE = "`bundled`, or a command line; before it uci: (default), ucci: or xboard:"
_LIMIT = "movetime=MS, nodes=N, depth=N, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS+INCREMENT"
_Own = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of that engine; may be repeated.")
]
_OwnLimit = Annotated[str | None, typer.Option(metavar="LIMIT", show_default="--limit")]
_OwnName = Annotated[str | None, typer.Option(metavar="NAME", show_default="its program's")]


def match(
    a: Annotated[str, typer.Argument(metavar="A", help=_ENGINE)],
    b: Annotated[str, typer.Argument(metavar="B", help="Likewise.")],
    game: Annotated[opt.GameName, typer.Option("--game", help="The game.")],
    games: Annotated[int, typer.Option("--games", min=1, help="How many; with a test, at most.")] = 100,
    limit: Annotated[str, typer.Option("--limit", metavar="LIMIT", help=_LIMIT)] = "movetime=100",
    limit_a: _OwnLimit = None,
    limit_b: _OwnLimit = None,
    option_a: _Own = None,
    option_b: _Own = None,
    name_a: _OwnName = None,
    name_b: _OwnName = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            "--openings", metavar="FILE", help="A book, an archive, or .epd.", show_default="random"
        ),
    ] = None,
    opening_plies: Annotated[
        int, typer.Option("--opening-plies", min=0, max=60, help="Moves from a book, an archive or chance.")
    ] = 6,
    in_order: Annotated[bool, typer.Option("--in-order", help="Take openings as the file has them.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same openings.")] = 1,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=256, help="Games at a time.")] = 1,
    sprt: Annotated[
        str | None, typer.Option("--sprt", metavar="ELO0,ELO1[,ALPHA,BETA]", help="Stop when decided.")
    ] = None,
    resign: Annotated[
        str, typer.Option("--resign", metavar="CP,MOVES", help="A side this bad for so long has lost; off.")
    ] = "900,4",
    draw: Annotated[
        str, typer.Option("--draw", metavar="CP,MOVES,PLY", help="Even for so long, from this ply; off.")
    ] = "10,8,80",
    max_ply: Annotated[
        int, typer.Option("--max-ply", min=1, max=5000, help="A longer game is a draw.")
    ] = 400,
    time_margin: Annotated[int, typer.Option("--time-margin", min=0, help="Milliseconds of grace.")] = 1000,
    journal: Annotated[
        Path | None, typer.Option("--journal", metavar="FILE", help="Keep games there; go on with it.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=".pgn, or .zip of XQF (xiangqi).")
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Let two engines play a match: each opening twice, colours swapped."""
    from bookbuilder.archives.write import check_archive_form, write_archive
    from bookbuilder.engine.match.game import Adjudication
    from bookbuilder.engine.match.match import MatchOptions, Standing, parse_engine, played_games, run_match
    from bookbuilder.engine.match.player import ThinkLimit

    if output is not None:
        check_archive_form(output, game)
        require_free(output, force=force)
    one = parse_engine(a, game, name=name_a, options=option_a or (), limit=ThinkLimit.parse(limit_a or limit))
    two = parse_engine(b, game, name=name_b, options=option_b or (), limit=ThinkLimit.parse(limit_b or limit))
    resign_cp, resign_moves = _numbers("--resign", resign, 2, (900, 0))
    draw_cp, draw_moves, draw_ply = _numbers("--draw", draw, 3, (0, 0, 0))
    options = MatchOptions(
        game=game,
        engines=_apart(one, two),
        games=games,
        openings=openings,
        opening_plies=opening_plies,
        shuffle=not in_order,
        seed=seed,
        rules=Adjudication(
            resign_cp=resign_cp,
            resign_moves=resign_moves,
            draw_cp=draw_cp,
            draw_moves=draw_moves,
            draw_from_ply=draw_ply,
            most_plies=max_ply,
            time_margin_ms=time_margin,
        ),
        sprt=None if sprt is None else _sprt(sprt),
        concurrency=concurrency,
    )

    def tell(done: MatchGame, standing: Standing) -> None:
        note(_line(options, done, standing), quiet=quiet)

    played = run_match(options, journal=journal, tell=tell)
    standing = Standing.of(played, options.sprt)
    if output is not None:
        with whole_file(output) as stream:
            write_archive(stream, output.suffix, options.game, played_games(options, played))
    if json:
        print_json(_answer(options, played, standing))
    else:
        _print(options, played, standing)
    if sum(standing.faults):
        raise finish(Exit.FAILED, f"{sum(standing.faults)} games ended by a fault of an engine")


def _apart(one: EngineSpec, two: EngineSpec) -> tuple[EngineSpec, EngineSpec]:
    """The two with names that differ."""
    if one.name != two.name:
        return one, two
    return replace(one, name=f"{one.name} A"), replace(two, name=f"{two.name} B")


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
    names = [options.engines[player].name for player in (done.first_player, 1 - done.first_player)]
    finished = done.finished
    reason = finished.detail or finished.ruling.reason
    state = f"+{standing.wins} ={standing.draws} -{standing.losses}, {_elo(standing)}"
    if standing.sprt is not None:
        state += f", LLR {standing.sprt.llr:.2f} ({standing.sprt.low:.2f} … {standing.sprt.high:.2f})"
    return (
        f"{done.number} of {options.games}: {names[0]} - {names[1]} {finished.ruling.result} "
        f"({reason}, {len(finished.moves)} plies); {state}"
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
        "players": [
            {"name": spec.name, "command": spec.command, "limit": str(spec.limit)} for spec in options.engines
        ],
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
    if standing.different < len(played):
        facts.append(("different games; the error takes all for new", f"{standing.different:,}"))
    if standing.sprt is not None:
        test = standing.sprt
        facts.append(("LLR", f"{test.llr:.2f} ({test.low:.2f} … {test.high:.2f}), {test.decision or 'open'}"))
    facts += [(f"  {reason}", f"{count:,}") for reason, count in standing.reasons.items()]
    facts.append(("latest answer", f"{max((game.finished.late_ms for game in played), default=0)} ms late"))
    print_table((f"{names[0]} against {names[1]}", "figure"), facts)
