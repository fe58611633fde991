"""`bookbuilder engine search|perft|bench|selfplay`: the bundled engine on the command line.

The other commands have their own files.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from bookbuilder.cli.console import counting, format_share, note, number, print_json, print_table, say, text
from bookbuilder.cli.engine import bench_book, match, serve, suite, walk
from bookbuilder.cli.engine.listed_move import listed_move
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.help import Application
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.options.position import game_of, line_at, load_book, position_at
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.words import counted
from bookbuilder.games.position import GAMES_KNOWN, START_WORD, Game

if TYPE_CHECKING:
    from bookbuilder.archives.played_game import PlayedGame
    from bookbuilder.book.book import Book

app = Application(help="Search, count and play with the bundled engine.", no_args_is_help=True)
_LAB = "Measurements"
app.command()(serve.uci)
app.command()(serve.ucci)
app.command()(match.match)
app.command()(walk.walk)
app.command(rich_help_panel=_LAB)(suite.suite)
app.command("bench-book", rich_help_panel=_LAB)(bench_book.bench_book)

# Positions that `bench` searches: the start, and after a few moves of common openings.
_BENCH_LINES: Final = {
    "chess": (
        "",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6",
        "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7",
        "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
    ),
    "xiangqi": (
        "",
        "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7",
        "c3c4 b7e7 b0c2 b9c7",
        "g0e2 h7d7 h0g2 h9g7 i0h0 i9h9",
    ),
}


GameArgument = Annotated[
    opt.GameName | None,
    typer.Option("--game", help="The game.", show_default="the book's, or the FEN's, or chess"),
]
HashMib = Annotated[int, typer.Option("--hash", min=1, max=65536, help="Transposition table, MiB.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """The options of a search."""

    depth: Annotated[int | None, typer.Option("--depth", min=1, max=64, help="Plies.", show_default="8")] = (
        None
    )
    nodes: Annotated[
        int | None, typer.Option("--nodes", min=1, help="Maximum of nodes.", show_default="none")
    ] = None
    movetime: Annotated[
        int | None, typer.Option("--movetime", min=1, help="Milliseconds.", show_default="none")
    ] = None
    mate: Annotated[
        int | None,
        typer.Option("--mate", min=1, help="Stop also at a mate in N moves.", show_default="none"),
    ] = None
    book: Annotated[Path | None, typer.Option("--book", metavar="BOOK", help="A book to play from.")] = None
    book_mode: Annotated[
        Literal["off", "root", "hints"] | None,
        typer.Option("--book-mode", help="How the book is used.", show_default="hints"),
    ] = None
    policy: Annotated[
        Literal["best", "weighted", "uniform", "off"],
        typer.Option("--pick", help="How a book move is chosen."),
    ] = "best"
    seed: Annotated[int, typer.Option("--seed", min=0, help="For the policies weighted and uniform.")] = 0
    hash_mib: HashMib = 16
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="Threads of the search.")] = 1
    lines: Annotated[int, typer.Option("--lines", min=1, max=256, help="Lines to find (MultiPV).")] = 1
    pv: Annotated[
        Literal["array", "table"],
        typer.Option("--pv", help="Lines from the search's array, or a walk through the table."),
    ] = "array"


@app.command()
@spread
def search(
    game: GameArgument = None,
    fen: opt.Fen = None,
    moves: opt.Moves = "",
    *,
    options: Searching,
    json: opt.Json = False,
) -> None:
    """Search a position: the book's move where it has one, else the engine's."""
    from bookbuilder.book.book import Book

    book = load_book(options.book, game)
    name = game_of(game, fen, book)
    # Report an invalid position or move before the engine starts.
    start, words, here = line_at(name, fen, moves)
    answer = None
    if book is not None and not isinstance(book, Book):
        passed = [position_at(name, start, " ".join(words[:count])) for count in range(len(words) + 1)]
        answer = listed_move(book, passed, mode=options.book_mode, policy=options.policy, seed=options.seed)
        book = None
    answer = answer or searched(name, options, fen=start, moves=words, book=book)
    if json:
        print_json({"fen": here.fen, **answer})
    else:
        print_search(answer)
    if answer["move"] is None:
        raise finish(Exit.FAILED, f"no move: {here.verdict} in {here.fen}")


def searched(
    game: Game,
    options: Searching,
    *,
    fen: str | None = None,
    moves: Sequence[str] = (),
    book: Book | None = None,
) -> dict[str, Any]:
    """Return the result of a new engine, with its game and the hit rate of each table."""
    from bookbuilder.engine.engine import Engine

    has_limit = (options.depth, options.nodes, options.movetime) != (None, None, None)
    engine = Engine(
        game, hash_mib=options.hash_mib, threads=options.threads, book=book, book_mode=options.book_mode
    )
    found = engine.search(
        fen or START_WORD,
        moves=moves,
        depth=options.depth if has_limit else 8,
        nodes=options.nodes,
        movetime_ms=options.movetime,
        mate=options.mate,
        lines=options.lines,
        book_policy=options.policy,
        seed=options.seed,
        pv=options.pv,
    )
    used = {
        "table_hit_rate": (found.table_hits, found.table_probes),
        "pawn_hit_rate": (found.pawn_hits, found.pawn_probes),
        "material_hit_rate": (found.material_hits, found.material_probes),
    }
    rates = {name: hits / probes if probes else None for name, (hits, probes) in used.items()}
    return {"game": game, **asdict(found), **rates}


def print_search(answer: dict[str, Any]) -> None:
    """Print the result of a search, one fact per line."""
    say(f"{'move':<11}{answer['move']} (from {answer['source']})")
    if answer["source"] == "book":
        return
    rows = [
        ("score", _score(answer)),
        ("depth", str(answer["depth"])),
        ("nodes", f"{answer['nodes']:,}"),
        ("nodes/s", f"{answer['nps']:,.0f}"),
        ("book hits", f"{answer['book_hits']:,}"),
        ("table hits", format_share(answer["table_hit_rate"])),
        ("pawns", format_share(answer["pawn_hit_rate"])),
        ("materials", format_share(answer["material_hit_rate"])),
        ("line", " ".join(answer["pv"])),
    ]
    for name, value in rows:
        say(f"{name:<11}{value}")
    for place, line in enumerate(answer["lines"][1:], start=2):
        say(f"{f'line {place}':<11}{_score(line)} {' '.join(line['pv'])}")


def _score(found: dict[str, Any]) -> str:
    if found["mate_in"] is not None:
        return f"mate in {found['mate_in']} plies"
    return "–" if found["score_cp"] is None else f"{found['score_cp'] / 100:+.2f}"


@app.command()
def perft(
    depth: Annotated[int, typer.Option("--depth", min=0, max=20, help="Plies.")],
    game: GameArgument = None,
    fen: opt.Fen = None,
    moves: opt.Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="Print the count of each first move.")] = False,
    json: opt.Json = False,
) -> None:
    """Count the legal lines of a number of plies."""
    from bookbuilder import _core

    name = game_of(game, fen, None)
    here = position_at(name, fen, moves)
    started = time.perf_counter()
    parts: dict[str, int] | None = None
    if divide and depth > 0:
        parts = {here.coordinates(m): _core.perft(name, here.play(m).fen, depth - 1) for m in here.moves()}
        leaves = sum(parts.values())
    else:
        leaves = _core.perft(name, here.fen, depth)
    seconds = time.perf_counter() - started
    if json:
        answer = {"game": name, "fen": here.fen, "depth": depth, "nodes": leaves, "seconds": seconds}
        print_json(answer if parts is None else {**answer, "moves": parts})
        return
    for move, count in (parts or {}).items():
        say(f"{move} {count:,}")
    lines, plies = counted(leaves, "line"), counted(depth, "ply", "plies")
    say(f"{lines} of {plies}, {leaves / max(seconds, 1e-9) / 1e6:.1f} M/s")


@app.command()
def bench(
    game: Annotated[opt.GameChoice, typer.Option("--game", help="The game; auto: both.")] = "auto",
    depth: Annotated[int, typer.Option("--depth", min=1, max=64, help="Plies.")] = 6,
    hash_mib: HashMib = 16,
    json: opt.Json = False,
) -> None:
    """Search a fixed set of positions to a fixed depth; the same program gives the same number of nodes."""
    from bookbuilder.engine.engine import Engine

    rows: list[dict[str, Any]] = []
    for name in GAMES_KNOWN if game == "auto" else (game,):
        engine = Engine(name, hash_mib=hash_mib)
        nodes, started = 0, time.perf_counter()
        for line in _BENCH_LINES[name]:
            engine.clear()
            nodes += engine.search(moves=line.split(), depth=depth).nodes
        seconds = time.perf_counter() - started
        facts = {"depth": depth, "nodes": nodes, "seconds": seconds, "nps": nodes / max(seconds, 1e-9)}
        rows.append({"game": name, **facts})
    if json:
        print_json({"games": rows})
    else:
        cells = [(row["game"], f"{row['nodes']:,}", f"{row['nps']:,.0f}") for row in rows]
        columns = (text("game"), number("nodes"), number("nodes/s"))
        print_table(columns, cells, title=f"depth {depth}")


_OPENINGS: Final = 'Opening lines, a share and moves in each row: "30 e4 c5 Nf3".'


@app.command()
def selfplay(
    game: Annotated[opt.GameName, typer.Option("--game", help="The game.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=".pgn, or .zip of XQF files (xiangqi).")
    ],
    games: Annotated[int, typer.Option("--games", min=1, help="How many.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same games.")] = 1,
    most_nodes: Annotated[int, typer.Option("--nodes", min=1, help="Maximum of nodes per move.")] = 8000,
    openings: Annotated[Path | None, typer.Option("--openings", help=_OPENINGS, show_default="own")] = None,
    max_ply: Annotated[
        int, typer.Option("--max-length", min=1, max=2000, help="A longer game is a draw.")
    ] = 240,
    force: opt.Force = False,
    quiet: opt.Quiet = False,
) -> None:
    """Let the engine play varied, seeded games against itself and write them as an archive."""
    from bookbuilder.archives.write import check_archive_form, write_archive
    from bookbuilder.engine.opening_lines import OpeningLines
    from bookbuilder.engine.selfplay import LEAST_NODES, SelfplayOptions, play_games

    check_archive_form(output, game)
    require_free(output, force=force)
    options = SelfplayOptions(
        seed=seed,
        openings=None if openings is None else OpeningLines.read(openings, game),
        least_nodes=min(LEAST_NODES, most_nodes),
        most_nodes=most_nodes,
        most_plies=max_ply,
    )
    with counting("games", games, quiet=quiet) as report, whole_file(output) as stream:

        def reported() -> Iterator[PlayedGame]:
            for played in play_games(game, games, options):
                yield played
                report(played.number)

        write_archive(stream, output.suffix, game, reported())
    note(f"{output}: {counted(games, 'game')}", quiet=quiet)
