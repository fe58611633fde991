"""`bookbuilder book convert`, and the options and the report of writing books of other formats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bookbuilder.cli.console import format_bytes, print_json, print_table
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_free
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.book.formats.registry import Written

__all__ = ["FormatName", "Weighing", "convert", "loss_rows", "written_facts"]


class FormatName(StrEnum):
    """A format of books."""

    BOOK = "book"
    POLYGLOT = "polyglot"
    ABK = "abk"
    BOOK_DAT = "book-dat"
    OBK = "obk"
    PGN = "pgn"
    EPD = "epd"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class Weight(StrEnum):
    """What weights are made of."""

    SCORE = "score"
    GAMES = "games"
    WINS = "wins"
    QUALITY = "quality"


class ScaleName(StrEnum):
    """Over what weights are scaled."""

    BOOK = "book"
    POSITION = "position"


WeightOption: TypeAlias = Annotated[
    Weight | None,
    typer.Option(
        "--weight",
        help="What weights are: score, 2 wins + draws of who moves; games; wins; quality.",
        show_default="score; of a book, its own",
    ),
]
ScaleOption: TypeAlias = Annotated[
    ScaleName,
    typer.Option(
        "--scale", help="Over what weights are scaled that exceed 16 bits: all, or each position's."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What weights are made of, where a format holds weights."""

    weight: WeightOption = None
    scale: ScaleOption = ScaleName.BOOK


@spread
def convert(
    weighing: Weighing,
    source: Annotated[Path, typer.Argument(metavar="A", help="The book to read.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="B", help="The book to write.", show_default=False)],
    read_as: Annotated[
        FormatName | None, typer.Option("--from", help="Format of A.", show_default="by its name")
    ] = None,
    write_as: Annotated[
        FormatName | None, typer.Option("--to", help="Format of B.", show_default="by its name")
    ] = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Convert a book between formats, and say what is lost.

    .book clustered; .bin Polyglot; .abk Arena; .dat BOOK.DAT; .obk OBK; .pgn .epd written only; .csv .json
    .parquet.
    """
    from bookbuilder.book.formats.registry import convert as convert_book

    require_free(target, force=force)
    if source.exists() and target.exists() and source.samefile(target):
        raise OptionError(f"{target}: is the book to read; give another name to write")
    written = convert_book(
        source,
        target,
        read_as=None if read_as is None else read_as.value,
        write_as=None if write_as is None else write_as.value,
        statistic=None if weighing.weight is None else weighing.weight.value,
        scale=weighing.scale.value,
    )
    if json:
        print_json({"source": str(source), "book": str(target), **written_facts(written)})
        return
    print_table(
        (str(target), "moves"),
        [
            (f"written: {written.format}, {written.game}", f"{written.moves:,}"),
            ("bytes", f"{written.bytes:,} ({format_bytes(written.bytes)})"),
            *loss_rows(written),
        ],
    )


def written_facts(written: Written) -> dict[str, Any]:
    """Return what was written and lost, as JSON answers have it."""
    return {
        "format": written.format,
        "game": written.game,
        "moves": written.moves,
        "bytes": written.bytes,
        "lost": dict(written.lost),
        "not_read": dict(written.not_read),
    }


def loss_rows(written: Written) -> list[tuple[str, str]]:
    """Return the rows of a table that tell what was lost."""
    return [
        *((f"not read: {what}", f"{count:,}") for what, count in written.not_read.items()),
        *((f"lost: {what}", f"{count:,}") for what, count in written.lost.items()),
    ]
