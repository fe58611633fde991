"""`bookbuilder show`: show the opening and the moves at a position of a store or a book."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder._core import Position
from bookbuilder.cli.console import note, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.moves import JUDGED, print_answer
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.asking import Asking
from bookbuilder.cli.options.fields import given_options
from bookbuilder.cli.options.position import PositionWords, joined, line_at, plies_before, position_at
from bookbuilder.cli.options.selection import Preset, flag
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.errors import OptionError
from bookbuilder.games.position import known_position
from bookbuilder.selection.options import SelectionOptions, preset

if TYPE_CHECKING:
    from bookbuilder.book.open import AnyBook
    from bookbuilder.tally.store.reading import OpenStore

# Moves with a smaller share of the games get no arrow.
_MIN_ARROW_SHARE = 0.01
_COORDINATES = re.compile("[a-i][0-9][a-i][0-9][qrbn]?")
_FIELDS = (
    "move", "san", "weight", "share", "played", "reached", "first_wins", "draws", "second_wins", "p", "p_low",
    "p_high", "score", "quality", "kept", "reason", "rating", "year_min", "year_max", "paired", "performance",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The options that judge the moves at one position."""

    preset: Preset = None
    min_win_rate: Annotated[str, flag("min_win_rate")] = "0"
    min_games: Annotated[str, flag("min_games")] = "auto"
    margin: Annotated[str, flag("margin")] = "0.05"

    def to_options(self, context: typer.Context) -> SelectionOptions:
        """Return the options of the preset, changed by the given ones."""
        given = given_options(context, ("min_win_rate", "min_games", "margin"))
        return preset(self.preset or "engine", **{name: getattr(self, name) for name in given})


