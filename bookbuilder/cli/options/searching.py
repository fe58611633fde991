"""The options of a command that lets an engine evaluate positions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.output import require_parent
from bookbuilder.cli.progress import counting
from bookbuilder.disk import remove_file
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
        str, typer.Option(metavar="CMD", help="`bundled`, or a command line, as in `engine match`.")
    ] = "bundled"
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the engine; may be repeated.")
    ] = None
    nodes: Annotated[
        int, typer.Option(min=1, help="Nodes of a search; of many positions for the least reached.")
    ] = 50_000
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Number of engines.")] = 1

    def spec(self, game: Game) -> EngineSpec:
        """Return the engine."""
        from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine

        limit = ThinkLimit(nodes=self.nodes)
        return parse_engine(self.engine, game, name=None, options=self.option or (), limit=limit)

    def evaluate(
        self, plan: Plan, game: Game, file: Path | None, *, known: Evals | None = None, product: str
    ) -> Evaluated:
        """Return the evaluations of a plan, and show the progress; see `evaluate_into`."""
        return evaluate_into(
            file, plan, game, self.spec(game), known=known, product=product, nodes=self.nodes, jobs=self.jobs
        )


def known_evals(output: Path, game: Game, *, fold: bool) -> Evals | None:
    """Return the evaluations of an existing output; None if there is none."""
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


def evaluate_into(
    file: Path | None,
    plan: Plan,
    game: Game,
    engine: str | EngineSpec,
    *,
    product: str,
    known: Evals | None = None,
    **searching: Any,  # noqa: ANN401 (keywords of `evaluate`)
) -> Evaluated:
    """Evaluate a plan, add to a file of evaluations if one is named, and resume an interrupted run.

    Without a file the evaluations are not kept; `known` then has earlier ones. If the engine fails, the
    message begins with `product`. `searching` are further arguments of `evaluate`.
    """
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.engine.evaluate.evaluate import evaluate

    journal = None
    if file is not None:
        known = known_evals(file, game, fold=plan.fold)
        journal = file.with_name(f"{file.name}.journal")
    searching.setdefault("progress", counting)
    try:
        done = evaluate(plan, game, engine, known=known, journal=journal, **searching)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{product}: the engine {fault}") from None
    if file is not None and journal is not None:
        done.evals.write(file)
        remove_file(journal)
    return done
