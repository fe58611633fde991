"""The options of a command that lets an engine evaluate positions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bookbuilder.cli.output import require_parent
from bookbuilder.cli.progress import counting
from bookbuilder.errors import EvalsError, OutputExistsError

if TYPE_CHECKING:
    from bookbuilder.engine.drivers.spec import EngineSpec
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Plan
    from bookbuilder.evals.table import Evals
    from bookbuilder.games.position import Game

EvalsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--evals",
        metavar="FILE",
        help="Use the evaluations of this file, and add new ones to it.",
        show_default="not kept",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """The engines of a command that searches, and the nodes of a search."""

    engine: Annotated[
        str,
        typer.Option("--engine", metavar="CMD", help="`bundled`, or a command line, as in `engine match`."),
    ] = "bundled"
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Option of the engine; may be repeated."),
    ] = None
    nodes: Annotated[
        int,
        typer.Option("--nodes", min=1, help="Nodes of a search; of many positions for the least reached."),
    ] = 50_000
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Number of engines.")] = 1

    def spec(self, game: Game) -> EngineSpec:
        """Return the engine.

        Raises:
            OptionError: the text or an option is invalid.
        """
        from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine

        limit = ThinkLimit(nodes=self.nodes)
        return parse_engine(self.engine, game, name=None, options=self.option or (), limit=limit)

    def evaluate(self, plan: Plan, game: Game, *, known: Evals | None, journal: Path | None) -> Evaluated:
        """Return the evaluations of a plan, and show the progress."""
        from bookbuilder.engine.evaluate.evaluate import evaluate

        return evaluate(
            plan,
            game,
            self.spec(game),
            nodes=self.nodes,
            jobs=self.jobs,
            known=known,
            journal=journal,
            progress=counting,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Valuing:
    """An engine that values moves before a book is built."""

    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="CMD",
            help="Let this engine value the moves, into BOOK.evals.",
            rich_help_panel="What is kept",
        ),
    ] = None
    minutes: Annotated[
        float,
        typer.Option(
            "--minutes", metavar="M", min=0.01, help="Minutes for --engine.", rich_help_panel="What is kept"
        ),
    ] = 10


def known_evals(output: Path, game: Game, *, fold: bool) -> Evals | None:
    """Return the evaluations of an existing output; None if there is none.

    Raises:
        OutputExistsError: the output exists and is not a file of evaluations.
        EvalsError: it is of another game.
    """
    from bookbuilder.evals.table import Evals

    if not output.exists():
        require_parent(output)
        return None
    if output.is_dir():
        raise OutputExistsError(f"{output}: is a directory, expected the name of a file to write")
    known = Evals.read(output)
    if (known.game, known.fold) != (game, fold):
        how = "" if known.game != game else ", with mirrors counted differently"
        raise EvalsError(f"{output}: has evaluations of {known.game}{how}; give another name")
    return known