def show(
    context: typer.Context,
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A tally store, a book, or an archive of games.")
    ],
    judging: Judging,
    asking: Asking,
    words: PositionWords = None,
    evals: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Show the engine's value of each move, for the side that makes it."
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw the board, with arrows as wide as moves are frequent."),
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Show the moves at a position; of a store also which of them a book keeps.

    Archives are counted for this answer only. Verdicts are about this position alone: `build --explain` also
    names moves that a book does not reach.
    """
    from bookbuilder.archives.kinds import recognise
    from bookbuilder.tally.store.reading import OpenStore

    if svg is not None and svg.suffix.lower() != ".svg":
        raise OptionError(f"{svg}: --svg draws SVG; expected a name that ends in .svg")
    require_free(svg, force=force)
    position = joined(words)
    found = recognise(source)
    kind = "archive" if found is None and source.is_dir() else "book" if found is None else found.kind
    with ExitStack() as stack:
        opened: OpenStore | AnyBook
        if kind == "archive":
            from bookbuilder.cli.inputs import counted_archives

            if asking.side != "both":
                raise OptionError("--side is the side of a player: count a store with --facet player-side")
            ply, filters = plies_before(position), asking.filters()
            opened = stack.enter_context(counted_archives([str(source)], ply=ply, filters=filters))
        elif kind == "store":
            opened = OpenStore(source, filters=asking.filters())
        else:
            from bookbuilder.book.open import open_book

            asking.refuse(f"{source}: is a book, which keeps no games apart")
            if judging != Judging():
                raise OptionError(f"{source}: is a book: its moves were chosen when it was built")
            opened = open_book(source)

        def at(here: Position) -> dict[str, Any]:
            if isinstance(opened, OpenStore):
                return store_answer(opened, here, judging.to_options(context))
            return book_answer(opened, here)

        asked = position_at(opened.options.game if isinstance(opened, OpenStore) else opened.game, position)
        here = known_position(asked, lambda each: at(each)["moves"])
        answer = at(here)
        if "lacks" in answer:
            *first, last = answer["lacks"]
            missing = f"{', '.join(first)} or {last}" if first else last
            note(f"{source}: a book of format {answer['format']} does not store {missing}.")
    answer = with_openings(answer, here, position)
    if evals is not None:
        answer = with_engine(answer, here, evals)
    if svg is not None:
        draw_board(svg, answer, line_at(here.game, position).moves)
    if json:
        print_json(answer)
    else:
        print_answer(answer)
    if not answer["moves"]:
        raise finish(Exit.FAILED, f"{source}: has no move at {here.fen}")


def store_answer(store: OpenStore, here: Position, chosen: SelectionOptions) -> dict[str, Any]:
    """Return the counts of a store at a position, with the verdict of a selection on each move."""
    from bookbuilder.selection.verdicts import judge_moves_at
    from bookbuilder.tally.moves_at import played_rows

    fold = store.options.fold

    def counts_at(positions: Sequence[Position]) -> list[list[int]]:
        return store.counts_at([position.stored(fold) for position in positions])

    rows = store.rows_at(*here.stored(fold))
    played = played_rows(here, rows, counts_at, fold=fold)
    after = {
        row["code"]: store.rows_at(*here.play(here.parse_move(row["move"])).stored(fold)) for row in played
    }
    options = chosen.resolved(here.game, store.game_count)
    verdicts = judge_moves_at(
        rows, after, options, newest_year=store.newest_year, has_results=store.manifest.has_results
    )
    # A position without rows lies behind the ply limit of the store.
    beyond = {"quality": None, "kept": False, "reason": "beyond-ply"}
    judged: list[Mapping[str, Any]] = [verdicts[row["code"]] or beyond for row in played]
    return {
        **_position_fields(here, fold=fold),
        "reached": sum(row.games for row in rows),
        "moves": [
            _move({**row, **{name: verdict[name] for name in ("quality", "kept", "reason")}}, verdict)
            for row, verdict in zip(played, judged, strict=True)
        ],
    }


def book_answer(book: AnyBook, here: Position) -> dict[str, Any]:
    """Return the moves of a book at a position; fields that the file does not store are None."""
    from bookbuilder.book.open import ListedBook

    moves = [_move(row, row) for row in book.move_rows(here)]
    answer = {**_position_fields(here, fold=book.fold), "reached": None, "moves": moves}
    if isinstance(book, ListedBook):
        return {**answer, "format": book.format, "lacks": list(book.lacks)}
    record = book.probe(here)
    return answer if record is None else {**answer, "reached": record.usage}


def _move(row: Mapping[str, Any], judged: Mapping[str, Any]) -> dict[str, Any]:
    """Return a move of the answer, with the figures that a verdict judges. What the source lacks is None."""
    figures = None if judged.get("wins") is None else {name: judged.get(name) for name in JUDGED}
    return {**{name: row.get(name) for name in _FIELDS}, "judged": figures}


def with_openings(answer: dict[str, Any], here: Position, position: str) -> dict[str, Any]:
    """Return an answer with the opening that the played moves reach, and the opening after each move."""
    from bookbuilder.games.openings import openings_of

    openings = openings_of(here.game)
    after = [openings.name_of(here.play(here.parse_move(row["move"]))) for row in answer["moves"]]
    rows = [
        {**row, "opening": None if each is None else each.to_json()}
        for row, each in zip(answer["moves"], after, strict=True)
    ]
    start, played, _ = line_at(here.game, position)
    reached_by = openings.classify(played, start)
    return {**answer, "opening": None if reached_by is None else reached_by.to_json(), "moves": rows}


def _position_fields(here: Position, *, fold: bool) -> dict[str, Any]:
    key, lock = here.stored(fold)
    return {"game": here.game, "fen": here.fen, "key": f"0x{key:016x}", "lock": f"0x{lock:08x}"}


def draw_board(path: Path, answer: dict[str, Any], played: Sequence[str]) -> None:
    """Draw the position of an answer, with its last move marked and its moves as arrows."""
    from bookbuilder.games.board_svg import board_svg

    here = Position(answer["game"], answer["fen"])
    counts = {row["move"]: row["played"] or row["reached"] for row in answer["moves"]}
    total = sum(counts.values())
    arrows = {move: count / total for move, count in counts.items() if count >= _MIN_ARROW_SHARE * total}
    last = played[-1] if played and _COORDINATES.fullmatch(played[-1]) else ""
    with whole_file(path) as stream:
        stream.write(board_svg(here, last=last, arrows=arrows).encode())


def with_engine(answer: dict[str, Any], here: Position, evals: Path) -> dict[str, Any]:
    """Return an answer with the engine's value of each move, in centipawns; None = not evaluated."""
    import numpy as np

    from bookbuilder.errors import EvalsError
    from bookbuilder.evals.table import Evals

    found = Evals.read(evals)
    if found.game != here.game:
        raise EvalsError(f"{evals}: has evaluations of {found.game}, the position is of {here.game}")
    after = [here.play(here.parse_move(row["move"])).stored(found.fold) for row in answer["moves"]]
    places = np.array(after, np.uint64).reshape(-1, 2)
    scores = found.values(places[:, 0], places[:, 1].astype(np.uint32)).score.tolist()
    rows = zip(answer["moves"], scores, strict=True)
    moves = [{**row, "engine": None if np.isnan(score) else round(-score)} for row, score in rows]
    return {**answer, "moves": moves}
